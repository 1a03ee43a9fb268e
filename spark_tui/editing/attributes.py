"""What the objects of a class hold, and where a new method of it goes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, indentation, statement_lines, walk_scope
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.editing.told import says

_DESCRIBED = ("NamedTuple", "TypedDict", "Protocol", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")


@dataclass(frozen=True, slots=True)
class Holder:
    """A class, or just its __init__ when that is all there is to see: then `name` is "".

    `attributes` in the order they are set; `methods` the names of those there are; `hinted`: methods have hints.
    """

    name: str
    attributes: tuple[str, ...]
    methods: frozenset[str]
    hinted: bool
    after: int
    indent: str

    @property
    def public(self) -> tuple[str, ...]:
        """The attributes without a leading underscore; all when there are none."""
        return tuple(one for one in self.attributes if not one.startswith("_")) or self.attributes

    def told(self, instruction: str) -> tuple[str, ...]:
        """The attributes that an instruction names."""
        return tuple(one for one in self.attributes if says(instruction, one) or says(instruction, f"self.{one}"))


def holders(snippet: Snippet, *, after: str = "__init__") -> Iterator[Holder]:
    """The classes with attributes. Args: after: the method that a new one goes behind, if there is one."""
    top = snippet.tree.body
    if len(top) == 1 and isinstance(top[0], ast.FunctionDef) and top[0].name == "__init__" and snippet.margin:
        yield from _holder(snippet, "", top, after)
    for node in snippet.nodes:
        if isinstance(node, ast.ClassDef) and not _describes_itself(node):
            yield from _holder(snippet, node.name, node.body, after)


def _describes_itself(node: ast.ClassDef) -> bool:
    """Whether the class gets its special methods from a decorator or a base."""
    bases = [(dotted(base) or "").rpartition(".")[2] for base in node.bases]
    decorators = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    names = [(dotted(one) or "").rpartition(".")[2] for one in decorators]
    return any(base in _DESCRIBED for base in bases) or any(
        name in ("dataclass", "define", "attrs", "s") for name in names
    )


def _holder(snippet: Snippet, name: str, body: list[ast.stmt], after: str) -> Iterator[Holder]:
    methods = {one.name: one for one in body if isinstance(one, Function)}
    init = methods.get("__init__")
    fields = [one for one in body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    plain = [one for one in fields if "ClassVar" not in ast.dump(one.annotation)]
    assigned = [one for one in body if isinstance(one, ast.Assign | ast.AnnAssign)]
    anchor = methods.get(after) or init or (assigned[-1] if plain else None)
    attributes = set_in(init) if init else tuple(one.target.id for one in plain if isinstance(one.target, ast.Name))
    if anchor is None or not attributes or snippet.lines[anchor.lineno - 1].lstrip().startswith("class "):
        return
    hinted = init is None or any(
        one.returns or any(arg.annotation for arg in one.args.args) for one in methods.values()
    )
    indent = indentation(snippet.lines[anchor.lineno - 1])
    last = statement_lines(anchor)[1]
    while _is_comment_within(snippet, last + 1, indent):
        last += 1
    yield Holder(name, attributes, frozenset(methods), hinted, last, indent)


def _is_comment_within(snippet: Snippet, row: int, indent: str) -> bool:
    line = snippet.lines[row] if row < len(snippet.lines) else ""
    return line.lstrip().startswith("#") and len(indentation(line)) > len(indent)


def set_in(function: Function) -> tuple[str, ...]:
    """The attributes of self that a function sets, in order."""
    found = []
    for node in walk_scope(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found.append((node.lineno, node.col_offset, name))
    return tuple(dict.fromkeys(name for _, _, name in sorted(found)))
