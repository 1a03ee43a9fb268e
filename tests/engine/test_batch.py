"""Sequences written side by side are those that would be written one after the other."""

import gc
import weakref
from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.engine.arrays import FloatArray, IntArray
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import (
    Mask,
    Sampler,
    Step,
    Strand,
    generate,
    generate_batch,
    greedy,
    prefill,
    sampled,
)
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.errors import ModelError
from tests.engine.tiny import CONFIG, random_weights, tiny_model

MODEL = tiny_model()
PROMPT = [5, 9, 200, 17, 33, 8]
STOPS = {4}


def free() -> None:
    """Every token is allowed."""


def alone(sampler: Sampler, mask: Mask, begun: Sequence[int], max_tokens: int) -> list[int]:
    steps = generate(
        MODEL,
        MODEL.new_cache(),
        [*PROMPT, *begun],
        sampler=sampler,
        max_tokens=max_tokens - len(begun),
        stop_ids=STOPS,
        mask=mask,
    )
    return [*begun, *(step.token_id for step in steps if isinstance(step, Step))]


def together(
    strands: Sequence[Strand],
    max_tokens: int = 12,
    cache: KVCache | None = None,
    stop_ids: Collection[int] = STOPS,
) -> list[list[int]]:
    cache = cache or MODEL.new_cache()
    for _ in generate_batch(
        MODEL, cache, PROMPT, strands, max_tokens=max_tokens, stop_ids=stop_ids
    ):
        pass
    return [strand.ids for strand in strands]


def test_seeded_draws_of_one_batch_are_those_of_single_runs() -> None:
    samplers = [sampled(1.0, seed) for seed in range(8)]
    expected = [alone(sampler, free, (), 12) for sampler in samplers]
    assert together([Strand(sampler, free) for sampler in samplers]) == expected
    assert len({tuple(ids) for ids in expected}) == 8


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(5, 300), max_size=5), min_size=1, max_size=5),
    st.integers(1, 60),
    st.data(),
)
def test_whatever_they_begin_with_and_whatever_the_cache_held(
    beginnings: list[list[int]], max_tokens: int, data: st.DataObject
) -> None:
    cache = MODEL.new_cache()
    held = data.draw(
        st.sampled_from([[7], PROMPT[:3], PROMPT, *([*PROMPT, *begun, 3] for begun in beginnings)])
    )
    MODEL.forward(held, cache)
    max_tokens = min(max_tokens, (cache.capacity - len(PROMPT)))
    strands = [Strand(sampled(0.8, 3), free, begun) for begun in beginnings]
    expected = [
        alone(sampled(0.8, 3), free, begun, max_tokens) if len(begun) < max_tokens else begun
        for begun in beginnings
    ]
    assert together(strands, max_tokens, cache) == expected
    assert cache.token_ids == PROMPT or all(len(begun) >= max_tokens for begun in beginnings)


class _Counting(Decoder):
    """Counts passes and the tokens in them."""

    def __init__(self) -> None:
        super().__init__(CONFIG, random_weights())
        self.passes: list[int] = []
        self.branches: Callable[[], Branches | None] = lambda: None

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        self.passes.append(len(np.asarray(token_ids)))
        return super().forward(token_ids, cache, last_only=last_only)

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        self.passes.append(len(np.asarray(token_ids)))
        self.branches = weakref.ref(branches)
        return super().forward_branches(token_ids, branches, which)


def _among(*ids: int) -> IntArray:
    return np.array(ids, np.int32)


def _script(strand: Callable[[], Strand], *choices: tuple[int, ...]) -> Mask:
    """Allows so many tokens at each place of a strand."""
    return lambda: _among(*choices[len(strand().ids)])


def test_tokens_without_a_choice_run_with_the_next_choice_and_cost_no_pass() -> None:
    model = _Counting()
    strands: list[Strand] = []
    wide = tuple(range(10, 40))
    for number in range(3):
        mask = _script(
            lambda number=number: strands[number],  # type: ignore[misc]
            (50,),
            (51,),
            wide,
            (52,),
            (53,),
            wide,
            (4,),
        )
        strands.append(Strand(greedy(), mask))
    list(generate_batch(model, model.new_cache(), PROMPT, strands, max_tokens=20, stop_ids=STOPS))
    assert model.passes == [6, 3 * 2, 3 * 3]
    assert {len(strand.ids) for strand in strands} == {7}


def test_a_beginning_that_the_cache_holds_is_not_run_again() -> None:
    model = _Counting()
    cache = model.new_cache()
    model.forward([*PROMPT, 60, 61, 62], cache)
    model.passes.clear()
    strands = [Strand(greedy(), free, [60, 61, 99]), Strand(greedy(), free, [60, 98])]
    list(generate_batch(model, cache, PROMPT, strands, max_tokens=4, stop_ids=()))
    assert model.passes == [2, 1]


def test_another_generation_in_between_changes_nothing() -> None:
    cache = MODEL.new_cache()
    strands = [Strand(sampled(1.0, seed), free) for seed in range(3)]
    expected = [alone(sampled(1.0, seed), free, (), 8) for seed in range(3)]
    for number, _ in enumerate(
        generate_batch(MODEL, cache, PROMPT, strands, max_tokens=8, stop_ids=STOPS)
    ):
        if number % 7 == 3:
            cache.trim(2)
            MODEL.forward([1, 2, 3, 4, 5, 6], cache)
    assert [strand.ids for strand in strands] == expected


def test_more_strands_than_fit_are_written_in_groups() -> None:
    cache = MODEL.new_cache(80)
    samplers = [sampled(1.0, seed) for seed in range(4)]
    expected = [alone(sampler, free, (), 70) for sampler in samplers]
    assert together([Strand(sampler, free) for sampler in samplers], 70, cache) == expected


def test_cancelling_at_any_moment_leaves_the_prompt_whole() -> None:
    total = sum(
        1
        for _ in generate_batch(
            MODEL, MODEL.new_cache(), PROMPT, _some(), max_tokens=6, stop_ids=()
        )
    )
    expected = MODEL.forward([*PROMPT, 1], MODEL.new_cache())
    for stop in range(1, total):
        cache = MODEL.new_cache()
        batch = generate_batch(MODEL, cache, PROMPT, _some(), max_tokens=6, stop_ids=())
        for _ in range(stop):
            next(batch)
        batch.close()
        *_, logits = prefill(MODEL, cache, [*PROMPT, 1], 64)
        np.testing.assert_allclose(logits, expected, atol=1e-4)


def test_nothing_of_the_branches_outlives_the_batch() -> None:
    model = _Counting()
    cache = model.new_cache()
    before = [part.shape for part in cache.by_slot]
    batch = generate_batch(model, cache, PROMPT, _some(), max_tokens=6, stop_ids=())
    for _ in range(5):
        next(batch)
    held = model.branches
    assert held() is not None
    batch.close()
    del batch
    gc.collect()
    assert held() is None
    assert (cache.token_ids, [part.shape for part in cache.by_slot]) == (PROMPT, before)


def _some() -> list[Strand]:
    return [Strand(sampled(1.0, seed), free) for seed in range(2)]


def test_a_sequence_that_outgrows_the_cache_is_told() -> None:
    with pytest.raises(ModelError, match="the context is full"):
        together([Strand(greedy(), free)], 50, MODEL.new_cache(20), stop_ids=())
