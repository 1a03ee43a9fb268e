"""Tokens held back: no faster than the pace, no slower than need be, and never past a pause."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from spark_tui.session.pace import Pace
from spark_tui.session.throttle import Pacer, Rate
from spark_tui.session.turn_state import TurnPhase, TurnState
from spark_tui.tui.widgets.status_bars import meters
from tests.moments import at_every_moment
from tests.tui.support import EDIT, Stage, until


class Clock:
    """Time passes when somebody waits, or works."""

    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


def _shown(rate: float, work: list[float]) -> tuple[Pacer, list[float]]:
    """When each token is shown that took so long to compute."""
    clock = Clock()
    pacer = Pacer(clock.work, clock)
    pacer.pace = Pace(rate)
    times = []
    for seconds in work:
        clock.work(seconds)
        pacer.wait()
        times.append(clock.now)
    return pacer, times


def test_tokens_come_at_the_pace_when_the_engine_is_faster() -> None:
    pacer, times = _shown(50.0, [0.001] * 100)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert gaps == pytest.approx([0.02] * 99)
    assert pacer.rate == pytest.approx(50.0)


def test_tokens_come_as_they_are_computed_when_the_engine_is_slower() -> None:
    _, times = _shown(1e6, [0.01] * 20)
    assert times[-1] == pytest.approx(10.0 + 20 * 0.01)


def test_what_came_late_is_not_made_up_for() -> None:
    _, times = _shown(10.0, [0.0, 0.0, 0.5, 0.0, 0.0])
    assert [round(time - 10.0, 6) for time in times] == [0.0, 0.1, 0.6, 0.7, 0.8]


@pytest.mark.parametrize("paused", [0.0, 0.1, 3.0])
def test_a_pause_while_a_token_waits_brings_no_two_together(paused: float) -> None:
    clock, times = Clock(), [10.0]
    pauses = [paused]

    def linger(seconds: float) -> None:
        if not pauses:
            clock.work(seconds)
            return
        clock.work(0.1 + pauses.pop())
        pacer.go_on()

    pacer = Pacer(linger, clock)
    pacer.pace = Pace(2.0)
    pacer.wait()
    for _ in range(6):
        pacer.wait()
        times.append(clock.now)
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.5 - 1e-9
    assert pacer.rate == pytest.approx(2.0)


def test_a_slow_start_after_a_pause_is_not_made_up_for_and_changes_no_rate() -> None:
    clock = Clock()
    pacer = Pacer(clock.work, clock)
    pacer.pace = Pace(20.0)
    for _ in range(30):
        pacer.wait()
    clock.work(60.0)
    pacer.go_on()
    assert pacer.rate == pytest.approx(20.0)
    pacer.wait()
    clock.work(0.0475)
    for _ in range(3):
        pacer.wait()
        assert pacer.rate == pytest.approx(20.0)


def test_without_a_pace_nothing_waits() -> None:
    pacer = Pacer(lambda _: pytest.fail("it waited"))
    for _ in range(3):
        pacer.wait()
    assert pacer.rate is None


async def test_a_pause_stops_at_the_token_shown_and_nothing_is_lost_or_the_rest_is_dropped(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        controller = stage.controller
        stage.gate.open()
        for dropped in (True, False):
            controller.pacer.pace = Pace(0.001)
            await stage.ask(pilot, EDIT)
            await until(pilot, lambda: stage.seen == 1)
            await pilot.press("escape")
            await until(pilot, lambda: stage.session.runner.paused)
            assert (stage.seen, stage.view.phase) == (1, TurnPhase.PAUSED)
            if dropped:
                await pilot.press("escape")
                await until(
                    pilot, lambda: stage.session.runner.idle and stage.view.phase is TurnPhase.READY
                )
        controller.pacer.pace = None
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert stage.view.hunks


def _words(real: float | None, pace: Pace | None, tokens: int) -> str:
    view = TurnState()
    view.figures.rate = real
    clock = Clock()
    pacer = Pacer(clock.work, clock)
    pacer.pace = pace
    for _ in range(tokens):
        pacer.wait()
    left, _ = meters("spark-s", view, TurnPhase.WRITING, None, pacer=pacer)
    return " ".join(piece.text for piece in left[2:])


@pytest.mark.parametrize(
    ("real", "pace", "words"),
    [
        (412.0, None, "412 tok/s"),
        (412.0, Pace(65.0), "65 tok/s paced real 412"),
        (412.0, Pace(0.8), "0.8 tok/s paced real 412"),
        (
            412.0,
            Pace(65.0, "h200", "llama3-70b"),
            "65 tok/s paced (h200, llama3-70b simulated) real 412",
        ),
        (
            7400.0,
            Pace(12000.0, "wse3", "spark-s"),
            "paced: wse3 12,000 simulated, real 7,400 tok/s",
        ),
        (40.0, Pace(65.0), "paced: 65, real 40 tok/s"),
    ],
)
def test_the_footer_says_what_is_paced_and_what_is_real(
    real: float, pace: Pace | None, words: str
) -> None:
    assert _words(real, pace, tokens=20) == words


@pytest.mark.parametrize(
    ("real", "words"), [(None, "paced: 65"), (412.0, "paced: 65, real 412 tok/s")]
)
def test_a_pace_that_was_not_measured_is_shown_as_a_limit(real: float | None, words: str) -> None:
    assert _words(real, Pace(65.0), tokens=2) == words


def test_where_room_is_short_the_wafers_speed_is_left_out_first() -> None:
    view = TurnState()
    view.figures.rate = 412.0
    left, right = meters("spark-s", view, TurnPhase.WRITING, None, simulated=30520.4)
    assert (
        min((*left, *right), key=lambda piece: piece.weight).text == "wafer 30,520 tok/s simulated"
    )


async def test_the_pace_command_sets_it_and_refuses_what_is_none(stage: Stage) -> None:
    async with stage.started() as pilot:
        controller = stage.controller
        await stage.app.run_action("app.pace('65')")
        await until(pilot, lambda: controller.pacer.pace == Pace(65.0))
        await stage.app.run_action("app.pace('tpu')")
        await stage.says(pilot, "no pace 'tpu'")
        assert controller.pacer.pace == Pace(65.0)
        await stage.app.run_action("app.pace('real')")
        await until(pilot, lambda: controller.pacer.pace is None)


def test_a_pause_is_told_of_at_any_moment_of_a_token() -> None:
    def scene() -> tuple[Callable[[], object], Callable[[], object]]:
        rate = Rate()
        rate.add(1.0)
        return lambda: rate.add(2.0), rate.pause

    assert at_every_moment(Rate.add, scene) > 10
