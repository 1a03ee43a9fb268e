"""What a function gives back, told plainly and as a whole: "return the task", "return [] instead of None"."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.code import Function, end_of, indentation, splice, start_of, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain_checks import the_function
from spark_tui.editing.codemods.plain_words import bare, value_told
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import is_generator, is_stub

_RETURN = r"(?:return|give back|hand back)"
_AT_END = re.compile(rf"(?i){_RETURN} (?P<value>.+?)(?: (?:at the (?:very )?end|in the end|afterwards|when done))?")
_INSTEAD = re.compile(rf"(?i){_RETURN} (?P<value>.+?) (?:instead of|rather than|and not|not) (?P<old>.+?)")
_WHEN = re.compile(r"(?i),? (?:if|when|in case|for|on)\b (?!else\b).*$")
_TOO = re.compile(rf"(?i){_RETURN} (?P<value>.+?) (?:too|as well|also)|also {_RETURN} (?P<more>.+)")


def plain_ends(before: Snippet, words: str) -> list[Ops]:
    """The value told returned at the end of a function that returns none, or []."""
    told = _AT_END.fullmatch(bare(before, words))
    for function in the_function(before, words) if told else ():
        value, last = value_told(before, function, told["value"] if told else ""), function.body[-1]
        if not value or _returned(function) or is_generator(function) or is_stub(function.body):
            continue
        if not isinstance(last, ast.Return | ast.Raise) and not function.name.startswith("__"):
            row, end = statement_lines(last)
            indent = indentation(before.lines[row])
            return [(Insert(end, (f"{indent}return {value}",)),)]
    return []


def plain_returned(before: Snippet, words: str) -> list[Ops]:
    """Another value returned in the place of the one told, or one more beside the only one."""
    for function in the_function(before, words):
        found = _returned(function)
        if told := _INSTEAD.fullmatch(bare(before, words)):
            new, old = (value_told(before, function, _WHEN.sub("", told[name])) for name in ("value", "old"))
            meant = [one for one in found if text_of(before, one) == old]
            if new and new != old and len(meant) == 1:
                return [_with(before, meant[0], new)]
        elif (told := _TOO.fullmatch(words.strip(" .!"))) and len(found) == 1:
            new, old = value_told(before, function, told["value"] or told["more"]), text_of(before, found[0])
            if new and old and not isinstance(found[0], ast.Tuple) and new != old:
                return [_with(before, found[0], f"{old}, {new}")]
    return []


def _returned(function: Function) -> Sequence[ast.expr]:
    return [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value]


def _with(before: Snippet, node: ast.expr, text: str) -> Ops:
    return between(before, splice(before.lines, start_of(before, node), end_of(before, node), text))
