"""The colors of code, marks for odd characters, and what changed within a line.

`Syntax` colors a file with tree-sitter: only text goes in and only spans come out, so that nothing
here can change what a line says. Python has a query of its own; other languages with a grammar are
colored by what grammars have in common. `colored` cuts a line into drawable pieces with every odd
character shown as a mark. `changed_words` and `lead` compare two versions of a line.

Text is never parsed as markup, and no control or direction character reaches the screen.
"""

import re  # noqa: TID251 - reads source code
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum, auto
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size

from spark_tui.editing.line_diff import is_document, is_heading, sections
from spark_tui.editing.syntax import Language, grammar_of, language_of
from spark_tui.safe_text import is_plain, mark

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Query, Tree, TreeCursor

    from spark_tui.session.hunk_items import HunkLike


AT_ONCE = 32_000
"""The most bytes of a file that is parsed before it is shown; a larger one is plain at first."""
MOST = 4_000_000
"""The most bytes of a file that is parsed at all; a larger one stays plain."""
_MOST_LINES = 100_000
NAMES = ("keyword", "string", "comment", "number", "function", "type")
"""The kinds of code; a theme has a color `syntax-NAME` for each."""

# Lines whose spans are found in one query; lines of the longest statement that is parsed around a
# hunk; bytes that the parser reads at a time.
_ROWS = 64
_LONGEST = 400
_PIECE = 4096
_KEYWORDS = """
"and" "as" "assert" "async" "await" "break" "case" "class" "continue" "def" "del" "elif" "else"
"except" "finally" "for" "from" "global" "if" "import" "in" "is" "lambda" "match" "nonlocal" "not"
"or" "pass" "raise" "return" "try" "while" "with" "yield" "not in" "is not"
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
    grammar: "Grammar"
    query: "Query"


@lru_cache(maxsize=1)
def load() -> _Loaded:
    """Load the library and the grammar of Python; it takes some 20 ms."""
    import tree_sitter_python  # noqa: PLC0415 - the first paint does not wait for it
    from tree_sitter import Language, Query  # noqa: PLC0415

    language = Language(tree_sitter_python.language())
    return _Loaded(language, Query(language, _QUERY))


class Syntax:
    """The colored spans of the lines of a file, and of the new lines of its hunks.

    `read` may run in another thread; until it is done, lines have no spans.

    Args:
        lines: The lines of the file.
        path: The path of the file; its name tells the language.
    """

    def __init__(self, lines: Sequence[str] = (), path: str = "") -> None:
        self.lines = lines
        self._language = _one_language(lines, path)
        self._tree: Tree | None = None
        self._blocks: dict[int, list[list[Part]]] = {}
        self._hunks = lru_cache(maxsize=64)(self._hunk)
        self._readable = self._language is not None and 0 < len(lines) < _MOST_LINES

    @property
    def is_small(self) -> bool:
        """Whether parsing the file takes no time that anyone would notice."""
        # The number of lines bounds the time that the sum takes.
        return len(self.lines) * 20 < AT_ONCE and sum(map(len, self.lines)) < AT_ONCE

    def read(self) -> None:
        """Parse the file; one that is too large stays plain."""
        if not self._readable or sum(map(len, self.lines)) >= MOST:
            return
        # A heading is no code, but its line keeps the numbers of the others.
        code = ["" if is_heading(line) else line for line in self.lines]
        source = "\n".join(code).encode("utf-8", "replace")
        if len(source) < MOST:
            self._tree = self._parse(source)

    def line(self, number: int) -> Sequence["Part"]:
        """The spans of a line (0-based)."""
        if self._tree is None:
            return ()
        block, offset = divmod(number, _ROWS)
        if block not in self._blocks:
            # Some 16,000 lines. Whoever scrolls further has the colors found again.
            if len(self._blocks) > 256:
                self._blocks.clear()
            first = block * _ROWS
            lines = self.lines[first : first + _ROWS]
            self._blocks[block] = self._spans(self._tree, lines, first)
        return self._blocks[block][offset]

    def new_line(self, hunk: "HunkLike", number: int) -> Sequence["Part"]:
        """The spans of one of a hunk's new lines (0-based)."""
        if not self._readable or sum(map(len, hunk.new_lines)) > AT_ONCE:
            return ()
        stop = hunk.start + len(hunk.old_lines)
        return self._hunks(hunk.start, stop, tuple(hunk.new_lines))[number]

    def _hunk(self, start: int, stop: int, new_lines: tuple[str, ...]) -> list[list["Part"]]:
        """The spans of new lines, parsed together with the rest of their statement."""
        # A line such as `else:` can only be parsed within its statement.
        first, last = _statement(self._tree, start) if self._tree else (start, stop)
        lead = self.lines[first:start]
        rest = self.lines[stop : max(stop, last)]
        if sum(map(len, [*lead, *new_lines, *rest])) > AT_ONCE:
            return [[] for _ in new_lines]
        tree = self._parse("\n".join([*lead, *new_lines, *rest, ""]).encode("utf-8", "replace"))
        if tree is None:
            return [[] for _ in new_lines]
        return self._spans(tree, new_lines, len(lead))

    def _parse(self, source: bytes) -> "Tree | None":
        """Parse source that is passed in pieces, between which other threads may run.

        Returns:
            None where the grammar is not installed.
        """
        from tree_sitter import Parser  # noqa: PLC0415 - see above

        grammar = None
        if self._language == _PYTHON:
            grammar = load().grammar
        elif self._language is not None:
            grammar = grammar_of(self._language)
        if grammar is None:
            return None
        # Each piece calls back into Python, which may then switch threads.
        return Parser(grammar).parse(lambda at, _: source[at : at + _PIECE], encoding="utf8")

    def _spans(self, tree: "Tree", lines: Sequence[str], first: int) -> list[list["Part"]]:
        """The spans of consecutive lines; the first one has number `first` in the tree."""
        if self._language == _PYTHON:
            return _python_spans(tree, lines, first)
        return _common_spans(tree, lines, first)


