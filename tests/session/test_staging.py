"""What a session accepted, on its way into git."""

from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.errors import UsageError
from spark_tui.session.session import Session
from spark_tui.session.staging import offered_message
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from tests.fakes import edit_script, git, scripted_session
from tests.session.test_session import AREA, BOTH, FIRST, REQUEST, TWO, done
from tests.vcs.repos import name_somebody

SCRIPTS = {"do": TWO, "the rest": edit_script(FIRST, BOTH)}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = scripted_session(tmp_path, {"a.py": AREA, "b.py": "x = 1\n"}, SCRIPTS)
    name_somebody(session.repo.root)
    return session


def shown(session: Session, name: str) -> str:
    return git(session.repo.root, "show", name).decode()


def begun(session: Session) -> Turn:
    """A turn whose first hunk is accepted."""
    turn = done(session)
    session.accept(turn, [turn.hunks[0].id])
    return turn


def test_only_what_was_accepted_is_staged_and_committed(session: Session) -> None:
    turn = begun(session)
    assert session.staging.stage() == ("a.py",)
    assert shown(session, ":a.py") == FIRST
    assert session.staging.stage() == ()
    session.accept(turn)
    assert session.staging.paths == ("a.py",)
    made = session.staging.commit(session.staging.offered_message())
    assert shown(session, "HEAD:a.py") == shown(session, ":a.py") == BOTH
    assert (
        git(session.repo.root, "log", "-1", "--format=%H %s").decode() == f"{made.id} Do in a.py\n"
    )
    assert session.staging.waiting == ()


def test_one_accept_among_several_can_be_staged(session: Session) -> None:
    turn = begun(session)
    last = session.accept(turn)
    session.staging.stage([last.id])
    assert shown(session, ":a.py") == AREA.replace("return size", "return size + 0")


def test_undo_takes_what_was_staged_out_again_step_by_step(session: Session) -> None:
    turn = begun(session)
    session.accept(turn)
    session.staging.stage()
    assert shown(session, ":a.py") == BOTH
    session.undo()
    assert shown(session, ":a.py") == FIRST
    session.undo()
    assert shown(session, ":a.py") == AREA
    assert session.take_notices() == []


def test_undo_of_a_step_below_another_leaves_the_index_and_says_so(session: Session) -> None:
    turn = done(session)
    first = session.accept(turn, [turn.hunks[0].id])
    session.accept(turn)
    session.staging.stage()
    session.undo(first.id)
    assert shown(session, ":a.py") == BOTH
    assert session.take_notices() == [
        "git's index still holds this edit of a.py; `git diff --staged` shows it"
    ]


def test_undo_of_what_was_committed_says_that_the_branch_has_it_and_not_that_the_index_does(
    session: Session,
) -> None:
    path = session.repo.root / "a.py"
    path.write_text("x = 0\n\n\n" + AREA)
    git(session.repo.root, "commit", "-aqm", "More")
    path.write_text("x = 1\n\n\n" + AREA)
    git(session.repo.root, "add", "a.py")
    session.accept(done(session))
    session.staging.commit("Do")
    session.take_notices()
    session.undo()
    assert session.take_notices() == [
        "git's branch still has this edit of a.py; `git diff` shows what you took back"
    ]


def test_what_was_undone_does_not_wait_and_what_was_redone_does(session: Session) -> None:
    turn = begun(session)
    second = session.accept(turn)
    session.undo()
    assert len(session.staging.waiting) == 1
    session.redo()
    assert [batch.entry.subject for batch in session.staging.waiting][1:] == [second.id]
    session.staging.commit("both")
    assert shown(session, "HEAD:a.py") == BOTH
    assert git(session.repo.root, "status", "--porcelain") == b""


def test_nothing_accepted_is_nothing_to_stage_or_commit(session: Session) -> None:
    assert (session.staging.paths, session.staging.offered_message()) == ((), "")
    with pytest.raises(UsageError, match="nothing to stage"):
        session.staging.stage()
    with pytest.raises(UsageError, match="accept an edit first"):
        session.staging.commit("words")


