"""Keys that come faster than they act: each acts where the one before it leads."""

import threading

import pytest
from textual import events

from spark_tui.session.controller import Controller
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import TurnPhase
from tests.tui.support import EDIT, HUSH, SPLIT, STORE, Stage, until
from tests.tui.test_commit import burst


@pytest.fixture
def may_begin(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """No turn begins before this is set."""
    begin, may_begin = stage.session.begin, threading.Event()
    monkeypatch.setattr(
        stage.session, "begin", lambda request: begin(request) if may_begin.wait(10) else None
    )
    return may_begin


async def test_what_comes_behind_a_key_belongs_to_where_that_leads_and_accepts_nothing(
    stage: Stage,
) -> None:
    async with stage.reviewing() as pilot:
        burst(stage, "question_mark", "q", "right_square_bracket")
        await until(pilot, lambda: stage.diff.selected == 1)
        assert stage.app.screen is stage.main
        assert stage.app.return_code is None
        burst(stage, "escape", *"any")
        stage.app.post_message(events.Paste("yes"))
        burst(stage, "z")
        await until(pilot, lambda: stage.prompt.text == "anyyesz")
        assert len(stage.view.hunks) == 2
        assert stage.file.read_text() == STORE


async def test_a_letter_behind_the_esc_that_ends_a_turn_is_text(stage: Stage) -> None:
    async with stage.started() as pilot:
        stage.prompt.put(SPLIT)
        await pilot.press("enter")
        await stage.step_until(pilot, lambda: len(stage.view.hunks) == 2)
        await pilot.press("escape", "escape")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        await stage.press_later(pilot, *"add")
        assert stage.prompt.text == "add"
        assert stage.file.read_text() == STORE


@pytest.mark.parametrize("between", [[], ["x", "backspace"]], ids=["at once", "after a letter"])
async def test_two_esc_give_a_turn_up_that_does_not_run_yet(
    stage: Stage, between: list[str], may_begin: threading.Event
) -> None:
    async with stage.started() as pilot:
        stage.prompt.put(SPLIT)
        burst(stage, "enter", "escape", *between, "escape", *"hi")
        await until(pilot, lambda: stage.prompt.text == "hi")
        may_begin.set()
        await until(pilot, lambda: not stage.main.busy)
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase in {TurnPhase.READY, TurnPhase.REVIEW})
        assert (stage.prompt.text, stage.prompt.has_focus, stage.file.read_text()) == (
            "hi",
            True,
            STORE,
        )


async def test_the_figures_of_the_last_turn_are_gone_while_the_next_one_waits(
    stage: Stage, may_begin: threading.Event
) -> None:
    stage.gate.open()
    may_begin.set()
    async with stage.started(size=(160, 40)) as pilot:
        stage.prompt.put(EDIT)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        stage.main.action_meters()
        assert "TTFT" in stage.bar("meters")
        may_begin.clear()
        stage.main.dispatch.send(HUSH)
        assert stage.main.is_starting
        shown = stage.bar("meters")
        assert "reading" in shown
        assert not any(figure in shown for figure in ("TTFT", "tok/s", "tok/pass", "ctx"))
        may_begin.set()
        await until(
            pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.view.instruction == HUSH
        )
        assert "TTFT" in stage.bar("meters")


async def test_what_was_sent_is_to_be_read_while_its_place_is_looked_for(
    stage: Stage, may_begin: threading.Event
) -> None:
    async with stage.started() as pilot:
        stage.main.dispatch.send(HUSH)
        assert HUSH in stage.bar("title")
        may_begin.set()
        await until(pilot, lambda: stage.view.instruction == HUSH)


async def test_what_is_sent_while_a_turn_is_about_to_begin_is_sent_once_it_has(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, may_begin: threading.Event
) -> None:
    redirected = list[str]()
    async with stage.started() as pilot:
        controller = stage.controller
        redirect = controller.redirect

        def noted(text: str) -> Turn:
            redirected.append(text)
            return redirect(text)

        monkeypatch.setattr(controller, "redirect", noted)
        stage.main.dispatch.send(EDIT)
        assert "pause" in stage.bar("hints")
        await pilot.press(*"to x")
        assert "redirect" in stage.bar("hints")
        await pilot.press("enter")
        assert stage.prompt.text == "to x"
        may_begin.set()
        await until(pilot, lambda: redirected == ["to x"])
        await until(pilot, lambda: stage.prompt.text == "")
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase in {TurnPhase.READY, TurnPhase.REVIEW})


async def test_what_is_sent_while_a_turn_is_being_given_up_is_no_redirect(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    redirected = list[str]()
    redirect = Controller.redirect

    def seen(controller: Controller, words: str, turn: Turn | None = None) -> Turn:
        redirected.extend([] if turn else [words])  # of the turn that runs
        return redirect(controller, words, turn)

    monkeypatch.setattr(Controller, "redirect", seen)
    async with stage.started() as pilot:
        stage.prompt.put(SPLIT)
        await pilot.press("enter")
        await until(pilot, lambda: stage.gate.holds and stage.seen > 0)
        burst(stage, "escape", "escape", *HUSH, "enter")
        await until(pilot, lambda: stage.main.is_starting)
        stage.gate.open()  # the token that was begun is finished first
        await until(pilot, lambda: stage.view.instruction == HUSH)
        assert redirected == []
