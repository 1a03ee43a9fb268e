"""What could stand at the cursor of the prompt: a command, what a command takes, a file, a function of a file."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from spark_tui.marks import visible
from spark_tui.places import DECORATORS, mention, unquoted
from spark_tui.tui.fuzzy import Match, Names, match

if TYPE_CHECKING:
    from spark_tui.context.symbols import Symbol

MOST = 50
"""Of what fits that is offered."""
FEWEST_LETTERS = 2
"""Of a function in any file: one letter fits nearly all."""

_COMMAND = re.compile(r"/(?P<name>[a-z]*)")
_ARGUMENT = re.compile(r"/(?P<name>[a-z]+) +(?P<query>\S*)")
_MENTION = re.compile(r'(?<![^\s(])@(?:"(?P<quoted>(?:[^"\\]|\\.)*)"?|(?P<path>[^\s:"]*))(?:::(?P<symbol>[\w.]*))?\Z')
_REST = re.compile(r"[^\s:,;)\"]*")
_REST_OF_COMMAND = re.compile(r"[a-z]*")
_REST_OF_SYMBOL = re.compile(r"[\w.]*")


class Kind(StrEnum):
    """What is looked for."""

    COMMAND = "command"
    ARGUMENT = "argument"
    FILE = "file"
    SYMBOL = "function"


@dataclass(frozen=True, slots=True)
class Asked:
    """What stands at the cursor: `query`, to be replaced from `start` to `end`; `of`: the command or file it is for."""

    kind: Kind
    query: str
    start: int
    end: int
    of: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to choose. `value` takes the place of what was asked; `at`: the letters of `text` to mark."""

    text: str
    value: str
    detail: str = ""
    at: tuple[int, ...] = ()
    sends: bool = False
    """Whether Enter also sends it."""

    def within(self, before: str) -> "Item":
        """The same with something in front of its text."""
        return replace(self, text=before + self.text, at=tuple(len(before) + place for place in self.at))


def asked_at(text: str, cursor: int) -> Asked | None:
    """What could be completed in a text. Args: cursor: the number of characters before it."""
    before = text[:cursor]
    if found := _COMMAND.fullmatch(before):
        return Asked(Kind.COMMAND, found["name"], 0, _end(_REST_OF_COMMAND, text, cursor))
    if found := _ARGUMENT.fullmatch(before):
        return Asked(Kind.ARGUMENT, found["query"], found.start("query"), len(text), found["name"])
    line_start = before.rfind("\n") + 1
    found = _MENTION.search(before, line_start)
    if found is None:
        return None
    name = unquoted(found["quoted"]) if found["quoted"] is not None else found["path"]
    if found["symbol"] is not None:
        return Asked(Kind.SYMBOL, found["symbol"], found.start(), _end(_REST_OF_SYMBOL, text, cursor), name)
    if name in DECORATORS:
        return None
    return Asked(Kind.FILE, name, found.start(), cursor if found["quoted"] else _end(_REST, text, cursor))


def _end(rest: re.Pattern[str], text: str, cursor: int) -> int:
    """Where the word ends that the cursor is in."""
    found = rest.match(text, cursor)
    return found.end() if found else cursor


def file_items(found: Iterable[Match]) -> list[Item]:
    """Files that fit."""
    return [_item(each, mention(each.text)) for each in found]


def symbol_items(query: str, path: str, symbols: Sequence["Symbol"]) -> list[Item]:
    """Functions of a file that fit, the best first; all in their order while nothing is asked for."""
    fitting = [(found, each) for each in symbols if (found := match(query, each.name)) is not None]
    if query:
        fitting.sort(key=lambda one: (-one[0].score, len(one[0].text), one[0].text))
    return [
        _item(found, _mention(path, each), f"{each.kind}, {each.start_line}-{each.end_line}")
        for found, each in fitting[:MOST]
    ]


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

    def items(self, query: str, most: int, is_file: Callable[[str], bool]) -> list[Item]:
        """Those that fit best, each with its file in front. Args: is_file: whether a file is still there."""
        found = self._names.best(query, most) if len(query) >= FEWEST_LETTERS else []
        return [
            _item(each, _mention(path, symbol), symbol.kind).within(f"{visible(path)}::")
            for each in found
            for path, symbol in self._of[each.text]
            if is_file(path)
        ][:most]


def named_items(query: str, named: Iterable[tuple[str, str]], *, before: str = "", sends: bool = True) -> list[Item]:
    """Names with what they stand for, those that fit, the best first. Args: before: stands before each value."""
    fitting = [(found, does) for name, does in named if (found := match(query, name)) is not None]
    if query:
        fitting.sort(key=lambda one: (not one[0].text.startswith(query), -one[0].score, one[0].text))
    return [_item(found, before + found.text, does, sends=sends) for found, does in fitting]


def sent_items(query: str, sent: Sequence[str]) -> list[Item]:
    """What was sent and has all the words of a query, the newest first, each once."""
    words = query.split()
    exact = query != query.lower()
    texts = [
        text
        for text in dict.fromkeys(reversed(sent))
        if all(word in (text if exact else text.lower()) for word in words)
    ]
    return [Item(" ".join(text[:400].split()), text) for text in texts[:MOST]]


def _item(found: Match, value: str, detail: str = "", *, sends: bool = False) -> Item:
    """An item with its text made legible; the letters to mark are where they were, unless marks moved them."""
    shown = visible(found.text)
    return Item(shown, value, detail, found.at if shown == found.text else (), sends)
