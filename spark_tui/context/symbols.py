"""The functions and classes of a Python file and the lines they stand on, also of a file that does not parse."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spark_tui.editing.languages import JSON, YAML, language_of
from spark_tui.editing.markers import is_marker
from spark_tui.editing.trees import MOST_READ, read_tree

_HEADER = re.compile(r"(?:async[ \t]+)?(?P<word>def|class)[ \t]+(?P<name>[^\W\d]\w*)")
_QUOTES = re.compile("'''|\"\"\"")
_TEST_FILE = re.compile(
    r"(?:^|/)(?:(?:tests?|__tests__|spec)/|(?:test_[^/]*|[^/]*(?:[._-]tests?|[._]spec)|tests?|conftest)\.\w+$)"
)
_TEST_NAME = re.compile(r"(?:^|\.)(?:test|Test|setUp|tearDown)|Tests?(?:Case)?(?:\.|$)")
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, method or class (`kind`). `name` is qualified: "Class.method".

    Lines are 1-based; decorators and the last line are included.
    """

    name: str
    kind: str
    start_line: int
    end_line: int

    @property
    def length(self) -> int:
        """How many lines it has."""
        return self.end_line - self.start_line + 1

    def contains(self, start_line: int, end_line: int) -> bool:
        """Whether all these lines (1-based, inclusive) are the symbol's."""
        return self.start_line <= start_line and end_line <= self.end_line


def is_test(path: str, symbol: str | None = None) -> bool:
    """Whether a file, or what is called so in it, is there to test other code."""
    return bool(_TEST_FILE.search(path) or (symbol and _TEST_NAME.search(symbol)))


def is_aside(path: str) -> tuple[bool, bool]:
    """What comes later in a list: tests, and before these what is no code: stubs, text and data."""
    language = language_of(path)
    return is_test(path), path.endswith(".pyi") or language in {JSON, YAML} or not (language and language.package)


def symbols(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """Every function, method and class of a file, in the order of their first lines.

    Args: lines: the file's, without line endings.
    """
    tree = _parsed(lines)
    found = _by_indentation(lines) if tree is None else _of_tree(tree)
    return tuple(sorted(found, key=lambda symbol: (symbol.start_line, -symbol.end_line)))


def outline(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """The same by their indentation alone: quick, and wrong where code is laid out oddly."""
    return tuple(sorted(_by_indentation(lines), key=lambda symbol: symbol.start_line))


def statements_with(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """The fewest whole statements of one block that lines first..last are a part of, from line to line (1-based).

    Just the lines where there are none, or the file cannot be parsed.
    """
    tree = _parsed(lines)
    block: Sequence[ast.stmt] = tree.body if tree else ()
    start, end = first, last
    while touched := [node for node in block if _end(node) >= first and _start(node) <= last]:
        start, end = min(first, _start(touched[0])), max(last, _end(touched[-1]))
        inner = (each for node in touched for each in _blocks(node))
        block = next((each for each in inner if _start(each[0]) <= first and last <= _end(each[-1])), ())
    return start, end


def _blocks(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a statement, none of them empty."""
    handled = (part.body for field in ("handlers", "cases") for part in getattr(node, field, ()))
    yield from filter(None, (*(getattr(node, field, ()) for field in ("body", "orelse", "finalbody")), *handled))


def _start(node: ast.stmt) -> int:
    """The first line, with decorators."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(each.lineno for each in decorators)])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _parsed(lines: Sequence[str]) -> ast.Module | None:
    """By Python's own parser; None when it cannot read them, or not soon. A lone CR must not count as a line's end."""
    if sum(map(len, lines)) > MOST_READ:
        return None
    sound = "\n".join(lines).replace("\r", " ").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return read_tree(sound)


def _of_tree(tree: ast.Module) -> Iterator[Symbol]:
    waiting: list[tuple[ast.AST, str, str]] = [(tree, "", "function")]
    while waiting:
        node, prefix, kind = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            is_class = isinstance(node, ast.ClassDef)
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield Symbol(prefix + node.name, "class" if is_class else kind, first, node.end_lineno or node.lineno)
            prefix, kind = f"{prefix}{node.name}.", "method" if is_class else "function"
        for field in _BODIES:
            waiting += [(child, prefix, kind) for child in getattr(node, field, ())]


def _by_indentation(lines: Sequence[str]) -> list[Symbol]:
    scan = _Scan()
    quote = ""
    for number, line in enumerate(lines, 1):
        if quote:
            scan.last = number
        elif line.strip():
            if scan.is_within(line):
                scan.last = number
            else:
                scan.take(number, line)
        if '"""' in line or "'''" in line:
            quote = _open_quote(line, quote)
    scan.close(0)
    return scan.found


def _open_quote(line: str, quote: str) -> str:
    """The triple quote that is open after a line, or "". `quote`: the one open before it."""
    for found in _QUOTES.findall(line):
        quote = "" if found == quote else quote or found
    return quote


class _Scan:
    """Finds definitions by their indentation: one ends before the next code that is not indented deeper."""

    def __init__(self) -> None:
        self.found: list[Symbol] = []
        self.last = 0
        self._open: list[tuple[int, Symbol]] = []
        self._decorators: dict[int, int] = {}

    def is_within(self, line: str) -> bool:
        """Whether a line is plainly in the definition that was opened last, and begins none: most are."""
        if not self._open or self._decorators:
            return False
        deeper = self._open[-1][0] + 1
        return line[:deeper].isspace() and line.lstrip()[0] not in "#@acd)]}"

    def take(self, number: int, line: str) -> None:
        """Read a line that is not blank; a closing bracket ends nothing, a comment counts for nothing.

        Nor does the marker of a conflict: a function goes on behind it.
        """
        indent = len(line) - len(line.lstrip())
        if line[indent] == "#" or is_marker(line):
            return
        if line[indent] in ")]}":
            self.last = number
            return
        self.close(indent)
        self.last = number
        if line[indent] == "@":
            self._decorators.setdefault(indent, number)
            return
        start = self._decorators.pop(indent, number)
        if header := _HEADER.match(line, indent):
            self._open.append((indent, self._symbol(header["name"], header["word"] == "class", start)))

    def close(self, indent: int) -> None:
        """End the definitions that code at this indentation is not part of."""
        while self._open and indent <= self._open[-1][0]:
            self.found.append(replace(self._open.pop()[1], end_line=self.last))

    def _symbol(self, name: str, is_class: bool, start: int) -> Symbol:
        parent = self._open[-1][1] if self._open else None
        kind = "class" if is_class else "method" if parent and parent.kind == "class" else "function"
        return Symbol(f"{parent.name}.{name}" if parent else name, kind, start, start)
