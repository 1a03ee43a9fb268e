"""What keys mean while tokens stream: pause, go on, redirect, discard."""

import threading
from collections.abc import Iterator

import pytest
from textual.pilot import Pilot

from spark_tui.editing.hunks import Hunk
from spark_tui.session.controller import Controller
from spark_tui.session.events import Event, Held, HunkUpdated, Status
from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import IN_TURN, TurnPhase
from spark_tui.tui.screens.main import MainScreen
from tests.tui.support import EDIT, HUSH, SPLIT, STORE, Stage, until


async def start(
    stage: Stage, pilot: Pilot[None], *, tokens: int = 0, instruction: str = EDIT
) -> None:
    """Send an instruction and let some tokens of the answer come."""
    await stage.ask(pilot, instruction)
    await until(pilot, lambda: stage.view.phase is TurnPhase.WRITING)
    stage.gate.let(tokens)
    await until(pilot, lambda: stage.seen > tokens)


async def park(stage: Stage, pilot: Pilot[None]) -> None:
    """Let the token go that the engine was busy with, so that it can stand still."""
    stage.gate.let(1)
    await until(
        pilot, lambda: stage.session.runner.paused and stage.view.figures.stop_ms is not None
    )


async def finish(stage: Stage, pilot: Pilot[None]) -> None:
    stage.gate.open()
    await until(pilot, lambda: stage.view.phase in {TurnPhase.REVIEW, TurnPhase.READY})


async def test_a_turn_that_has_said_nothing_yet_is_being_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_speak = threading.Event()

    def silent(_: Turn) -> Iterator[Event]:
        may_speak.wait(10)
        yield Held("")

    monkeypatch.setattr(Turn, "events", silent)
    async with stage.started() as pilot:
        await stage.ask(pilot, EDIT)
        await until(pilot, lambda: stage.view.instruction == EDIT and not stage.main.busy)
        assert "reading" in stage.bar("meters")
        assert "Esc pause" in stage.bar("hints").replace("  ", " ")
        may_speak.set()


async def test_a_painting_between_an_event_and_the_hunks_it_tells_of_shows_those_known(
    stage: Stage,
) -> None:
    known, grown, later = (
        Hunk("a", 0, (), ("x\n",)),
        Hunk("a", 0, (), ("x\n", "y\n")),
        Hunk("b", 9, (), ("z\n",)),
    )
    async with stage.after(start):
        rows = []
        for hunks in ((known,), (grown,), (grown, later)):
            stage.view.take(HunkUpdated(hunks))
            stage.main.paint()
            rows.append(stage.diff.live_row)
            stage.view.sync(stage.view.base, hunks)
            stage.main.paint()
            rows.append(stage.diff.live_row)
        assert rows == [None, 0, None, 1, None, 9]


async def test_text_and_enter_redirect_from_a_pause_but_not_far_too_many_words(
    stage: Stage,
) -> None:
    words = "make it better " * 1000
    async with stage.after(start, tokens=10) as pilot:
        first = stage.session.turn
        await pilot.press("escape")
        await park(stage, pilot)
        await stage.ask(pilot, words)
        await stage.says(pilot, "15,000 characters, the limit is 10,000")
        assert (stage.session.turn, stage.view.phase, stage.prompt.full) == (
            first,
            TurnPhase.PAUSED,
            words,
        )
        await stage.ask(pilot, HUSH)
        await finish(stage, pilot)
        assert stage.session.turn is not first
        assert stage.view.instruction == HUSH
        assert [hunk.old_lines for hunk in stage.view.hunks] == [
            ('    print("loaded", len(expenses))',)
        ]


@pytest.mark.parametrize(
    ("words", "asked"),
    [("no, in @store.py::save", "no, in"), ("close it in `save`", "close it in `save`")],
)
async def test_a_redirect_goes_to_the_other_function_that_it_names_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: str, asked: str
) -> None:
    async with stage.after(start, tokens=10) as pilot:
        await pilot.press("escape")
        await park(stage, pilot)
        await stage.ask(pilot, "tidy it in @gone.py")
        await stage.says(pilot, "there is no file gone.py")
        assert (stage.prompt.text, stage.view.phase) == ("tidy it in @gone.py", TurnPhase.PAUSED)
        said = list[str]()
        monkeypatch.setattr(MainScreen, "say", lambda _, words, **__: said.append(words))
        await stage.ask(pilot, words)
        await until(pilot, lambda: stage.view.instruction == asked)
        await finish(stage, pilot)
        assert f"moved to store.py:21-23  save: “{asked}”" in said
        assert (stage.asked_turn.region.symbol, stage.asked_turn.request.instruction) == (
            "save",
            asked,
        )
        assert stage.asked_turn.request.earlier == (EDIT,)


