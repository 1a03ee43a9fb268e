"""The list above the prompt: files, functions, commands, earlier requests.

`match` and `Names` find names by some of their letters, which need not stand together, only in the
same order. Letters count more side by side, at the beginning of a word (after / _ - . or as a
capital) and in a path's last part; case matters once the query has a capital.

`asked_at` tells what could be completed at the cursor, the `*_items` functions make the items, and
`Completion` is the list above the prompt. `screens/completion_control.py` decides what the list
offers.
"""

import re  # noqa: TID251 - reads what is typed, by its shape
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nsmallest
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from spark_tui.mentions import DECORATORS, mention, unquoted
from spark_tui.safe_text import visible
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.highlight import shortened

if TYPE_CHECKING:
    from spark_tui.context.symbols import Symbol


# Names by some of their letters: the worth of a letter by where it stands.

# Right behind the letter before; in the last part of a path; behind a slash or at the start; behind
# a sign or a space; a capital within a word.
_BESIDE = 10
_IN_NAME = 4
_AT_PART = 14
_AT_WORD = 11
_AT_CAPITAL = 9
_GAP_COST = 2
"""What a gap between two letters costs, beside one for each letter in it."""
# The query is the whole last part of the path, with or without its ending.
_WHOLE_NAME = 40
_LONGEST = 200
"""Characters of a name that are looked at; of a path the last ones."""
_MOST_SCORED = 200
"""The most names that get a score, of the many that have the letters in their order."""


@dataclass(frozen=True, slots=True)
class Match:
    """A name that fits a query; `at` holds the places of the query's letters, for marking."""

    text: str
    score: int
    at: tuple[int, ...]


_Ways = dict[int, tuple[int, tuple[int, ...]]]
"""For each place of a letter, a score and the places of all letters up to it."""


def match(query: str, text: str) -> Match | None:
    """Score how well a name fits; None if it does not. An empty query fits everything."""
    skipped = max(0, len(text) - _LONGEST)
    seen = text[skipped:]
    compared = seen if query != query.lower() else _lower(seen)
    name_start = seen.rfind("/") + 1
    # The best score for each place of the letter before, with the places that lead there.
    ways: _Ways = {-1: (0, ())}
    for letter in query:
        # Keep the best way to each place where this letter can stand. A greedy match would take the
        # first letters that it meets.
        behind = range(min(ways) + 1, len(compared))
        next_ways: _Ways = {}
        places = [place for place in behind if compared[place] == letter]
        for place in places:
            worth = _bonus(seen, place) + _IN_NAME * (place >= name_start)
            next_ways[place] = _best_way(ways, place, worth)
        if not next_ways:
            return None
        ways = next_ways
    score, matched = max(ways.values())
    name = compared[name_start:]
    if query and query in {name, name.rpartition(".")[0]}:
        score += _WHOLE_NAME
    return Match(text, score, tuple(place + skipped for place in matched))


def _best_way(ways: _Ways, place: int, worth: int) -> tuple[int, tuple[int, ...]]:
    """The best score with a letter at a place, and the places of all letters up to it."""
    return max(
        (score + worth + _step(before, place, worth), (*places, place))
        for before, (score, places) in ways.items()
        if before < place
    )


def _step(before: int, place: int, worth: int) -> int:
    """The worth of going on from the letter before; the worth of a first letter counts twice."""
    if before < 0:
        return worth
    if place == before + 1:
        return _BESIDE
    return before - place - _GAP_COST


def _bonus(seen: str, place: int) -> int:
    """Score a letter for its place in a name."""
    # The start of a name counts as the start of a part of a path.
    before = seen[place - 1] if place else "/"
    if before == "/":
        return _AT_PART
    if before in "_-. ":
        return _AT_WORD
    if seen[place].isupper() and not before.isupper():
        return _AT_CAPITAL
    return 0


