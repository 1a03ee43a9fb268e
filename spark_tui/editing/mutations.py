"""Small changes of code, each likely to mend a mistake.

Every name, attribute, method and literal that could be another one, and every name that lacks its
`self.`.

Operators, bounds and conditions: every sign that could be another one, every bound one off, every
test negated.

Two neighbours in each other's place: arguments, elements, parameters, operands.

A value that stands for nothing returned, and a return where a block ends without one.

The small changes of a piece of code, each of which could be the fix of a bug: a search tries them
with a command.

`of` lists them by looking at the code alone; no words of a user come in here.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise, zip_longest
from typing import NamedTuple

from spark_tui.editing.mutation_source import (
    DOING,
    LEAVING,
    ORDERS,
    RECEIVERS,
    Function,
    Lines,
    MutableSnippet,
    NodeContext,
    Snippet,
    called,
    dotted,
    given,
    is_text,
    parameters,
    read,
    stored,
)

_BUILTINS = frozenset(dir(builtins))
_TWO_SIDED = (ast.Assign, ast.Compare, ast.BinOp)
"""In which the same name on both sides makes no sense."""
_FIRST_VALUES = ("0", "None", "[]", "{}", '""', "1", "set()", "False", "True")
_FLAGS = {"True": ("False",), "False": ("True",), "None": ("True", "False")}
_NUMBER = re.compile(r"-?\d[\w.]*")
_STRING = re.compile(r"""(['"])([^'"\\\n ]{0,30})\1""")


def names(source: MutableSnippet) -> Iterator[Lines]:
    """One use of a name changed into another of its sort: a constant, a class, what is called,
    a module, a value.
    """
    scopes = {one: _bound(source, one) for one in (None, *source.snippet.functions)}
    uses: list[tuple[NodeContext, str, str]] = []
    groups: dict[str, dict[str, None]] = {}
    for spot in source.spots:
        match spot.node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
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


def _bound(source: MutableSnippet, function: Function | None) -> tuple[str, ...]:
    """The parameters and variables of a function, then of those around it; of the module where
    there is none.
    """
    if function is None:
        scopes = (Function, ast.ClassDef)
        return tuple(
            name
            for one in source.snippet.tree.body
            if not isinstance(one, scopes)
            for name in stored(one)
        )
    others = source.snippet.functions
    around = [one for one in others if one.lineno < function.lineno <= (one.end_lineno or 0)]
    return tuple(
        dict.fromkeys(name for one in (function, *reversed(around)) for name in _variables(one))
    )


def _variables(function: Function) -> Iterator[str]:
    yield from (one.arg for one in parameters(function))
    yield from stored(function)
    for node in ast.walk(function):
        match node:
            case ast.ExceptHandler(name=str() as name) | ast.arg(arg=name):
                yield name


def _sort(spot: NodeContext, name: str, values: Sequence[str]) -> str:
    bare = name.strip("_")
    if bare[:1].isupper():
        return "constant" if len(bare) > 1 and bare.isupper() else "class"
    if name in values:
        return "value"
    if isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node:
        return "function"
    if name in _BUILTINS:
        return "builtin"
    if isinstance(spot.parent, ast.Attribute):
        return "module"
    return "free"


def attributes(source: MutableSnippet) -> Iterator[Lines]:
    """One attribute or method changed: into what it is taken for, then into those beside of the
    same object.
    """
    called = {id(one.node.func) for one in source.spots if isinstance(one.node, ast.Call)}
    uses = [
        (one.node, source.text(one.node.value))
        for one in source.spots
        if isinstance(one.node, ast.Attribute)
    ]
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


def literals(source: MutableSnippet) -> Iterator[Lines]:
    """One literal changed: a number near it, the other flag, a string beside, another first
    value.
    """
    found = list(_literals(source))
    texts = list(dict.fromkeys(text for _, text, _ in found))
    for node, text, whole in found:
        for other in dict.fromkeys(_other_literals(source, text, texts, whole=whole)):
            yield from [source.put(node, other)] if other != text else []


def _literals(source: MutableSnippet) -> Iterator[tuple[ast.expr, str, bool]]:
    """The literals on one line, a minus with its number; and whether each is all that something
    is set to.
    """
    negated: set[int] = set()
    for node, parent, *_ in source.spots:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
                negated.add(id(inner))
                yield node, source.text(node), False
            case ast.Constant() | ast.List() | ast.Dict() | ast.Call() if id(node) not in negated:
                whole = isinstance(parent, ast.Assign | ast.AnnAssign)
                text = source.text(node)
                literal = isinstance(node, ast.Constant) or (whole and text in _FIRST_VALUES)
                yield from [(node, text, whole)] if literal and text else []


def _other_literals(
    source: MutableSnippet, text: str, texts: list[str], *, whole: bool
) -> Iterator[str]:
    """What may be meant instead of one literal, the likeliest first.

    Args:
        texts: All literals.
    """
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
        beside = [
            one[1:-1]
            for one in texts
            if _STRING.fullmatch(one) and one[1:2].isalnum() == text[1:2].isalnum()
        ]
        yield from (f"{found[1]}{one}{found[1]}" for one in beside)


def _numbers(text: str) -> Iterator[str]:
    """The numbers near a small one, and the same one with a minus."""
    if re.fullmatch(r"\d{1,2}(?:\.0)?", text):
        value = int(float(text))
        rest = ".0" * ("." in text)
        yield from (f"{value + by}{rest}" for by in (-1, 1, 2, -2) if value + by >= -1)
    yield text[1:] if text.startswith("-") else f"-{text}"


_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("==", "!=", "in", "is", "<=", ">=", "<", ">"),
    ast.NotEq: ("!=", "==", "not in", "is not", "<", ">"),
    ast.Lt: ("<", ">", ">=", "=="),
    ast.Gt: (">", "<", "<=", "!=", "=="),
    ast.LtE: ("<=", ">=", ">", "=="),
    ast.GtE: (">=", "<=", "<", "=="),
    ast.Is: ("is", "is not", "=="),
    ast.IsNot: ("is not", "is", "!="),
    ast.In: ("in", "not in", "=="),
    ast.NotIn: ("not in", "in", "!="),
}
"""Each operator with those it may be mistaken for; a comparison made strict or not so strict is
one of the bounds.
"""
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("+", "-", "*"),
    ast.Sub: ("-", "+", "/", "*"),
    ast.Mult: ("*", "/", "+", "**", "//", "-"),
    ast.Div: ("/", "//", "*", "%", "-"),
    ast.FloorDiv: ("//", "/", "%"),
    ast.Mod: ("%", "//", "/"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|", "^"),
    ast.BitOr: ("|", "&", "^"),
    ast.BitXor: ("^", "**", "|", "&"),
    ast.MatMult: ("@", "*"),
}
_STRICT: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
_COUNTING = frozenset("len index rindex find rfind count tell".split())
_QUESTIONS = frozenset("startswith endswith isinstance issubclass hasattr callable any all".split())
_LOOSE = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)
"""What needs parentheses within a condition."""


