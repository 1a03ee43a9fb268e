"""Half of what was asked for is never done without saying so."""

from pathlib import Path

import pytest

from spark_tui.editing.script import Insert
from spark_tui.editing.text import Text
from spark_tui.session.events import Status
from spark_tui.session.turn import Request
from spark_tui.session.wording.unheeded import unheeded
from tests.fakes import ops_script, scripted_session

EDITED = Text.from_bytes(b"a = 1\n")
PATHS_AND_WITH = Text.from_bytes(b"def load(path):\n    with Path(path).open() as f:\n        return f.read()\n")
OTHER = Text.from_bytes(b"a = 2\n")


@pytest.mark.parametrize(
    ("words", "part", "left"),
    [
        ("use a with statement and handle FileNotFoundError", "use a with statement", "handle FileNotFoundError"),
        ("use a with statement, but also ignore blank lines.", "use a with statement", "ignore blank lines"),
        ("set size to 20 and have it return a list", "set size to 20", "have it return a list"),
        ("rename a to b and keep a as an alias", "rename a to b", "keep a as an alias"),
        ("rename a to b as well as counting lines", "rename a to b", "counting lines"),
        ("remove the docstring and get rid of size", "get rid of size", "remove the docstring"),
    ],
)
def test_what_an_edit_does_nothing_for_is_told(words: str, part: str, left: str) -> None:
    said = unheeded(words, EDITED, lambda some: EDITED if some == part else OTHER)
    assert str(said) == f"that is “{part}” alone, and nothing of it is for “{left}”"
    assert not unheeded(words, EDITED, lambda _: None)


@pytest.mark.parametrize(
    "words",
    [
        "rename a to b",
        "rename a to b and keep the docstring",
        "rename a to b while leaving the rest alone",
        "add parameters a and b",
        "strip and lower",
        "use a for the width and b",
        "use the names of x and y",
        "set the text to 'do this and handle that'",
    ],
)
def test_what_asks_for_one_thing_leaves_nothing_undone(words: str) -> None:
    assert not unheeded(words, EDITED, lambda _: EDITED)


@pytest.mark.parametrize(
    ("rest", "left"),
    [("return False", False), ("return `False` then", False), ("return True", True), ("handle zeros", True)],
)
def test_what_stands_in_the_edit_was_heeded(rest: str, left: bool) -> None:
    base = Text.from_bytes(b"def f():\n    return g()\n")
    edited = Text.from_bytes(b"def f():\n    try:\n        return g()\n    except OSError:\n        return False\n")
    words = f"wrap it in try except OSError and {rest}"
    assert bool(unheeded(words, edited, lambda some: edited if some.startswith("wrap") else None, base)) is left


USED = "def load(path):\n    f = open(path)\n    return f.read()\n"
WITH = "def load(path):\n    with open(path) as f:\n        return f.read()\n"
PATHS = "def load(path):\n    f = Path(path).open()\n    return f.read()\n"


@pytest.mark.parametrize(
    ("words", "done", "left"),
    [
        ("make load use with and pathlib", "make load use with", "pathlib"),
        ("make load use pathlib and with", "make load use with", "pathlib"),
        ("use both a with statement and pathlib", "use a with statement", "pathlib"),
        ("could you use with as well as pathlib in load", "could you use with", "pathlib in load"),
    ],
)
def test_of_two_things_to_be_used_the_one_that_the_edit_lacks_is_told(words: str, done: str, left: str) -> None:
    base, edited, other = (Text.from_bytes(each.encode()) for each in (USED, WITH, PATHS))

    def alone(some: str) -> Text | None:
        return other if "pathlib" in some else edited if "with" in some else None

    said = unheeded(words, edited, alone, base)
    assert str(said) == f"that is “{done}” alone, and nothing of it is for “{left}”"
    assert not unheeded(words, PATHS_AND_WITH, alone, base), "both are in it"


@pytest.mark.parametrize("words", ["use with and braces", "using with and care"])
def test_what_may_be_no_other_thing_to_be_used_is_only_doubted(words: str) -> None:
    base, edited = (Text.from_bytes(each.encode()) for each in (USED, WITH))
    said = unheeded(words, edited, lambda some: edited if some.endswith("with") else None, base)
    assert said is not None
    assert not said.certain


def test_where_some_of_it_stands_in_the_edit_it_is_not_certain_that_half_is_undone() -> None:
    base = Text.from_bytes(b"def f(x):\n    if x:\n        return 1\n    else:\n        return 2\n")
    edited = Text.from_bytes(b"def f(x):\n    if x:\n        return 1\n    return 2\n")
    words = "remove the else and return directly"
    only = unheeded(words, edited, lambda some: edited if some == "remove the else" else None, base)
    assert str(only) == "that is what “remove the else” alone comes to; see whether it does “return directly”, too"
    apart = unheeded(words, edited, lambda some: edited if some == "remove the else" else OTHER, base)
    assert str(apart) == "that is “remove the else” alone, and nothing of it is for “return directly”"


def test_it_is_said_beside_the_edit(tmp_path: Path) -> None:
    area = "def area(w, h):\n    return w * h\n"
    comment = ops_script(area, Insert(0, ("    # w by h",)))
    scripts = {"add a comment and handle zeros": comment, "add a comment": comment}
    turn = scripted_session(tmp_path, {"a.py": area}, scripts).begin(
        Request("add a comment and handle zeros", "a.py", symbol="area")
    )
    list(turn.events())
    assert turn.status is Status.OK
    assert "nothing of it is for “handle zeros”" in turn.message
