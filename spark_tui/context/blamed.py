"""The functions that may be to blame where a command fails, as what it put out and the code tell."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import PurePosixPath

from spark_tui.context.index import Read
from spark_tui.context.source import MAX_LINES, WHOLE_FILE, Region, Source, source_of
from spark_tui.context.symbols import Symbol, is_test
from spark_tui.editing.trees import read_tree
from spark_tui.errors import FileError

FRAME = re.compile(
    r"^(?:E +|\s*)File \"(?P<path>[^\"\n]+)\", line (?P<line>\d+)|^(?P<short>[^\s:]+\.pyi?):(?P<number>\d+):",
    re.MULTILINE,
)
"""A line of a traceback, as Python and pytest write it, that says where something went wrong."""
MOST = 8
"""Of the functions that may be to blame."""
_DEEPEST = 3
"""Calls between what a traceback names and what may be to blame."""
_FAILURE = re.compile(r"^(?:_{3,} .+ _{3,}|={3,}.*|Traceback \(most recent call last\):)$", re.MULTILINE)
_REST = re.compile(r"^={3,} (?:warnings summary|short test summary|slowest).*\Z", re.MULTILINE | re.DOTALL)
_BUILT_IN = frozenset(name for kind in (bytearray, dict, float, int, list, set, str, tuple) for name in dir(kind))
"""What may well be an attribute of something that is not the user's own."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A name that is read, or an attribute.

    Args: of: the name that what has the attribute begins with, "" where there is none; None for a plain name.
    """

    name: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A function or class of a file."""

    path: str
    symbol: Symbol


def blamed(
    output: str, files: Sequence[str], read: Read, among: Sequence[str] = (), tests: Sequence[str] = ()
) -> tuple[Region, ...]:
    """The functions that may have made a command fail, the likeliest first; never a test.

    Where something was raised outside of tests, it is what raised it and its callers; then what is called there; then
    whatever else the test calls. What several failures share comes first.

    Args: output: of the command. files: the Python files there are. among: where to look only, all of them by default.
        tests: words that tell whose failures count, where they are said of any.
    """
    code = _Code(files, read)
    worth: dict[_Suspect, float] = {}
    for failure in _failures(output, tests):
        frames = [at for match in FRAME.finditer(failure) if (at := code.place(match)) is not None]
        for rank, suspect in enumerate(dict.fromkeys(code.suspects(frames))):
            worth[suspect] = worth.get(suspect, 0.0) + 1 / (1 + rank)
    chosen = [one for one in sorted(worth, key=lambda one: -worth[one]) if not among or one.path in among]
    return tuple(code.sources[one.path].of_symbol(one.symbol) for one in chosen[:MOST])


def _failures(output: str, tests: Sequence[str]) -> list[str]:
    """What is said of each failure, from its heading on."""
    said = _REST.sub("", output)
    starts = [0, *(match.start() for match in _FAILURE.finditer(said)), len(said)]
    found = [said[start:stop] for start, stop in pairwise(starts)]
    return [one for one in found if any(test in one for test in tests)] or found


