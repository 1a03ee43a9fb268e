"""What could lack, or have too much of, an `await`, an `async`, a `self.` or the parameter `self`."""

import ast
import builtins
import re
import symtable
import sys
import textwrap
from collections.abc import Iterator

from spark_tui.editing.code import Function, Position, parameters, splice
from spark_tui.editing.mutations.base import RECEIVERS, Lines, Source, Spot, called, dotted, read, stored

_PLAIN = frozenset("""
append extend items keys values strip lstrip rstrip split rsplit splitlines join format lower upper title startswith
endswith encode decode info debug warning error exception critical log add discard setdefault isoformat total_seconds
create_task ensure_future run_coroutine_threadsafe call_soon call_later get_event_loop get_running_loop super partial
deepcopy copy getLogger field cast strftime as_completed iscoroutinefunction iscoroutine remove_done_callback
add_done_callback
""".split())  # noqa: SIM905  # fmt: skip
"""What is never waited for."""
_TAKING = frozenset("""
create_task ensure_future gather wait wait_for shield run run_until_complete run_coroutine_threadsafe Task timeout
iscoroutine start_soon as_completed add_task
""".split())  # noqa: SIM905  # fmt: skip
"""What is handed calls that it waits for itself."""
_UNAWAITED = (ast.Await, ast.Raise, ast.withitem, ast.GeneratorExp, ast.Starred, Function, ast.arguments, ast.Lambda)
_FAMILIAR = (
    frozenset(dir(builtins))
    | sys.stdlib_module_names
    | {"np", "pd", "plt", "tf", "logger", "log", "torch", "_", "requests", "yaml", "six"}
)
_OF_CLASSES = ("__new__", "__init_subclass__", "__class_getitem__")


def awaits(source: Source) -> Iterator[Lines]:
    """In a coroutine, a call awaited, a loop or a with made async, an await taken away."""
    for spot in source.spots:
        if isinstance(spot.function, ast.AsyncFunctionDef):
            yield from _awaited(source, spot)


def _awaited(source: Source, spot: Spot) -> Iterator[Lines]:
    binds = _binds(spot)
    match spot.node:
        case ast.Call(func=func) if _may_be_awaited(spot):
            plain = _PLAIN | (_FAMILIAR if isinstance(func, ast.Name) else frozenset())
            name = called(spot.node)
            if name not in plain and name[:1].islower() | name.startswith("_") and not name.startswith("__"):
                text = source.text(spot.node)
                yield source.put(spot.node, f"(await {text})") if binds and text else source.before(spot.node, "await ")
        case ast.Await(value=value):
            start, inner, end = source.start(spot.node), source.start(value), source.end(spot.node)
            held = source.lines[start[0]][: start[1]].endswith("(") and source.lines[end[0]][end[1] :].startswith(")")
            if not binds:
                yield source.splice(start, inner, "")
            elif held and source.text(value):
                yield source.splice((start[0], start[1] - 1), (end[0], end[1] + 1), source.text(value))
        case ast.For() | ast.With():
            yield source.before(spot.node, "async ")


def _may_be_awaited(spot: Spot) -> bool:
    return not isinstance(spot.parent, _UNAWAITED) and called(spot.parent) not in _TAKING


def _binds(spot: Spot) -> bool:
    """Whether what an expression stands in binds tighter than an await."""
    match spot.parent:
        case ast.Attribute(value=held) | ast.Subscript(value=held) | ast.Call(func=held):
            return held is spot.node
    return False


def selves(source: Source) -> Iterator[Lines]:
    """A name that nothing defines as an attribute of the object, known ones first; a method given its parameter."""
    owned = [one for one in source.snippet.nodes if isinstance(one, ast.ClassDef)]
    methods = [one for owner in owned for one in owner.body if isinstance(one, Function)]
    methods += [one for one in source.snippet.tree.body if isinstance(one, Function)]
    known = _known_attributes(source, owned)
    lacking = [(name, one, places) for one in methods for name, places in _bare_names(source, one).items()]
    lacking.sort(key=lambda one: one[0] not in known)
    for name, one, places in lacking:
        if name in known or not (name in _FAMILIAR or name[0].isupper() or name.startswith("__")):
            lines = list(source.lines)
            for place in sorted(places, reverse=True):
                lines = splice(lines, place, place, f"{_receiver(one)}.")
            yield lines
    loose = bool(source.snippet.margin)
    for one in methods:
        decorators = {dotted(each) for each in one.decorator_list}
        inside = loose or one not in source.snippet.tree.body or "self" in {*_loaded(one)}
        if inside and not _receiver(one) and "staticmethod" not in decorators:
            yield from _with_receiver(source, one, "cls" if "classmethod" in decorators else "self")


def _receiver(function: Function) -> str:
    first = parameters(function)[:1]
    return first[0].arg if first and first[0].arg in RECEIVERS else ""


def _known_attributes(source: Source, classes: list[ast.ClassDef]) -> set[str]:
    """What the snippet finds on self or cls, and what its classes define."""
    uses = (one for one in source.snippet.nodes if isinstance(one, ast.Attribute))
    names = {one.attr for one in uses if dotted(one.value) in RECEIVERS}
    members = [member for owner in classes for member in owner.body]
    names |= {one.name for one in members if isinstance(one, Function)}
    return names | {name for one in members if isinstance(one, ast.Assign | ast.AnnAssign) for name in stored(one)}


def _bare_names(source: Source, method: Function) -> dict[str, list[Position]]:
    """Names that nothing defines for a method, and those that it sets but never reads; with all their places."""
    if not _receiver(method):
        return {}
    inside = set(map(id, ast.walk(ast.Module(method.body, []))))
    hidden = {name for one in ast.walk(method) if isinstance(one, ast.JoinedStr) for name in _loaded(one)}
    free = _free(source, method) - hidden
    found: dict[str, list[Position]] = {}
    for node, *_ in source.spots:
        if isinstance(node, ast.Name) and id(node) in inside and node.id in free:
            found.setdefault(node.id, []).append(source.start(node))
    for statement in method.body:
        for target in stored(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
            begins = source.lines[statement.lineno - 1].lstrip().startswith(target)
            if begins and (target in read(statement) or target not in _loaded(method)):
                found.setdefault(target, [source.start(statement)])
    return found


def _free(source: Source, method: Function) -> set[str]:
    """The names that a method reads and that neither it nor the rest of the snippet defines, nor Python."""
    try:
        waiting = [symtable.symtable(textwrap.dedent("\n".join(source.lines)), "", "exec")]
    except SyntaxError:  # what stands outside of a function here may stand in one in its file
        return set()
    defined = {one.get_name() for one in waiting[0].get_symbols() if one.is_assigned() or one.is_imported()}
    found: set[str] = set()
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        if method.lineno <= table.get_lineno() <= (method.end_lineno or 0):
            found |= {one.get_name() for one in table.get_symbols() if one.is_global()}
    return found - defined - set(dir(builtins))


def _loaded(node: ast.AST) -> list[str]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return [one.id for one in names if isinstance(one.ctx, ast.Load)]


def _with_receiver(source: Source, function: Function, name: str) -> Iterator[Lines]:
    """The parameter put in, where the signature begins on the line of its `def`."""
    row = function.lineno - 1
    if head := re.match(rf"\s*(?:async\s+)?def\s+{function.name}\s*\((?=\S)", source.lines[row]):
        name = "cls" if function.name in _OF_CLASSES else name
        place = (row, head.end())
        yield source.splice(place, place, name + ", " * bool(parameters(function)))
