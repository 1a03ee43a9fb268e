"""Whether what an edit logs with is there: a module without a logger has to get one first."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.codemods.statements.logging_words import LEVELS
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import Code, first_told, name_of

_LOGGER = re.compile(r"(?i)_?(?:log|logger|logging)")


def no_logger(words: str, code: Code, after: Sequence[str]) -> str:
    """That the logger of an edit is nowhere made, in a sentence, or "". Args: after: the lines of `code` with it."""
    return "" if code.is_fragment else first_told((_unmade,), words, code, after)


def _unmade(_: str, code: Code, new: Snippet) -> str:
    known = {name_of(node) for node in ast.walk(code.module)} if code.module else set()
    bound = {*known, *code.imported}
    for node in new.nodes if code.module else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=level)) if level in LEVELS:
                if _LOGGER.fullmatch(name) and name not in bound:
                    made = "import logging" if name == "logging" else f"{name} = logging.getLogger(__name__)"
                    return f"{code.path} has no {name}; add one first: {made}"
    return ""
