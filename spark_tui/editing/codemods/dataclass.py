"""A class whose `__init__` only stores its parameters becomes a dataclass.

Fields get the type of the parameter or of its default, else `object`. The import is added where the region has imports.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, docstring_node, indentation, is_receiver, statement_lines, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_OPTIONS = {
    "frozen": r"frozen|immutable|read[- ]?only|hashable|nobody (should|can|may)\b|reassign|attribute.* should fail",
    "slots": r"\bslots",
    "order": r"\border(ed|ing)?\b|sortable",
}
_MODULE = "dataclasses"
_IMPORT = "from dataclasses import dataclass"


@dataclass(frozen=True, slots=True)
class Plain:
    """A class that can be a dataclass: its __init__, the fields' lines, whether all are keyword-only."""

    node: ast.ClassDef
    init: ast.FunctionDef
    fields: tuple[str, ...]
    by_keyword: bool


class Dataclass(Codemod):
    """`def __init__(self, x: int): self.x = x` becomes `x: int` under `@dataclass`."""

    kind: ClassVar[str] = "dataclass"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Every class that can be one; options as the words ask for."""
        said = [option for option, words in _OPTIONS.items() if re.search(words, request.instruction, re.IGNORECASE)]
        for plain in plain_classes(before):
            yield between(before, as_dataclass(before, plain, said))


def plain_classes(snippet: Snippet) -> Iterator[Plain]:
    """The classes that can be dataclasses."""
    for node in snippet.nodes:
        if isinstance(node, ast.ClassDef) and _is_free(node):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
            init = methods[0] if methods else None
            if isinstance(init, ast.FunctionDef) and init.name == "__init__" and not init.decorator_list:
                fields = _fields(snippet, init)
                if fields and node.lineno < init.lineno:
                    yield Plain(node, init, fields, bool(init.args.kwonlyargs))


def _is_free(node: ast.ClassDef) -> bool:
    """Whether nothing but its own code makes the class what it is."""
    bases = all(isinstance(base, ast.Name) and base.id == "object" for base in node.bases)
    slots = any(isinstance(one, ast.Name) and one.id == "__slots__" for one in ast.walk(node))
    fields = any(isinstance(one, ast.AnnAssign) for one in node.body)
    return bases and not (node.keywords or node.decorator_list or slots or fields)


def _fields(snippet: Snippet, init: ast.FunctionDef) -> tuple[str, ...]:
    """The lines of the fields without indentation; empty when the __init__ does anything else."""
    spec = init.args
    first, last = statement_lines(init)
    clean = not any("#" in line for line in snippet.lines[first : last + 1])
    given = [*spec.posonlyargs, *spec.args][1:]
    if spec.vararg or spec.kwarg or not clean or (given and spec.kwonlyargs) or docstring_node(init):
        return ()
    receiver = next(iter([*spec.posonlyargs, *spec.args]), None)
    parameters = given or spec.kwonlyargs
    stored = dict(filter(None, map(_stored, init.body)))
    if receiver is None or not is_receiver(init, receiver) or len(stored) != len(init.body):
        return ()
    if set(stored) != {one.arg for one in parameters}:
        return ()
    found = [_field(snippet, init, one, stored[one.arg]) for one in parameters]
    return tuple(found) if all(found) else ()


def _stored(statement: ast.stmt) -> tuple[str, ast.expr | None] | None:
    """The attribute that a statement sets to the parameter of its name, with its annotation."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Name(id=given)) if (
            name == given
        ):
            return name, None
        case ast.AnnAssign(
            target=ast.Attribute(value=ast.Name(id="self"), attr=name), value=ast.Name(id=given), annotation=hint
        ) if name == given:
            return name, hint
    return None


def _field(snippet: Snippet, init: ast.FunctionDef, parameter: ast.arg, hint: ast.expr | None) -> str:
    """`name: type = default`, or "" where it cannot be a field."""
    default = default_of(init, parameter)
    if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
        return ""
    annotation = hint or parameter.annotation
    written = text_of(snippet, annotation) if annotation else _type_of(default)
    value = text_of(snippet, default) if default else ""
    if not written or (default is not None and not value):
        return ""
    field = f"{parameter.arg}: {written}" + (f" = {value}" if value else "")
    return field if len(field) < MAX_WIDTH - 12 else ""


def _type_of(default: ast.expr | None) -> str:
    match default:
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as value):
            return type(value).__name__
    return "object"


def as_dataclass(snippet: Snippet, plain: Plain, options: Sequence[str] = ()) -> list[str]:
    """The lines with the class as a dataclass."""
    lines = list(snippet.lines)
    first, last = statement_lines(plain.init)
    indent = indentation(lines[first])
    doc = docstring_node(plain.node)
    apart = [""] if doc and statement_lines(doc)[1] == first - 1 else []
    lines[first : last + 1] = [*apart, *(indent + field for field in plain.fields)]
    row = plain.node.lineno - 1
    said = [f"{option}=True" for option in (*options, *(["kw_only"] if plain.by_keyword else []))]
    name = "dataclasses.dataclass" if _imports_module(snippet) else "dataclass"
    decorator = f"@{name}({', '.join(said)})" if said else f"@{name}"
    lines.insert(row, indentation(lines[row]) + decorator)
    imported = _import_row(snippet)
    return [*lines[:imported], *([_IMPORT] if imported else []), *lines[imported:]]


def _imports_module(snippet: Snippet) -> bool:
    return any(isinstance(one, ast.alias) and one.name == "dataclasses" for one in snippet.nodes)


def _import_row(snippet: Snippet) -> int:
    """Where the import goes, 0 for nowhere: in order into the region's first block of imports."""
    imports = [one for one in snippet.tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    known = any(isinstance(one, ast.ImportFrom) and one.module == "dataclasses" for one in imports)
    imports = [one for one in imports if not (isinstance(one, ast.ImportFrom) and one.module == "__future__")]
    if not imports or known or _imports_module(snippet):
        return 0
    block = imports[:1]
    for one in imports[1:]:
        if one.lineno == (block[-1].end_lineno or 0) + 1:
            block.append(one)
    before = [one for one in block if isinstance(one, ast.Import) or (not one.level and (one.module or "") < _MODULE)]
    return statement_lines(before[-1])[1] + 1 if before else statement_lines(block[0])[0]
