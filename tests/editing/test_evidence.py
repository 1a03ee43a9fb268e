"""How well edits account for what an instruction says."""

from functools import cache

import pytest

from spark_tui.editing.evidence import Evidence, Feature
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.editing.ranking import Ranking
from spark_tui.editing.script import Delete, Insert, LineOp, Replace, Substitute
from spark_tui.engine.library import find_model, load

LINES = (
    "def fetch(url, retries):",
    "    timeout = 5",
    '    mode = "slow"',
    "    return get(url, timeout, mode)",
)
TIMEOUT_30 = Replace(1, 1, ("    timeout = 30",))
MODE_30 = Replace(2, 2, ("    mode = 30",))
MODE_FAST = Replace(2, 2, ('    mode = "fast"',))


@pytest.mark.parametrize(
    ("said", "better", "worse"),
    [
        ("timeout: 30", TIMEOUT_30, MODE_30),
        ('use "fast" there', MODE_FAST, TIMEOUT_30),
        ("fast, not slow", MODE_FAST, Delete(2, 2)),
        ("drop the mode line", Delete(2, 2), Delete(1, 1)),
        ("url should be called address", Substitute("url", "address"), Substitute("mode", "address")),
        (
            "only when there are at least 3 retries",
            Insert(0, ("    assert retries >= 3",)),
            Insert(0, ("    assert retries",)),
        ),
        ("use 30 instead of 5", TIMEOUT_30, Replace(1, 1, ("    timeout = 5 if 30 else 5",))),
    ],
)
def test_an_edit_that_does_what_is_told_has_more_for_it(said: str, better: LineOp, worse: LineOp) -> None:
    evidence = Evidence(LINES, said)
    assert shipped().worth(evidence.of([better])) > shipped().worth(evidence.of([worse]))


def test_names_that_nobody_spoke_of_are_made_up() -> None:
    evidence = Evidence(LINES, "log something")
    assert not evidence.of([Insert(0, ("    print(url)",))])[Feature.INVENTED]
    assert evidence.of([Insert(0, ("    zebra.graze(gnu)",))])[Feature.INVENTED] == 3


def test_what_goes_wrong_need_not_come_into_the_code() -> None:
    assert Evidence(LINES, "make it '30 s'").of([MODE_FAST])[Feature.UNMET_NEW]
    assert not Evidence(LINES, "I get TimeoutError: '30 s' with that").of([MODE_FAST])[Feature.UNMET_NEW]


def test_codes_of_linters_and_numbers_of_lines_are_nothing_told() -> None:
    for said in ("RET505 in there", "see line 30", "bad [no-untyped-def]"):
        assert not [feature for feature, count in Evidence(LINES, said).of(()).items() if count and "unmet" in feature]


def test_all_is_met_when_nothing_that_was_told_is_left_out() -> None:
    evidence = Evidence(LINES, "`timeout` = 30")
    assert evidence.of([TIMEOUT_30])[Feature.ALL_MET]
    assert not evidence.of([MODE_30])[Feature.ALL_MET]


def test_what_stands_where_the_words_point_is_counted() -> None:
    evidence = Evidence(LINES, "wrong in the return")
    assert evidence.of([Replace(3, 3, ("    return None",))])[Feature.POINTED] == 1
    assert evidence.of([TIMEOUT_30])[Feature.NOT_POINTED] == 1


def test_the_place_among_those_listed_is_counted() -> None:
    evidence = Evidence(LINES, "")
    assert [evidence.of([TIMEOUT_30], rank, 2)[Feature.LATER] for rank in (0, 1, 99)] == [0, 1, 12]


@cache
def shipped() -> Ranking:
    return Intents.from_bytes((load(find_model(None)).path / FILE_NAME).read_bytes()).ranking
