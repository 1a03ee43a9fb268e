"""What is edited, and what not, in a file in which a merge left conflicts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spark_tui.editing.checks import run_checks
from spark_tui.editing.conflicts import torn
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, UsageError
from spark_tui.session.events import Status
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import ended, proposed, rename_script, scripted_session
from tests.vcs.repos import unmerge

CONFLICT = "<<<<<<< HEAD\n    {ours}\n=======\n    {theirs}\n>>>>>>> side\n"
TORN = (
    "def area(w, h):\n    size = w + h\n"
    + CONFLICT.format(ours="size += 1", theirs="size += 2")
    + "    return size\n\n\ndef show(d):\n    e = d\n    print(area(d, e))\n\n\ndef "
    "alone(x):\n    return x\n"
)
SIDES = (
    "<<<<<<< HEAD\ndef f(a):\n    x = a\n=======\ndef g(a):\n    x = 2 * a\n>>>>>>> side\n "
    "   return x\n"
)


def _turn(folder: Path, file: str, old: str, new: str, symbol: str) -> Turn:
    session = scripted_session(folder, {"a.py": file}, {"do": rename_script(old, new)})
    return ended(session.begin(Request("do", "a.py", symbol=symbol)))


@pytest.mark.parametrize(
    ("file", "symbol", "where"), [(TORN, "area", "3-7"), (SIDES, "f", "1-7"), (SIDES, "g", "1-7")]
)
def test_a_function_that_a_conflict_is_part_of_is_not_edited_and_what_to_do_is_told(
    tmp_path: Path, file: str, symbol: str, where: str
) -> None:
    """Also where its lines up to the first marker would parse: a renaming would end there."""
    with pytest.raises(
        Abstained,
        match=rf"{symbol} has a merge conflict \(a\.py:{where}\); resolve it first: /keep ours",
    ):
        _turn(tmp_path, file, "size", "amount", symbol)


def test_a_function_beside_a_conflict_is_edited(tmp_path: Path) -> None:
    turn = _turn(tmp_path, TORN, "e", "other", "show")
    assert turn.status is Status.OK
    assert proposed(turn) == TORN.replace("e = d", "other = d").replace("d, e", "d, other")


def test_a_name_that_others_use_is_not_renamed_where_they_cannot_be_changed_with_it(
    tmp_path: Path,
) -> None:
    file = TORN + "\n\nprint(alone(1))\n"
    turn = _turn(tmp_path, file, "alone", "lonely", "alone")
    assert turn.status is Status.ABSTAINED
    assert (
        "alone is also in line 20, which cannot be changed with it while the file does not parse"
        in turn.message
    )
    turn = _turn(tmp_path / "other", TORN, "alone", "lonely", "alone")
    assert turn.status is Status.OK


def test_markers_in_a_text_of_a_file_that_parses_are_no_conflict(tmp_path: Path) -> None:
    file = f'SAMPLE = """\n{SIDES}"""\n\n\ndef alone(x):\n    return x\n'
    turn = _turn(tmp_path, file, "x", "y", "alone")
    assert turn.status is Status.OK


def keep(side: str, **where: Any) -> Request:
    """What a command asks for."""
    return Request(f"keep {side}", keep=side, **where)


def _settled(
    folder: Path, side: str, files: Mapping[str, str], **where: Any
) -> tuple[Session, Turn]:
    session = scripted_session(folder, dict(files), {})
    turn = ended(session.begin(keep(side, **where)))
    return session, turn


@pytest.mark.parametrize(
    ("side", "kept"),
    [
        ("ours", "    size += 1\n"),
        ("theirs", "    size += 2\n"),
        ("both", "    size += 1\n    size += 2\n"),
    ],
)
def test_the_side_that_is_told_stays_and_all_else_of_the_file_too(
    tmp_path: Path, side: str, kept: str
) -> None:
    conflict = CONFLICT.format(ours="size += 1", theirs="size += 2")
    session, turn = _settled(tmp_path, side, {"a.py": TORN.replace("\n", "\r\n")})
    assert turn.status is Status.OK
    session.accept(turn)
    assert session.repo.read("a.py").decode() == TORN.replace(conflict, kept).replace("\n", "\r\n")
    session.undo()
    assert session.repo.read("a.py").decode() == TORN.replace("\n", "\r\n")


def test_a_file_that_is_no_python_is_settled_too(tmp_path: Path) -> None:
    session, turn = _settled(tmp_path, "theirs", {"a.md": f"# A\n{CONFLICT}", "b.py": "x = 1\n"})
    session.accept(turn)
    assert session.repo.read("a.md") == b"# A\n    {theirs}\n"


def test_of_a_conflict_all_is_accepted_or_rejected(tmp_path: Path) -> None:
    two = TORN + "\n\ndef last():\n" + CONFLICT.format(ours="return 1", theirs="return 2")
    session, turn = _settled(tmp_path, "ours", {"a.py": two})
    assert len(turn.hunks) == 4
    session.accept(turn, [turn.hunks[1].id])
    assert "size += 2" not in session.repo.read("a.py").decode()
    assert session.repo.read("a.py").decode().count("<<<<<<<") == len(turn.hunks) / 2 == 1
    session.reject(turn, [turn.hunks[0].id])
    assert not turn.parts
    assert "    return 2\n>>>>>>> side\n" in session.repo.read("a.py").decode()


def test_what_leaves_half_a_conflict_does_not_pass() -> None:
    base = Text.from_bytes(TORN.encode(), "a.py")
    (found,) = torn(base.lines)
    half = base.replace_lines(found.start, found.start + 1, ())
    *_, check = run_checks(base, half, "a.py")
    assert (check.name, check.ok, check.detail) == (
        "conflict",
        False,
        "half of it is left, with the marker in line 6",
    )


def test_what_is_not_settled_and_what_is_wrong_then_is_said(tmp_path: Path) -> None:
    two = TORN + "\n\ndef last():\n" + CONFLICT.format(ours="return 1", theirs="return 2")
    _, turn = _settled(tmp_path / "one", "ours", {"a.py": two}, path="a.py", symbol="area")
    assert "a.py has 1 more, from line 17" in turn.message
    odd = "def f(a):\n" + CONFLICT.format(ours="if a:", theirs="return a")
    _, turn = _settled(tmp_path / "two", "ours", {"a.py": odd})
    assert "a.py does not parse with it (line 2" in turn.message


def test_what_git_is_to_be_told_then_is_said(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": TORN}, {})
    (session.repo.git_dir / "rebase-merge").mkdir()
    turn = ended(session.begin(keep("theirs")))
    assert "theirs is side, in a rebase your own commit" in turn.message
    assert "git add" not in turn.message, "git does not wait to be told"
    unmerge(session.repo.root, "a.py")
    turn = ended(session.begin(keep("theirs")))
    assert turn.message.endswith(
        "; then `git add a.py` tells git, and `git status` how to finish the rebase"
    )


def test_a_side_is_kept_even_if_git_does_not_say_what_it_is_to_be_told_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = scripted_session(tmp_path, {"a.py": TORN}, {})
    unmerge(session.repo.root, "a.py")
    monkeypatch.setattr("spark_tui.vcs.repository._MOST_UNDERWAY_SECONDS", 0.0)
    turn = ended(session.begin(keep("ours", path="a.py")))
    assert (turn.status, len(turn.hunks)) == (Status.OK, 2)


def test_files_that_git_knows_to_be_unmerged_come_before_those_that_merely_show_markers(
    tmp_path: Path,
) -> None:
    session = scripted_session(tmp_path, {"a.py": TORN, "sample.md": CONFLICT}, {})
    with pytest.raises(UsageError, match=r"conflicts in a\.py, sample\.md"):
        session.begin(keep("ours"))
    unmerge(session.repo.root, "a.py")
    assert session.begin(keep("ours")).region.path == "a.py"


def test_a_file_named_besides_decides_among_several_with_conflicts(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": TORN, "sample.md": CONFLICT}, {})
    assert session.begin(keep("ours", among=("sample.md",))).region.path == "sample.md"
    with pytest.raises(UsageError, match=r"conflicts in a\.py, sample\.md"):
        session.begin(keep("ours", among=("a.py", "sample.md")))


def test_a_command_is_run_on_what_is_settled(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": TORN}, {})
    turn = ended(session.begin(keep("ours"), command=session.command("grep -q 'size += 2' a.py")))
    assert (turn.status, turn.hunks) == (Status.ABSTAINED, ())


def test_a_file_that_git_does_not_know_yet_is_settled_too(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": "x = 1\n"}, {})
    (session.repo.root / "new.py").write_text(TORN)
    turn = ended(session.begin(keep("ours")))
    assert (turn.region.path, turn.status) == ("new.py", Status.OK)


def test_words_behind_a_side_that_was_told_are_no_other_side(tmp_path: Path) -> None:
    session, turn = _settled(tmp_path, "ours", {"a.py": TORN})
    with pytest.raises(UsageError, match="for another side of a conflict use /keep"):
        session.ask_again(turn, turn.hunks[0].id, "shorter")
    with pytest.raises(Abstained, match="has a merge conflict"):
        session.redirect(turn, "shorter")
    assert session.turn is turn
