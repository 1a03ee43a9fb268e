"""Generation, paused, branched, repeated and cut short, gives the tokens of an uninterrupted
run.
"""

import copy
import itertools
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.arrays import BoolArray, FloatArray, IntArray
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.generate import Prefilled, Sampler, Step, generate, greedy, sampled
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.speculative import Drafter, DraftStatistics, Proposer
from spark_tui.errors import ModelError, ShapeError
from spark_tui.stop_signal import StopSignal, current_signal
from tests.engine.tiny import CONFIG, VOCAB, random_weights, tiny_model

MODEL = tiny_model()
PROMPT = np.random.default_rng(11).integers(0, VOCAB, 25).tolist()
OTHER = np.random.default_rng(12).integers(0, VOCAB, 30).tolist()
SAMPLERS = [greedy(), sampled(1.5, seed=4)]


def start(
    prompt: list[int],
    cache: KVCache | None = None,
    *,
    sampler: Sampler = SAMPLERS[1],
    max_tokens: int = 12,
    chunk: int = MODEL.chunk,
    **rest: Any,
) -> Generator[Prefilled | Step, None, None]:
    model = copy.copy(MODEL)
    model.chunk = chunk
    return generate(
        model, cache or KVCache(CONFIG), prompt, sampler=sampler, max_tokens=max_tokens, **rest
    )


def steps(items: Iterable[Prefilled | Step]) -> Iterator[Step]:
    return (item for item in items if isinstance(item, Step))


def tokens(items: Iterable[Prefilled | Step]) -> list[int]:
    return [step.token_id for step in steps(items)]