def operators(source: MutableSnippet) -> Iterator[Lines]:
    """One operator changed, then the terms that the arguments of a call add."""
    names = (one.node for one in source.spots if isinstance(one.node, ast.Name))
    counts = Counter(one.id for one in names if isinstance(one.ctx, ast.Store))
    for node, *_ in source.spots:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if counts[name] > 1:
                yield from _others(source, target, value, ("=", "+=", "-="))
            case ast.Compare(left=first, ops=ops, comparators=rest):
                for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                    yield from _others(
                        source, left, right, _COMPARISONS[type(op)], _senseless(op, right)
                    )
            case ast.BoolOp(op=op, values=values):
                signs = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from (
                    lines for pair in pairwise(values) for lines in _others(source, *pair, signs)
                )
            case ast.BinOp(left=left, op=op, right=right) if not (
                is_text(left) and isinstance(op, ast.Mod)
            ):
                yield from _others(source, left, right, _ARITHMETIC[type(op)])
            case ast.AugAssign(target=target, op=op, value=value):
                yield from _others(
                    source, target, value, (*(f"{one}=" for one in _ARITHMETIC[type(op)]), "=")
                )
    for node, *_ in source.spots:
        yield from _terms(source, node) if isinstance(node, ast.Call) else ()


def _senseless(op: ast.cmpop, right: ast.expr) -> set[str]:
    """The comparisons that make no sense with what is compared."""
    match right:
        case ast.Constant(value=None):
            return {"<", ">", "<=", ">=", "in", "not in"} | (
                {"==", "!="} if isinstance(op, ast.Is | ast.IsNot) else set()
            )
        case ast.Constant(value=int() | float()):
            return {"in", "not in"}
        case ast.Tuple() | ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.SetComp():
            return {"<", ">", "<=", ">=", "is", "is not"}
    return set()


