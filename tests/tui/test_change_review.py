"""`/review` on the screen: a change that no model made, hunk by hunk, as an edit is reviewed."""

from collections.abc import Mapping
from pathlib import Path
from subprocess import CalledProcessError
from threading import Event

import pytest
from textual.pilot import Pilot

from spark_tui.engine.loader import LoadedModel
from spark_tui.session.change_review import Patch, ReviewSource
from spark_tui.session.session import Session
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import Outside
from spark_tui.tui.screens.modals import AskScreen, ConsentScreen
from spark_tui.tui.widgets.diff_rows import RowKind
from tests.fakes import edit_script, git
from tests.session.partial_patches import files_of
from tests.tui.support import SPLIT, Stage, until

LINES = "".join(f"line {number}\n" for number in range(40))
THREE = LINES.replace("line 3\n", "three\n")
EDITED = THREE.replace("line 20\n", "").replace("line 30\n", "line 30\nnew\n")
FILES: dict[str, str | bytes] = {"a.txt": LINES, "b.txt": "one\ntwo\n", "gone.txt": "gone\n"}
BEFORE = {name: str(text).encode() for name, text in FILES.items()}
AFTER = {"a.txt": EDITED.encode(), "b.txt": b"one\ntwo\n", "new.txt": b"brand\nnew\n"}


def write(stage: Stage, files: Mapping[str, bytes]) -> Path:
    """Give the work tree exactly these files."""
    root = stage.session.repo.root
    for name in files_of(root).keys() - files.keys():
        (root / name).unlink()
    for name, data in files.items():
        (root / name).write_bytes(data)
    return root


async def reviewed(stage: Stage, pilot: Pilot[None], words: str = "/review") -> None:
    """Open a review, and wait until it is there."""
    stage.gate.open()
    await stage.ask(pilot, words)
    await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus)
    stage.later()


def work_tree(stage: Stage) -> dict[str, bytes]:
    return files_of(stage.session.repo.root)


