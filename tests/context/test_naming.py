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


def place_of(instruction: str, files: dict[str, bytes] = FILES) -> tuple[str, str | None]:
    region = find_region(instruction, files, files.__getitem__)
    return region.path, region.symbol


@pytest.mark.parametrize(
    ("instruction", "refusal"),
    [
        ("rename d to expenses @store.py::nope", "no function or class nope in store.py"),
        ("rename d to expenses in store.py::nope", "no function or class nope in store.py"),
        ("rename d to expenses @stor::load", "no file stor here"),
        ("rename d to expenses @store.py:10-14", "store.py has no lines 10-14; it has 2"),
        ("rename d to expenses in @/etc/passwd", "no file /etc/passwd here"),
        ("rename d to expenses @nofile", "no file, function or class nofile here"),
        ("rename d to expenses in nosuch", "no function or class nosuch in the Python files here"),
        ("add a docstring in the function nosuch", "no function or class nosuch"),
        ("fix the loop within nosuch()", "no function or class nosuch"),
    ],
)
def test_a_place_told_outright_that_is_not_there_is_refused(instruction: str, refusal: str) -> None:
    with pytest.raises(UsageError, match=refusal):
        place_of(instruction)


def test_a_function_told_as_the_place_that_is_misspelt_is_named() -> None:
    with pytest.raises(UsageError, match=r"did you mean load\?"):
        place_of("rename d to expenses in laod", {"store.py": FILES["store.py"]})


@pytest.mark.parametrize("place", ["@report.py::total", "@src/report.py:2", "@report::total", "in report.py::total"])
def test_a_place_told_outright_is_where_the_edit_goes(place: str) -> None:
    assert place_of(f"rename load to amount {place}") == ("src/report.py", "total")


@pytest.mark.parametrize(
    "instruction",
    [
        "rename d to expenses in total",
        "rename d to expenses in comments",
        "rename d to expenses in the loop",
        "rename rows in nosuch to lines",
        "extract the loop in a function called helper",
        "put it in function helper",
    ],
)
def test_words_behind_in_that_need_be_no_function_are_let_be(instruction: str) -> None:
    assert place_of(instruction, {"report.py": FILES["src/report.py"]})[0] == "report.py"


@pytest.mark.parametrize("words", ["remove the import re", "drop the unused import `re`", "delete the re import"])
def test_an_import_to_be_removed_is_looked_for_in_the_files_that_have_it(words: str) -> None:
    files = {"a.py": b"import re\n", "b.py": b"import os\n", "c.py": b"from os import (\n    path,\n    sep,\n)\n"}
    assert place_of(words, files)[0] == "a.py"
    assert place_of("remove the import sep", files)[0] == "c.py"
    with pytest.raises(UsageError, match=r"re is imported in a\.py, d\.py; choose one with --at"):
        place_of(words, files | {"d.py": b"import sys, re\n"})
    with pytest.raises(UsageError, match="re is not imported in the Python files here"):
        place_of(words, {"b.py": files["b.py"], "c.py": files["c.py"]})


@pytest.mark.parametrize("words", ["rename a to b in main.go", "c.yaml: rename a to b", "fix typo in README.md"])
def test_a_file_in_another_language_is_refused_as_that(words: str) -> None:
    with pytest.raises(UsageError, match=r"(main\.go|c\.yaml|README\.md) is no Python file"):
        place_of(words)


def test_a_file_that_code_speaks_of_is_not_the_one_to_edit() -> None:
    assert place_of("raise an error in load if d is not in config.json") == ("store.py", "load")
