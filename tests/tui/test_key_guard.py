"""Words typed while the diff has the focus open nothing; begun as a turn ends, they decide
about no hunk.
"""

import threading

import pytest
from textual import events
from textual.pilot import Pilot

from spark_tui.session.hunk_items import HunkState
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.screens import key_guard
from spark_tui.tui.screens.commit import CommitScreen
from spark_tui.tui.screens.key_guard import WORD_S
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


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow this machine is, a letter is behind the one before it as soon as when people
    type.
    """
    monkeypatch.setattr(key_guard, "DECIDE_S", 60)
    monkeypatch.setattr(key_guard, "WORD_S", 60)


async def write(stage: Stage, pilot: Pilot[None], words: str) -> None:
    """Type as people do."""
    for char in words:
        await pilot.press("space" if char == " " else char)
        stage.later(TYPED_EVERY_S)


@pytest.mark.usefixtures("typing")
@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        *(("and add a type", seconds) for seconds in (0.0, GUARD_S, 1.0)),
        *(
            (words, 1.0)
            for words in (
                "A]a r",
                "@app add",
                "/undo",
                "`a` too",
                "_a is",
                "@store.py add",
                "/resume",
            )
        ),
        *(
            (words, 60.0)
            for words in (
                "eep",
                "keep",
                "java",
                *(f"{letter}hat" for letter in "segYucvziqwdtp5nyarARjk"),
            )
        ),
    ],
)
async def test_words_typed_in_the_diff_at_any_time_do_nothing_and_lose_no_letter(
    stage: Stage, words: str, seconds: float
) -> None:
    async with stage.after(led_away, seconds) as pilot:
        await write(stage, pilot, words)
        assert (stage.prompt.text, stage.app.screen) == (words, stage.main)
        assert states(stage) == OPEN
        assert stage.file.read_text() == STORE


@pytest.mark.parametrize("words", ["change it", "c", "drop it"])
@pytest.mark.parametrize(("meanwhile", "seconds"), [(1, 0.0), (1, WORD_S), (2, 0.0), (9, 0.0)])
async def test_words_begun_while_the_last_accept_is_carried_out_are_text(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: str, meanwhile: int, seconds: float
) -> None:
    """Behind it the prompt has the focus, and nobody types by the moment that it has."""
    go = threading.Event()
    async with stage.reviewing(EDIT) as pilot:
        write = stage.desk.accept
        monkeypatch.setattr(
            stage.desk, "accept", lambda *args, **more: (go.wait(10), write(*args, **more))[1]
        )
        await stage.press_later(pilot, "A")
        await until(pilot, lambda: stage.main.is_deciding)
        await pilot.press(*["space" if char == " " else char for char in words[:meanwhile]])
        stage.later(seconds)
        await pilot.pause(1.5 * seconds)
        go.set()
        await until(pilot, lambda: stage.prompt.has_focus and not stage.main.busy)
        await pilot.press(*["space" if char == " " else char for char in words[meanwhile:]])
        await until(pilot, lambda: stage.prompt.text == words)
        assert stage.file.read_text() != STORE
        assert stage.app.screen is stage.main


@pytest.mark.parametrize("letter", ["d", "a"])
async def test_a_letter_on_its_way_to_the_diff_as_the_focus_leaves_that_is_text(
    stage: Stage, letter: str
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        stage.diff._forward_event(events.Key(letter, letter))
        stage.main.set_focus(stage.prompt)
        await until(pilot, lambda: stage.prompt.text == letter)
        assert states(stage) == OPEN


@pytest.mark.parametrize("key", ["a", "A"])
async def test_a_letter_alone_is_a_key_once_it_is_clear_that_no_word_follows(
    stage: Stage, key: str
) -> None:
    async with stage.after(led_away, GUARD_S) as pilot:
        await pilot.press(key)
        assert not stage.main.busy
        assert states(stage) == OPEN
        await until(pilot, lambda: states(stage) != OPEN)
        assert stage.prompt.text == ""


async def test_a_letter_alone_opens_what_it_is_the_key_of(stage: Stage) -> None:
    async with stage.after(led_away, 60) as pilot:
        await pilot.press("w")
        assert (stage.app.screen, stage.prompt.placeholder) == (stage.main, "w")
        await until(pilot, lambda: stage.app.screen is not stage.main)


@pytest.mark.usefixtures("typing")
@pytest.mark.parametrize("keys", ["j", "aa", "jkaa"])
async def test_what_moves_and_the_same_decision_again_wait_for_nothing(
    stage: Stage, keys: str
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        before = stage.diff.cursor
        await pilot.press(*keys)
        await until(
            pilot,
            lambda: states(stage) == FIRST_ACCEPTED if "a" in keys else stage.diff.cursor != before,
        )


@pytest.mark.parametrize("clicked", [False, True])
async def test_a_letter_before_a_click_or_another_kind_of_key_acts_where_it_was(
    stage: Stage, clicked: bool
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await pilot.press("a", *([] if clicked else ["escape"]))
        if clicked:
            await pilot.click("HunkList", offset=(5, 1))
        await until(pilot, lambda: states(stage) == FIRST_ACCEPTED)
        assert stage.prompt.has_focus is not clicked


@pytest.mark.parametrize("clicked", [False, True])
async def test_after_a_click_or_a_key_that_begins_no_word_letters_act_at_once(
    stage: Stage, clicked: bool
) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        if clicked:
            await pilot.click("HunkList", offset=(5, 1))
        else:
            await pilot.press("right_square_bracket")
        await pilot.press("a")
        await until(pilot, lambda: HunkState.ACCEPTED in states(stage))


@pytest.mark.usefixtures("typing")
async def test_a_letter_and_what_is_pasted_behind_it_are_text(stage: Stage) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await pilot.press("a")
        stage.app.post_message(events.Paste("dd a type"))
        await until(pilot, lambda: stage.prompt.text == "add a type")
        assert states(stage) == OPEN


async def test_a_letter_does_nothing_behind_what_was_opened_on_top_of_it(stage: Stage) -> None:
    async with stage.after(led_away, 1.0) as pilot:
        await pilot.press("a", "ctrl+p")
        await until(pilot, lambda: stage.app.screen is not stage.main)
        await pilot.pause(WORD_S + 0.05)
        assert not stage.main.busy
        assert states(stage) == OPEN


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