async def test_a_plain_word_that_is_also_a_function_elsewhere_leads_a_redirect_nowhere(
    stage: Stage,
) -> None:
    words = "no, save every one of them instead"
    async with stage.after(start, tokens=10) as pilot:
        await pilot.press("escape")
        await park(stage, pilot)
        await stage.ask(pilot, words)
        await until(pilot, lambda: stage.view.instruction == words)
        await finish(stage, pilot)
        turn = stage.asked_turn
        assert (turn.region.symbol, turn.request.instruction, turn.request.earlier) == (
            "load",
            words,
            (EDIT,),
        )


async def test_a_second_esc_drops_the_unfinished_and_keeps_the_closed_hunks(stage: Stage) -> None:
    async with stage.after(start, instruction=SPLIT) as pilot:
        await stage.step_until(
            pilot, lambda: any(item.state is HunkState.UNCHECKED for item in stage.view.items())
        )
        closed = [
            hunk.new_lines
            for hunk in stage.view.hunks
            if stage.view.state(hunk) is not HunkState.WRITING
        ]
        await pilot.press("escape")
        await park(stage, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert [hunk.new_lines for hunk in stage.view.hunks] == closed
        assert stage.file.read_text() == STORE


async def test_a_turn_that_was_given_up_is_stopping_until_its_token_ends(stage: Stage) -> None:
    async with stage.after(start, tokens=10) as pilot:
        # Else the pause may come before the engine begins the next token, and nothing is to end.
        await until(pilot, lambda: stage.gate.holds)
        await pilot.press("escape")
        await until(pilot, lambda: "go on" in stage.bar("hints"))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "stopping" in stage.bar("meters"))
        assert "go on" not in stage.bar("hints")
        await pilot.press("enter")
        assert "stopping" in stage.bar("meters")
        stage.gate.let(1)
        await until(pilot, lambda: "stopping" not in stage.bar("meters"))
        assert stage.view.phase not in IN_TURN


@pytest.mark.parametrize("pasted", [False, True])
async def test_what_is_typed_or_pasted_pauses_and_waits_in_the_prompt_also_while_it_is_discarded(
    stage: Stage, pasted: bool
) -> None:
    async with stage.after(start, tokens=10) as pilot:
        if pasted:
            stage.prompt.put("no")
        else:
            await pilot.press("n", "o")
        await until(pilot, lambda: stage.view.phase is TurnPhase.PAUSED)
        await until(pilot, lambda: "redirect" in stage.bar("hints"))
        await pilot.press("escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        assert stage.prompt.text == "no"
        assert stage.prompt.has_focus


async def test_an_unknown_place_is_said_the_words_come_back_and_a_late_esc_does_nothing(
    stage: Stage,
) -> None:
    async with stage.asked("do something somewhere") as pilot:
        await stage.says(pilot, "say what should be different")
        assert stage.prompt.text == "do something somewhere"
        await pilot.press("x")
        assert stage.note == ""
        await start(stage, pilot, instruction=HUSH)
        await finish(stage, pilot)
        await pilot.press("escape")
        await stage.ask(pilot, EDIT)
        await until(
            pilot, lambda: stage.view.instruction == EDIT and stage.view.phase is TurnPhase.REVIEW
        )


async def test_standing_still_right_after_a_look_is_not_taken_for_all_shown(stage: Stage) -> None:
    async with stage.after(start, tokens=5) as pilot:
        controller = stage.controller
        await until(pilot, lambda: stage.gate.holds)
        controller.flush()
        controller.pause()
        controller.flush()
        stage.gate.let(1)
        assert stage.session.runner.wait_stopped(10)
        assert not controller.settled, "nobody took what was said since"
        await until(pilot, lambda: controller.settled)
        assert stage.view.figures.stop_ms is not None


async def test_the_review_begins_only_once_the_hunks_that_came_of_the_turn_are_there(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing, sync = threading.Event(), Controller._sync  # noqa: SLF001
    monkeypatch.setattr(
        Controller, "_sync", lambda controller: not changing.is_set() and sync(controller)
    )
    async with stage.started() as pilot:
        changing.set()
        stage.gate.open()
        await pilot.press(*EDIT, "enter")
        await until(
            pilot, lambda: stage.session.turn is not None and stage.session.turn.status is Status.OK
        )
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        await pilot.pause(0.1)
        assert not stage.view.hunks
        assert not stage.diff.has_focus
        changing.clear()
        await until(pilot, lambda: stage.diff.has_focus)
        assert stage.view.hunks
