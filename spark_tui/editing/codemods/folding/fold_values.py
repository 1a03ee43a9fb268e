"""Values worked out in fewer steps: bounds by min and max, aliases, pops, parts of a text, bare annotations."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.negation import OR, enclosed
from spark_tui.editing.codemods.folding.fold_sources import (
    New,
    Rule,
    body_lines,
    following,
    last_row,
    same,
    source_of,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, argument_names

_NEEDLESS = (
    r"\b(?:unnecessary|needless|superfluous|without|drop|remove|no|don't need|pointless|rid of|lose|noop|no-op|can go"
    r"|goes|saves nothing|anyway|always|never|can't be|for nothing|useless)\b"
)
_TESTS = r"\b(?:ifs?|checks?|conditions?|tests?)\b"


def _bounded(before: Snippet, place: Place) -> Iterator[New]:
    """A bound kept by an `if` as one by min or max; with the assignment above in it."""
    match place.node:
        case ast.If(
            test=ast.Compare(left=left, ops=[op], comparators=[bound]),
            body=[ast.Assign(targets=[target], value=value)],
            orelse=[],
        ) if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            low = isinstance(op, ast.Lt | ast.LtE)
            if same(bound, target) and same(left, value):
                left, bound, low = bound, left, not low
            if not same(left, target) or not same(bound, value):
                return
            name, verb, limit = source_of(before, target), "max" if low else "min", source_of(before, value)
            above = place.block[place.index - 1] if place.index else None
            match above:
                case ast.Assign(targets=[given], value=made) as one if same(given, target):
                    yield one.lineno - 1, place.last, [f"{name} = {verb}({source_of(before, made)}, {limit})"]
            yield place.first, place.last, [f"{name} = {verb}({name}, {limit})"]
            yield place.first, place.last, [f"{name} = {verb}({limit}, {name})"]


def _annotated(before: Snippet, place: Place) -> Iterator[New]:
    """A bare annotation at the first assignment below it in its block."""
    match place.node:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=hint, value=None):
            for node in place.block[place.index + 1 :]:
                match node:
                    case ast.Assign(targets=[ast.Name(id=given)]) if given == name:
                        rows = [
                            line.removeprefix(place.indent)
                            for line in before.lines[place.last + 1 : last_row(node) + 1]
                        ]
                        at = node.lineno - 2 - place.last
                        rows[at] = rows[at].replace(f"{name} =", f"{name}: {source_of(before, hint)} =", 1)
                        yield place.first, last_row(node), rows
                        return


def _chained(before: Snippet, place: Place) -> Iterator[New]:
    """A call of setdefault with what uses the element right below."""
    match place.node, following(place):
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="setdefault"), args=[key, *_]) as call), [
            user
        ]:
            row = user.lineno - 1
            uses = [node for node in ast.walk(user) if isinstance(node, ast.Subscript)]
            for node in uses:
                text, made = text_of(before, node), text_of(before, call)
                if same(node.value, owner) and same(node.slice, key) and text and made and last_row(user) == row:
                    yield place.first, row, [before.lines[row].replace(text, made, 1).removeprefix(place.indent)]


def _aliased(before: Snippet, place: Place) -> Iterator[New]:
    """Names for methods, as many as stand together, inlined."""
    if place.function is None or (place.index and _alias(place.block[place.index - 1])):
        return
    found: dict[str, str] = {}
    for node in place.block[place.index :]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value):
                found[name] = source_of(before, value)
            case _:
                break
    if found and all(_only_called(place.function, name) for name in found):
        first, last = last_row(place.block[place.index + len(found) - 1]) + 1, last_row(place.function)
        rows = [line.removeprefix(place.indent) for line in before.lines[first : last + 1]]
        for name, source in found.items():
            rows = [re.sub(rf"(?<![\w.\"']){name}(?=\()", source, row) for row in rows]
        yield place.first, last, rows


def _only_called(function: ast.AST, name: str) -> bool:
    """Whether a name is set once and used for nothing but calls."""
    nodes = list(ast.walk(function))
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    called = [node for node in nodes if isinstance(node, ast.Call) and node.func in uses]
    return len(called) == len(uses) - 1 > 0


def _alias(node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Attribute()):
            return True
    return False


def _taken(before: Snippet, place: Place) -> Iterator[New]:
    """An element read and deleted further down as one that is popped at once."""
    match place.node:
        case ast.Assign(value=ast.Subscript(value=owner, slice=key) as value) if place.function and text_of(
            before, value
        ):
            gone = [node for node in ast.walk(place.function) if _removes(node, owner, key)]
            rows = {
                row for node in gone if isinstance(node, ast.stmt) for row in range(node.lineno - 1, last_row(node) + 1)
            }
            if rows and min(rows) > place.last:
                popped = f"{source_of(before, owner)}.pop({source_of(before, key)})"
                lines = list(before.lines)
                lines[place.first] = lines[place.first].replace(text_of(before, value), popped, 1)
                kept = [lines[row] for row in range(place.first, max(rows) + 1) if row not in rows]
                yield place.first, max(rows), [line.removeprefix(place.indent) for line in kept]


def _removes(node: ast.AST, owner: ast.expr, key: ast.expr) -> bool:
    match node:
        case ast.Delete(targets=[ast.Subscript(value=held, slice=used)]):
            return same(held, owner) and same(used, key)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr="pop"), args=[used, *_])):
            return same(held, owner) and same(used, key)
    return False


def _got(before: Snippet, place: Place) -> Iterator[New]:
    """`if k in d: x = d[k]` as a walrus with get."""
    match place.node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.In()], comparators=[owner]),
            body=[ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=held, slice=used)), *_, _] as body,
            orelse=[],
        ) if same(owner, held) and same(key, used):
            head = f"if {name} := {source_of(before, owner)}.get({source_of(before, key)}):"
            yield place.first, place.last, [head, *body_lines(before, place, body[1:])]


def _parted(before: Snippet, place: Place) -> Iterator[New]:
    """`i = s.find(mark)` and slices at it as a partition."""
    match place.node, following(place):
        case ast.Assign(
            targets=[ast.Name(id=index)],
            value=ast.Call(func=ast.Attribute(value=text, attr="find"), args=[mark]),
        ), [ast.If(test=ast.Compare(left=ast.Name(id=tested), ops=[sign], comparators=[bound])) as one] if (
            tested == index and (test := _found_test(sign, bound))
        ):
            source = source_of(before, text)
            rows = [line.removeprefix(place.indent) for line in before.lines[one.lineno : last_row(one) + 1]]
            slices = {0: rf"{re.escape(source)}\[: ?{index}\]", 2: rf"{re.escape(source)}\[{index} ?\+ ?1 ?:\]"}
            names, kept = ["head", "sep", "tail"], _known_above(place) - {source}
            for at, pattern in slices.items():
                setting = re.compile(rf"\s*(\w+) = {pattern}")
                names[at] = next((match[1] for row in rows if (match := setting.match(row))), names[at])
                names[at] = names[at] if names[at] not in kept else ("head", "sep", "tail")[at]
                rows = [row for row in rows if not re.fullmatch(rf"\s*{names[at]} = {pattern}", row)]
                rows = [re.sub(pattern, names[at], row) for row in rows]
            if any(re.search(rf"(?<!\w){index}(?!\w)", row) for row in rows):
                return
            for name in ("sep", "colon") if ":" in source_of(before, mark) else ("sep",):
                head = f"{names[0]}, {name}, {names[2]} = {source}.partition({source_of(before, mark)})"
                yield place.first, last_row(one), [head, f"if {test.format(name)}:", *rows]


def _known_above(place: Place) -> set[str]:
    """The names that have a value before a statement, which stays theirs where nothing is found."""
    if place.function is None:
        return set()
    names = [one for one in ast.walk(place.function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return {one.id for one in names if one.lineno <= place.first} | set(argument_names(place.function))


def _found_test(sign: ast.cmpop, bound: ast.expr) -> str:
    """What tests a separator as a comparison of what `find` gave does, or ""."""
    match sign, ast.unparse(bound):
        case (ast.GtE(), "0") | (ast.NotEq() | ast.Gt(), "-1"):
            return "{}"
        case (ast.Lt(), "0") | (ast.Eq() | ast.LtE(), "-1"):
            return "not {}"
    return ""


def _merged(before: Snippet, place: Place) -> Iterator[New]:
    """Two branches that do the same as one."""
    match place.node:
        case ast.If(test=test, body=body, orelse=[ast.If(test=other, body=again)]):
            texts = enclosed(before, test, OR + 1), enclosed(before, other, OR + 1)
            if all(texts) and list(map(ast.unparse, body)) == list(map(ast.unparse, again)):
                below = before.lines[last_row(again[-1]) + 1 : place.last + 1]
                rest = [line.removeprefix(place.indent) for line in below]
                for pair in (texts, texts[::-1]):
                    head = f"if {pair[0]} or {pair[1]}:"
                    yield place.first, place.last, [head, *body_lines(before, place, body), *rest]


def _unwrapped(before: Snippet, place: Place) -> Iterator[New]:
    """What an `if` holds without it."""
    match place.node:
        case ast.If(body=body, orelse=[]):
            rows = body_lines(before, place, body)
            yield place.first, place.last, [row.removeprefix(before.layout.unit) for row in rows]


def _returned(before: Snippet, place: Place) -> Iterator[New]:
    """`if a: return b` and `return False` as one return with `and`; a dict of equal values as dict.fromkeys."""
    match place.node, following(place):
        case ast.If(test=test, body=[ast.Return(value=ast.expr() as value)], orelse=[]), [
            ast.Return(value=ast.Constant(value=False)) as end
        ]:
            one, other = enclosed(before, test, OR + 1), enclosed(before, value, OR + 1)
            if one and other:
                yield place.first, last_row(end), [f"return {one} and {other}"]
                yield place.first, last_row(end), [f"return {other} and {one}"]


VALUES: tuple[tuple[str, Rule], ...] = (
    (r"\bmin\b|\bmax\b|clamp|\bbound", _bounded),
    (r"annotat\w*|declar\w*", _annotated),
    (r"setdefault|\bchain", _chained),
    (r"alias|inline|\bdirect", _aliased),
    (r"\bpop", _taken),
    (r"walrus|:=", _got),
    (r"partition", _parted),
    (r"\bmerge|\bsame\b|\bbranch\w*\b.*\bone\b|\bjoin|\bcombin|\btogether\b", _merged),
    (r"\breturn\b|\band\b|\bonce\b", _returned),
    (rf"{_NEEDLESS}.*{_TESTS}|{_TESTS}.*{_NEEDLESS}", _unwrapped),
)  # fmt: skip
