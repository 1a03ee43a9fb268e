"""The likeliest sequences, one after the other."""

import math
from itertools import product

import numpy as np
import pytest

from spark_tui.engine.arrays import BoolArray, IntArray
from spark_tui.engine.best_first import BestFirst, Prefix
from spark_tui.engine.generate import Step, generate, greedy
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.speculative import Drafter, DraftStatistics
from tests.engine.tiny import CONFIG, VOCAB, tiny_model

MODEL = tiny_model()
PROMPT = np.random.default_rng(5).integers(0, VOCAB, 20).tolist()
STOP, WORDS, LONGEST = 7, (3, 200), 3


def _mask(written: int) -> BoolArray:
    mask = np.zeros(VOCAB, bool)
    mask[[STOP] if written == LONGEST else [STOP, *WORDS]] = True
    return mask


def _write(search: BestFirst, beginning: Prefix) -> tuple[tuple[int, ...], float]:
    """The whole sequence that goes on from a beginning, and its log-probability."""
    steps = list(beginning.steps)
    for item in search.write(beginning, lambda: _mask(len(steps))):
        if isinstance(item, Step):
            steps.append(item)
    return tuple(step.token_id for step in steps), sum(step.logprob for step in steps)


@pytest.fixture
def search() -> BestFirst:
    return BestFirst(
        MODEL, KVCache(CONFIG), PROMPT, sampler=greedy(), max_tokens=LONGEST + 1, stop_ids={STOP}
    )


def test_the_first_sequence_is_the_greedy_one(search: BestFirst) -> None:
    beginning = search.begin()
    assert beginning == Prefix()
    greedy_ids: list[int] = []
    for item in generate(
        MODEL,
        KVCache(CONFIG),
        PROMPT,
        sampler=greedy(),
        max_tokens=4,
        stop_ids={STOP},
        mask=lambda: _mask(len(greedy_ids)),
    ):
        if isinstance(item, Step):
            greedy_ids.append(item.token_id)
    assert _write(search, beginning)[0] == tuple(greedy_ids)


def test_every_sequence_comes_once_and_together_they_are_all_the_probability(
    search: BestFirst,
) -> None:
    found: dict[tuple[int, ...], float] = {}
    while beginning := search.begin():
        ids, logprob = _write(search, beginning)
        assert ids not in found
        found[ids] = logprob
    every = {
        (*words, STOP) for length in range(LONGEST + 1) for words in product(WORDS, repeat=length)
    }
    likely = {ids for ids in found if found[ids] > math.log(0.02)}
    assert likely <= set(found) <= every
    assert sum(map(math.exp, found.values())) == pytest.approx(1, abs=0.05)


def test_beginnings_come_likeliest_first_and_bound_what_follows_them(search: BestFirst) -> None:
    _write(search, search.begin() or Prefix())
    last = 0.0
    while search.best > -math.inf:
        bound = search.best
        beginning = search.begin()
        assert beginning is not None
        assert beginning.logprob == bound
        assert _write(search, beginning)[1] <= bound + 1e-6
        last = bound
    assert search.begin() is None
    assert last <= 0


def _ids(written: int) -> IntArray:
    """The tokens of `_mask`, but only the second word may follow one word."""
    return np.array([WORDS[1]] if written == 1 else np.flatnonzero(_mask(written)), np.int32)


def _all(
    search: BestFirst, *, ids: bool, drafter: Drafter | None = None
) -> list[tuple[tuple[int, ...], float]]:
    """Every sequence in the order it is found, and its log-probability."""
    found = []
    while beginning := search.begin():
        steps = list(beginning.steps)
        if drafter:
            drafter.begin([step.token_id for step in steps])

        def allowed(steps: list[Step] = steps) -> IntArray | BoolArray:
            some = _ids(len(steps))
            return some if ids else np.isin(np.arange(VOCAB), some)

        for item in search.write(beginning, allowed, drafter):
            if isinstance(item, Step):
                steps.append(item)
        found.append((tuple(step.token_id for step in steps), sum(step.logprob for step in steps)))
    return found


def test_allowed_ids_and_drafts_change_neither_the_sequences_nor_their_order_nor_their_probability(
    search: BestFirst,
) -> None:
    plain = _all(search, ids=False)
    assert len(plain) > 2
    for drafter in (None, Drafter([*WORDS, STOP] * 3, DraftStatistics())):
        other = BestFirst(
            MODEL,
            KVCache(CONFIG),
            PROMPT,
            sampler=greedy(),
            max_tokens=LONGEST + 1,
            stop_ids={STOP},
        )
        found = _all(other, ids=True, drafter=drafter)
        assert [ids for ids, _ in found] == [ids for ids, _ in plain]
        assert [logprob for _, logprob in found] == pytest.approx(
            [logprob for _, logprob in plain], abs=1e-4
        )
