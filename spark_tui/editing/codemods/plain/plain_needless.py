"""What plain words do not want: calls ("no need for .keys()"), and what is empty ("don't yield an empty row")."""

import ast
import re

from spark_tui.editing.code import end_of, splice, text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, movable, outside_fstrings, places

_CALL = re.compile(
    r"(?:no need for|no need to call|don'?t need|do not need|drop|remove|lose|leave out|get rid of|without|skip)"
    r" (?:the |that )?(?:call (?:to|of) )?`?(?P<dot>\.)?(?P<name>[^\W\d]\w*)(?P<brackets>\(\))?`?(?: call)?"
    r"|(?:the )?`?\.?(?P<other>[^\W\d]\w*)\(\)`?(?: call)?"
    r" is (?:not (?:needed|necessary)|redundant|superfluous|unneeded|needless)"
)
_EMPTY = re.compile(
    r"(?:don'?t|do not|never|avoid) (?P<verb>yield|append|write|send|print|save|log|add|return|emit|call)(?:ing)? "
    r"(?:an? |the )?empty (?P<name>[^\W\d]\w*)(?: at the (?:very )?end| here)?"
)


def plain_needless(before: Snippet, words: str) -> list[Ops]:
    """Every call of the method without arguments that is not needed, gone where its value is used; else []."""
    told = _CALL.fullmatch(bare(before, words))
    if told is None or not (told["dot"] or told["brackets"] or told["other"]):
        return []
    name = told["name"] or told["other"]
    alone = {id(one.value) for one in before.nodes if isinstance(one, ast.Expr)}
    lines = list(before.lines)
    calls = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Call)]
    for node in sorted(calls, key=lambda one: end_of(before, one), reverse=True):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[], keywords=[]) if attr == name:
                if id(node) not in alone and text_of(before, node):
                    lines = splice(lines, end_of(before, owner), end_of(before, node), "")
    return [between(before, lines)] if lines != list(before.lines) else []


def plain_not_empty(before: Snippet, words: str) -> list[Ops]:
    """The one statement that does it with the value told, only where there is something in it; else []."""
    told = _EMPTY.fullmatch(bare(before, words))
    functions = functions_named(before, words) or before.functions
    if told is None or len(functions) != 1:
        return []
    found = [one for one in places(before) if movable(one.node) and _does(one.node, told["verb"].lower(), told["name"])]
    tested = {
        id(inner)
        for node in before.nodes
        if isinstance(node, ast.If) and re.search(rf"\b{told['name']}\b", ast.unparse(node.test))
        for part in node.body
        for inner in ast.walk(part)
    }
    free = [one for one in found if id(one.node) not in tested]
    return [_under(free[0], told["name"])] if len(free) == 1 else []


def _under(place: Place, name: str) -> Ops:
    return (Insert(place.first - 1, (f"{place.indent}if {name}:",)), Indent(place.first, place.last))


def _does(node: ast.stmt, verb: str, name: str) -> bool:
    match node:
        case ast.Expr(value=ast.Yield(value=ast.Name(id=given))):
            return verb in ("yield", "emit") and given == name
        case ast.Expr(value=ast.Call(args=[*_, ast.Name(id=given)]) as call):
            return called(call) == verb and given == name
    return False