@pytest.mark.parametrize(
    ("instructions", "paths", "message"),
    [
        (["rename foo to bar"], ["lib/parse.py"], "Rename foo to bar in parse.py"),
        (["rename foo to bar in parse.py."], ["lib/parse.py"], "Rename foo to bar in parse.py"),
        (["parse.py: rename foo to bar"], ["lib/parse.py"], "parse.py: rename foo to bar"),
        (
            ["load_all should return early", "f() is slow"],
            ["a.py"],
            (
                "load_all should return early and 1 more edit in a.py\n\n- load_all should return "
                "early\n- f() is slow"
            ),
        ),
        (
            ["redo the table", "redo  the table"],
            ["a.py", "b.py"],
            "Redo the table in a.py and b.py",
        ),
        (["fix it"], ["a.py", "b.py", "c.py"], "Fix it in 3 files"),
        (["one", "two"], ["a.py"], "One and 1 more edit in a.py\n\n- One\n- Two"),
        (
            ["word " * 15, "two", "3"],
            ["a.py"],
            f"Word{' word' * 13}…\n\n- Word{' word' * 14}\n- Two\n- 3",
        ),
        (["word " * 15], ["a.py"], f"Word{' word' * 13}…\n\nWord{' word' * 13}\nword in a.py"),
    ],
)
def test_the_message_offered_says_what_was_asked_for_and_where(
    instructions: list[str], paths: list[str], message: str
) -> None:
    assert offered_message(instructions, paths) == message


@pytest.mark.parametrize(
    ("accepted", "kept", "said"),
    [
        ("a = 1\nprint(b)\n", "b = 2\n", "this commit breaks c.py (names: undefined: b (line 2))"),
        ("a = 1 +\n", "", "this commit breaks c.py (it does not parse: line 1: invalid syntax)"),
        ("a = 2\n", "print(b\n", ""),
    ],
)
def test_what_a_commit_breaks_is_told_by_what_git_gets_and_not_by_what_lies_in_the_work_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepted: str, kept: str, said: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = scripted_session(tmp_path, {"c.py": "a = 1\n"}, {"do": TWO})
    batches = Batches(session.repo, tmp_path / "state")
    session.staging.add(batches.accept([FileChange("c.py", b"a = 1\n", accepted.encode())], "do"))
    (session.repo.root / "c.py").write_text(accepted + kept)
    assert session.staging.offer().warning == said
    assert session.staging.broken == said, "asking leaves everything as it is"
    assert git(session.repo.root, "status", "--porcelain") == b" M c.py\n"


def test_what_an_undo_or_a_redo_breaks_is_said_before_it_is_done(session: Session) -> None:
    file = session.repo.root / "b.py"
    batches = Batches(session.repo, session.repo.root.parent / "state")
    batches.accept([FileChange("b.py", b"x = 1\n", b"import os\n\n\nx = 1\n")], "import os")
    assert session.past.preview_last(back=True).warning == ""
    file.write_text("import os\n\n\nx = 1\n\n\nprint(os.sep)\n")
    assert (
        session.past.preview_last(back=True).warning
        == "taking it back breaks b.py (names: undefined: os (line 4))"
    )
    session.undo()
    assert file.read_text() == "x = 1\n\n\nprint(os.sep)\n"
    assert session.past.preview_last(back=False).warning == "", "it mends the file"


def restarted(session: Session) -> Session:
    """The next start in the same work tree."""
    return Session(session.repo, session.loaded, session.repo.root.parent / "state")


def test_what_was_accepted_before_a_restart_is_offered_and_said_to_be_earlier(
    session: Session,
) -> None:
    begun(session)
    (session.repo.root / "b.py").write_text("x = 2\n")
    later = restarted(session)
    assert later.staging.waiting == ()
    offer = later.staging.offer()
    assert (offer.paths, offer.message) == (("a.py",), "Do in a.py")
    assert offer.note == "with 1 edit accepted before this start"
    later.staging.commit(offer.message)
    assert shown(later, "HEAD:a.py") == FIRST
    assert shown(later, "HEAD:b.py") == "x = 1\n", "what was edited by hand stays out of it"
    with pytest.raises(UsageError, match="accept a hunk first"):
        restarted(later).staging.offer()


def test_what_was_accepted_since_goes_with_what_was_accepted_before(session: Session) -> None:
    begun(session)
    later = restarted(session)
    later.accept(done(later, replace(REQUEST, instruction="the rest")))
    offer = later.staging.offer()
    later.staging.commit(offer.message)
    assert shown(later, "HEAD:a.py") == later.repo.read("a.py").decode() != FIRST
    assert offer.note == "with 1 edit accepted before this start"


@pytest.mark.parametrize(
    "commands", [("commit -qam mine",), ("stash -q",), ("add a.py", "commit -qm mine")]
)
def test_what_git_has_already_or_the_file_no_longer_is_not_offered_again(
    session: Session, commands: tuple[str, ...]
) -> None:
    turn = begun(session)
    session.accept(turn)
    for command in commands:
        git(session.repo.root, *command.split())
    (session.repo.root / "a.py").write_text("import os\n\n\n" + session.repo.read("a.py").decode())
    with pytest.raises(UsageError, match=r"nothing to commit; accept a hunk first$"):
        restarted(session).staging.offer()


