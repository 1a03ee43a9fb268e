"""The functions that may be to blame where a command fails, as what it put out and the code
tell.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath

from spark_tui.context.regions import MAX_LINES, WHOLE_FILE, Region, source_of
from spark_tui.context.search_index import WORD, Read
from spark_tui.context.symbols import Symbol, is_test
from spark_tui.editing.syntax import read_tree
from spark_tui.errors import FileError

FRAME = re.compile(
    r"^(?:E +|\s*)File \"(?P<path>[^\"\n]+)\", line "
    r"(?P<line>\d+)|^(?P<short>[^\s:]+\.pyi?):(?P<number>\d+):",
    re.MULTILINE,
)
"""A line of a traceback, as Python and pytest write it, that says where something went wrong."""
MOST = 8
"""Of the functions that may be to blame."""
_DEEPEST = 3
"""Calls between what a traceback names and what may be to blame."""
_FAILURE = re.compile(
    r"^(?:_{3,} .+ _{3,}|={3,}.*|Traceback \(most recent call last\):)$", re.MULTILINE
)
_REST = re.compile(
    r"^={3,} (?:warnings summary|short test summary|slowest).*\Z", re.MULTILINE | re.DOTALL
)
_BUILT_IN = frozenset(
    name for kind in (bytearray, dict, float, int, list, set, str, tuple) for name in dir(kind)
)
"""What may well be an attribute of something that is not the user's own."""


_Suspect = tuple[str, Symbol]
"""A function or class, and the file that it is in."""


def blamed(
    output: str,
    files: Sequence[str],
    read: Read,
    among: Sequence[str] = (),
    tests: Sequence[str] = (),
) -> tuple[Region, ...]:
    """The functions that may have made a command fail, the likeliest first; never a test.

    Where something was raised outside of tests, it is what raised it and its callers; then what is
    called there; then whatever else the test calls. What several failures share comes first.

    Args:
        output: Of the command.
        files: The Python files there are.
        among: Where to look only, all of them by default.
        tests: Words that tell whose failures count, where they are said of any.
    """
    code = _Code(files, read)
    worth: dict[_Suspect, float] = {}
    for failure in _failures(output, tests):
        frames = [at for match in FRAME.finditer(failure) if (at := code.place(match)) is not None]
        for rank, suspect in enumerate(dict.fromkeys(code.suspects(frames))):
            worth[suspect] = worth.get(suspect, 0.0) + 1 / (1 + rank)
    chosen = [
        one for one in sorted(worth, key=lambda one: -worth[one]) if not among or one[0] in among
    ]
    return tuple(code.source(path).of_symbol(symbol) for path, symbol in chosen[:MOST])


def _failures(output: str, tests: Sequence[str]) -> list[str]:
    """What is said of each failure, from its heading on."""
    said = _REST.sub("", output)
    starts = [0, *(match.start() for match in _FAILURE.finditer(said)), len(said)]
    found = [said[start:stop] for start, stop in pairwise(starts)]
    return [one for one in found if any(test in one for test in tests)] or found


