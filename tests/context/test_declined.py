"""Whoever says that an edit would be wrong, or that nothing is, wants none; what code must not do is a wish."""

import pytest

from spark_tui.context.declined import is_declined
from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.session.editable import why_not


@pytest.mark.parametrize(
    "said",
    [
        "stop removing my prints",
        "quit deleting the print",
        "avoid touching the print",
        "refrain from adding comments",
        "it would be wrong to remove the print",
        "it's not necessary to rename s",
        "removing the print is a bad idea",
        "simplifying this makes no sense",
        "deleting the print would be a mistake",
        "the print stays",
        "the print has to stay",
        "the unused variable must stay",
        "simplify everything except this",
        "there's no reason to add a docstring",
        "I see no point in adding hints",
        "instead of a docstring add nothing",
        "change nothing here",
        "remove nothing",
        "stop using with for files? no way",
        "don't you dare remove the TODO comment",
        "don't even think of removing the print",
        "under no circumstances remove the comment",
        "nobody should delete the unused variable",
        "you can't simplify this",
        "don't fix this",
        "we're not going to change retries",
        "I'm against renaming s",
        "hands off the comment",
        "this is not off by one",
        "this is no bug",
        "the loop isn't off by one",
        "there is no off by one error here",
        "there's nothing wrong with the default",
        "the else is there on purpose",
    ],
)
def test_who_declines_an_edit_gets_none_however_plainly_it_is_named(said: str) -> None:
    assert is_declined(said)
    region = Region("a.py", 1, 2, None, None, "", "lines")
    base = Text.from_bytes(b"def total_of(s):\n    return s\n", "a.py")
    assert "not to do" in why_not(said, region, base, plain=True)


@pytest.mark.parametrize(
    "said",
    [
        "stop adding the same item twice",
        "avoid changing the list while looping over it",
        "it is not needed: remove it",
        "removing the last item crashes",
        "deleting a user must not raise",
        "the cursor stays open",
        "drop the first print, the second must stay",
        "the list must stay sorted",
        "there's no reason to print here",
        "there is no docstring",
        "there is no error for an unknown key",
        "add nothing but the header",
        "do nothing if the list is empty",
        "the check must not include 18",
        "you must not change the default list in place, copy it",
        "this is off by one",
        "this is not right",
        "this shouldn't be a list",
        "remove everything except the header",
        "don't return None here",
        "must not fail if it is closed",
        "nobody uses this print",
        "can this stay open?",
        "was the pdb line meant to stay in?",
        "bytes should stay bytes as well",
    ],
)
def test_what_code_must_not_do_is_a_wish(said: str) -> None:
    assert not is_declined(said)
