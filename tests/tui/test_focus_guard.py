"""What has the focus decides what a letter means, at once; words begun where the user cannot know
the focus decide about no hunk.
"""

import threading
from collections.abc import Callable

import pytest
from textual import events
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.screens.focus_guard import TYPING_S, WORD_S
from spark_tui.tui.screens.undo import TurnScreen
from spark_tui.tui.widgets.work import GUARD_S
from tests.tui.support import EDIT, SPLIT, STORE, Stage, until
from tests.tui.test_review import states

OPEN = [HunkState.OK, HunkState.OK]
FIRST_ACCEPTED = [HunkState.ACCEPTED, HunkState.OK]
TYPED_EVERY_S = 0.12


async def led_away(stage: Stage, pilot: Pilot[None], seconds: float) -> None:
    """Let a whole turn go by, and then so much time."""
    stage.gate.open()
    await stage.ask(pilot, SPLIT)
    await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.diff.has_focus)
    stage.later(seconds)


async def write(stage: Stage, pilot: Pilot[None], words: str) -> None:
    """Type as people do."""
    for char in words:
        await pilot.press("space" if char == " " else char)
        stage.later(TYPED_EVERY_S)


def hold_decisions(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let decisions reach the disk only once the event is set."""
    go = threading.Event()

    def hold(decide: Callable[..., object]) -> Callable[..., object]:
        def decide_later(*args: object, **options: object) -> object:
            go.wait(10)
            return decide(*args, **options)

        return decide_later

    monkeypatch.setattr(stage.controller, "accept", hold(stage.controller.accept))
    monkeypatch.setattr(stage.controller, "reject", hold(stage.controller.reject))
    return go


@pytest.mark.parametrize("words", ["and add a type", "A]a r", "never", "java", "u r a"])
async def test_words_typed_just_as_the_turn_ends_are_text_from_their_first_letter_on(
    stage: Stage, words: str
) -> None:
    async with stage.after(led_away, 0.0) as pilot:
        await write(stage, pilot, words)
        assert (stage.prompt.text, stage.app.screen) == (words, stage.main)
        assert states(stage) == OPEN
        assert stage.file.read_text() == STORE


@pytest.mark.parametrize("words", ["@app add", "/undo", "`a` too", "_a is", "that", "hat", "drop"])
async def test_words_that_begin_with_no_key_are_text_at_any_time(stage: Stage, words: str) -> None:
    async with stage.after(led_away, 60.0) as pilot:
        await write(stage, pilot, words)
        assert stage.prompt.text == words
        assert states(stage) == OPEN


async def test_a_word_that_begins_with_a_decision_loses_no_letter_and_tells_how_to_undo(
    stage: Stage,
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: states(stage) == FIRST_ACCEPTED and not stage.main.busy)
        stage.later(TYPED_EVERY_S)
        await write(stage, pilot, "dd a type")
        assert stage.prompt.text == "add a type"
        assert states(stage) == FIRST_ACCEPTED
        assert stage.note == "“a” acted in the diff; /undo takes the decision back"


async def test_a_letter_that_acted_long_ago_begins_no_word(stage: Stage) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await pilot.press("j")
        stage.later(2 * WORD_S)
        await write(stage, pilot, "drop it")
        assert stage.prompt.text == "drop it"


@pytest.mark.parametrize("key", ["a", "r", "A", "R"])
async def test_a_decision_shows_itself_before_anything_is_written(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    state = HunkState.ACCEPTING if key in "aA" else HunkState.REJECTING
    async with stage.after(led_away, GUARD_S) as pilot:
        go = hold_decisions(stage, monkeypatch)
        await pilot.press(key)
        assert states(stage)[0] is state
        assert stage.file.read_text() == STORE
        go.set()
        await until(pilot, lambda: state not in states(stage) and not stage.main.busy)


@pytest.mark.every(2)
@pytest.mark.parametrize("words", ["change it", "c", "drop it"])
@pytest.mark.parametrize("meanwhile", [1, 2, 9])
async def test_words_begun_while_the_last_accept_is_carried_out_are_text(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: str, meanwhile: int
) -> None:
    """Behind it the prompt has the focus, and nobody types by the moment that it has."""
    async with stage.reviewing(EDIT) as pilot:
        go = hold_decisions(stage, monkeypatch)
        await stage.press_later(pilot, "A")
        await until(pilot, lambda: stage.main.is_deciding)
        await write(stage, pilot, words[:meanwhile])
        go.set()
        await until(pilot, lambda: stage.prompt.has_focus and not stage.main.busy)
        await write(stage, pilot, words[meanwhile:])
        await until(pilot, lambda: stage.prompt.text == words)
        assert stage.file.read_text() != STORE
        assert stage.app.screen is stage.main


@pytest.mark.parametrize("is_written", [False, True])
async def test_a_word_that_begins_with_the_key_of_the_last_decision_keeps_its_first_letter(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    async with stage.reviewing(EDIT) as pilot:
        go = hold_decisions(stage, monkeypatch)
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: stage.main.is_deciding)
        if is_written:
            go.set()
            await until(pilot, lambda: stage.prompt.has_focus and not stage.main.busy)
        await write(stage, pilot, "any")
        go.set()
        await until(pilot, lambda: stage.prompt.text == "any" and not stage.main.busy)


async def test_a_decision_pressed_once_too_often_writes_nothing_into_the_prompt(
    stage: Stage,
) -> None:
    async with stage.reviewing(EDIT) as pilot:
        await stage.press_later(pilot, "a")
        for _ in range(3):
            await pilot.press("a")
            stage.later(0.1)
        await until(pilot, lambda: stage.prompt.has_focus and not stage.main.busy)
        await pilot.press("a")
        assert stage.prompt.text == ""
        stage.later(GUARD_S)
        await pilot.press("a")
        assert stage.prompt.text == "a"


@pytest.mark.parametrize("letter", ["d", "a"])
async def test_a_letter_on_its_way_to_the_diff_as_the_focus_leaves_that_is_text(
    stage: Stage, letter: str
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        stage.diff._forward_event(events.Key(letter, letter))  # noqa: SLF001
        stage.main.set_focus(stage.prompt)
        await until(pilot, lambda: stage.prompt.text == letter)
        assert states(stage) == OPEN


async def test_the_end_of_a_turn_leaves_the_focus_to_a_user_who_has_just_typed(
    stage: Stage,
) -> None:
    async with stage.asked(SPLIT) as pilot:
        await stage.step_until(pilot, lambda: stage.seen > 0)
        await pilot.press("x", "backspace", "enter")
        stage.later(TYPING_S / 2)
        stage.gate.open()
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        assert stage.prompt.has_focus
        await pilot.press("a")
        assert stage.prompt.text == "a"
        assert states(stage) == OPEN


@pytest.mark.parametrize("keys", ["a", "ja", "jkaa", "[a"])
async def test_keys_of_the_diff_wait_for_nothing(stage: Stage, keys: str) -> None:
    async with stage.after(led_away, GUARD_S) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: states(stage) == FIRST_ACCEPTED)


async def test_a_letter_opens_what_it_is_the_key_of_at_once(stage: Stage) -> None:
    async with stage.after(led_away, GUARD_S) as pilot:
        await pilot.press("w")
        await until(pilot, lambda: stage.app.screen is not stage.main)


async def test_what_is_pasted_into_the_diff_is_text(stage: Stage) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        stage.app.post_message(events.Paste("add a type"))
        await until(pilot, lambda: stage.prompt.text == "add a type")
        assert states(stage) == OPEN


async def test_a_tab_just_as_the_turn_ends_asks_for_no_other_answer(stage: Stage) -> None:
    async with stage.after(led_away, 0.0) as pilot:
        await pilot.press("tab")
        assert not stage.main.is_varying
        assert stage.diff.has_focus


async def all_decided(stage: Stage, pilot: Pilot[None]) -> None:
    """Accept all, and let time go by."""
    await led_away(stage, pilot, 1.0)
    await pilot.press("A")
    await until(
        pilot,
        lambda: (
            stage.view.phase is TurnPhase.READY and not stage.view.hunks and not stage.main.busy
        ),
    )
    await until(pilot, lambda: stage.prompt.has_focus)
    stage.later(60)


@pytest.mark.parametrize(("keys", "opened"), [("c", CommitScreen), ("u", TurnScreen)])
async def test_a_tab_away_letters_are_keys_again_and_the_prompt_says_so(
    stage: Stage, keys: str, opened: type
) -> None:
    async with stage.after(all_decided) as pilot:
        assert "Tab  diff" in stage.bar("hints")
        await pilot.press("tab")
        await until(pilot, lambda: "letters are keys of the diff" in str(stage.prompt.placeholder))
        await stage.opens(pilot, opened, *keys)
        assert stage.prompt.text == ""


async def test_the_footer_names_what_has_the_focus(stage: Stage) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await until(pilot, lambda: stage.bar("hints").split()[:3] == ["diff", "a", "accept"])
        await pilot.press("enter")
        await until(pilot, lambda: stage.bar("hints").split()[:3] == ["prompt", "Enter", "send"])
