"""A value or an operator that one test alone tells is said to be doubtful."""

import pytest

from spark_tui.session.fixing.held_thinly import held_thinly

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
