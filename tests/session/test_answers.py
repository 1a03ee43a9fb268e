"""What is said when there is no edit: what was understood, and what is missing."""

from types import SimpleNamespace
from typing import Any

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.answers import Asked, not_everywhere, not_understood, nothing_changed, unsure

LINES = ("def area(w, h):", "    return w * h")


def _asked(words: str, found_by: str = "symbol") -> Asked:
    return Asked(words, Region("a.py", 1, 2, "area", None, "", found_by), LINES)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename w", "rename w to what?"),
        ("rename depth to d", "there is no depth in a.py:1-2 (area)"),
        ("rename the variable `depth` to d", "there is no depth"),
        ("make it better", "say what to change"),
        ("fix this", "say what to change"),
        ("rename", "rename what?"),
        ("please sort", "sort what?"),
        ("clean up", "say what to change"),
        ("delete", "say what is to go"),
        ("remove it all", "say what is to go"),
        ("delete this file", "say what is to go"),
        ("fix the bug", "say what to change, as in “return None if it is empty”, or what is wrong"),
        ("把 x 重命名为 total", "say it in English"),
        ("frobnicate the area", "what does it mean to frobnicate something"),
        ("rename w to width", "say it in other words"),
    ],
)
def test_it_says_what_is_missing(words: str, said: str) -> None:
    assert said in not_understood(_asked(words))


@pytest.mark.parametrize(
    ("found_by", "told"), [("lines", False), ("symbol", False), ("name", False), ("words", True), ("file", True)]
)
def test_the_option_for_a_place_is_named_only_where_no_place_was(found_by: str, told: bool) -> None:
    assert ("--at" in not_understood(_asked("frobnicate", found_by))) is told


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        ("rename w to width", "rename", True),
        ("add a doc string", "add_docstring", False),
        ("add docs", "add_docstring", False),
        ("add a docstring", "add_docstring", True),
        ("speed it up", "use_enumerate", False),
    ],
)
def test_a_kind_of_edit_is_named_only_to_who_spoke_of_it(words: str, kind: str, told: bool) -> None:
    name = kind.replace("_", " ")
    assert (name in unsure(kind, _asked(words), ())) is told
    assert (name in nothing_changed(kind, _asked(words))) is told


def test_words_that_do_not_go_with_an_edit_are_quoted_as_what_the_user_said() -> None:
    said = unsure("rename", _asked("rename w as summed up"), ["summed", "up"])
    assert "(words that do not go with that: “summed”, “up”)" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rename row in csv.load", "rename row to what? Say the new name"),
        ("rename row in", "rename it to what? Say the new name"),
        ("better name for tmp please", "rename tmp to what? Say the new name"),
        ("tmp is an awful name", "rename tmp to what? Say the new name"),
        ("don't shadow sum", "rename sum to what? Say the new name"),
        ("rename this function", "rename it to what? Say the new name"),
        ("call it total", "say by its name what is to be called total"),
    ],
)
def test_which_name_is_missing_in_a_renaming_is_said(words: str, said: str) -> None:
    lines = ("def count(rows):", "    return sum(rows)")
    asked = Asked(words, Region("a.py", 1, 2, "count", None, "", "symbol"), lines, lines)
    assert asked.missing == said
    assert asked.explained


@pytest.mark.parametrize("words", ["==", "12345", " ... "])
def test_a_sign_or_a_number_alone_needs_a_line(words: str) -> None:
    assert "where?" in _asked(words).untold
    assert not _asked(words, "lines").untold


@pytest.mark.parametrize("words", ["rename to extent", "area shadows a builtin, rename it", "list() -> []", "sort w"])
def test_what_says_enough_for_an_edit_that_was_found_is_not_taken_back(words: str) -> None:
    assert not _asked(words).untold


@pytest.mark.parametrize("words", ["add a docstring but don't rename anything", "sort it, do not rename w"])
def test_no_new_name_is_asked_for_where_nothing_is_to_be_renamed(words: str) -> None:
    assert not _asked(words).untold
    assert "to what?" not in _asked(words).missing


def test_what_the_code_has_against_a_wish_is_told_rather_than_that_its_words_say_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spark_tui.session.answers.nonsense", lambda *_: "")
    monkeypatch.setattr("spark_tui.session.answers.unspoken", lambda *_: "what is to be done here?")
    edit: Any = SimpleNamespace(closed_lines=LINES, kind="rename")
    lines = ("def area(w, h):", "    size = w * h", "    return size")
    taken = Asked("rename size to w", Region("a.py", 1, 3, "area", None, "", "symbol"), lines, lines)
    assert taken.nonsense(edit, 0.5, ()) == "w is a name in a.py:1-3 (area) already; say another one"
    assert _asked("rename w to width").nonsense(edit, 0.5, ()) == "what is to be done here?"


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("rename area to size everywhere", "area also in line 7 of a.py; area also in: b.py"),
        ("rename area to size in the whole file", "area also in line 7 of a.py"),
        ("rename area to size", ""),
        ("rename area to size everywhere in this function", ""),
        ("it is called size everywhere else, rename area to that", ""),
    ],
)
def test_a_renaming_wanted_everywhere_is_not_done_where_uses_would_stay(words: str, left: str) -> None:
    note = "area also in line 7 of a.py: not changed; area also in: b.py: not changed"
    told = not_everywhere("rename", _asked(words), lambda: note)
    assert told.startswith(f"not renamed, as this would stay: {left}; leave out “") if left else not told
    assert not not_everywhere("rename", _asked(words), str)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("add a return type", True),
        ("add a return type to load", True),
        ("annotate the return type of `load()`", True),
        ("add a return type to save", False),
        ("add a return type of str to load", False),
    ],
)
def test_which_type_is_missing_is_said_also_where_the_function_is_named(words: str, told: bool) -> None:
    region = Region("a.py", 1, 2, "load", None, "", "name")
    asked = Asked(words, region, ["def load(path):", "    return read(path)"])
    assert ("nothing here tells what load returns; say it" in asked.obstacle) is told
