"""Which attempt is shown, and how sure it is."""

import math
from typing import cast

import pytest

from spark_tui.editing.checks import Check
from spark_tui.editing.text import Text
from spark_tui.session.attempts import MOST_ATTEMPTS, Attempt, Attempts
from spark_tui.session.writing import Writing

GOOD, BAD = (Check("parses", ok=True),), (Check("parses", ok=False),)


def _attempt(text: str, probability: float, problem: str = "", checks: tuple[Check, ...] = GOOD) -> Attempt:
    return Attempt(
        cast("Writing", None), math.log(probability), Text.from_bytes(text.encode(), "a.py"), checks, problem
    )


def _attempts(*made: Attempt) -> Attempts:
    attempts = Attempts()
    for one in made:
        attempts.add(one)
    return attempts


def test_the_likeliest_sound_attempt_is_shown() -> None:
    best, sure = _attempts(_attempt("a", 0.5), _attempt("b", 0.3)).best()
    assert best.file.to_bytes() == b"a"
    assert sure == pytest.approx(0.5)


def test_attempts_of_one_effect_add_up() -> None:
    best, sure = _attempts(_attempt("a", 0.4), _attempt("b", 0.3), _attempt("b", 0.2)).best()
    assert best.file.to_bytes() == b"b"
    assert sure == pytest.approx(0.5)


def test_what_failed_or_found_nothing_makes_the_rest_likelier() -> None:
    best, sure = _attempts(
        _attempt("a", 0.25, "broken", BAD), _attempt("b", 0.15, "empty", ()), _attempt("c", 0.1)
    ).best()
    assert best.file.to_bytes() == b"c"
    assert sure == pytest.approx(0.1 / 0.6)


def test_what_was_hardly_meant_is_not_sure_though_all_that_is_likelier_failed() -> None:
    best, sure = _attempts(_attempt("a", 0.96, "broken", BAD), _attempt("b", 0.036)).best()
    assert best.file.to_bytes() == b"b"
    assert sure < 0.1


def test_when_all_failed_the_first_one_tells_why_and_is_not_sure() -> None:
    best, sure = _attempts(_attempt("a", 0.5, "broken", BAD), _attempt("b", 0.4, "worse", BAD)).best()
    assert (best.problem, sure) == ("broken", 0.0)


def test_another_attempt_is_made_only_where_it_can_win_or_add_much_to_the_best() -> None:
    attempts = _attempts(_attempt("a", 0.6))
    assert attempts.worth_another(math.log(0.3))
    assert not attempts.worth_another(math.log(0.15))
    assert _attempts(_attempt("a", 0.3)).worth_another(math.log(0.5))
    assert _attempts(_attempt("a", 0.9, "broken", BAD)).worth_another(math.log(0.05))
    assert not _attempts(_attempt("a", 0.3, "broken", BAD)).worth_another(math.log(0.001))
    many = _attempts(*[_attempt(str(n), 0.01, "broken", BAD) for n in range(MOST_ATTEMPTS)])
    assert not many.worth_another(math.log(0.5))