class Names:
    """Finds names by some of their letters.

    Of names that fit equally well the shorter comes first, then the order of the alphabet decides.
    A query that grows letter by letter is quickest: some 20 ms a letter for 50,000 paths.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # The shortest first: `best` relies on this order.
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        self._lower = [_lower(text[-_LONGEST:]) for text in self._texts]
        self._last: tuple[str, Sequence[int]] = "", range(len(self._texts))
        """The last query, and the numbers of the names that have its letters."""

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        """The shortest first."""
        return iter(self._texts)

    def best(self, query: str, limit: int) -> list[Match]:
        """The names that fit best, the best first."""
        if not query:
            return [Match(text, 0, ()) for text in self._texts[:limit]]
        lower = _lower(query)
        # A query that grew can only fit names that fitted before.
        last_query, numbers = self._last
        if not lower.startswith(last_query):
            numbers = range(len(self._texts))
        numbers = [number for number in numbers if _has_in_order(lower, self._lower[number])]
        self._last = lower, numbers
        # Scores take long, so only likely names get one: those whose last part has the query in one
        # piece, and the shortest of all.
        in_name = [number for number in numbers if lower in self._lower[number].rpartition("/")[2]]
        likely = dict.fromkeys([*in_name[:_MOST_SCORED], *numbers[:_MOST_SCORED]])
        matches = filter(None, (match(query, self._texts[number]) for number in likely))
        return nsmallest(limit, matches, key=_rank)


def _rank(found: Match) -> tuple[int, int, str]:
    """The sort key of matches, the best first."""
    return -found.score, len(found.text), found.text


def _has_in_order(query: str, text: str) -> bool:
    at = -1
    for letter in query:  # noqa: SIM110 - a generator takes twice as long, 50,000 times a key
        if (at := text.find(letter, at + 1)) < 0:
            return False
    return True


def _lower(text: str) -> str:
    """Lower the case and keep the length, so that places in one text are places in the other."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


# What could stand at the cursor.

MOST = 50
"""The most items of a list."""
FEWEST_LETTERS = 2
"""The fewest letters that find a function in any file: one letter fits nearly all."""

_COMMAND = re.compile(r"/(?P<name>[a-z]*)")
_ARGUMENT = re.compile(
    r"/(?P<name>[a-z]+) +"
    r"(?:-\S+ +(?:\"[^\"]*\"|'[^']*'|[^-\s]\S*) +)*"  # options with what is behind them
    r"(?:(?P<option>-\S+) +)?(?P<query>\S*)"
)
# @path or @"a path", with or without ::symbol, up to the cursor. The sign begins a word: an e-mail
# address is no mention.
_MENTION = re.compile(
    r'(?<![^\s(])@(?:"(?P<quoted>(?:[^"\\]|\\.)*)"?|(?P<path>[^\s:"]*))(?:::(?P<symbol>[\w.]*))?\Z'
)
# What stands behind the cursor and still belongs to the word in it, which a choice replaces.
_REST = re.compile(r"[^\s:,;)\"]*")
_REST_OF_COMMAND = re.compile(r"[a-z]*")
_REST_OF_SYMBOL = re.compile(r"[\w.]*")


class CompletionKind(StrEnum):
    """The kind of a completion."""

    COMMAND = "command"
    ARGUMENT = "argument"
    FILE = "file"
    SYMBOL = "function"


@dataclass(frozen=True, slots=True)
class CompletionQuery:
    """The words at the cursor that could be completed.

    A choice replaces the text from `start` to `end`. `of` is the command, with its option, or the
    file that the query belongs to.
    """

    kind: CompletionKind
    query: str
    start: int
    end: int
    of: str = ""


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """Something to choose.

    `value` replaces the query; `at` holds the places of the letters to mark in `text`.
    """

    text: str
    value: str
    detail: str = ""
    at: tuple[int, ...] = ()
    sends: bool = False
    """Whether Enter also sends the prompt."""

    def within(self, before: str) -> "CompletionItem":
        """The item with something in front of its text."""
        return replace(
            self, text=before + self.text, at=tuple(len(before) + place for place in self.at)
        )


def asked_at(text: str, cursor: int) -> CompletionQuery | None:
    """Find the words at the cursor that could be completed.

    Args:
        cursor: The number of characters before the cursor.
    """
    before = text[:cursor]
    # A command begins the text; a mention may end any line of it.
    if found := _COMMAND.fullmatch(before):
        return CompletionQuery(
            CompletionKind.COMMAND, found["name"], 0, _end(_REST_OF_COMMAND, text, cursor)
        )
    if found := _ARGUMENT.fullmatch(before):
        of = " ".join(filter(None, (found["name"], found["option"])))
        return CompletionQuery(
            CompletionKind.ARGUMENT, found["query"], found.start("query"), len(text), of
        )
    line_start = before.rfind("\n") + 1
    found = _MENTION.search(before, line_start)
    if found is None:
        return None
    name = unquoted(found["quoted"]) if found["quoted"] is not None else found["path"]
    if found["symbol"] is not None:
        return CompletionQuery(
            CompletionKind.SYMBOL,
            found["symbol"],
            found.start(),
            _end(_REST_OF_SYMBOL, text, cursor),
            name,
        )
    # `@property` and the like are code, not files.
    if name in DECORATORS:
        return None
    end = cursor if found["quoted"] else _end(_REST, text, cursor)
    return CompletionQuery(CompletionKind.FILE, name, found.start(), end)


