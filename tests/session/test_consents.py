"""Edits that are only written with a consent of their own."""

from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.editing.hunks import diff
from spark_tui.editing.multi_file import joined
from spark_tui.editing.text import Text
from spark_tui.errors import SparkError
from spark_tui.session.accept import odd_in
from spark_tui.session.turn import Request
from tests.fakes import edit_script, scripted_session
from tests.session.test_session import AREA, FIRST, REQUEST, TWO, _disk, _reviewed, _session, done


def test_a_file_that_needs_a_consent_of_its_own_is_written_only_with_it(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"conftest.py": AREA}, {"do": TWO})
    turn = done(session, Request("do", "conftest.py", symbol="area"))
    first = turn.hunks[0].id
    for hunk_ids in (None, [first]):
        with pytest.raises(
            SparkError, match=r"conftest\.py decides what runs by itself: tests run it; nothing was"
        ):
            session.accept(turn, hunk_ids)
    assert (session.repo.root / "conftest.py").read_text() == AREA
    session.accept(turn, [first], allow=["conftest.py"])
    assert (session.repo.root / "conftest.py").read_text() == FIRST


def test_disguised_text_is_no_part_of_all_but_may_be_accepted_by_itself(tmp_path: Path) -> None:
    after = AREA.replace("h):", "h):  # \u200b").replace("return size", "return size + 0")
    session = _session(tmp_path, {"do": edit_script(AREA, after)})
    turn = done(session)
    with pytest.raises(
        SparkError, match=r"U\+200B ZERO WIDTH SPACE, invisible character \(line 1, column 20\)"
    ):
        session.accept(turn)
    assert _disk(session) == AREA
    session.accept(turn, [turn.hunks[0].id])
    session.accept(turn)
    assert _disk(session) == after


def test_an_edit_of_another_file_than_the_user_named_needs_a_consent(tmp_path: Path) -> None:
    session, turn = _reviewed(tmp_path)
    turn.request = replace(REQUEST, path="b.py")
    with pytest.raises(SparkError, match=r"a\.py is not among the files you named"):
        session.accept(turn)


def test_what_is_odd_is_told_by_the_line_of_its_own_file() -> None:
    before = {"a": Text.from_bytes(b"1\n2\n"), "b": Text.from_bytes(b"x\ny\n")}
    after = {
        "a": Text.from_bytes(b"0\n0\n1\n2\n"),
        "b": Text.from_bytes("x\ny\u202e\n".encode()),
        "c": Text.from_bytes("c\u202e\n".encode()),
    }
    base = joined(before)
    odd = odd_in(base, diff(base, joined(after)))
    assert [each.words[each.words.index("(") :] for each in odd.values()] == [
        "(line 2, column 2)",
        "(line 1, column 2)",
    ]
