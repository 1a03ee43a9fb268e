"""The screens around the work: log, earlier turns, doctor."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.config import Settings
from spark_tui.session.turn_state import TurnPhase
from spark_tui.session.turn_store import SavedSession, SavedTurn, SessionStore
from spark_tui.tui.app import Outside, SparkApp
from spark_tui.tui.screens.history import DoctorScreen, LogScreen, Picker, ResumeScreen
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.output_log import PatchView
from tests.tui.support import AFTER, BEFORE, EDIT, HUSH, QUIET, STORE, Stage, until

PATCH = """\
diff --git a/store.py b/store.py
index 1b5..93c 100644
--- a/store.py
+++ b/store.py
@@ -16,3 +16,2 @@
     f.close()
-    print("loaded", len(expenses))\x1b[31m
     return expenses
"""
WHEN = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
TURN = SavedTurn("t1", WHEN, "do not print in load", "store.py", 9, 18, "ok", "bug: 1 hunk", PATCH)
FIRST = replace(
    TURN, id="t0", instruction="earlier words", patch="", message="say where with @PATH:L1-L2"
)
EARLIER = SavedSession("20260504-103000-ab12", (FIRST, TURN))
FINDINGS = (
    "ok    spark        0.5.0",
    "note  git          2.30; install git 2.40 or newer",
    "FAIL  model        none",
)
Scene = Callable[[Stage, Pilot[None]], object]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stage]]:
    """Makes stages whose sessions are saved, with one saved session before."""
    monkeypatch.setenv("TZ", "UTC")
    stages: list[Stage] = []

    def begin(settings: Settings | None = None, *, prompt: str = "", **outside: object) -> Stage:
        told, store = Outside(lambda: FINDINGS, **outside), SessionStore(tmp_path / "sessions")  # type: ignore[arg-type]
        store.save(EARLIER)
        stage = Stage(tmp_path, settings=settings, prompt=prompt, outside=told, sessions=store)
        stages.append(stage)
        return stage

    yield begin
    for stage in stages:
        stage.close()


async def test_a_turn_is_saved_as_soon_as_it_has_ended(
    begin: Callable[..., Stage], tmp_path: Path
) -> None:
    stage = begin()
    stage.gate.open()
    async with stage.asked(EDIT) as pilot:
        store = SessionStore(tmp_path / "sessions")
        await until(
            pilot, lambda: store.list()[0].turns[0].status == "ok" and len(store.list()) == 2
        )
        (kept,) = store.list()[0].turns
        assert (kept.instruction, kept.status, kept.journal_ids) == (EDIT, "ok", ())
        assert "+    with open(path" in kept.patch
        assert stage.file.read_text() == STORE


async def test_a_turn_in_whose_midst_spark_was_killed_is_offered_at_the_next_start_and_not_sent(
    begin: Callable[..., Stage], tmp_path: Path
) -> None:
    killed = subprocess.Popen(["true"])
    killed.wait()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: killed.pid)
        stage = begin()
        cut_off = replace(TURN, instruction="cut off", status="running")
        SessionStore(tmp_path / "sessions").save(
            SavedSession("20260505-103000-ab13", (TURN, cut_off))
        )
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.prompt.text == "cut off @store.py:9-18")
        assert "Enter sends it again" in stage.note
        assert stage.session.turn is None
        stage.gate.open()
        await stage.ask(pilot, EDIT)
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        await until(pilot, lambda: stage.session.past.cut_off() is None)


async def test_nothing_takes_the_place_of_words_that_spark_was_started_with(
    begin: Callable[..., Stage], tmp_path: Path
) -> None:
    stage = begin(prompt="mine")
    SessionStore(tmp_path / "sessions").save(
        SavedSession("20260505-103000-ab13", (replace(TURN, status="running"),))
    )
    async with stage.started() as pilot:
        await pilot.pause()
        assert (stage.prompt.text, stage.session.turn) == ("mine", None)


def note(stage: Stage) -> str:
    return "".join(each.words for each in stage.app.screen.query(Note))


def patch(stage: Stage) -> str:
    return "\n".join(line for view in stage.app.screen.query(PatchView) for line in view.lines)


def lines(stage: Stage) -> list[str]:
    """What stands in the list on the screen."""
    pickers = stage.app.screen.query(Picker)
    return [
        str(each.get_option_at_index(at).prompt)
        for each in pickers
        for at in range(each.option_count)
    ]


async def accepted(stage: Stage, pilot: Pilot[None]) -> None:
    """An edit was asked for and accepted."""
    await stage.review(pilot, HUSH)
    await stage.decides(pilot, "a")


async def open_log(stage: Stage, pilot: Pilot[None]) -> None:
    await accepted(stage, pilot)
    stage.app.action_show_log()
    await until(pilot, lambda: isinstance(stage.app.screen, LogScreen) and "@@" in patch(stage))


async def open_resume(stage: Stage, pilot: Pilot[None]) -> None:
    await stage.ready(pilot)
    stage.app.action_show_turns()
    await until(
        pilot, lambda: isinstance(stage.app.screen, ResumeScreen) and "session" in patch(stage)
    )


async def open_doctor(stage: Stage, pilot: Pilot[None]) -> None:
    await stage.ready(pilot)
    stage.app.action_show_doctor()
    await until(pilot, lambda: isinstance(stage.app.screen, DoctorScreen) and "ok" in patch(stage))


async def test_the_log_takes_an_edit_back_and_does_it_again_each_shown_before(
    begin: Callable[..., Stage],
) -> None:
    stage = begin()
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await open_log(stage, pilot)
        assert stage.file.read_text() == BEFORE + QUIET + AFTER
        assert '-    print("loaded", len(expenses))' in patch(stage)
        assert "applied" in lines(stage)[0]
        assert HUSH in lines(stage)[0]
        await stage.opens(pilot, TurnScreen, "u")
        assert '+    print("loaded", len(expenses))' in patch(stage)
        await pilot.press("u")
        assert stage.file.read_text() == BEFORE + QUIET + AFTER, "nobody reads so fast"
        await stage.press_later(pilot, "u")
        await until(pilot, lambda: len(lines(stage)) == 2)
        assert stage.file.read_text() == STORE
        assert "undone" in lines(stage)[1]
        await stage.opens(pilot, TurnScreen, "u")
        await stage.press_later(pilot, "enter")
        await until(pilot, lambda: len(lines(stage)) == 3)
        assert stage.file.read_text() == BEFORE + QUIET + AFTER
        await pilot.press("escape")
        assert stage.app.screen is stage.main
        assert "redid" in stage.note


async def test_leaving_the_question_leaves_the_files_and_what_cannot_be_taken_back_is_told(
    begin: Callable[..., Stage],
) -> None:
    stage = begin()
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await open_log(stage, pilot)
        await stage.opens(pilot, TurnScreen, "u")
        await stage.opens(pilot, LogScreen, "escape")
        assert stage.file.read_text() == BEFORE + QUIET + AFTER
        assert note(stage) == ""
        stage.file.unlink()
        await stage.press(pilot, "u")
        await until(pilot, lambda: "store.py is gone" in note(stage))


async def test_an_earlier_turn_brings_its_words_back(begin: Callable[..., Stage]) -> None:
    stage = begin()
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await open_resume(stage, pilot)
        assert ["earlier words" in line for line in lines(stage)] == [True, False]
        assert "say where with @PATH:L1-L2" in patch(stage), "not the option of the command line"
        await pilot.press("j")
        await until(pilot, lambda: "@@ -16,3" in patch(stage))
        assert "nothing accepted" in patch(stage)
        screen = stage.painted
        assert "len(expenses))␛[31m" in screen
        await stage.closes(pilot, "enter")
        assert stage.prompt.text == "do not print in load"
        assert "nothing accepted" in stage.note
        assert stage.session.turn is None
        await pilot.press(*"hi")
        assert stage.prompt.text == "hi"


@pytest.mark.parametrize(("session_id", "shown"), [("20260504", 2), ("nonsense", 0)])
async def test_resuming_shows_the_turns_of_the_session_that_begins_so(
    begin: Callable[..., Stage], session_id: str, shown: int
) -> None:
    stage = begin(resume=session_id)
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: isinstance(stage.app.screen, ResumeScreen))
        await until(
            pilot,
            lambda: (
                len(lines(stage)) == shown and (shown > 0 or "no session begins" in note(stage))
            ),
        )


async def test_the_bell_rings_when_a_turn_ends_only_for_those_who_want_it(
    begin: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[SparkApp] = []
    monkeypatch.setattr(SparkApp, "bell", lambda app: rung.append(app))  # noqa: PLW0108 - a built-in is no method
    for bell in (False, True):
        stage = begin(Settings(bell=bell))
        async with stage.app.run_test(size=(100, 30)) as pilot:
            await accepted(stage, pilot)
            stage.session.undo()
        assert len(rung) == int(bell)
        shutil.rmtree(stage.file.parent)  # where the next stage begins


async def test_the_mouse_is_taken_and_let_go_while_it_runs(begin: Callable[..., Stage]) -> None:
    stage = begin()
    told: list[bool] = []
    async with stage.started(size=(100, 30)):
        stage.app._driver.use_mouse = told.append  # type: ignore[union-attr]  # noqa: SLF001
        stage.app.action_mouse()
        assert "the terminal's" in stage.note
        stage.app.action_mouse()
        assert "spark's" in stage.note
    assert told == [False, True]
