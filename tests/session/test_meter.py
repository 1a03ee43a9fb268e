"""What a turn measures of itself."""

import pytest

from spark_tui.providers.base import PromptProgress, Thought, TokenGenerated, Usage
from spark_tui.session.meter import TurnMetrics


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


def test_the_rate_is_that_of_the_tokens_after_the_first(clock: _Clock) -> None:
    measured = TurnMetrics()
    clock.now = 0.1
    measured.count(PromptProgress(40, 32, 40))
    for number in range(5):
        measured.count(TokenGenerated(0, 1, b"", -0.5, passes=min(number, 1)))
        clock.now += 0.02
    timing = measured.timing
    assert timing.ttft_ms == pytest.approx(100)
    assert timing.tokens_per_second == pytest.approx(50)
    assert (timing.prompt_tokens, timing.cached_tokens, timing.generated_tokens) == (40, 32, 5)
    assert (timing.forward_passes, timing.accepted_draft_tokens) == (5, 0)


def test_what_an_endpoint_reads_takes_no_pass_of_this_process(clock: _Clock) -> None:
    measured = TurnMetrics()
    measured.count(PromptProgress(40, 32, 40, passes=0))
    timing = measured.timing
    assert (timing.prompt_tokens, timing.cached_tokens, timing.forward_passes) == (40, 32, 0)


def test_tokens_drafted_or_forced_cost_no_pass_of_their_own(clock: _Clock) -> None:
    measured = TurnMetrics()
    measured.count(PromptProgress(1, 0, 1))
    for step in (
        TokenGenerated(0, 1, b"", -1.0),
        TokenGenerated(0, 1, b"", -1.0, passes=1),
        TokenGenerated(0, 1, b"", -1.0, from_draft=True),
        TokenGenerated(0, 1, b"", 0.0, forced=True),
    ):
        measured.count(step)
    timing = measured.timing
    assert (timing.forward_passes, timing.accepted_draft_tokens, timing.generated_tokens) == (
        2,
        1,
        4,
    )


def test_tokens_that_needed_no_pass_have_no_rate(clock: _Clock) -> None:
    measured = TurnMetrics()
    clock.now = 0.1
    for step in (
        TokenGenerated(0, 1, b"", -0.1),
        TokenGenerated(0, 1, b"", 0.0, forced=True),
        TokenGenerated(0, 1, b"", 0.0, forced=True),
    ):
        measured.count(step)
        clock.now += 0.001
    assert measured.timing.tokens_per_second == 0
    measured.count(TokenGenerated(0, 1, b"", -0.1, passes=1))
    assert measured.timing.tokens_per_second == pytest.approx(1000)


def test_time_is_told_while_another_thread_stops_counting_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = _Clock()
    monkeypatch.setattr("spark_tui.session.meter.time.perf_counter", clock)
    measured = TurnMetrics()
    clock.now = 0.010

    def rest_meanwhile() -> float:
        monkeypatch.setattr("spark_tui.session.meter.time.perf_counter", clock)
        measured.rest()
        return clock()

    monkeypatch.setattr("spark_tui.session.meter.time.perf_counter", rest_meanwhile)
    assert measured.ms == pytest.approx(10)
    assert measured.ms == pytest.approx(10), "it rests"


def test_what_a_server_counted_stands_in_the_place_of_the_pieces(clock: _Clock) -> None:
    measured = TurnMetrics()
    measured.count(Thought(0, "Hm."))
    clock.now += 1.0
    for _ in range(2):
        measured.count(TokenGenerated(0, -1, b"several tokens"))
        clock.now += 0.1
    measured.count(Usage(300, 101, thought=80, cached=200, cost=0.00025))
    timing = measured.timing
    assert (timing.prompt_tokens, timing.cached_tokens) == (300, 200)
    assert (timing.generated_tokens, timing.thought_tokens, timing.cost) == (21, 80, 0.00025)
    assert timing.tokens_per_second == pytest.approx(200)


def test_pieces_of_a_server_that_counts_nothing_tell_a_rate(clock: _Clock) -> None:
    measured = TurnMetrics()
    clock.now = 0.1
    for _ in range(5):
        measured.count(TokenGenerated(0, -1, b"a"))
        clock.now += 0.02
    timing = measured.timing
    assert timing.tokens_per_second == pytest.approx(50)
    assert (timing.prompt_tokens, timing.generated_tokens) == (0, 5)
    assert (timing.thought_tokens, timing.cost) == (None, None)


def test_answers_of_one_turn_add_up(clock: _Clock) -> None:
    measured = TurnMetrics()
    for _ in range(2):
        measured.count(TokenGenerated(0, -1, b"a"))
        measured.count(Usage(300, 20, thought=5, cost=0.5))
    timing = measured.timing
    assert (timing.generated_tokens, timing.thought_tokens, timing.cost) == (30, 10, 1.0)
