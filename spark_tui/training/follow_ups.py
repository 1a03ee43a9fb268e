"""Ask the words of an edit again behind that edit: what is left of the request, or that nothing is.

A turn is sure only where the model finds nothing left to do, so the model is taught to tell a whole edit from half of
one. The code, the words and the edits are those of other requests.
"""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from random import Random
from typing import Any

from spark_tui.editing.quoting import write_quoted
from spark_tui.training.rows import after_of

WHOLE, HALF = 0.04, 0.25
"""Shares of edits that are asked again: when all is done, and, of edits in several places, when some places are."""


def asked_again(rows: Iterable[dict[str, Any]], seed: int = 0) -> Iterator[dict[str, Any]]:
    """Make regions in which an edit, or some of its places, is done, and the same words come again.

    Args:
        rows: Lines of a file of requests (see `rows`).
        seed: Decides which requests are taken.
    """
    rng = Random(seed)
    for row in rows:
        before = row["code"].split("\n")
        for request in row["requests"]:
            after = after_of(row, request)
            if after == before or request.get("earlier") or request.get("previous"):
                continue
            places = _places(before, after)
            if len(places) > 1 and rng.random() < HALF:
                done = rng.sample(places, rng.randrange(1, len(places)))
                partly = _with_places(before, after, done)
                yield _again(row, request, before, partly, after)
            if rng.random() < WHOLE:
                yield _again(row, request, before, after, after)


def _again(
    row: dict[str, Any],
    request: dict[str, Any],
    before: list[str],
    now: list[str],
    after: list[str],
) -> dict[str, Any]:
    words = request["words"]
    previous = {"path": row["path"], "words": words, "script": write_quoted(before, now)}
    again = {"words": words, "previous": previous, "after": "\n".join(after), "elsewhere": True}
    return {"path": row["path"], "code": "\n".join(now), "requests": [again]}


_Place = tuple[int, int, int, int]
"""Old lines and the new ones that take their place, as 0-based first and end."""


def _places(before: Sequence[str], after: Sequence[str]) -> list[_Place]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def _with_places(before: Sequence[str], after: Sequence[str], done: Sequence[_Place]) -> list[str]:
    lines = list(before)
    for i1, i2, j1, j2 in sorted(done, reverse=True):
        lines[i1:i2] = after[j1:j2]
    return lines
