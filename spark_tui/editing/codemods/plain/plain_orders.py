"""The order of the one sort there is: "newest first", "descending", "it lists those who spent least"; splits, once."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Position, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import called
from spark_tui.editing.snippet import Snippet

_MOST = r"(?:newest|latest|most \w+|largest|highest|biggest|longest|best|greatest|top)"
_LEAST = r"(?:oldest|earliest|least \w+|smallest|lowest|shortest|worst|fewest|cheapest)"
_UP = re.compile(rf"(?i)\b{_LEAST}(?: \w+){{0,2}} (?:should (?:be|come) )?first\b|\bascending\b")
_DOWN = re.compile(rf"(?i)\b{_MOST}(?: \w+){{0,2}} (?:should (?:be|come) )?first\b|\bdescending\b")
_TURNED = re.compile(
    r"(?i)\b(?:sort(?:s|ed|ing)?|order(?:ed|ing)?|sort order)(?: \w+){0,2} "
    r"(?:(?:is|are|was) )?(?:the wrong way (?:a?round)|backwards?|upside down|in the wrong (?:order|direction)"
    r"|reversed|inverted)\b"
    r"|\b(?:gives?|returns?|shows?|lists?|picks?) (?:me |us )?(?:the |those |only )?[^,;.]{0,30}?"
    r"\b(?:least|lowest|smallest|worst|fewest)\b"
)
_WISH = re.compile(r"(?i)\b(?:should|must|want|please|instead|make|only|by)\b")
_UNPACKED = re.compile(r"(?i)too many values to unpack")


def plain_orders(before: Snippet, words: str) -> list[Ops]:
    """The one sort that there is the other way round, or the one split that is unpacked done once; else []."""
    for function in the_function(before, words):
        if _UNPACKED.search(words):
            return _split_once(before, function)
        down, up = _DOWN.search(words), _UP.search(words)
        turned = _TURNED.search(words) and not _WISH.search(words)
        sorts = list(sorts_in(function)) if turned or bool(down) != bool(up) else []
        if len(sorts) == 1:
            backward = goes_backward(sorts[0])
            if turned or (backward is not None and backward == bool(up)):
                return the_other_way(before, sorts[0])
    return []


def sorts_in(function: ast.AST) -> Iterator[ast.Call]:
    """Every sort."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="sorted"), args=[_]) | ast.Call(func=ast.Attribute(attr="sort"), args=[]):
                yield node


def goes_backward(call: ast.Call) -> bool | None:
    """Whether a sort goes backwards; None where that is not to be seen."""
    given = {one.arg: one.value for one in call.keywords}
    match given.get("reverse"), given.get("key"):
        case None, ast.Lambda(body=ast.UnaryOp(op=ast.USub())) | ast.Lambda(body=ast.Tuple()):
            return None
        case None, _:
            return None if None in given else False
        case ast.Constant(value=bool() as value), _:
            return value
    return None


def the_other_way(before: Snippet, call: ast.Call) -> list[Ops]:
    """A sort the other way round: with `reverse=True`, or without it."""
    if (backward := goes_backward(call)) is None:
        return []
    if not backward:
        close = _before_close(before, call)
        text = ", reverse=True" if call.args or call.keywords else "reverse=True"
        return [between(before, splice(before.lines, close, close, text))]
    whole = text_of(before, call)
    new = re.sub(r",\s*reverse=True|reverse=True(?:,\s*)?", "", whole)
    return [between(before, splice(before.lines, start_of(before, call), end_of(before, call), new))] if whole else []


def _split_once(before: Snippet, function: ast.AST) -> list[Ops]:
    """`a, b = x.split(":")` with the most that fit."""
    found: list[tuple[ast.Call, int]] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call(args=[_], keywords=[]) as call):
                if called(call) in ("split", "rsplit") and not any(isinstance(one, ast.Starred) for one in names):
                    found.append((call, len(names) - 1))
    if len(found) != 1:
        return []
    close = _before_close(before, found[0][0])
    return [between(before, splice(before.lines, close, close, f", {found[0][1]}"))]


def _before_close(before: Snippet, call: ast.Call) -> Position:
    """Where one more argument goes."""
    given = [*(end_of(before, one) for one in call.args), *(end_of(before, one) for one in call.keywords)]
    if given:
        return max(given)
    row, column = end_of(before, call)
    return row, column - 1
