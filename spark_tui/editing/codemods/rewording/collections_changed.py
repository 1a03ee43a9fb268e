"""A list that is filled bit by bit made a set, or the reverse: what it begins as, its hint, and how it is filled."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_EMPTY = {"list": "[]", "set": "set()"}
_FILLS = {"set": {"append": "add", "extend": "update"}, "list": {"add": "append", "update": "extend"}}


def filled_anew(before: Snippet, shape: str) -> Iterator[list[str]]:
    """Each variable that begins empty and is filled, as a collection of the shape told, wherever it is filled."""
    other = {"set": "list", "list": "set"}.get(shape, "")
    for node in before.nodes if other else ():
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                name = text_of(before, target)
                if text_of(before, value) not in (_EMPTY[other], f"{other}()") or not name:
                    continue
                fills = list(_fills(before, name, shape))
                hint = node.annotation if isinstance(node, ast.AnnAssign) else None
                if fills:
                    yield spliced(before, [(value, _EMPTY[shape]), *_hinted(before, hint, other, shape), *fills])


def _fills(before: Snippet, name: str, shape: str) -> Iterator[tuple[ast.expr, str]]:
    for node in before.nodes:
        match node:
            case ast.Attribute(value=owner, attr=attr) if attr in _FILLS[shape] and text_of(before, owner) == name:
                if start_of(before, node)[0] == end_of(before, node)[0]:
                    yield node, f"{name}.{_FILLS[shape][attr]}"


def _hinted(before: Snippet, hint: ast.expr | None, old: str, new: str) -> list[tuple[ast.expr, str]]:
    text = text_of(before, hint) if hint else ""
    changed = re.sub(rf"^{old}\b|^{old.title()}\b", lambda match: new if match[0].islower() else new.title(), text)
    return [(hint, changed)] if hint and text else []
