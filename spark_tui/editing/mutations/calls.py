"""Calls put around an expression or taken off it, awaited or not, kept or not; their arguments."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_tui.editing.mutations.source import (
    DOING,
    ORDERS,
    RECEIVERS,
    Function,
    Lines,
    Source,
    Spot,
    called,
    dotted,
    given,
    indentation,
    is_number,
    is_text,
    read,
    stored,
)

Argument = ast.expr | ast.keyword
_WRAPPERS = frozenset("str int float len list tuple set dict bool sorted repr range enumerate".split())  # noqa: SIM905
_METHODS = frozenset("strip lower upper items keys values copy encode decode".split())  # noqa: SIM905
_UNARY = _METHODS | frozenset("""
read readline readlines close sort reverse clear pop popitem isdigit isalpha exists is_file is_dir resolve now utcnow
today cwd commit rollback start stop flush fetchone fetchall cursor acquire release is_alive is_set cancel done group
groups hexdigest digest getvalue tell get_event_loop monotonic result exception
""".split())  # noqa: SIM905  # fmt: skip
"""Methods and functions that are called without arguments, nearly always."""
_USUAL = {
    "pop": (0, "0"), "count": (0, "1"), "enumerate": (1, "1"), "getattr": (2, "None"), "next": (1, "None"),
    "split": (1, "1"), "get": (1, "None"),
}  # fmt: skip
"""Functions that often get one more: behind how many, and what."""
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)


def calls(source: Source) -> Iterator[Lines]:
    """One call more, less or kept."""
    none = {called(one.node) for one in source.spots if isinstance(one.node, ast.Call) and not one.node.args}
    for spot in source.spots:
        node = spot.node
        if not isinstance(node, ast.expr) or not (text := source.text(node)):
            continue
        if isinstance(node, (*_NAMED, ast.Call)):
            for word in _fitting(spot, node) if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) else ():
                wrapped = f"{text}.{word}()" if word in _METHODS else f"{word}({text})"
                yield from [source.put(node, wrapped)] if word not in (called(node), called(spot.parent)) else []
            if _lacks_parentheses(spot, none | _UNARY):
                yield source.put(node, f"{text}()")
        yield from _taken_off(source, spot)
        yield from _kept(source, spot)


def _fitting(spot: Spot, node: ast.expr) -> Iterator[str]:
    """The calls that the place of an expression suggests."""
    match spot.parent:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            other = right if left is node else left
            if is_text(other) and not is_text(node):
                yield from ("str", "lower", "strip")
            elif is_number(other) and not is_number(node):
                yield from ("len", "int", "float")
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over) if over is node:
            yield from ("items", "enumerate") if isinstance(target, ast.Tuple) else ("range", "list")
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, name, *_]) if name is node:
            yield "lower"
        case ast.Attribute(attr="startswith" | "endswith" | "split"):
            yield from ("lower", "strip")
        case ast.Assign() | ast.Return() if dotted(node) not in RECEIVERS:
            yield from ("copy", "list") if not isinstance(node, ast.Call) else ()
            yield from ("int", "strip") if called(node) in ("input", "readline", "read", "group") else ()


def _lacks_parentheses(spot: Spot, none: set[str] | frozenset[str]) -> bool:
    """Whether an expression is a name that may have to be called. Args: none: what is called without arguments."""
    parent, path = spot.parent, dotted(spot.node)
    if not path or path in RECEIVERS or (isinstance(parent, ast.Call) and parent.func is spot.node):
        return False
    whole = isinstance(parent, ast.Return | ast.Assign | ast.While | ast.If | ast.Expr | ast.UnaryOp)
    return isinstance(getattr(spot.node, "ctx", None), ast.Load) and (whole or path.rpartition(".")[2] in none)


def _taken_off(source: Source, spot: Spot) -> Iterator[Lines]:
    """Without a call: what it is around, or itself as a value."""
    match spot.node:
        case ast.Call(func=ast.Name(id=word), args=[inner], keywords=[]) if word in _WRAPPERS and source.text(inner):
            bare = _are_simple(inner) or isinstance(spot.parent, ast.stmt | ast.Call)
            yield source.put(spot.node, source.text(inner) if bare else f"({source.text(inner)})")
        case ast.Call(func=ast.Attribute(value=inner, attr=word), args=[], keywords=[]) if word in _METHODS:
            yield source.splice(source.end(inner), source.end(spot.node), "")
        case ast.Call(func=func, args=[], keywords=[]) if not isinstance(spot.parent, ast.Expr | ast.Await | ast.Raise):
            if called(spot.node) not in ("super", ""):
                yield source.put(spot.node, source.text(func))


def _kept(source: Source, spot: Spot) -> Iterator[Lines]:
    """`x = ` before a call that stands alone and could give x: `x.strip()`, `re.sub(a, b, x)`, `merged(x, y)`."""
    call = spot.node
    if not isinstance(spot.parent, ast.Expr) or not isinstance(call, ast.Call) or called(call) in DOING:
        return
    held = [*([call.func.value] if isinstance(call.func, ast.Attribute) else []), *call.args]
    for path in dict.fromkeys(filter(None, map(dotted, held))):
        if path not in RECEIVERS and path.islower():
            yield source.before(call, f"{path} = ")


def arguments(source: Source) -> Iterator[Lines]:
    """One argument more, less, passed by another name, or as many."""
    every = [spot for spot in source.spots if isinstance(spot.node, ast.Call)]
    for finder in (_more, _fewer):
        for node, _, function, _ in every:
            assert isinstance(node, ast.Call)
            yield from finder(source, node, function)


def _more(source: Source, call: ast.Call, function: Function | None) -> Iterator[Lines]:
    """With what nothing in the function reads, at either end; what is usual; the name meant; `*args` for `args`."""
    for keyword in call.keywords:
        row, column = source.start(keyword)
        for name in source.meant.get(keyword.arg or "", ()):
            yield source.splice((row, column), (row, column + len(keyword.arg or "")), name)
    count, text = _USUAL.get(called(call), (-1, ""))
    yield from _with(source, call, text, count) if len(call.args) == count and not call.keywords else ()
    if function is None:
        return
    spec, used = function.args, read(*function.body)
    marks = {one.arg: mark for mark, one in (("*", spec.vararg), ("**", spec.kwarg)) if one}
    own = [one for one in dict.fromkeys([*given(function), *stored(function)]) if not one.startswith("_")]
    for name in (one for one in own if one not in used):
        if name in marks:
            yield from _with(source, call, marks[name] + name, -1)
            continue
        yield from (lines for place in dict.fromkeys((len(call.args), 0)) for lines in _with(source, call, name, place))
        yield from _with(source, call, f"{name}={name}", -1) if call.args or call.keywords else ()
    for one in call.args:
        if isinstance(one, ast.Name) and one.id in marks:
            yield source.before(one, marks[one.id])


def _fewer(source: Source, call: ast.Call, _: Function | None) -> Iterator[Lines]:
    """Without one argument."""
    ordered = _ordered(call)
    for place, one in enumerate(ordered):
        if isinstance(one, ast.GeneratorExp):
            continue
        if place:
            yield source.splice(source.end(ordered[place - 1]), source.end(one), "")
        else:
            yield source.splice(source.start(one), source.start(ordered[1]) if ordered[1:] else source.end(one), "")


def _ordered(call: ast.Call) -> list[Argument]:
    return sorted([*call.args, *call.keywords], key=lambda one: (one.lineno, one.col_offset))


def _with(source: Source, call: ast.Call, text: str, place: int) -> Iterator[Lines]:
    """The call with one argument more at a place (-1: behind all); on a line of its own if the others are."""
    ordered = _ordered(call)
    if not ordered:
        row, end = source.end(call)
        if source.lines[row][:end].endswith("()"):
            yield source.splice((row, end - 1), (row, end - 1), text)
        return
    at_end = not 0 <= place < len(ordered)
    one = ordered[-1 if at_end else place]
    (row, start), (last, end) = source.start(one), source.end(one)
    own_line = not source.lines[row][:start].strip()
    if own_line and (not at_end or source.lines[last][end:].strip() == ","):
        yield source.insert(last + 1 if at_end else row, f"{indentation(source.lines[row])}{text},")
    elif not isinstance(one, ast.GeneratorExp):
        yield source.behind(one, f", {text}") if at_end else source.before(one, f"{text}, ")


def swapped(source: Source) -> Iterator[Lines]:
    """Two neighbours in each other's place: arguments, elements, parameters, operands."""
    for node, *_ in source.spots:
        match node:
            case ast.Call(func=func, args=args, keywords=keywords):
                owner = [func.value] if isinstance(func, ast.Attribute) and len(args) == 1 else []
                yield from _pairs(source, [*owner, *args])
                yield from _pairs(source, [one.value for one in keywords if one.arg])
            case ast.Tuple(elts=parts):
                yield from _pairs(source, parts)
            case ast.DictComp(key=key, value=value):
                yield from _pairs(source, [key, value])
            case ast.FunctionDef(args=spec) | ast.AsyncFunctionDef(args=spec):
                plain = spec.args[: len(spec.args) - len(spec.defaults)]
                yield from _pairs(source, [one for one in plain if one.arg not in RECEIVERS])
            case ast.BinOp(left=left, op=op, right=right) if (
                isinstance(op, _ONE_SIDED) or is_text(left) or is_text(right)
            ):
                yield from _pairs(source, [left, right]) if _are_simple(left, right) else ()
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, (*ORDERS, ast.In, ast.NotIn)):
                yield from _pairs(source, [left, right]) if _are_simple(left, right) else ()
            case ast.BoolOp(op=ast.Or(), values=[left, right]) if _are_simple(left, right):
                yield from _pairs(source, [left, right])
            case ast.IfExp(body=left, orelse=right):
                yield from _pairs(source, [left, right])


def _are_simple(*operands: ast.expr) -> bool:
    """Whether operands need no parentheses anywhere."""
    return all(isinstance(one, (*_NAMED, ast.Call, ast.Constant)) for one in operands)


def _pairs(source: Source, parts: Sequence[ast.expr | ast.arg]) -> Iterator[Lines]:
    """Each in the place of its neighbour, whatever stands between them, on one line or on two in a row."""
    for left, right in pairwise(parts):
        one, two = source.text(left), source.text(right)
        (row, end), (other, start) = source.end(left), source.start(right)
        if one and two and one != two and other - row <= 1 and not isinstance(left, ast.Starred | ast.GeneratorExp):
            apart = f"{source.lines[row][end:]}\n{source.lines[other][:start]}"
            glue = source.lines[row][end:start] if row == other else apart
            yield source.splice(source.start(left), source.end(right), two + glue + one)
