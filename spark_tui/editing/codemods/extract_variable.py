"""A part of a statement gets a name, on a line of its own just before."""

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request, between
from spark_tui.editing.codemods.common.flat import through_flat
from spark_tui.editing.codemods.statements.bound_once import bound_once, is_of_several
from spark_tui.editing.codemods.statements.bound_repeats import bound_repeats, without_parentheses
from spark_tui.editing.codemods.statements.names_given import names_given
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, SCOPES, Place, dotted, places, spliced
from spark_tui.editing.told import longest, names_told, names_used, says

_EXPRESSIONS = (
    ast.Call, ast.BinOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.Attribute, ast.IfExp, ast.UnaryOp, ast.Await,
    ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Lambda, ast.Constant,
)  # fmt: skip
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert)
_VERBS = ("get", "fetch", "load", "find", "read", "make", "build", "create", "compute", "calculate", "parse", "to")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a statement, with every other one of that statement that says the same.

    `always`: it is evaluated whenever the statement is.
    """

    place: Place
    source: str
    uses: tuple[ast.expr, ...]
    always: bool


class ExtractVariable(Codemod):
    """`f(len(items) - 1)` becomes `last = len(items) - 1` and `f(last)`.

    Parts that are not always evaluated (behind `and`, in a conditional expression) are only listed when they are told
    word by word; parts of a comprehension or a lambda never are.
    """

    kind: ClassVar[str] = "extract_variable"

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """What there is in the lines as they are; then where a statement of several lines is one."""
        yield from self._edits(before, request)
        yield from through_flat(self._edits, before, request)

    def _edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """Parts that are told come alone; the names are those told, else one that the part suggests."""
        yield from (between(before, lines) for lines in names_given(before, request))
        once = (between(before, lines) for lines in bound_once(before, request))
        if is_of_several(request.instruction):
            yield from once
        yield from (between(before, lines) for lines in bound_repeats(before, request))
        taken = names_used(before)
        for part in meant(before, request):
            suggested = suggestion(part.uses[0])
            words = request.instruction.replace(part.source, " ")
            names = names_told(words, taken, [suggested] if suggested not in taken else [])
            for name in names:
                after = with_variable(before, part, name)
                if after:
                    yield between(before, after)
        yield from once


def meant(snippet: Snippet, request: Request) -> list[Part]:
    """The parts that a request may mean, the larger ones of a statement first."""
    found = list(parts(snippet, request.selected))
    said = longest({part.source for part in found if says(request.instruction, part.source)})
    if said:
        return [part for part in found if part.source in said]
    called = [part for part in found if part.always and (name := called_name(part)) and says(request.instruction, name)]
    if called:
        return called
    return [part for part in found if part.always and not is_plain(part.uses[0])]


def called_name(part: Part) -> str:
    """The dotted name of the function that a part is a call of, or ""."""
    match part.uses[0]:
        case ast.Call(func=func) | ast.Await(value=ast.Call(func=func)):
            return dotted(func) or ""
    return ""


def is_plain(node: ast.expr) -> bool:
    """Whether a part is so simple that nobody means it without saying it: a constant, `self.x`."""
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()) | ast.Attribute(value=ast.Name()):
            return True
    return False


def parts(snippet: Snippet, selected: tuple[int, int] | None = None) -> Iterator[Part]:
    """Every part of every statement that could stand before it. Args: selected: only in statements on these lines."""
    for place in places(snippet):
        last = place.last if not isinstance(place.node, COMPOUND) else place.first
        if selected is None or (place.first <= selected[1] and selected[0] <= last):
            yield from _parts_of(snippet, place)


def _parts_of(snippet: Snippet, place: Place) -> Iterator[Part]:
    uses: dict[str, list[ast.expr]] = {}
    eager = set()
    for root in _roots(place.node):
        for node, always in _inside(root, always=True):
            if isinstance(node, _EXPRESSIONS) and (node is not root or _is_worth(place.node)):
                source = text_of(snippet, node)
                uses.setdefault(source, []).append(node)
                if always:
                    eager.add(source)
    for source, nodes in uses.items():
        if (
            source
            and ":=" not in source
            and not all(isinstance(node, ast.Constant) and not node.value for node in nodes)
        ):
            yield Part(place, source, tuple(nodes), source in eager)


def _roots(node: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement that are evaluated once, before anything else it does."""
    match node:
        case ast.If(test=test):
            return [test]
        case ast.For(iter=source) | ast.AsyncFor(iter=source) | ast.Match(subject=source):
            return [source]
        case ast.With(items=[item, *_]) | ast.AsyncWith(items=[item, *_]):
            return [item.context_expr]
    if not isinstance(node, _SIMPLE) or isinstance(node, SCOPES):
        return []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    return [
        child
        for name in ("value", "exc", "cause", "test", "msg", "targets", "target")
        for child in _as_list(getattr(node, name, None))
    ]


