"""What the words tell to do about a value that may be None or empty: take another one, or leave out what uses it."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.code import Function, Position, end_of, stands_alone, start_of, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.bugs.slips import Spot, respelled, spots
from spark_tui.editing.codemods.common.negation import AND, OR, strength
from spark_tui.editing.codemods.common.values_told import named_path, paths_of, values_told
from spark_tui.editing.script import Indent, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, argument_names, dotted, movable, places, top_of

_NONE = re.compile(
    r"\b(?:none|null|nil|missing|unset|absent|not (?:given|set|there|passed|known)|lacks?|lacking|without|nonetype"
    r"|ha(?:s|ve) no|(?:is|are|there's|if|when|with) no)\b|^no\b|\bno (?:\S+ ){1,2}(?:is |was )?(?:given|set|passed)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\b(?:empty|blank|falsy)\b|(?<!\w)(?:\"\"|'')", re.IGNORECASE)
_SKIPS = re.compile(
    r"\b(?:skip(?:ped)?|ignored?|don't|do not|doesn't|not|nothing|leaves?|left|omit(?:ted)?|no need|unless|only)\b"
)
_USUAL = re.compile(r"\b(?:default|fall ?back|otherwise|usual|normal|standard)\b", re.IGNORECASE)
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Subscript, ast.BoolOp, ast.IfExp, ast.Await)
_MOST_USES, _MOST_VALUES, _MOST_SUBJECTS = 4, 2, 2
_GETTERS = {"get": 1, "pop": 1, "getattr": 2, "next": 1, "getenv": 1}


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A value that may be None or empty, in the function that uses it."""

    path: str
    function: Function
    empty: bool

    @property
    def test(self) -> str:
        """Whether it is."""
        return f"not {self.path}" if self.empty else f"{self.path} is None"

    @property
    def opposite(self) -> str:
        """Whether it is not."""
        return self.path if self.empty else f"{self.path} is not None"


def told_edits(before: Snippet, instruction: str) -> Iterator[tuple[Function, Ops]]:
    """The edits told of the values that are called None or empty, with the functions they are in."""
    none, empty = _NONE.search(instruction), _EMPTY.search(instruction)
    if not (none or empty):
        return
    values = values_told(before, instruction)
    for function in before.functions:
        if any(function in ast.walk(other) for other in before.functions if other is not function):
            continue
        usual = list(_usual(before, function)) if none and _USUAL.search(instruction) else []
        yield from ((function, ops) for ops in usual)
        for path, at in _subjects(before, function, instruction)[:_MOST_SUBJECTS]:
            doubt = _Doubt(path, function, not none)
            told = [source for source, start, end in values if not start <= at < end and source not in (path, "None")]
            edits = [ops for value in told[:_MOST_VALUES] for ops in _replacing(before, doubt, value)]
            if not edits and _SKIPS.search(instruction.lower()):
                edits = list(_left_out(before, doubt))
            yield from ((function, ops) for ops in edits)


def _subjects(before: Snippet, function: Function, instruction: str) -> list[tuple[str, int]]:
    """The values of a function that the words name, with where; what it calls stands for what it gets from it."""
    nodes = list(ast.walk(function))
    made = {name: one.targets[0] for one in nodes if isinstance(one, ast.Assign) and (name := _maker(one.value))}
    own = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    own |= {*argument_names(function), "self"}
    known = {name: path for name, path in paths_of(before).items() if path.partition(".")[0] in own}
    known |= {name: path for name, target in made.items() if name not in known and (path := dotted(target))}
    states = [match.span() for state in (_NONE, _EMPTY) for match in state.finditer(instruction)]
    said = [
        (
            path,
            match.start(),
            match[0] not in known,
            min(max(match.start() - end, start - match.end()) for start, end in states),
        )
        for match in re.finditer(r"[^\W\d]\w*(?:\.\w+)*", instruction)
        if (path := named_path(match[0], known))
    ]
    said.sort(key=lambda one: one[2:])
    return list({path: (path, at) for path, at, _, _ in reversed(said)}.values())[::-1]


def _maker(value: ast.expr) -> str:
    """The last name of what a value is got from by a call."""
    return (dotted(value.func) or "").rpartition(".")[2] if isinstance(value, ast.Call) else ""


def _replacing(before: Snippet, doubt: _Doubt, value: str) -> Iterator[Ops]:
    """Another value in the place of one that may be None: set once, or where it is used."""
    path = doubt.path
    top = top_of(before, doubt.function) if path in argument_names(doubt.function) else None
    if top:
        yield from _set(before, doubt, value, *top)
    else:
        for place in places(before):
            match place.node:
                case ast.Assign(targets=[target], value=given) if text_of(before, target) == path:
                    yield from _set(before, doubt, value, place.last, place.indent)
                    yield from _given(before, given, value)
    uses = [one for one in spots(doubt.function) if text_of(before, one.node) == path and _is_use(one)]
    for spot in uses if len(uses) <= (_MOST_USES if "." in path else 1) else ():
        for text in (f"{path} or {value}", f"{path} if {doubt.opposite} else {value}"):
            put = f"({text})" if isinstance(spot.parent, _LOOSE) else text
            if ops := respelled(before, start_of(before, spot.node), end_of(before, spot.node), put):
                yield ops


