"""The paces that tokens can be shown at."""

import pytest

from spark_tui.errors import UsageError
from spark_tui.session.pace import Pace, pace_named
from spark_tui.wafer.machine import WAFERS, shape_named
from spark_tui.wafer.placement import place

SMALL = shape_named("qwen2-0.5b")


@pytest.mark.parametrize("name", ["real", "off", "full"])
def test_real_is_no_pace(name: str) -> None:
    assert pace_named(name, SMALL) is None


@pytest.mark.parametrize(("name", "rate"), [("65", 65.0), ("1000000", 1e6), ("0.1", 0.1)])
def test_a_number_is_tokens_a_second(name: str, rate: float) -> None:
    assert pace_named(name, SMALL) == Pace(rate)


def test_a_device_has_the_speed_it_would_have_with_the_model_that_writes() -> None:
    placed = place(SMALL, WAFERS["wse3"], context=2048)
    assert pace_named("wse3", SMALL) == Pace(placed.tokens_per_second, "wse3", "qwen2-0.5b")


def test_a_device_can_be_asked_for_with_another_model_on_as_many_as_it_takes() -> None:
    gpus, wafers = pace_named("h200:llama3-70b", SMALL), pace_named("wse3:llama3-70b", SMALL)
    assert gpus is not None
    assert wafers is not None
    assert (gpus.device, gpus.model) == ("8 x h200", "llama3-70b")
    assert 50 < gpus.rate < 150 < 400 < wafers.rate < 2500


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tpu", "no pace 'tpu'"),
        ("0", "of 0 tokens a second; give 0.1 to 1,000,000"),
        ("-5", "give 0.1 to"),
        ("0.09", "give 0.1 to"),
        ("1000001", "give 0.1 to"),
        ("nan", "give 0.1"),
        ("inf", "give 0.1"),
        ("", "no pace ''"),
        ("wse3:gpt-9", "unknown model 'gpt-9'; give one of llama3-8b"),
        ("a100:", "no pace 'a100:'"),
        ("٣", "no pace '٣'"),
        ("1２", "no pace"),
    ],
)
def test_what_is_no_pace_is_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        pace_named(name, SMALL)
