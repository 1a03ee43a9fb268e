"""What is proposed can be rewritten in place and in the user's own editor."""

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.tui.screens.hunk_editor import EditScreen, HunkEditor
from spark_tui.tui.widgets.status_bars import Bar
from tests.fakes import edit_script
from tests.tui.support import EDIT, LOAD, STORE, Stage, until
from tests.tui.test_review import states

PROPOSED = "what this hunk proposes"


async def test_e_edits_the_proposed_text_in_place(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        await stage.opens(pilot, EditScreen, "e")
        assert stage.bar("hints") == "", "the editor has its own keys"
        await stage.says(pilot, "your text", "end", "enter", *"x=1", "ctrl+s")
        assert "accept" in stage.bar("hints")
        assert stage.view.hunks[0].new_lines == ("    expenses = list()", "    x=1")
        assert stage.file.read_text() == STORE
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: HunkState.ACCEPTED in states(stage) and not stage.main.busy)
        assert "    expenses = list()\n    x=1\n" in stage.file.read_text()


async def test_of_a_hunk_that_was_emptied_it_is_said_that_nothing_is_left(tmp_path: Path) -> None:
    more = LOAD.replace("    f.close()\n", "    f.close()\n    f = None\n")
    stage = Stage(tmp_path, scripts={EDIT: edit_script(LOAD, more)})
    async with stage.reviewing(EDIT) as pilot:
        await stage.opens(pilot, EditScreen, "e")
        stage.app.screen.query_one(HunkEditor).text = ""
        await stage.says(pilot, "nothing is left of this hunk: /undo brings it back", "ctrl+s")
        assert not stage.view.hunks
        await stage.press(pilot, "u")
        await until(
            pilot, lambda: [hunk.new_lines for hunk in stage.view.hunks] == [("    f = None",)]
        )


async def test_of_a_part_with_a_line_out_it_is_said_that_the_text_is_proposed(
    tmp_path: Path,
) -> None:
    other = LOAD.replace("expenses = []", "expenses = list()").replace(
        "open(path)", "open(path, 'r')"
    )
    stage = Stage(tmp_path, scripts={EDIT: edit_script(LOAD, other)})
    async with stage.reviewing(EDIT) as pilot:
        await stage.press(pilot, "s")
        await until(pilot, lambda: len(stage.view.hunks) == 2)
        stage.diff.go_to(stage.diff.rows.first_rows[0])
        await pilot.press("space")
        await until(pilot, lambda: bool(stage.view.out))
        await stage.opens(pilot, EditScreen, "e")
        await stage.says(pilot, "your text is proposed", "end", *"  # q", "ctrl+s")
        assert stage.view.hunks[0].new_lines == ("    expenses = list()  # q",)


async def test_a_paste_into_an_edit_accepts_nothing_and_two_keys_that_close_it_close_only_that(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        before = stage.view.hunks
        await stage.opens(pilot, EditScreen, "e")
        editor = stage.app.screen.query_one(HunkEditor)
        stage.app.post_message(events.Paste("aAyY\x1b[31m"))
        await until(pilot, lambda: "aAyY␛[31m" in editor.text)
        for _ in range(2):
            editor.post_message(events.Key("escape", None))
        await until(pilot, lambda: stage.app.screen is stage.main)
        assert stage.view.hunks == before
        assert stage.file.read_text() == STORE
        await pilot.press("r")
        await until(pilot, lambda: HunkState.REJECTED in states(stage))


async def test_lines_that_are_pasted_into_an_edit_are_lines_whatever_ends_them(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        for end in ("\r", "\r\n", "\n"):
            await stage.opens(pilot, EditScreen, "e")
            await pilot.press("end")
            stage.app.post_message(events.Paste(end.join(("", "    x = 1", "    y = [\t2]"))))
            await until(pilot, lambda: "y = [" in stage.app.screen.query_one(HunkEditor).text)
            await stage.says(pilot, "your text", "ctrl+s")
            assert stage.view.hunks[0].new_lines == (
                "    expenses = list()",
                "    x = 1",
                "    y = [\t2]",
            )
            await stage.says(pilot, "before you edited it", "u")


async def test_a_text_that_is_left_comes_back_at_the_next_edit_and_only_then_can_be_given_up(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        for key in ("escape", "ctrl+c"):
            assert await shown_by_e(stage, pilot) == (PROPOSED, "    expenses = list()")
            await stage.says(pilot, "what you wrote is kept", "end", *"  # mine", key)
            assert stage.view.hunks[0].new_lines == ("    expenses = list()",)
            assert await shown_by_e(stage, pilot) == (
                "your draft for this hunk",
                "    expenses = list()  # mine",
            )
            await stage.says(pilot, "your draft was dropped", key)


async def rewritten(stage: Stage, pilot: Pilot[None]) -> None:
    await stage.opens(pilot, EditScreen, "e")
    await stage.says(pilot, "your text", "end", *"  # mine", "ctrl+s")


async def shown_by_e(stage: Stage, pilot: Pilot[None]) -> tuple[str, str]:
    await stage.opens(pilot, EditScreen, "e")
    await pilot.pause()
    return stage.app.screen.query_one("#head", Bar).words, stage.app.screen.query_one(
        HunkEditor
    ).text


@pytest.mark.parametrize("left", [False, True])
async def test_no_text_of_an_earlier_turn_comes_back_in_one_that_proposes_the_same(
    stage: Stage, left: bool
) -> None:
    async with stage.reviewing() as pilot:
        if left:
            await stage.opens(pilot, EditScreen, "e")
            await stage.says(pilot, "what you wrote is kept", "end", *"  # mine", "escape")
            assert await shown_by_e(stage, pilot) == (
                "your draft for this hunk",
                "    expenses = list()  # mine",
            )
            await stage.closes(pilot, "x", "escape")
        else:
            await rewritten(stage, pilot)
        turn = stage.session.turn
        await stage.decides(pilot, "R")
        stage.prompt.focus()
        await stage.review(pilot)
        assert stage.session.turn is not turn
        assert await shown_by_e(stage, pilot) == (PROPOSED, "    expenses = list()")


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("VISUAL", f"{program} --wait")


async def test_ctrl_g_edits_it_in_the_users_own_editor_and_one(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.reviewing() as pilot:
        before = stage.view.hunks
        for script, words in (
            ("exit 3", "editor ended with 3; nothing was changed"),
            ("true", "nothing was changed"),
        ):
            editor(tmp_path, monkeypatch, script)
            await pilot.press("ctrl+g")
            await until(pilot, lambda words=words: stage.note.endswith(words))  # type: ignore[misc]
            assert stage.view.hunks == before
        editor(
            tmp_path,
            monkeypatch,
            'test "$1" = --wait && echo "    mine = 1" >> "$2"; pwd > "$0.where"',
        )
        await stage.says(pilot, "your text", "ctrl+g")
        assert stage.view.hunks[0].new_lines == ("    expenses = list()", "    mine = 1")
        assert not (tmp_path / "editor.where").read_text().startswith(str(stage.session.repo.root))


async def test_an_editor_in_the_repository_is_not_started(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = stage.session.repo.root
    editor(root, monkeypatch, 'touch "$0.ran"')
    async with stage.reviewing() as pilot:
        await stage.says(pilot, "lies in this repository", "ctrl+g")
        assert not (root / "editor.ran").exists()
        for name in ("VISUAL", "EDITOR"):
            monkeypatch.delenv(name, raising=False)
        await stage.says(pilot, "no editor is set", "ctrl+g")