def _others(
    source: MutableSnippet,
    left: ast.expr,
    right: ast.expr,
    signs: Sequence[str],
    wrong: Collection[str] = (),
) -> Iterator[Lines]:
    """Args:
    signs: The one that stands there, then the others.
    wrong: Those of them that cannot be meant.
    """
    if place := source.between(left, right, signs[0]):
        (row, start), (_, end) = place
        line = source.lines[row]
        for sign in (one for one in signs[1:] if one not in wrong):
            apart = (
                " " * (not line[start - 1].isspace()),
                " " * (line[end : end + 1].strip() != ""),
            )
            yield source.splice(*place, sign.join(apart) if sign[0].isalpha() else sign)


def _terms(source: MutableSnippet, call: ast.Call) -> Iterator[Lines]:
    """What one argument adds added to a plain one beside it: `f(a + n, b)` as `f(a + n, b +
    n)`; all signs turned.
    """
    sums = [
        one
        for one in call.args
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub)
    ]
    added = [
        f" {'+' if isinstance(one.op, ast.Add) else '-'} {source.text(one.right)}" for one in sums
    ]
    for other in call.args if added else ():
        if isinstance(other, ast.Name | ast.Attribute | ast.Subscript):
            yield from (
                source.behind(other, term) for term in added if term[3:] != source.text(other)
            )
    if len(sums) > 1 and (text := source.text(call)):
        yield source.put(call, text.translate(str.maketrans("+-", "-+")))


def bounds(source: MutableSnippet) -> Iterator[Lines]:
    """One comparison made strict or not, or one bound, index, count or step one more or one
    less.
    """
    for node, *_ in source.spots:
        match node:
            case ast.Compare(left=first, ops=ops, comparators=rest):
                for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                    yield from _others(source, left, right, _STRICT.get(type(op), ("==",)))
                    yield from _moved(source, right) if isinstance(op, ast.Eq | ast.Lt) else ()
            case ast.Call(func=ast.Name(id="range"), args=[*_, _] as args):
                yield from (lines for one in reversed(args[:2]) for lines in _moved(source, one))
                yield from [source.before(args[0], "1, ")] if len(args) == 1 else ()
            case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
                yield from (lines for one in (upper, lower) if one for lines in _moved(source, one))
                yield from _last_off(source, node) if lower and not upper else ()
            case ast.Subscript(slice=ast.expr() as index, ctx=ast.Load()):
                yield from _moved(source, index)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if (
                source.text(left)
            ):
                yield source.put(node, source.text(left))
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                yield from (
                    _moved(source, value) if _counts(value) or isinstance(value, ast.BinOp) else ()
                )
            case ast.Call(args=args):
                yield from (lines for one in args if _counts(one) for lines in _moved(source, one))


def _counts(node: ast.expr) -> bool:
    """Whether an expression finds a position or a count."""
    return called(node) in _COUNTING


