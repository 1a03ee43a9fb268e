"""Whether an edit brings what words say is not needed: "no need for a type hint here", "no f-strings please"."""

import ast
import re
from collections.abc import Callable, Iterable, Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE
from spark_tui.session.rules.facts import Code, first_told

_UNWANTED = re.compile(
    r"(?i)^\W*(?:please |also |just )*"
    r"(?:(?:(?:you|we|i|it) (?:must|should|may|can) ?(?:not|n't|never)|don'?t(?! (?:we|you|they|i)\b)|do not|never"
    r"|avoid|(?:there is |there's )?no need (?:for|of|to))\b|no\b(?=[^,;:.]* please\W*$))"
    r"(?P<what>(?!.*\b(?:but|instead|rather|twice|again|by hand)\b)[^,;:.]*)\W*$"
)
_Count = Callable[[ast.AST], int]


def _are(*kinds: type[ast.AST]) -> _Count:
    return lambda node: isinstance(node, kinds)


def _hints(node: ast.AST) -> int:
    return any(getattr(node, field, None) is not None for field in ("annotation", "returns"))


def _decorators(node: ast.AST) -> int:
    return len(getattr(node, "decorator_list", ()))


_PIECES: tuple[tuple[str, _Count], ...] = (
    (r"f-?strings?", _are(ast.JoinedStr)),
    (r"lambdas?", _are(ast.Lambda)),
    (r"(?:hints?|annotations?)", _hints),
    (r"async", _are(ast.AsyncFunctionDef)),
    (r"await", _are(ast.Await)),
    (r"try", _are(ast.Try)),
    (r"(?:with|context managers?|(?<=^ )open)", _are(ast.With, ast.AsyncWith)),
    (r"imports?", _are(ast.Import, ast.ImportFrom)),
    (r"comprehensions?", _are(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)),
    (r"(?:ternary|ternaries|conditional expressions?)", _are(ast.IfExp)),
    (r"walrus(?:es)?", _are(ast.NamedExpr)),
    (r"assert(?:ion)?s?", _are(ast.Assert)),
    (r"decorators?", _decorators),
)
"""Words for pieces of code, and how many of these there are."""


def unwanted(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit brings what is not wanted, in a sentence, or "". Args: after: the lines of `code` with it."""
    return first_told((_brought,), words, code, after)


def _brought(words: str, code: Code, new: Snippet) -> str:
    told = _UNWANTED.match(words)
    for pattern, count in _PIECES if told else ():
        said = told and re.search(rf"(?i)(?<![\w-]){pattern}(?![\w-])", told["what"])
        if said and _sum(count, new.nodes) > _sum(count, code.nodes):
            return f"the edit that was found brings what is not wanted ({said[0]}); {OTHERWISE}"
    return ""


def _sum(count: _Count, nodes: Iterable[ast.AST]) -> int:
    return sum(map(count, nodes))