def test_what_was_committed_by_hand_is_not_offered_and_what_comes_after_is(
    session: Session,
) -> None:
    turn = begun(session)
    git(session.repo.root, "commit", "-qam", "By hand")
    with pytest.raises(UsageError, match="is committed already"):
        session.staging.offer()
    session.accept(turn)
    assert session.staging.offer().paths == ("a.py",)
    session.staging.commit("The rest")
    assert shown(session, "HEAD:a.py") == BOTH


TALLY = "def tally(x):\n    d = {}\n    d[x] = 1\n    print(x)\n    return d\n"
COUNTS = (
    TALLY.replace("d =", "counts =").replace("d[", "counts[").replace("return d", "return counts")
)
RENAMES = {
    "one": edit_script(TALLY, COUNTS),
    "other": edit_script(COUNTS, COUNTS.replace("counts", "found")),
}


@pytest.mark.parametrize("in_part", [True, False])
def test_edits_upon_one_another_are_offered_after_a_restart_if_they_made_all_of_the_file(
    session: Session, tmp_path: Path, in_part: bool
) -> None:
    session = scripted_session(tmp_path / "tally", {"a.py": TALLY}, RENAMES)
    name_somebody(session.repo.root)
    for words in RENAMES:
        turn = done(session, replace(REQUEST, instruction=words, symbol="tally"))
        session.accept(turn, [turn.hunks[0].id] if in_part and words == "other" else None)
    file = session.repo.root / "a.py"
    written = file.read_text()
    file.write_text(written.replace("print(x)", "print(x)  # mine"))
    with pytest.raises(UsageError, match="cannot be told"):
        restarted(session).staging.offer()
    file.write_text(written)
    later = restarted(session)
    offer = later.staging.offer()
    assert (offer.paths, offer.note) == (("a.py",), "with 2 edits accepted before this start")
    later.staging.commit(offer.message)
    assert shown(later, "HEAD:a.py") == written
    with pytest.raises(UsageError, match="accept a hunk first"):
        restarted(later).staging.offer()


def test_where_the_lines_have_changed_since_it_is_said_that_they_cannot_be_told_apart(
    session: Session,
) -> None:
    begun(session)
    file = session.repo.root / "a.py"
    changed = next(line for line in FIRST.splitlines() if line not in AREA.splitlines())
    file.write_text(FIRST.replace(changed, changed + "  # mine"))
    with pytest.raises(
        UsageError, match="“Do”, accepted earlier, cannot be told from what changed since in a"
    ):
        restarted(session).staging.offer()
    file.write_text(FIRST.replace(changed, changed + "\n    # mine"))
    with pytest.raises(UsageError, match="cannot be told"):
        restarted(session).staging.offer()


def test_what_was_thrown_away_outside_is_neither_committed_nor_staged_and_that_is_said(
    session: Session,
) -> None:
    session.accept(done(session))
    git(session.repo.root, "checkout", "-q", "a.py")
    for attempt in (
        session.staging.offer,
        session.staging.stage,
        lambda: session.staging.commit("words"),
    ):
        with pytest.raises(UsageError, match=r"what is no longer in a\.py is left out"):
            attempt()
    assert shown(session, "HEAD:a.py") == shown(session, ":a.py") == AREA
    (session.repo.root / "a.py").write_text(BOTH)
    assert session.staging.offer().note == "", "it came back"
    (session.repo.root / "a.py").unlink()
    with pytest.raises(UsageError, match="no longer in a"):
        session.staging.offer()


@pytest.mark.parametrize("together", [True, False])
def test_hunks_that_were_taken_back_by_hand_are_left_out_and_the_rest_is_committed(
    session: Session, together: bool
) -> None:
    turn = done(session)
    if not together:
        session.accept(turn, [turn.hunks[0].id])
    session.accept(turn)
    (session.repo.root / "a.py").write_text("# mine\n" + FIRST)
    offer = session.staging.offer()
    assert (offer.paths, offer.message) == (("a.py",), "Do in a.py")
    assert offer.note == "what is no longer in a.py is left out"
    session.staging.stage()
    assert shown(session, ":a.py") == FIRST
    session.staging.commit(offer.message)
    assert shown(session, "HEAD:a.py") == shown(session, ":a.py") == FIRST
    assert session.staging.waiting == ()


def test_what_was_accepted_and_edited_further_is_committed_as_it_was_accepted(
    session: Session,
) -> None:
    session.accept(done(session))
    (session.repo.root / "a.py").write_text(BOTH.replace("size + 0", "size + 0 + 1"))
    assert session.staging.offer().note == ""
    session.staging.commit("words")
    assert shown(session, "HEAD:a.py") == BOTH
