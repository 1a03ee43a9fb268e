"""Whether an edit brings what words say is not needed: "no need for a type hint here", "no f-strings please"."""

import ast
import re
from collections.abc import Iterable, Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE
from spark_tui.session.rules.facts import Code, first_told
from spark_tui.session.rules.pieces import PIECES, Count

_UNWANTED = re.compile(
    r"(?i)^\W*(?:please |also |just )*"
    r"(?:(?:(?:you|we|i|it) (?:must|should|may|can) ?(?:not|n't|never)|don'?t(?! (?:we|you|they|i)\b)|do not|never"
    r"|avoid|(?:there is |there's )?no need (?:for|of|to))\b|no\b(?=[^,;:.]* please\W*$))"
    r"(?P<what>(?!.*\b(?:but|instead|rather|twice|again|by hand)\b)[^,;:.]*)\W*$"
)


def unwanted(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit brings what is not wanted, in a sentence, or "". Args: after: the lines of `code` with it."""
    return first_told((_brought,), words, code, after)


def _brought(words: str, code: Code, new: Snippet) -> str:
    told = _UNWANTED.match(words)
    for pattern, count in PIECES if told else ():
        said = told and re.search(rf"(?i)(?<![\w-]){pattern}(?![\w-])", told["what"])
        if said and _sum(count, new.nodes) > _sum(count, code.nodes):
            return f"the edit that was found brings what is not wanted ({said[0]}); {OTHERWISE}"
    return ""


def _sum(count: Count, nodes: Iterable[ast.AST]) -> int:
    return sum(map(count, nodes))
