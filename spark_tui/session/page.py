"""From what a model wrote about a region to the whole file it proposes."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check, new_names_are_free, region_parses, run_checks
from spark_tui.editing.dangling_names import left_behind
from spark_tui.editing.headings import is_document
from spark_tui.editing.hunks import diff
from spark_tui.editing.identifiers import occurrences, substitute
from spark_tui.editing.markers import torn
from spark_tui.editing.text import Text
from spark_tui.editing.trees import is_large, parse_error, read_tree
from spark_tui.editing.wellformed import parses_no_worse

Renaming = tuple[str, str]
"""An identifier, and what it is called from now on."""


class Page:
    """The place in a file that answers are about, and the whole file that they propose; or several files, whole.

    Renaming the region's own function or class, when it stands at the top of its module, renames it in the rest of
    the file too, unless the old name is bound there as well or the new one is taken, or the file is very large.

    Args: base: the file. region: the part of it being edited.
    """

    def __init__(self, base: Text, region: Region) -> None:
        self.several = is_document(base.raw)
        if self.several:
            region = replace(region, start_line=1, end_line=len(base.raw), symbol=None, selected=None)
        self.base, self.region = base, region
        self.lines = base.lines[region.start_line - 1 : region.end_line]
        self._reaches_out = cache(lambda names: names[0] == region.symbol and self._is_free(*names))
        self._elsewhere = cache(self._renamed)
        in_conflict = any(each.touches(region.start_line - 1, region.end_line - 1) for each in torn(base.lines))
        self._is_python = region.path.endswith((".py", ".pyi")) and not (in_conflict or self.several or is_large(base))

    def file(self, lines: Sequence[str], renamed: Iterable[Renaming] = ()) -> Text:
        """The file with other lines in the place. Args: lines: without endings. renamed: in the place."""
        start = self.region.start_line - 1
        text = self.base.replace_lines(start, self.region.end_line, lines)
        for names in renamed:
            if self._reaches_out(names):
                text = self._substituted(text, names, start + len(lines) - self.region.end_line)
        return text

    def within(self, file: Text) -> Sequence[str]:
        """The lines of the place in a version of the file."""
        return file.lines[self.region.start_line - 1 : len(file.lines) - len(self.base.lines) + self.region.end_line]

    def is_sound(self, file: Text, lines: Sequence[str]) -> bool:
        """Whether a version parses, as far as can be told. Args: lines: those of the place."""
        if self.several:
            return all(check.ok for check in run_checks(self.base, file, "") if check.name == "parses")
        if not self._is_python:
            verdict = parses_no_worse(self.base, file, self.region.path, diff(self.base, file))
            return verdict is None or verdict.ok
        if not parse_error(file.to_bytes()):
            return True
        return not self._did_parse and region_parses(lines).ok

    def checks(self, file: Text, lines: Sequence[str], renamed: Sequence[tuple[str, str]]) -> tuple[Check, ...]:
        """What can be said of an answer itself, and of the place where the file tells too little: whether it parses,
        and loses no name that is still used around it.
        """
        free = new_names_are_free(self.lines, renamed)
        if not self._is_python or self._did_parse:
            return free
        start, end, base = self.region.start_line - 1, self.region.end_line, self.base.lines
        others = ((1, base[:start]), (end + 1, base[end:]))
        lost = left_behind(self.lines, lines, others, in_class="." in (self.region.symbol or ""))
        return (*free, region_parses(lines, above=start), *lost)

    @property
    def _did_parse(self) -> bool:
        return not parse_error(self.base.to_bytes())

    def _is_free(self, old: str, new: str) -> bool:
        text = "\n".join(self.base.lines)
        if is_large(self.base) or any(occurrences(text, new)) or (tree := read_tree(text)) is None:
            return False
        return sum(_binds(node, old) for node in ast.walk(tree)) == 1

    def _renamed(self, names: Renaming) -> Mapping[int, str]:
        """The lines (0-based) outside the region that a renaming changes, as they are with it."""
        region, before = range(self.region.start_line - 1, self.region.end_line), self.base.lines
        changed = enumerate(zip(before, substitute(before, *names), strict=True))
        return {at: new for at, (old, new) in changed if old != new and at not in region}

    def _substituted(self, text: Text, names: Renaming, growth: int) -> Text:
        """Rename in the lines outside the region. Args: growth: how many lines longer the region is by now."""
        raw = list(text.raw)
        for number, line in self._elsewhere(names).items():
            at = number if number < self.region.start_line else number + growth
            raw[at] = raw[at].replace(self.base.lines[number], line, 1)
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