async def test_the_hunks_of_all_files_are_shown_and_kept_without_a_write(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        paths = [item.path for item in stage.view.items()]
        assert paths == ["a.txt", "a.txt", "a.txt", "gone.txt", "new.txt"]
        await stage.decides(pilot, "a", left=4)
        assert stage.note.startswith("kept the hunk; u opens it again")
        await stage.decides(pilot, "ctrl+a", left=0)
        assert work_tree(stage) == AFTER
        assert stage.session.past.log() == ()


async def test_no_side_of_a_merge_is_taken_back_before_it_is_resolved(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files={"a.txt": LINES})
    root = stage.session.repo.root
    for branch, line in (("theirs", "theirs\n"), ("ours", "ours\n")):
        git(root, "checkout", "-q", "-b", branch, "HEAD" if branch == "theirs" else "theirs~")
        (root / "a.txt").write_text(LINES.replace("line 3\n", line))
        git(root, "commit", "-q", "-a", "-m", branch)
    with pytest.raises(CalledProcessError):
        git(root, "merge", "--quiet", "theirs")
    torn = work_tree(stage)
    assert b"<<<<<<<" in torn["a.txt"]
    async with stage.started() as pilot:
        await reviewed(stage, pilot)
        await stage.says(pilot, "a.txt has a merge conflict that is not resolved", "r")
        assert "/keep ours, theirs or both" in stage.note
        assert work_tree(stage) == torn


async def test_rejected_hunks_are_taken_back_and_undone_and_redone(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        await stage.decides(pilot, "r", left=4)
        taken = AFTER | {"a.txt": EDITED.replace("three\n", "line 3\n").encode()}
        assert work_tree(stage) == taken
        assert "took the hunk back in a.txt" in stage.note
        await stage.decides(pilot, "R", left=2)
        await stage.decides(pilot, "r", left=1)
        await stage.decides(pilot, "r", left=0)
        assert work_tree(stage) == BEFORE
        for left in (1, 2, 4, 5):
            await stage.turn(pilot, "u")
            await until(pilot, lambda left=left: len(stage.view.hunks) == left)  # type: ignore[misc]
        assert work_tree(stage) == AFTER
        await stage.turn(pilot, "ctrl+r")
        await until(pilot, lambda: len(stage.view.hunks) == 4)
        assert work_tree(stage) == taken


async def test_what_was_kept_is_opened_again_in_the_order_of_the_decisions(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        await stage.decides(pilot, "a", left=4)
        await stage.decides(pilot, "r", left=3)
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 4)
        assert work_tree(stage) == AFTER
        await stage.says(pilot, "what was kept last is open again", "u")
        assert len(stage.view.hunks) == 5
        await stage.press(pilot, "ctrl+r")
        await until(pilot, lambda: len(stage.view.hunks) == 4)


async def test_a_line_is_taken_out_and_a_hunk_is_cut(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files={"a.txt": LINES})
    async with stage.started() as pilot:
        write(stage, {"a.txt": LINES.replace("line 5\nline 6\n", "line 5.\nline 6.\n").encode()})
        await reviewed(stage, pilot)
        await stage.press_later(pilot, "s")
        await until(pilot, lambda: len(stage.view.hunks) == 2)
        await stage.decides(pilot, "r", left=1)
        assert work_tree(stage) == {"a.txt": LINES.replace("line 6\n", "line 6.\n").encode()}
        await stage.decides(pilot, "a", left=0)
        assert work_tree(stage) == {"a.txt": LINES.replace("line 6\n", "line 6.\n").encode()}


async def test_an_edited_hunk_is_written_once_it_is_accepted(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        await pilot.press("e")
        await until(pilot, lambda: stage.app.screen is not stage.main)
        await pilot.press("end", "!", "ctrl+s")
        await until(pilot, lambda: stage.app.screen is stage.main)
        await until(pilot, lambda: stage.view.hunks[0].new_lines == ("three!",))
        assert work_tree(stage) == AFTER
        await stage.decides(pilot, "]", "a", left=4)
        assert work_tree(stage) == AFTER
        await stage.decides(pilot, "[", "a", left=3)
        assert work_tree(stage)["a.txt"] == EDITED.replace("three", "three!").encode()
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 4)
        assert work_tree(stage) == AFTER


async def test_edits_made_meanwhile_are_shown_and_never_overwritten(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        root = write(stage, AFTER)
        await reviewed(stage, pilot)
        (root / "a.txt").write_text(EDITED.replace("line 39", "last"))
        (root / "b.txt").write_text("one\n")
        stage.main.file_watch.look()
        await until(pilot, lambda: len(stage.view.hunks) == 6)
        assert "the work tree was edited" in stage.note
        (root / "a.txt").write_text(EDITED.replace("line 39", "end").replace("three", "drei"))
        await stage.says(pilot, "the work tree was edited meanwhile", "[", "[", "[", "r")
        await until(pilot, lambda: stage.view.hunks[0].new_lines == ("drei",))
        assert (root / "a.txt").read_text().count("drei") == 1
        await stage.decides(pilot, "r", left=5)
        expected = EDITED.replace("line 39", "end").replace("three", "line 3")
        assert (root / "a.txt").read_text() == expected


async def test_edits_elsewhere_do_not_stop_a_decision(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        root = write(stage, AFTER)
        await reviewed(stage, pilot)
        (root / "a.txt").write_text(EDITED.replace("line 39", "last"))
        await stage.decides(pilot, "r", left=5)
        expected = EDITED.replace("line 39", "last").replace("three", "line 3")
        assert (root / "a.txt").read_text() == expected


async def test_a_file_that_was_deleted_meanwhile_is_brought_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        root = write(stage, AFTER)
        await reviewed(stage, pilot)
        (root / "a.txt").unlink()
        stage.main.file_watch.look()
        await until(pilot, lambda: len(stage.view.hunks) == 3)
        await stage.decides(pilot, "[", "r", left=2)
        assert work_tree(stage) == AFTER | {"a.txt": LINES.encode()}
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 3)
        assert "a.txt" not in work_tree(stage)


async def test_a_file_that_decides_what_runs_is_asked_about_before_it_is_taken_back(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, files={"setup.py": "x = 1\n"})
    async with stage.started() as pilot:
        write(stage, {"setup.py": b"x = 2\n"})
        await reviewed(stage, pilot)
        await stage.opens(pilot, ConsentScreen, "r")
        await stage.closes(pilot, "escape")
        assert work_tree(stage) == {"setup.py": b"x = 2\n"}


REASON = "say it in French"
FRENCH = {REASON: edit_script("three\n", "trois\n")}


async def rewrite(stage: Stage, pilot: Pilot[None]) -> None:
    """Ask for the selected hunk anew."""
    await stage.opens(pilot, AskScreen, "g")
    await pilot.press(*REASON.replace(" ", "_"))
    await stage.closes(pilot, "enter")


async def test_a_model_writes_a_hunk_anew_and_nothing_is_written_before_it_is_accepted(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, files=FILES, scripts={REASON.replace(" ", "_"): FRENCH[REASON]})
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        await rewrite(stage, pilot)
        await until(pilot, lambda: stage.view.hunks[0].new_lines == ("trois",))
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert [hunk.new_lines for hunk in stage.view.hunks[1:]] == [
            (),
            ("new",),
            (),
            ("brand", "new"),
        ]
        assert work_tree(stage) == AFTER
        await stage.decides(pilot, "a", left=4)
        assert work_tree(stage)["a.txt"] == EDITED.replace("three", "trois").encode()
        await stage.decides(pilot, "r", left=3)
        assert work_tree(stage)["a.txt"] == (
            EDITED.replace("three", "trois").replace("line 19\n", "line 19\nline 20\n").encode()
        )
        await stage.turn(pilot, "u")
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 5)
        assert work_tree(stage) == AFTER
        await stage.press(pilot, "u")
        await until(pilot, lambda: stage.view.hunks[0].new_lines == ("three",))
        await stage.decides(pilot, "r", left=4)
        assert work_tree(stage)["a.txt"] == EDITED.replace("three", "line 3").encode()


async def test_esc_gives_the_new_hunk_up_and_the_review_comes_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES, scripts={REASON.replace(" ", "_"): FRENCH[REASON]})
    async with stage.started() as pilot:
        write(stage, AFTER)
        await reviewed(stage, pilot)
        stage.gate.shut()
        await rewrite(stage, pilot)
        await until(pilot, lambda: stage.gate.holds)
        await pilot.press("escape")
        await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
        await pilot.press("escape")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert len(stage.view.hunks) == 5
        assert stage.view.hunks[0].new_lines == ("three",)
        assert work_tree(stage) == AFTER


def patch_of(stage: Stage, files: Mapping[str, bytes]) -> bytes:
    """The patch to these files; the work tree stays as it was."""
    root = stage.session.repo.root
    before = files_of(root)
    write(stage, files)
    git(root, "add", "--all")
    patch = git(root, "diff", "--cached", "--binary")
    git(root, "reset", "--quiet")
    write(stage, before)
    return patch


def opened(tmp_path: Path, files: Mapping[str, bytes]) -> Stage:
    """A stage that opens with the review of a patch to these files."""
    drafted = Stage(tmp_path / "draft", files=FILES)
    source: ReviewSource = Patch("fix.patch", patch_of(drafted, files))
    drafted.close()
    return Stage(tmp_path, files=FILES, outside=Outside(review=source))


async def test_a_patch_is_applied_hunk_by_hunk(tmp_path: Path) -> None:
    stage = opened(tmp_path, AFTER)
    async with stage.started() as pilot:
        await until(pilot, lambda: len(stage.view.hunks) == 5 and stage.diff.has_focus)
        await stage.decides(pilot, "r", left=4)
        assert work_tree(stage) == BEFORE
        await stage.decides(pilot, "ctrl+a", left=0)
        expected = AFTER | {"a.txt": EDITED.replace("three", "line 3").encode()}
        assert work_tree(stage) == expected
        await stage.turn(pilot, "u")
        await until(pilot, lambda: len(stage.view.hunks) == 4)
        assert work_tree(stage) == BEFORE


async def test_a_patch_goes_in_beside_what_was_edited_since(tmp_path: Path) -> None:
    stage = opened(tmp_path, AFTER)
    async with stage.started() as pilot:
        await until(pilot, lambda: len(stage.view.hunks) == 5 and stage.diff.has_focus)
        (stage.session.repo.root / "a.txt").write_text(LINES.replace("line 39", "last"))
        await stage.decides(pilot, "ctrl+a", left=0)
        expected = AFTER | {"a.txt": EDITED.replace("line 39", "last").encode()}
        assert work_tree(stage) == expected


async def test_without_a_difference_the_words_come_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path, files=FILES)
    async with stage.started() as pilot:
        await stage.ask(pilot, "/review")
        await until(pilot, lambda: "there is no hunk to review" in stage.note)
        await stage.ask(pilot, "/review no-such-branch")
        await until(pilot, lambda: "no-such-branch" in stage.note)
        assert work_tree(stage) == BEFORE


