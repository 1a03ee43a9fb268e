"""An `__eq__` that compares the attributes of a class; with a `__hash__` to match where one is asked for."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.attributes import Holder, holders
from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.add_repr import behind
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.statements.methods_told import hashes_told
from spark_tui.editing.snippet import Snippet

_HASH = re.compile(r"hash|\bsets?\b|dict(ionary)? keys?", re.IGNORECASE)


class AddEq(Codemod):
    """`return (self.x, self.y) == (other.x, other.y)`, and NotImplemented for objects of other types."""

    kind: ClassVar[str] = "add_eq"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """With the attributes that are named, then with all public ones, then with all."""
        yield from hashes_told(before, request.instruction)
        hashed = bool(_HASH.search(request.instruction))
        for holder in holders(before, after="__repr__"):
            if "__eq__" not in holder.methods:
                compared = [holder.told(request.instruction), holder.public, holder.attributes]
                for attributes in dict.fromkeys(one for one in compared if one):
                    wanted = hashed and "__hash__" not in holder.methods
                    yield between(before, with_eq(before, holder, attributes, hashed=wanted))


def with_eq(snippet: Snippet, holder: Holder, attributes: Sequence[str], *, hashed: bool = False) -> list[str]:
    """The lines with the method."""
    unit = snippet.layout.unit
    inner, name = holder.indent + unit, holder.name or "type(self)"
    head = "(self, other: object) -> bool" if holder.hinted else "(self, other)"
    method = [
        f"{holder.indent}def __eq__{head}:",
        f"{inner}if not isinstance(other, {name}):",
        f"{inner}{unit}return NotImplemented",
        *_compared(attributes, inner, unit),
    ]
    if hashed:
        returns = " -> int" if holder.hinted else ""
        method += [
            "",
            f"{holder.indent}def __hash__(self){returns}:",
            f"{inner}return hash({_tuple('self', attributes)})",
        ]
    return behind(snippet, holder, method)


def _compared(attributes: Sequence[str], inner: str, unit: str) -> list[str]:
    if len(attributes) == 1:
        return [f"{inner}return self.{attributes[0]} == other.{attributes[0]}"]
    whole = f"{inner}return {_tuple('self', attributes)} == {_tuple('other', attributes)}"
    if len(whole) <= MAX_WIDTH:
        return [whole]
    pairs = [f"self.{one} == other.{one}" for one in attributes]
    return [
        f"{inner}return (",
        f"{inner}{unit}{pairs[0]}",
        *(f"{inner}{unit}and {pair}" for pair in pairs[1:]),
        f"{inner})",
    ]


def _tuple(owner: str, attributes: Sequence[str]) -> str:
    return f"({', '.join(f'{owner}.{one}' for one in attributes)}{',' if len(attributes) == 1 else ''})"