def _moved(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """An expression one more and one less."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            yield from (
                source.put(node, str(value + step)) for step in (-1, 1) if value + step >= 0
            )
        case ast.BinOp(right=ast.Constant(value=1)):
            return
        case (
            ast.Name()
            | ast.Attribute()
            | ast.Call()
            | ast.Subscript()
            | ast.BinOp(op=ast.Add() | ast.Sub())
        ):
            yield source.behind(node, " - 1")
            yield source.behind(node, " + 1")


def _last_off(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """`rows[1:]` as `rows[1:-1]`."""
    row, end = source.end(node)
    if source.lines[row][:end].endswith(":]"):
        yield source.splice((row, end - 1), (row, end - 1), "-1")


def conditions(source: MutableSnippet) -> Iterator[Lines]:
    """One condition negated, or with a check; the opposite of a comparison is another operator."""
    found = list(_conditions(source))
    for node, parent in found:
        yield from _negated(source, node, parent)
    for node, parent in found:
        yield from _checked(source, node) if not isinstance(parent, ast.BoolOp) else ()


def _conditions(source: MutableSnippet) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every condition, and every part of one, with what it stands in."""
    for parent, *_ in source.spots:
        match parent:
            case (
                ast.If(test=test)
                | ast.While(test=test)
                | ast.IfExp(test=test)
                | ast.Assert(test=test)
            ):
                yield test, parent
            case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp() as test):
                yield test, parent
            case ast.comprehension(ifs=tests) | ast.BoolOp(values=tests):
                yield from ((test, parent) for test in tests)
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value) if _asks(value):
                yield value, parent


def _asks(node: ast.expr) -> bool:
    """Whether an expression is true or false by what it is."""
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    name = called(node)
    return (
        negated
        or isinstance(node, ast.BoolOp)
        or name in _QUESTIONS
        or name.startswith(("is_", "has_", "can_"))
    )