_PYTHON = language_of("a.py")


def _one_language(lines: Sequence[str], path: str) -> Language | None:
    """The language of a file, or the one language of all files of a document."""
    if not is_document(lines):
        return language_of(path)
    languages = {language_of(section.path) for section in sections(lines)}
    return languages.pop() if len(languages) == 1 else None


def _statement(tree: "Tree", line: int) -> tuple[int, int]:
    """The lines [start, end) of the outermost statement around a line that is not too long."""
    start = line
    end = line
    node = tree.root_node.named_descendant_for_point_range((line, 0), (line, 0))
    while (
        node is not None
        and node.parent is not None
        and node.end_point[0] - node.start_point[0] <= _LONGEST
    ):
        start = min(start, node.start_point[0])
        end = max(end, node.end_point[0] + 1)
        node = node.parent
    return start, end


def _python_spans(tree: "Tree", lines: Sequence[str], first: int) -> list[list["Part"]]:
    """The spans of consecutive lines; the first one has number `first` in the tree.

    Spans do not overlap.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - see above

    cursor = QueryCursor(load().query)
    cursor.set_point_range((first, 0), (first + len(lines), 0))
    parts: list[list[Part]] = [[] for _ in lines]
    columns = [_columns(line) for line in lines]
    # A node such as a string may cover several lines: each line gets its part.
    for name, nodes in cursor.captures(tree.root_node).items():
        for node in nodes:
            top, left = node.start_point
            bottom, right = node.end_point
            for row in range(max(top, first), min(bottom, first + len(lines) - 1) + 1):
                column_of = columns[row - first]
                start = column_of(left) if row == top else 0
                end = column_of(right) if row == bottom else len(lines[row - first])
                if start < end:
                    parts[row - first].append((start, end, name))
    return [_apart(spans) for spans in parts]


# What the grammars of other languages have in common.

_LONGEST_LINE = 2000
"""Characters of a line that is colored; longer ones, such as minified code, stay plain."""
_COMMON: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("comment", re.compile("comment")),
    ("", re.compile("interpolation|substitution|expansion")),
    ("string", re.compile("string(?!_scalar)|char_literal|character|heredoc|regex|quote_scalar")),
    ("type", re.compile("type_identifier|^(primitive|predefined|builtin)_type|^(class|id)_name$")),
    ("number", re.compile("number|integer|float|decimal|^(true|false|null|nil|none|undefined)$")),
    ("keyword", re.compile("^tag_name$")),
    ("function", re.compile("^(attribute|property|command)_name$")),
)
"""The kinds of named nodes, by patterns in their type; the first match counts."""
# Types of nodes that are names, and of parents that define or call functions, or define types.
_NAMED = re.compile("identifier$|^name$|^constant$|^word$")
_CALLABLE = re.compile("function|method|constructor")
_TYPE = re.compile("class|struct|interface|enum|trait|module|object")


def _common_spans(tree: "Tree", lines: Sequence[str], first: int) -> list[list["Part"]]:
    """See `Syntax._spans`: the color of a node replaces the color of the node around it."""
    last = first + len(lines) - 1
    colors = [[""] * len(line) if len(line) <= _LONGEST_LINE else [] for line in lines]
    columns = [_columns(line) for line in lines]
    for node, name in _walk(tree, first, last):
        top, left = node.start_point
        bottom, right = node.end_point
        for row in range(max(top, first), min(bottom, last) + 1):
            if not colors[row - first]:
                continue
            column_of = columns[row - first]
            start = column_of(left) if row == top else 0
            end = column_of(right) if row == bottom else len(lines[row - first])
            # Inner nodes come later, and paint over the outer one.
            colors[row - first][start:end] = [name] * (end - start)
    return [_runs_of(names) for names in colors]


def _runs_of(names: Sequence[str]) -> list["Part"]:
    """Stretches of characters with the same name; those without a name are left out."""
    runs: list[Part] = []
    start = 0
    for name, group in groupby(names):
        end = start + len(list(group))
        if name:
            runs.append((start, end, name))
        start = end
    return runs


def _walk(tree: "Tree", first: int, last: int) -> Iterator[tuple["Node", str]]:
    """Yield the nodes in these lines that have a color, with its name; outer nodes come first."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node is not None
        is_in_sight = node.end_point[0] >= first and node.start_point[0] <= last
        name = _common_name(node, cursor) if is_in_sight else None
        if name is not None:
            yield node, name
        # Go down to the first child that reaches these lines; else to the next sibling, and up
        # where there is none. Siblings behind a node below the lines are below them, too.
        if is_in_sight and cursor.goto_first_child_for_point((first, 0)) is not None:
            continue
        while not (node.start_point[0] <= last and cursor.goto_next_sibling()):
            if not cursor.goto_parent():
                return
            node = cursor.node
            assert node is not None


