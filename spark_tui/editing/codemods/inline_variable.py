"""A local variable that is assigned once gives way to its value.

Only where that keeps the meaning as far as the text can tell: every use follows the assignment in its block, outside of
loops it is not in, of inner functions and f-strings; nothing that the value reads is assigned in between; and what is
called is called only once. A parameter set anew from itself, and another name for a method, are such variables, too.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, Function, parameters, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.flat import through_flat
from spark_tui.editing.codemods.statements.lambdas_told import lambdas_told
from spark_tui.editing.codemods.statements.merged_statements import merged
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, has_tail, is_changed, nodes_until, places, spliced
from spark_tui.editing.told import says

_ATOM = 16
_LEVELS: dict[type[ast.operator], int] = {
    ast.BitOr: 8, ast.BitXor: 9, ast.BitAnd: 10, ast.LShift: 11, ast.RShift: 11, ast.Add: 12, ast.Sub: 12,
    ast.Mult: 13, ast.Div: 13, ast.FloorDiv: 13, ast.Mod: 13, ast.MatMult: 13, ast.Pow: 15,
}  # fmt: skip
_OWN: dict[type[ast.expr], int] = {ast.IfExp: 2, ast.Compare: 6, ast.Await: 15}
_LEAST: dict[type[ast.AST], int] = {
    ast.Return: 0, ast.Assign: 0, ast.Yield: 0, ast.Subscript: 0, ast.IfExp: 3, ast.comprehension: 3, ast.Slice: 3,
    ast.NamedExpr: 3, ast.Compare: 7, ast.Attribute: _ATOM, ast.Await: _ATOM, ast.Starred: _ATOM,
}  # fmt: skip
_LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.JoinedStr)
_UNFIT = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Lambda, ast.JoinedStr)
_BLOCKS = (
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.Try,
    ast.TryStar,
)
_MAKERS = frozenset("set list tuple dict frozenset sorted str int float bool len sum min max abs range".split())  # noqa: SIM905
Use = tuple[ast.Name, ast.AST]


@dataclass(frozen=True, slots=True)
class Variable:
    """A local that can be inlined: its assignment, the value's source, its uses with their parents."""

    name: str
    place: Place
    source: str
    value: ast.expr
    uses: tuple[Use, ...]


class InlineVariable(Codemod):
    """`total = a + b` and `return total * 2` become `return (a + b) * 2`."""

    kind: ClassVar[str] = "inline_variable"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What there is in the lines as they are; then where a statement of several lines is one. Lambdas first."""
        yield from (between(before, lines) for lines in lambdas_told(before, request.instruction))
        yield from self._edits(before, request)
        yield from through_flat(self._edits, before, request)

    def _edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Variables that are named come alone, else all; those used once come first. Then what is asked to be one."""
        found = sorted(variables(before), key=lambda one: len(one.uses))
        named = [one for one in found if says(request.instruction, one.name)]
        for variable in named or found:
            after = inlined(before, variable)
            if after:
                yield between(before, after)
        yield from (between(before, lines) for lines in merged(before, request, {one.name for one in found}))


def variables(snippet: Snippet) -> Iterator[Variable]:
    """The locals that can be inlined."""
    names: dict[int, Counter[str]] = {}
    for place in places(snippet):
        match place.node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if place.function and (_once(place.function, name, names) or _renews(place, name, value, names)):
                source = text_of(snippet, value)
                if source and not has_tail(snippet, place) and not isinstance(value, _UNFIT):
                    uses = _uses(place, place.function, name, value)
                    if uses:
                        yield Variable(name, place, source, value, tuple(uses))


def _once(function: Function, name: str, known: dict[int, Counter[str]]) -> bool:
    """Whether a name is bound once in a function, and a name of this function only. `known`: what is found already."""
    if id(function) not in known:
        bound = known[id(function)] = Counter[str]()
        for node in ast.walk(function):
            match node:
                case ast.Name(id=one, ctx=ast.Store() | ast.Del()) | ast.arg(arg=one):
                    bound[one] += 1
                case ast.Global(names=shared) | ast.Nonlocal(names=shared):
                    bound.update(shared)
                case ast.ExceptHandler(name=str(one)) | ast.MatchAs(name=str(one)) | ast.MatchStar(name=str(one)):
                    bound[one] += 1
    return known[id(function)][name] == 1


def _renews(place: Place, name: str, value: ast.expr, known: dict[int, Counter[str]]) -> bool:
    """Whether a parameter is set once, from its own value and for the rest of its function."""
    function = place.function
    if function is None or place.block is not function.body or name not in {one.arg for one in parameters(function)}:
        return False
    own = sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
    _once(function, name, known)
    return own == 1 and known[id(function)][name] == 2


def _uses(place: Place, function: Function, name: str, value: ast.expr) -> list[Use]:
    """The uses of the variable with their parents; none when it cannot be inlined."""
    rest = place.block[place.index + 1 :]
    found = [use for statement in rest for use in _named(statement, name, [])]
    if not found or len(found) != _reads(function, name, place):
        return []
    paths = [path for _, path in found]
    if any(isinstance(node, _LATER) for path in paths for node in path):
        return []
    last = max(use.lineno for use, _ in found)
    uses = [(use, path[-1]) for use, path in found]
    return uses if _keeps(rest, value, paths, last) or _is_method(value, uses, rest) else []


def _reads(function: Function, name: str, place: Place) -> int:
    """How often a function reads a name; one that is a parameter only below the statement that sets it anew."""
    reads = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == name]
    renewed = name in {one.arg for one in parameters(function)}
    return sum(isinstance(one.ctx, ast.Load) and (not renewed or one.lineno > place.last + 1) for one in reads)


