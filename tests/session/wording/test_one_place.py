"""What is asked for in several functions at once is refused, never done in one of them or in the wrong one."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.session.wording.one_place import told_elsewhere
from spark_tui.session.wording.steps import split

FILE = "def load(d):\n    return d\n\n\ndef save(d):\n    return d\n"
BASE = Text.from_bytes(FILE.encode(), "a.py")
LOAD = Region("a.py", 1, 2, "load", None, "", "name")
WHOLE = Region("a.py", 1, 6, None, None, "", "file")


@pytest.mark.parametrize(
    "words",
    [
        "rename d to rows in load then add a docstring to save",
        "rename d to rows in load, and add a comment in save",
        "rename d to rows in load and add a return type of str to save",
        "make save async and rename d to rows in load",
        "add a parameter x to save and rename d to rows in load",
        "rename d to rows in load and in save",
        "rename d to rows in load and save",
        "add a docstring to load and to save",
        "rename d to rows in both `load()` and `save()`",
        "rename d to rows in the load and save functions.",
    ],
)
def test_a_function_outside_the_region_is_told(words: str) -> None:
    assert told_elsewhere(split(words), LOAD, BASE).startswith("one place at a time: save is not in a.py:1-2 (load)")
    assert told_elsewhere(split(words), WHOLE, BASE) == ""


@pytest.mark.parametrize(
    "words",
    [
        "rename d to rows in load then add a docstring",
        "rename d to rows in load then add a call to save",
        "rename d to rows, and remove the check that is done in save",
        "rename d to rows and return the same as in save",
        "make d a list and rename d to rows in load",
        "rename d to rows in load",
        "rename d to rows and put it in the save",
        "put d in a list in load just before the call of save",
        "rename d to rows in the code and comments",
    ],
)
def test_a_function_that_is_only_spoken_of_is_no_place(words: str) -> None:
    assert told_elsewhere(split(words), LOAD, BASE) == ""
