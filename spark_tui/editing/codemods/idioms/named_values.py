"""Values by what they are made with: min and max for bounds, divmod, abs, reversed, a swap, what is unpacked."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from spark_tui.editing.codemods.common.negation import ATOM
from spark_tui.editing.codemods.folding.fold_sources import enclosed_source, following, last_row, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, lines_of, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, outside_fstrings, places

_ITERATING = frozenset("list tuple set sorted enumerate zip sum max min any all map filter join".split())  # noqa: SIM905


def _bounded(before: Snippet, words: str) -> Iterator[Fold]:
    """Two checks that keep a value within bounds, by max and min."""
    for place in places(before):
        for last, head, value, bounds in _checks(place):
            low, high = (source_of(before, bounds[side]) for side in ("low", "high"))
            text = source_of(before, value)
            inner = f"min(max({text}, {low}), {high})" if "min(max" in words else f"max({low}, min({text}, {high}))"
            yield folded(before, place, last, f"{head}{inner}")


def _checks(place: Place) -> Iterator[tuple[int, str, ast.expr, dict[str, ast.expr]]]:
    """Where bounds are checked: the last row, what the value goes to, the value and its bounds."""
    first = _bound(place.node)
    rest = following(place, 2)
    if not first:
        return
    assert isinstance(place.node, ast.If)
    inner = place.node.orelse
    match inner or rest:
        case [ast.If() as other, *after] if (second := _bound(other)) and same(first[2], second[2]):
            pass
        case _:
            return
    ends = (other.orelse or rest) if inner else after
    returns = first[0] is None
    sides = {first[1]: first[3], second[1]: second[3]}
    if len(sides) < 2 or (first[0] is None) != (second[0] is None) or (inner and other.orelse and not returns):
        return
    match ends:
        case [ast.Return(value=ast.expr() as value) as end, *_] if returns and same(value, first[2]):
            yield max(last_row(end), place.last), "return ", value, sides
        case _ if not returns and first[0] and second[0] and same(first[0], second[0]) and same(first[0], first[2]):
            last = place.last if inner else last_row(other)
            yield last, f"{ast.unparse(first[0])} = ", first[2], sides


def _bound(node: ast.stmt) -> tuple[ast.expr | None, str, ast.expr, ast.expr] | None:
    """What is set (None: it is returned), which bound, the value and the bound: `if x < low: x = low`."""
    match node:
        case ast.If(
            test=ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as op], comparators=[right]),
            body=[ast.Return(value=ast.expr() as given) | ast.Assign(targets=[_], value=given) as does],
        ):
            less = isinstance(op, ast.Lt | ast.LtE)
            to = does.targets[0] if isinstance(does, ast.Assign) else None
            if same(given, right):
                return to, "low" if less else "high", left, right
            if same(given, left):
                return to, "high" if less else "low", right, left
    return None


def _divmod(before: Snippet, _: str) -> Iterator[Fold]:
    """`q = a // b` and `r = a % b` below each other, either first."""
    for place in places(before):
        match place.node, following(place):
            case ast.Assign(targets=[ast.Name(id=one)], value=ast.BinOp(left=a, op=first, right=b)), [
                ast.Assign(targets=[ast.Name(id=two)], value=ast.BinOp(left=c, op=second, right=d)) as end
            ] if same(a, c) and same(b, d) and one != two and one not in _names(a, b):
                match first, second:
                    case ast.FloorDiv(), ast.Mod():
                        pair = f"{one}, {two}"
                    case ast.Mod(), ast.FloorDiv():
                        pair = f"{two}, {one}"
                    case _:
                        continue
                text = f"{pair} = divmod({source_of(before, a)}, {source_of(before, b)})"
                yield folded(before, place, last_row(end), text)


def _names(*nodes: ast.AST) -> set[str]:
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _absolute(before: Snippet, _: str) -> Iterator[Fold]:
    """`if x < 0: x = -x` and `x if x >= 0 else -x`."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.IfExp(test=test, body=body, orelse=other) if value := _either_sign(test, body, other):
                yield said(before, node, f"abs({source_of(before, value)})")
    for place in places(before):
        match place.node, following(place):
            case ast.If(test=test, body=[ast.Assign(targets=[to], value=value)], orelse=[]), _ if _either_sign(
                test, value, to
            ):
                head = source_of(before, to)
                yield folded(before, place, place.last, f"{head} = abs({head})")
            case ast.If(test=test, body=[ast.Return(value=ast.expr() as one)], orelse=[]), [
                ast.Return(value=ast.expr() as two) as end
            ] if value := _either_sign(test, one, two):
                yield folded(before, place, last_row(end), f"return abs({source_of(before, value)})")


def _either_sign(test: ast.expr, body: ast.expr, other: ast.expr) -> ast.expr | None:
    """The value that is turned where it is negative, or None."""
    match test:
        case ast.Compare(left=value, ops=[op], comparators=[ast.Constant(value=0)]):
            turned = body if isinstance(op, ast.Lt | ast.LtE) else other if isinstance(op, ast.Gt | ast.GtE) else None
            plain = other if turned is body else body
            match turned:
                case ast.UnaryOp(op=ast.USub(), operand=inner) if same(inner, value) and same(plain, value):
                    return value
    return None


