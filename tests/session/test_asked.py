"""What is said of an accept, in the journal and to whoever commits it: those of the words that it does."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from spark_tui.editing.format import Piece
from spark_tui.editing.script import Insert
from spark_tui.session.branching import with_words
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.wording import steps
from spark_tui.session.wording.steps import with_name_taken
from tests.fakes import edit_script, git, ops_script, rename_script, scripted_session

AREA = "def area(w, h):\n    x = w * h\n    print(x)\n    if not w:\n        return 0\n    return h * w\n"
RENAMED = AREA.replace("x", "total")
BOTH = "rename x to total and add a comment"
THREE = "rename x to total, add a comment and remove the print"
COMMENTED = RENAMED.replace("    return h", "    # done\n    return h")
SCRIPTS: dict[str, tuple[Piece, ...] | None] = {
    "rename x to total": rename_script(AREA, "x", "total"),
    "add a comment": ops_script(RENAMED, Insert(4, ("    # done",))),
    "add a docstring": ops_script(RENAMED, Insert(0, ('    """The area."""',))),
    "remove the print": edit_script(COMMENTED, COMMENTED.replace("    print(total)\n", "")),
    "say h instead": edit_script(AREA, AREA.replace("print(x)", "print(h)")),
}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = scripted_session(tmp_path, {"a.py": AREA}, SCRIPTS)
    git(session.repo.root, "config", "user.name", "Somebody")
    git(session.repo.root, "config", "user.email", "somebody@example.org")
    return session


def done(session: Session, words: str) -> Turn:
    turn = session.begin(Request(words, "a.py", symbol="area"))
    list(turn.events())
    assert turn.hunks
    return turn


def offered(session: Session) -> str:
    return session.staging.offer().message


@pytest.mark.parametrize(("which", "told"), [(0, "Rename x to total in a.py"), (1, "Add a comment in a.py")])
def test_of_several_steps_those_are_told_whose_hunks_were_accepted(session: Session, which: int, told: str) -> None:
    turn = done(session, BOTH)
    entry = session.accept(turn, [turn.hunks[which].id])
    session.reject(turn, [turn.hunks[0].id])
    assert offered(session) == told
    assert f"{entry.description[:1].upper()}{entry.description[1:]} in a.py" == told


def test_steps_that_are_accepted_one_by_one_are_told_as_they_were_asked_for(session: Session) -> None:
    turn = done(session, BOTH)
    for hunk in turn.hunks:
        session.accept(turn, [hunk.id])
    assert offered(session) == "Rename x to total and add a comment in a.py"
    session.undo()
    assert offered(session) == "Rename x to total in a.py"
    session.redo()
    assert offered(session) == "Rename x to total and add a comment in a.py"


def test_two_steps_of_three_are_told_in_their_order(session: Session) -> None:
    turn = done(session, THREE)
    assert len(turn.hunks) == 2
    session.accept(turn, [turn.hunks[1].id])
    assert offered(session) == "Add a comment in a.py"
    session.accept(turn, [turn.hunks[0].id])
    assert offered(session) == "Rename x to total, add a comment and remove the print in a.py"


@pytest.mark.parametrize(("which", "told"), [(0, "Add a docstring in a.py"), (1, "Rename x to total in a.py")])
def test_steps_side_by_side_are_told_apart_once_their_hunk_is_cut(session: Session, which: int, told: str) -> None:
    turn = done(session, "rename x to total and add a docstring")
    turn.split(turn.hunks[0].id)
    session.accept(turn, [turn.parts[which].hunk.id])
    assert offered(session) == told


def test_a_step_whose_lines_were_taken_out_is_not_told(session: Session) -> None:
    turn = done(session, "rename x to total and add a docstring")
    hunk = turn.hunks[0]
    turn.toggle(hunk.id, len(hunk.old) + hunk.new_lines.index('    """The area."""'))
    session.accept(turn, [hunk.id])
    assert offered(session) == "Rename x to total in a.py"


def test_what_was_accepted_above_and_below_does_not_shift_the_steps(session: Session) -> None:
    turn = done(session, BOTH)
    session.accept(turn, [turn.hunks[0].id])
    session.staging.commit("first")
    session.accept(turn, [turn.hunks[0].id])
    assert offered(session) == "Add a comment in a.py"


def test_a_branch_that_took_another_name_is_told_with_it(session: Session) -> None:
    turn = done(session, "rename x to total")
    at = next(index for index in range(len(turn.tape)) if "".join(turn.tape.parser(index).texts[-1:]).endswith("total"))
    branch = session.branch(turn, with_words(turn, at, "ity"), at)
    list(branch.events())
    session.accept(branch)
    assert "totality = w" in session.repo.read("a.py").decode()
    assert offered(session) == "Rename x to totality in a.py"


def test_the_step_of_a_branch_is_told_with_the_name_that_it_took(session: Session) -> None:
    turn = done(session, BOTH)
    at = next(index for index in range(len(turn.tape)) if "".join(turn.tape.parser(index).texts[-1:]).endswith("total"))
    branch = session.branch(turn, with_words(turn, at, "ity"), at)
    list(branch.events())
    assert "totality = w" in branch.review.proposed.to_bytes().decode()
    assert branch.hunks
    session.accept(branch)
    assert offered(session) == "Rename x to totality and add a comment in a.py"


def test_a_name_that_the_user_wrote_is_told(session: Session) -> None:
    turn = done(session, "rename x to total")
    hunk = turn.hunks[0]
    turn.edit(hunk.id, [line.replace("total", "size") for line in hunk.new_lines])
    session.accept(turn, [turn.hunks[0].id])
    assert offered(session) == "Rename x to size in a.py"


def test_a_hunk_that_was_asked_for_again_is_told_by_those_words(session: Session) -> None:
    turn = done(session, BOTH)
    other = session.ask_again(turn, turn.hunks[0].id, "say h instead")
    list(other.events())
    session.accept(other, [other.hunks[1].id])
    assert offered(session) == "Rename x to total and add a comment in a.py"
    session.accept(other, [other.hunks[0].id])
    assert "Say h instead" in offered(session)


@pytest.mark.parametrize(
    ("words", "before", "after", "told"),
    [
        ("rename x to total", "x = x", "total = total", "rename x to total"),
        ("rename x to total", "x = x", "size = size", "rename x to size"),
        ("please rename x to `total` in area", "x = x", "size = size", "please rename x to `size` in area"),
        ("rename the result to total", "x = x\nx", "size = x\nx", "rename the result to size"),
        ("rename x to total\nsize", "x = x", "size = size", "rename x to size"),
        ("rename x to total\nto `size` instead", "x = x", "size = size", "rename x to size"),
        ("rename x to total\nin size", "x = x", "size = size", "rename x to size\nin size"),
        ("call x total", "x = x", "size = size", "call x total"),
        ("change x to y there", "f(x)", "f(z)", "change x to z there"),
        ("convert it to list", "f(x)", "f(z)", "convert it to list"),
        ("rename x to total", "x = x", "total = x + size", "rename x to total"),
    ],
)
def test_a_renaming_is_told_with_the_name_that_was_taken(words: str, before: str, after: str, told: str) -> None:
    assert with_name_taken(words, before.splitlines(), after.splitlines()) == told


def test_for_that_name_only_lines_that_change_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a file of megabytes would hold up the screen."""
    read, names = list[str](), steps._names

    def noted(lines: Iterable[str]) -> Counter[str]:
        read.extend(kept := list(lines))
        return names(kept)

    monkeypatch.setattr(steps, "_names", noted)
    lines = [f"x{number} = x + 1" for number in range(100)]
    told = with_name_taken("rename x7 to y", lines, ["z = x + 1" if at == 7 else line for at, line in enumerate(lines)])
    assert (told, read) == ("rename x7 to z", ["x7 = x + 1", "z = x + 1"])
