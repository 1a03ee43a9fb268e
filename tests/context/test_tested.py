"""Code comes before its tests where several places may be meant."""

import pytest

from spark_tui.context.ranking import Part
from spark_tui.context.source import source_of
from spark_tui.context.tested import code_first

SOURCES = [
    source_of("test_shop.py", b"def test_cost():\n    assert cost('france') == 7.9\n"),
    source_of("shop.py", b"def cost(country):\n    return RATES[country]\n\n\ndef test_mode():\n    return 1\n"),
]
PARTS = [
    Part(number, each.start_line, each.end_line, each)
    for number, source in enumerate(SOURCES)
    for each in source.symbols
]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("shipping to france should cost 8.9", ["cost", "test_cost", "test_mode"]),
        ("the test of shipping to france is wrong", ["test_cost", "cost", "test_mode"]),
        ("assert that france costs 8.9", ["test_cost", "cost", "test_mode"]),
    ],
)
def test_code_is_offered_before_its_tests_unless_tests_are_spoken_of(words: str, names: list[str]) -> None:
    assert [each.symbol.name for each in code_first(PARTS, SOURCES, words) if each.symbol] == names
