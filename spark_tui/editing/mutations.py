"""Small changes of Python code, each of which could be the fix of a bug.

A search tries the changes with a command; `of` lists them from the code alone, never from a user's
words. `GROUPS` holds a function for each group of changes:

- `names`, `attributes`, `literals` (`mutation_names`): a name, attribute, method or literal becomes
  another one.
- `operators`, `bounds`, `conditions` (`mutation_operators`): an operator becomes another one, a
  bound moves by one, a test is negated or checked.
- `swapped`: two neighbors change places (arguments, elements, parameters, operands).
- `returns`: a value is returned, or a block ends in a return.

To add a group, write a function from a `MutableSnippet` to all lines after each change, the
likeliest change first, and name the function in `GROUPS`.
"""

import ast
import re  # noqa: TID251 - reads source code
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise, zip_longest
from typing import NamedTuple

from spark_tui.editing.mutation_names import attributes, literals, names
from spark_tui.editing.mutation_operators import bounds, conditions, operators
from spark_tui.editing.mutation_source import (
    DOING,
    LEAVING,
    ORDERS,
    RECEIVERS,
    Function,
    Lines,
    MutableSnippet,
    Snippet,
    called,
    dotted,
    given,
    is_text,
    read,
    stored,
)

_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
_ONE_SIDED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.MatMult)
"""Operators whose operands cannot change places without another result."""


def swapped(source: MutableSnippet) -> Iterator[Lines]:
    """Two neighbors in each other's place: arguments, elements, parameters, operands."""
    for node, *_ in source.spots:
        match node:
            case ast.Call(func=func, args=args, keywords=keywords):
                # `a.f(b)` may be meant as `b.f(a)`: the object counts as a neighbor
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
                # a parameter without a default must not come behind one that has a default
                plain = spec.args[: len(spec.args) - len(spec.defaults)]
                named = [parameter for parameter in plain if parameter.arg not in RECEIVERS]
                yield from _pairs(source, named)
            case _:
                yield from _pairs(source, _operands(node))


def _operands(node: ast.AST) -> Sequence[ast.expr]:
    """The two operands of an expression that depends on their order; else nothing."""
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
"""Special methods that return nothing."""


def returns(source: MutableSnippet) -> Iterator[Lines]:
    """One unused value returned, or one return added where a block ends without a return."""
    for function in source.snippet.functions:
        if not _SILENT.fullmatch(function.name):
            yield from _returns(source, function)


def _returns(source: MutableSnippet, function: Function) -> Iterator[Lines]:
    """The returns for one function: of values at the ends of blocks, of variables, then bare."""
    # The ends of blocks at which a line can be added below, and which the code does not leave
    # anyway. Functions within this one have ends of their own.
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
    # A bare return ends a function early; one that returns values elsewhere would return None here.
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
    # what the last statement binds, then those above it, then all that is set or given anywhere
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
"""The most mutations of one group; later ones are left out."""


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
    # one list for each group, dealt in turn below, so that no long group keeps the others waiting
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
            # parsing takes the longest, so it comes last
            if max(map(len, after), default=0) <= widest and Snippet(after).is_python:
                yield mutation


def _touches(before: Sequence[str], after: Sequence[str], first: int, last: int) -> bool:
    """Whether a line that changes is among first..last, or a line is added right beside them."""
    shared = min(len(before), len(after))
    head = 0
    while head < shared and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shared - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    last_changed = len(before) - tail - 1
    if last_changed < head:  # lines are only added, right above `head`
        return first - 1 <= last_changed and head <= last + 1
    return first <= last_changed and head <= last
