"""The user's own check, run after each accept beside the screen, and the fix of what failed."""

import asyncio
import os
from pathlib import Path

from textual.pilot import Pilot

from spark_tui.session.external import MOST_BYTES
from spark_tui.session.hunk_items import HunkState
from spark_tui.session.session import Session
from spark_tui.tui.screens.check_runner import CheckScreen
from spark_tui.tui.screens.modals import ConsentScreen
from spark_tui.tui.widgets.output_log import OutputLog
from spark_tui.tui.widgets.status_bars import Bar
from spark_tui.vcs.policy import Trust
from tests.tui.support import HUSH, Stage, until
from tests.tui.test_commanding import send
from tests.tui.test_review import states
from tests.vcs.repos import hook

LOADS = "grep -q print store.py || { printf 'no \\033[31mprint\\n'; exit 3; }"


def state_of(stage: Stage) -> Path:
    """The folder of what the stage's session keeps."""
    return stage.session.repo.root.parent / "state"


def later(stage: Stage) -> Session:
    """The session that the next start of spark has."""
    return Session(stage.session.repo, stage.session.loaded, state_of(stage))


async def stands(stage: Stage, pilot: Pilot[None], words: str) -> None:
    """Wait until the line of the check says so."""
    await until(
        pilot, lambda: stage.main.query_one("#check", Bar).display and words in stage.bar("check")
    )


async def test_a_check_runs_after_an_accept_in_the_work_tree_and_is_kept_until_it_is_ended(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await send(pilot, "/check")
        assert "no check is set" in stage.note
        await send(pilot, f"/check {LOADS}")
        await stands(stage, pilot, "passed")
        await stage.review(pilot, HUSH)
        await pilot.press("a")
        await until(pilot, lambda: states(stage) == [HunkState.ACCEPTED])
        await stands(stage, pilot, "failed: no print Ctrl+T")
        await send(pilot, "/check")
        await until(pilot, lambda: isinstance(stage.app.screen, CheckScreen))
        assert stage.app.screen.query_one(OutputLog).words == "no print"
        await stage.closes(pilot, "escape")
        assert later(stage).check.line == LOADS
        await send(pilot, "/check off")
        await until(pilot, lambda: not stage.main.query_one("#check", Bar).display)
        await until(pilot, lambda: not later(stage).check.line)


async def test_a_check_waits_for_trust_and_one_that_was_only_pasted_for_the_user(
    stage: Stage,
) -> None:
    hook(stage.session.repo.root)
    async with stage.started() as pilot:
        stage.prompt.put("/check touch owned")
        await stage.opens(pilot, ConsentScreen, "enter")
        await stage.press_later(pilot, "y")
        await stands(stage, pilot, "waits for `spark trust`")
        assert "the check waits: this repository could run programs" in stage.note
        assert not (stage.session.repo.root / "owned").exists()
        Trust(stage.session.repo, state_of(stage)).grant()
        stage.main.checks.run()
        await until(pilot, (stage.session.repo.root / "owned").exists)


async def test_the_panel_follows_an_output_of_which_only_the_end_is_kept(
    stage: Stage, tmp_path: Path
) -> None:
    fifo = tmp_path / "output"
    os.mkfifo(fifo)
    lines = b"0123456789\n" * (MOST_BYTES // 22)
    async with stage.started() as pilot:
        await send(pilot, f"/check cat {fifo}")
        output = await asyncio.to_thread(fifo.open, "wb", buffering=0)
        with output:
            await stands(stage, pilot, "running")
            await send(pilot, "/check")
            await until(pilot, lambda: isinstance(stage.app.screen, CheckScreen))
            log = stage.app.screen.query_one(OutputLog)
            for part in ("first", "second", "third", "fourth"):
                await asyncio.to_thread(output.write, lines + part.encode())
                await until(pilot, lambda part=part: log.words.endswith(f"\n{part}"))  # type: ignore[misc]
        await stage.closes(pilot, "escape")


async def test_the_panel_shows_the_output_of_a_run_that_begins_meanwhile(
    stage: Stage, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    said.write_text("the output of the first run")
    async with stage.started() as pilot:
        await send(pilot, f"/check cat {said}")
        await stands(stage, pilot, "passed")
        await send(pilot, "/check")
        await until(pilot, lambda: isinstance(stage.app.screen, CheckScreen))
        log = stage.app.screen.query_one(OutputLog)
        assert log.words == "the output of the first run"
        said.write_text("of the second")
        stage.main.checks.run()
        await until(pilot, lambda: log.words == "of the second")
