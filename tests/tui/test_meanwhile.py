"""What goes, or comes, between a key and what it does."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from spark_tui.session.external import ShellRun
from spark_tui.session.hunk_items import Decisions, HunkState
from spark_tui.tui.screens.hunk_editor import EditScreen, HunkEditor
from spark_tui.tui.screens.shell import ShellScreen
from tests.tui.support import HUSH, Stage, until
from tests.tui.test_review import decide, decided


async def test_what_was_undone_is_marked_by_what_paints(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    undone, marked = Decisions.undone, list[bool]()

    def marking(decisions: Decisions, entry_id: str) -> None:
        marked.append(threading.current_thread() is threading.main_thread())
        undone(decisions, entry_id)

    monkeypatch.setattr(Decisions, "undone", marking)
    async with stage.reviewing(HUSH) as pilot:
        await decide(stage, pilot, "a", HunkState.ACCEPTED)
        await stage.turn(pilot, "u")
        await decided(stage, pilot, HunkState.OK)
    assert marked == [True]


async def test_a_hunk_that_goes_before_its_fold_is_shown_takes_nothing_along(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        turn = stage.asked_turn
        stage.diff.select(1)
        stage.diff.action_fold()
        stage.session.reject(turn, [stage.view.hunks[1].id])
        stage.controller.refresh()
        stage.main.run_frames()
        await pilot.pause()
        assert len(stage.view.hunks) == 1


async def test_a_hunk_may_go_while_its_text_is_edited(stage: Stage) -> None:
    async with stage.reviewing() as pilot:
        await stage.opens(pilot, EditScreen, "e")
        turn = stage.asked_turn
        stage.session.reject(turn, [hunk.id for hunk in turn.hunks])
        stage.controller.refresh()
        stage.main.run_frames()
        await pilot.resize_terminal(90, 30)
        await stage.says(pilot, "is not open", *"x=1", "ctrl+s")
        await until(pilot, lambda: isinstance(stage.app.screen, EditScreen))
        assert "x=1" in stage.app.screen.query_one(HunkEditor).text


async def test_a_panel_that_is_closed_before_its_command_runs_leaves_nothing_behind(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, let, begin, made = (
        threading.Event(),
        threading.Event(),
        ShellRun.__init__,
        list[ShellRun](),
    )

    def slowly(run: ShellRun, line: str, root: Path) -> None:
        asked.set()
        let.wait(10)
        begin(run, line, root)
        made.append(run)

    monkeypatch.setattr(ShellRun, "__init__", slowly)
    async with stage.started() as pilot:
        stage.app.push_screen(ShellScreen("sleep 60", stage.session.repo.root))
        await until(pilot, asked.is_set)
        stage.app.pop_screen()
        await until(pilot, lambda: stage.app.screen is stage.main)
        await pilot.pause()
        let.set()
        await until(pilot, lambda: bool(made) and made[0].ended)
        assert made[0].status == -9


async def test_a_sheet_may_be_closed_while_it_opens_and_what_it_still_waited_for_is_shown_nowhere(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        for turns in range(6):
            stage.app.push_screen(ShellScreen("true", stage.session.repo.root))
            for _ in range(turns):
                await asyncio.sleep(0)
            stage.app.pop_screen()
            await until(pilot, lambda: stage.app.screen is stage.main)
            await pilot.pause()
        sheet, come = ShellScreen("true", stage.session.repo.root), asyncio.Event()

        async def show() -> None:
            with suppress(asyncio.CancelledError):
                await come.wait()
            sheet.query_one("#line")

        await stage.app.push_screen(sheet)
        sheet.run_worker(show())
        await pilot.pause()
        await stage.app.pop_screen()
        come.set()
        await pilot.pause()
        assert stage.app.failure is None
