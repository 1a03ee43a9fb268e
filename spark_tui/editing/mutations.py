"""Small changes of Python code, each of which could be the fix of a bug.

A search tries the changes with a command; `of` lists them from the code alone, never from a user's
words. `GROUPS` holds a function for each group of changes:

- `names`, `attributes`, `literals`: a name, attribute, method or literal becomes another one.
- `operators`, `bounds`, `conditions`: an operator becomes another one, a bound moves by one, a test
  is negated or checked.
- `swapped`: two neighbors change places (arguments, elements, parameters, operands).
- `returns`: a value is returned, or a block ends in a return.

To add a group, write a function from a `MutableSnippet` to all lines after each change, the
likeliest change first, and name the function in `GROUPS`.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise, zip_longest
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
"""Nodes in which the same name on both sides makes no sense."""
_FIRST_VALUES = ("0", "None", "[]", "{}", '""', "1", "set()", "False", "True")
"""Values that a variable often begins with."""
_FLAGS = {"True": ("False",), "False": ("True",), "None": ("True", "False")}
_NUMBER = re.compile(r"-?\d[\w.]*")
_STRING = re.compile(r"""(['"])([^'"\\\n ]{0,30})\1""")


def names(source: MutableSnippet) -> Iterator[Lines]:
    """One use of a name changed into another name of its sort.

    The sorts are constants, classes, functions, modules, builtins, values and free names.
    """
    functions = (None, *source.snippet.functions)
    scopes = {function: _bound(source, function) for function in functions}
    uses: list[tuple[NodeContext, str, str]] = []
    groups: dict[str, dict[str, None]] = {}
    for spot in source.spots:
        match spot.node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                sort = "class" if name[0].isupper() else "function"
                groups.setdefault(sort, {})[name] = None
            case ast.Name(id=name) if name not in RECEIVERS:
                sort = _sort(spot, name, scopes[spot.function])
                groups.setdefault(sort, {})[name] = None
                uses.append((spot, name, sort))
    for spot, name, sort in uses:
        values = scopes[spot.function] if sort in ("value", "free") else ()
        beside = groups.get("free" if values else sort, {})
        wrong = {name, *RECEIVERS}
        if isinstance(spot.parent, _TWO_SIDED):
            sides = ast.iter_child_nodes(spot.parent)
            wrong.update(side.id for side in sides if isinstance(side, ast.Name))
        if isinstance(spot.node, ast.Name) and source.text(spot.node) == name:
            for other in dict.fromkeys([*source.meant.get(name, ()), *values, *beside]):
                if other not in wrong:
                    yield source.put(spot.node, other)


def _bound(source: MutableSnippet, function: Function | None) -> tuple[str, ...]:
    """The parameters and variables of a function, then of the functions around it.

    Args:
        function: None for the module, which has the variables of its own statements.
    """
    if function is None:
        body = source.snippet.tree.body
        plain = [node for node in body if not isinstance(node, Function | ast.ClassDef)]
        return tuple(chain.from_iterable(map(stored, plain)))
    around = [
        outer
        for outer in source.snippet.functions
        if outer.lineno < function.lineno <= (outer.end_lineno or 0)
    ]
    scopes = (function, *reversed(around))
    return tuple(dict.fromkeys(chain.from_iterable(map(_variables, scopes))))


def _variables(function: Function) -> Iterator[str]:
    """The names bound in a function, parameters first."""
    yield from (parameter.arg for parameter in parameters(function))
    yield from stored(function)
    for node in ast.walk(function):
        match node:
            case ast.ExceptHandler(name=str() as name) | ast.arg(arg=name):
                yield name


def _sort(spot: NodeContext, name: str, values: Sequence[str]) -> str:
    """The sort of a name, by its spelling and its place.

    Args:
        values: The names bound around the place.
    """
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
    """One attribute or method changed into another one.

    The attributes that may be meant come first, then the other attributes of the same object.
    """
    nodes = [spot.node for spot in source.spots]
    called_ids = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    uses = [(node, source.text(node.value)) for node in nodes if isinstance(node, ast.Attribute)]
    of_object: dict[tuple[bool, str], dict[str, None]] = {}
    for node, owner in uses:
        of_object.setdefault((id(node) in called_ids, owner), {})[node.attr] = None
    methods = [function.name for function in source.snippet.functions]
    for node, owner in uses:
        is_called = id(node) in called_ids
        others = [*source.meant.get(node.attr, ()), *of_object[is_called, owner]]
        if is_called and owner in RECEIVERS:
            others += methods
        row, end = source.end(node)
        is_special = node.attr.startswith("__")
        for other in dict.fromkeys(others):
            if other not in (node.attr, owner) and other.startswith("__") == is_special:
                yield source.splice((row, end - len(node.attr)), (row, end), other)


def literals(source: MutableSnippet) -> Iterator[Lines]:
    """One literal changed into a number near it, the other flag, another string or first value."""
    places = list(_literals(source))
    texts = list(dict.fromkeys(text for _, text, _ in places))
    for node, text, whole in places:
        for other in dict.fromkeys(_other_literals(source, text, texts, whole=whole)):
            if other != text:
                yield source.put(node, other)


def _literals(source: MutableSnippet) -> Iterator[tuple[ast.expr, str, bool]]:
    """The literals that stand on one line.

    Yields:
        The node (a minus and its number are one), its text, and whether the literal is the whole
        value of an assignment.
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
                if literal and text:
                    yield node, text, whole


def _other_literals(
    source: MutableSnippet, text: str, texts: list[str], *, whole: bool
) -> Iterator[str]:
    """What may be meant instead of a literal, the likeliest first.

    Args:
        text: The literal.
        texts: All literals of the snippet.
        whole: Whether the literal is the whole value of an assignment.
    """
    if text[:1] in ("'", '"'):
        quote = text[0]
        yield from (quote + meant + quote for meant in source.meant.get(text[1:-1], ()))
    if whole and text in (*_FIRST_VALUES, "''"):
        yield from _FIRST_VALUES
    elif text in _FLAGS:
        yield from _FLAGS[text]
    elif _NUMBER.fullmatch(text):
        yield from _numbers(text)
        yield from filter(_NUMBER.fullmatch, texts)
    elif string := _STRING.fullmatch(text):
        quote = string[1]
        for other in filter(_STRING.fullmatch, texts):
            # a word for a word, punctuation for punctuation
            if other[1:2].isalnum() == text[1:2].isalnum():
                yield quote + other[1:-1] + quote


def _numbers(text: str) -> Iterator[str]:
    """The numbers near a small number, then the number with its sign turned."""
    if re.fullmatch(r"\d{1,2}(?:\.0)?", text):
        value = int(float(text))
        fraction = ".0" if "." in text else ""
        yield from (f"{value + step}{fraction}" for step in (-1, 1, 2, -2) if value + step >= -1)
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
"""Each operator and those it may be mistaken for.

A strict comparison in place of one that is not, or the other way round, is one of the bounds.
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
"""Expressions that need parentheses within a condition."""


def operators(source: MutableSnippet) -> Iterator[Lines]:
    """One operator changed, then the terms that the arguments of a call add."""
    nodes = [spot.node for spot in source.spots]
    names = (node for node in nodes if isinstance(node, ast.Name))
    counts = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if counts[name] > 1:
                yield from _others(source, target, value, ("=", "+=", "-="))
            case _:
                yield from _operators_of(source, node)
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _terms(source, node)


def _operators_of(source: MutableSnippet, node: ast.AST) -> Iterator[Lines]:
    """The lines with another operator in one expression or augmented assignment."""
    match node:
        case ast.Compare(left=first, ops=ops, comparators=rest):
            for (left, right), op in zip(pairwise((first, *rest)), ops, strict=True):
                senseless = _senseless(op, right)
                yield from _others(source, left, right, _COMPARISONS[type(op)], senseless)
        case ast.BoolOp(op=op, values=values):
            signs = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            for left, right in pairwise(values):
                yield from _others(source, left, right, signs)
        case ast.BinOp(left=left, op=ast.Mod()) if is_text(left):
            return  # the formatting of a string
        case ast.BinOp(left=left, op=op, right=right):
            yield from _others(source, left, right, _ARITHMETIC[type(op)])
        case ast.AugAssign(target=target, op=op, value=value):
            assignments = [f"{sign}=" for sign in _ARITHMETIC[type(op)]]
            yield from _others(source, target, value, [*assignments, "="])


def _senseless(op: ast.cmpop, right: ast.expr) -> set[str]:
    """The comparisons that make no sense with a right operand."""
    match right:
        case ast.Constant(value=None):
            senseless = {"<", ">", "<=", ">=", "in", "not in"}
            if isinstance(op, ast.Is | ast.IsNot):
                senseless |= {"==", "!="}
            return senseless
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
    """The lines with other operators between two operands.

    Args:
        signs: The operator that stands there, then the others.
        wrong: The operators among them that cannot be meant.
    """
    place = source.between(left, right, signs[0])
    if place is None:
        return
    (row, start), (_, end) = place
    line = source.lines[row]
    # a word needs a space on either side: `a<b` becomes `a in b`
    space_before = "" if line[start - 1].isspace() else " "
    space_after = " " if line[end : end + 1].strip() else ""
    for sign in signs[1:]:
        if sign in wrong:
            continue
        if sign[0].isalpha():
            yield source.splice(*place, space_before + sign + space_after)
        else:
            yield source.splice(*place, sign)


def _terms(source: MutableSnippet, call: ast.Call) -> Iterator[Lines]:
    """The term that one argument adds, added to a plain argument, too; then all signs turned.

    `f(a + n, b)` becomes `f(a + n, b + n)`.
    """
    terms: list[tuple[str, str]] = []
    for argument in call.args:
        match argument:
            case ast.BinOp(op=ast.Add(), right=right):
                terms.append(("+", source.text(right)))
            case ast.BinOp(op=ast.Sub(), right=right):
                terms.append(("-", source.text(right)))
    for argument in call.args:
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
            for sign, term in terms:
                if term != source.text(argument):
                    yield source.behind(argument, f" {sign} {term}")
    if len(terms) > 1 and (text := source.text(call)):
        yield source.put(call, text.translate(str.maketrans("+-", "-+")))


def bounds(source: MutableSnippet) -> Iterator[Lines]:
    """One comparison made strict or not strict, or one bound, index, count or step moved by one."""
    for node, *_ in source.spots:
        match node:
            case ast.Compare():
                yield from _bounds_of_comparison(source, node)
            case ast.Call(func=ast.Name(id="range"), args=[*_, _] as args):
                yield from _bounds_of_range(source, args)
            case ast.Subscript():
                yield from _bounds_of_subscript(source, node)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=1)) if (
                source.text(left)
            ):
                yield source.put(node, source.text(left))
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value):
                if _counts(value) or isinstance(value, ast.BinOp):
                    yield from _moved(source, value)
            case ast.Call(args=args):
                for argument in filter(_counts, args):
                    yield from _moved(source, argument)


