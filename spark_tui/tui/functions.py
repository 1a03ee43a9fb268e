"""Finds functions and classes of all files by some of their letters, among those that were read beforehand."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from spark_tui.marks import visible
from spark_tui.places import mention
from spark_tui.tui.completing import Item, SymbolLike
from spark_tui.tui.fuzzy import Names

FEWEST_LETTERS = 2
"""One letter fits nearly all names."""


class Functions:
    """The functions and classes that are known so far."""

    def __init__(self, known: Iterable[tuple[str, SymbolLike]] = ()) -> None:
        self.all = list(known)
        self._of: dict[str, list[tuple[str, SymbolLike]]] = defaultdict(list)
        for path, symbol in self.all:
            self._of[symbol.name].append((path, symbol))
        self._names = Names(self._of)

    def items(self, query: str, most: int, is_file: Callable[[str], bool]) -> list[Item]:
        """Those that fit best, each with its file in front. Args: is_file: whether a file is still there."""
        if len(query) < FEWEST_LETTERS:
            return []
        items = list[Item]()
        for found in self._names.best(query, most):
            for path, symbol in self._of[found.text]:
                if len(items) < most and is_file(path):
                    before = f"{visible(path)}::"
                    at = tuple(len(before) + place for place in found.at)
                    value = mention(path, symbol=symbol.name)
                    items.append(Item(before + symbol.name, value, symbol.kind, at))
        return items