class _Code:
    """The files of a repository, read as far as something leads into them."""

    def __init__(self, files: Sequence[str], read: Read) -> None:
        self.sources: dict[str, Source] = {}
        self._modules: dict[str, _Module] = {}
        self._files, self._read = files, read
        self._loaded: frozenset[str] = frozenset()
        """The files that those of a failure import, and those that these import."""

    def place(self, frame: re.Match[str]) -> tuple[str, int] | None:
        """The file of the repository and the line that a traceback names; None where it is another's."""
        told = "/" + (frame["path"] or frame["short"]).removeprefix("./")
        found = max((path for path in self._files if told.endswith(f"/{path}")), key=len, default=None)
        return (found, int(frame["line"] or frame["number"])) if found and self._module(found) else None

    def suspects(self, frames: Sequence[tuple[str, int]]) -> Iterator[_Suspect]:
        """What may be to blame for one failure. Args: frames: of its traceback, the outermost first."""
        self._loaded = self._reached({path for path, _ in frames})
        for path, line in reversed(frames):
            around = [each for each in self.sources[path].symbols if each.contains(line, line) and each.kind != "class"]
            symbol = min(around, key=lambda each: each.length, default=None)
            if symbol and not is_test(path, symbol.name):
                yield _Suspect(path, symbol)
        for path, line in reversed(frames):
            yield from self._called(path, self._modules[path].names(line, line))
        tests = [(path, line) for path, line in frames if self._is_test(path, line)]
        for path, line in tests[-1:] or frames[:1]:  # what else the test does, the last first
            around = [each for each in self.sources[path].symbols if each.contains(line, line)]
            first = min((each.start_line for each in around if each.kind != "class"), default=line)
            yield from self._called(path, reversed(self._modules[path].names(first, line)))

    def _is_test(self, path: str, line: int) -> bool:
        return any(is_test(path, each.name) for each in self.sources[path].symbols if each.contains(line, line))

    def _called(self, path: str, names: Iterable[_Said]) -> Iterator[_Suspect]:
        """What names in a file mean, each with what it calls, and what that calls."""
        for name in names:
            waiting = [(one, 0) for one in self._meant(path, name)]
            known = {one for one, _ in waiting}
            for one, depth in waiting:
                yield one
                inner = self._modules[one.path].names(one.symbol.start_line, one.symbol.end_line)
                further = [each for called in inner for each in self._meant(one.path, called) if each not in known]
                waiting += [(each, depth + 1) for each in further if depth + 1 < _DEEPEST]
                known.update(further)

    def _meant(self, path: str, said: _Said) -> list[_Suspect]:
        """The functions that a name in a file may mean: its own, those of files it imports, the only one loaded."""
        if found := self._named(path, said.name):
            return found
        sources = self._leading(path, said)
        for each in sources or ():
            found += self._named(each, said.name) if self._module(each) else []
        if said.of is not None and said.name in _BUILT_IN:  # of a class that is imported, or of a dict
            bound = self._modules[path].bound
            return [one for one in found if one.symbol.name.partition(".")[0] in bound or said.of in bound]
        if found or sources is None or said.name.startswith("__"):
            return found
        only = [path for path in self._loaded if path in self.sources and self.sources[path].named((said.name,))]
        return self._named(only[0], said.name) if len(only) == 1 else []

    def _leading(self, path: str, said: _Said) -> list[str] | None:
        """The files that a name may come from; None where it is a local one, or another's."""
        module = self._modules[path]
        root = said.name if said.of is None else said.of
        if said.of is None or root in module.bound:
            ends = module.bound.get(root, module.bound.get("*", ()))
            return [each for each in self._files if ends and f"/{each}".endswith(ends)] or None
        return self._imported(path)

    def _imported(self, path: str) -> list[str]:
        return [each for each in self._files if self._modules[path].imports(each)]

    def _reached(self, paths: Iterable[str]) -> frozenset[str]:
        """Files, the fixtures beside and above them, and all that these import."""
        folders = {folder for path in paths for folder in PurePosixPath(path).parents}
        fixtures = [each for each in self._files if PurePosixPath(each).name == "conftest.py"]
        waiting = [*paths, *(each for each in fixtures if PurePosixPath(each).parent in folders)]
        for path in waiting:
            further = self._imported(path) if self._module(path) else []
            waiting += [each for each in dict.fromkeys(further) if each not in waiting]
        return frozenset(waiting)

    def _named(self, path: str, name: str) -> list[_Suspect]:
        """The functions of a name in a file; of a class what makes its objects, or all of it."""
        found = []
        for symbol in self.sources[path].named((name,)):
            made = self.sources[path].named((name, "__init__")) if symbol.kind == "class" else []
            found += made or ([symbol] if symbol.kind != "class" or symbol.length <= WHOLE_FILE else [])
        return [_Suspect(path, one) for one in found if not is_test(path, one.name) and one.length <= MAX_LINES]

    def _module(self, path: str) -> "_Module | None":
        if path not in self._modules:
            try:
                source = source_of(path, self._read(path))
                self.sources[path], self._modules[path] = source, _Module(source)
            except FileError:
                return None
        return self._modules[path]


class _Module:
    """What a file says in which lines."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        tree = read_tree("\n".join(self._source.lines))
        return list(ast.walk(tree)) if tree else []

    def names(self, first: int, last: int) -> list[_Said]:
        """The names and attributes read in the statements of some lines, each once, in their order."""
        said = [
            (node.lineno, node.col_offset, _said(node))
            for node in self._nodes
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        ]
        statements = [one for one in self._nodes if isinstance(one, ast.stmt) and not hasattr(one, "body")]
        whole = [one for one in statements if one.lineno <= last and (one.end_lineno or one.lineno) >= first]
        start = min([first, *(one.lineno for one in whole)])
        end = max([last, *(one.end_lineno or one.lineno for one in whole)])
        said.sort(key=lambda each: (each[0], each[1], each[2].name))
        return list(dict.fromkeys(one for line, _, one in said if start <= line <= end))

    @cached_property
    def bound(self) -> dict[str, tuple[str, ...]]:
        """The names that imports bind, each with the ends of the paths that it may come from."""
        found: dict[str, tuple[str, ...]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Import):
                found |= {(one.asname or one.name.partition(".")[0]): _ends(one.name) for one in node.names}
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                found |= {(one.asname or one.name): _ends(module, f"{module}.{one.name}") for one in node.names}
        return found

    def imports(self, path: str) -> bool:
        """Whether a file may be one of those imported."""
        return f"/{path}".endswith(tuple(end for ends in self.bound.values() for end in ends))


def _said(node: ast.Name | ast.Attribute) -> _Said:
    if isinstance(node, ast.Name):
        return _Said(node.id)
    root: ast.expr = node.value
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript | ast.Await):
        root = root.func if isinstance(root, ast.Call) else root.value
    return _Said(node.attr, root.id if isinstance(root, ast.Name) else "")


def _ends(*modules: str) -> tuple[str, ...]:
    """The ends of the paths that modules may be at."""
    inner = [name.strip(".").replace(".", "/") for name in modules if name.strip(".")]
    return tuple(f"/{name}{end}" for name in inner for end in (".py", "/__init__.py"))
