"""What a handler does that nobody told: go on, or give back what the function gives when there is nothing."""

import ast
from collections.abc import Iterator

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.statements import Place, dotted, is_generator

_EMPTY_CALLS = frozenset(["list", "dict", "set", "tuple", "str", "defaultdict", "OrderedDict", "Counter", "deque"])
_OF_TYPES = {
    "list": "[]", "List": "[]", "Sequence": "[]", "Iterable": "[]", "dict": "{}", "Dict": "{}", "Mapping": "{}",
    "set": "set()", "Set": "set()", "tuple": "()", "Tuple": "()", "int": "0", "float": "0.0", "bool": "False",
}  # fmt: skip
_OF_CALLS = {"list": "[]", "sorted": "[]", "dict": "{}", "set": "set()", "tuple": "()", "len": "0", "sum": "0"}
_ENDS = frozenset(["StopIteration", "EOFError"])


def usual_actions(place: Place, exception: str, empty: str) -> list[str]:
    """What the handler around a statement may do without being told, the likeliest first.

    Args: exception: what is caught. empty: the source of an empty string.
    """
    looping = ["break" if exception in _ENDS else "continue"] if place.in_loop else []
    if isinstance(place.node, ast.Expr | ast.Delete):
        ends = looping and place.node is place.block[-1]
        return looping if ends else [*looping, "pass"]
    return [*looping, *_returns(place, empty)][:2]


def _returns(place: Place, empty: str) -> list[str]:
    function = place.function
    if function is None:
        return []
    values = [one for one in code.walk_scope(function) if isinstance(one, ast.Return) and one.value]
    if is_generator(function) or not values:
        return ["return"]
    last = max(values, key=lambda one: one.lineno).value
    if isinstance(last, ast.Name) and _is_set_before(function, last.id, place):
        return [f"return {last.id}"]
    literal = _of_hint(function.returns, empty) or (last and _of_value(last, function, empty)) or "None"
    return list(dict.fromkeys([f"return {literal}", "return None"]))


def _is_set_before(function: Function, name: str, place: Place) -> bool:
    """Whether the function's own block sets the name to something empty before the place."""
    before = [node for node in function.body if (node.end_lineno or 0) <= place.first]
    return any(is_empty(value) for value in _values(before, name))


def _values(block: list[ast.stmt], name: str) -> Iterator[ast.expr]:
    for node in block:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                yield value


def is_empty(node: ast.expr) -> bool:
    """Whether an expression makes an empty value: [] {} "" 0 None set() ..."""
    match node:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Constant(value=value):
            return not value
        case ast.Call(func=func, args=args):
            name = (dotted(func) or "").rpartition(".")[2]
            return name in _EMPTY_CALLS and (not args or name == "defaultdict")
    return False


def _of_hint(hint: ast.expr | None, empty: str) -> str | None:
    """The empty value of a return annotation; None when it names no type that has one."""
    match hint:
        case ast.Constant(value=None) | ast.BinOp():
            return "None"
        case ast.Subscript(value=value):
            return "None" if (dotted(value) or "").endswith("Optional") else _of_hint(value, empty)
        case ast.Name() | ast.Attribute():
            name = (dotted(hint) or "").rpartition(".")[2]
            return empty if name == "str" else _OF_TYPES.get(name)
    return None


def _of_value(value: ast.expr, function: Function, empty: str, deep: bool = True) -> str | None:
    """The empty value of the same type as one that is returned."""
    found: str | None = None
    match value:
        case ast.Name(id=name) if deep:
            found = next((_of_value(one, function, empty, deep=False) for one in _values(function.body, name)), None)
        case ast.List() | ast.ListComp():
            found = "[]"
        case ast.Dict() | ast.DictComp():
            found = "{}"
        case ast.SetComp() | ast.Set():
            found = "set()"
        case ast.JoinedStr() | ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join" | "format")):
            found = empty
        case ast.Compare() | ast.Constant(value=bool()):
            found = "False"
        case ast.Call(func=ast.Name(id=name)):
            found = _OF_CALLS.get(name)
    return found