def _bounds_of_comparison(source: MutableSnippet, node: ast.Compare) -> Iterator[Lines]:
    for (left, right), op in zip(pairwise((node.left, *node.comparators)), node.ops, strict=True):
        yield from _others(source, left, right, _STRICT.get(type(op), ("==",)))
        if isinstance(op, ast.Eq | ast.Lt):
            yield from _moved(source, right)


def _bounds_of_range(source: MutableSnippet, args: Sequence[ast.expr]) -> Iterator[Lines]:
    for bound in reversed(args[:2]):
        yield from _moved(source, bound)
    if len(args) == 1:
        yield source.before(args[0], "1, ")


def _bounds_of_subscript(source: MutableSnippet, node: ast.Subscript) -> Iterator[Lines]:
    match node:
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
            for bound in filter(None, (upper, lower)):
                yield from _moved(source, bound)
            if lower and not upper:
                yield from _last_off(source, node)
        case ast.Subscript(slice=index, ctx=ast.Load()):
            yield from _moved(source, index)


def _counts(node: ast.expr) -> bool:
    """Whether an expression is a call that returns a position or a count."""
    return called(node) in _COUNTING


def _moved(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """An expression one more and one less."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            for changed in (value - 1, value + 1):
                if changed >= 0:
                    yield source.put(node, str(changed))
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
    """One condition negated, or with a check added.

    Comparisons are not negated here: the opposite of a comparison is another operator.
    """
    tests = list(_conditions(source))
    for node, parent in tests:
        yield from _negated(source, node, parent)
    for node, parent in tests:
        if not isinstance(parent, ast.BoolOp):
            yield from _checked(source, node)


def _conditions(source: MutableSnippet) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Every condition, and every part of a condition, with its parent."""
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
    """Whether an expression is true or false by its form or by the name of what is called."""
    match node:
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
            return True
    name = called(node)
    return name in _QUESTIONS or name.startswith(("is_", "has_", "can_"))


def _negated(source: MutableSnippet, node: ast.expr, parent: ast.AST) -> Iterator[Lines]:
    """The lines with a `not` before a condition, or without the `not` that is there."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if text := source.text(operand):
            loose = isinstance(operand, _LOOSE) and isinstance(parent, ast.BoolOp)
            yield source.put(node, f"({text})" if loose else text)
        case ast.Compare(ops=[_]) | ast.Constant() | ast.UnaryOp(op=ast.Not()):
            return
        case _ if text := source.text(node):
            yield source.put(node, f"not ({text})" if isinstance(node, _LOOSE) else f"not {text}")


def _checked(source: MutableSnippet, node: ast.expr) -> Iterator[Lines]:
    """The lines with a check for None or emptiness added to a condition, or in its place."""
    text = source.text(node)
    if not text:
        return
    owners = [
        inner.value for inner in ast.walk(node) if isinstance(inner, ast.Attribute | ast.Subscript)
    ]
    for path in dict.fromkeys(filter(None, map(dotted, owners))):
        if path not in RECEIVERS and not isinstance(node, _LOOSE):
            yield source.put(node, f"{path} and {text}")
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), _]):
            yield source.put(node, f"{name} is None or {text}")
        case ast.Name() | ast.Attribute() | ast.Call():
            yield source.put(node, f"{text} is not None")
            yield source.put(node, f"{text} is None")


_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
"""Operators whose operands cannot change places without another result."""


def swapped(source: MutableSnippet) -> Iterator[Lines]:
    """Two neighbors in each other's place: arguments, elements, parameters, operands."""
    for node, *_ in source.spots:
        match node:
            case ast.Call(func=func, args=args, keywords=keywords):
                neighbors = list(args)
                if isinstance(func, ast.Attribute) and len(args) == 1:
                    neighbors.insert(0, func.value)
                yield from _pairs(source, neighbors)
                yield from _pairs(source, [keyword.value for keyword in keywords if keyword.arg])
            case ast.Tuple(elts=parts):
                yield from _pairs(source, parts)
            case ast.DictComp(key=key, value=value):
                yield from _pairs(source, [key, value])
            case ast.FunctionDef(args=spec) | ast.AsyncFunctionDef(args=spec):
                plain = spec.args[: len(spec.args) - len(spec.defaults)]
                named = [parameter for parameter in plain if parameter.arg not in RECEIVERS]
                yield from _pairs(source, named)
            case _:
                yield from _pairs(source, _operands(node))


def _operands(node: ast.AST) -> Sequence[ast.expr]:
    """The two operands of an expression that changes when they change places; else nothing."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if _are_simple(left, right):
            if isinstance(op, _ONE_SIDED) or is_text(left) or is_text(right):
                return left, right
        case ast.Compare(left=left, ops=[op], comparators=[right]) if _are_simple(left, right):
            if isinstance(op, (*ORDERS, ast.In, ast.NotIn)):
                return left, right
        case ast.BoolOp(op=ast.Or(), values=[left, right]) if _are_simple(left, right):
            return left, right
        case ast.IfExp(body=left, orelse=right):
            return left, right
    return ()


def _are_simple(*operands: ast.expr) -> bool:
    """Whether operands need no parentheses anywhere."""
    return all(isinstance(operand, _SIMPLE) for operand in operands)


def _pairs(source: MutableSnippet, parts: Sequence[ast.expr | ast.arg]) -> Iterator[Lines]:
    """The lines with two neighbors in each other's place.

    What stands between the two stays. Both are on one line, or on two lines in a row.
    """
    for left, right in pairwise(parts):
        left_text = source.text(left)
        right_text = source.text(right)
        if not left_text or not right_text or left_text == right_text:
            continue
        row, end = source.end(left)
        next_row, start = source.start(right)
        if next_row - row > 1 or isinstance(left, ast.Starred | ast.GeneratorExp):
            continue
        if row == next_row:
            between = source.lines[row][end:start]
        else:
            between = f"{source.lines[row][end:]}\n{source.lines[next_row][:start]}"
        swap = right_text + between + left_text
        yield source.splice(source.start(left), source.end(right), swap)


_SILENT = re.compile(
    r"__(init|init_subclass|post_init|set_name|setitem|delitem|setattr|delattr|set|delete|del)__"
)
"""Methods that return nothing."""


def returns(source: MutableSnippet) -> Iterator[Lines]:
    """One unused value returned, or one return added where a block ends without a return."""
    for function in source.snippet.functions:
        if not _SILENT.fullmatch(function.name):
            yield from _returns(source, function)


def _returns(source: MutableSnippet, function: Function) -> Iterator[Lines]:
    """The returns for one function: of values at the ends of blocks, of variables, then bare."""
    last = function.body[-1]
    inner = [statements[-1] for statements, spot in source.blocks if spot.function is function]
    ends = [end for end in inner if source.alone(end) and not isinstance(end, LEAVING)]
    for end in ends:
        if isinstance(end, ast.Expr) and _may_be_result(source, end.value):
            yield source.before(end, "return ")
    for end in ends:
        names = _results(function) if end is last else [_assigned(end)]
        for name in names:
            if name not in ("", "_"):
                yield source.below(end, f"return {name}")
    leaving = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if not any(node.value for node in leaving):
        yield from (source.below(end, "return") for end in ends if end is not last)


def _may_be_result(source: MutableSnippet, value: ast.expr) -> bool:
    """Whether a value that nothing uses is likely to be the result of a function."""
    return called(value) not in DOING and source.text(value) != "..."


def _assigned(statement: ast.stmt) -> str:
    """The name that a statement binds, or ""."""
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
    above = map(_assigned, function.body[-2::-1])
    names = [
        _assigned(function.body[-1]),
        *(name for name in above if "." not in name),
        *stored(function),
        *given(function),
        *read(function) & RECEIVERS,
    ]
    return list(dict.fromkeys(names))


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
"""The groups of mutations, each with the function that lists them."""
MAX_WIDTH = 110
"""No mutation makes a line longer than this, unless the code has a longer line already."""
MOST = 500
"""Mutations of one group; those that come later are left out."""


class Mutation(NamedTuple):
    """One change: its group, and all lines after the change."""

    group: str
    after: tuple[str, ...]


def of(
    snippet: Snippet,
    *,
    lines: tuple[int, int] | None = None,
    meant: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Mutation]:
    """Every mutation of a snippet that is Python, none twice.

    The first mutation of each group comes before the second mutation of any.

    Args:
        lines: The first and the last line (0-based) of a stretch that a mutation must touch.
        meant: For each name or key that is known to be wrong, those that may be meant instead.
    """
    if snippet.is_python:
        with suppress(RecursionError, MemoryError):
            yield from _listed(MutableSnippet(snippet, meant), lines)


def _listed(source: MutableSnippet, lines: tuple[int, int] | None) -> Iterator[Mutation]:
    before = source.lines
    widest = max([MAX_WIDTH, *map(len, before)])
    seen = {before}
    lists: list[list[Mutation]] = []
    for group, find in GROUPS.items():
        lists.append([Mutation(group, tuple(after)) for after in islice(find(source), MOST)])
    for rank in zip_longest(*lists):
        for mutation in filter(None, rank):
            after = mutation.after
            if after in seen or (lines and not _touches(before, after, *lines)):
                continue
            seen.add(after)
            if max(map(len, after), default=0) <= widest and Snippet(after).is_python:
                yield mutation


def _touches(before: Sequence[str], after: Sequence[str], first: int, last: int) -> bool:
    """Whether a line that changes is among first..last, or a line is added right beside them."""
    shared = min(len(before), len(after))
    head = next((row for row in range(shared) if before[row] != after[row]), shared)
    shared -= head
    tail = next((row for row in range(shared) if before[-1 - row] != after[-1 - row]), shared)
    last_changed = len(before) - tail - 1
    if last_changed < head:  # lines are added only
        return first - 1 <= last_changed and head <= last + 1
    return first <= last_changed and head <= last
