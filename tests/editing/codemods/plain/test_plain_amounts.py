"""Amounts told without the name of their number are read plainly."""

import pytest

from spark_tui.editing.codemods.base import applied
from spark_tui.editing.codemods.plain.plain_amounts import plain_amounts
from spark_tui.editing.snippet import Snippet

BEFORE = Snippet(tuple("""TAX = 0.19
share = 40
def wait(check, timeout=30):
    while not check():
        time.sleep(1)
""".splitlines()))  # fmt: skip


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("poll every half second", "        time.sleep(0.5)"),
        ("sleep(0.5)", "        time.sleep(0.5)"),
        ("sleep 200 ms between attempts", "        time.sleep(0.2)"),
        ("check every 5 seconds", "        time.sleep(5)"),
        ("make tax 21%", "TAX = 0.21"),
        ("the tax rate is 7.5 percent", "TAX = 0.075"),
        ("set share to 50%", "share = 50"),
    ],
)
def test_an_amount_goes_where_it_belongs(words: str, line: str) -> None:
    (ops,) = plain_amounts(BEFORE, words)
    assert [one for one in applied(BEFORE, ops) if one not in BEFORE.lines] == [line]


@pytest.mark.parametrize("words", ["wait 5 seconds for the lock", "check 5", "make timeout 5%ish", "timeout 50"])
def test_other_amounts_are_left(words: str) -> None:
    assert not plain_amounts(BEFORE, words)