async def test_hunks_are_decided_while_the_model_is_still_loading(tmp_path: Path) -> None:
    stage = opened(tmp_path, AFTER)
    built = stage.session
    allowed = Event()

    def load() -> LoadedModel:
        assert allowed.wait(60)
        return built.loaded

    stage.session = Session(built.repo, load, tmp_path / "late", model_name="late")
    try:
        async with stage.started() as pilot:
            await until(pilot, lambda: len(stage.view.hunks) == 5 and stage.diff.has_focus)
            await stage.decides(pilot, "a", left=4)
            assert work_tree(stage) == BEFORE | {"a.txt": THREE.encode()}
            assert "unchecked" not in stage.painted
            await stage.decides(pilot, "ctrl+a", left=0)
            assert work_tree(stage) == AFTER
            allowed.set()
    finally:
        allowed.set()
        built.close()


async def test_what_stays_open_behind_a_review_is_named_and_u_brings_it_back(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path)
    async with stage.started() as pilot:
        await stage.review(pilot, SPLIT)
        await stage.decides(pilot, "a", left=1)
        stage.prompt.focus()
        await reviewed(stage, pilot)
        assert stage.note.startswith("1 hunk of the last turn left undecided; u goes back to it")
        await stage.press(pilot, "u")
        await until(pilot, lambda: stage.view.instruction == SPLIT)
        assert len(stage.view.hunks) == 1


