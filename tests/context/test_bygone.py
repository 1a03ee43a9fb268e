"""Whoever tells what code was, or what became of it, wants no edit, unless something is amiss with it now."""

import pytest

from spark_tui.context.bygone import is_bygone
from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.session.editable import why_not


@pytest.mark.parametrize(
    "said",
    [
        "the print was removed yesterday",
        "the print got deleted",
        "the TODO comment has been removed",
        "the else was removed by mistake",
        "the mutable default was fixed already",
        "it used to compare with is None",
        "the file used to be opened with with",
        "we had is None there once",
        "this used a with statement before",
        "s was renamed to total by Ann",
        "enumerate was used here until May",
        "this had been a list comprehension",
        "this was a list comprehension",
        "retries was 5 in the old version",
        "retries had been changed to 5",
        "it was an f-string in my branch",
        "the check was >= in version one",
        "in version one it was >=",
        "it was sorted descending last year",
        "there was a docstring once",
        "Ann replaced the with statement with open and close",
        "somebody changed is None to == None",
    ],
)
def test_what_was_is_no_wish_however_plainly_it_is_named(said: str) -> None:
    assert is_bygone(said)
    region = Region("a.py", 1, 2, None, None, "", "lines")
    base = Text.from_bytes(b"def total_of(s):\n    return s\n", "a.py")
    assert "what was" in why_not(said, region, base, plain=True)


@pytest.mark.parametrize(
    "said",
    [
        "was meant to be >=",
        "used to be 5, should be 6",
        "retries used to be 5 and should be 5 again",
        "the attribute was renamed to page_ctx",
        "event was renamed to page_ctx",
        "coroutine was never awaited",
        "the print was for debugging, remove it",
        "s was renamed to total by Ann, do it here, too",
        "the two arguments were swapped",
        "someone swapped two attrs at the bottom",
        "the list was empty",
        "p is used once",
        "log that the job was removed",
        "skip files that were removed in the meantime",
        "add what was removed yesterday",
        "the order was right before",
        "it worked in the old version",
        "the default was 5 in the old version, put it back",
        "the print was removed but the import is still there",
        "was the else there before?",
        "the print should have been removed yesterday",
        "this was a typo",
        "the import is missing since it was moved",
    ],
)
def test_what_is_amiss_since_is_a_wish(said: str) -> None:
    assert not is_bygone(said)