def _is_method(value: ast.expr, uses: Sequence[Use], rest: Sequence[ast.stmt]) -> bool:
    """Whether a variable is another name for a method that is only called, of something that stays the same."""
    owner = value.value if isinstance(value, ast.Attribute) else None
    called = all(isinstance(parent, ast.Call) and parent.func is use for use, parent in uses)
    stored = {one.id for node in rest for one in ast.walk(node) if isinstance(one, ast.Name) and is_changed(one)}
    return isinstance(owner, ast.Name) and called and owner.id not in stored


def _named(node: ast.AST, name: str, path: list[ast.AST]) -> Iterator[tuple[ast.Name, list[ast.AST]]]:
    if isinstance(node, ast.Name) and node.id == name:
        yield node, path
    for child in ast.iter_child_nodes(node):
        yield from _named(child, name, [*path, node])


def _keeps(rest: Sequence[ast.stmt], value: ast.expr, paths: Sequence[Sequence[ast.AST]], last: int) -> bool:
    """Whether evaluating the value later, and maybe again, gives the same."""
    parts = list(ast.walk(value))
    acts = any(isinstance(part, ast.Call | ast.Await | ast.ListComp | ast.DictComp | ast.SetComp) for part in parts)
    makes = acts or any(isinstance(part, ast.List | ast.Dict | ast.Set | ast.GeneratorExp) for part in parts)
    if makes and (len(paths) > 1 or any(_may_differ(path) for path in paths)):
        return False
    reads = acts or any(isinstance(part, ast.Attribute | ast.Subscript) for part in parts)
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    between_them = [node for one in rest for node in nodes_until(one, last)]
    if any(isinstance(node, ast.Name) and node.id in names and is_changed(node) for node in between_them):
        return False
    acting = [node for node in between_them if _acts(node, last)] if reads else []
    return not acting or (_is_made(value) and not any(_mentions(node, names) for node in acting))


def _is_made(value: ast.expr) -> bool:
    """Whether a value is but a collection or number made of variables, which nothing changes that leaves these be."""
    calls = [part.func for part in ast.walk(value) if isinstance(part, ast.Call)]
    builtin = all(isinstance(one, ast.Name) and one.id in _MAKERS for one in calls)
    return builtin and not any(isinstance(part, ast.Attribute | ast.Subscript) for part in ast.walk(value))


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names - _MAKERS for part in ast.walk(node))


def _may_differ(path: Sequence[ast.AST]) -> bool:
    """Whether a use may be reached more than once or not at all, or is where exceptions are handled."""
    for node, below in zip(path, [*path[1:], None], strict=True):
        first = getattr(node, "iter", None) or getattr(node, "test", None) or getattr(node, "subject", None)
        if isinstance(node, ast.For | ast.AsyncFor | ast.If | ast.Match) and below not in (first, None):
            return True
        if isinstance(node, _BLOCKS) or (isinstance(node, ast.With | ast.AsyncWith) and below in node.body):
            return True
    return False


def _acts(node: ast.AST, last: int) -> bool:
    """Whether a node changes what an attribute or an item is, or does something before the last use."""
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return (node.end_lineno or 0) < last
    ends = isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign) and (node.end_lineno or 0) < last
    return ends and any(isinstance(part, ast.Call | ast.Await) for part in ast.walk(node))


def inlined(snippet: Snippet, variable: Variable) -> list[str] | None:
    """The lines without the variable, or None where they get too long."""
    changes = [(use, _written(variable, use, parent)) for use, parent in variable.uses]
    lines = spliced(snippet, changes)
    if any(len(lines[use.lineno - 1]) > MAX_WIDTH for use, _ in variable.uses):
        return None
    first, last = variable.place.first, variable.place.last
    blank = last + 1 < len(lines) and not lines[last + 1].strip()
    if blank and first and (not lines[first - 1].strip() or lines[first - 1].rstrip().endswith(":")):
        last += 1
    return [*lines[:first], *lines[last + 1 :]]


def _written(variable: Variable, use: ast.Name, parent: ast.AST) -> str:
    return f"({variable.source})" if _needs_parentheses(variable, use, parent) else variable.source


def _needs_parentheses(variable: Variable, use: ast.Name, parent: ast.AST) -> bool:
    number = isinstance(parent, ast.Attribute) and variable.source[:1].isdigit()
    return number or _level(variable) < _least(use, parent)


def _least(use: ast.Name, parent: ast.AST) -> int:
    """How tightly a value has to bind to stand where a name is used."""
    match parent:
        case ast.BinOp(left=left, op=op):
            return _ATOM if isinstance(op, ast.Pow) and left is use else _LEVELS[type(op)] + (left is not use)
        case ast.BoolOp(op=op):
            return 4 if isinstance(op, ast.Or) else 5
        case ast.UnaryOp(op=op):
            return 5 if isinstance(op, ast.Not) else 14
        case ast.Call(func=one) | ast.Subscript(value=one) if one is use:
            return _ATOM
        case ast.Dict(keys=keys) if None in keys:
            return 8
    return _LEAST.get(type(parent), 1)


def _level(variable: Variable) -> int:
    """How tightly a value binds, from 0 for a tuple without parentheses."""
    source = variable.source
    match variable.value:
        case ast.Tuple():
            return _ATOM if source.startswith("(") and source.endswith(")") else 0
        case ast.BoolOp(op=op):
            return 3 if isinstance(op, ast.Or) else 4
        case ast.BinOp(op=operator):
            return _LEVELS[type(operator)]
        case ast.UnaryOp(op=unary):
            return 5 if isinstance(unary, ast.Not) else 14
        case ast.Constant(value=str() | bytes()) if source.count(source[-1]) > 2:
            return 1
    return _OWN.get(type(variable.value), _ATOM)
