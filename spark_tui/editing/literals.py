"""The literals of a snippet that could have a name, with what stands around them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from spark_tui.editing.code import Function, docstring_node, text_of
from spark_tui.editing.snippet import Snippet

Scope = Function | ast.ClassDef | ast.Module
_SELF = ("self", "cls")


@dataclass(frozen=True, slots=True)
class Around:
    """Where something stands: the scope whose body it is in, that scope's class, the name next to it ("" for none).

    `receiver` is the self or cls of the method around it, "" outside of methods.
    """

    scope: Scope
    owner: ast.ClassDef | None = None
    receiver: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a string, or a tuple, list, set or dict of such, on one line."""

    node: ast.expr
    source: str
    around: Around

    @property
    def key(self) -> str:
        """Equal for literals of equal value."""
        return ast.dump(self.node)


def literals(snippet: Snippet) -> list[Literal]:
    """Every literal that an expression uses; no docstring, no annotation, no pattern, nothing in an f-string.

    What a module or class assigns to a name has its name already.
    """
    return sorted(
        _walk(snippet, snippet.tree, Around(snippet.tree)), key=lambda one: (one.node.lineno, one.node.col_offset)
    )


def _walk(snippet: Snippet, node: ast.AST, around: Around) -> Iterator[Literal]:
    if isinstance(node, ast.expr) and is_literal(node):
        source = text_of(snippet, node)
        if source:
            yield Literal(node, source, around)
        if isinstance(node, ast.Constant | ast.UnaryOp):
            return
    for child, inner in _children(node, around):
        yield from _walk(snippet, child, inner)


def is_literal(node: ast.expr) -> bool:
    """Whether a node is a number, a string, or two and more of them in brackets."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float | complex | str | bytes) and not isinstance(value, bool)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=parts, ctx=ast.Load()) | ast.List(elts=parts, ctx=ast.Load()) | ast.Set(elts=parts):
            return len(parts) > 1 and all(map(is_literal, parts))
        case ast.Dict(keys=keys, values=parts):
            return len(parts) > 1 and all(key is not None and is_literal(key) for key in keys + parts)
    return False


def _children(node: ast.AST, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    plain = replace(around, hint="")
    match node:
        case ast.JoinedStr() | ast.MatchValue() | ast.Expr(value=ast.Constant()) | ast.MatchMapping():
            return
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _in_function(node, plain)
        case ast.Module() | ast.ClassDef():
            inner = Around(node, node if isinstance(node, ast.ClassDef) else None)
            yield from ((child, inner) for child in node.body if child is not docstring_node(node))
            outside = [] if isinstance(node, ast.Module) else [*node.decorator_list, *node.bases, *node.keywords]
            yield from ((child, plain) for child in outside)
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            if not _is_named(target, value, around):
                yield value, replace(around, hint=_name_of(target))
            yield target, plain
        case ast.AnnAssign():
            return
        case ast.keyword(arg=str(name), value=value):
            yield value, replace(around, hint=name)
        case ast.Compare(left=left, comparators=[right]):
            yield left, replace(around, hint=_name_of(right))
            yield right, replace(around, hint=_name_of(left))
        case _:
            yield from ((child, plain) for child in ast.iter_child_nodes(node))


def _in_function(function: Function, around: Around) -> Iterator[tuple[ast.AST, Around]]:
    """The decorators and defaults, then the body."""
    yield from ((one, around) for one in function.decorator_list)
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args]
    named = zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=True)
    for parameter, default in [*named, *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]:
        if default is not None:
            yield default, replace(around, hint=parameter.arg)
    first = next((one.arg for one in positional[:1]), "")
    receiver = around.receiver or (first if first in _SELF else "")
    inner = Around(function, around.owner, receiver)
    yield from ((child, inner) for child in function.body if child is not docstring_node(function))


def _is_named(target: ast.expr, value: ast.expr, around: Around) -> bool:
    constant = not isinstance(around.scope, Function) or (isinstance(target, ast.Name) and target.id.isupper())
    mutable = isinstance(value, ast.List | ast.Dict | ast.Set)
    return isinstance(target, ast.Name) and is_literal(value) and (constant or mutable)


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
