"""Hunks cut, lines taken out, texts edited in place and outside, and the patch given away."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.hunk_editor import EditScreen
from spark_tui.tui.screens.modals import AskScreen
from spark_tui.tui.screens.undo import sides
from spark_tui.tui.widgets.diff_rows import RowKind
from tests.fakes import git
from tests.tui.support import AFTER, BEFORE, SPLIT, STORE, WIDEN, WIDER, Stage, until
from tests.tui.test_review import decide, states


async def go_to(stage: Stage, pilot: Pilot[None], kind: RowKind, words: str) -> None:
    rows = stage.diff.rows
    stage.diff.go_to(
        next(at for at in range(len(rows)) if rows[at].kind is kind and words in rows[at].text)
    )
    await pilot.pause()


async def test_s_cuts_a_hunk_into_changes_that_are_decided_one_by_one_or_makes_it_whole_again(
    wide: Stage,
) -> None:
    async with wide.reviewing(WIDEN) as pilot:
        for parts, said in (
            (3, "cut into 3 parts"),
            (1, "one hunk, in one piece"),
            (3, "cut into 3 parts"),
        ):
            await wide.press(pilot, "s")
            await until(pilot, lambda parts=parts: len(wide.view.hunks) == parts)  # type: ignore[misc]
            assert wide.note == said
        assert {item.index for item in wide.view.items()} == {0, 1, 2}, (
            "nothing was written to the disk"
        )
        await go_to(wide, pilot, RowKind.NEW, "log.info")
        await decide(wide, pilot, "a", HunkState.TOGETHER, HunkState.ACCEPTED, HunkState.TOGETHER)
        expected = STORE.replace("    f = open(path)\n", "    f = open(path)\n    log.info(path)\n")
        assert wide.file.read_text() == expected
        assert len(wide.view.hunks) == 2


async def test_space_takes_a_line_out_and_what_is_accepted_is_without_it(wide: Stage) -> None:
    async with wide.reviewing(WIDEN) as pilot:
        await go_to(wide, pilot, RowKind.NEW, "log.info")
        await pilot.press("space")
        await until(pilot, lambda: wide.diff.rows[wide.diff.cursor].out)
        assert "1 line out" in [item.note for item in wide.view.items()]
        await wide.press_later(pilot, "a")
        await until(pilot, lambda: HunkState.ACCEPTED in states(wide) and not wide.main.busy)
        assert wide.file.read_text() == BEFORE + WIDER.replace("    log.info(path)\n", "") + AFTER
        assert [hunk.new_lines for hunk in wide.view.hunks] == [("    log.info(path)",)]
        assert "what is out stays open; r gives it up" in wide.note
        await wide.press_later(pilot, "A")
        await wide.says(pilot, "every line is out")
        await wide.turn(pilot, "u")
        await until(
            pilot, lambda: wide.file.read_text() == STORE and len(wide.view.hunks[0].new_lines) > 1
        )
        assert [item.note for item in wide.view.items()] == ["1 line out"]


async def test_a_hunk_that_space_broke_is_marked_and_wants_the_same_key_twice(wide: Stage) -> None:
    async with wide.reviewing(WIDEN) as pilot:
        await go_to(wide, pilot, RowKind.NEW, "for line in iter")
        await pilot.press("space")
        await until(
            pilot, lambda: wide.diff.rows[wide.diff.cursor].out and wide.view.verdict is not None
        )
        assert [item.state for item in wide.view.items()] == [HunkState.FAILED]
        for key in ("a", "A"):
            await wide.press_later(pilot, key)
            await until(
                pilot,
                lambda key=key: f"does not pass a check; {key} again accepts" in wide.note,  # type: ignore[misc]
            )
            assert wide.file.read_text() == STORE
        await wide.press_later(pilot, "A")
        await until(pilot, lambda: wide.file.read_text() != STORE)
        assert "for line in iter" not in wide.file.read_text()


async def test_a_hunk_whose_lines_are_all_out_can_be_rejected_and_of_all_it_is_not_accepted(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        for kind, out in ((RowKind.OLD, 1), (RowKind.NEW, 2)):
            await go_to(stage, pilot, kind, "expenses = ")
            await pilot.press("space")
            await until(
                pilot,
                lambda out=out: [len(rows) for rows in stage.view.out.values()] == [out],  # type: ignore[misc]
            )
        assert [(item.added, item.removed) for item in stage.view.items()] == [(0, 0), (0, 1)]
        assert stage.bar("meters").endswith("+0  −1")
        await decide(stage, pilot, "r", HunkState.REJECTED, HunkState.OK)
        assert stage.note.startswith("rejected the hunk")
        assert [hunk.old_lines for hunk in stage.view.hunks] == [("    f.close()",)]
        await stage.press(pilot, "u")
        await until(pilot, lambda: [len(rows) for rows in stage.view.out.values()] == [2])
        await decide(stage, pilot, "A", HunkState.UNCHECKED, HunkState.ACCEPTED)
        assert stage.note.startswith("accepted the hunk and wrote")


async def test_lines_can_be_taken_out_while_later_hunks_are_still_being_written(
    stage: Stage,
) -> None:
    async with stage.asked(SPLIT) as pilot:
        await stage.step_until(pilot, lambda: HunkState.UNCHECKED in states(stage))
        await pilot.press("tab", "[")
        await go_to(stage, pilot, RowKind.OLD, "expenses = []")
        await pilot.press("space")
        await until(pilot, lambda: bool(stage.view.out))
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: HunkState.ACCEPTED in states(stage))
        assert stage.file.read_text() == STORE.replace(
            "expenses = []\n", "expenses = []\n    expenses = list()\n"
        )
        assert stage.view.phase is TurnPhase.WRITING
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)


@pytest.mark.parametrize(
    ("key", "again", "accepted"), [("a", "accepts it", 1), ("A", "accepts all", 2)]
)
async def test_what_does_not_pass_a_check_is_written_only_by_a_second_press_of_the_same_key(
    stage: Stage, key: str, again: str, accepted: int
) -> None:
    async with stage.reviewing() as pilot:
        await stage.opens(pilot, EditScreen, "e")
        await pilot.press("end", *"((", "ctrl+s")
        await until(pilot, lambda: HunkState.FAILED in states(stage))
        stage.later()
        await stage.says(
            pilot, f"not pass a check; {key} again {again}: it does not parse", key, key
        )
        stage.later(0.4)
        await stage.press(pilot, key)
        assert stage.file.read_text() == STORE
        await pilot.press("escape", "tab")
        await stage.press_later(pilot, key)
        assert stage.note.startswith("1 of 2 hunks do" if key == "A" else "this hunk does")
        assert stage.file.read_text() == STORE
        await stage.press_later(pilot, key)
        await until(
            pilot,
            lambda: states(stage).count(HunkState.ACCEPTED) == accepted and not stage.main.busy,
        )
        assert "((" in stage.file.read_text()


async def test_to_be_asked_about_one_hunk_is_no_leave_to_write_another(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with stage.reviewing() as pilot:
        stage.view.close(stage.view.hunks, "names: undefined: f")
        stage.later()
        for key in ("a", "]", "a"):
            await stage.press(pilot, key)
        await until(pilot, lambda: not stage.main.busy)
        assert stage.note.startswith("this hunk does not pass")
        assert stage.file.read_text() == STORE


async def test_space_again_takes_a_line_in_and_the_checks_of_an_edit_are_not_told_of_a_part_of_it(
    wide: Stage,
) -> None:
    async with wide.reviewing(WIDEN) as pilot:
        await go_to(wide, pilot, RowKind.CONTEXT, "expenses = []")
        await pilot.press("space")
        assert "only a line that changes" in wide.note
        await go_to(wide, pilot, RowKind.NEW, "log.info")
        await pilot.press("space")
        await until(pilot, lambda: wide.diff.rows[wide.diff.cursor].out)
        assert "checked (" not in wide.bar("region")
        await until(pilot, lambda: wide.bar("region").endswith("changed by you: 1 hunk, checked"))
        assert states(wide) == [HunkState.OK], "it is checked without that line, too"
        await pilot.press("space")
        await until(pilot, lambda: not wide.diff.rows[wide.diff.cursor].out)
        assert "checked (applies, parses, names)" in wide.bar("region")


def test_two_clashes_are_each_shown_line_beside_line() -> None:
    head = "a.py:{}: - is there now, + is what would take its place, = is what both come from"
    detail = [
        head.format(1),
        "-x",
        "-y",
        "  and 3 more lines (0)",
        "+z",
        "=w",
        head.format(9),
        "+new",
    ]
    assert sides("\n".join(detail)) == [
        ["a.py:1 now", "-x", "-y", "  and 3 more lines (0)", "a.py:9 now", ""],
        ["what both come from", "=w", "", "", "what both come from", ""],
        ["what would take its place", "+z", "", "", "what would take its place", "+new"],
    ]
    assert sides("diff --git\n-x") == [["diff --git", "-x"]]


async def test_the_patch_is_saved_to_a_new_file_and_never_over_another(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with stage.reviewing() as pilot:
        for words in ("saved spark.patch", "File exists"):
            stage.main.action_save_patch()
            await until(pilot, lambda: isinstance(stage.app.screen, AskScreen))
            await pilot.press("enter")
            await until(pilot, lambda words=words: words in stage.note)  # type: ignore[misc]
    patch = (tmp_path / "spark.patch").read_text()
    assert patch.startswith("diff --git a/store.py b/store.py")
    assert "-    f.close()" in patch
    git(stage.session.repo.root, "apply", "--check", str(tmp_path / "spark.patch"))


async def test_keys_of_the_review_say_what_they_need(stage: Stage) -> None:
    async with stage.started() as pilot:
        for action, words in {
            "split_hunk": "no hunk here",
            "toggle_line": "no hunk here",
            "edit_hunk": "no hunk here",
            "copy_patch": "no patch yet",
            "ask_again": "once the turn is over",
            "show_answer(1)": "once the turn is over",
        }.items():
            await stage.main.run_action(action)
            await pilot.pause()
            assert words in stage.note
        await stage.review(pilot)
        await pilot.press("}")
        assert "one file, store.py" in stage.note