def count_forward_tokens(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the number of tokens of each forward pass."""
    passes: list[int] = []
    forward = Decoder.forward

    def counting(self: Decoder, ids: Any, cache: KVCache, **rest: Any) -> Any:
        passes.append(len(ids))
        return forward(self, ids, cache, **rest)

    monkeypatch.setattr(Decoder, "forward", counting)
    return passes


def test_prefill_reports_each_part_then_steps_follow() -> None:
    items = list(start(PROMPT, chunk=10, max_tokens=2))
    assert items[:3] == [Prefilled(25, 0, 10), Prefilled(25, 0, 20), Prefilled(25, 0, 25)]
    assert [type(item) for item in items[3:]] == [Step, Step]


def test_greedy_takes_the_likeliest_token_of_a_whole_fresh_forward_pass_each_time() -> None:
    sequence = list(PROMPT)
    for token in tokens(start(PROMPT, sampler=greedy())):
        assert token == int(MODEL.forward(sequence, KVCache(CONFIG)).argmax())
        sequence.append(token)


@pytest.mark.parametrize("pause_at", range(14))
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("chunk", "drafted"), [(1, False), (7, False), (MODEL.chunk, False), (MODEL.chunk, True)]
)
def test_paused_after_any_item_while_another_generation_uses_the_cache_then_resumed(
    pause_at: int, sampler: Sampler, chunk: int, drafted: bool
) -> None:
    whole, cache = tokens(start(PROMPT, sampler=sampler)), KVCache(CONFIG)
    draft = Guesses(whole, 4, wrong=5) if drafted else None
    run = start(PROMPT, cache, sampler=sampler, chunk=chunk, draft=draft)
    before = list(islice(run, pause_at))
    list(start(PROMPT[:9] + OTHER, cache))
    assert tokens([*before, *run]) == whole


def test_two_prefills_that_take_the_cache_from_each_other_all_the_time_both_end() -> None:
    cache = KVCache(CONFIG)
    one, two = start(PROMPT, cache, chunk=4), start(OTHER, cache, chunk=4)
    pairs = list(islice(zip_longest(one, two), 50))
    assert tokens(item for item, _ in pairs if item) == tokens(start(PROMPT))
    assert tokens(item for _, item in pairs if item) == tokens(start(OTHER))


@pytest.mark.parametrize("branch_at", range(12))
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_dropped_after_any_step_and_started_again_from_there(
    branch_at: int, sampler: Sampler
) -> None:
    whole = tokens(start(PROMPT, sampler=sampler))
    cache = KVCache(CONFIG)
    run = start(PROMPT, cache, sampler=sampler)
    list(islice(run, 1 + branch_at))
    del run
    again = start(PROMPT + whole[:branch_at], cache, sampler=sampler, max_tokens=12 - branch_at)
    assert tokens(again) == whole[branch_at:]


@given(
    prompts=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), min_size=1, max_size=4)
)
def test_a_cache_used_before_gives_the_tokens_of_a_fresh_one(prompts: list[list[int]]) -> None:
    used = KVCache(CONFIG)
    for prompt in prompts:
        reused = tokens(start(prompt, used, max_tokens=3))
    assert reused == tokens(start(prompts[-1], max_tokens=3))


def test_only_what_the_cache_lacks_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = KVCache(CONFIG)
    list(start(PROMPT, cache, max_tokens=1))
    passes = count_forward_tokens(monkeypatch)
    first = next(start([*PROMPT[:20], 1, 2, 3], cache))
    assert first == Prefilled(23, 20, 23)
    assert passes == [3]


def test_the_last_token_of_a_cached_prompt_runs_again_for_its_logits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = KVCache(CONFIG)
    list(start(PROMPT, cache, max_tokens=0))
    passes = count_forward_tokens(monkeypatch)
    assert tokens(start(PROMPT, cache, max_tokens=1)) == tokens(start(PROMPT, max_tokens=1))
    assert passes[0] == 1


def test_no_pass_is_run_for_a_token_nobody_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = count_forward_tokens(monkeypatch)
    run = start(PROMPT)
    assert passes == []
    list(islice(run, 3))
    assert passes == [25, 1]
    list(start(PROMPT, max_tokens=3))
    assert passes == [25, 1, 25, 1, 1]


def test_closing_leaves_a_cache_of_whole_tokens() -> None:
    cache = KVCache(CONFIG)
    run = generate(MODEL, cache, PROMPT, sampler=greedy(), max_tokens=9)
    chosen = tokens(islice(run, 5))
    run.close()
    assert cache.token_ids == PROMPT + chosen[:-1]


def test_a_stop_token_is_given_and_ends_the_run() -> None:
    whole = tokens(start(PROMPT))
    stop = whole[4]
    assert tokens(start(PROMPT, stop_ids=[stop])) == whole[: whole.index(stop) + 1]


def test_max_tokens_bounds_the_run() -> None:
    assert [len(tokens(start(PROMPT, max_tokens=count))) for count in (0, 1, 7)] == [0, 1, 7]


def only(*allowed: int) -> BoolArray:
    mask = np.zeros(VOCAB, bool)
    mask[list(allowed)] = True
    return mask


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_only_allowed_tokens_are_chosen(sampler: Sampler) -> None:
    chosen = tokens(start(PROMPT, sampler=sampler, mask=lambda: only(3, 200)))
    assert len(chosen) == 12
    assert set(chosen) <= {3, 200}


def test_logprob_counts_allowed_tokens_only() -> None:
    step = next(steps(start(PROMPT, mask=lambda: only(3, 200))))
    logits = MODEL.forward(PROMPT, KVCache(CONFIG))[[3, 200]].astype(float)
    expected = dict(zip([3, 200], logits - np.log(np.exp(logits).sum()), strict=True))
    assert step.logprob == pytest.approx(expected[step.token_id], abs=1e-4)


@pytest.mark.parametrize("drafted", [False, True])
def test_the_mask_is_asked_before_each_choice_after_the_consumer_has_seen_the_step_before(
    drafted: bool,
) -> None:
    whole, seen = tokens(start(PROMPT, sampler=greedy())), list[int]()

    def as_many_as_seen() -> BoolArray | None:
        return only(len(seen)) if len(seen) % 2 else None

    draft = Guesses(whole, 4) if drafted else None
    run = start(PROMPT, sampler=greedy(), mask=as_many_as_seen, max_tokens=6, draft=draft)
    seen.extend(step.token_id for step in steps(run))
    assert (seen[0], seen[1::2]) == (whole[0], [1, 3, 5])


def test_a_mask_that_allows_nothing_is_an_error_not_a_token() -> None:
    with pytest.raises(ModelError, match="no token may follow token 25"):
        tokens(start(PROMPT, mask=only))


def test_a_mask_of_another_size_is_refused() -> None:
    with pytest.raises(ShapeError, match="mask"):
        tokens(start(PROMPT, mask=lambda: np.ones(5, bool)))


def test_a_prompt_over_the_context_names_what_it_needs_and_the_limit() -> None:
    with pytest.raises(ModelError, match="30 tokens needed, 20 is the limit; choose less text"):
        next(start(OTHER, KVCache(CONFIG, 20)))


def test_a_run_into_the_end_of_the_context_gives_every_token_that_fits() -> None:
    run = start(PROMPT, KVCache(CONFIG, 30), max_tokens=50)
    chosen = tokens(islice(run, 1 + 6))
    with pytest.raises(ModelError, match="31 tokens needed, 30 is the limit"):
        next(run)
    assert chosen == tokens(start(PROMPT))[:6]


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ShapeError, match="no tokens"):
        next(start([]))


def test_logits_that_are_no_numbers_are_an_error_not_a_token() -> None:
    weights = random_weights()
    weights["model.norm.weight"] *= np.float32(np.nan)
    broken = Decoder(replace(CONFIG), weights)
    with pytest.raises(ModelError, match="not numbers"):
        tokens(generate(broken, KVCache(CONFIG), PROMPT, sampler=greedy(), max_tokens=1))


class Guesses:
    """A draft that guesses along a sequence, wrong at every `wrong`-th place."""

    def __init__(self, sequence: list[int], length: int, wrong: int = 10**6) -> None:
        self._sequence, self._length, self._wrong = sequence, length, wrong
        self._taken = 0

    def propose(self, pending: int, most: int) -> list[int]:
        places = range(self._taken, min(self._taken + min(self._length, most), len(self._sequence)))
        return [
            (self._sequence[at] + (at % self._wrong == self._wrong - 1)) % VOCAB for at in places
        ]

    def take(self, token_id: int) -> None:
        self._taken += 1

    def ran(self, tokens: int, seconds: float) -> None:
        pass


def drafts(sampler: Sampler) -> list[Proposer]:
    """Right ones, wrong ones, some of each, and what is used in earnest."""
    whole = tokens(start(PROMPT, sampler=sampler))
    tuned = [Guesses(whole, length, wrong) for length in (1, 3, 16) for wrong in (1, 2, 5, 10**6)]
    return [*tuned, Drafter(PROMPT + whole + PROMPT, DraftStatistics())]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_drafts_change_no_token_and_no_probability(sampler: Sampler) -> None:
    plain = list(steps(start(PROMPT, sampler=sampler)))
    for draft in drafts(sampler):
        drafted = list(steps(start(PROMPT, sampler=sampler, draft=draft)))
        assert [step.token_id for step in drafted] == [step.token_id for step in plain]
        assert [step.logprob for step in drafted] == pytest.approx(
            [step.logprob for step in plain], abs=1e-4
        )


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_sampler_is_told_how_many_tokens_come_before_with_a_draft_and_without(
    sampler: Sampler,
) -> None:
    told: list[int] = []

    def telling(logits: FloatArray, step: int) -> tuple[int, float]:
        told.append(step)
        return sampler(logits, step)

    for draft in (None, drafts(sampler)[6]):
        list(start(PROMPT, sampler=telling, draft=draft))
    assert told == 2 * list(range(25, 37))


def test_a_draft_that_is_right_saves_its_passes_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = tokens(start(PROMPT))
    passes = count_forward_tokens(monkeypatch)
    found = list(steps(start(PROMPT, draft=Guesses(whole, 3))))
    assert passes == [25, 4, 4, 3]
    assert [step.passes for step in found] == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    assert [step.from_draft for step in found] == [False] + [step.passes == 0 for step in found[1:]]


def test_no_token_is_drafted_that_could_not_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tokens(start(PROMPT))
    passes = count_forward_tokens(monkeypatch)
    list(start(PROMPT, draft=Guesses(whole, 16), max_tokens=4))
    assert passes == [25, 3]
    list(start(PROMPT, draft=Guesses(whole, 16), stop_ids=[whole[3]]))
    assert passes[2:] == [25, 3]
    with pytest.raises(ModelError, match="31 tokens needed, 30 is the limit"):
        list(start(PROMPT, KVCache(CONFIG, 30), draft=Guesses(whole, 16)))
    assert passes[4:] == [25, 5]


def test_closing_inside_a_draft_leaves_a_cache_of_whole_tokens() -> None:
    whole = tokens(start(PROMPT))
    cache = KVCache(CONFIG)
    run = start(PROMPT, cache, draft=Guesses(whole, 4, wrong=3))
    list(islice(run, 4))
    run.close()
    held = cache.token_ids
    assert held[:27] == PROMPT + whole[:2]
    assert tokens(start(held, cache, sampler=greedy())) == tokens(start(held, sampler=greedy()))


def ids(*allowed: int) -> IntArray:
    return np.array(allowed, np.int32)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_allowed_ids_are_chosen_among_as_a_mask_of_them_would_be(sampler: Sampler) -> None:
    some = (2, 3, 50, 200, 319)
    plain = list(steps(start(PROMPT, sampler=sampler, mask=lambda: only(*some))))
    listed = list(steps(start(PROMPT, sampler=sampler, mask=lambda: ids(*some))))
    assert [step.token_id for step in listed] == [step.token_id for step in plain]
    assert [step.logprob for step in listed] == pytest.approx(
        [step.logprob for step in plain], abs=1e-5
    )


@pytest.mark.parametrize("guess", [None, [9, 9, 9, 9, 30], [9, 1, 9]])
def test_where_one_token_is_allowed_it_is_taken_without_a_pass(
    monkeypatch: pytest.MonkeyPatch, guess: list[int] | None
) -> None:
    seen: list[int] = []

    def every_fourth_is_free(mask: Any) -> list[Step]:
        seen.clear()
        draft = Guesses([0, *guess], 2) if guess else None
        run = start(
            PROMPT, mask=lambda: None if len(seen) % 4 == 0 else mask(9), max_tokens=9, draft=draft
        )
        found = []
        for step in steps(run):
            seen.append(step.token_id)
            found.append(step)
        return found

    plain = every_fourth_is_free(only)
    passes = count_forward_tokens(monkeypatch)
    forced = every_fourth_is_free(ids)
    assert [step.token_id for step in forced] == [step.token_id for step in plain]
    assert [step.logprob for step in forced] == pytest.approx(
        [step.logprob for step in plain], abs=1e-4
    )
    assert [step.logprob for step in forced[1:4]] == [0.0] * 3
    assert len(passes) == 3


def test_no_ids_are_an_error_not_a_token() -> None:
    with pytest.raises(ModelError, match="no token may follow token 25"):
        tokens(start(PROMPT, mask=ids))


def test_tokens_taken_without_a_pass_still_need_room_in_the_context() -> None:
    run = start(PROMPT, KVCache(CONFIG, 30), max_tokens=50, mask=lambda: ids(4))
    assert len(tokens(islice(run, 1 + 6))) == 6
    with pytest.raises(ModelError, match="31 tokens needed, 30 is the limit"):
        next(run)


@pytest.mark.parametrize("at_layer", range(CONFIG.n_layers))
@pytest.mark.parametrize("in_pass", [1, 2, 3])
def test_a_pass_over_the_prompt_that_a_signal_stops_runs_again(
    monkeypatch: pytest.MonkeyPatch, at_layer: int, in_pass: int
) -> None:
    whole = list(start(PROMPT, chunk=10))
    signal = StopSignal()
    layers = itertools.count(1)
    put = KVCache.put

    def putting(cache: KVCache, layer: int, keys: FloatArray, values: FloatArray) -> Any:
        if next(layers) == (in_pass - 1) * CONFIG.n_layers + at_layer + 1:
            signal.set()
        return put(cache, layer, keys, values)

    monkeypatch.setattr(KVCache, "put", putting)
    cache = KVCache(CONFIG)
    with driven_by(signal):
        run = start(PROMPT, cache, chunk=10)
        items = list(islice(run, in_pass))
        is_last_layer = at_layer == CONFIG.n_layers - 1
        done = min(10 * in_pass, 25) if is_last_layer else 10 * (in_pass - 1)
        assert items[-1] == Prefilled(25, 0, done)
        assert cache.token_ids == PROMPT[:done]
        items += run
    assert list(steps(items)) == list(steps(whole))


def test_a_signal_that_was_set_before_stops_one_pass_and_no_token() -> None:
    signal = StopSignal()
    signal.set()
    with driven_by(signal):
        items = list(start(PROMPT, chunk=25))
        signal.set()
        assert list(start(PROMPT, chunk=25)) == items
    assert items[:2] == [Prefilled(25, 0, 0), Prefilled(25, 0, 25)]
    assert list(steps(items)) == list(steps(start(PROMPT)))


@contextmanager
def driven_by(signal: StopSignal) -> Iterator[None]:
    """Let a signal stop the passes of the generations in the block."""
    token = current_signal.set(signal)
    try:
        yield
    finally:
        current_signal.reset(token)
