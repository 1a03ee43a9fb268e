"""Wishes that are taken back, called off or done already, beside those that only sound like it."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.context.withdrawn import is_withdrawn
from spark_tui.context.wording import asks_for_nothing
from spark_tui.editing.text import Text
from spark_tui.session.editable import why_not


@pytest.mark.parametrize(
    "said",
    [
        "rename s to total? no, better not",
        "rename s to total, no wait, never mind",
        "rename s to total. Actually, don't.",
        "use an f-string, or rather don't",
        "use enumerate, but don't",
        "an f-string here? nah",
        "cancel the rename of s to total",
        "reverse the renaming of s to total",
        "forget the rename s to total",
        "avoid renaming s to total",
        "stop renaming s to total",
        "no need to rename s to total",
        "I don't want you to rename s to total",
        "whatever you do, don't rename s to total",
        "s should not be renamed to total",
        "I already renamed s to total",
        "s was already renamed to total",
        "rename everything except s to x",
    ],
)
def test_what_is_taken_back_is_not_done_however_plainly_it_was_said(said: str) -> None:
    assert asks_for_nothing(said)
    region = Region("a.py", 1, 2, None, None, "", "lines")
    base = Text.from_bytes(b"def total_of(s):\n    return s\n", "a.py")
    assert "not to do" in why_not(said, region, base, plain=True)


@pytest.mark.parametrize(
    "said",
    [
        "why does the repr put quotes around the name? don't",
        "do we still need types? don't think so, remove the import",
        "no need for the comprehension, node.values() is enough",
        "rename flag to no",
        "change the answer: no",
        'add a message saying "no, better not"',
        "make it return whether x is there or not",
        "return False if not found, else don't",
        "cancel the task when it times out",
        "ignore the rename error",
        "stop renaming the file when it exists already",
        "avoid os.path",
        "I renamed s to total but the docstring still says s",
        "the input is already sorted, use bisect",
        "rename s to total everywhere except in the docstring",
        "remove all comments except the first",
        "undo the last rename when os.replace fails",
    ],
)
def test_what_only_sounds_like_it_is_a_wish(said: str) -> None:
    assert not is_withdrawn(said)