class _Code:
    """The files of a repository, read as far as something leads into them."""

    def __init__(self, files: Sequence[str], read: Read) -> None:
        self._files = files
        self.source = cache(lambda path: source_of(path, read(path)))
        """A file.

        Raises:
            FileError: It cannot be read.
        """

    def place(self, frame: re.Match[str]) -> tuple[str, int] | None:
        """The file of the repository and the line that a traceback names; None where it is
        another's.
        """
        told = "/" + (frame["path"] or frame["short"]).removeprefix("./")
        found = max(
            (path for path in self._files if told.endswith(f"/{path}")), key=len, default=None
        )
        if found and self._lines(found):
            return (found, int(frame["line"] or frame["number"]))
        return None

    def suspects(self, frames: Sequence[tuple[str, int]]) -> Iterator[_Suspect]:
        """What may be to blame for one failure.

        Args:
            frames: Of its traceback, the outermost first.
        """
        for path, line in reversed(frames):
            if (symbol := self._around(path, line)) and not is_test(path, symbol.name):
                yield path, symbol
        for path, line in reversed(frames):
            yield from self._called(path, self._names(path, line, line))
        tests = [
            (path, line)
            for path, line in frames
            if (at := self._around(path, line)) and is_test(path, at.name)
        ]
        for path, line in tests[-1:] or frames[:1]:  # what else the test does, the last first
            first = at.start_line if (at := self._around(path, line)) else line
            yield from self._called(path, reversed(self._names(path, first, line)))

    def _around(self, path: str, line: int) -> Symbol | None:
        """The innermost function around a line."""
        around = [
            each
            for each in self.source(path).symbols
            if each.contains(line, line) and each.kind != "class"
        ]
        return min(around, key=lambda each: each.length, default=None)

    def _called(self, path: str, names: Iterable[str]) -> Iterator[_Suspect]:
        """What names in a file mean, each with what it calls, and what that calls."""
        for name in names:
            waiting = [(one, 0) for one in self._meant(path, name)]
            known = {one for one, _ in waiting}
            for one, depth in waiting:
                yield one
                inner = self._names(one[0], one[1].start_line, one[1].end_line)
                further = [
                    each
                    for called in inner
                    for each in self._meant(one[0], called)
                    if each not in known
                ]
                waiting += [(each, depth + 1) for each in further if depth + 1 < _DEEPEST]
                known.update(further)

    def _meant(self, path: str, name: str) -> list[_Suspect]:
        """The functions that a name in a file may mean: its own, else those of files that it
        names.
        """
        if found := self._named(path, name):
            return found
        beside = [
            each for each in self._files if each.endswith("conftest.py") and is_test(path, None)
        ]
        words = {
            word
            for each in (path, *beside)
            for line in self._lines(each)
            for word in WORD.findall(line)
        }
        told = [
            each
            for each in self._files
            if words.intersection(PurePosixPath(each).with_suffix("").parts)
        ]
        holding = [each for each in told if any(name in line for line in self._lines(each))]
        found = [one for each in holding for one in self._named(each, name)]
        return [
            one for one in found if name not in _BUILT_IN or one[1].name.partition(".")[0] in words
        ]

    def _named(self, path: str, name: str) -> list[_Suspect]:
        """The functions of a name in a file; of a class what makes its objects, or all of it."""
        found = list[Symbol]()
        source = self.source(path)
        for symbol in source.named((name,)):
            made = source.named((name, "__init__")) if symbol.kind == "class" else []
            found += made or (
                [symbol] if symbol.kind != "class" or symbol.length <= WHOLE_FILE else []
            )
        return [
            (path, one) for one in found if not is_test(path, one.name) and one.length <= MAX_LINES
        ]

    def _lines(self, path: str) -> Sequence[str]:
        """The lines of a file; none where it cannot be read."""
        try:
            return self.source(path).lines
        except FileError:
            return ()

    def _names(self, path: str, first: int, last: int) -> list[str]:
        """The names and attributes read in the statements of some lines, each once, in their
        order.
        """
        tree = read_tree("\n".join(self._lines(path)))
        nodes = list(ast.walk(tree)) if tree else []
        whole = [
            one
            for one in nodes
            if isinstance(one, ast.stmt)
            and not hasattr(one, "body")
            and one.lineno <= last
            and (one.end_lineno or one.lineno) >= first
        ]
        first = min([first, *(one.lineno for one in whole)])
        last = max([last, *(one.end_lineno or one.lineno for one in whole)])
        read = [
            (one.lineno, one.col_offset, one.id if isinstance(one, ast.Name) else one.attr)
            for one in nodes
            if isinstance(one, ast.Name | ast.Attribute)
            and isinstance(one.ctx, ast.Load)
            and first <= one.lineno <= last
        ]
        return list(dict.fromkeys(name for _, _, name in sorted(read)))
