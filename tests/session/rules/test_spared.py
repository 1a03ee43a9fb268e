"""An edit that leaves what was to be removed by its name, and takes something else, is found out."""

from pathlib import Path

import pytest

from spark_tui.context.regions import Region
from spark_tui.editing.script import Delete
from spark_tui.session.events import Status
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.spared import spared
from spark_tui.session.turn import Request
from tests.fakes import ops_script, scripted_session

FILE = """import os
import sys

def here(path, depth):
    start = os.getcwd()
    other = start + path
    return start

def away():
    return 1
"""


def without(line: int) -> list[str]:
    lines = FILE.splitlines()
    return [*lines[: line - 1], *lines[line:]]


def said(words: str, after: list[str]) -> str:
    lines = FILE.splitlines()
    region = Region("a.py", 1, len(lines), None, None, "", "file")
    return spared(words, Code(words, "a.py:1-10", region, lines, lines), after)


@pytest.mark.parametrize(
    ("words", "line", "why"),
    [
        ("remove the import os", 2, "os is used, in line 5 of a.py"),
        ("remove the import sys", 1, "the edit that was found leaves sys as it is"),
        ("remove os", 2, "os is used"),
        ("remove os", 5, "os is used"),
        ("remove the unused variable start", 6, "start is used, in line 6 of a.py"),
        ("remove the start variable", 6, "start is used"),
        ("remove the unused parameter path", 2, "path is used"),
        ("delete the function away", 2, "the edit that was found leaves away as it is"),
    ],
)
def test_what_is_named_and_stays_is_told_with_the_reason(words: str, line: int, why: str) -> None:
    assert said(words, without(line)).startswith(why)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("remove the import sys", 2),
        ("remove sys", 2),
        ("remove the unused variable other", 6),
        ("remove the unused import", 2),
        ("remove the variable start from the sum", 6),
        ("remove the variable nothing", 6),
        ("remove the last line of here", 7),
        ("simplify start", 6),
    ],
)
def test_an_edit_that_touches_what_is_named_or_where_nothing_is_is_let_be(words: str, line: int) -> None:
    assert said(words, without(line)) == ""


def test_an_edit_that_renames_nothing_is_no_renaming() -> None:
    lines = FILE.splitlines()
    words = "rename start to sum in here"
    assert "does not rename start to sum" in said(words, [*lines[:4], "    start = sum(())", *lines[5:]])
    assert said(words, FILE.replace("start", "sum").splitlines()) == ""
    assert said("rename os to sum", without(2)) == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("for `deep`: remove the second import", "there is no deep in a.py"),
        ("switch the name of `fetch()` to `here`", "there is no fetch in a.py"),
        ("in `away` remove the second import", ""),  # beside the edited lines
        ("remove the `sys` import", ""),  # gone with the edit
        ("remove the second import, no `else` needs it", ""),
        ("for deep: remove the second import", ""),  # perhaps a word
    ],
)
def test_a_name_in_backticks_that_stands_nowhere_is_told(words: str, why: str) -> None:
    assert said(words, without(2)) == why


def test_a_name_in_backticks_may_come_with_the_edit() -> None:
    assert said("add `depth_first` there", [*FILE.splitlines(), "depth_first = 1"]) == ""


def test_an_edit_that_removes_something_else_is_not_offered(tmp_path: Path) -> None:
    script = ops_script(FILE, Delete(2, 2))
    words = "remove the unused variable start"
    turn = scripted_session(tmp_path, {"a.py": FILE}, {words: script}).begin(Request(words, "a.py"))
    for _ in turn.events():
        pass
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())
    assert turn.message.startswith("start is used, in line 6 of a.py")
