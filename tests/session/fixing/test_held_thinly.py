"""A value or an operator that one test alone tells is said to be doubtful."""

from pathlib import Path

import pytest

from spark_tui.session.events import Status
from spark_tui.session.fixing.held_thinly import held_thinly
from tests.fakes import edit_script
from tests.session.fixing.test_trial import LAST, PASSES, RIGHT, _begin, _session, _text

MEDIAN = ["def median(xs):", "    n = len(xs)", "    return (xs[n // 2] + xs[n // 2 + 1]) / 2"]
ONE, TWO = "1 failed, 3 passed in 0.02s", "2 failed, 1 passed in 0.02s"


@pytest.mark.parametrize(
    ("old", "new", "output", "thin"),
    [
        ("xs[n // 2] ", "xs[n % 2] ", ONE, True),
        ("xs[n // 2] ", "xs[n % 2] ", "FAILED (failures=1)", True),
        (") / 2", ") / 3", "AssertionError", True),
        ("xs[n // 2] ", "xs[n % 2] ", TWO, False),
        ("xs[n // 2] ", "xs[n % 2] ", "FAILED (failures=1, errors=2)", False),
        ("(xs[n // 2] ", "sorted(xs[n // 2] ", ONE, False),
        ("    return (", "    return n, (", ONE, False),
    ],
)
def test_what_only_one_test_holds_is_thin(old: str, new: str, output: str, thin: bool) -> None:
    after = [line.replace(old, new) for line in MEDIAN]
    assert after != MEDIAN
    assert held_thinly(MEDIAN, after, output) is thin


def test_a_condition_turned_round_is_thin_and_a_step_more_is_not() -> None:
    before = ["def vowels(text):", '    return sum(c in "aeio" for c in text)']
    assert held_thinly(before, [before[0], before[1].replace(" in ", " not in ", 1)], ONE)
    assert held_thinly(before, [before[0], before[1].replace("io", "iou")], ONE)
    assert not held_thinly(before, [*before, "    print(text)"], ONE)


@pytest.mark.parametrize(("words", "doubted"), [("fix this", True), ("this returns the element too early", False)])
def test_an_answer_that_only_changes_a_value_is_said_to_be_held_by_a_test_alone(
    tmp_path: Path, words: str, doubted: bool
) -> None:
    turn = _begin(_session(tmp_path, LAST, edit_script(LAST, RIGHT)), PASSES, words)
    list(turn.events())
    assert (turn.status, turn.review.proposed) == (Status.OK, _text(RIGHT))
    assert ("only one test tells it" in turn.message) is doubted
