"""Requests written one by one for real edits, each by somebody who saw the code and what was to become of it.

The generator made the edits. The words are those of writers (language models, each with a temper, and for each request
a style: terse, polite, a question, a symptom, a tool's message, a place described, code, sloppy) who knew none of its
phrasings. Some ask for what no small edit answers. They count for the intents, and are trained on beside the rest.
"""

import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from spark_tui.training.examples import Group, read_groups

WRITTEN = Path(__file__).with_name("written.jsonl.gz")


@cache
def written(*, kept_back: bool = False) -> tuple[Group, ...]:
    """The regions and what was asked about them: nine of ten, for training, or the tenth that is kept back from it."""
    return tuple(group for group in read_groups(WRITTEN) if _kept_back(group) == kept_back)


def _kept_back(group: Group) -> bool:
    return zlib.crc32("\n".join(group.before).encode()) % 10 == 0


def asked() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The kind wanted, the words, and the lines of the region, of every request to train on."""
    for group in written():
        for one in group.examples:
            yield one.kind, one.instruction, group.before
