"""Back and on through the tokens of a turn, and on from one with other words."""

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from spark_tui.session.controller import Controller
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.token_scrubber import LookBackScreen
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.status_bars import Bar
from tests.fakes import edit_script, rename_script
from tests.tui.support import EDIT, LOAD, RENAME, SPLIT, STORE, Stage, until


async def paused(stage: Stage, pilot: Pilot[None], tokens: int) -> None:
    await stage.ask(pilot, EDIT)
    await stage.step_until(pilot, lambda: stage.seen >= tokens)
    await pilot.press("escape")
    stage.gate.let(1)
    await until(pilot, lambda: stage.session.runner.paused)


def looking(stage: Stage) -> LookBackScreen:
    screen = stage.app.screen
    assert isinstance(screen, LookBackScreen)
    return screen


def told(stage: Stage) -> str:
    return looking(stage).query_one("#token", Bar).words


def at_line(stage: Stage, line: str) -> int:
    turn: Any = stage.session.turn
    return next(at for at in range(len(turn.tape)) if turn.tape.read(at).open_line == line)


async def test_words_typed_at_a_token_branch_from_there_and_nothing_is_written(
    stage: Stage,
) -> None:
    async with stage.reviewing(size=(100, 30)) as pilot:
        first: Any = stage.session.turn
        await pilot.press("comma")
        looking(stage).scrub.at = at_line(stage, "    expenses = list(")
        await pilot.press(*"range(3))", "enter")
        await until(
            pilot, lambda: stage.app.screen is stage.main and stage.session.turn is not first
        )
        await until(pilot, lambda: stage.view.phase in {TurnPhase.REVIEW, TurnPhase.READY})
        assert "expenses = list(range(3))" in stage.proposed
        assert stage.bar("title").startswith(SPLIT)
        assert stage.file.read_text() == STORE


async def test_where_nothing_comes_of_a_branch_the_proposal_is_back_as_edited(
    stage: Stage,
) -> None:
    async with stage.reviewing(size=(100, 30)) as pilot:
        first: Any = stage.session.turn
        first.file.edit(first.hunks[0].id, ["    expenses = dict()"])
        before = stage.proposed
        await pilot.press("comma")
        looking(stage).scrub.at = at_line(stage, "    expenses = list(")
        await stage.says(pilot, "the review is as it was before", *"nowhere)", "enter")
        assert "Up brings back what you typed" in stage.note
        assert (stage.session.turn, stage.proposed, stage.view.phase) == (
            first,
            before,
            TurnPhase.REVIEW,
        )
        assert "expenses = dict()" in before
        stage.prompt.focus()
        await pilot.press("up")
        assert stage.prompt.text == "nowhere)"


async def test_a_branch_of_a_renaming_takes_the_name_that_is_typed(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, scripts={RENAME: rename_script("expenses", "rows")})
    async with stage.reviewing(RENAME, size=(100, 30)) as pilot:
        first: Any = stage.session.turn
        assert stage.bar("title").startswith("rename expenses to rows in load")
        await pilot.press("comma", "comma")
        assert str(looking(stage).prompt.placeholder) == "type how the name goes on from here"
        await pilot.press("enter")
        assert "type how the name goes on" in looking(stage).query_one(Note).words
        scrub = looking(stage).scrub
        scrub.at = next(
            at for at in range(len(first.tape)) if "    rows = []" in first.tape.file(at).lines
        )
        await pilot.press(*"_read", "enter")
        await until(
            pilot, lambda: stage.app.screen is stage.main and stage.session.turn is not first
        )
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert "rows_read = []" in stage.proposed
        assert stage.bar("title").startswith("rename expenses to rows in load")


async def test_words_typed_within_a_character_go_on_from_the_words_before_it(
    tmp_path: Path,
) -> None:
    said = 'print("loaded “all”", len(expenses))'
    stage = Stage(
        tmp_path,
        scripts={EDIT: edit_script(LOAD, LOAD.replace('print("loaded", len(expenses))', said))},
    )
    async with stage.reviewing(EDIT, size=(100, 30)) as pilot:
        await pilot.press("comma")
        screen = looking(stage)
        last = at_line(stage, '    print("loaded “all')
        screen.scrub.at = last
        await pilot.press("full_stop", "full_stop")
        assert "�" in told(stage)
        await pilot.press("t")
        assert screen.scrub.at == last
        assert "�" not in told(stage)