def _end(rest: re.Pattern[str], text: str, cursor: int) -> int:
    """The end of the word that the cursor is in."""
    found = rest.match(text, cursor)
    return found.end() if found else cursor


def file_items(matches: Iterable[Match]) -> list[CompletionItem]:
    """Make the items of files."""
    return [_item(found, mention(found.text)) for found in matches]


def symbol_items(query: str, path: str, symbols: Sequence["Symbol"]) -> list[CompletionItem]:
    """Functions of a file that fit, the best first; in the file's order if the query is empty."""
    fitting = [
        (found, symbol) for symbol in symbols if (found := match(query, symbol.name)) is not None
    ]
    if query:
        fitting.sort(key=lambda pair: _rank(pair[0]))
    items = []
    for found, symbol in fitting[:MOST]:
        detail = f"{symbol.kind}, {symbol.start_line}-{symbol.end_line}"
        items.append(_item(found, _mention(path, symbol), detail))
    return items


def _mention(path: str, symbol: "Symbol") -> str:
    return mention(path, symbol=symbol.name, lines=(symbol.start_line, symbol.end_line))


class Functions:
    """The functions and classes that are known so far, each with its file."""

    def __init__(self, known: Iterable[tuple[str, "Symbol"]] = ()) -> None:
        self.all = list(known)
        self._of: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)
        for path, symbol in self.all:
            self._of[symbol.name].append((path, symbol))
        self._names = Names(self._of)

    def items(self, query: str, most: int, is_file: Callable[[str], bool]) -> list[CompletionItem]:
        """The functions that fit best, each with its file in front.

        Args:
            is_file: Whether a file is still there.
        """
        if len(query) < FEWEST_LETTERS:
            return []
        items = []
        for found in self._names.best(query, most):
            for path, symbol in self._of[found.text]:
                if is_file(path):
                    item = _item(found, _mention(path, symbol), symbol.kind)
                    items.append(item.within(f"{visible(path)}::"))
        return items[:most]


def named_items(
    query: str, named: Iterable[tuple[str, str]], *, before: str = "", sends: bool = True
) -> list[CompletionItem]:
    """Make items of the names that fit, with what they stand for, the best first.

    Args:
        before: The text to put before each value.
    """
    fitting = [(found, does) for name, does in named if (found := match(query, name)) is not None]
    if query:
        fitting.sort(
            key=lambda pair: (not pair[0].text.startswith(query), -pair[0].score, pair[0].text)
        )
    return [_item(found, before + found.text, does, sends=sends) for found, does in fitting]


def sent_items(query: str, sent: Sequence[str]) -> list[CompletionItem]:
    """Earlier instructions with all the words of a query, the newest first, each once."""
    words = query.split()
    exact = query != query.lower()
    items = []
    for text in dict.fromkeys(reversed(sent)):
        compared = text if exact else text.lower()
        if all(word in compared for word in words):
            items.append(CompletionItem(" ".join(text[:400].split()), text))
    return items[:MOST]


def _item(found: Match, value: str, detail: str = "", *, sends: bool = False) -> CompletionItem:
    """An item with its text made legible.

    The letters to mark stay where they were; no letter is marked if legible text has moved them.
    """
    shown = visible(found.text)
    marked = found.at if shown == found.text else ()
    return CompletionItem(shown, value, detail, marked, sends)


# The list above the prompt.

_AROUND = 4
"""Rows of the screen that neither the list nor the work can have."""
_GAP = 2
_MARGIN = 3
_WIDEST = 48
_LEAST_ROOM = 8
"""The least columns for the text of an item."""