def _common_name(node: "Node", cursor: "TreeCursor") -> str | None:
    """The color of a node, by its type and its place in its parent; "" clears a color."""
    if not node.is_named:
        return "keyword" if node.type.isalpha() and node.child_count == 0 else None
    for name, pattern in _COMMON:
        if pattern.search(node.type):
            return name
    parent = node.parent
    if parent is None or not _NAMED.search(node.type):
        return None
    if cursor.field_name == "name" and _TYPE.search(parent.type):
        return "type"
    if _is_callee(node, cursor.field_name, parent):
        return "function"
    return None


def _is_callee(node: "Node", field: str | None, parent: "Node") -> bool:
    """Whether a node names a function that is defined or called there."""
    if field in {"name", "declarator", "method"} and _CALLABLE.search(parent.type):
        return True
    if field == "function":
        return True
    # The last name of `a.b.c()` is the one that is called.
    around = parent.parent
    is_last = node.end_byte == parent.end_byte
    return is_last and around is not None and around.child_by_field_name("function") == parent


def _columns(line: str) -> Callable[[int], int]:
    """Make a function from offsets in bytes to offsets in characters of a line."""
    # Tree-sitter counts bytes of UTF-8; in an ASCII line they are characters.
    if line.isascii():
        return lambda column: min(column, len(line))
    encoded = line.encode("utf-8", "replace")
    return lambda column: len(encoded[:column].decode("utf-8", "ignore"))


