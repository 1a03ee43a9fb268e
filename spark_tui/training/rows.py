"""Written requests as token rows: a region once, and behind it each request with its script, none seeing the others.

A file of requests has one JSON object a line:

    {"path", "code", "requests": [{"words", "after" or "edits", "selected", "earlier", "previous", "elsewhere"}]}

`edits` are pairs of old text, which stands once, and new text. `earlier` are words that these correct, `previous` is
the accepted edit before, {"path", "words", "script"}, and `elsewhere` marks words that are about another place. Only
where the grammar leaves a choice is anything learned: what the grammar forces costs neither loss nor logits.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_tui.editing.quoting import (
    ADD,
    DROP,
    KEEP,
    NONE,
    Applied,
    Request,
    apply_quoted,
    next_lines,
    region_pieces,
    request_pieces,
    script_pieces,
    write_quoted,
)  # fmt: skip
from spark_tui.errors import UsageError
from spark_tui.training.cases import Case, previous_of

Encode = Callable[[str], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Region:
    """A region and what was asked about it, each with the canonical script of its answer."""

    path: str
    lines: tuple[str, ...]
    asked: tuple[tuple[Request, tuple[str, ...]], ...]


def read_regions(paths: Iterable[Path]) -> Iterator[Region]:
    """The regions of files. Raises: UsageError: a file cannot be read or holds something else."""
    for path in paths:
        try:
            for line in path.read_text("utf-8").splitlines():
                if line.strip():
                    yield region_of(json.loads(line))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} holds no written requests ({error}); make it with `spark train data`") from error


def region_of(row: dict[str, Any]) -> Region:
    """A line of such a file. Raises: ValueError, KeyError, TypeError: it is none."""
    lines = tuple(row["code"].split("\n"))
    asked = []
    for entry in row["requests"]:
        script = write_quoted(lines, after_of(row, entry))
        asked.append((_request(row, lines, entry), tuple(script)))
    return Region(row["path"], lines, tuple(asked))


def _request(row: dict[str, Any], lines: tuple[str, ...], one: dict[str, Any]) -> Request:
    first, last = one.get("selected") or (1, 0)
    previous = previous_of(one.get("previous"))
    return Request(row["path"], lines, one["words"], lines[first - 1 : last], tuple(one.get("earlier", ())), previous)


def after_of(row: dict[str, Any], one: dict[str, Any]) -> list[str]:
    """The lines of a region with the edit of one of its requests. Raises: ValueError: an edit does not fit once."""
    after: str = one.get("after", row["code"])
    for old, new in one.get("edits", ()):
        if after.count(old) != 1:
            raise ValueError(f"{old!r} stands {after.count(old)} times")
        after = after.replace(old, new)
    return after.split("\n")


def as_cases(regions: Iterable[Region]) -> Iterator[Case]:
    """What was asked, as cases with one answer that is right each."""
    for at, region in enumerate(regions):
        for number, (asked, script) in enumerate(region.asked):
            after = tuple(apply_quoted(region.lines, script))
            start = next(
                (n for n in range(len(region.lines)) if region.lines[n : n + len(asked.selected)] == asked.selected), 0
            )
            selected = (start, start + len(asked.selected) - 1) if asked.selected else None
            accept = () if after == region.lines else (after,)
            yield Case(
                f"{at}-{number}",
                asked.words,
                region.lines,
                selected,
                accept,
                False,
                region.path,
                asked.earlier,
                previous=asked.previous,
            )


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens of a region and its requests, all (T,). `branches`: 0 is the region, the requests count from 1.

    `learned`: where the token is to be predicted.
    """

    tokens: NDArray[np.int32]
    branches: NDArray[np.int32]
    learned: NDArray[np.bool_]

    @property
    def positions(self) -> NDArray[np.int64]:
        """Each request goes on from the end of the region."""
        found = np.arange(len(self.tokens))
        starts = np.flatnonzero(np.diff(self.branches, prepend=0))
        for start, stop in zip(starts, [*starts[1:], len(found)], strict=True):
            found[start:stop] -= start - starts[0]
        return found


def make_row(region: Region, encode: Encode, end: int, *, longest: int) -> Row | None:
    """The tokens of a region, with as many requests as fit; None where not one does. Args: end: closes a script."""
    tokens = _joined(encode, region_pieces(region.path, region.lines))
    branches, learned = [0] * len(tokens), [False] * len(tokens)
    for number, (request, script) in enumerate(region.asked, 1):
        asked = _joined(encode, request_pieces(request))
        answer, choices = _answer(region.lines, script, encode, end)
        if len(tokens) + len(asked) + len(answer) > longest:
            continue
        tokens += asked + answer
        branches += [number] * (len(asked) + len(answer))
        learned += [False] * len(asked) + choices
    if not any(learned):
        return None
    return Row(np.array(tokens, np.int32), np.array(branches, np.int32), np.array(learned))


def _joined(encode: Encode, pieces: Iterable[str]) -> list[int]:
    return [token for piece in pieces for token in encode(piece)]


def _answer(lines: Sequence[str], script: Sequence[str], encode: Encode, end: int) -> tuple[list[int], list[bool]]:
    applied, tokens, choices = Applied(lines), list[int](), list[bool]()
    for line in script:
        pieces = [list(encode(piece)) for piece in script_pieces([line])]
        tokens += [token for piece in pieces for token in piece]
        if line[:1] in (KEEP, DROP):
            others = [list(encode(text + "\n")) for text in next_lines(lines, applied.at)]
            choices += [True, *branchings(pieces[1], others)]
        else:
            choices += [True] * sum(map(len, pieces))
        applied.take(line)
    return [*tokens, end], [*choices, script[-1][:1] in (KEEP, DROP, ADD) or script[-1] != NONE]


def branchings(text: Sequence[int], others: Sequence[Sequence[int]]) -> list[bool]:
    """Where a text could go on as another one of those that may be written instead."""
    found = []
    for at, token in enumerate(text):
        found.append(any(other[at] != token for other in others))
        others = [other for other in others if other[at] == token and len(other) > at + 1]
    return found
