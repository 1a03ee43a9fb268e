"""What a function seems to have forgotten to set: a flag it looks at, a counter at its limit, a value it looks up."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FILLING = frozenset(["append", "add", "extend", "update", "insert", "appendleft", "setdefault", "put"])
_OPENING = frozenset(["open", "connect", "socket", "urlopen", "TemporaryFile", "NamedTemporaryFile", "fdopen", "popen"])
_STARTED = frozenset(["Thread", "Timer", "Process", "status", "Progress", "Live", "Observer", "Status"])
_Update = tuple[ast.stmt, str]


@dataclass(frozen=True, slots=True)
class _Body:
    """A function with its nodes, and what is set, filled (`name[]`) or changed in it."""

    function: Function
    nodes: list[ast.AST]
    stored: set[str]


def updates_missing(before: Snippet) -> Iterator[Ops]:
    """Each statement that may be missing, below the one that it follows."""
    for function in before.functions:
        nodes = list(walk_scope(function))
        body = _Body(function, nodes, _stored(nodes))
        for find in (_flags, _memos, _counters, _fillings, _emptied, _conditions, _resources):
            for node, line in find(body):
                if stands_alone(before, node):
                    first, last = statement_lines(node)
                    yield (Insert(last, (indentation(before.lines[first]) + line,)),)


def _stored(nodes: list[ast.AST]) -> set[str]:
    """What a function sets, fills or changes by a method."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                found.add(dotted(node) or "")
            case ast.Subscript(value=owner, ctx=ast.Store()):
                found.add(f"{dotted(owner)}[]")
            case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in _FILLING:
                found.add(f"{dotted(owner)}[]")
    return found


def _flags(of: _Body) -> Iterator[_Update]:
    """`if self.done: return` where nothing sets `self.done`."""
    for node in of.function.body[:3]:
        match node:
            case ast.If(
                test=ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() as flag), body=[ast.Return()], orelse=[]
            ):
                value = "False"
            case ast.If(test=ast.Attribute() as flag, body=[ast.Return() | ast.Raise()], orelse=[]):
                value = "True"
            case _:
                continue
        if (path := dotted(flag)) and path not in of.stored:
            yield node, f"{path} = {value}"
            yield of.function.body[-1], f"{path} = {value}"


def _memos(of: _Body) -> Iterator[_Update]:
    """`if key in cache: return cache[key]` where nothing is put into the cache."""
    last = of.function.body[-1]
    result = dotted(last.value) if isinstance(last, ast.Return) and last.value else None
    for node in of.function.body:
        match node:
            case ast.If(test=ast.Compare(left=key, ops=[ast.In()], comparators=[owner]), body=[ast.Return()]):
                path = dotted(owner)
                if path and f"{path}[]" not in of.stored and result and len(of.function.body) > 1:
                    yield of.function.body[-2], f"{path}[{ast.unparse(key)}] = {result}"


def _counters(of: _Body) -> Iterator[_Update]:
    """A counter that reaches its limit and stays there; one that is compared and never counts."""
    counted = {path for node in of.nodes if isinstance(node, ast.AugAssign) and (path := dotted(node.target))}
    for node in of.nodes:
        match node:
            case ast.If(test=ast.Compare(left=left, ops=[ast.Eq() | ast.GtE() | ast.Gt()])) if dotted(
                left
            ) in counted and dotted(left) not in _set_in(node.body):
                if not isinstance(node.body[-1], ast.Return | ast.Raise | ast.Break | ast.Continue):
                    yield node.body[-1], f"{dotted(left)} = 0"
            case ast.Compare(left=left, comparators=[right]):
                for one in (left, right):
                    path = dotted(one)
                    if path and path.startswith("self._") and path not in of.stored and _counts(path):
                        ends = isinstance(of.function.body[-1], ast.Return) and len(of.function.body) > 1
                        yield of.function.body[-2 if ends else -1], f"{path} += 1"