def _apart(spans: Iterable["Part"]) -> list["Part"]:
    """Sort spans, and cut off the start of each one that an earlier span covers."""
    kept: list[Part] = []
    free = 0
    for start, end, name in sorted(spans):
        first = max(start, free)
        if first < end:
            kept.append((first, end, name))
            free = end
    return kept


# Lines as drawable pieces.

TAB_WIDTH = 4
# Characters of a line whose words are compared, which takes quadratic time.
_MAX_COMPARED = 400
MOST_LED = 10_000
"""Characters of the longest line whose change is looked for at every paint."""
_STRIDE = 256
"""Characters whose width is measured, and cached, together."""
# A smaller ratio of common words, and nearly all of both lines would be marked.
_LEAST_ALIKE = 0.35
# Words, blanks, and single signs: together they are the whole line.
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]
"""Offsets [start, end) in a line."""

Part = tuple[int, int, str]
"""A span, and the name of its color; see `NAMES`."""


class Ink(Enum):
    """How a piece of a line is drawn, besides its color in the language."""

    PLAIN = auto()
    WORD = auto()
    MARK = auto()


def inked(text: str, words: Sequence[Span] = ()) -> Iterator[tuple[str, Ink]]:
    """Cut a line into drawable pieces from left to right, with `words` set apart.

    Tabs are expanded, and odd characters are marks.
    """
    return ((piece, ink) for piece, ink, _ in colored(text, words, ()))


def colored(
    text: str, words: Sequence[Span], parts: Sequence[Part], column: int = 0
) -> Iterator[tuple[str, Ink, str]]:
    """The pieces of `inked`, each with the name of its color in the language, or "".

    Args:
        words, parts: In order, without overlaps.
        column: The column of its line in which the text begins.
    """
    for piece, ink, part in _cut(text, words, parts):
        for run, plain in _runs(piece):
            if plain:
                column += cell_len(run)
                yield run, ink, part
                continue
            for character in run:
                if character == "\t":
                    shown = "→".ljust(TAB_WIDTH - column % TAB_WIDTH)
                else:
                    shown = mark(character)
                column += len(shown)
                yield shown, Ink.MARK, ""


def skipped(text: str, columns: int) -> tuple[int, int]:
    """Skip whole strides of a line that fit into columns which are left out.

    Returns:
        The number of skipped characters, and the number of columns that they take: up to a stride
        less than there is room for.
    """
    index = 0
    column = 0
    while index + _STRIDE <= len(text):
        wider = column + _cells(text[index : index + _STRIDE], column % TAB_WIDTH)
        if wider > columns:
            break
        index += _STRIDE
        column = wider
    return index, column


def columns(text: str, end: int) -> int:
    """The number of columns that the first characters of a line take."""
    index, column = skipped(text[:end], sys.maxsize)
    return column + _cells(text[index:end], column % TAB_WIDTH)


@lru_cache(maxsize=2048)
def lead(text: str, other: str, room: int) -> int:
    """The columns to leave out on the left so that the change between two versions is seen.

    Some of the text before and behind the change is seen, too. If the change is too long, its
    beginning is seen.
    """
    if max(len(text), len(other)) > MOST_LED:
        return 0
    width = max(columns(text, len(text)), columns(other, len(other)))
    if width <= room:
        return 0
    head = _common_prefix(text, other)
    tail = _common_prefix(text[head:][::-1], other[head:][::-1])
    # The change lies between the common beginning and the common end of the two lines.
    around = room // 4
    start = columns(text, head) - around
    end = max(columns(text, len(text) - tail), columns(other, len(other) - tail)) + around
    # The end of the change comes into sight, but never at the cost of its start.
    return max(0, min(min(end, width) - room, start))


