"""A literal replaced by a name that is there already."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import Function, docstring_node, parameters, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.tidy import Spot, choices, fits, on_node
from spark_tui.editing.snippet import Snippet

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TRIVIAL = (0, 1, -1, "", True, False, None)
Scope = ast.Module | ast.ClassDef | Function


@dataclass(frozen=True, slots=True)
class Literal:
    """A string or number, and the scopes around it, the innermost last."""

    node: ast.Constant
    source: str
    scopes: tuple[Scope, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A name with a value: the scope it is assigned in and the line that does."""

    name: str
    value: object
    scope: Scope
    line: int


class UseConstant(Codemod):
    """A number or string becomes the name that holds it, or the name that the words tell."""

    kind: ClassVar[str] = "use_constant"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Names told for literals told; else every literal that a name of the region holds, all or one."""
        return choices(before, spots(before, request), request)


def spots(before: Snippet, request: Request) -> list[Spot]:
    """Every literal that the request may mean, with the name in its place; `sort` is the name."""
    literals, words = list(all_literals(before)), request.instruction
    names, known = told_names(before, words), list(constants(before))
    told = [one for one in literals if _told(one.source, words)]
    found = [spot for one in told or literals for spot in _held(before, one, known, names)]
    if named := [spot for spot in found if spot.sort in names]:
        found = named
    elif names and (told or request.selected):
        chosen = told or [one for one in literals if _selected(one, request)]
        free = [
            on_node(before, one.node, name, name) for one in chosen for name in names if _fits_in(before, name, one)
        ]
        found = free or found
    return sorted(dict.fromkeys(one for one in found if fits(before, one)), key=lambda one: (one.start, one.text))


def _selected(one: Literal, request: Request) -> bool:
    return request.selected is not None and request.selected[0] < one.node.lineno <= request.selected[1] + 1


def _told(source: str, words: str) -> bool:
    content = source.strip("'\"")
    if source[0].isdigit():
        return re.search(rf"(?<![\w.]){re.escape(source)}(?![\w.]*\w)", words) is not None
    return bool(content) and re.search(rf"['\"`]{re.escape(content)}['\"`]", words) is not None


def told_names(before: Snippet, words: str) -> list[str]:
    """The names in the words that the region uses and that are not plain words of a request."""
    there = set(names_of(before))
    return [name for name in dict.fromkeys(_DOTTED.findall(words)) if name in there]


def names_of(before: Snippet) -> Iterator[str]:
    """Every name and dotted name the region reads, its parameters, and the constants it sets."""
    for node in before.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and _dotted(node):
            yield ast.unparse(node)
        elif isinstance(node, ast.arg):
            yield node.arg


def _dotted(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _dotted(node.value))


def all_literals(before: Snippet) -> Iterator[Literal]:
    """The strings and numbers on one line outside docstrings, f-strings, patterns and annotations."""
    waiting: list[tuple[ast.AST, tuple[Scope, ...]]] = [(before.tree, ())]
    while waiting:
        node, scopes = waiting.pop()
        if isinstance(node, ast.Constant):
            source = text_of(before, node)
            if isinstance(node.value, int | float | str) and not isinstance(node.value, bool) and is_plain(source):
                yield Literal(node, source, scopes)
            continue
        if isinstance(node, ast.JoinedStr | ast.pattern | ast.UnaryOp):
            continue
        skipped = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, Scope):
            skipped.append(docstring_node(node))
            scopes = (*scopes, node)
        waiting += [(child, scopes) for child in ast.iter_child_nodes(node) if child not in skipped]


def is_plain(source: str) -> bool:
    """Whether a literal is a number, or a string without its own quotes and escapes."""
    return re.fullmatch(r"""\d[\w.]*|'[^'\\\n]*'|"[^"\\\n]*\"""", source) is not None


def constants(before: Snippet) -> Iterator[Known]:
    """Every name that is given a number or string once, where it can be relied on."""
    for scope in (node for node in before.nodes if isinstance(node, Scope)):
        stored = [node.id for node in ast.walk(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        for one in scope.body:
            match one:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value))
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value))
                ):
                    if stored.count(name) == 1:
                        yield Known(name, value, scope, one.lineno)


def _held(before: Snippet, one: Literal, known: Sequence[Known], names: Sequence[str]) -> Iterator[Spot]:
    for constant in known:
        value, own = one.node.value, constant.value
        if type(value) is not type(own) or value != own or one.node.lineno <= constant.line:
            continue
        if (value in _TRIVIAL or not constant.name.isupper()) and constant.name not in names:
            continue
        if text := _reached(constant, one):
            yield on_node(before, one.node, text, constant.name)


def _reached(constant: Known, one: Literal) -> str:
    """How a constant is written where a literal is, or "" when it cannot be."""
    if isinstance(constant.scope, ast.ClassDef):
        if constant.scope not in one.scopes:
            return ""
        inner = one.scopes[one.scopes.index(constant.scope) + 1 :]
        if not inner:
            return constant.name
        method = inner[0]
        receiver = next((arg.arg for arg in parameters(method)), "") if isinstance(method, Function) else ""
        return f"{receiver}.{constant.name}" if receiver in ("self", "cls") else ""
    return constant.name if constant.scope in one.scopes else ""


def _fits_in(before: Snippet, name: str, one: Literal) -> bool:
    """Whether a told name is known where a literal is, and is not what the literal is assigned to."""
    root = name.partition(".")[0]
    if re.match(rf"\s*{re.escape(name)}\s*(:[^=]*)?=(?!=)", before.lines[one.node.lineno - 1]):
        return False
    return root.isupper() or root in ("self", "cls") or any(_knows(scope, root, one.node) for scope in one.scopes)


def _knows(scope: Scope, root: str, node: ast.Constant) -> bool:
    given = isinstance(scope, Function) and root in {arg.arg for arg in parameters(scope)}
    used = (part.lineno for part in ast.walk(scope) if isinstance(part, ast.Name) and part.id == root)
    return (given and scope.body[0].lineno <= node.lineno) or any(line != node.lineno for line in used)
