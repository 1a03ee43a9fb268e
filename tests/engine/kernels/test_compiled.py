"""Compiled passes compute what the reference does, and the same bits however a text is cut into
passes.
"""

import threading
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import Backend
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import ShapeError
from spark_tui.stop_signal import PassStopped, StopSignal
from tests.engine.kernels.conftest import Compiled
from tests.engine.tiny import CONFIG, KINDS, random_weights

COMPILED = "spark_tui.engine.kernels.compiled"
TOKENS = np.random.default_rng(1).integers(0, CONFIG.vocab_size, 80)
ODD = replace(
    CONFIG,
    hidden_size=40,
    intermediate_size=56,
    head_dim=12,
    n_heads=7,
    n_kv_heads=1,
    vocab_size=100,
)
"""Sizes of which none is a multiple of a vector."""
SHAPES = {**KINDS, "odd": ODD, "wide heads": replace(CONFIG, head_dim=96, n_heads=2, n_kv_heads=1)}
LOSS = {32: 1e-5, 8: 0.06, 4: 0.6}
"""The mean error of a logit as a share of the logits' spread."""


def run(
    model: Model,
    cuts: list[int],
    tokens: npt.NDArray[np.int64] | None = None,
    cache: KVCache | None = None,
) -> FloatArray:
    """The logits after every token, in passes that end at `cuts`."""
    ids = TOKENS if tokens is None else tokens
    held = cache or model.new_cache()
    ends = sorted({*cuts, len(ids)} - {0})
    parts = zip([0, *ends], ends, strict=False)
    return np.concatenate([model.forward(ids[a:b], held, last_only=False) for a, b in parts])


def error(found: FloatArray, wanted: FloatArray) -> float:
    return float(np.abs(found - wanted).mean() / wanted.std())


@pytest.mark.parametrize("bits", [32, 8, 4])
@pytest.mark.parametrize("name", SHAPES)
def test_logits_are_the_references_as_far_as_the_bits_allow(
    compiled: Compiled, name: str, bits: int
) -> None:
    config = SHAPES[name]
    reference = Decoder(config, random_weights(config))
    ids = TOKENS % config.vocab_size
    assert error(run(compiled(config, bits=bits), [], ids), run(reference, [], ids)) < LOSS[bits]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 79), max_size=8),
    bits=st.sampled_from([4, 8, 32]),
    name=st.sampled_from([*SHAPES]),
)
def test_a_token_has_the_same_logits_to_the_bit_however_passes_are_cut(
    compiled: Compiled, cuts: list[int], bits: int, name: str
) -> None:
    model, ids = compiled(SHAPES[name], bits=bits), TOKENS % SHAPES[name].vocab_size
    assert np.array_equal(run(model, cuts, ids), run(model, [*range(80)], ids))


@pytest.mark.parametrize("name", ["qwen3", "qwen3_moe"])
@pytest.mark.parametrize("bits", [4, 8, 32])
def test_two_threads_compute_the_bits_of_one(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, bits: int, name: str
) -> None:
    monkeypatch.setattr(f"{COMPILED}.SHARED_WORK", 0)
    one, two = (compiled(SHAPES[name], bits=bits, threads=threads) for threads in (1, 2))
    for cuts in ([], [1, 2, 3, 40], [*range(80)]):
        assert np.array_equal(run(two, cuts), run(one, cuts))