@lru_cache(maxsize=2048)
def line_breaks(text: str, other: str | None, room: int) -> Sequence[int]:
    """The columns at which the rows of a changed line begin, so that all of the change is seen.

    Args:
        text: The line.
        other: The line that it replaces or is replaced by; None: all of the line is the change.
        room: Columns of a row.

    Returns:
        The columns; just 0 if one row shows the change.
    """
    if len(text) > MOST_LED or room < 1 or columns(text, len(text)) <= room:
        return (0,)
    if other is not None:
        head = _common_prefix(text, other)
        tail = _common_prefix(text[head:][::-1], other[head:][::-1])
        left_out = lead(text, other, room)
        # A mark takes a column on each side where the line goes on.
        first = left_out + bool(left_out)
        last = left_out + room - bool(tail)
        if columns(text, head) >= first and columns(text, len(text) - tail) <= last:
            return (0,)
    starts = [0]
    column = 0
    for piece, _, _ in colored(text, (), ()):
        for character in piece:
            width = cell_len(character)
            if column + width - starts[-1] > room:
                starts.append(column)
            column += width
    return tuple(starts)


def _common_prefix(text: str, other: str) -> int:
    """The number of characters at the start that two texts have in common."""
    for index, (left, right) in enumerate(zip(text, other, strict=False)):
        if left != right:
            return index
    return min(len(text), len(other))


@lru_cache(maxsize=4096)
def _cells(text: str, column: int) -> int:
    return sum(cell_len(shown) for shown, _, _ in colored(text, (), (), column))


def _cut(text: str, words: Sequence[Span], parts: Sequence[Part]) -> Iterator[tuple[str, Ink, str]]:
    """Cut a line wherever one of the spans begins or ends."""
    edges = {0, len(text)}
    for word_start, word_end in words:
        edges |= {word_start, word_end}
    for part_start, part_end, _ in parts:
        edges |= {part_start, part_end}
    word = 0
    part = 0
    for start, end in pairwise(sorted(edge for edge in edges if edge <= len(text))):
        while word < len(words) and words[word][1] <= start:
            word += 1
        while part < len(parts) and parts[part][1] <= start:
            part += 1
        ink = Ink.PLAIN
        if word < len(words) and words[word][0] <= start:
            ink = Ink.WORD
        name = ""
        if part < len(parts) and parts[part][0] <= start:
            name = parts[part][2]
        yield text[start:end], ink, name


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Stretches of plain and of odd characters, as (stretch, is plain)."""
    if is_plain(text):  # as nearly all is
        yield text, True
    else:
        yield from (("".join(run), plain) for plain, run in groupby(text, is_plain))


def shortened(text: str, columns: int) -> str:
    """Cut words to a number of columns, behind a whole word, with a sign that there are more.

    A word that takes half the room or more, such as a path, is shown as far as it fits.
    """
    if cell_len(text) <= columns:
        return text
    head = set_cell_size(text, max(0, columns - 1))
    end = head.rfind(" ")
    # Cut at the last space, unless the cut is at the end of a word anyway.
    if 2 * end > len(head) and not text[len(head.rstrip()) :].startswith(" "):
        head = head[:end]
    return f"{head.rstrip(' ,;:')}…"


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Compare two versions of a line word by word: the spans that differ in `old` and in `new`.

    Both are empty when the lines have too little in common (or are too long) for marks to help.
    """
    if max(len(old), len(new)) > _MAX_COMPARED:
        return (), ()
    return _changed_words(old, new)


@lru_cache(maxsize=2048)
def _changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    left = _WORDS.findall(old)
    right = _WORDS.findall(new)
    # Without `autojunk`, which would ignore the words that a long line has most often.
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return (), ()
    changes = [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    return (
        _offsets(left, [(i1, i2) for i1, i2, _, _ in changes]),
        _offsets(right, [(j1, j2) for _, _, j1, j2 in changes]),
    )


def _offsets(words: Sequence[str], ranges: Iterable[Span]) -> tuple[Span, ...]:
    """Turn ranges of words into ranges of characters, without indentation and empty ranges."""
    starts = list(accumulate(map(len, words), initial=0))
    # A changed indentation is no changed word.
    first_word = len(words[0]) if words and words[0].isspace() else 0
    spans = ((max(starts[first], first_word), starts[last]) for first, last in ranges)
    return tuple((start, end) for start, end in spans if end > start)
