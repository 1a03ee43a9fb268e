"""Every name, attribute, method and literal that could be another one, and every name that lacks its `self.`."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.mutations.source import RECEIVERS, Function, Lines, Source, Spot, parameters, stored

_BUILTINS = frozenset(dir(builtins))
_TWO_SIDED = (ast.Assign, ast.Compare, ast.BinOp)
"""In which the same name on both sides makes no sense."""
_FIRST_VALUES = ("0", "None", "[]", "{}", '""', "1", "set()", "False", "True")
_FLAGS = {"True": ("False",), "False": ("True",), "None": ("True", "False")}
_NUMBER = re.compile(r"-?\d[\w.]*")
_STRING = re.compile(r"""(['"])([^'"\\\n ]{0,30})\1""")


def names(source: Source) -> Iterator[Lines]:
    """One use of a name changed into another of its sort: a constant, a class, what is called, a module, a value."""
    scopes = {one: _bound(source, one) for one in (None, *source.snippet.functions)}
    uses: list[tuple[Spot, str, str]] = []
    groups: dict[str, dict[str, None]] = {}
    for spot in source.spots:
        match spot.node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                groups.setdefault("class" if name[0].isupper() else "function", {})[name] = None
            case ast.Name(id=name) if name not in RECEIVERS:
                sort = _sort(spot, name, scopes[spot.function])
                groups.setdefault(sort, {})[name] = None
                uses.append((spot, name, sort))
    for spot, name, sort in uses:
        values = scopes[spot.function] if sort in ("value", "free") else ()
        beside = [*values, *groups.get("free" if values else sort, ())]
        own = ast.iter_child_nodes(spot.parent) if isinstance(spot.parent, _TWO_SIDED) else ()
        wrong = {one.id for one in own if isinstance(one, ast.Name)} | RECEIVERS | {name}
        others = dict.fromkeys([*source.meant.get(name, ()), *beside])
        if isinstance(spot.node, ast.Name) and source.text(spot.node) == name:
            yield from (source.put(spot.node, one) for one in others if one not in wrong)


def _bound(source: Source, function: Function | None) -> tuple[str, ...]:
    """The parameters and variables of a function, then of those around it; of the module where there is none."""
    if function is None:
        scopes = (Function, ast.ClassDef)
        return tuple(name for one in source.snippet.tree.body if not isinstance(one, scopes) for name in stored(one))
    others = source.snippet.functions
    around = [one for one in others if one.lineno < function.lineno <= (one.end_lineno or 0)]
    return tuple(dict.fromkeys(name for one in (function, *reversed(around)) for name in _variables(one)))


def _variables(function: Function) -> Iterator[str]:
    yield from (one.arg for one in parameters(function))
    yield from stored(function)
    for node in ast.walk(function):
        match node:
            case ast.ExceptHandler(name=str() as name) | ast.arg(arg=name):
                yield name


def _sort(spot: Spot, name: str, values: Sequence[str]) -> str:
    bare = name.strip("_")
    if bare[:1].isupper():
        return "constant" if len(bare) > 1 and bare.isupper() else "class"
    if name in values:
        return "value"
    if isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node:
        return "function"
    return "builtin" if name in _BUILTINS else "module" if isinstance(spot.parent, ast.Attribute) else "free"


def attributes(source: Source) -> Iterator[Lines]:
    """One attribute or method changed: into what it is taken for, then into those beside of the same object."""
    called = {id(one.node.func) for one in source.spots if isinstance(one.node, ast.Call)}
    uses = [(one.node, source.text(one.node.value)) for one in source.spots if isinstance(one.node, ast.Attribute)]
    of_object: dict[tuple[bool, str], dict[str, None]] = {}
    for node, owner in uses:
        of_object.setdefault((id(node) in called, owner), {})[node.attr] = None
    own = [one.name for one in source.snippet.functions]
    for node, owner in uses:
        (row, end), beside = source.end(node), [*of_object[id(node) in called, owner]]
        beside += own if id(node) in called and owner in RECEIVERS else []
        place = (row, end - len(node.attr)), (row, end)
        for one in dict.fromkeys([*source.meant.get(node.attr, ()), *beside]):
            if one not in (node.attr, owner) and one.startswith("__") == node.attr.startswith("__"):
                yield source.splice(*place, one)


def literals(source: Source) -> Iterator[Lines]:
    """One literal changed: a number near it, the other flag, a string beside, another first value."""
    found = list(_literals(source))
    texts = list(dict.fromkeys(text for _, text, _ in found))
    for node, text, whole in found:
        for other in dict.fromkeys(_other_literals(source, text, texts, whole=whole)):
            yield from [source.put(node, other)] if other != text else []


def _literals(source: Source) -> Iterator[tuple[ast.expr, str, bool]]:
    """The literals on one line, a minus with its number; and whether each is all that something is set to."""
    negated: set[int] = set()
    for node, parent, *_ in source.spots:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                negated.add(id(inner))
                yield node, source.text(node), False
            case ast.Constant() | ast.List() | ast.Dict() | ast.Call() if id(node) not in negated:
                whole, text = isinstance(parent, ast.Assign | ast.AnnAssign), source.text(node)
                literal = isinstance(node, ast.Constant) or (whole and text in _FIRST_VALUES)
                yield from [(node, text, whole)] if literal and text else []


def _other_literals(source: Source, text: str, texts: list[str], *, whole: bool) -> Iterator[str]:
    """What may be meant instead of one literal, the likeliest first. Args: texts: all literals."""
    if text[:1] in ("'", '"'):
        yield from (text[0] + one + text[0] for one in source.meant.get(text[1:-1], ()))
    if whole and text in (*_FIRST_VALUES, "''"):
        yield from _FIRST_VALUES
    elif text in _FLAGS:
        yield from _FLAGS[text]
    elif _NUMBER.fullmatch(text):
        yield from _numbers(text)
        yield from (one for one in texts if _NUMBER.fullmatch(one))
    elif found := _STRING.fullmatch(text):
        beside = [one[1:-1] for one in texts if _STRING.fullmatch(one) and one[1:2].isalnum() == text[1:2].isalnum()]
        yield from (f"{found[1]}{one}{found[1]}" for one in beside)


def _numbers(text: str) -> Iterator[str]:
    """The numbers near a small one, and the same one with a minus."""
    if re.fullmatch(r"\d{1,2}(?:\.0)?", text):
        value, rest = int(float(text)), ".0" * ("." in text)
        yield from (f"{value + by}{rest}" for by in (-1, 1, 2, -2) if value + by >= -1)
    yield text[1:] if text.startswith("-") else f"-{text}"
