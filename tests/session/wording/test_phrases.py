"""A phrase without a wish is asked about; what names an edit, or a thing of the code, is none."""

import pytest

from spark_tui.session.wording.phrases import phrase

NAMES = frozenset("items s price total path line found".split())  # noqa: SIM905


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("items s price range len", "what is to be done here?"),
        ("extract of vanilla", "what is to be done here?"),
        ("catch of the day", "what is to be done here?"),
        ("a constant drizzle", "what is drizzle here?"),
        ("wrap it up", "wrap it in what?"),
    ],
)
def test_a_phrase_without_a_wish_is_asked_about(words: str, asked: str) -> None:
    assert phrase(words, NAMES).startswith(asked)


@pytest.mark.parametrize(
    "words",
    ["a docstring please", "a ternary", "a list comprehension", "the type hints", "the outer total",
     "a parameter verbose", "the copy is always empty", "the brackets can go", "default of 30", "sorted items",
     "except KeyError", "wrap it in a try", "enumerate items", "rename s total",
     "extract of total is wrong, it should be price", "return of None", "items total -> price"],
)  # fmt: skip
def test_a_wish_is_none(words: str) -> None:
    assert phrase(words, NAMES) == ""
