"""What speaks for an edit, by the weights: as they come, read again, and those that are shipped."""

from functools import cache

import numpy as np
import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.editing.ranking import Ranking
from spark_tui.editing.script import Delete, Insert, LineOp, Replace
from spark_tui.editing.standing import Standings
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


@cache
def shipped() -> Ranking:
    return Intents.from_bytes((load(find_model(None)).path / FILE_NAME).read_bytes()).ranking


@pytest.mark.parametrize(
    ("said", "kind", "better", "worse"),
    [
        ("timeout: 30", "change_literal", TIMEOUT_30, MODE_30),
        ('use "fast" there', "change_literal", MODE_FAST, TIMEOUT_30),
        ("drop the mode line", "remove_statement", Delete(2, 2), Delete(1, 1)),
        (
            "only when there are at least 3 retries",
            "guard_clause",
            Insert(0, ("    assert retries >= 3",)),
            Insert(0, ("    assert retries",)),
        ),
        ("use 30 instead of 5", "change_literal", TIMEOUT_30, Replace(1, 1, ("    timeout = 5 if 30 else 5",))),
    ],
)
def test_an_edit_that_does_what_is_told_has_more_for_it(said: str, kind: str, better: LineOp, worse: LineOp) -> None:
    standings = Standings(LINES, Request(said, None))
    good, bad = (shipped().worths(kind, standings.listed(kind, -1.0, [(op,)]))[0] for op in (better, worse))
    assert good > bad


def test_as_it_comes_only_the_words_count() -> None:
    known = Standings(LINES, Request("timeout: 30", None)).listed("rename", -2.5, [(TIMEOUT_30,), (MODE_30,)])
    assert Ranking().worths("rename", known).tolist() == [-2.5, -2.5]


def test_written_and_read_again_it_weighs_the_same() -> None:
    again = Ranking.from_json(shipped().to_json())
    known = Standings(LINES, Request("timeout: 30", None)).listed("rename", -1.0, [(TIMEOUT_30,), (MODE_30,)])
    for kind in shipped().kinds:
        assert np.array_equal(again.worths(kind, known), shipped().worths(kind, known))


def test_weights_that_do_not_fit_one_another_are_refused() -> None:
    with pytest.raises(ValueError, match="reshape"):
        Ranking.from_json({**shipped().to_json(), "outputs": ""})