def _counts(path: str) -> bool:
    return any(word in path.lower() for word in ("count", "next", "index", "num", "tries", "retries", "pos", "seq"))


def _set_in(body: list[ast.stmt]) -> set[str | None]:
    every = [node for one in body for node in ast.walk(one)]
    return {
        dotted(node) for node in every if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def _fillings(of: _Body) -> Iterator[_Update]:
    """A collection that begins empty, is looked at and is never filled: with what each round of a loop is about."""
    for node in of.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
                method = "append"
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="set"), args=[])):
                method = "add"
            case _:
                continue
        if f"{name}[]" in of.stored:
            continue
        for loop in of.nodes:
            match loop:
                case ast.For(target=ast.Name(id=one), body=body) | ast.AsyncFor(target=ast.Name(id=one), body=body):
                    yield body[-1], f"{name}.{method}({one})"
                case ast.While(body=[ast.Assign(targets=[ast.Name(id=one)]) as first, *_]):
                    yield first, f"{name}.{method}({one})"


def _emptied(of: _Body) -> Iterator[_Update]:
    """A buffer that is used whole and kept: emptied below; a collection copied to be worked off: cleared."""
    buffers = {
        target.id: ast.unparse(node.value)
        for node in of.nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Dict | ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and ast.unparse(node.value) in ("[]", "{}", "''", "b''")
        if f"{target.id}[]" in of.stored
    }
    for node in of.nodes:
        match node:
            case ast.If(test=ast.Name(id=name), body=body) if name in buffers and name not in _set_in(body):
                using = [one for one in body if _reads(one, name)]
                yield from ((one, f"{name} = {buffers[name]}") for one in dict.fromkeys([*using[-1:], body[-1]]))
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id="tuple" | "list"), args=[owner])):
                if (path := dotted(owner)) and path.rpartition(".")[2].startswith("_"):
                    yield node, f"{path}.clear()"


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _conditions(of: _Body) -> Iterator[_Update]:
    """What a `while` looks at and does not change: set as it was before the loop."""
    for loop in of.nodes:
        if not isinstance(loop, ast.While) or any(isinstance(one, ast.Call) for one in ast.walk(loop.test)):
            continue
        changed = _set_in(loop.body)
        for name in {one.id for one in ast.walk(loop.test) if isinstance(one, ast.Name)}:
            for node in of.function.body:
                match node:
                    case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name not in changed:
                        if not isinstance(value, ast.Constant):
                            simple = [one for one in loop.body if not isinstance(one, ast.If)]
                            ends = dict.fromkeys([loop.body[-1], *simple[-1:]])
                            yield from ((one, f"{name} = {ast.unparse(value)}") for one in ends)


def _resources(of: _Body) -> Iterator[_Update]:
    """What is opened and never closed, made and never started."""
    for block in [of.function.body, *(one for node in of.nodes for one in _blocks(node))]:
        for at, node in enumerate(block):
            match node:
                case ast.Assign(targets=[target], value=ast.Call(func=made)) if path := dotted(target):
                    last = (dotted(made) or "").rpartition(".")[2]
                    if last in _OPENING and not _calls(block, path, "close"):
                        yield from ((one, f"{path}.close()") for one in _last_own(block[at + 1 :], path))
                    elif last in _STARTED and not _calls(block, path, "start"):
                        yield node, f"{path}.start()"


def _calls(block: list[ast.stmt], path: str, method: str = "") -> bool:
    """Whether a method of a value is called, or any of them."""
    return any(
        isinstance(node, ast.Attribute) and dotted(node.value) == path and (not method or node.attr == method)
        for one in block
        for node in ast.walk(one)
    )


def _last_own(block: list[ast.stmt], path: str) -> list[ast.stmt]:
    """The last statement that uses a value by one of its methods."""
    return [one for one in block if not isinstance(one, ast.Return) and _calls([one], path)][-1:]


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
