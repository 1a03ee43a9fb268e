import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.generate import greedy, sampled
from spark_tui.errors import UsageError

LOGITS: FloatArray = np.array([1.0, 3.0, -np.inf, 2.0, 0.0], np.float32)
PROBABILITIES = np.exp(LOGITS) / np.exp(LOGITS).sum()
DRAWS = 4000


def shares(temperature: float) -> list[float]:
    choose = sampled(temperature, seed=5)
    drawn = [choose(LOGITS, step)[0] for step in range(DRAWS)]
    return [drawn.count(token) / DRAWS for token in range(len(LOGITS))]


def test_greedy_takes_the_likeliest_and_the_lowest_id_among_equals() -> None:
    assert greedy()(LOGITS, 0)[0] == 1
    assert greedy()(np.array([0, 2, 2], np.float32), 0)[0] == 1


@pytest.mark.parametrize("choose", [greedy(), sampled(0.3, 1), sampled(3.0, 1)])
def test_logprob_is_that_of_the_chosen_token_at_temperature_one(choose: object) -> None:
    assert callable(choose)
    for step in range(20):
        token, logprob = choose(LOGITS, step)
        assert logprob == pytest.approx(np.log(PROBABILITIES[token]), abs=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_draws_follow_the_probabilities_which_temperature_sharpens(temperature: float) -> None:
    wanted = np.exp(LOGITS / temperature) / np.exp(LOGITS / temperature).sum()
    assert shares(temperature) == pytest.approx(wanted.tolist(), abs=0.03)


def test_a_token_that_is_not_allowed_is_never_drawn() -> None:
    assert shares(temperature=50)[2] == 0


def test_the_lowest_draw_there_is_passes_over_tokens_that_are_not_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Lowest:
        def random(self) -> float:
            return 0.0

    monkeypatch.setattr(np.random, "default_rng", lambda _: Lowest())
    assert sampled(1.0, 0)(np.array([-np.inf, 0, 0], np.float32), 0)[0] == 1


@given(seed=st.integers(0, 2**40), step=st.integers(0, 10_000))
def test_a_draw_depends_on_seed_and_step_only(seed: int, step: int) -> None:
    first, second = sampled(1.0, seed), sampled(1.0, seed)
    second(LOGITS, step + 1)
    assert first(LOGITS, step) == second(LOGITS, step)


def test_seeds_and_steps_differ_from_each_other() -> None:
    flat = np.zeros(1000, np.float32)
    assert len({sampled(1.0, seed)(flat, 0)[0] for seed in range(50)}) > 40
    assert len({sampled(1.0, 0)(flat, step)[0] for step in range(50)}) > 40


def test_temperature_zero_is_greedy() -> None:
    assert [sampled(0, 9)(LOGITS, step)[0] for step in range(20)] == [1] * 20


def test_logits_are_not_modified() -> None:
    before = LOGITS.copy()
    sampled(0.7, 3)(LOGITS, 0)
    assert (before == LOGITS).all()


@pytest.mark.parametrize(("temperature", "seed"), [(-1, 0), (float("nan"), 0), (1, -1)])
def test_options_out_of_range_are_refused(temperature: float, seed: int) -> None:
    with pytest.raises(UsageError, match="choose"):
        sampled(temperature, seed)
