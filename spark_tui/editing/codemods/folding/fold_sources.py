"""What the rules of `folds.py` share: sources of expressions, what statements set, and what stands below them."""

import ast
from collections.abc import Callable, Iterator, Sequence

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.common.negation import enclosed, negated
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place

New = tuple[int, int, list[str]]
"""The first and the last line that go, 0-based, and the lines that come, not indented."""
Rule = Callable[[Snippet, Place], Iterator[New]]
ToldRule = Callable[[Snippet, Place, str], Iterator[New]]
"""A rule that looks at the words, for names they tell."""


def same(one: ast.AST | None, other: ast.AST | None) -> bool:
    """Whether two expressions are the same, whatever their layout."""
    return one is not None and other is not None and ast.unparse(one) == ast.unparse(other)


def source_of(before: Snippet, node: ast.expr) -> str:
    """The source of an expression, on one line."""
    return text_of(before, node) or ast.unparse(node)


def enclosed_source(before: Snippet, node: ast.expr, least: int) -> str:
    """The source of an expression on one line, in parentheses if it holds together less than `least`."""
    text = enclosed(before, node, least)
    if text:
        return text
    alone = Snippet((ast.unparse(node),))
    return enclosed(alone, _only(alone), least)


def opposite(before: Snippet, test: ast.expr) -> str:
    """The opposite of a condition, on one line."""
    alone = before if text_of(before, test) else Snippet((ast.unparse(test),))
    return negated(alone, test if alone is before else _only(alone))


def _only(snippet: Snippet) -> ast.expr:
    node = snippet.tree.body[0]
    assert isinstance(node, ast.Expr)
    return node.value


def following(place: Place, count: int = 1) -> list[ast.stmt]:
    """The statements right below."""
    return list(place.block[place.index + 1 : place.index + 1 + count])


def last_row(node: ast.stmt) -> int:
    """The last row of a statement."""
    return (node.end_lineno or node.lineno) - 1


def body_lines(before: Snippet, place: Place, block: Sequence[ast.stmt]) -> list[str]:
    """The lines of a block as deep as they are, without the indentation of a place."""
    rows = range(block[0].lineno - 1, last_row(block[-1]) + 1)
    return [before.lines[row].removeprefix(place.indent) for row in rows]


def head_of(before: Snippet, node: ast.stmt) -> str:
    """What stands before the value of an assignment or a return."""
    match node:
        case ast.Assign(targets=[target]):
            return f"{source_of(before, target)} = "
        case ast.AnnAssign(target=target, annotation=hint):
            return f"{source_of(before, target)}: {source_of(before, hint)} = "
        case ast.Return():
            return "return "
    return ""


def value_of(node: ast.stmt) -> ast.expr | None:
    """What a statement assigns or returns."""
    match node:
        case ast.Assign(targets=[_], value=value) | ast.AnnAssign(value=value) | ast.Return(value=value):
            return value
    return None


def alike(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements set the same, or both return."""
    match one, other:
        case ast.Return(), ast.Return():
            return True
        case ast.Assign(targets=[a]) | ast.AnnAssign(target=a), ast.Assign(targets=[b]):
            return same(a, b)
    return False


def mark_of(before: Snippet) -> str:
    """The quotation mark that the region uses more."""
    text = "\n".join(before.lines)
    return "'" if text.count("'") > text.count('"') else '"'
