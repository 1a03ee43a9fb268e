"""Runs of statements that could be a function of their own, and what that function would take and give."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from spark_tui.editing.code import Function, body_after_docstring, parameters, statement_lines
from spark_tui.editing.dataflow import Flow, local_names, stored
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import inner_blocks

_LEAVING = (ast.Return, ast.Yield, ast.YieldFrom)
_BINDING = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ASYNC = (ast.Await, ast.AsyncFor, ast.AsyncWith)
_SEEING = ("locals", "vars", "eval", "exec", "__class__")
_MOST_PARAMETERS, _MOST_RETURNS = 6, 4


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring statements of a function with the loops and tries around them.

    `header`: what they are the body of, when they are all of it. `before`: the statements on the way to them. `headed`:
    the names that what is around them sets.
    """

    statements: tuple[ast.stmt, ...]
    function: Function
    owner: ast.ClassDef | None
    loops: tuple[ast.stmt, ...]
    tries: tuple[ast.Try | ast.TryStar, ...]
    header: ast.stmt | None = None
    before: tuple[ast.stmt, ...] = ()
    headed: frozenset[str] = frozenset()

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line, 0-based."""
        return statement_lines(self.statements[0])[0], statement_lines(self.statements[-1])[1]


def runs(snippet: Snippet) -> Iterator[Run]:
    """Every run of statements of a function, but not all of the function's."""
    for owner, function in _outermost(snippet.tree, None):
        yield from _runs_in(body_after_docstring(function), Run((), function, owner, (), ()))


def _outermost(node: ast.AST, owner: ast.ClassDef | None) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield owner, child
        elif isinstance(child, ast.stmt):
            yield from _outermost(child, child if isinstance(child, ast.ClassDef) else owner)


def _runs_in(block: Sequence[ast.stmt], around: Run) -> Iterator[Run]:
    """The runs of a block and of those within it. Args: around: what is the same for all of the block."""
    whole = len(block)
    for start in range(whole):
        base = replace(around, header=None, before=(*around.before, *block[:start]))
        for stop in range(start + 1, whole + 1):
            if stop - start < whole:
                yield replace(base, statements=tuple(block[start:stop]))
            elif around.header is not None:
                yield replace(base, statements=tuple(block), header=around.header)
    for index, node in enumerate(block):
        if not isinstance(node, Function | ast.ClassDef):
            inside = replace(around, before=(*around.before, *block[:index]), header=node)
            for inner in inner_blocks(node):
                yield from _runs_in(inner, _entered(inside, node, inner))


def _entered(around: Run, node: ast.stmt, block: Sequence[ast.stmt]) -> Run:
    """What is around a block of a statement."""
    match node:
        case ast.For() | ast.AsyncFor() if block is node.body:
            return replace(around, loops=(*around.loops, node), headed=around.headed | stored(node.target))
        case ast.While():
            return replace(around, loops=(*around.loops, node))
        case ast.With() | ast.AsyncWith():
            bound = frozenset(name for item in node.items for name in stored(item))
            return replace(around, headed=around.headed | bound)
        case ast.Try() | ast.TryStar():
            names = frozenset(one.name for one in node.handlers if one.name)
            tries = (*around.tries, node) if block is node.body else around.tries
            return replace(around, tries=tries, headed=around.headed | names)
        case ast.Match():
            return replace(around, headed=around.headed.union(*(stored(case.pattern) for case in node.cases)))
    return around


@dataclass(frozen=True, slots=True)
class Interface:
    """How the new function is called."""

    parameters: tuple[str, ...]
    returns: tuple[str, ...]
    receiver: str
    is_async: bool


