"""A `__repr__` that shows the attributes of a class, like the call that makes the object."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from spark_tui.editing.attributes import Holder, holders
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.statements.accessors_told import accessors_told, subclasses_told
from spark_tui.editing.codemods.statements.methods_told import methods_told
from spark_tui.editing.codemods.statements.special_methods import special_methods
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote as quoted

_WIDTH = 100


class AddRepr(Codemod):
    """`return f"Point(x={self.x!r}, y={self.y!r})"` in a method behind `__init__` or the fields."""

    kind: ClassVar[str] = "add_repr"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """With the attributes that are named, then with all public ones, then with all."""
        for members in (methods_told, accessors_told, subclasses_told):
            yield from members(before, request.instruction)
        for holder in holders(before):
            if "__repr__" not in holder.methods:
                shown = [holder.told(request.instruction), holder.public, holder.attributes]
                for attributes in dict.fromkeys(one for one in shown if one):
                    yield between(before, with_repr(before, holder, attributes))
        yield from special_methods(before, request.instruction)


def with_repr(snippet: Snippet, holder: Holder, attributes: Sequence[str]) -> list[str]:
    """The lines with the method."""
    unit, quote = snippet.layout.unit, quoted(snippet, "")[0]
    inner = holder.indent + unit
    name = holder.name or "{type(self).__name__}"
    shown = [f"{one}={{self.{one}!r}}" for one in attributes]
    body = [f"{inner}return f{quote}{name}({', '.join(shown)}){quote}"]
    if len(body[0]) > _WIDTH:
        ends = [", "] * (len(shown) - 1) + [")"]
        parts = [f"{name}({shown[0]}", *shown[1:]]
        pieces = [f"{inner}{unit}f{quote}{part}{end}{quote}" for part, end in zip(parts, ends, strict=True)]
        body = [f"{inner}return (", *pieces, f"{inner})"]
    returns = " -> str" if holder.hinted else ""
    return behind(snippet, holder, [f"{holder.indent}def __repr__(self){returns}:", *body])


def behind(snippet: Snippet, holder: Holder, method: Sequence[str]) -> list[str]:
    """The lines with a new method in its place."""
    at = holder.after + 1
    following = "".join(snippet.lines[at : at + 1]).strip()
    return [*snippet.lines[:at], "", *method, *([""] if following else []), *snippet.lines[at:]]
