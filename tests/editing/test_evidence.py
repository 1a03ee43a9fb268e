"""How well edits account for what an instruction says."""

from collections import Counter
from collections.abc import Sequence

from spark_tui.editing.effects import Effects
from spark_tui.editing.evidence import Evidence, Feature
from spark_tui.editing.script import Insert, LineOp, Replace

LINES = (
    "def fetch(url, retries):",
    "    timeout = 5",
    '    mode = "slow"',
    "    return get(url, timeout, mode)",
)
TIMEOUT_30 = Replace(1, 1, ("    timeout = 30",))
MODE_30 = Replace(2, 2, ("    mode = 30",))
MODE_FAST = Replace(2, 2, ('    mode = "fast"',))


def counted(said: str, ops: Sequence[LineOp], rank: int = 0, listed: int = 1) -> Counter[str]:
    effects = Effects(LINES)
    return Evidence(effects, said).of(ops, effects.of(ops), rank, listed)


def test_names_that_nobody_spoke_of_are_made_up() -> None:
    assert not counted("log something", [Insert(0, ("    print(url)",))])[Feature.INVENTED]
    assert counted("log something", [Insert(0, ("    zebra.graze(gnu)",))])[Feature.INVENTED] == 3


def test_what_goes_wrong_need_not_come_into_the_code() -> None:
    assert counted("make it '30 s'", [MODE_FAST])[Feature.UNMET_NEW]
    assert not counted("I get TimeoutError: '30 s' with that", [MODE_FAST])[Feature.UNMET_NEW]


def test_codes_of_linters_and_numbers_of_lines_are_nothing_told() -> None:
    for said in ("RET505 in there", "see line 30", "bad [no-untyped-def]"):
        assert not [feature for feature, count in counted(said, ()).items() if count and "unmet" in feature]


def test_all_is_met_when_nothing_that_was_told_is_left_out() -> None:
    assert counted("`timeout` = 30", [TIMEOUT_30])[Feature.ALL_MET]
    assert not counted("`timeout` = 30", [MODE_30])[Feature.ALL_MET]


def test_what_stands_where_the_words_point_is_counted() -> None:
    assert counted("wrong in the return", [Replace(3, 3, ("    return None",))])[Feature.POINTED] == 1
    assert counted("wrong in the return", [TIMEOUT_30])[Feature.NOT_POINTED] == 1


def test_the_place_among_those_listed_is_counted() -> None:
    assert [counted("", [TIMEOUT_30], rank, 2)[Feature.LATER] for rank in (0, 1, 99)] == [0, 1, 12]
