"""Whoever wants to know something gets no edit; whoever asks for one politely, or hints at a fault, does."""

import pytest

from spark_tui.context.inquired import is_inquiry
from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.session.editable import why_not


@pytest.mark.parametrize(
    "said",
    [
        "is 18 included?",
        "is unused used?",
        "is this off by one?",
        "am I off by one",
        "is it sorted descending?",
        "is it sorted descending",
        "isn't a with better",
        "what would a with statement change",
        "is == None bad style",
        "is a list comprehension faster",
        "is % formatting slower than f-strings?",
        "are f-strings faster",
        "which is faster, a loop or a list comprehension",
        "would a list comprehension be faster?",
        "how would you add a docstring?",
        "how many retries are there",
        "what happens if retries is 5?",
        "does save use a with statement",
        "does == None work with numpy",
        "who wrote the TODO comment",
        "was the else there before?",
        "is retries 5 by default?",
    ],
)
def test_who_wants_to_know_gets_no_edit_however_plainly_it_is_named(said: str) -> None:
    assert is_inquiry(said)
    region = Region("a.py", 1, 2, None, None, "", "lines")
    base = Text.from_bytes(b"def total_of(s):\n    return s\n", "a.py")
    assert "question" in why_not(said, region, base, plain=True)


@pytest.mark.parametrize(
    "said",
    [
        "can you add a docstring?",
        "could we use a with here?",
        "why not use enumerate?",
        "shouldn't this be >=?",
        "how about a docstring?",
        "what about an f-string?",
        "is None should be used",
        "is None, not == None",
        "is first_gate ever used?",
        "do we need the else?",
        "does xml_escape need model?",
        "is that else after the return necessary?",
        "is the print still needed? remove it",
        "is condition worth a name?",
        "is 'monogdb' a typo for mongodb?",
        "isn't there a return missing here?",
        "isn't zip(seeds, kinds) nicer than the index in bitgens?",
        "wouldn't a ternary be nicer?",
        "would total not be nicer?",
        "does _right return a tuple? then can the signature say so?",
        "what gets unpacked here should be total",
        "what is caught after the try must be limited",
        "what's the else for after a return?",
        "why is shutil imported when nothing uses it?",
        "is it possible to keep everything by name only?",
        "what does that False mean... pass it as abs=",
        "does not work for an empty list",
    ],
)
def test_a_wish_that_is_put_as_a_question_is_a_wish(said: str) -> None:
    assert not is_inquiry(said)
