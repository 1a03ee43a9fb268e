"""Between which statements a new line may be meant to go, by the words that it shares with what stands around."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import Function, docstring_node, indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.statements.statement_words import stems
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, SCOPES

_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SIDE = re.compile(
    r"\b(?:(?P<before>before|above|ahead of|in front of|prior to|until)"
    r"|(?P<after>after|below|under|beneath|behind|once|following|when|if|whenever))\b(?P<what>[^,;:]{2,60})",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:at the (?:very )?(?:start|top|beginning)|first(?: thing)?|up front|(?:start|top) of|on entry)\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\bat the (?:very )?(?:end|bottom)\b|\bin the end\b|\blast\b|\bfinally\b|\bat its end\b", re.IGNORECASE
)
_CAUGHT = re.compile(r"\b(?:\w*Error|\w*Exception|except|caught|catch\w*|swallow\w*|fail\w*|re-?rais\w+|lost)\b")
_KINDS: tuple[tuple[type[ast.AST] | tuple[type[ast.AST], ...], str], ...] = (
    ((ast.Assign, ast.AnnAssign, ast.AugAssign), "assignment setting"), ((ast.For, ast.AsyncFor, ast.While), "loop"),
    ((ast.With, ast.AsyncWith), "block lock context"), (ast.If, "check condition branch"),
    (ast.ExceptHandler, "handler"),    (ast.Return, "returning"), (ast.Raise, "raising"), (ast.Expr, "call"),
)  # fmt: skip
_OVER = re.compile(
    r"\bloop\b.{0,8}\b(?:through|done|over|finished|ended)\b|\b(?:after|below|behind) (?:the |that )?loop"
)
_NEAR, _SOME = 4, 2
_MOST = 8


@dataclass(frozen=True, slots=True)
class Gap:
    """A place for a line: below which 0-based line, how deep, and between which statements of which block."""

    after: int
    indent: str
    above: ast.stmt | None
    below: ast.stmt | None
    owner: ast.AST


def line_spots(before: Snippet, words: str, line: str, most: int = 4) -> list[Gap]:
    """The likeliest gaps for a line. Args: words: the instruction without the line."""
    sides = [
        (stems(match["what"]), _NEAR if match["before"] else 0, 0 if match["before"] else _NEAR)
        for match in _SIDE.finditer(words)
    ]
    sides.append((stems(f"{words} {line}" if re.search("[\"']", line) else words), 1, 1))
    fit = [gap for gap in gaps(before) if _fits(before, gap, line)]
    rated = [(_score(before, gap, sides, words), at, gap) for at, gap in enumerate(fit)]
    rated.sort(key=lambda one: (-one[0], one[1]))
    return [gap for score, _, gap in rated[:most] if score > 0]


def _fits(before: Snippet, gap: Gap, line: str) -> bool:
    """Whether a line can do something there: calls belong into functions where there are any."""
    outer = isinstance(gap.owner, ast.Module | ast.ClassDef) or (isinstance(gap.owner, ast.If) and not gap.indent)
    return not outer or re.match(r"[\w.]+ = ", line) is not None or not before.functions


def _score(before: Snippet, gap: Gap, sides: list[tuple[set[str], int, int]], words: str) -> int:
    above, below, head = (_stems(before, node) for node in (gap.above, gap.below, gap.owner))
    score = sum(len(said & below) * ahead + len(said & above) * behind for said, ahead, behind in sides)
    for said, ahead, behind in sides:
        score += len(said & head) * (_SOME if not ahead or gap.above is None else 1) if behind else 0
    owned = isinstance(gap.owner, Function)
    if _FIRST.search(words) and gap.above is None:
        score += 3 if owned else _SOME
    if _LAST.search(words) and (gap.below is None or isinstance(gap.below, ast.Return)):
        score += 3 if owned else 1
    if isinstance(gap.above, ast.For | ast.AsyncFor | ast.While) and _OVER.search(words):
        score += 9
    if _CAUGHT.search(words) and isinstance(gap.owner, ast.ExceptHandler) and gap.above is None:
        score += 3
    return score


def gaps(before: Snippet) -> Iterator[Gap]:
    """Every place for a line, in the order of the source."""
    yield from _within(before, before.tree, before.tree.body)


def _within(before: Snippet, owner: ast.AST, block: list[ast.stmt]) -> Iterator[Gap]:
    body = block
    documented = isinstance(owner, SCOPES) and docstring_node(owner) is not None
    above = block[0] if documented else None
    body = block[1:] if documented else block
    if isinstance(owner, ast.Module):
        above, body = None, block
    for node in body:
        if not stands_alone(before, node):
            return
        first, last = statement_lines(node)
        indent = indentation(before.lines[first])
        if not (isinstance(owner, ast.Module) and above is None):
            yield Gap(first - 1, indent, None if documented and node is body[0] else above, node, owner)
        for inner, statements in _blocks(node):
            yield from _within(before, inner, statements)
        above = node
        if node is body[-1] and not isinstance(node, _LEAVING):
            yield Gap(last, indent, node, None, owner)


def _blocks(node: ast.stmt) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    for name in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(node, name, None), list) and block:
            inner = block[0]
            chained = name == "orelse" and len(block) == 1 and isinstance(inner, ast.If) and isinstance(node, ast.If)
            if chained:
                yield from _blocks(inner)
            else:
                yield node, block
    for handler in getattr(node, "handlers", ()):
        yield handler, handler.body
    for case in getattr(node, "cases", ()):
        yield case, case.body


def _stems(before: Snippet, node: ast.AST | None) -> set[str]:
    """What a statement, or the head of a block, is spoken of by."""
    if node is None or isinstance(node, ast.Module | ast.match_case):
        return set()
    assert isinstance(node, ast.stmt | ast.ExceptHandler)
    first = node.lineno - 1
    last = (node.end_lineno or node.lineno) - 1
    if isinstance(node, (*COMPOUND, ast.ExceptHandler)) and getattr(node, "body", None):
        last = max(first, statement_lines(getattr(node, "body")[0])[0] - 1)  # noqa: B009 - a match has none
    kinds = next((told for kind, told in _KINDS if isinstance(node, kind)), "")
    return stems(" ".join([kinds, *(line.partition("  #")[0] for line in before.lines[first : last + 1])]))


def new_lines(before: Snippet, words: str, lines: list[str]) -> list[tuple[int, str, str]]:
    """The lines told with where each may go: below which 0-based line, and how deep; the likeliest first."""
    found = [
        (rank + at, gap.after, gap.indent, line)
        for rank, line in enumerate(lines)
        for at, gap in enumerate(line_spots(before, words.replace(line, " "), line))
    ]
    return [(after, indent, line) for _, after, indent, line in sorted(found, key=lambda one: one[0])][:_MOST]
