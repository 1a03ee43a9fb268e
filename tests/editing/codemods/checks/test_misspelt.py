"""Names of exceptions as people write them."""

import pytest

from spark_tui.editing.codemods.checks.misspelt import errors_in_singular


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("except ValueErrors", "except ValueError"),
        ("catch TypeErrors and ValueErrors", "catch TypeError and ValueError"),
        ("only catch KeyErrors here", "only catch KeyError here"),
        ("ignore FileNotFoundErrors, KeyErrors", "ignore FileNotFoundError, KeyError"),
    ],
)
def test_errors_of_a_sort_are_that_sort(said: str, read: str) -> None:
    assert errors_in_singular(said) == read


@pytest.mark.parametrize(
    "said",
    [
        "catch ValidationErrors",
        'print "ignoring ValueErrors"',
        "add a comment saying we ignore ValueErrors",
        "rename ValueErrors to Problems",
        "except ValueErrorsFound",
    ],
)
def test_other_names_stay(said: str) -> None:
    assert errors_in_singular(said) == said