def _set(before: Snippet, doubt: _Doubt, value: str, after: int, indent: str) -> Iterator[Ops]:
    path, unit = doubt.path, before.layout.unit
    yield (Insert(after, (f"{indent}if {doubt.test}:", f"{indent}{unit}{path} = {value}")),)
    yield (Insert(after, (f"{indent}{path} = {path} or {value}",)),)


def _given(before: Snippet, given: ast.expr, value: str) -> Iterator[Ops]:
    """The value in what is assigned: as the default of a call that takes one, and after `or`."""
    text = text_of(before, given)
    if not text:
        return
    start, end = start_of(before, given), end_of(before, given)
    if isinstance(given, ast.Call) and not given.keywords:
        name = (text_of(before, given.func)).rpartition(".")[2]
        if _GETTERS.get(name) == len(given.args) and (ops := respelled(before, start, end, f"{text[:-1]}, {value})")):
            yield ops
    enclosed = f"({text})" if strength(before, given) < OR else text
    if ops := respelled(before, start, end, f"{enclosed} or {value}"):
        yield ops


def _is_use(spot: Spot) -> bool:
    """Whether a value is read where another one could stand."""
    if not isinstance(getattr(spot.node, "ctx", None), ast.Load):
        return False
    called = isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node
    tested = isinstance(spot.parent, ast.If | ast.While | ast.BoolOp | ast.IfExp | ast.Assert)
    if isinstance(spot.parent, ast.Compare) and isinstance(spot.parent.ops[0], ast.Is | ast.IsNot):
        tested = True
    return not (called or tested)


def _usual(before: Snippet, function: Function) -> Iterator[Ops]:
    """Where a name is returned, what the function returns at its end in the place of None."""
    last = function.body[-1]
    other = text_of(before, last.value) if isinstance(last, ast.Return) and last.value else ""
    for node in walk_scope(function):
        if isinstance(node, ast.Return) and node is not last and isinstance(node.value, ast.Name) and other:
            path, start, end = node.value.id, start_of(before, node.value), end_of(before, node.value)
            for text in (f"{path} if {path} is not None else {other}", f"{path} or {other}"):
                if ops := respelled(before, start, end, text):
                    yield ops


def _left_out(before: Snippet, doubt: _Doubt) -> Iterator[Ops]:
    """The outermost statements that use a value put under a condition, or the block left before them."""
    yield from _tested(before, doubt)
    for place in _users(before, doubt):
        head = f"{place.indent}if {doubt.opposite}:"
        if movable(place.node) and stands_alone(before, place.node):
            yield (Insert(place.first - 1, (head,)), Indent(place.first, place.last))
        word = "return" if place.block is doubt.function.body else "continue" if place.in_loop else ""
        if word and place.node is place.block[-1]:
            inner = place.indent + before.layout.unit + word
            yield (Insert(place.first - 1, (f"{place.indent}if {doubt.test}:", inner)),)


def _tested(before: Snippet, doubt: _Doubt) -> Iterator[Ops]:
    """The conditions that read something of a value, with a look at the value itself before."""
    for node in ast.walk(doubt.function):
        if isinstance(node, ast.If | ast.While | ast.IfExp) and (source := text_of(before, node.test)):
            used = [one for one in ast.walk(node.test) if isinstance(one, ast.Attribute | ast.Subscript | ast.Compare)]
            inner = {text_of(before, one.left if isinstance(one, ast.Compare) else one.value) for one in used}
            if doubt.path in inner and doubt.test not in source and doubt.opposite not in source.split(" and "):
                own = f"({source})" if strength(before, node.test) < AND else source
                if ops := respelled(before, *_span(before, node.test), f"{doubt.opposite} and {own}"):
                    yield ops


def _span(before: Snippet, node: ast.expr) -> tuple[Position, Position]:
    return start_of(before, node), end_of(before, node)


def _users(before: Snippet, doubt: _Doubt) -> Sequence[Place]:
    """The statements that use a value and neither set nor test it, without those inside of others found."""
    found: list[Place] = []
    for place in places(before):
        inside = any(one.first <= place.first and place.last <= one.last for one in found)
        if place.function is not doubt.function or inside or isinstance(place.node, ast.If | Function):
            continue
        read = [one for one in ast.walk(place.node) if isinstance(one, ast.Name | ast.Attribute)]
        used = [one for one in read if text_of(before, one) == doubt.path]
        if used and all(isinstance(one.ctx, ast.Load) for one in used):
            found.append(place)
    return found[:_MOST_USES]
