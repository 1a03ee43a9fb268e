"""Judging answers: what counts as right, the figures, and the fit of what probabilities are
worth.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.training.evaluate import fitted, judge, report, threshold
from spark_tui.training.references import ReferenceCase

BEFORE, AFTER, OTHER = ("a = 1",), ("a = 2",), ("a = 3",)


def case(
    name: str, *accept: tuple[str, ...], path: str = "m.py", bug: bool = False, kind: str = ""
) -> ReferenceCase:
    return ReferenceCase(name, "two", BEFORE, None, accept, bug, path, kind=kind)


def test_the_figures_count_the_first_answer_the_first_few_and_what_is_left_alone() -> None:
    cases = [
        case("1", AFTER, kind="text"),
        case("2", AFTER, bug=True),
        case("3", AFTER, path="x.go"),
        case("4"),
    ]
    told = {"1": [AFTER], "2": [OTHER, AFTER], "3": [BEFORE], "4": [BEFORE]}
    sure = {"1": 0.9, "2": 0.9, "3": 0.1, "4": 0.1}
    order = iter(told)

    def ask(asked: ReferenceCase):  # type: ignore[no-untyped-def]
        assert asked.instruction == "two"
        name = next(order)
        return told[name], (1.0,), sure[name]

    figures = report("tiny", list(judge(cases, ask)), 0.5)
    assert figures["cases"] == 4
    assert figures["right_first"] == round(1 / 3, 4)
    assert figures["right_top4"] == round(2 / 3, 4)
    assert figures["right_bugs"] == 0.0
    assert figures["no_edit_left_alone"] == 1.0
    assert figures["edits_answered_none"] == round(1 / 3, 4)
    assert (figures["answered_sure"], figures["right_when_sure"]) == (0.5, 0.5)
    assert set(figures["languages"]) == {".py", ".go"}
    assert {name: each["cases"] for name, each in figures["kinds"].items()} == {"text": 1}
    assert figures["kinds"]["text"]["right_first"] == 1.0


def test_what_tells_right_from_wrong_gets_the_weight() -> None:
    rng = np.random.default_rng(2)
    telling, noise = rng.normal(size=400), rng.normal(size=400)
    right = telling + 0.3 * rng.normal(size=400) > 0
    weights = fitted([(1.0, a, b) for a, b in zip(telling, noise, strict=True)], right.tolist())
    assert weights[1] > 2
    assert abs(weights[2]) < 0.5


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40),
    st.sampled_from([0.5, 0.85]),
)
def test_from_the_threshold_on_as_many_are_right_as_asked(
    found: list[tuple[float, bool]], precision: float
) -> None:
    chances, right = [round(chance, 3) for chance, _ in found], [ok for _, ok in found]
    least = threshold(chances, right, precision)
    taken = [ok for chance, ok in zip(chances, right, strict=True) if chance >= least]
    assert least == 1.0 or sum(taken) >= precision * len(taken)
