"""Other words for a condition: `x in (a, b)` for two comparisons, `a >= b` for `not a < b`, its sides turned around."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.negation import AND, COMPARE, IF_ELSE, OR, negated
from spark_tui.editing.codemods.rewording.plainer import SYMBOLS
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, same, source_of, within
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def _membership(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`x is A or x is B` as `x in (A, B)`."""
    if not isinstance(node, ast.BoolOp):
        return
    kinds, word = ((ast.Eq, ast.Is), "in") if isinstance(node.op, ast.Or) else ((ast.NotEq, ast.IsNot), "not in")
    tests = [one for one in node.values if isinstance(one, ast.Compare) and isinstance(one.ops[0], kinds)]
    alike = [one for one in tests if len(one.ops) == 1 and same(one.left, tests[0].left)]
    if len(alike) < 2 or node.values[node.values.index(alike[0]) :][: len(alike)] != alike:
        return
    given = ", ".join(source_of(before, one.comparators[0]) for one in alike)
    brackets = "{}" if re.search(r"\bset\b", words) else "[]" if re.search(r"\blist\b", words) else "()"
    whole = f"{source_of(before, alike[0].left)} {word} {brackets[0]}{given}{brackets[1]}"
    at, joint = node.values.index(alike[0]), " or " if isinstance(node.op, ast.Or) else " and "
    ahead = [source_of(before, one) for one in node.values[:at]]
    yield joint.join([*ahead, whole, *(source_of(before, one) for one in node.values[at + len(alike) :])])


def _not_compared(before: Snippet, node: ast.AST, parent: ast.AST, _: str) -> Iterator[str]:
    """`not (a < b)` as `a >= b`."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[_]) as test):
            yield negated(before, test)
        case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp() as test) if new := negated(before, test):
            yield new if isinstance(parent, ast.stmt) else f"({new})"


def _chained(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x < a or x > b` as `not a <= x <= b`."""
    match node:
        case ast.BoolOp(
            op=ast.Or(),
            values=[
                ast.Compare(left=one, ops=[low], comparators=[least]),
                ast.Compare(left=two, ops=[high], comparators=[most]),
            ],
        ) if same(one, two):
            signs = {ast.Lt: ("<=", ""), ast.LtE: ("<", ""), ast.Gt: ("", "<="), ast.GtE: ("", "<")}
            under, over = signs.get(type(low), ("", "")), signs.get(type(high), ("", ""))
            first, second = (source_of(before, one) for one in (least, most))
            if under[0] and over[1]:
                yield f"not {first} {under[0]} {source_of(before, one)} {over[1]} {second}"
            elif under[1] and over[0]:
                yield f"not {second} {over[0]} {source_of(before, one)} {under[1]} {first}"


def _and_or(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`a and b or c` as `b if a else c`."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[ast.BoolOp(op=ast.And(), values=[test, value]), other]):
            yield f"{within(before, value, OR)} if {within(before, test, OR)} else {within(before, other, IF_ELSE)}"


def _turned_choice(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`a if x else b` as `b if not x else a`; a test for equality may look for another value that is told."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=other):
            arms = within(before, other, OR), within(before, body, IF_ELSE)
            match test:
                case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=str(old))]):
                    symbol = "==" if isinstance(test.ops[0], ast.Eq) else "!="
                    mark = source_of(before, test.comparators[0])[-1]
                    for new in dict.fromkeys(re.findall(r"\w+", words)):
                        if new != old and (new.startswith(old) or old.startswith(new)) and len(new) > 2:
                            test_text = f"{source_of(before, left)} {symbol} {mark}{new}{mark}"
                            yield f"{arms[0]} if {test_text} else {arms[1]}"
            if new := negated(before, test):
                yield f"{arms[0]} if {new} else {arms[1]}"


def _turned(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """The sides of a comparison, of `and` and of `or` in the other order."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in SYMBOLS:
            yield f"{source_of(before, right)} {_FLIPPED[SYMBOLS[type(op)]]} {source_of(before, left)}"
        case ast.BoolOp(op=op, values=[left, right]):
            word, least = ("and", AND) if isinstance(op, ast.And) else ("or", OR)
            yield f"{within(before, right, least + 1)} {word} {within(before, left, least + 1)}"


def _as_told(before: Snippet, node: ast.AST, __: ast.AST, words: str) -> Iterator[str]:
    """A comparison as it is told by the last parts of the names of its sides: "pos >= len"."""
    match node:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            known = {name: side for side in (left, right) for name in _called(side)}
            for match in re.finditer(r"(?<![\w.])([\w.]+) (==|!=|<=|>=|<|>) ([\w.]+)", words):
                one, other = known.get(match[1]), known.get(match[3].rstrip("."))
                if one and other and one is not other:
                    yield f"{source_of(before, one)} {match[2]} {source_of(before, other)}"


def _called(node: ast.expr) -> set[str]:
    name = (dotted(node) or "").rpartition(".")[2].strip("_")
    return {name, name.rpartition("_")[2]} - {""}


def _compared_bool(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`bool(x)` as a comparison that is told, `x > 0`."""
    match node:
        case ast.Call(func=ast.Name(id="bool"), args=[given], keywords=[]):
            for sign in re.findall(r"(?:[<>]=?|[!=]=|is not) (?:-?\d+|None|\"\"|'')", words):
                yield f"{within(before, given, COMPARE + 1)} {sign}"


def _callable(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`hasattr(x, "a") and callable(x.a)` and `getattr(x, "a", None) is not None` by one `callable(getattr(...))`."""
    match node:
        case ast.BoolOp(
            op=ast.And(),
            values=[
                ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=name) as key]),
                ast.Call(func=ast.Name(id="callable"), args=[ast.Attribute(value=held, attr=attr)]),
            ],
        ) if name == attr and same(owner, held):
            yield f"callable(getattr({source_of(before, owner)}, {source_of(before, key)}, None))"
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            yield f"{'not ' * isinstance(op, ast.Is)}callable({source_of(before, left)})"
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as inner):
            yield f"not callable({source_of(before, inner)})"


COMPARED: tuple[tuple[str, Rule], ...] = (
    (
        (
            r"`in\b|\bin (?:check|test)|\bin \(|\bin (?:with |over |and )?(?:a |the )?(?:tuple|set|list)"
            r"|\bmember\w*|\bone in\b|\btwice\b|\btuple\b"
        ),
        _membership,
    ),
    (
        r"<=|>=|[<>]|\bnot\b|\bturn|\bflip|\binvert|\bnegat|\bdouble|de ?morgan|\bsim20\d|at least|at most",
        _not_compared,
    ),
    (r"\bchain|\brange\b|\bbetween\b|\bone comparison|<=? \w+ <=?", _chained),
    (r"\bternary|\bconditional|\band\b.*\bor\b|\bif\b.*\belse\b", _and_or),
    (
        r"\bnot\b|\bturn|\bswap|\bflip|\binvert|\bpositive|\b(?:test|check) for\b|\bfirst\b|\breverse|\baround\b",
        _turned_choice,
    ),
    (
        r"\bswap|\bturn|\byoda|\boperands?\b|\bother way|\border\b|\bflip|\bsim300|\bleft\b|\bfirst\b|\breverse",
        _turned,
    ),
    (r"(?:[!=<>]=|[<>]) \w", _as_told),
    (r"\bbool\b", _compared_bool),
    (r"\bcallable\b", _callable),
)
"""What names a rule in lower case, and the rule."""
