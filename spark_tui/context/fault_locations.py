"""Finds the functions that may have made a command fail, from its output and the code.

The tracebacks of the output lead into the code; from there, calls are followed by name.
"""

import ast
import re  # noqa: TID251 - reads another program's output
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import PurePosixPath

from spark_tui.context.file_parts import WORD
from spark_tui.context.regions import MAX_LINES, WHOLE_FILE, Region, source_of
from spark_tui.context.search_index import Read
from spark_tui.context.symbols import Symbol, is_test
from spark_tui.editing.syntax import read_tree
from spark_tui.errors import FileError

FRAME = re.compile(
    r"^(?:E +|\s*)File \"(?P<path>[^\"\n]+)\", line "
    r"(?P<line>\d+)|^(?P<short>[^\s:]+\.pyi?):(?P<number>\d+):",
    re.MULTILINE,
)
"""A line of a traceback, as Python and pytest write it, that names a place."""
MOST = 8
"""Functions that may be to blame."""
_DEEPEST = 3
"""Calls between a place that a traceback names and a function to blame."""
_FAILURE = re.compile(
    r"^(?:_{3,} .+ _{3,}|={3,}.*|Traceback \(most recent call last\):)$", re.MULTILINE
)
"""The heading of a failure."""
_REST = re.compile(
    r"^={3,} (?:warnings summary|short test summary|slowest).*\Z", re.MULTILINE | re.DOTALL
)
_BUILT_IN_TYPES = (bytearray, dict, float, int, list, set, str, tuple)
_BUILT_IN = frozenset(chain.from_iterable(map(dir, _BUILT_IN_TYPES)))
"""Names that may well be attributes of something that is not the user's own."""


_Suspect = tuple[str, Symbol]
"""A function or class, behind the path of its file."""


def blamed(
    output: str,
    files: Sequence[str],
    read: Read,
    among: Sequence[str] = (),
    tests: Sequence[str] = (),
) -> tuple[Region, ...]:
    """Return the functions that may have made a command fail, the likeliest first; never a test.

    The function that raised an error outside of tests comes first, with its callers; then the
    functions that it calls; then whatever else the test calls. Suspects of several failures come
    before others.

    Args:
        output: The output of the command.
        files: All Python files.
        read: Returns the bytes of a file.
        among: The files to look in; all where there are none.
        tests: Words of the tests whose failures count, where the output names any.
    """
    code = _Code(files, read)
    worth: dict[_Suspect, float] = {}
    for failure in _failures(output, tests):
        frames = []
        for match in FRAME.finditer(failure):
            place = code.place(match)
            if place is not None:
                frames.append(place)
        # The sum of reciprocal ranks: who is suspected in several failures comes first.
        for rank, suspect in enumerate(dict.fromkeys(code.suspects(frames))):
            worth[suspect] = worth.get(suspect, 0.0) + 1 / (1 + rank)
    ranked = sorted(worth, key=lambda suspect: -worth[suspect])
    chosen = [suspect for suspect in ranked if not among or suspect[0] in among]
    return tuple(code.source(path).of_symbol(symbol) for path, symbol in chosen[:MOST])


def _failures(output: str, tests: Sequence[str]) -> list[str]:
    """The text of each failure, from its heading on."""
    text = _REST.sub("", output)
    starts = [0, *(match.start() for match in _FAILURE.finditer(text)), len(text)]
    failures = [text[start:stop] for start, stop in pairwise(starts)]
    about_tests: list[str] = []
    for failure in failures:
        if any(test in failure for test in tests):
            about_tests.append(failure)
    # Where no failure names a test, each of them may be what is meant.
    return about_tests or failures


