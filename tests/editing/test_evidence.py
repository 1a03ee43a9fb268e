"""How well edits account for what an instruction says."""

import pytest

from spark_tui.editing.evidence import Evidence
from spark_tui.editing.script import Delete, Insert, LineOp, Replace, Substitute

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
    assert evidence.of([better]) > evidence.of([worse])


def test_names_that_nobody_spoke_of_speak_against_an_edit() -> None:
    evidence = Evidence(LINES, "log something")
    assert evidence.of([Insert(0, ("    print(url)",))]) > evidence.of([Insert(0, ("    zebra.graze(gnu)",))])


def test_what_goes_wrong_need_not_come_into_the_code() -> None:
    complaint = Evidence(LINES, "I get TimeoutError: '30 s' with that")
    assert complaint.of([TIMEOUT_30]) == Evidence(LINES, "i get it with that").of([TIMEOUT_30])


def test_codes_of_linters_and_numbers_of_lines_are_nothing_told() -> None:
    for said in ("RET505 in there", "see line 30", "bad [no-untyped-def]"):
        assert Evidence(LINES, said).of(()) == 0


def test_the_earlier_of_two_like_edits_comes_first() -> None:
    evidence = Evidence(LINES, "")
    assert evidence.of([TIMEOUT_30], 0) > evidence.of([TIMEOUT_30], 1)
