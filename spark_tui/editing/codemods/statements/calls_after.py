"""A second step after a call: "flush after the write", "set the timer to None once cancelled"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.statements.statement_words import stems
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_VERB = re.compile(
    r"(?<![\w.])(?P<verb>flush|close|clear|stop|join|commit|wait|disconnect|shutdown|shut down|start)\w*\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:after|once|when|at the end|afterwards?|as well|too|should be|has been|also)\b", re.IGNORECASE)
_RESET = re.compile(r"\b(?:set|put|reset)\b.{1,40}\b(?:to|be|as) None\b", re.IGNORECASE)
_MOST = 3


def calls_after(before: Snippet, words: str) -> list[Ops]:
    """The steps that may be meant, behind the calls that share most words with what is said."""
    resets = _RESET.search(words) is not None
    verbs = [match["verb"].lower().replace(" ", "") for match in _VERB.finditer(words)]
    if not (resets or verbs) or not (_WHEN.search(words) or re.search(r"ing\b", words)):
        return []
    said = stems(words)
    found: list[tuple[int, int, Ops]] = []
    for node, path, method in _calls(before):
        known = stems(path) | stems(method)
        shared = 2 * len(stems(method) & said) + len(known & said)
        first, last = statement_lines(node)
        indent = indentation(before.lines[first])
        lines = _lines(path, method, verbs, resets=resets)
        found += [(-shared, -last, (Insert(last, (indent + line,)),)) for line in lines]
    found = [one for one in found if one[0] or len(found) == 1]
    return [ops for *_, ops in sorted(found, key=lambda one: one[:2])][:_MOST]


def _lines(path: str, method: str, verbs: list[str], *, resets: bool) -> Iterator[str]:
    if resets and path.startswith("self."):
        yield f"{path} = None"
    elif not resets:
        yield from (f"{path}.{verb}()" for verb in dict.fromkeys(verbs[:1]) if verb != method)


def _calls(before: Snippet) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements that call a method, with its object and its name; for a call with an object also with that."""
    for node in before.nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method)) as call) if stands_alone(
                before, node
            ):
                path = dotted(owner)
                if path and path not in ("self", "logger", "log"):
                    yield node, path, method
                for one in call.args:
                    if (held := dotted(one)) and held.startswith("self."):
                        yield node, held, method
