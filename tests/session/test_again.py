"""One hunk asked for again with other words: the others, with all that was done to them, are
those of before.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_tui.editing.hunks import Hunk
from spark_tui.errors import UsageError
from spark_tui.session.events import Checked, Status
from spark_tui.session.file_review import EARLIER
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import edit_script, ended, proposed, rename_script, scripted_session

LINES = [f"    x{number} = {number}" for number in range(7)]
F = "\n".join(["def f():", *LINES, "    return x0", ""])
THREE = F.replace("= 0", "= 10").replace("= 3", "= 13").replace("= 6", "= 16")
OTHER = F.replace("= 0", "= 20").replace("= 3", "= 23").replace("= 6", "= 26")
SCRIPTS = {
    "do": edit_script(F, THREE),
    "do, higher": edit_script(F, OTHER),
    "do, the same": edit_script(F, THREE),
    "do, elsewhere": edit_script(F, F.replace("= 0", "= 20")),
    "do, unknown": edit_script(F, F.replace("= 3", "= unknown")),
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return scripted_session(tmp_path, {"a.py": F}, SCRIPTS)


def done(session: Session) -> Any:
    turn: Any = ended(session.begin(Request("do", "a.py", symbol="f")))
    assert len(turn.hunks) == 3
    return turn


def again(session: Session, turn: Turn, hunk: Hunk, words: str) -> Any:
    other: Any = ended(session.ask_again(turn, hunk.id, words))
    return other


def test_only_the_hunk_that_was_asked_for_is_another_one(session: Session) -> None:
    turn = done(session)
    first, second, third = turn.hunks
    turn.file.edit(first.id, ["    x0 = mine"])
    turn.file.toggle(third.id, 1)
    other: Any = again(session, turn, second, "do, higher")
    assert other.status is Status.OK
    assert proposed(other) == THREE.replace("= 10", "= mine").replace("= 13", "= 23")
    assert [part for part in other.parts if part.hunk.start != second.start] == [
        turn.parts[0],
        turn.parts[2],
    ]
    assert proposed(turn) == THREE.replace("= 10", "= mine"), (
        "the earlier one can still be gone back to"
    )


def test_what_was_decided_holds_and_can_be_gone_on_from(session: Session) -> None:
    turn = done(session)
    first, second, third = turn.hunks
    session.accept(turn, [first.id])
    session.reject(turn, [third.id])
    other: Any = again(session, turn, second, "do, higher")
    assert [(hunk.old_lines, hunk.new_lines) for hunk in other.hunks] == [
        (("    x3 = 3",), ("    x3 = 23",))
    ]
    session.accept(other)
    session.undo()
    session.undo()
    file = session.repo.root / "a.py"
    assert file.read_text() == F
    assert proposed(other) == F.replace("= 0", "= 10").replace("= 3", "= 23")
    session.accept(other)
    assert file.read_text() == proposed(other)


@pytest.mark.parametrize(
    ("words", "said"),
    [("do, the same", "comes out the same"), ("do, elsewhere", "nothing changes in this hunk")],
)
def test_an_answer_that_says_nothing_new_there_is_none(
    session: Session, words: str, said: str
) -> None:
    turn = done(session)
    other: Any = again(session, turn, turn.hunks[1], words)
    assert other.status is Status.ABSTAINED
    assert said in other.message


def test_the_answer_of_before_is_no_answer_to_other_words(session: Session) -> None:
    turn = done(session)
    second = turn.hunks[1]
    turn.file.edit(second.id, ["    x3 = mine"])
    other: Any = again(session, turn, turn.hunks[1], "do, the same")
    assert other.status is Status.ABSTAINED
    assert "comes out as it was at first" in other.message
    assert "x3 = mine" in proposed(turn), "the earlier one can still be gone back to"


def test_a_hunk_is_asked_for_again_with_the_words_it_came_of(session: Session) -> None:
    turn = done(session)
    other: Any = again(session, turn, turn.hunks[1], "do, higher")
    more = again(session, other, other.hunks[0], "do, elsewhere")
    words = [more.words_for(hunk.old_lines, hunk.new_lines) for hunk in more.hunks]
    assert words == ["do, elsewhere", "do, higher", "do"]


def test_a_hunk_that_is_no_longer_open_cannot_be_asked_for(session: Session) -> None:
    turn = done(session)
    gone = turn.hunks[1].id
    session.reject(turn, [gone])
    with pytest.raises(UsageError, match="not open"):
        session.ask_again(turn, gone, "do, higher")
    assert session.turn is turn


def test_an_answer_that_is_the_same_is_told_whatever_else_is_wrong_with_it(
    session: Session,
) -> None:
    turn = done(session)
    second = turn.hunks[1]
    failed = again(session, turn, second, "do, unknown")
    assert failed.message.startswith("no edit offered: undefined: unknown")
    turn.file.edit(second.id, ["    x3 = unknown"])
    same = again(session, turn, turn.hunks[1], "do, unknown")
    assert same.message == "the hunk comes out the same; say what should be different"


def test_until_the_end_nothing_of_it_can_be_accepted_and_only_what_is_new_is_checked(
    session: Session,
) -> None:
    turn = done(session)
    other: Any = session.ask_again(turn, turn.hunks[1].id, "do, higher")
    checked = set()
    for event in other.events():
        assert not other.closed_hunks or other.status is Status.OK
        if isinstance(event, Checked):
            checked.add(event.hunk_id)
    assert checked == {None, other.hunks[1].id}
    assert other.closed_hunks == other.hunks


def test_what_was_done_last_and_wrote_nothing_is_taken_back_first(session: Session) -> None:
    turn = done(session)
    whole = proposed(turn)
    first, second, third = turn.hunks
    turn.file.renew(second.id, turn.base.replace_lines(4, 5, ["    x3 = 5"]))
    assert proposed(turn) == whole.replace("= 13", "= 5")
    session.reject(turn, [first.id])
    turn.file.edit(third.id, ["    x6 = mine"])
    turn.file.toggle(third.id, 0)
    words = [turn.file.step_back() for _ in range(5)]
    assert [bool(each) for each in words] == [True] * 4 + [False]
    assert words[3] == EARLIER
    assert (proposed(turn), turn.hunks) == (whole, (first, second, third))


def test_with_its_own_answer_back_after_another_one_nothing_was_done_to_it(
    session: Session,
) -> None:
    turn = done(session)
    other: Any = again(session, turn, turn.hunks[1], "do, higher")
    shown = replace(other.variations[0], file=turn.base.replace_lines(4, 5, ["    x3 = 5"]))
    assert other.show(shown)
    assert other.file.as_written
    for step_again, value in ((False, "23"), (True, "5"), (False, "23")):
        assert other.file.step_back(again=step_again)
        assert f"    x3 = {value}\n" in proposed(other)
        assert other.file.as_written, "so that u leads back to the turn before"
    other.file.edit(other.hunks[1].id, ["    x3 = mine"])
    assert not other.file.step_back(again=True)
    assert other.file.step_back()
    assert other.file.as_written


def test_what_is_said_of_it_is_true_of_it_together_with_the_hunks_that_stay(tmp_path: Path) -> None:
    code = "\n".join(["def f():", "    d = 1", *LINES, "    return d", ""])
    scripts = {"do": rename_script("d", "acc"), "do, grand": rename_script("d", "grand")}
    session = scripted_session(tmp_path, {"a.py": code}, scripts)
    turn: Any = ended(session.begin(Request("do", "a.py", symbol="f")))
    assert [check.ok for check in turn.checks] == [True] * 3
    other: Any = again(session, turn, turn.hunks[0], "do, grand")
    for shows_again in (False, True):
        if shows_again:
            other.show(other.variations[0])
        assert [check.name for check in other.checks if not check.ok] == ["names"]
        assert "2 hunks" in other.message
        assert "undefined: acc" in other.message
