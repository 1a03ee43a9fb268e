"""From what a model wrote about a region to the whole file it proposes."""

import ast
from collections.abc import Iterable, Sequence

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.identifiers import occurrences, substitute
from spark_tui.editing.left_behind import left_behind
from spark_tui.editing.script import LineOp, Substitute
from spark_tui.editing.stretches import is_large
from spark_tui.editing.text import Text
from spark_tui.editing.trees import parse


class Proposals:
    """Proposals for one region of one file.

    Renaming the region's own function or class, when it stands at the top of its module, renames it in the rest of
    the file too, unless the old name is bound there as well or the new one is taken.

    Args: base: the file. region: where in it the model edits.
    """

    def __init__(self, base: Text, region: Region) -> None:
        self._base = base
        self._region = region
        self._reaches: dict[Substitute, bool] = {}

    def file(self, lines: Sequence[str], ops: Iterable[LineOp]) -> Text:
        """The file with the region's lines replaced. Args: lines: without endings. ops: those that are closed."""
        start = self._region.start_line - 1
        text = self._base.replace_lines(start, self._region.end_line, lines)
        for op in ops:
            if isinstance(op, Substitute) and self._reaches_out(op):
                text = _substituted(text, op, range(start, start + len(lines)))
        return text

    def left_behind(self, lines: Sequence[str]) -> tuple[Check, ...]:
        """That a name is still used around the region which is lost in it, where the file does not parse.

        Args: lines: of the region, as proposed.
        """
        if is_large(self._base):
            return ()
        start, end, base = self._region.start_line - 1, self._region.end_line, self._base.lines
        others = ((1, base[:start]), (end + 1, base[end:]))
        return left_behind(base[start:end], lines, others, in_class="." in (self._region.symbol or ""))

    def _reaches_out(self, op: Substitute) -> bool:
        if op not in self._reaches:
            self._reaches[op] = op.old == self._region.symbol and self._is_free(op)
        return self._reaches[op]

    def _is_free(self, op: Substitute) -> bool:
        text = "\n".join(self._base.lines)
        try:
            tree = parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return False
        taken = any(occurrences(text, op.new))
        return not taken and sum(_binds(node, op.old) for node in ast.walk(tree)) == 1


def _substituted(text: Text, op: Substitute, region: range) -> Text:
    """Rename in the lines outside the region."""
    for lines in (range(region.start), range(region.stop, len(text.lines))):
        old = text.lines[lines.start : lines.stop]
        for number, before, after in zip(lines, old, substitute(old, op.old, op.new), strict=True):
            if before != after:
                text = text.replace_lines(number, number + 1, [after])
    return text


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found, ctx=ast.Store() | ast.Del()):
            return found == name
        case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) | ast.ClassDef(name=found):
            return found == name
        case ast.arg(arg=found) | ast.ExceptHandler(name=found) | ast.MatchAs(name=found) | ast.MatchStar(name=found):
            return found == name
        case ast.alias(name=dotted, asname=found):
            return (found or dotted.partition(".")[0]) == name
    return False
