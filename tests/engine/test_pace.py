"""How much to draft, from what passes cost and how often drafts are right."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.speculative import MOST, DraftStatistics, best_length

COSTS = st.lists(st.floats(0.01, 100), min_size=1, max_size=20)


def _rate(costs: list[float], acceptance: float, length: int) -> float:
    """Tokens for the time with a draft of this length, each outcome weighed by its probability."""
    certain = sum(
        (accepted + 1) * acceptance**accepted * (1 - acceptance) for accepted in range(length)
    )
    return (certain + (length + 1) * acceptance**length) / costs[length]


@given(costs=COSTS, acceptance=st.floats(0, 1))
def test_no_other_length_gives_more_tokens_for_the_time(
    costs: list[float], acceptance: float
) -> None:
    chosen = best_length(costs, acceptance)
    rates = [_rate(costs, acceptance, length) for length in range(len(costs))]
    assert rates[chosen] == pytest.approx(max(rates))


@given(costs=COSTS)
def test_drafts_that_are_always_wrong_are_not_run_where_they_cost_something(
    costs: list[float],
) -> None:
    assert best_length(sorted(costs), 0.0) == 0


def test_drafts_that_are_free_and_sometimes_right_are_run_whole() -> None:
    assert best_length([1.0] * 9, 0.1) == 8


def test_a_draft_grows_with_its_chances() -> None:
    costs = [1 + 0.2 * extra for extra in range(17)]
    lengths = [best_length(costs, share / 20) for share in range(21)]
    assert all(shorter <= longer for shorter, longer in pairwise(lengths))
    assert (lengths[0], lengths[-1]) == (0, 16)


def test_costs_lie_on_lines_between_those_measured() -> None:
    pace = DraftStatistics()
    for tokens, seconds in ((1, 0.010), (5, 0.018), (9, 0.034)):
        pace.ran(tokens, seconds)
    assert [pace.cost(tokens) for tokens in (1, 3, 5, 7, 9)] == pytest.approx(
        [1.0, 1.4, 1.8, 2.6, 3.4]
    )


def test_one_pass_that_another_program_held_up_changes_little() -> None:
    pace = DraftStatistics()
    for _ in range(40):
        pace.ran(1, 0.010)
        pace.ran(5, 0.015)
    pace.ran(5, 3.0)
    assert pace.cost(5) == pytest.approx(1.5, rel=0.1)


def test_a_machine_that_became_slower_at_long_passes_is_noticed() -> None:
    pace = DraftStatistics()
    for seconds in (0.012,) * 40 + (0.030,) * 100:
        pace.ran(1, 0.010)
        pace.ran(5, seconds)
    assert pace.cost(5) == pytest.approx(3.0, rel=0.1)


def test_long_prefill_passes_do_not_count() -> None:
    pace = DraftStatistics()
    pace.ran(1, 0.010)
    pace.ran(64, 0.011)
    assert pace.cost(MOST) > 2


def test_drafts_of_a_source_that_fails_become_short_and_those_of_another_stay() -> None:
    pace = DraftStatistics()
    hopeful = pace.length("lines", 1, MOST)
    for _ in range(50):
        pace.judged("repeats", 0, 4)
        pace.judged("lines", 4, 4)
    assert pace.length("repeats", 1, MOST) == 0
    assert pace.length("lines", 1, MOST) >= hopeful > 0
    assert pace.length("lines", 1, 2) == 2
