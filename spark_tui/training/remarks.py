"""Fits how requests are told from remarks: those written one by one, against what is said of code and asks for nothing.

SAID holds both kinds, written by hand (language models, each with a voice of its own, who saw no code and knew no
rule): remarks, and requests that look like them. One line each: who wrote it, whether it asks for an edit, the words.
"""

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from spark_tui.editing.format import NO_EDIT
from spark_tui.editing.intents import Weights
from spark_tui.editing.remarks import Remarks, traits
from spark_tui.training.fitting import fit_log_linear
from spark_tui.training.intents import everyday_ways, trained_ways
from spark_tui.training.written import asked

SAID = Path(__file__).with_name("remarks.jsonl.gz")
_SAID_WEIGHT = 3
_RAREST = 2
_EPOCHS, _DECAY = 10, 2e-4
_LEAST = 2
"""Weights of fewer units are left out."""


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence. `writer`: who wrote it. `asks`: whether an edit is wanted."""

    writer: str
    asks: bool
    words: str


def said() -> tuple[Said, ...]:
    """All that was written for this."""
    with gzip.open(SAID, "rt", encoding="utf-8") as lines:
        return tuple(Said(writer, bool(asks), words) for writer, asks, words in map(json.loads, lines))


def fit_remarks(*, without: str = "", asked_for: Sequence[tuple[str, bool]] | None = None) -> Remarks:
    """The weights. Deterministic; takes two minutes.

    Args: without: a writer whose sentences are left out. asked_for: what to train on beside, if not all there is:
        words, and whether they ask for an edit.
    """
    own = [(each.words, each.asks) for each in said() if each.writer != without]
    every = [*(known_ways() if asked_for is None else asked_for), *_SAID_WEIGHT * own]
    known = {words: traits(words) for words, _ in every}
    counts = Counter(trait for found in known.values() for trait in found)
    names = sorted(trait for trait, often in counts.items() if often >= _RAREST)
    places = {trait: place for place, trait in enumerate(names, 1)}
    rows = {words: [0, *sorted(places[one] for one in found if one in places)] for words, found in known.items()}
    fitted = fit_log_linear(
        [rows[words] for words, _ in every],
        [int(asks) for _, asks in every],
        (len(places) + 1, 2),
        epochs=_EPOCHS,
        batch=256,
        decay=_DECAY,
    )
    return _kept(names, np.clip(fitted[:, 1].astype(np.int16) - fitted[:, 0], -127, 127).astype(np.int8))


def known_ways() -> tuple[tuple[str, bool], ...]:
    """What was asked of code, everyday ways to ask, and the generator's, with its sentences that ask for nothing.

    What was written one by one and got no edit may be either, and is left out.
    """
    written = (words for kind, words, _ in asked() if kind != NO_EDIT)
    ways = dict(
        chain(((words, kind != NO_EDIT) for kind, words in trained_ways()), ((words, True) for words in written))
    )
    return tuple((ways | {words: kind != NO_EDIT for kind, words in everyday_ways()}).items())


def _kept(names: Sequence[str], weights: Weights) -> Remarks:
    kept = [0, *(place for place in range(1, len(weights)) if abs(int(weights[place])) >= _LEAST)]
    return Remarks({names[place - 1]: at for at, place in enumerate(kept) if place}, weights[kept])