def interface_of(run: Run) -> Interface | None:
    """What the statements need and give, or None where they cannot be moved."""
    receiver = _receiver(run)
    nodes = [node for statement in run.statements for node in ast.walk(statement)]
    if receiver is None or not _can_move(run.statements, nodes, receiver):
        return None
    names, flow = _facts(run.function).names, Flow(run.statements)
    needed = [name for name in flow.needed if name in names and name != receiver]
    own = frozenset(name for statement in run.statements for name in stored(statement))
    later = _read_elsewhere(run) | (set(needed) if run.loops else set())
    returns = sorted(own & later & names, key=lambda name: _first_line(run, name))
    unsure = [name for name in returns if name not in (flow.set_for_certain or ()) and name not in needed]
    given = [*needed, *unsure]
    before = _set_before(run)
    if not set(given) <= before or own - names or own & _read_when_it_fails(run):
        return None
    if len(given) > _MOST_PARAMETERS or len(returns) > _MOST_RETURNS:
        return None
    order = [one.arg for one in parameters(run.function)]
    given.sort(key=lambda name: order.index(name) if name in order else len(order))
    return Interface(tuple(given), tuple(returns), receiver, any(isinstance(node, _ASYNC) for node in nodes))


def _receiver(run: Run) -> str | None:
    """The self or cls of a method, "" in a plain function, None where a function beside it could not be called."""
    first = next((one.arg for one in parameters(run.function)), "")
    decorators = [one.id for one in run.function.decorator_list if isinstance(one, ast.Name)]
    if first == "self":
        return first
    if first == "cls" and "classmethod" in decorators:
        return first
    return "" if run.owner is None and "staticmethod" not in decorators and first not in ("cls", "mcs") else None


def _can_move(statements: Sequence[ast.stmt], nodes: Sequence[ast.AST], receiver: str) -> bool:
    """Whether nothing in the statements leaves them or depends on the function they are in."""
    if any(isinstance(node, (*_LEAVING, *_BINDING)) or _only_declares(node) for node in nodes):
        return False
    if any(isinstance(node, ast.Name) and node.id in _SEEING for node in nodes):
        return False
    if not receiver and any(isinstance(node, ast.Name) and node.id == "super" for node in nodes):
        return False
    sets = any(
        isinstance(node, ast.Name) and node.id == receiver and not isinstance(node.ctx, ast.Load) for node in nodes
    )
    return not sets and not any(_breaks_out(statement) for statement in statements)


def _only_declares(node: ast.AST) -> bool:
    """Whether a statement takes a name away, or says something of it without setting it."""
    match node:
        case ast.Delete(targets=targets):
            return any(isinstance(target, ast.Name) for target in targets)
        case ast.AnnAssign(value=None):
            return True
    return False


def _breaks_out(node: ast.stmt) -> bool:
    """Whether a break or continue in a statement is meant for a loop around it."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    inner = node.orelse if isinstance(node, _LOOPS) else [one for block in inner_blocks(node) for one in block]
    return any(map(_breaks_out, inner))


@dataclass(frozen=True, slots=True)
class _Facts:
    """The names that are a function's own, and where it reads which: (name, line)."""

    names: frozenset[str]
    reads: tuple[tuple[str, int], ...]


@lru_cache(maxsize=8)
def _facts(function: Function) -> _Facts:
    reads = []
    for node in ast.walk(function):
        match node:
            case ast.AugAssign(target=ast.Name(id=name)) | ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                reads.append((name, node.lineno))
    return _Facts(local_names(function), tuple(reads))


def _read_elsewhere(run: Run) -> set[str]:
    """The names that are read after the statements, or before them in a loop around them."""
    first, last = run.lines[0] + 1, run.lines[1] + 1
    around = run.loops[0].lineno if run.loops else last
    return {name for name, line in _facts(run.function).reads if line > last or around <= line < first}


def _read_when_it_fails(run: Run) -> set[str]:
    """The names that the handlers around the statements read, and what is done in the end."""
    spans = [(node.body[-1].end_lineno or 0, node.end_lineno or 0) for node in run.tries]
    return {name for name, line in _facts(run.function).reads if any(after < line <= end for after, end in spans)}


def _set_before(run: Run) -> frozenset[str]:
    """The names that surely have a value where the statements begin."""
    given = frozenset(one.arg for one in parameters(run.function))
    return given | run.headed | (Flow(run.before).set_for_certain or frozenset())


def _first_line(run: Run, name: str) -> tuple[int, int]:
    places = [
        (node.lineno, node.col_offset)
        for statement in run.statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return min(places, default=(0, 0))
