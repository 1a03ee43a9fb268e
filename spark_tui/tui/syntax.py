"""The colours of Python, by tree-sitter: which characters are what.

Only text is looked at and only spans come out: nothing here can change what a line says.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.headings import is_document, is_heading, sections

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

    from spark_tui.tui.marks import Part
    from spark_tui.tui.rows import HunkLike

AT_ONCE = 32_000
"""Bytes of a file that are read before it is shown; a larger one is read beside, and plain until then."""
MOST = 4_000_000
"""Bytes of a file beyond which it stays plain."""
_MOST_LINES = 100_000
NAMES = ("keyword", "string", "comment", "number", "function", "type")
"""What a character can be; a theme's colours are `syntax-` and these."""

_ROWS = 64
_LONGEST = 400
_PIECE = 4096
_KEYWORDS = """
"and" "as" "assert" "async" "await" "break" "case" "class" "continue" "def" "del" "elif" "else" "except" "finally"
"for" "from" "global" "if" "import" "in" "is" "lambda" "match" "nonlocal" "not" "or" "pass" "raise" "return" "try"
"while" "with" "yield" "not in" "is not"
"""
_QUERY = f"""
[ {_KEYWORDS} ] @keyword
[ (true) (false) (none) (integer) (float) ] @number
(comment) @comment
[ (string_start) (string_content) (string_end) ] @string
(function_definition name: (identifier) @function)
(call function: [ (identifier) @function (attribute attribute: (identifier) @function) ])
(decorator [ (identifier) @function (attribute attribute: (identifier) @function) ])
(decorator "@" @function)
(class_definition name: (identifier) @type)
(type) @type
"""


class _Loaded(NamedTuple):
    language: "Language"
    query: "Query"


@lru_cache(maxsize=1)
def load() -> _Loaded:
    """Load the library; it takes some 20 ms."""
    import tree_sitter_python  # noqa: PLC0415 - the first paint does not wait for it
    from tree_sitter import Language, Query  # noqa: PLC0415

    language = Language(tree_sitter_python.language())
    return _Loaded(language, Query(language, _QUERY))


class Syntax:
    """The spans of one file's lines and of hunks in it. Mutable: `read` may run in another thread.

    Args: lines: the file's. python: whether it is written in that.
    """

    def __init__(self, lines: Sequence[str] = (), *, python: bool = True) -> None:
        self.lines = lines
        self._tree: Tree | None = None
        self._blocks: dict[int, list[list[Part]]] = {}
        self._hunks = lru_cache(maxsize=64)(self._hunk)
        if is_document(lines):
            python = all(each.path.endswith((".py", ".pyi")) for each in sections(lines))
        self._readable = python and 0 < len(lines) < _MOST_LINES

    @property
    def is_small(self) -> bool:
        """Whether reading it takes no time that anyone would notice."""
        return len(self.lines) * 20 < AT_ONCE and sum(map(len, self.lines)) < AT_ONCE

    def read(self) -> None:
        """Find out what the lines are; it stays unknown where that is of no use."""
        if not self._readable or sum(map(len, self.lines)) >= MOST:
            return
        source = "\n".join("" if is_heading(line) else line for line in self.lines).encode("utf-8", "replace")
        if len(source) < MOST:
            self._tree = _parsed(source)

    def line(self, number: int) -> Sequence["Part"]:
        """The spans of a line (0-based)."""
        if self._tree is None:
            return ()
        block, offset = divmod(number, _ROWS)
        if block not in self._blocks:
            if len(self._blocks) > 256:
                self._blocks.clear()
            first = block * _ROWS
            self._blocks[block] = _spans(self._tree, self.lines[first : first + _ROWS], first)
        return self._blocks[block][offset]

    def new_line(self, hunk: "HunkLike", number: int) -> Sequence["Part"]:
        """The spans of one of a hunk's new lines (0-based)."""
        if not self._readable or sum(map(len, hunk.new_lines)) > AT_ONCE:
            return ()
        return self._hunks(hunk.start, hunk.start + len(hunk.old_lines), tuple(hunk.new_lines))[number]

    def _hunk(self, start: int, stop: int, new_lines: tuple[str, ...]) -> list[list["Part"]]:
        """New lines read together with what stands around them in the statement that they are part of."""
        first, last = _statement(self._tree, start) if self._tree else (start, stop)
        lead, rest = self.lines[first:start], self.lines[stop : max(stop, last)]
        if sum(map(len, [*lead, *new_lines, *rest])) > AT_ONCE:
            return [[] for _ in new_lines]
        tree = _parsed("\n".join([*lead, *new_lines, *rest, ""]).encode("utf-8", "replace"))
        return _spans(tree, new_lines, len(lead))


def _parsed(source: bytes) -> "Tree":
    """Source in pieces: between two of them other threads may run."""
    from tree_sitter import Parser  # noqa: PLC0415 - see above

    return Parser(load().language).parse(lambda at, _: source[at : at + _PIECE], encoding="utf8")


def _statement(tree: "Tree", line: int) -> tuple[int, int]:
    """The lines [start, end) of the outermost statement around a line that is not too long."""
    start, end, node = line, line, tree.root_node.named_descendant_for_point_range((line, 0), (line, 0))
    while node is not None and node.parent is not None and node.end_point[0] - node.start_point[0] <= _LONGEST:
        start, end = min(start, node.start_point[0]), max(end, node.end_point[0] + 1)
        node = node.parent
    return start, end


def _spans(tree: "Tree", lines: Sequence[str], first: int) -> list[list["Part"]]:
    """The spans of consecutive lines, of which the first has number `first` in the tree; none overlap."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - see above

    cursor = QueryCursor(load().query)
    cursor.set_point_range((first, 0), (first + len(lines), 0))
    found: list[list[Part]] = [[] for _ in lines]
    columns = [_columns(line) for line in lines]
    for name, nodes in cursor.captures(tree.root_node).items():
        for node in nodes:
            (top, left), (bottom, right) = node.start_point, node.end_point
            for row in range(max(top, first), min(bottom, first + len(lines) - 1) + 1):
                at, line = columns[row - first], lines[row - first]
                start = at(left) if row == top else 0
                end = at(right) if row == bottom else len(line)
                if start < end:
                    found[row - first].append((start, end, name))
    return [_apart(spans) for spans in found]


def _columns(line: str) -> Callable[[int], int]:
    """From bytes to characters in a line."""
    if line.isascii():
        return lambda column: min(column, len(line))
    encoded = line.encode("utf-8", "replace")
    return lambda column: len(encoded[:column].decode("utf-8", "ignore"))


def _apart(spans: Iterable["Part"]) -> list["Part"]:
    """Spans in order, each beginning where the one before has ended."""
    kept: list[Part] = []
    for start, end, name in sorted(spans):
        free = max(start, kept[-1][1] if kept else 0)
        if free < end:
            kept.append((free, end, name))
    return kept
