"""Loops over a dict that look each value up become loops over its items or values."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Occasion, Places
from spark_tui.editing.codemods.idioms.element_loops import (
    Loop,
    Namer,
    changed_within,
    elements,
    head,
    loops,
    others,
    taken,
    unwrapped,
    used_after,
)
from spark_tui.editing.snippet import Snippet


class UseItems(Places):
    """`for k in d` with `d[k]` becomes `for k, v in d.items()`, or `for v in d.values()` where only values matter.

    `for k, v in d.items()` that uses one of the two becomes a loop over just that.
    """

    kind: ClassVar[str] = "use_items"

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """Items and values where both are possible, unless the words name one."""
        values = re.search(r"\bvalues\b", request.instruction) is not None
        items = re.search(r"\bitems\b", request.instruction) is not None
        namer = Namer(before, request)
        for loop in loops(before):
            if found := _looked_up(before, loop, namer):
                yield from (one for one in found if one.variant != ("items" if values and not items else ""))
            elif single := _one_of_two(before, loop):
                yield single


def _looked_up(before: Snippet, loop: Loop, namer: Namer) -> list[Occasion]:
    source, frame = _dict(before, loop.iter)
    if not source or not isinstance(loop.target, ast.Name) or changed_within(loop, source):
        return []
    key = loop.target.id
    one = taken(loop, key).get(source)
    if one is None or changed_within(loop, key):
        return []
    name = "" if one.lead else namer.name(loop, ["v" if key == "k" else "value", "val"])
    found = elements(before, loop, one, name)
    if found is None:
        return []
    target, changes = found
    names = (source, key)
    items = head(before, loop, f"{key}, {target}", frame.format(f"{source}.items()"))
    made = [Occasion(loop.line, (*changes, items), names, "items")]
    if frame == "{}" and not others(loop, key, one.loads) and not one.stores and not used_after(before, loop, key):
        values = head(before, loop, unwrapped(target), f"{source}.values()")
        made.insert(0, Occasion(loop.line, (*changes, values), names, "values"))
    return made


def _dict(before: Snippet, source: ast.expr) -> tuple[str, str]:
    """The dict that is looped over, and what is around its keys."""
    match source:
        case ast.Call(func=ast.Name(id="sorted" | "list" as function), args=[inner], keywords=[]):
            name, frame = _dict(before, inner)
            return name, f"{function}({frame})"
        case ast.Call(func=ast.Attribute(value=owner, attr="keys"), args=[], keywords=[]):
            source = owner
    while isinstance(owner := source, ast.Attribute):
        return (text_of(before, source), "{}") if isinstance(_root(owner), ast.Name) else ("", "")
    return (source.id, "{}") if isinstance(source, ast.Name) else ("", "")


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _one_of_two(before: Snippet, loop: Loop) -> Occasion | None:
    match loop.target, loop.iter:
        case ast.Tuple(elts=[ast.Name(id=key), value]), ast.Call(
            func=ast.Attribute(value=owner, attr="items"), args=[], keywords=[]
        ):
            source, text = text_of(before, owner), text_of(before, value)
            if not source:
                return None
            if not others(loop, key, ()) and not used_after(before, loop, key):
                change = head(before, loop, unwrapped(text), f"{source}.values()")
                return Occasion(loop.line, (change,), (source, text), "values")
            if (
                isinstance(value, ast.Name)
                and not others(loop, value.id, ())
                and not used_after(before, loop, value.id)
            ):
                return Occasion(loop.line, (head(before, loop, key, source),), (source, key), "keys")
    return None
