"""Calls of super without arguments."""

import ast
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import parameters, text_of, walk_scope
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.common.changes import Change, choices
from spark_tui.editing.snippet import Snippet

_SCOPED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class SuperCall(Codemod):
    """`super(C, self)` becomes `super()`; so does `Base` in `Base.method(self)` where the class has one base."""

    kind: ClassVar[str] = "super_call"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One call or all of them."""
        found = with_arguments(before)
        if "super(" in request.instruction and found:
            yield from choices(before, found, request)
        else:
            yield from choices(before, [*found, *_by_name(before)], request)


def supers(snippet: Snippet) -> Iterator[tuple[str | None, str, ast.Call]]:
    """Every call of super in a method: the class if the snippet shows it, the first parameter, the call."""
    if any("super(" in line for line in snippet.lines):
        for owner, receiver, node in _calls(snippet):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.keywords:
                yield owner.name if owner else None, receiver, node


def with_arguments(snippet: Snippet) -> list[Change]:
    """The calls of super whose arguments go without saying, told by the class they name."""
    found: list[Change] = []
    for owner, receiver, call in supers(snippet):
        match call.args:
            case [ast.Name(id=name), ast.Name(id=given)] if given == receiver and name == (owner or name):
                if text_of(snippet, call):
                    found.append(Change(call, "super()", (name,)))
            case [ast.Attribute(attr="__class__") | ast.Call(func=ast.Name(id="type")), ast.Name(id=given)]:
                if given == receiver and text_of(snippet, call):
                    found.append(Change(call, "super()"))
    return found


def _by_name(snippet: Snippet) -> Iterator[Change]:
    for owner, receiver, call in _calls(snippet):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=name), args=[ast.Name(id=given), *rest]) if (
                given == receiver and owner and [ast.unparse(one) for one in owner.bases] == [base]
            ):
                words = [text_of(snippet, one.value) and ast.unparse(one) for one in call.keywords]
                texts = [*(text_of(snippet, one) for one in rest), *words]
                if all(texts) and text_of(snippet, call):
                    yield Change(call, f"super().{name}({', '.join(texts)})", (base,))


def _calls(snippet: Snippet) -> Iterator[tuple[ast.ClassDef | None, str, ast.Call]]:
    classes = [node for node in snippet.nodes if isinstance(node, ast.ClassDef)]
    scopes: list[ast.Module | ast.ClassDef] = [snippet.tree, *classes]
    for scope in scopes:
        for method in scope.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and (given := parameters(method)):
                owner = scope if isinstance(scope, ast.ClassDef) else None
                nodes = list(walk_scope(method))
                inner = {id(part) for node in nodes if isinstance(node, _SCOPED) for part in ast.walk(node)}
                for node in nodes:
                    if isinstance(node, ast.Call) and id(node) not in inner:
                        yield owner, given[0].arg, node
