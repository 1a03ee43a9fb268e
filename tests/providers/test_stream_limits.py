"""An answer that does not go on, or never ends, is given up with the setting that allows more."""

import pytest

from spark_tui.config import Endpoint
from spark_tui.providers.stream_limits import StreamLimits


class Clock:
    """Seconds that a test lets pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def limits(clock: Clock, **given: float) -> StreamLimits:
    endpoint = Endpoint("big", "http://127.0.0.1:1/v1", "m", **given)  # type: ignore[arg-type]
    return StreamLimits(endpoint, clock)


def test_what_brings_no_text_is_silence() -> None:
    clock = Clock()
    watched = limits(clock, silence=60.0)
    clock.now = 59.0
    assert watched.take(10, 0) is None
    clock.now = 61.0
    fault = watched.take(10, 0)
    assert fault is not None
    assert (
        fault.words
        == "big said nothing for 60 s; try again, or raise silence of [models.big] in config.toml"
    )


@pytest.mark.parametrize(("a_minute", "ends"), [(600, False), (1, True)])
def test_a_slow_drip_is_silence_and_a_slow_model_is_none(a_minute: int, ends: bool) -> None:
    clock = Clock()
    watched = limits(clock, silence=120.0)
    faults = []
    for _ in range(10 * a_minute):
        clock.now += 60 / a_minute
        faults.append(watched.take(50, 1))
    assert any(faults) == ends


def test_an_answer_may_not_take_for_ever_but_for_pauses() -> None:
    clock = Clock()
    watched = limits(clock, longest=100.0)
    with watched.resting():
        clock.now += 1000
    assert watched.take(10, 1000) is None
    clock.now += 101
    fault = watched.take(10, 1000)
    assert fault is not None
    assert "more than 101 s" not in fault.words
    assert "raise longest of [models.big]" in fault.words


@pytest.mark.parametrize("characters", [0, 1])
def test_too_many_bytes_are_too_many(characters: int) -> None:
    watched = limits(Clock(), megabytes=16)
    faults = [watched.take(1 << 20, characters) for _ in range(17)]
    assert (faults[8] is not None) == (characters == 0)
    assert faults[-1] is not None
    assert "raise megabytes of [models.big]" in faults[-1].words
