"""The names that an expression suggests for a variable that holds it."""

import ast
import keyword
from collections.abc import Iterator

_VERBS = frozenset("get fetch load find read make build create compute calculate parse to is as".split())  # noqa: SIM905
_DONE = {
    "lower": "lowered", "upper": "uppered", "strip": "stripped", "split": "parts", "encode": "encoded",
    "decode": "decoded", "join": "joined", "sorted": "ordered", "format": "formatted", "b64encode": "encoded",
    "items": "items", "time": "now", "now": "now", "monotonic": "now", "len": "n", "group": "value",
    "strftime": "stamp",
}  # fmt: skip


def names_derived(node: ast.expr) -> list[str]:
    """The names for an expression, the likeliest first: `user_id`, `name_lower`, `abs_seconds`, `size`."""
    found = [name.lower().strip("_") for name in _names(node)]
    return [one for one in dict.fromkeys(found) if one.isidentifier() and not keyword.iskeyword(one)]


def _names(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Attribute(value=value, attr=attr):
            yield attr
            yield f"{_last(value)}_{attr}"
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            yield key
            yield f"{_last(value)}_{key}"
        case ast.Subscript(value=value):
            last = _last(value)
            yield last[:-1] if last.endswith("s") else "value"
            yield "entry"
        case ast.Call():
            yield from _of_call(node)
        case ast.Await(value=value) | ast.UnaryOp(operand=value):
            yield from _names(value)
        case ast.Compare(left=left) | ast.BoolOp(values=[left, *_]):
            yield f"is_{_last(left)}"


def _of_call(node: ast.Call) -> Iterator[str]:
    """What a function gives, by its own name and by what it is given."""
    called = _last(node.func)
    first, _, rest = called.partition("_")
    if rest and first in _VERBS:
        yield rest
    elif isinstance(node.func, ast.Attribute) and not node.args:
        yield f"{_last(node.func.value)}_{called}"
    for given in node.args[:1]:
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield given.value
        elif last := _last(given):
            yield f"{called}_{last}"
    for ending in ("_for", "_of", "_from", "_by", "_with"):
        if called.endswith(ending):
            yield called.removesuffix(ending)
    if called == "len":
        yield f"{_last(node.args[0])}_len" if node.args else "length"
    yield _DONE.get(called, called)


def _last(node: ast.expr) -> str:
    """The last name of an expression, or ""."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=value) | ast.Subscript(value=value):
            return _last(value)
    return ""
