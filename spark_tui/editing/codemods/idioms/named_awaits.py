"""Awaits one after the other done at once, and tests by what they are made with: gather, assertRaises, assertEqual."""

import ast
from collections.abc import Iterator

from spark_tui.editing.codemods.folding.fold_sources import following, last_row, same, source_of
from spark_tui.editing.codemods.idioms.named_parts import Fold, Rule, folded, said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import outside_fstrings, places

_RENAMED = {
    "assertEquals": "assertEqual", "assertNotEquals": "assertNotEqual", "assertItemsEqual": "assertCountEqual",
    "assertRaisesRegexp": "assertRaisesRegex", "assertRegexpMatches": "assertRegex", "assert_": "assertTrue",
    "assertAlmostEquals": "assertAlmostEqual", "failUnless": "assertTrue",
}  # fmt: skip
_BY_OPERATOR: dict[type[ast.cmpop], str] = {
    ast.Eq: "assertEqual", ast.NotEq: "assertNotEqual", ast.In: "assertIn", ast.NotIn: "assertNotIn",
    ast.Is: "assertIs", ast.IsNot: "assertIsNot", ast.Lt: "assertLess", ast.Gt: "assertGreater",
    ast.LtE: "assertLessEqual", ast.GtE: "assertGreaterEqual",
}  # fmt: skip


def _gathered(before: Snippet, _: str) -> Iterator[Fold]:
    """A list filled by awaiting for each element as one `asyncio.gather`, returned where it is only returned."""
    for place in places(before):
        match place.node, following(place, 2):
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])), [
                ast.For(
                    target=target,
                    iter=over,
                    orelse=[],
                    body=[
                        ast.Expr(
                            value=ast.Call(
                                func=ast.Attribute(value=ast.Name(id=held), attr="append"), args=[ast.Await(value=each)]
                            )
                        )
                    ],
                ) as loop,
                *rest,
            ] if held == name:
                call = f"await asyncio.gather(*({source_of(before, each)} for {source_of(before, target)}"
                call += f" in {source_of(before, over)}))"
                match rest:
                    case [ast.Return(value=ast.Name(id=given)) as last] if given == name:
                        yield folded(before, place, last_row(last), f"return {call}")
                    case _:
                        yield folded(before, place, last_row(loop), f"{name} = list({call})")


def _sent_at_once(before: Snippet, _: str) -> Iterator[Fold]:
    """A loop that only awaits one thing for each element as one `asyncio.gather`."""
    for place in places(before):
        match place.node:
            case ast.For(target=target, iter=over, orelse=[], body=[ast.Expr(value=ast.Await(value=each))]):
                elements = f"{source_of(before, each)} for {source_of(before, target)} in {source_of(before, over)}"
                yield folded(before, place, place.last, f"await asyncio.gather(*({elements}))")


def _asserting_raises(before: Snippet, _: str) -> Iterator[Fold]:
    """`try: f(); self.fail() except E: pass` as `with self.assertRaises(E): f()`."""
    for place in places(before):
        match place.node:
            case ast.Try(
                body=[*body, ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="fail")))],
                handlers=[ast.ExceptHandler(type=ast.expr() as error, name=None, body=[ast.Pass()])],
                orelse=[],
                finalbody=[],
            ) if body:
                rows = before.lines[body[0].lineno - 1 : last_row(body[-1]) + 1]
                inner = [row[len(place.indent) :] for row in rows]
                head = f"with {source_of(before, owner)}.assertRaises({source_of(before, error)}):"
                yield folded(before, place, place.last, head, *inner)


def _asserting(before: Snippet, words: str) -> Iterator[Fold]:
    """`assertTrue(a == b)` as `assertEqual(a, b)`, of the methods that are told."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="assertTrue"),
                args=[ast.Compare(left=left, ops=[op], comparators=[right]), *more],
                keywords=[],
            ) if (name := _BY_OPERATOR.get(type(op), "")) and name.lower() in words.lower():
                given = ", ".join(source_of(before, one) for one in (left, right, *more))
                yield said(before, node, f"{source_of(before, owner)}.{name}({given})")


def _deprecated(before: Snippet, words: str) -> Iterator[Fold]:
    """The methods of tests that have another name by now, of those that are told."""
    for node in outside_fstrings(before.tree):
        match node:
            case ast.Attribute(value=owner, attr=attr) if attr in _RENAMED and (
                attr in words or "deprecated" not in words
            ):
                if not same(owner, node):
                    yield said(before, node, f"{source_of(before, owner)}.{_RENAMED[attr]}")


_AT_ONCE = r"\bgather\b|\bin parallel\b|\bconcurrently\b|\bat the same time\b"
AWAITS: tuple[tuple[str, Rule], ...] = (
    (_AT_ONCE, _gathered),
    (_AT_ONCE, _sent_at_once),
    (r"\bassertRaises\b", _asserting_raises),
    (r"\bassert(?:Equal|NotEqual|In|NotIn|Is|IsNot|Less|Greater)\b", _asserting),
    (r"\b(?:assert\w+|deprecated)\b", _deprecated),
)
"""What names a rule, and the rule."""
