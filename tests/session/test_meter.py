"""What a turn measures of itself."""

import pytest

from spark_tui.engine.generate import Prefilled, Step
from spark_tui.session.meter import Meter


class _Clock:
    """Seconds that pass only when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr("spark_tui.session.meter.time.perf_counter", clock)
    return clock


def test_pauses_do_not_count(clock: _Clock) -> None:
    measured = Meter()
    clock.now = 0.010
    measured.rest()
    clock.now = 5.0
    measured.go_on()
    clock.now = 5.002
    assert measured.ms == pytest.approx(12)


def test_the_rate_is_that_of_the_tokens_after_the_first(clock: _Clock) -> None:
    measured = Meter()
    clock.now = 0.1
    measured.count(Prefilled(40, 32, 40))
    for number in range(5):
        measured.count(Step(1, -0.5, passes=min(number, 1)))
        clock.now += 0.02
    timing = measured.timing
    assert timing.ttft_ms == pytest.approx(100)
    assert timing.tokens_per_second == pytest.approx(50)
    assert (timing.prompt_tokens, timing.cached_tokens, timing.generated_tokens) == (40, 32, 5)
    assert (timing.forward_passes, timing.accepted_draft_tokens) == (5, 0)


def test_tokens_drafted_or_forced_cost_no_pass_of_their_own(clock: _Clock) -> None:
    measured = Meter()
    measured.count(Prefilled(1, 0, 1))
    for step in (Step(1, -1.0), Step(1, -1.0, passes=1), Step(1, -1.0, from_draft=True), Step(1, 0.0)):
        measured.count(step)
    timing = measured.timing
    assert (timing.forward_passes, timing.accepted_draft_tokens, timing.generated_tokens) == (2, 1, 4)


def test_before_the_second_token_there_is_no_rate(clock: _Clock) -> None:
    measured = Meter()
    measured.count(Step(1, 0.0))
    assert measured.timing.tokens_per_second == 0
