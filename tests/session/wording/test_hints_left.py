"""Where hints were asked for, it is said which parameters got none."""

import pytest

from spark_tui.session.wording.hints_left import hints_left

BEFORE = ["def greet(name, times=1):", "    return name * times"]
AFTER = ["def greet(name, times: int = 1):", "    return name * times"]


def test_what_got_no_hint_is_named() -> None:
    assert "no hint for name" in hints_left("complete_hints", "add type hints", BEFORE, AFTER)


@pytest.mark.parametrize(
    ("kind", "words", "after"),
    [
        ("complete_hints", "add type hints", ["def greet(name: str, times: int = 1):", AFTER[1]]),
        ("complete_hints", "add a type hint for the return", AFTER),
        ("complete_hints", "add type hints for the return value", AFTER),
        ("complete_hints", "times is an int", AFTER),
        ("rename", "add type hints", AFTER),
        ("complete_hints", "add type hints", BEFORE),
    ],
)
def test_what_was_not_asked_for_is_not_missed(kind: str, words: str, after: list[str]) -> None:
    assert hints_left(kind, words, BEFORE, after) == ""
