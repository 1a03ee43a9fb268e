"""Finds names among very many by some of their letters: of files, and of the functions and classes in them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from spark_tui.marks import visible
from spark_tui.places import mention
from spark_tui.tui.completing import Item, SymbolLike
from spark_tui.tui.fuzzy import Match, match

FEWEST_LETTERS = 2
"""One letter fits nearly all names."""


class Names:
    """Names to find among. Of those that fit equally well the shorter comes first, then the order of the alphabet.

    `best` is quickest where a query grows letter by letter: some milliseconds a letter for 50,000 paths.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted(texts, key=lambda text: (len(text), text))
        if self._texts:
            from spark_tui.tui.alignments import Alignments  # noqa: PLC0415 - the first paint does not wait for numpy

            self._alignments = Alignments(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[str]:
        """The shortest first."""
        return iter(self._texts)

    def best(self, query: str, limit: int) -> list[Match]:
        """The names that fit best, the best first."""
        if not query or not self._texts:
            return [Match(text, 0, ()) for text in self._texts[:limit]]
        likeliest = (self._texts[number] for number in self._alignments.best(query, limit))
        return [found for text in likeliest if (found := match(query, text)) is not None]


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