def test_models_in_several_threads_leave_each_other_alone(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{COMPILED}.SHARED_WORK", 0)
    model = compiled(bits=8, threads=2)
    wanted = run(model, [])
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(0 for _ in range(20) if not np.array_equal(run(model, [7, 30]), wanted))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert not wrong


def test_only_the_last_logits_are_those_of_the_last_token(compiled: Compiled) -> None:
    model = compiled(bits=8)
    assert np.array_equal(model.forward(TOKENS, model.new_cache()), run(model, [])[-1])


def test_passes_longer_than_the_room_are_cut(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = compiled(bits=8)
    wanted = run(model, [])
    monkeypatch.setattr(f"{COMPILED}.MOST_TOKENS", 32)
    assert np.array_equal(run(model, []), wanted)
    assert np.array_equal(model.forward(TOKENS, model.new_cache()), wanted[-1])


def test_a_trimmed_cache_goes_on_as_if_nothing_had_been_behind_it(compiled: Compiled) -> None:
    model = compiled(bits=8)
    cache = model.new_cache()
    run(model, [], cache=cache)
    cache.trim(37)
    assert np.array_equal(run(model, [40], TOKENS[37:], cache), run(model, [])[37:])


def test_what_a_snapshot_holds_comes_back_to_the_bit(compiled: Compiled) -> None:
    model = compiled(bits=8)
    cache = model.new_cache()
    model.forward(TOKENS[:50], cache)
    kept = cache.snapshot()
    cache.trim(0)
    model.forward(TOKENS[::-1], cache)
    cache.restore(kept)
    assert np.array_equal(run(model, [], TOKENS[50:], cache), run(model, [])[50:])


@pytest.mark.parametrize("name", ["qwen3", "qwen2", "odd", "qwen3_moe"])
@pytest.mark.parametrize("prefix", [1, 31, 32, 45])
def test_branches_are_what_the_reference_makes_of_them(
    compiled: Compiled, name: str, prefix: int
) -> None:
    config = SHAPES[name]
    ids = TOKENS % config.vocab_size
    steps = [
        ([ids[60], ids[61], ids[62]], [0, 1, 1]),
        ([ids[63], ids[64]], [0, 2]),
        ([ids[65]] * 3, [0, 1, 2]),
    ]

    def branched(model: Model) -> list[FloatArray]:
        cache = model.new_cache()
        model.forward(ids[:prefix], cache)
        branches = Branches(cache, 3, 9)
        return [model.forward_branches(tokens, branches, which) for tokens, which in steps]

    for found, wanted in zip(
        branched(compiled(config)), branched(Decoder(config, random_weights(config))), strict=True
    ):
        assert np.allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def test_a_branch_ahead_of_the_last_one_is_what_the_reference_makes_of_it(
    compiled: Compiled,
) -> None:
    # Angles are computed 2048 at a time, and of the last pass only branch 0 needs the next ones.
    config = replace(CONFIG, n_layers=1, max_position_embeddings=2100)
    prefix = np.resize(TOKENS, 2047)

    def branched(model: Model) -> FloatArray:
        cache = model.new_cache()
        model.forward(prefix, cache)
        branches = Branches(cache, 2, 4)
        model.forward_branches([7], branches, [0])
        return model.forward_branches([8, 9], branches, [0, 1])

    wanted = branched(Decoder(config, random_weights(config)))
    assert np.allclose(branched(compiled(config)), wanted, atol=1e-4 * np.abs(wanted).max())


def test_many_tokens_of_branches_find_room(compiled: Compiled) -> None:
    model, reference = compiled(), Decoder(CONFIG, random_weights())
    which = np.repeat([0, 1], 35)

    def branched(each: Model) -> FloatArray:
        cache = each.new_cache()
        each.forward(TOKENS[:3], cache)
        return each.forward_branches(TOKENS[:70], Branches(cache, 2, 40), which)

    wanted = branched(reference)
    assert np.allclose(branched(model), wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.forward([], model.new_cache()),
        lambda model: model.forward([CONFIG.vocab_size], model.new_cache()),
        lambda model: model.forward([-1], model.new_cache()),
        lambda model: model.forward([1, 2, 3], model.new_cache(2)),
        lambda model: model.forward([1], KVCache(CONFIG)),
    ],
)
def test_what_does_not_fit_is_refused(compiled: Compiled, ask: Callable[[Model], object]) -> None:
    with pytest.raises(ShapeError):
        ask(compiled())


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux tells what memory is in use"
)
def test_room_for_a_long_context_takes_memory_only_for_the_tokens_that_came(
    compiled: Compiled,
) -> None:
    heads = replace(CONFIG, n_layers=16, max_position_embeddings=1 << 16)
    model, cache = compiled(heads), compiled(heads).new_cache(64)
    model.forward(TOKENS[:8], cache)  # what else a first pass takes
    before = int(Path("/proc/self/statm").read_text().split()[1])
    cache = model.new_cache()
    cache.extend_angles(1)  # type: ignore[attr-defined]
    model.forward(TOKENS[:8], cache)
    taken = 4096 * (int(Path("/proc/self/statm").read_text().split()[1]) - before)
    assert sum(part.nbytes for part in (cache.keys, cache.values)) > 60 << 20  # type: ignore[attr-defined]
    assert taken < 12 << 20


def test_a_cache_of_other_bits_is_refused(compiled: Compiled) -> None:
    with pytest.raises(ShapeError):
        compiled(bits=8).forward([1], compiled(bits=32).new_cache())


def test_a_cache_of_wider_heads_is_refused(compiled: Compiled) -> None:
    wide = compiled(replace(CONFIG, head_dim=96))
    with pytest.raises(ShapeError):
        compiled().forward([1], wide.new_cache())


