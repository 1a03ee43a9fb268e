"""While a sheet is worked out Esc cancels it, and so does going on: it never opens over what is
typed by then.
"""

from threading import Event

import pytest
from textual import events
from textual.command import CommandPalette
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.session import Session
from spark_tui.tui.screens.history import LogScreen
from spark_tui.tui.screens.modals import ConsentScreen
from spark_tui.tui.screens.undo import ConflictScreen
from spark_tui.tui.widgets.status_bars import Bar
from tests.tui.support import STORE, Stage, until
from tests.tui.test_commit import accept, log
from tests.tui.test_overlays import note, patch
from tests.tui.test_review import decided
from tests.vcs.repos import name_somebody

WORDS = "put up any key"
"""Its letters are keys of every sheet."""
SHEETS = {"undo": "u", "redo": "ctrl+r", "commit": "c"}
NAMES = pytest.mark.parametrize("name", SHEETS)


class Held:
    """Work that has begun and comes to no end before it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self._does = getattr(owner, name)
        self.begun, self._may_end, self.ended = Event(), Event(), Event()
        monkeypatch.setattr(owner, name, self._work)

    def _work(self, *args: object, **kwargs: object) -> object:
        self.begun.set()
        self._may_end.wait(20)
        try:
            return self._does(*args, **kwargs)
        finally:
            self.ended.set()

    def let_go(self) -> None:
        self._may_end.set()

    async def end(self, pilot: Pilot[None]) -> None:
        """Let it come to its end, and the screen take what came of it."""
        self.let_go()
        await until(pilot, self.ended.is_set)
        await pilot.pause(0.05)


async def ready_for(stage: Stage, pilot: Pilot[None], name: str) -> None:
    """There is something to undo and to commit, or to redo."""
    name_somebody(stage.session.repo.root)
    await accept(stage, pilot)
    if name == "redo":
        await stage.turn(pilot, "u")
        await until(pilot, lambda: stage.note.startswith("took back"))
    stage.later()


def hold(stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str) -> Held:
    """Hold what prepares the sheet."""
    held = Held(
        monkeypatch,
        *(
            (stage.main.controller, "offer")
            if name == "commit"
            else (stage.session.past, "preview_last")
        ),
    )
    stage.on_close = held.let_go
    return held


async def asked(
    stage: Stage, pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch, name: str
) -> Held:
    """What a key asks for is being prepared."""
    await ready_for(stage, pilot, name)
    held = hold(stage, monkeypatch, name)
    await stage.press(pilot, SHEETS[name])
    await until(pilot, held.begun.is_set)
    return held


async def write(pilot: Pilot[None], words: str) -> None:
    await pilot.press(*words)


@NAMES
async def test_esc_cancels_it_and_what_is_typed_then_is_in_the_prompt(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with stage.app.run_test() as pilot:
        held = await asked(stage, pilot, monkeypatch, name)
        before, commits = stage.file.read_bytes(), log(stage)
        await pilot.press("escape")
        assert stage.note == f"the {name} is canceled; nothing was done"
        await write(pilot, WORDS[:3])
        await held.end(pilot)
        stage.later()
        await write(pilot, WORDS[3:])
        assert stage.app.screen is stage.main
        assert stage.prompt.text == WORDS
        assert (stage.file.read_bytes(), log(stage)) == (before, commits)


@pytest.mark.parametrize("name", ["redo"])
async def test_a_command_for_it_is_cancelled_by_the_next_letter_and_that_stays_said(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with stage.after(ready_for, name) as pilot:
        held = hold(stage, monkeypatch, name)
        stage.prompt.focus()
        await stage.ask(pilot, f"/{name}")
        await until(pilot, held.begun.is_set)
        await write(pilot, WORDS)
        assert stage.note == f"the {name} is canceled; nothing was done"
        await held.end(pilot)
        assert (stage.app.screen, stage.prompt.text) == (stage.main, WORDS)


async def test_what_is_pasted_cancels_it_and_what_is_opened_meanwhile_stays_on_top(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.app.run_test() as pilot:
        held = await asked(stage, pilot, monkeypatch, "commit")
        stage.app.post_message(events.Paste(WORDS))
        await until(pilot, lambda: stage.prompt.text == WORDS)
        await held.end(pilot)
        assert stage.app.screen is stage.main
        stage.diff.focus()
        again = hold(stage, monkeypatch, "commit")
        await stage.press(pilot, "c")
        await until(pilot, again.begun.is_set)
        await stage.opens(pilot, CommandPalette, "ctrl+p")
        await again.end(pilot)
        assert isinstance(stage.app.screen, CommandPalette)


async def test_what_takes_longer_than_a_moment_is_told_with_the_way_out(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.app.run_test() as pilot:
        held = await asked(stage, pilot, monkeypatch, "commit")
        assert "preparing" not in stage.bar("hints"), (
            "most is there by then, and would only flicker"
        )
        await until(pilot, lambda: stage.bar("hints") == "preparing the commit… Esc  cancel")
        await pilot.press("escape")
        assert "preparing" not in stage.bar("hints")
        await held.end(pilot)


async def test_letters_in_the_diff_answer_no_sheet_and_are_words(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.app.run_test() as pilot:
        held = await asked(stage, pilot, monkeypatch, "undo")
        before = stage.file.read_bytes()
        stage.later()
        await write(pilot, "up")
        await held.end(pilot)
        await write(pilot, "date")
        assert (stage.app.screen, stage.prompt.text) == (stage.main, "update")
        assert stage.file.read_bytes() == before


async def test_a_clash_that_comes_up_when_the_user_went_on_is_told_and_asked_about_another_time(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.reviewing() as pilot:
        mine = STORE.replace("expenses = []", "expenses = set()  # mine")
        stage.file.write_text(mine)
        held = Held(monkeypatch, stage.main.controller, "accept")
        await pilot.press("a")
        await until(pilot, held.begun.is_set)
        await pilot.press("escape")
        await write(pilot, "now the")
        held.let_go()
        await stage.says(pilot, "nothing was written: a asks again")
        stage.later()
        await write(pilot, " next")
        assert stage.note.count("nothing was written") == 1
        assert (stage.app.screen, stage.prompt.text) == (stage.main, "now the next")
        await decided(stage, pilot, HunkState.CHANGED, HunkState.OK)
        assert stage.file.read_text() == mine
        stage.diff.focus()
        await stage.opens(pilot, ConflictScreen, "a")


async def test_an_accept_is_carried_out_though_the_user_went_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.reviewing() as pilot:
        held = Held(monkeypatch, stage.main.controller, "accept")
        await pilot.press("a")
        await until(pilot, held.begun.is_set)
        await pilot.press("escape")
        held.let_go()
        await decided(stage, pilot, HunkState.ACCEPTED, HunkState.OK)


async def test_a_file_to_ask_about_is_not_asked_about_when_the_user_went_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.reviewing() as pilot:
        monkeypatch.setattr(
            stage.session, "concerns", lambda *_, **__: {"store.py": ("is no ordinary file",)}
        )
        held = Held(monkeypatch, stage.session, "concerns")
        await pilot.press("a")
        await until(pilot, held.begun.is_set)
        await pilot.press("escape")
        await write(pilot, "any")
        held.let_go()
        await until(
            pilot,
            lambda: stage.note == "store.py is no ordinary file; nothing was written: a asks again",
        )
        assert (stage.app.screen, stage.prompt.text) == (stage.main, "any")
        await decided(stage, pilot, HunkState.OK, HunkState.OK)
        stage.diff.focus()
        await stage.opens(pilot, ConsentScreen, "a")


async def test_a_command_for_the_shell_is_neither_asked_about_nor_run_behind_esc(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubts = type("Doubts", (), {"found": lambda _: ("a hook",)})()
    held = Held(monkeypatch, doubts, "found")
    monkeypatch.setattr(Session, "restricted", property(lambda _: doubts.found()))
    async with stage.started() as pilot:
        await write(pilot, "!git")
        await pilot.press("enter")
        await until(pilot, held.begun.is_set)
        await pilot.press("escape")
        assert stage.note == "the command is canceled; nothing was done"
        await held.end(pilot)
        assert (stage.app.screen, stage.prompt.text) == (stage.main, "!git")


async def test_in_the_log_esc_leaves_what_is_prepared_and_then_the_log(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.after(accept) as pilot:
        before = stage.file.read_bytes()
        stage.app.action_show_log()
        await until(pilot, lambda: isinstance(stage.app.screen, LogScreen) and "@@" in patch(stage))
        held = Held(monkeypatch, stage.session.past, "preview")
        await stage.press(pilot, "u")
        await until(pilot, held.begun.is_set)
        await until(
            pilot,
            lambda: (
                stage.app.screen.query_one("#keys", Bar).words == "preparing the undo… Esc  cancel"
            ),
        )
        await pilot.press("escape")
        assert note(stage) == "the undo is canceled; nothing was done"
        await held.end(pilot)
        assert "preparing" not in stage.app.screen.query_one("#keys", Bar).words
        await stage.closes(pilot, "escape")
        assert stage.file.read_bytes() == before
