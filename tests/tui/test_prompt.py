"""Writing instructions: history, lines, pastes."""

from spark_tui.session.turn_state import TurnPhase
from tests.tui.support import EDIT, HUSH, Stage, until

WRONG = "tidy it in @nope.py"


async def test_up_and_down_walk_through_what_was_sent_and_back_to_the_draft(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        for sent in (EDIT, HUSH, HUSH):
            stage.prompt.remember(sent)
        await pilot.press(*"dra", "up")
        assert stage.prompt.text == HUSH
        await pilot.press("up")
        assert stage.prompt.text == EDIT
        await pilot.press("up")
        assert stage.prompt.text == EDIT
        await pilot.press("down", "down")
        assert stage.prompt.text == "dra"
        await pilot.press("down")
        assert stage.prompt.text == "dra"


async def test_keys_that_break_the_line_make_the_prompt_grow_and_up_moves_in_its_lines_first(
    stage: Stage,
) -> None:
    async with stage.app.run_test() as pilot:
        stage.prompt.remember(EDIT)
        for key in ("ctrl+j", "alt+enter", "shift+enter"):
            await pilot.press("a", key, "b")
            await pilot.pause()
            assert stage.prompt.text == "a\nb"
            assert stage.prompt.size.height == 2
            await pilot.press("up")
            assert stage.prompt.text == "a\nb"
            await pilot.press("up")
            assert stage.prompt.text == EDIT
            await pilot.press("ctrl+c")


async def test_enter_in_an_empty_prompt_does_nothing_and_what_is_written_there_is_text(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await pilot.press("enter")
        assert stage.session.turn is None
        assert stage.note == ""
        await pilot.press("w", "h", "y", "?")
        assert (stage.prompt.text, stage.app.screen) == ("why?", stage.main)
        stage.prompt.put(" one\x1b[2J\r\ntwo\u202e")
        assert stage.prompt.text == "why? one␛[2J\ntwo<U+202E>"


async def test_what_is_being_written_is_read_ahead_and_the_turn_runs_only_the_rest(
    stage: Stage,
) -> None:
    async with stage.started() as pilot:
        await pilot.press(*f"{EDIT} ")
        cache = stage.session.host.cache
        await until(pilot, lambda: cache.length > 0 and stage.session.runner.idle)
        ahead = cache.length
        assert stage.view.phase is TurnPhase.READY
        stage.gate.open()
        await pilot.press("backspace", "enter")
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW)
        turn = stage.asked_turn
        assert turn.timing.cached_tokens == ahead


async def test_words_that_come_back_are_replaced_by_typing_and_kept_by_an_arrow_or_a_space(
    stage: Stage,
) -> None:
    typed = {"x": "x", "right x": f"{WRONG}x", "home x": f"x{WRONG}", "space x": f"{WRONG} x"}
    async with stage.app.run_test() as pilot:
        for keys, text in typed.items():
            await stage.ask(pilot, WRONG)
            await until(pilot, lambda: stage.prompt.text == WRONG and bool(stage.note))
            await until(pilot, lambda: "Right  keep the words" in stage.bar("hints"))
            await pilot.press(*keys.split())
            assert stage.prompt.text == text
            await until(pilot, lambda: "Right  keep the words" not in stage.bar("hints"))
            await pilot.press("up")
            assert stage.prompt.text == WRONG
