"""Finds places that resemble the lines of a change, to offer the same change there.

Lines are compared token by token; the words of the request play no part. `like_places` ranks the
places, `change_likeness` compares two changes, and `renames_local` tells the changes that have no
use elsewhere.
"""

import math
import re  # noqa: TID251 - reads source code
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise, takewhile

from spark_tui.context.file_parts import WORD, FilePart
from spark_tui.context.regions import Region
from spark_tui.context.search_index import SearchIndex
from spark_tui.errors import UsageError

_MOST_FILES = 40
"""Files that are looked at closely."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMON = 0.1
"""The weight of a token that stands in every part."""
_TARGET_ENDS = frozenset({"=", ":"})
_LOOP_ENDS = _TARGET_ENDS | {"in", "of"}
_PLACES = frozenset(".([-")
"""Tokens of what is assigned to and is no name: attributes (also by `->`), items, arguments."""


@dataclass(frozen=True, slots=True)
class LikePlace:
    """A part of a file that is like the lines of a change.

    Attributes:
        region: The part.
        likeness: From 0 to 1; 1 where the part holds all lines of the change.
    """

    region: Region
    likeness: float


def like_places(
    lines: Sequence[str], edited: Region, index: SearchIndex
) -> Generator[None, None, list[LikePlace]]:
    """Rank the parts of files by how much they are like some lines.

    Args:
        lines: The lines that a change replaced, or the lines around an insertion.
        edited: The region of the change, which is left out.
        index: The files as they are after the change.

    Yields:
        None between files, where the search may be closed.

    Returns:
        The places, the likest first.
    """
    wanted = [tokens for line in lines if (tokens := _tokens(line))]
    if not wanted:
        return []
    parts = list[tuple[FilePart, list[Counter[str]]]]()
    for path in _files(lines, edited.path, index):
        for part in index.parts([path]):
            parts.append((part, list(filter(None, map(_tokens, part.text.split("\n"))))))
        yield
    # the rarity of a token is only known once all parts are read
    rarity = _Rarity([rows for _, rows in parts])
    places = list[LikePlace]()
    for part, rows in parts:
        with suppress(UsageError):  # it is too long
            region = part.region()
            if not region.meets(edited):
                places.append(LikePlace(region, rarity.likeness(wanted, rows)))
    return sorted(places, key=lambda place: -place.likeness)


def change_likeness(
    before: Sequence[str], after: Sequence[str], other: tuple[Sequence[str], Sequence[str]]
) -> float:
    """Compare two changes by the tokens that they remove and add.

    Args:
        before: The lines before the first change.
        after: The same lines with it.
        other: The lines before and after the other change.

    Returns:
        From 0 to 1, where the same tokens go and come; 0 where both remove something, and none of
        that in common.
    """
    gone, come = _exchanged(before, after)
    gone_there, come_there = _exchanged(*other)
    # Common additions do not make up for it: a place that loses other tokens gets another change.
    if gone and gone_there and not gone & gone_there:
        return 0.0
    common = (gone & gone_there).total() + (come & come_there).total()
    total = sum(tokens.total() for tokens in (gone, come, gone_there, come_there))
    return 2 * common / total if total else 0.0


def renames_local(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a change only renames a local variable, which no other place uses.

    A name that is bound at the margin of a file is no local: other files may use it.

    Args:
        before: The lines before the change.
        after: The same lines with it.
    """
    old = _TOKEN.findall("\n".join(before))
    new = _TOKEN.findall("\n".join(after))
    # a renaming exchanges tokens one for one
    if len(old) != len(new):
        return False
    exchanged = {pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]}
    if len(exchanged) != 1:
        return False
    [(name, _)] = exchanged
    # A name that still occurs in the new lines was not renamed, only replaced in some places.
    indented = (line for line in before if line[:1].isspace())
    return name not in new and any(name in _bound(line) for line in indented)


def _bound(line: str) -> set[str]:
    """The names that a line binds: by an assignment, a loop, or `as`."""
    tokens = _TOKEN.findall(line)
    bound = {name for word, name in pairwise(tokens) if word in ("as", "for")}
    if tokens[:1] == ["for"]:
        # JavaScript and C++ put the head of a loop in brackets: `for (const a of list)`.
        head = [token for token in tokens[1:] if token != "("]
        bound.update(_listed(takewhile(lambda token: token not in _LOOP_ENDS, head)))
    elif _assigns(tokens):
        bound.update(_listed(takewhile(lambda token: token not in _TARGET_ENDS, tokens)))
    return bound


def _assigns(tokens: Sequence[str]) -> bool:
    """Whether the first "=" of a line gives a value, rather than compares or ends an arrow."""
    if "=" not in tokens:
        return False
    behind = tokens.index("=") + 1
    return tokens[behind : behind + 1] not in (["="], [">"])


def _listed(tokens: Iterable[str]) -> Iterator[str]:
    """The names at the end of a target, with commas between them; none of an attribute or item."""
    target = list(tokens)
    if not _PLACES.isdisjoint(target):
        return
    # From the end: what precedes the first name of the list is a keyword or a type (`let`, `int`).
    for token, before in pairwise([*reversed(target), ""]):
        if token != ",":
            yield token
            if before != ",":
                return


def _exchanged(before: Sequence[str], after: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """The tokens that a change removes and adds."""
    old = _tokens("\n".join(before))
    new = _tokens("\n".join(after))
    return old - new, new - old


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(text))


def _files(lines: Sequence[str], edited: str, index: SearchIndex) -> Iterator[str]:
    """The edited file, then those with the most and rarest words of the lines."""
    scores = index.scores(WORD.findall("\n".join(lines)))
    others = sorted(scores.keys() - {edited}, key=lambda path: (-scores[path], path))
    yield edited
    yield from others[: _MOST_FILES - 1]


class _Rarity:
    """Weighs tokens by how few parts have them.

    Args:
        parts: The tokens of each line of each part.
    """

    def __init__(self, parts: Sequence[Sequence[Counter[str]]]) -> None:
        self._count = len(parts)
        self._having = Counter[str]()
        for rows in parts:
            self._having.update(set().union(*rows))

    def likeness(self, wanted: Sequence[Counter[str]], rows: Sequence[Counter[str]]) -> float:
        """The mean likeness of each wanted line to the line of a part that is likest."""
        best = [max((self._shared(line, row) for row in rows), default=0.0) for line in wanted]
        return sum(best) / len(best)

    def _shared(self, line: Counter[str], row: Counter[str]) -> float:
        """The share of two lines that they have in common, by weight (Dice's coefficient)."""
        common = self._weight(line & row)
        return 2 * common / (self._weight(line) + self._weight(row))

    def _weight(self, tokens: Counter[str]) -> float:
        total = 0.0
        for token, count in tokens.items():
            having = self._having[token]
            # the logarithm of the inverse share of parts, smoothed as in BM25
            total += count * (_COMMON + math.log((self._count + 1) / (having + 0.5)))
        return total