class Completion(Widget):
    """The list above the prompt: items, one of them chosen.

    The list never takes the focus: the prompt has it, and tells the list what to do.
    """

    DEFAULT_CSS = """
    Completion {
        display: none; height: auto; background: $spark-surface; color: $spark-muted;
        &.-open { display: block; }
    }
    """

    class Picked(Message):
        """The user clicked on an item."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[CompletionItem, ...] = ()
        self.chosen = 0
        self.moved = False
        """Whether the user chose one of these items by a key."""
        self.title = ""
        self._column = 0

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return bool(self.items)

    @property
    def item(self) -> CompletionItem | None:
        """The chosen item; None while the list is closed."""
        return self.items[self.chosen] if self.items else None

    def show(self, items: Sequence[CompletionItem], *, title: str = "", chosen: int = 0) -> None:
        """Offer items, one of them chosen; without items the list is closed.

        Args:
            title: The kind of the items, shown at the right.
        """
        # The same items keep the choice that the user made among them.
        if tuple(items) == self.items:
            return
        before = self._rows
        self.items = tuple(items)
        self.chosen = chosen
        self.moved = False
        self.title = title
        widest = max((cell_len(item.text) for item in self.items if item.detail), default=0)
        self._column = _MARGIN + min(widest, _WIDEST)
        self.set_class(bool(items), "-open")
        self.refresh(layout=self._rows != before)

    def move(self, step: int) -> None:
        """Choose another item; beyond the last comes the first."""
        self.chosen = (self.chosen + step) % len(self.items)
        self.moved = True
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height: one row an item, up to a limit."""
        return self._rows

    @property
    def _rows(self) -> int:
        """The number of items shown at once: up to half of the screen."""
        return min(len(self.items), max(1, (self.app.size.height - _AROUND) // 2))

    def on_click(self, event: events.Click) -> None:
        """Choose the item under the mouse."""
        if (row := event.y + self._top()) < len(self.items):
            self.chosen = row
            self.refresh()
            self.post_message(self.Picked())

    def render_line(self, y: int) -> Strip:
        """Draw an item: its text with the query's letters marked, its detail, and a count.

        The count tells how many items are out of sight.
        """
        row = y + self._top()
        width = self.size.width
        style = look(self, "panel")
        if row >= len(self.items):
            return Strip.blank(width, style)
        item = self.items[row]
        is_chosen = row == self.chosen
        if is_chosen:
            style += look(self, "selected")
        if is_chosen:
            title = self._title(item, width)
            mark = " ▎ "
            name = "text"
        else:
            title = self._out_of_sight(y)
            mark = "   "
            name = "muted"
        if item.detail:
            # Details are aligned, so an item with one ends where the longest such item does.
            room = min(self._column, width) - _MARGIN
        else:
            room = width - _MARGIN - len(title) - _GAP
        segments = [Segment(mark, style + look(self, "accent"))]
        segments += self._text(item, max(_LEAST_ROOM, room), style + look(self, name), style)
        faint = style + look(self, "faint")
        # From the left: mark, text, detail. The title stands at the right edge, and covers the
        # rest.
        column = width - len(title) - 1 if title else width
        end = column - _GAP if title else column
        if item.detail:
            segments.append(_space(segments, self._column + _GAP, style))
            left = end - _width(segments)
            segments.append(Segment(shortened(visible(item.detail), max(1, left)), faint))
        if title:
            segments = list(Strip(segments).crop(0, max(0, end)))
            segments += [_space(segments, column, style), Segment(title, faint)]
        return Strip(segments).adjust_cell_length(width, style)

    def _title(self, item: CompletionItem, width: int) -> str:
        """The title, if it leaves the item all its room; else ""."""
        fits = _MARGIN + cell_len(visible(item.text)) + _GAP + len(self.title) < width
        return self.title if fits else ""

    def _out_of_sight(self, y: int) -> str:
        """The number of items above the first row, or below the last one."""
        above = self._top()
        below = len(self.items) - self._top() - self.size.height
        if y == self.size.height - 1 and below > 0:
            return f"↓ {below} more"
        return f"↑ {above} more" if y == 0 and above else ""

    def _text(self, item: CompletionItem, room: int, plain: Style, style: Style) -> list[Segment]:
        """The text of an item, cut to the room there is, with the query's letters marked."""
        marked = style + look(self, "accent")
        is_path = item.value.startswith("@")
        segments = []
        for index, char in _cut(item.text, room, at_start=is_path):
            char_style = marked if index in item.at else plain
            segments.append(Segment(char, char_style))
        return segments

    def _top(self) -> int:
        """The first item on the screen: the chosen one is always among them."""
        rows = min(self.size.height or self._rows, len(self.items))
        return max(0, min(self.chosen - rows // 2, len(self.items) - rows))


def _space(before: Sequence[Segment], column: int, style: Style) -> Segment:
    """The blanks that lead to a column; two at least."""
    return Segment(" " * max(_GAP, column - _width(before)), style)


def _width(segments: Sequence[Segment]) -> int:
    return sum(segment.cell_length for segment in segments)


def _cut(text: str, room: int, *, at_start: bool) -> list[tuple[int, str]]:
    """The characters that fit into `room` columns, with their indices; … stands for the rest.

    A path keeps its last characters, other text its first ones.
    """
    chars = list(enumerate(visible(text)))
    if cell_len(text) <= room:
        return chars
    if at_start:
        chars.reverse()
    kept = []
    # One column is for the sign that stands for the rest.
    width = 1
    for index, char in chars:
        width += cell_len(char)
        if width > room:
            break
        kept.append((index, char))
    kept.append((-1, "…"))
    return kept[::-1] if at_start else kept
