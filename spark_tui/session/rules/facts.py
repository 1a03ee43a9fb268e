"""Facts of the code that a wish is about, for whoever has to say why nothing came of it."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property

from spark_tui.context.source import Region
from spark_tui.context.wording import is_common, is_plain
from spark_tui.editing.codemods.unused_import import unused_imports
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.stretches import MOST_READ
from spark_tui.editing.trees import parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Defined = Function | ast.ClassDef
_WORD = re.compile(r"[^\W\d]\w*")
FAULTS = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading code as Python may end in."""
_LIKE = 0.7
_BEGINS = re.compile(r"(?:import|from|def|async|@)\b|[^\W\d]\w* ?[:=]")

_SEVERAL = frozenset(["parameters", "params", "arguments", "args", "variables", "locals", "attributes", "names"])
_ADJECTIVES = frozenset(
    ["called", "named", "extra", "redundant", "useless", "duplicate", "double", "first", "second", "last", "other",
     "whole", "constructor", "slice",
     "slices", "slicing", "indexing", "concatenation", "nesting", "condition", "comparison", "ternary", "comprehension",
     "membership", "formatting", "literal", "subscript", "chain", "lookup"]
)  # fmt: skip


class Code:
    """The lines that a wish is about.

    Args: words: the wish. where: the lines in words. region: where they are. file: all lines of their file.
    """

    def __init__(self, words: str, where: str, region: Region, lines: Sequence[str], file: Sequence[str]) -> None:
        self.where, self.path, self.text = where, region.path, "\n".join(lines)
        self.first = region.start_line
        self.selected = range(region.selected[0], region.selected[1] + 1) if region.selected else None
        self._said, self._symbol = set(_WORD.findall(words)), (region.symbol or "").rpartition(".")[2]
        self._lines, self.file = lines, file
        rest = (*file[: region.start_line - 1], *file[region.end_line :])
        self.is_fragment = region.found_by == "lines" and not any(_BEGINS.match(line) for line in rest)
        """Whether these are lines without their file: what that has is not known."""

    @cached_property
    def parsed(self) -> Snippet | None:
        """The lines as Python; None where they cannot be read alone."""
        snippet = Snippet(tuple(self._lines))
        try:
            return snippet if snippet.nodes else None
        except FAULTS:
            return None

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every piece of the lines as Python; none where they cannot be read alone."""
        return self.parsed.nodes if self.parsed else ()

    @cached_property
    def names(self) -> frozenset[str]:
        """Every word of the lines that may be a name."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def meant(self) -> tuple[Defined, ...]:
        """The functions and classes that the words name, else what the lines are, else all that stand in them."""
        known = [node for node in self.nodes if isinstance(node, Defined)]
        named = [node for node in known if node.name in self._said]
        return tuple(named or [node for node in known if node.name == self._symbol][:1] or known)

    @property
    def functions(self) -> tuple[Function, ...]:
        """Those of `meant` that are functions."""
        return tuple(node for node in self.meant if isinstance(node, Function))

    @cached_property
    def module(self) -> ast.Module | None:
        """The whole file as Python; None where it cannot be read as that, or not quickly."""
        source = "\n".join(self.file)
        try:
            return parse(source) if len(source) <= MOST_READ and "\r" not in source else None
        except FAULTS:
            return None

    @cached_property
    def imports(self) -> tuple[tuple[int, ast.Import | ast.ImportFrom], ...]:
        """Every import of the file with its line; none where it cannot be read."""
        nodes = ast.walk(self.module) if self.module else ()
        return tuple((node.lineno, node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))

    @cached_property
    def imported(self) -> dict[str, int]:
        """What the file imports, by its names in it and those of its modules, each with a line."""
        found = dict[str, int]()
        for line, node in self.imports:
            for name in (node.module if isinstance(node, ast.ImportFrom) else None, *_names(node)):
                found.setdefault(name or ".", line)
        return found

    def used(self, name: str) -> int | None:
        """The line where the one import of a name is used first, 0 where that is hard to see; None: it is not used."""
        bound = [each for _, node in self.imports for each in node.names if name in {each.asname, each.name}]
        if len(bound) != 1 or name in {one.bound for one in unused_imports(Snippet(tuple(self.file)))}:
            return None
        said = (bound[0].asname or bound[0].name).split(".")[0]
        nodes = ast.walk(self.module) if self.module else ()
        reads = [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == said]
        return min(reads, default=0)

    def imported_from(self, module: str, name: str) -> int:
        """The line where a name is imported from a module, or 0."""
        for line, node in self.imports:
            own = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            if own == module and name in [each.name for each in node.names]:
                return line
        return 0

    def said(self, name: str) -> bool:
        """Whether a word stands anywhere in the file."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return any(name in line and word.search(line) for line in self.file)

    def has(self, name: str) -> bool:
        """Whether the lines have a name, or the last part of it, in whatever case."""
        return name.rpartition(".")[2].lower() in map(str.lower, self.names)

    def near(self, name: str) -> str:
        """The name of the lines that is spelled most like another, or ""."""
        return next(iter(get_close_matches(name, sorted(self.names), n=1, cutoff=_LIKE)), "")

    def all_have(self, what: str, having: Sequence[bool]) -> str:
        """In words: all that is meant has something already; "" where not all has. Args: having: each of these."""
        if not having or not all(having):
            return ""
        return f"{self.meant[0].name if len(having) == 1 else f'everything in {self.where}'} has {what} already"


def _names(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for each in node.names:
        yield from (each.name, each.name.split(".")[0], each.asname or each.name)


def parameters(function: Function) -> list[ast.arg]:
    """All parameters of a function."""
    of = function.args
    return [*of.posonlyargs, *of.args, *of.kwonlyargs, *filter(None, (of.vararg, of.kwarg))]


def name_of(node: ast.AST) -> str | None:
    """The name that a piece of code is or has, if any."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.ExceptHandler(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None


def is_word(found: re.Match[str]) -> bool:
    """Whether what should be a name may be a word of the language; behind "rename" only few are."""
    name = found["name"]
    bare = found.re.groupindex.get("the") and not found["the"]
    return name.lower() in _ADJECTIVES or (is_plain(name) if bare else is_common(name) or name.lower() in _SEVERAL)


Rule = Callable[[str, Code, Snippet], str]
"""Says what is wrong with an edit, or "", by the words, the code before and the code with it."""


def first_told(rules: Iterable[Rule], words: str, code: Code, after: Sequence[str]) -> str:
    """What the first rule says that has something to say, or "". Args: after: the lines of `code` with an edit."""
    try:
        new = Snippet(tuple(after))
        told = (rule(words, code, new) for rule in rules) if code.nodes and new.nodes else ()
        return next(filter(None, told), "")
    except FAULTS:
        return ""