async def test_where_no_words_can_go_on_none_are_offered_and_what_is_written_is_told_so(
    stage: Stage,
) -> None:
    async with stage.reviewing(size=(100, 30)) as pilot:
        await pilot.press("comma", "home")
        screen = looking(stage)
        hints, note = screen.query_one("#hints", Bar), screen.query_one(Note)
        assert "branch" not in hints.words
        assert "fix" not in hints.words
        assert "no change yet" in told(stage)
        for letter in "two":  # before the screen hears of the first
            screen.prompt.put(letter, by_hand=True)
        await until(pilot, lambda: screen.prompt.text == "")
        assert "no line is being written" in note.words
        screen.prompt.set_text("words that were pasted")
        await pilot.press("enter")
        assert "no line is being written" in note.words
        assert "Enter" not in hints.words, "what is refused is not offered"
        assert screen.prompt.text == "words that were pasted"
        await pilot.press("escape")
        assert screen.prompt.text == ""
        screen.scrub.at = at_line(stage, "    expenses = list(")
        await pilot.press("full_stop", "comma")
        assert "to branch" in hints.words
        assert "no change yet" not in told(stage)


async def test_what_was_accepted_stays_in_the_list_of_a_branch(stage: Stage) -> None:
    async with stage.reviewing(size=(100, 30)) as pilot:
        await stage.decides(pilot, "a", left=1)
        before = stage.session.turn
        await pilot.press("comma")
        looking(stage).scrub.at -= 1
        turn: Any = stage.session.turn
        looking(stage).dismiss(turn.tape.text(len(turn.tape) - 2))
        await until(
            pilot, lambda: stage.session.turn is not before and stage.view.phase is TurnPhase.REVIEW
        )
        assert [item.state.value for item in stage.view.items()] == ["accepted", "ok"]


async def test_e_on_the_half_written_line_takes_it_into_the_prompt_and_decoding_goes_on_from_it(
    stage: Stage,
) -> None:
    async with stage.app.run_test(size=(100, 30)) as pilot:
        await paused(stage, pilot, 40)
        first: Any = stage.session.turn
        screen = await stage.opens(pilot, LookBackScreen, "tab", "end", "e")
        line = screen.prompt.text
        assert line.startswith("    ")
        await pilot.press("up")
        assert screen.prompt.text == line, "a key of the prompt's own"
        await pilot.press(*"  # mine")
        stage.gate.open()
        await pilot.press("enter")
        await until(pilot, lambda: stage.session.turn is not first)
        await until(pilot, lambda: stage.view.phase in {TurnPhase.REVIEW, TurnPhase.READY})
        turn: Any = stage.session.turn
        assert line + "  # mine" in turn.tape.file(len(turn.tape) - 1).to_bytes().decode()


async def test_where_the_model_was_sure_no_token_is_uncertain(stage: Stage) -> None:
    async with stage.reviewing(size=(100, 30)) as pilot:
        await pilot.press("tilde")
        assert "sure of every token" in looking(stage).query_one(Note).words


async def test_keys_that_look_back_are_no_text_while_a_turn_is_about_to_begin(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, begin = threading.Event(), Controller.begin
    monkeypatch.setattr(Controller, "begin", lambda *args: begun.wait(20) and begin(*args))
    async with stage.asked(EDIT, size=(100, 30)) as pilot:
        await until(pilot, lambda: stage.main.is_starting)
        await pilot.press("comma", "comma", "full_stop", "tilde")
        assert (stage.prompt.text, stage.app.screen) == ("", stage.main)
        assert "nothing is written yet" in stage.note
        begun.set()
        await until(pilot, lambda: stage.seen > 0)
        await until(pilot, lambda: stage.note == "")
