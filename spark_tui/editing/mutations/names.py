"""Every name, and every attribute, that could be another one of those that stand in the code or are taken for it."""

import ast
import builtins
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import Function, Position
from spark_tui.editing.mutations.alike import alike, attributes_alike, opposites, other_number
from spark_tui.editing.mutations.base import RECEIVERS, SCOPES, Lines, Source, Spot, dotted, stored

_BUILTINS = frozenset(dir(builtins))


def names(source: Source) -> Iterator[Lines]:
    """One use of a name changed, then one method that is called."""
    found = _Names(source)
    for spot in source.spots:
        node = spot.node
        if isinstance(node, ast.Name) and node.id not in RECEIVERS and source.text(node) == node.id:
            others = (*source.meant.get(node.id, ()), *found.others(spot, node))
            beside = _beside(spot.parent)
            yield from (source.put(node, one) for one in others if one not in beside | RECEIVERS | {node.id})
    yield from found.methods()


class _Names:
    """What a snippet names, by sort: constants, classes, functions, modules (whose attributes are read), others."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scopes = {one: self._values(one) for one in (None, *source.snippet.functions)}
        groups: dict[str, dict[str, None]] = {one: {} for one in ("constant", "class", "function", "module", "free")}
        for spot in source.spots:
            match spot.node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    groups["class" if name[0].isupper() else "function"][name] = None
                case ast.Name(id=name) if name not in RECEIVERS:
                    groups.get(self._sort(spot, name), {})[name] = None
        groups["module"] = {one: None for one in groups["module"] if one not in groups["free"]}
        self._groups = {sort: tuple(found) for sort, found in groups.items()}

    def others(self, spot: Spot, node: ast.Name) -> Sequence[str]:
        """The names that one may be meant for, of its sort."""
        sort, values = self._sort(spot, node.id), self._scopes[spot.function]
        if sort == "function":
            return (*alike(node.id), *self._groups["function"], *opposites(node.id))
        if sort == "value":
            near = alike(node.id) if node.id not in values else ()
            free = [one for one in (*values, *self._groups["free"]) if not one.strip("_").isupper()]
            return (*near, *dict.fromkeys(free if node.id in values else ()))
        if sort == "free":
            return (*alike(node.id), *values, *self._groups[sort])
        return (*alike(node.id), *self._groups[sort])

    def methods(self) -> Iterator[Lines]:
        """Another method called: what is alike, those of the same object, of any object."""
        calls = [spot.node for spot in self._source.spots if isinstance(spot.node, ast.Call)]
        called = [(one.func, self._source.text(one.func.value)) for one in calls if isinstance(one.func, ast.Attribute)]
        of_object: dict[str, dict[str, None]] = {}
        for method, owner in called:
            of_object.setdefault(owner, {})[method.attr] = None
        own = {one.name: None for one in self._source.snippet.functions}
        apart = {*self._groups["module"], *RECEIVERS}
        shared = {one: None for owner, found in of_object.items() if owner not in apart for one in found}
        for method, owner in called:
            beside = own if owner in RECEIVERS else {} if owner in apart else shared
            others = [*self._source.meant.get(method.attr, ()), *alike(method.attr), *of_object[owner], *beside]
            others += [*opposites(method.attr), *other_number(method.attr)]
            yield from _attributes(self._source, method, others)

    def _values(self, function: Function | None) -> tuple[str, ...]:
        """The variables of a function, then of those around it; of the module where there is none."""
        if function is None:
            body = self._source.snippet.tree.body
            return tuple(name for one in body if not isinstance(one, SCOPES) for name in stored(one))
        others = self._source.snippet.functions
        around = [one for one in others if one.lineno < function.lineno <= (one.end_lineno or 0)]
        return _variables([function, *reversed(around)])

    def _sort(self, spot: Spot, name: str) -> str:
        values = self._scopes[spot.function]
        bare = name.strip("_")
        if len(bare) > 1 and bare.isupper():
            return "constant"
        if bare[:1].isupper():
            return "class"
        if isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node and name not in values:
            return "function"
        if name in values or name in _BUILTINS:
            return "value"
        return "module" if isinstance(spot.parent, ast.Attribute) else "free"


def _variables(functions: Sequence[ast.AST]) -> tuple[str, ...]:
    """The parameters and variables of functions, in their order."""
    nodes = [node for function in functions for node in ast.walk(function)]
    args = [one.arg for one in nodes if isinstance(one, ast.arg)]
    errors = [one.name for one in nodes if isinstance(one, ast.ExceptHandler) and one.name]
    return tuple(dict.fromkeys([*args, *(name for one in functions for name in stored(one)), *errors]))


def _beside(parent: ast.AST) -> set[str]:
    """Names that make no sense here: `x = x`, `x == x`, `x - x`."""
    match parent:
        case (
            ast.Assign(targets=[ast.Name(id=one)], value=ast.Name(id=other))
            | ast.Compare(left=ast.Name(id=one), comparators=[ast.Name(id=other)])
            | ast.BinOp(left=ast.Name(id=one), right=ast.Name(id=other))
        ):
            return {one, other}
    return set()


def attributes(source: Source) -> Iterator[Lines]:
    """One attribute that is read or set changed: into what is alike, then into those beside."""
    uses = [(spot.node, spot) for spot in source.spots if isinstance(spot.node, ast.Attribute)]
    called = {id(spot.parent.func) for _, spot in uses if isinstance(spot.parent, ast.Call)}
    of_object: dict[tuple[bool, str], dict[str, None]] = {}
    for node, _ in uses:
        for owner in (source.text(node.value), str(dotted(node.value) in RECEIVERS)):
            of_object.setdefault((id(node) in called, owner), {})[node.attr] = None
    for node, _ in uses:
        if id(node) in called:
            continue
        owner = source.text(node.value)
        others = [*source.meant.get(node.attr, ()), *attributes_alike(node.attr), *opposites(node.attr)]
        others += [*other_number(node.attr), *of_object[False, owner], *of_object[False, str(owner in RECEIVERS)]]
        yield from _attributes(source, node, [one for one in others if one != owner])


def _attributes(source: Source, node: ast.Attribute, others: Sequence[str]) -> Iterator[Lines]:
    place = _attribute_place(source, node)
    for one in dict.fromkeys(others):
        if place and one != node.attr and one.startswith("__") == node.attr.startswith("__"):
            yield source.splice(*place, one)


def _attribute_place(source: Source, node: ast.Attribute) -> tuple[Position, Position] | None:
    """Where the attribute's own name stands."""
    row, end = source.end(node)
    start = end - len(node.attr)
    return ((row, start), (row, end)) if source.lines[row][start - 1 : end] == f".{node.attr}" else None