def _negated(source: MutableSnippet, node: ast.expr, parent: ast.AST) -> Iterator[Lines]:
    """With a `not`, or without the one that it has."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if text := source.text(operand):
            loose = isinstance(operand, _LOOSE) and isinstance(parent, ast.BoolOp)
            yield source.put(node, f"({text})" if loose else text)
        case ast.Compare(ops=[_]) | ast.Constant() | ast.UnaryOp(op=ast.Not()):
            return
        case _ if text := source.text(node):
            yield source.put(node, f"not ({text})" if isinstance(node, _LOOSE) else f"not {text}")


def _checked(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """What a condition reads something of checked to be there, before and instead of it."""
    if not (text := source.text(node)):
        return
    owners = [one.value for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Subscript)]
    for path in dict.fromkeys(filter(None, map(dotted, owners))):
        if path not in RECEIVERS and not isinstance(node, _LOOSE):
            yield source.put(node, f"{path} and {text}")
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
            yield source.put(node, f"{name} is None or {text}")
        case ast.Name() | ast.Attribute() | ast.Call():
            yield from (source.put(node, f"{text} is{form} None") for form in (" not", ""))


_NAMED = (ast.Name, ast.Attribute, ast.Subscript)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)


def swapped(source: MutableSnippet) -> Iterator[Lines]:
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
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
                op, (*ORDERS, ast.In, ast.NotIn)
            ):
                yield from _pairs(source, [left, right]) if _are_simple(left, right) else ()
            case ast.BoolOp(op=ast.Or(), values=[left, right]) if _are_simple(left, right):
                yield from _pairs(source, [left, right])
            case ast.IfExp(body=left, orelse=right):
                yield from _pairs(source, [left, right])


def _are_simple(*operands: ast.expr) -> bool:
    """Whether operands need no parentheses anywhere."""
    return all(isinstance(one, (*_NAMED, ast.Call, ast.Constant)) for one in operands)


def _pairs(source: MutableSnippet, parts: Sequence[ast.expr | ast.arg]) -> Iterator[Lines]:
    """Each in the place of its neighbour, whatever stands between them, on one line or on two
    in a row.
    """
    for left, right in pairwise(parts):
        one = source.text(left)
        two = source.text(right)
        (row, end), (other, start) = source.end(left), source.start(right)
        if (
            one
            and two
            and one != two
            and other - row <= 1
            and not isinstance(left, ast.Starred | ast.GeneratorExp)
        ):
            apart = f"{source.lines[row][end:]}\n{source.lines[other][:start]}"
            glue = source.lines[row][end:start] if row == other else apart
            yield source.splice(source.start(left), source.end(right), two + glue + one)


_SILENT = re.compile(
    r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__"
)


def returns(source: MutableSnippet) -> Iterator[Lines]:
    """A value that stands for nothing returned, or a return where a block ends without one."""
    for function in source.snippet.functions:
        if not _SILENT.fullmatch(function.name):
            yield from _returns(source, function)


def _returns(source: MutableSnippet, function: Function) -> Iterator[Lines]:
    last = function.body[-1]
    inner = (statements[-1] for statements, spot in source.blocks if spot.function is function)
    ends = [one for one in inner if source.alone(one) and not isinstance(one, LEAVING)]
    for end in ends:
        if (
            isinstance(end, ast.Expr)
            and called(end.value) not in DOING
            and source.text(end.value) != "..."
        ):
            yield source.before(end, "return ")
    for end in ends:
        own = _results(function) if end is last else [_assigned(end)]
        yield from (source.below(end, f"return {name}") for name in own if name not in ("", "_"))
    if not any(isinstance(one, ast.Return) and one.value for one in ast.walk(function)):
        yield from (source.below(end, "return") for end in ends if end is not last)


def _assigned(statement: ast.stmt) -> str:
    """What a statement gives a value to."""
    match statement:
        case (
            ast.Assign(targets=[target])
            | ast.AugAssign(target=target)
            | ast.AnnAssign(target=target)
        ):
            return dotted(target)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return ""


def _results(function: Function) -> list[str]:
    """The names that a function could return at its end, the likeliest first."""
    own = [name for name in map(_assigned, function.body[-2::-1]) if "." not in name]
    every = [
        _assigned(function.body[-1]),
        *own,
        *stored(function),
        *given(function),
        *read(function) & RECEIVERS,
    ]
    return list(dict.fromkeys(every))


GROUPS: Mapping[str, Callable[[MutableSnippet], Iterator[Lines]]] = {
    "operator": operators,
    "bound": bounds,
    "condition": conditions,
    "name": names,
    "attribute": attributes,
    "literal": literals,
    "order": swapped,
    "return": returns,
}
"""What lists each group of mutations."""
MAX_WIDTH = 110
"""No mutation makes a line longer than this, unless one of the lines is."""
MOST = 500
"""Of one group; what comes later is left out."""


class Mutation(NamedTuple):
    """One change: the group that it is of, and the lines as they are after it."""

    group: str
    after: tuple[str, ...]


def of(
    snippet: Snippet,
    *,
    lines: tuple[int, int] | None = None,
    meant: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Mutation]:
    """Every mutation, none twice, each of them Python: the first of each group before the second of
    any.

    Args:
        lines: The 0-based first and last line that a mutation must touch one of.
        meant: For names and keys that are known to be wrong, those that may be meant.
    """
    if snippet.is_python:
        with suppress(RecursionError, MemoryError):
            yield from _listed(MutableSnippet(snippet, meant), lines)


def _listed(source: MutableSnippet, lines: tuple[int, int] | None) -> Iterator[Mutation]:
    before = source.lines
    widest = max([MAX_WIDTH, *map(len, before)])
    seen = {before}
    lists = [
        [(group, tuple(after)) for after in islice(find(source), MOST)]
        for group, find in GROUPS.items()
    ]
    for row in zip_longest(*lists):
        for group, after in filter(None, row):
            if after in seen or (lines and not _touches(before, after, *lines)):
                continue
            seen.add(after)
            if max(map(len, after), default=0) <= widest and Snippet(after).is_python:
                yield Mutation(group, after)


def _touches(before: Sequence[str], after: Sequence[str], first: int, last: int) -> bool:
    """Whether the lines that change are among some, or right beside them."""
    most = min(len(before), len(after))
    head = next((row for row in range(most) if before[row] != after[row]), most)
    tail = next(
        (row for row in range(most - head) if before[-1 - row] != after[-1 - row]), most - head
    )
    changed = len(before) - tail - 1
    return head <= last + (changed < head) and changed >= first - 1 * (changed < head)
