"""Which words ask for a repair."""

import pytest

from spark_tui.engine.library import find_model, load
from spark_tui.session.fixing.failing import asks_for_repair
from spark_tui.session.intents import leaning

LAST = ["def last(items):", "    count = len(items)", "    return items[count]"]


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("fix this", True),
        ("the last one gets lost", True),
        ("list index out of range for the last one", True),
        ("rename count to size", False),
        ("it repeats the text instead of multiplying", True),
        ("add a parameter instead of the constant", False),
        ("add a docstring", False),
    ],
)
def test_the_shipped_model_hears_symptoms(instruction: str, asked: bool) -> None:
    assert asks_for_repair(instruction, leaning(load(find_model()), instruction, LAST)) is asked
