"""Every attribute that may be the wrong one, and the other attributes that stand where it could."""

import ast
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import Function, docstring_node, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.attributes_further import further_slips
from spark_tui.editing.codemods.bugs.mistaken import (
    Slip,
    attribute_place,
    edits_of,
    no_attribute,
    suggested,
    told_names,
)
from spark_tui.editing.codemods.bugs.near_misses import own_attributes
from spark_tui.editing.codemods.bugs.opposites import attributes_alike, opposites_said
from spark_tui.editing.codemods.common.occasions import function_at
from spark_tui.editing.snippet import Snippet

_OWN = ("self", "cls")
_SHORT = 4
"""Statements of a method that but reads or sets one attribute."""
_Names = dict[str, None]
_Use = tuple[ast.Attribute, str, bool]


class FixAttribute(Codemod):
    """`self.size` that should be `self.width`; a called attribute stays one that the region calls."""

    kind: ClassVar[str] = "fix_attribute"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One use changed. An error message says which attribute is wrong, and may say the right one."""
        instruction = request.instruction
        slips = (*attribute_slips(before, instruction), *further_slips(before, instruction), *own_attributes(before))
        return edits_of(before, request, slips)


def attribute_slips(before: Snippet, instruction: str = "") -> Iterator[Slip]:
    """Every use of an attribute with what else it could be, those of the same object first."""
    missing, wanted = no_attribute(instruction), suggested(instruction)
    told = (wanted,) if wanted else told_names(instruction)
    uses = list(_uses(before))
    of_object, of_sort = _pools(before, uses)
    for node, receiver, called in uses:
        old = node.attr
        if missing and old != missing:
            continue
        names = (
            _Names() if wanted else of_object.get((receiver, called), {}) | of_sort.get((_sort(receiver), called), {})
        )
        if missing and not wanted:
            names = names | of_object.get((receiver, not called), {})
        own = {} if called or wanted or receiver not in _OWN else _of_property(before, node)
        place = attribute_place(before, node)
        for one in own:
            if place and one != old:
                yield Slip(*place, one, (old, one, one.strip("_")))
        names = {one: None for one in names if one not in own}
        dunder = old.startswith("__")
        if not (missing or (old in told and len(told) > 1)):
            near = opposites_said(old, instruction)
            names = dict.fromkeys(near if called else (*near, *attributes_alike(old))) | names
        for one in names | dict.fromkeys(told):
            if place and one != old and one.startswith("__") == dunder and one != receiver:
                yield Slip(*place, one, (old, one))


def _of_property(before: Snippet, node: ast.Attribute) -> _Names:
    """What a short method is named for, where it returns or sets an attribute: `_size` in `size` and `get_size`."""
    function = function_at(before, node.lineno - 1)
    if function is None or function.name.startswith("__") or len(function.body) > _SHORT + _documented(function):
        return {}
    whole = isinstance(node.ctx, ast.Store) or any(
        isinstance(one, ast.Return) and node in ast.walk(one) for one in function.body
    )
    bare = re.sub(r"^_*(?:get|set)_", "", function.name)
    alone = len(function.body) == 1 + _documented(function) or node.attr.strip("_") != bare
    return dict.fromkeys([f"_{bare}", *([bare] if bare != function.name else [])]) if whole and alone else {}


def _documented(function: Function) -> bool:
    return docstring_node(function) is not None


def _uses(before: Snippet) -> Iterator[_Use]:
    """Every attribute with the source of its object and whether it is called, in source order."""
    waiting: list[tuple[ast.AST, bool]] = [(before.tree, False)]
    while waiting:
        node, called = waiting.pop()
        if isinstance(node, ast.Attribute):
            yield node, text_of(before, node.value) if node.lineno <= len(before.lines) else "", called
        func = node.func if isinstance(node, ast.Call) else None
        waiting.extend((child, child is func) for child in reversed(list(ast.iter_child_nodes(node))))


def _sort(receiver: str) -> str:
    return "self" if receiver in _OWN else "other"


def _pools(before: Snippet, uses: list[_Use]) -> tuple[dict[tuple[str, bool], _Names], dict[tuple[str, bool], _Names]]:
    """The attributes of each object, and of objects of each sort (self or another), read and called ones apart."""
    of_object: dict[tuple[str, bool], _Names] = {}
    of_sort: dict[tuple[str, bool], _Names] = {}
    for node, receiver, called in uses:
        of_object.setdefault((receiver, called), {})[node.attr] = None
        of_sort.setdefault((_sort(receiver), called), {})[node.attr] = None
    for klass in before.nodes:
        if isinstance(klass, ast.ClassDef):
            for name, called in _members(klass):
                of_sort.setdefault(("self", called), {})[name] = None
    return of_object, of_sort


def _members(klass: ast.ClassDef) -> Iterator[tuple[str, bool]]:
    for node in klass.body:
        match node:
            case (
                ast.FunctionDef(name=name, decorator_list=marks) | ast.AsyncFunctionDef(name=name, decorator_list=marks)
            ):
                yield name, not any("property" in getattr(mark, "id", getattr(mark, "attr", "")) for mark in marks)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name, False
