"""Which names some statements read before they set them, and which they set for certain."""

import ast
from collections.abc import Iterable, Iterator

from spark_tui.editing.code import Function, parameters, walk_scope

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Flow:
    """The flow of names through statements.

    `needed`: the names that may be read before they are set, in order. `set_for_certain`: those that have a value in
    the end, whatever way was taken; None when the end is never reached.
    """

    def __init__(self, statements: Iterable[ast.stmt]) -> None:
        self._needed: dict[str, None] = {}
        self.set_for_certain = self._block(statements, frozenset())

    @property
    def needed(self) -> tuple[str, ...]:
        """The names that may be read before they are set."""
        return tuple(self._needed)

    def _block(self, statements: Iterable[ast.stmt], known: frozenset[str] | None) -> frozenset[str] | None:
        for statement in statements:
            known = self._statement(statement, known if known is not None else frozenset())
            if isinstance(statement, ast.Raise | ast.Return | ast.Continue | ast.Break):
                return None
        return known

    def _statement(self, node: ast.stmt, known: frozenset[str]) -> frozenset[str] | None:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                known = self._read(test, known)
                return _common([self._block(body, known), self._block(orelse, known)])
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, known)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    known = self._read(item, known) | stored(item)
                return self._block(body, known)
            case ast.Try() | ast.TryStar():
                return self._try(node, known)
            case ast.Match():
                return self._match(node, known)
        return self._simple(node, known)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, known: frozenset[str]) -> frozenset[str]:
        known = self._read(node.test if isinstance(node, ast.While) else node.iter, known)
        inner = known if isinstance(node, ast.While) else self._read(node.target, known) | stored(node.target)
        self._block(node.body, inner)
        self._block(node.orelse, known)
        return known

    def _match(self, node: ast.Match, known: frozenset[str]) -> frozenset[str]:
        known = self._read(node.subject, known)
        for case in node.cases:
            inner = self._read(case.pattern, known) | stored(case.pattern)
            self._block(case.body, self._read(case.guard, inner) if case.guard else inner)
        return known

    def _simple(self, node: ast.stmt, known: frozenset[str]) -> frozenset[str]:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id not in known:
            self._needed[node.target.id] = None
        return self._read(node, known) | stored(node)

    def _try(self, node: ast.Try | ast.TryStar, known: frozenset[str]) -> frozenset[str] | None:
        ends = [self._block(node.orelse, self._block(node.body, known) or known)]
        for handler in node.handlers:
            if handler.type:
                self._read(handler.type, known)
            ends.append(self._block(handler.body, known | ({handler.name} if handler.name else set())))
        last = self._block(node.finalbody, known)
        common = _common(ends)
        return None if common is None or last is None else common | last

    def _read(self, node: ast.AST, known: frozenset[str]) -> frozenset[str]:
        """Take note of what an expression reads. Returns: what is known after it."""
        for name in _loads(node, frozenset()):
            if name not in known:
                self._needed.setdefault(name)
        walrus = (one.target.id for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
        return known | frozenset(walrus)


def _common(ends: list[frozenset[str] | None]) -> frozenset[str] | None:
    reached = [end for end in ends if end is not None]
    return frozenset.intersection(*reached) if reached else None


def _loads(node: ast.AST, bound: frozenset[str]) -> Iterator[str]:
    """The names an expression reads from around it, in order."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id
        return
    if isinstance(node, _COMPREHENSIONS):
        bound |= frozenset(name for part in node.generators for name in stored(part.target))
    elif isinstance(node, ast.Lambda):
        spec = node.args
        every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, (spec.vararg, spec.kwarg))]
        bound |= frozenset(one.arg for one in every)
    for child in ast.iter_child_nodes(node):
        yield from _loads(child, bound)


def stored(node: ast.AST) -> frozenset[str]:
    """The names that a node binds outside of comprehensions and inner scopes."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        match one:
            case ast.AnnAssign(value=None):
                continue
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add((other or name).partition(".")[0])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
                continue
        if not isinstance(one, (*_COMPREHENSIONS, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(one))
    return frozenset(found)


def local_names(function: Function) -> frozenset[str]:
    """The parameters and variables of a function, in no order."""
    own = frozenset(name for statement in function.body for name in stored(statement))
    shared = {
        name for node in walk_scope(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    return (own | {one.arg for one in parameters(function)}) - shared