def test_read_only_tokens_are_no_reason_to_compile_anew(compiled: Compiled) -> None:
    from spark_tui.engine.kernels.forward import forward

    model = compiled()
    model.forward([1], model.new_cache())
    before = len(forward.signatures)  # type: ignore[attr-defined]
    tokens = np.array([3, 4])
    tokens.flags.writeable = False
    model.forward(tokens, model.new_cache())
    assert len(forward.signatures) == before  # type: ignore[attr-defined]


def test_fewer_bits_take_less_memory(compiled: Compiled) -> None:
    config = replace(CONFIG, hidden_size=128, intermediate_size=256, vocab_size=1024)
    four, eight, all_ = (compiled(config, bits=bits).bytes for bits in (4, 8, 32))
    assert four < 0.6 * eight < 0.2 * all_


MIXTURE = KINDS["qwen3_moe"]


def lazily(weights: dict[str, FloatArray], taken: list[str]) -> Mapping[str, FloatArray]:
    """Weights that write down which of them are taken."""

    class Told(UserDict[str, FloatArray]):
        def __getitem__(self, name: str) -> FloatArray:
            taken.append(name)
            return weights[name]

    return Told(dict.fromkeys(weights))  # type: ignore[arg-type]


@pytest.mark.parametrize("bits", [4, 8, 32])
def test_experts_are_read_once_and_only_when_a_token_goes_through_them(
    code_folder: Path, bits: int
) -> None:
    taken: list[str] = []
    weights = lazily(random_weights(MIXTURE), taken)
    model = Backend("compiled", bits, 1, code_folder).make(MIXTURE, weights)
    assert not any("experts" in name for name in taken)
    model.forward([3], model.new_cache())
    assert MIXTURE.experts is not None
    matrices = 3 * MIXTURE.experts.active * MIXTURE.n_layers
    assert sum("experts" in name for name in taken) == matrices
    once = list(taken)
    model.forward([3], model.new_cache())
    assert taken == once
    run(model, [])
    assert len({*taken}) == len(taken)


def test_two_mixtures_of_one_shape_may_take_turns_over_a_cache(compiled: Compiled) -> None:
    one, other = (compiled(MIXTURE, bits=8, seed=seed) for seed in (1, 2))
    wanted = run(other, [])
    cache = one.new_cache()
    run(one, [], cache=cache)
    cache.trim(0)
    assert np.array_equal(run(other, [], cache=cache), wanted)


def test_an_expert_that_cannot_be_read_ends_the_pass_and_can_be_read_later(
    code_folder: Path,
) -> None:
    weights = dict(random_weights(MIXTURE))
    wanted = run(Backend("compiled", 8, 1, code_folder).make(MIXTURE, weights), [])
    lost = {name: weights.pop(name) for name in list(weights) if ".experts.5.up_proj" in name}
    model = Backend("compiled", 8, 1, code_folder).make(MIXTURE, weights)
    cache = model.new_cache()
    with pytest.raises(KeyError):
        run(model, [], cache=cache)
    assert cache.length == 0
    weights |= lost
    assert np.array_equal(run(model, [], cache=cache), wanted)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("config", [CONFIG, MIXTURE], ids=["dense", "mixture"])
def test_a_pass_that_a_signal_stops_leaves_the_cache_as_it_was_and_can_run_again(
    compiled: Compiled, config: ModelConfig, threads: int
) -> None:
    model = compiled(config, bits=8, threads=threads)
    wanted = run(model, [])
    cache = model.new_cache()
    run(model, [], TOKENS[:30], cache)
    signal = StopSignal()
    cache.stop = signal
    signal.set()
    with pytest.raises(PassStopped):
        model.forward(TOKENS[30:], cache)
    assert cache.token_ids == TOKENS[:30].tolist()
    signal.clear()
    logits = model.forward(TOKENS[30:], cache, last_only=False)
    assert np.array_equal(logits, wanted[30:])


def test_a_signal_may_be_set_at_any_time_by_another_thread(compiled: Compiled) -> None:
    model = compiled(bits=8, threads=2)
    wanted = run(model, [])
    cache = model.new_cache()
    signal = StopSignal()
    cache.stop = signal
    over = threading.Event()

    def disturb() -> None:
        while not over.is_set():
            signal.set()

    def until_stopped() -> None:
        """Run passes until the signal is set in one, or right before."""
        while True:
            signal.clear()
            logits = model.forward(TOKENS, cache, last_only=False)
            assert np.array_equal(logits, wanted)
            cache.trim(0)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(100):
            with pytest.raises(PassStopped):
                until_stopped()
            assert cache.length == 0
    finally:
        over.set()
        thread.join()
    signal.clear()
    assert np.array_equal(model.forward(TOKENS, cache, last_only=False), wanted)
