"""Where a name is that is to be renamed."""

import pytest

from spark_tui.context.regions import Region, find_region
from spark_tui.context.renames import name_to_change
from spark_tui.errors import UsageError

FILE = (
    "import os\n\nLIMIT = 3\n\n\ndef best(rows):\n    l = sorted(rows)\n    return l[:LIMIT]\n\n\n"
    "def last(rows):\n    return rows[-LIMIT]\n\n\nclass Till:\n    def __init__(self):\n        self.x = 1\n\n"
    "    def show(self):\n        return self.x\n"
)


def _found(words: str, symbol: str | None = None, comments: int = 60) -> Region:
    data = (FILE + "# more\n" * comments).encode()
    return find_region(words, ["a.py"], lambda _: data, path="a.py", symbol=symbol)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("rename l to ordered", "l"),
        ("rename the attribute x to count", "self.x"),
        ("l -> ordered", "l"),
        ("change the name of l to ordered", "l"),
        ("l is a bad name, use ordered", "l"),
        ("rename it to ordered", None),
        ("rename the function to best_of", None),
    ],
)
def test_the_words_tell_a_name(words: str, name: str | None) -> None:
    assert name_to_change(words) == name


def test_a_local_is_in_its_function_an_attribute_in_its_class_and_a_constant_in_all_of_the_file() -> None:
    assert _found("rename l to ordered").symbol == "best"
    assert _found("rename self.x to self.count").symbol == "Till"
    assert _found("rename self.x to self.count", "Till.show").symbol == "Till"
    assert _found("rename LIMIT to MOST").start_line == 1


def test_where_several_functions_have_one_they_are_named() -> None:
    with pytest.raises(UsageError, match=r"rows may be that of a\.py::best, a\.py::last; choose one"):
        _found("rename rows to records")


def test_a_name_all_over_a_long_file_is_left_to_the_editor() -> None:
    with pytest.raises(UsageError, match=r"LIMIT stands in several parts of a\.py, which is too long"):
        _found("rename LIMIT to MOST", comments=300)


def test_a_parameter_that_calls_pass_by_name_is_in_all_of_the_file() -> None:
    called = "def load(start):\n    return start\n\n\ndef go():\n    load(start=1)\n\n\n"
    data = (called + "def store(stop):\n    read(stop=stop)\n" + "# more\n" * 60).encode()

    def found(words: str) -> str | None:
        return find_region(words, ["a.py"], lambda _: data, path="a.py").symbol

    assert found("rename start to first") is None
    assert found("rename stop to last") == "store"