def _as_list(value: object) -> list[ast.expr]:
    found = value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, ast.expr)]


def _is_worth(statement: ast.stmt) -> bool:
    """Whether naming all of the statement's expression changes anything for the better."""
    named = isinstance(statement, ast.Assign | ast.AnnAssign)
    return not (isinstance(statement, ast.Expr) or named)


def _inside(node: ast.expr, *, always: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The expressions within one that can be put before the statement, and whether each is always evaluated."""
    stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if not stored:
        yield node, always
    if isinstance(node, ast.JoinedStr | ast.NamedExpr | ast.Yield | ast.YieldFrom):
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        yield from _inside(node.generators[0].iter, always=always)
        return
    lazy: list[ast.expr] = []
    match node:
        case ast.Lambda():
            return
        case ast.BoolOp(values=[_, *rest]) | ast.Compare(comparators=[_, *rest]):
            lazy = rest
        case ast.IfExp(body=body, orelse=orelse):
            lazy = [body, orelse]
    called = node.func if isinstance(node, ast.Call) else None
    for child in _expressions(node):
        if child is called:
            inner = child.value if isinstance(child, ast.Attribute) else None
            if inner is not None:
                yield from _inside(inner, always=always)
        else:
            yield from _inside(child, always=always and child not in lazy)


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.keyword | ast.Starred):
            yield child.value
        elif isinstance(child, ast.expr) and not isinstance(child, ast.Slice):
            yield child
        elif isinstance(child, ast.Slice):
            yield from (bound for bound in (child.lower, child.upper, child.step) if bound)


def suggestion(node: ast.expr) -> str:
    """A name that an expression suggests."""
    match node:
        case ast.Attribute(attr=name):
            return _usable(name.strip("_").lower(), "value")
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            first, _, rest = name.lower().strip("_").partition("_")
            return _usable(rest if first in _VERBS else "", "result")
        case ast.Await(value=value):
            return suggestion(value)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return "condition"
    return "value"


def _usable(name: str, otherwise: str) -> str:
    return name if name.isidentifier() and not keyword.iskeyword(name) else otherwise


def with_variable(snippet: Snippet, part: Part, name: str) -> list[str] | None:
    """The lines with the part in a variable, or None where they do not fit."""
    bare = spliced(snippet, [(node, _written(snippet, node, name)) for node in part.uses])
    lines = without_parentheses(bare, name) if isinstance(part.uses[0], ast.BinOp | ast.BoolOp | ast.Compare) else bare
    new = f"{part.place.indent}{name} = {part.source}"
    changed = [lines[node.lineno - 1] for node in part.uses]
    if max(map(len, [*changed, new])) > MAX_WIDTH:
        return None
    return [*lines[: part.place.first], new, *lines[part.place.first :]]


def _written(snippet: Snippet, node: ast.expr, name: str) -> str:
    """The name, with blanks where a word stands right beside the part."""
    row, column = start_of(snippet, node)
    before = snippet.lines[row][:column][-1:]
    return f" {name}" if before.isalnum() else name
