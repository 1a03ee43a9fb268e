"""Parameters that are called otherwise after an edit, and the calls that pass them by name."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Parameter = tuple[str, str, str]
"""A function, or the class whose constructor it is, with the old name of a parameter and the new one."""


def parameters(function: Function) -> list[ast.arg]:
    """Every parameter in source order, `*args` and `**kwargs` included."""
    spec = function.args
    varied, named = filter(None, [spec.vararg]), filter(None, [spec.kwarg])
    return [*spec.posonlyargs, *spec.args, *varied, *spec.kwonlyargs, *named]


def renamed_parameters(before: ast.AST, after: ast.AST) -> Iterator[Parameter]:
    """The parameters that are called otherwise, of functions that keep name and number of these."""
    had, has = (list(_functions(tree)) for tree in (before, after))
    counts = Counter(name for name, _ in had)
    for (name, old), (same, new) in zip(had, has, strict=False):
        pairs = list(zip(parameters(old), parameters(new), strict=False))
        if name == same and counts[name] == 1 and len(parameters(old)) == len(parameters(new)):
            yield from ((name, one.arg, other.arg) for one, other in pairs if one.arg != other.arg)


def passed_by_name(tree: ast.AST, known: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ast.keyword]]:
    """Where calls pass by name what is a parameter of functions told. Args: known: functions and parameters."""
    for node in ast.walk(tree):
        called = _called(node)
        for argument in node.keywords if isinstance(node, ast.Call) and called else ():
            if (called, argument.arg) in known:
                yield called, argument


def _functions(tree: ast.AST) -> Iterator[tuple[str, Function]]:
    """The functions with the names by which they are called."""
    own = {id(one): node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (own[id(node)] if node.name == "__init__" and id(node) in own else node.name), node


def _called(call: ast.AST) -> str:
    """What a call calls, where that can be told: by its name, of this object, or put off by `partial`."""
    match call:
        case ast.Call(func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=[ast.Name(id=name), *_]):
            return name
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)):
            return name
    return ""
