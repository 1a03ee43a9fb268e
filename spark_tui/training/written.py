"""Requests written one by one for real code, each by somebody who saw it.

The words are those of writers (language models, each with a temper, and for each request a style: terse, polite, a
question, a symptom, a tool's message, a place described, code, sloppy) who knew none of the generator's phrasings. Some
ask for what no small edit answers. Of those in WRITTEN the generator made the edits; they count for the intents, and
are trained on beside the rest. Those in WISHED are edits that the writers thought up themselves, whatever came to mind
on reading the code: what people ask for, whether or not there is a kind for it.
"""

import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spark_tui.training.examples import Group, read_groups

WRITTEN = Path(__file__).with_name("written.jsonl.gz")
WISHED = Path(__file__).with_name("wished.jsonl.gz")
FOLDS = 3
"""Of the wishes: what counts how much in the choice of an edit is learned with the words of the other folds."""


@cache
def written(*, kept_back: bool = False) -> tuple[Group, ...]:
    """The regions and what was asked about them: those for training, or a tenth kept back from it."""
    return tuple(group for group in read_groups(WRITTEN) if (_number(group) % 10 == 0) == kept_back)


@cache
def wished() -> tuple[Group, ...]:
    """The same for edits thought up. A kind is one whose codemod listed the edit; "" where none did."""
    return tuple(read_groups(WISHED))


def fold_of(group: Group) -> int:
    """One of FOLDS, the same for all that is asked about the same lines."""
    return _number(group) % FOLDS


def _number(group: Group) -> int:
    return zlib.crc32("\n".join(group.before).encode())


def asked(*, without: int | None = None) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The kind wanted, the words, and the lines of the region, of every request to train on. Args: without: a fold."""
    for group in (*written(), *(group for group in wished() if fold_of(group) != without)):
        for one in group.examples:
            if one.kind:
                yield one.kind, one.instruction, group.before
