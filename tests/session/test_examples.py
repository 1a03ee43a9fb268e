"""What would work, for whoever asked for what does not."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_tui.context.regions import Region
from spark_tui.errors import Abstained, UsageError
from spark_tui.session import examples
from spark_tui.session.events import Status
from spark_tui.session.examples import working_example
from spark_tui.session.turn import Request
from spark_tui.session.wording.length import MOST_CHARACTERS
from tests.fakes import rename_script, scripted_session

READ = "def read(path):\n    file = open(path)\n    text = file.read()\n    file.close()\n    return text\n"
TOTAL = "def total(numbers):\n    result = sum(numbers)\n    return result\n"
LINES = f"{TOTAL}\n\n{READ}".splitlines()
WHOLE = Region("a.py", 1, len(LINES), None, None, "", "file")


def test_an_improvement_that_there_is_an_occasion_for_comes_before_a_docstring() -> None:
    tried: list[str] = []
    assert working_example(LINES, WHOLE, "improve it", lambda example, _: tried.append(example.words)) is None
    assert tried == ["use with in read", "add a docstring to total"]


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [(1, 3, "add a docstring to total"), (7, 8, "use with in read"), (4, 5, "")],
)
def test_it_is_about_the_lines_in_question(first: int, last: int, words: str) -> None:
    here = Region("a.py", first, last, None, None, "", "lines")
    found = working_example(LINES, here, "improve it", lambda example, _: example.kind)
    assert (found.words if found else "") == words


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("give result a nicer name: amount", "rename result to amount in total"),
        ("find a nicer name for result", ""),
        ("name it better", ""),
        ("rename the result in total.py", ""),
        ("the name of result in shop/total.py is poor", ""),
        ("rename @shop/amount.py::result better", ""),
        ("a poor name is result, call it `amount` instead", "rename result to amount in total"),
        ("result should be named amount", "rename result to amount in total"),
        ("shuffle the imports", "remove the unused import re"),
    ],
)
def test_where_names_or_imports_were_asked_for_it_is_about_those_or_there_is_none(asked: str, words: str) -> None:
    lines = ["import re", "import os", "", *TOTAL.splitlines(), "    os.x()"]
    here = Region("a.py", 1, len(lines), None, None, "", "lines")
    found = working_example(lines, here, asked, lambda example, _: example.kind)
    assert (found.words if found else "") == words


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("make total faster", ""),
        ("cache the result", ""),
        ("paint it", ""),
        ("close what is opened", "use with in read"),
        ("explain total", "add a docstring to total"),
        ("validate the path", "raise a ValueError if path is None in read"),
        ("validate it", ""),
    ],
)
def test_it_has_to_do_with_what_was_asked_or_there_is_none(asked: str, words: str) -> None:
    found = working_example(LINES, WHOLE, asked, lambda example, _: example.kind)
    assert (found.words if found else "") == words


def test_words_that_are_answered_with_another_kind_of_edit_are_no_example() -> None:
    assert working_example(LINES, WHOLE, "improve it", lambda *_: "add_return") is None


def test_nothing_is_tried_once_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(count(100.0))
    monkeypatch.setattr(examples, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setattr(examples, "PATIENCE_S", 1.5)
    tried: list[float] = []
    assert working_example(LINES, WHOLE, "improve it", lambda _, due: tried.append(due)) is None
    assert tried == [101.5]


def test_a_turn_without_an_edit_names_words_that_it_has_tried(tmp_path: Path) -> None:
    words = "rename result to amount in total"
    scripts = {words: rename_script(TOTAL, "result", "amount")}
    session = scripted_session(tmp_path, {"a.py": TOTAL}, scripts)
    turn = session.begin(Request("a nicer name is due, result: amount", "a.py"))
    list(turn.events())
    assert turn.status is Status.ABSTAINED
    assert turn.message.endswith(f"; this would work: “{words}”")
    assert session.turn is turn
    again = session.begin(Request(words, "a.py"))
    list(again.events())
    assert again.status is Status.OK


def test_an_example_names_its_place_where_the_user_told_none_and_no_other_file_is_read_for_it(tmp_path: Path) -> None:
    words = "rename result to amount in total"
    scripts = {words: rename_script(TOTAL, "result", "amount")}
    session = scripted_session(tmp_path, {"a.py": TOTAL, "b.py": TOTAL.replace("total", "sums")}, scripts)
    turn = session.begin(Request("a nicer name is due in total, result: amount"))
    (tmp_path / "repo" / "b.py").unlink()
    list(turn.events())
    assert turn.message.endswith(f"; this would work: “{words}” --at a.py::total")


def test_a_question_is_told_so_even_where_no_place_is_clear(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": TOTAL, "b.py": TOTAL}, {})
    with pytest.raises(Abstained, match="spark only edits"):
        session.begin(Request("explain total"))


def test_more_than_can_be_read_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = scripted_session(tmp_path, {"a.py": TOTAL}, {})
    with monkeypatch.context() as patched:
        for reader in ("session.corrected", "mentions.find_region"):
            patched.setattr(f"spark_tui.session.{reader}", pytest.fail)
        for begin in (session.begin, session.mentions.find):
            with pytest.raises(UsageError, match="10,001 characters and at most 10,000"):
                begin(Request("x" * (MOST_CHARACTERS + 1)))
    turn = session.begin(Request("rename t to total"))
    with pytest.raises(UsageError, match="10,001 characters and at most 10,000"):
        session.redirect(turn, "x" * (MOST_CHARACTERS + 1))