class _Code:
    """The files of a repository, read as far as something leads into them."""

    def __init__(self, files: Sequence[str], read: Read) -> None:
        self._files = files
        self.source = cache(lambda path: source_of(path, read(path)))
        """A file, by its path.

        Raises:
            FileError: The file cannot be read.
        """

    def place(self, frame: re.Match[str]) -> tuple[str, int] | None:
        """Return the file and the line that a traceback names; None: not of this repository."""
        named = "/" + (frame["path"] or frame["short"]).removeprefix("./")
        paths = [path for path in self._files if named.endswith(f"/{path}")]
        # Of `app.py` and `src/app.py` the longer one is meant: the other one ends alike by chance.
        file = max(paths, key=len, default=None)
        if file and self._lines(file):
            return (file, int(frame["line"] or frame["number"]))
        return None

    def suspects(self, frames: Sequence[tuple[str, int]]) -> Iterator[_Suspect]:
        """Yield what may be to blame for one failure.

        Args:
            frames: The places of its traceback, the outermost first.
        """
        tests = []
        for path, line in frames:
            symbol = self._around(path, line)
            if symbol and is_test(path, symbol.name):
                tests.append((path, line))
        # the functions of the traceback that are no tests, the innermost first
        for path, line in reversed(frames):
            symbol = self._around(path, line)
            if symbol and not is_test(path, symbol.name):
                yield path, symbol
        # the functions called on those lines, which may have returned what the line choked on
        for path, line in reversed(frames):
            yield from self._called(path, self._names(path, line, line))
        # what else the test calls up to the line that failed, the last call first
        for path, line in tests[-1:] or frames[:1]:
            around = self._around(path, line)
            first = around.start_line if around else line
            yield from self._called(path, reversed(self._names(path, first, line)))

    def _around(self, path: str, line: int) -> Symbol | None:
        """Return the innermost function around a line."""
        around = []
        for symbol in self.source(path).symbols:
            if symbol.kind != "class" and symbol.contains(line, line):
                around.append(symbol)
        return min(around, key=lambda symbol: symbol.length, default=None)

    def _called(self, path: str, names: Iterable[str]) -> Iterator[_Suspect]:
        """The functions that names in a file mean, and what those call, breadth first."""
        for name in names:
            waiting = [(suspect, 0) for suspect in self._meant(path, name)]
            known = {suspect for suspect, _ in waiting}
            for suspect, depth in waiting:  # a queue: the loop goes on with what is added below
                yield suspect
                file, symbol = suspect
                callees: list[_Suspect] = []
                for called in self._names(file, symbol.start_line, symbol.end_line):
                    callees += self._meant(file, called)
                further = [callee for callee in callees if callee not in known]
                if depth + 1 < _DEEPEST:
                    waiting += [(callee, depth + 1) for callee in further]
                known.update(further)

    def _meant(self, path: str, name: str) -> list[_Suspect]:
        """The functions that a name in a file may mean: its own, else those of files it names."""
        if own := self._named(path, name):
            return own
        sources = [path]
        if is_test(path, None):  # fixtures are defined beside the tests
            sources += [file for file in self._files if file.endswith("conftest.py")]
        words = set[str]()
        for source in sources:
            for line in self._lines(source):
                words.update(WORD.findall(line))
        suspects: list[_Suspect] = []
        for file in self._files:
            # A file is taken to be imported where its name, or a folder of its path, is a word of
            # the source.
            is_mentioned = not words.isdisjoint(PurePosixPath(file).with_suffix("").parts)
            if is_mentioned and any(name in line for line in self._lines(file)):
                suspects += self._named(file, name)
        if name not in _BUILT_IN:
            return suspects
        # `x.get` is a dictionary's far more often than the user's: only where the class is named.
        return [suspect for suspect in suspects if suspect[1].name.partition(".")[0] in words]

    def _named(self, path: str, name: str) -> list[_Suspect]:
        """Return the functions of a name in a file; for a class its `__init__`, or all of it."""
        symbols = list[Symbol]()
        source = self.source(path)
        for symbol in source.named((name,)):
            if symbol.kind != "class":
                symbols.append(symbol)
            elif constructors := source.named((name, "__init__")):
                symbols += constructors
            elif symbol.length <= WHOLE_FILE:
                symbols.append(symbol)
        fitting = [symbol for symbol in symbols if symbol.length <= MAX_LINES]
        return [(path, symbol) for symbol in fitting if not is_test(path, symbol.name)]

    def _lines(self, path: str) -> Sequence[str]:
        """The lines of a file; none where it cannot be read."""
        try:
            return self.source(path).lines
        except FileError:
            return ()

    def _names(self, path: str, first: int, last: int) -> list[str]:
        """The names and attributes read in the statements of some lines, each once, in order."""
        tree = read_tree("\n".join(self._lines(path)))
        nodes = list(ast.walk(tree)) if tree else []
        start = first
        end = last
        for node in nodes:  # statements may begin above and end below the lines
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                stop = node.end_lineno or node.lineno
                if node.lineno <= last and first <= stop:
                    start = min(start, node.lineno)
                    end = max(end, stop)
        reads: list[tuple[int, int, str]] = []
        for node in nodes:
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                if start <= node.lineno <= end:
                    reads.append((node.lineno, node.col_offset, name))
        return list(dict.fromkeys(name for _, _, name in sorted(reads)))
