"""The statements of a snippet: where they stand, what they are called, and how text is put in their place."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spark_tui.editing import code
from spark_tui.editing.code import Function, indentation
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match, *SCOPES)


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that has its lines to itself. `first` and `last` are 0-based; decorators count."""

    node: ast.stmt
    block: Sequence[ast.stmt]
    index: int
    function: Function | None
    in_loop: bool
    first: int
    last: int
    indent: str


def places(snippet: Snippet) -> list[Place]:
    """Every statement that shares no line with another one, in source order."""
    return [place for place in _walk(snippet, snippet.tree.body, None, False) if _alone(snippet, place)]


def _walk(snippet: Snippet, block: Sequence[ast.stmt], function: Function | None, loop: bool) -> Iterator[Place]:
    for index, node in enumerate(block):
        first, last = code.statement_lines(node)
        yield Place(node, block, index, function, loop, first, last, indentation(snippet.lines[first]))
        inner = function if not isinstance(node, SCOPES) else node if isinstance(node, Function) else None
        in_loop = isinstance(node, ast.For | ast.AsyncFor | ast.While) or (loop and not isinstance(node, SCOPES))
        for child in inner_blocks(node):
            yield from _walk(snippet, child, inner, in_loop)


def inner_blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists directly within a statement."""
    found = [getattr(node, name) for name in ("body", "orelse", "finalbody") if getattr(node, name, None)]
    found += [handler.body for handler in getattr(node, "handlers", ())]
    return found + [case.body for case in getattr(node, "cases", ())]


def _alone(snippet: Snippet, place: Place) -> bool:
    elif_branch = isinstance(place.node, ast.If) and snippet.lines[place.first].lstrip().startswith("elif")
    return not elif_branch and code.stands_alone(snippet, place.node)


def nodes_until(node: ast.AST, last: int) -> Iterator[ast.AST]:
    """The nodes of a statement, as far as the line `last` (1-based); all of a loop that begins before it."""
    if getattr(node, "lineno", 0) > last:
        return
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        last = node.end_lineno or last
    yield node
    for child in ast.iter_child_nodes(node):
        yield from nodes_until(child, last)


def is_changed(node: ast.Name) -> bool:
    """Whether a name is set or deleted where it stands."""
    return not isinstance(node.ctx, ast.Load)


def has_tail(snippet: Snippet, place: Place) -> bool:
    """Whether a comment follows the statement on its last line."""
    return bool(snippet.lines[place.last][code.end_of(snippet, place.node)[1] :].strip())


def movable(node: ast.stmt) -> bool:
    """Whether the statement's lines can be moved sideways without changing a string in them."""
    return not any(
        isinstance(part, ast.JoinedStr | ast.Constant) and part.lineno != part.end_lineno for part in ast.walk(node)
    )


def top_of(snippet: Snippet, function: Function) -> tuple[int, str] | None:
    """Where a new first statement goes: after which 0-based line, and its indentation.

    That is after the docstring and the blank lines that follow it. None for stubs and one-liners.
    """
    rest = code.body_after_docstring(function)
    docstring = code.docstring_node(function)
    header = None if docstring else code.header(snippet, function)
    if not rest or is_stub(rest) or not (docstring or header):
        return None
    after = code.statement_lines(docstring)[1] if docstring else header.colon[0] if header else 0
    first = code.statement_lines(rest[0])[0]
    if first <= after or (docstring and not code.stands_alone(snippet, docstring)):
        return None
    while not snippet.lines[after + 1].strip():
        after += 1
    return after, indentation(snippet.lines[first])


def is_generator(function: Function) -> bool:
    """Whether the function yields."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in code.walk_scope(function))


def argument_names(function: Function) -> tuple[str, ...]:
    """The names of the parameters, without self or cls."""
    return tuple(arg.arg for arg in code.parameters(function) if not code.is_receiver(function, arg))


def is_string(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant, such as a docstring or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_stub(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing: pass, ... or raise NotImplementedError."""
    match body:
        case [ast.Pass()] | [ast.Expr(value=ast.Constant())]:
            return True
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of names, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return None


def names_of(place: Place) -> Iterator[tuple[str, str]]:
    """What a statement may be called: (sort, name) pairs."""
    node = place.node
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) if name := dotted(target):
            yield "assign", name
        case ast.AugAssign(target=target) if name := dotted(target):
            yield "update", name
        case ast.Return() | ast.Raise() | ast.Assert() | ast.If() | ast.Try():
            yield type(node).__name__.lower(), ""
        case ast.With() | ast.AsyncWith():
            yield "with", ""
        case ast.For() | ast.AsyncFor() | ast.While():
            yield "loop", ""
            yield "while" if isinstance(node, ast.While) else "for", ""
    for call in calls_of(node):
        if name := dotted(call.func):
            yield "call", name
            if "." in name:
                yield "call", name.rpartition(".")[2]


def calls_of(node: ast.stmt) -> Iterator[ast.Call]:
    """The calls in a statement, without those in its inner blocks."""
    parts: Iterable[ast.AST] = (node,)
    if isinstance(node, COMPOUND):
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr | ast.withitem)]
    for part in parts:
        yield from (call for call in ast.walk(part) if isinstance(call, ast.Call))


def spliced(snippet: Snippet, changes: Iterable[tuple[ast.expr, str]]) -> list[str]:
    """The lines after each node's source became its text. Nodes must not overlap, nor lie within f-strings."""
    lines = list(snippet.lines)
    for node, text in sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset), reverse=True):
        lines = code.splice(lines, code.start_of(snippet, node), code.end_of(snippet, node), text)
    return lines


def fitted(snippet: Snippet, changes: Sequence[tuple[ast.expr, str]]) -> list[str]:
    """As `spliced`, but in parentheses where a text would else be read otherwise than by itself; [] where it cannot be.

    Args: changes: texts that are expressions.
    """
    bare = spliced(snippet, changes)
    if _reads_as(snippet, changes, bare):
        return bare
    held = spliced(snippet, [(node, f"({text})") for node, text in changes])
    return held if _reads_as(snippet, changes, held) else []


def _reads_as(snippet: Snippet, changes: Sequence[tuple[ast.expr, str]], lines: Sequence[str]) -> bool:
    """Whether lines are the tree of a snippet with other nodes at some places, and nothing else."""
    new = {id(node): parse(text, mode="eval").body for node, text in changes}
    try:
        return _shape(Snippet(tuple(lines)).tree, {}) == _shape(snippet.tree, new)
    except (SyntaxError, ValueError):
        return False


def _shape(node: ast.AST, new: Mapping[int, ast.AST]) -> tuple[object, ...]:
    """What a tree is without its places. Args: new: the nodes that stand for others, by the ids of those."""
    node = new.get(id(node), node)
    parts = (one for field in node._fields if field != "ctx" for one in _several(getattr(node, field, None)))
    return type(node), *(_shape(one, new) if isinstance(one, ast.AST) else (type(one), one) for one in parts)


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def outside_fstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those within f-strings, whose positions cannot be relied on."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.JoinedStr):
            waiting.extend(ast.iter_child_nodes(node))


def quote(snippet: Snippet, text: str) -> str:
    """A string literal with the quotes the snippet uses more; double ones when it uses none."""
    joined = "\n".join(snippet.lines)
    mark = "'" if joined.count("'") > joined.count('"') else '"'
    mark = {"'": '"', '"': "'"}[mark] if mark in text else mark
    return f"{mark}{text}{mark}"
