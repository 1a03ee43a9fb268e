"""What a function gives back, told plainly and as a whole: "return the task", "return [] instead of None"."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.code import Function, end_of, indentation, splice, start_of, statement_lines, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.codemods.plain.plain_words import bare, value_told
from spark_tui.editing.script import Insert, Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import is_generator, is_stub

_RETURN = r"(?:return|give back|hand back)"
_AT_END = re.compile(
    rf"(?i){_RETURN} (?P<value>.+?)"
    r"(?: (?:at the (?:very )?end|in the end|afterwards|otherwise|(?:on|upon) success|if (?:it|all) (?:went|goes) well"
    r"|(?:when|once|if) (?:it(?:'s| is| was)? |all is |everything (?:is|was|has) )?(?:done|successful"
    r"|work(?:ed|s)|succeed(?:s|ed)|finished)))?"
)
_INSTEAD = re.compile(rf"(?i){_RETURN} (?P<value>.+?) (?:instead of|rather than|and not|not) (?P<old>.+?)")
_NONE = re.compile(
    r"(?i)(?:(?:but |why does )?(?:it|this|that|the function|\w+\(\)) )?(?:always |only |just |still )*"
    r"(?:returns?|returned|returning|gives?|giving)(?: me| us| back)* (?:always |only |just )*`?None`?"
    r"(?: back)?(?:,? (?:instead of|rather than|and not|not) .+)?"
    r"|(?:i|we) (?:always |only |just |still )*(?:get|got) `?None`?(?: back)?(?:,? (?:instead of|rather than) .+)?"
)
_MADE = re.compile(rf"(?i){_RETURN} (?P<value>\S+?)(?: (?:instead|at the end))?")
"""Something made of what is returned by now: "return text.strip('-')"."""
_WHEN = re.compile(r"(?i),? (?:if|when|in case|for|on)\b (?!else\b).*$")
_TOO = re.compile(rf"(?i){_RETURN} (?P<value>.+?) (?:too|as well|also)|also {_RETURN} (?P<more>.+)")


def plain_ends(before: Snippet, words: str) -> list[Ops]:
    """The value told, or the one made and forgotten, returned at the end of a function that returns none, or []."""
    told, nothing = _AT_END.fullmatch(bare(before, words)), tells_of_none(words)
    for function in the_function(before, words) if told or nothing else ():
        if nothing and (found := _in_place(before, function)):
            return [found]
        value = forgotten(function) if nothing else value_told(before, function, told["value"] if told else "")
        last = function.body[-1]
        if not value or _else(function, value) or is_generator(function) or is_stub(function.body):
            continue
        if not isinstance(last, ast.Return | ast.Raise) and not function.name.startswith("__"):
            row, end = statement_lines(last)
            indent = indentation(before.lines[row])
            return [(Insert(end, (f"{indent}return {value}",)),)]
    return []


def _else(function: Function, value: str) -> bool:
    """Whether a function gives something back by now that the end is not but the other case of."""
    opposite = {"True": "False", "False": "True"}.get(value)
    return any(ast.unparse(one) != opposite for one in returned(function))


def tells_of_none(words: str) -> bool:
    """Whether all that words tell is that None comes back."""
    return _NONE.fullmatch(words.strip(" .!")) is not None


def forgotten(function: Function) -> str:
    """The one value that a function begins with, goes on to change in a block, and never gives back; or ""."""
    if returned(function) or is_generator(function):
        return ""
    begun = [one for one in function.body if isinstance(one, ast.Assign | ast.AnnAssign) and one.value]
    targets = [one for stmt in begun for one in (stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target])]
    names = dict.fromkeys(one.id for one in targets if isinstance(one, ast.Name))
    blocks = [one for one in function.body if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    inside = [node for block in blocks for node in ast.walk(block)]
    changed = [name for name in names if any(_changes(node, name) for node in inside)]
    return changed[0] if len(changed) == 1 and isinstance(function.body[-1], ast.For | ast.AsyncFor | ast.While) else ""


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a name gets another value, or what it holds is changed."""
    match node:
        case ast.Name(id=id, ctx=ast.Store()) | ast.Subscript(value=ast.Name(id=id), ctx=ast.Store()):
            return id == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=id)))):
            return id == name
    return False


def plain_returned(before: Snippet, words: str) -> list[Ops]:
    """Another value returned in the place of the one told, or one more beside the only one."""
    for function in the_function(before, words):
        found = returned(function)
        if told := _INSTEAD.fullmatch(bare(before, words)):
            new, old = (value_told(before, function, _WHEN.sub("", told[name])) for name in ("value", "old"))
            meant = [one for one in found if text_of(before, one) == old]
            if new and new != old and len(meant) == 1:
                return [_with(before, meant[0], new)]
        elif (told := _TOO.fullmatch(words.strip(" .!"))) and len(found) == 1:
            new, old = value_told(before, function, told["value"] or told["more"]), text_of(before, found[0])
            if new and old and not isinstance(found[0], ast.Tuple) and new != old:
                return [_with(before, found[0], f"{old}, {new}")]
        elif (told := _MADE.fullmatch(bare(before, words))) and len(found) == 1:
            new, node = value_told(before, function, told["value"]), found[0]
            if isinstance(node, ast.Name) and _is_made_of(new, node.id):
                return [_with(before, node, new)]
    return []


_CHANGES = frozenset("sort reverse append extend insert remove clear update add discard shuffle".split())  # noqa: SIM905


def _in_place(before: Snippet, function: Function) -> Ops:
    """What is changed in place and gives None, given back after that; a list sorted as it is given back."""
    last, found = function.body[-1], returned(function)
    match last:
        case ast.Return(value=ast.Call(func=ast.Attribute(value=owner, attr=verb), args=args)) if verb in _CHANGES:
            changed = args[0] if verb == "shuffle" and args else owner
            if len(found) != 1 or not isinstance(changed, ast.Name | ast.Attribute):
                return ()
            row, end = statement_lines(last)
            call, indent = text_of(before, found[0]), indentation(before.lines[row])
            if not call or "\n" in call or row != end:
                return ()
            lines = (f"{indent}{call}", f"{indent}return {text_of(before, changed)}")
            return (Replace(row, end, lines),)
    return ()


def _is_made_of(source: str, name: str) -> bool:
    """Whether code does something with a name and is not that name alone."""
    return re.search(rf"(?<![\w.]){name}[.(\[]|\((?:.*[( ,])?{name}[,)]", source) is not None


def returned(function: Function) -> Sequence[ast.expr]:
    """The values that a function gives back."""
    return [one.value for one in walk_scope(function) if isinstance(one, ast.Return) and one.value]


def _with(before: Snippet, node: ast.expr, text: str) -> Ops:
    return between(before, splice(before.lines, start_of(before, node), end_of(before, node), text))
