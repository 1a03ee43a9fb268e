"""@NAME in an instruction: a place, or a decorator."""

import pytest

from spark_tui.context.naming import places_at
from spark_tui.context.regions import find_region
from spark_tui.errors import UsageError

FILES = {"store.py": b"def load():\n    return 1\n", "src/report.py": b"def total():\n    return 2\n"}


@pytest.mark.parametrize(
    ("instruction", "places"),
    [
        ("rename d to expenses in @nofile", ("nofile",)),
        ("add a docstring to @nofile.", ("nofile",)),
        ("remove the debug prints from @src/nofile", ("src/nofile",)),
        ("add @retry to load", ()),
        ("remove the @retry from load", ()),
        ("make total a @property", ()),
        ("the docstring is missing in @dataclass", ()),
        ("change @retry to @cached in load", ()),
        ("change the decorator of load to @cached", ()),
        ("wrap save in @transaction", ()),
        ("turn it to @cached", ()),
        ("use @app.route in load", ()),
        ("set the sender to me@example.com", ()),
        ("set the default to @cache(3)", ()),
    ],
)
def test_what_surely_is_a_place_is_told_from_decorators_and_prose(instruction: str, places: tuple[str, ...]) -> None:
    assert places_at(instruction) == places


def test_a_place_that_is_nothing_here_is_refused_and_not_passed_over() -> None:
    with pytest.raises(UsageError, match="there is no file, function or class nofile here"):
        find_region("add a docstring to load in @nofile", FILES, FILES.__getitem__)


@pytest.mark.parametrize("place", ["@store", "@load", "@src/report", "@src"])
def test_a_place_that_is_a_file_a_folder_or_a_function_is_none_to_refuse(place: str) -> None:
    said = ""
    try:
        find_region(f"add a docstring to load in {place}", FILES, FILES.__getitem__)
    except UsageError as e:
        said = str(e)
    assert "there is no" not in said, "it may be unclear, but it is there"