async def test_a_renamed_file_is_one_heading_and_is_moved_with_it(tmp_path: Path) -> None:
    moved = {"a.txt": b"one\ntwo\n", "new.txt": THREE.encode()}
    stage = Stage(tmp_path, files={"a.txt": "one\r\ntwo\r\n", "old.txt": LINES})
    async with stage.started() as pilot:
        write(stage, moved)
        await reviewed(stage, pilot)
        rows = map(stage.diff.rows.__getitem__, range(len(stage.diff.rows)))
        headings = [row.text for row in rows if row.kind in {RowKind.FILE, RowKind.HEADING}]
        assert list(filter(None, headings)) == [
            "a.txt  +2 −2, line endings only",
            "new.txt, renamed from old.txt  +1 −1",
        ]
        await stage.decides(pilot, "a", left=2)
        assert stage.view.items()[1].note == "new.txt, renamed from old.txt"
        await stage.decides(pilot, "r", left=1)
        assert work_tree(stage) == {"a.txt": b"one\ntwo\n", "old.txt": THREE.encode()}
        await stage.decides(pilot, "r", left=0)
        assert work_tree(stage) == {"a.txt": b"one\ntwo\n", "old.txt": LINES.encode()}
        for left in (1, 2):
            await stage.turn(pilot, "u")
            await until(pilot, lambda left=left: len(stage.view.hunks) == left)  # type: ignore[misc]
        assert work_tree(stage) == moved