def _reversed(before: Snippet, _: str) -> Iterator[Fold]:
    """`xs[::-1]` where it is only gone through, and a range that counts down to 0."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.For(iter=over) | ast.comprehension(iter=over):
                given = [over]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _ITERATING:
                given = args
            case _:
                continue
        for one in given:
            match one:
                case ast.Subscript(value=owner, slice=at) if ast.unparse(at) == "::-1":
                    yield said(before, one, f"reversed({source_of(before, owner)})")
                case ast.Call(func=ast.Name(id="range"), args=[start, stop, step]) if [
                    ast.unparse(stop), ast.unparse(step)
                ] == ["-1", "-1"]:  # fmt: skip
                    match start:
                        case ast.BinOp(left=size, op=ast.Sub(), right=ast.Constant(value=1)):
                            yield said(before, one, f"reversed(range({source_of(before, size)}))")


def _swapped(before: Snippet, _: str) -> Iterator[Fold]:
    """`t = a`, `a = b`, `b = t` as `a, b = b, a`."""
    for place in places(before):
        match place.node, following(place, 2):
            case ast.Assign(targets=[ast.Name(id=kept)], value=one), [
                ast.Assign(targets=[to], value=other),
                ast.Assign(targets=[last], value=ast.Name(id=again)) as end,
            ] if kept == again and same(one, to) and same(other, last):
                scope = place.function or before.tree
                uses = [node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == kept]
                if len(uses) == 2:
                    texts = source_of(before, one), source_of(before, other)
                    text = f"{texts[0]}, {texts[1]} = {texts[1]}, {texts[0]}"
                    yield folded(before, place, last_row(end), text)


def _unpacked(before: Snippet, words: str) -> Iterator[Fold]:
    """`for p in pairs` that only takes `p[0]` and `p[1]`, with a name for each: those it gives them, or those told."""
    for place in places(before):
        match place.node:
            case ast.For(target=ast.Name(id=name) as target, iter=over, body=body, orelse=[]):
                taken = _taken(body, name)
            case _:
                continue
        count = max(taken, default=0) + 1
        if len(taken) < 2 or len(taken) != count:
            continue
        leads = _leads(body, name, count)
        names = leads or _told(words, count) or _usual(over, count)
        spots = [said(before, target, ", ".join(names)).spots[0]]
        spots += [
            said(before, node, names[at]).spots[0] for at, nodes in taken.items() for node in nodes
        ] if not leads else []  # fmt: skip
        below = next(one for one in places(before) if one.node is body[0])
        spots += [lines_of(before, below, last_row(body[count - 1]))] if leads else []
        yield replace(said(before, target, name), spots=tuple(spots))


def _taken(body: list[ast.stmt], name: str) -> dict[int, list[ast.Subscript]]:
    """By its place, where each element is taken; nothing where the whole is used, or an f-string takes one."""
    found: dict[int, list[ast.Subscript]] = {}
    uses = 0
    for node in (inner for one in body for inner in ast.walk(one)):
        match node:
            case ast.Subscript(value=ast.Name(id=held), slice=ast.Constant(value=int(at)), ctx=ast.Load()) if (
                held == name and at >= 0
            ):
                found.setdefault(at, []).append(node)
            case ast.Name(id=used) if used == name:
                uses += 1
            case ast.JoinedStr() if name in _names(node):
                return {}
    return found if uses == sum(map(len, found.values())) else {}


def _leads(body: list[ast.stmt], name: str, count: int) -> list[str]:
    """The names that the first statements give the elements, in order, where nothing else takes them."""
    names = []
    for at, node in enumerate(body[:count]):
        match node:
            case ast.Assign(targets=[ast.Name(id=given)], value=ast.Subscript(value=held, slice=index)):
                if ast.unparse(held) != name or ast.unparse(index) != str(at):
                    return []
                names.append(given)
    later = _names(*body[count:]) if len(body) > count else set()
    return names if len(names) == count and len(body) > count and name not in later else []


def _told(words: str, count: int) -> list[str]:
    """The names that the words give: `as name, price`, "into key and value"."""
    found = re.search(rf"\b(?:as|into|to|for|with|names?) ((?:\w+(?:, | and |,)){{{count - 1}}}\w+)\b", words)
    return re.split(r", | and |,", found[1]) if found else []


def _usual(over: ast.expr, count: int) -> list[str]:
    match over:
        case ast.Call(func=ast.Attribute(attr="items")):
            return ["key", "value"][:count]
        case ast.Call(func=ast.Name(id="enumerate")):
            return ["i", "item"][:count]
    return ["first", "second", "third", "fourth", "fifth", "sixth"][:count]


def _merged(before: Snippet, words: str) -> Iterator[Fold]:
    """A copy of a dict that is updated right below as one expression."""
    for place in places(before):
        match place.node, following(place):
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=args, keywords=[])), [
                ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="update"), args=[more], keywords=[])
                ) as end
            ] if held == name and name not in _names(more):
                match func, args:
                    case ast.Attribute(value=one, attr="copy"), []:
                        pass
                    case ast.Name(id="dict"), [one]:
                        pass
                    case _:
                        continue
                first, second = (enclosed_source(before, each, ATOM) for each in (one, more))
                union = re.search(r"\||\bunion\b|\bpipe\b|\boperator\b", words)
                text = f"{first} | {second}" if union else f"{{**{first}, **{second}}}"
                yield folded(before, place, last_row(end), f"{name} = {text}")


VALUES: tuple[tuple[str, Rule], ...] = (
    (r"\b(?:min|max)\b.*\b(?:min|max)\b|\bclamp\b.*\b(?:min|max|one line|one expression)\b", _bounded),
    (r"\bdivmod\b", _divmod),
    (r"\babs\b", _absolute),
    (r"\breversed\b", _reversed),
    (r"\bswap|\bte?mp\b|\btemporar|\btuple|\bat once\b|\b(?:one|single) (?:line|statement)\b", _swapped),
    (r"\b(?:unpack|destructur)", _unpacked),
    (r"\*\*|\||\bunpack|\bmerge\b|\bunion\b", _merged),
)
"""What names a rule, and the rule."""
