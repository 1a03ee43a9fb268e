"""From what a model wrote about a region to the whole file it proposes."""

import ast
from collections.abc import Iterable, Mapping, Sequence

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.dangling_names import left_behind
from spark_tui.editing.identifiers import occurrences, substitute
from spark_tui.editing.text import Text
from spark_tui.editing.trees import is_large, parse

Renaming = tuple[str, str]
"""An identifier, and what it is called from now on."""


class Proposals:
    """Proposals for one region of one file.

    Renaming the region's own function or class, when it stands at the top of its module, renames it in the rest of
    the file too, unless the old name is bound there as well or the new one is taken, or the file is very large.

    Args: base: the file. region: where in it the model edits.
    """

    def __init__(self, base: Text, region: Region) -> None:
        self._base = base
        self._region = region
        self._reaches: dict[Renaming, bool] = {}
        self._elsewhere: dict[Renaming, dict[int, str]] = {}

    def file(self, lines: Sequence[str], renamed: Iterable[Renaming]) -> Text:
        """The file with the region's lines replaced. Args: lines: without endings. renamed: in the region."""
        start = self._region.start_line - 1
        text = self._base.replace_lines(start, self._region.end_line, lines)
        for names in renamed:
            if self._reaches_out(names):
                text = self._substituted(text, names, start + len(lines) - self._region.end_line)
        return text

    def left_behind(self, lines: Sequence[str]) -> tuple[Check, ...]:
        """That a name is still used around the region which is lost in it, where the file does not parse.

        Args: lines: of the region, as proposed.
        """
        start, end, base = self._region.start_line - 1, self._region.end_line, self._base.lines
        others = ((1, base[:start]), (end + 1, base[end:]))
        return left_behind(base[start:end], lines, others, in_class="." in (self._region.symbol or ""))

    def _reaches_out(self, names: Renaming) -> bool:
        if names not in self._reaches:
            self._reaches[names] = names[0] == self._region.symbol and self._is_free(*names)
        return self._reaches[names]

    def _is_free(self, old: str, new: str) -> bool:
        text = "\n".join(self._base.lines)
        if is_large(self._base) or any(occurrences(text, new)):
            return False
        try:
            return sum(_binds(node, old) for node in ast.walk(parse(text))) == 1
        except (SyntaxError, ValueError, RecursionError):
            return False

    def _renamed(self, names: Renaming) -> Mapping[int, str]:
        """The lines (0-based) outside the region that a renaming changes, as they are with it."""
        if names not in self._elsewhere:
            region, before = range(self._region.start_line - 1, self._region.end_line), self._base.lines
            changed = enumerate(zip(before, substitute(before, *names), strict=True))
            self._elsewhere[names] = {at: new for at, (old, new) in changed if old != new and at not in region}
        return self._elsewhere[names]

    def _substituted(self, text: Text, names: Renaming, growth: int) -> Text:
        """Rename in the lines outside the region. Args: growth: how many lines longer the region is by now."""
        raw = list(text.raw)
        for number, line in self._renamed(names).items():
            at = number if number < self._region.start_line else number + growth
            raw[at] = raw[at].replace(self._base.lines[number], line, 1)
        return Text(tuple(raw))


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
