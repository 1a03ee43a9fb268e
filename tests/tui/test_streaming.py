"""What keys mean while tokens stream: pause, go on, redirect, discard."""

import threading

import pytest
from textual.pilot import Pilot

from spark_tui.editing.hunks import Hunk
from spark_tui.session.events import HunkUpdated, Status
from spark_tui.tui.desk import Desk
from spark_tui.tui.items import State
from spark_tui.tui.player import Player
from spark_tui.tui.screens.main import MainScreen
from spark_tui.tui.screens.small import SmallScreen
from spark_tui.tui.view import IN_TURN, Phase
from tests.tui.support import AFTER, BEFORE, BETTER, EDIT, HUSH, SPLIT, STORE, Stage, until


async def start(stage: Stage, pilot: Pilot[None], *, tokens: int = 0, instruction: str = EDIT) -> None:
    """Send an instruction and let some tokens of the answer come."""
    await until(pilot, lambda: stage.main.desk is not None)
    stage.prompt.set_text(instruction)
    await pilot.press("enter")
    await until(pilot, lambda: stage.view.phase is Phase.WRITING)
    stage.gate.let(tokens)
    await until(pilot, lambda: stage.seen > tokens)


async def park(stage: Stage, pilot: Pilot[None]) -> None:
    """Let the token go that the engine was busy with, so that it can stand still."""
    stage.gate.let(1)
    await until(pilot, lambda: stage.session.runner.paused and stage.view.figures.stop_ms is not None)


async def finish(stage: Stage, pilot: Pilot[None]) -> None:
    stage.gate.open()
    await until(pilot, lambda: stage.view.phase in {Phase.REVIEW, Phase.READY})


async def test_the_diff_grows_while_tokens_come(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=30)
        await until(pilot, lambda: bool(stage.view.hunks))
        assert stage.view.live is not None
        assert stage.diff.live_row is not None
        assert stage.view.items()[0].state is State.WRITING
        rows_before = sum(len(hunk.new_lines) for hunk in stage.view.hunks)
        stage.gate.let(60)
        await until(pilot, lambda: sum(len(hunk.new_lines) for hunk in stage.view.hunks) > rows_before)
        assert stage.file.read_text() == STORE


async def test_a_turn_that_has_said_nothing_yet_is_being_read(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        monkeypatch.setattr(Player, "play", lambda *_: None)
        stage.prompt.set_text(EDIT)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.instruction == EDIT and not stage.main.busy)
        assert "reading" in stage.bar("meters")
        assert "Esc pause" in stage.bar("hints").replace("  ", " ")


async def test_a_painting_between_an_event_and_the_hunks_it_tells_of_shows_those_known(stage: Stage) -> None:
    known, grown, later = Hunk("a", 0, (), ("x\n",)), Hunk("a", 0, (), ("x\n", "y\n")), Hunk("b", 9, (), ("z\n",))
    async with stage.app.run_test() as pilot:
        await start(stage, pilot)
        rows = []
        for hunks in ((known,), (grown,), (grown, later)):
            stage.view.take(HunkUpdated(hunks))
            stage.main.paint()
            rows.append(stage.diff.live_row)
            stage.view.sync(stage.view.base, hunks)
            stage.main.paint()
            rows.append(stage.diff.live_row)
        assert rows == [None, 0, None, 1, None, 9]


async def test_esc_pauses_at_the_token_and_enter_goes_on_to_the_same_result(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=20)
        await until(pilot, lambda: stage.still)
        written = stage.seen
        await pilot.press("escape")
        assert stage.view.phase is Phase.PAUSED
        await park(stage, pilot)
        assert stage.seen <= written + 1
        assert "esc –" not in stage.bar("meters")
        assert "go on" in stage.bar("hints")
        await pilot.press("enter")
        assert "Esc pause" in stage.bar("hints").replace("  ", " ")
        await finish(stage, pilot)
        proposed = stage.session.turn.review.proposed.to_bytes() if stage.session.turn else b""
        assert b"with open(path, encoding=" in proposed
        assert b"log.info" in proposed


async def test_any_letter_pauses_and_begins_the_redirect_with_it(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        await pilot.press("n", "o")
        assert stage.view.phase is Phase.PAUSED
        assert stage.prompt.text == "no"
        await park(stage, pilot)
        assert "redirect" in stage.bar("hints")


async def test_pasting_pauses_too_and_the_words_wait_in_the_prompt(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        stage.prompt.put("from the clipboard")
        await until(pilot, lambda: stage.view.phase is Phase.PAUSED)
        assert stage.prompt.text == "from the clipboard"


async def test_text_and_enter_redirect_from_a_pause(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        first = stage.session.turn
        await pilot.press("escape")
        await park(stage, pilot)
        stage.prompt.set_text(HUSH)
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.session.turn is not first
        assert stage.view.instruction == HUSH
        assert [hunk.old_lines for hunk in stage.view.hunks] == [('    print("loaded", len(expenses))',)]


async def test_far_too_many_words_redirect_nothing_and_the_turn_still_stands_and_goes_on(stage: Stage) -> None:
    words = "make it better " * 1000
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        first = stage.session.turn
        await pilot.press("escape")
        await park(stage, pilot)
        stage.prompt.set_text(words)
        await pilot.press("enter")
        await until(pilot, lambda: "15,000 characters and at most 10,000" in stage.note)
        assert (stage.session.turn, stage.view.phase, stage.prompt.full) == (first, Phase.PAUSED, words)
        await pilot.press("ctrl+c", "enter")
        await finish(stage, pilot)
        assert stage.session.turn is first
        assert stage.view.phase is Phase.REVIEW


async def test_a_redirect_goes_to_the_place_that_it_names(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        await pilot.press("escape")
        await park(stage, pilot)
        stage.prompt.set_text("tidy it in @gone.py")
        await pilot.press("enter")
        await until(pilot, lambda: "there is no file gone.py" in stage.note)
        assert (stage.prompt.text, stage.view.phase) == ("tidy it in @gone.py", Phase.PAUSED)
        stage.prompt.set_text("tidy it in @store.py::save")
        await pilot.press("enter")
        await finish(stage, pilot)
        assert stage.session.turn is not None
        assert (stage.session.turn.region.symbol, stage.session.turn.request.instruction) == ("save", "tidy it in")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("no, in @store.py::save", "no, in"),
        ("close it @store.py::save", "close it"),
        ("close it in `save`", "close it in `save`"),
        ("save() is what I mean", "save() is what I mean"),
    ],
)
async def test_a_redirect_goes_to_the_other_function_that_it_names_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: str, asked: str
) -> None:
    said = list[str]()
    monkeypatch.setattr(MainScreen, "say", lambda _, words, **__: said.append(words))
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        await pilot.press("escape")
        await park(stage, pilot)
        stage.prompt.set_text(words)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.instruction == asked)
        await finish(stage, pilot)
        assert f"moved to store.py:21-23  save: “{asked}”" in said
        assert stage.session.turn is not None
        assert (stage.session.turn.region.symbol, stage.session.turn.request.instruction) == ("save", asked)
        assert stage.session.turn.request.earlier == (EDIT,)


@pytest.mark.parametrize("words", ["no, save every one of them instead", "rename path to target in save"])
async def test_a_plain_word_that_is_also_a_function_elsewhere_leads_a_redirect_nowhere(
    stage: Stage, words: str
) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        first = stage.session.turn
        await pilot.press("escape")
        await park(stage, pilot)
        stage.prompt.set_text(words)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.instruction == words)
        await finish(stage, pilot)
        turn = stage.session.turn
        assert turn is not first
        assert turn is not None
        assert (turn.region.symbol, turn.request.instruction, turn.request.earlier) == ("load", words, (EDIT,))


async def test_a_second_esc_drops_the_unfinished_and_keeps_the_closed_hunks(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, instruction=SPLIT)
        await stage.step_until(pilot, lambda: any(item.state is State.UNCHECKED for item in stage.view.items()))
        closed = [hunk.new_lines for hunk in stage.view.hunks if stage.view.state(hunk) is not State.WRITING]
        await pilot.press("escape")
        await park(stage, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: stage.view.phase is Phase.REVIEW)
        assert [hunk.new_lines for hunk in stage.view.hunks] == closed
        assert stage.file.read_text() == STORE


async def test_esc_before_the_first_hunk_and_again_leaves_nothing(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=1)
        await pilot.press("escape", "escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.phase is Phase.READY)
        assert stage.view.hunks == ()
        assert stage.prompt.has_focus


async def test_words_typed_while_paused_survive_the_discarding(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=10)
        await pilot.press("x", "y", "escape")
        stage.gate.let(1)
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        assert stage.prompt.text == "xy"
        assert stage.prompt.has_focus


async def test_a_late_esc_does_nothing_to_the_next_turn(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, instruction=HUSH)
        await finish(stage, pilot)
        await pilot.press("escape")
        stage.prompt.set_text(EDIT)
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.instruction == EDIT and stage.view.phase is Phase.REVIEW)


async def test_an_unknown_place_is_said_and_the_words_come_back(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        stage.prompt.set_text("do something somewhere")
        await pilot.press("enter")
        await until(pilot, lambda: bool(stage.note))
        assert stage.prompt.text == "do something somewhere"
        await pilot.press("x")
        assert stage.note == ""


async def test_meters_show_what_was_measured_and_nothing_before(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        assert stage.bar("meters") == "model ready"
        await start(stage, pilot)
        await stage.step_until(pilot, lambda: {"tok/s", "TTFT"} <= set(stage.bar("meters").split()))
        turn = stage.session.turn
        assert turn is not None
        await until(pilot, lambda: f"{turn.timing.prompt_tokens + stage.seen}/4096 ctx" in stage.bar("meters"))


async def test_a_turn_goes_on_while_the_terminal_is_far_too_small_and_can_be_decided_afterwards(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=40)
        for size in ((24, 7), (9, 3)):
            await pilot.resize_terminal(*size)
        await until(pilot, lambda: isinstance(stage.app.screen, SmallScreen))
        await finish(stage, pilot)
        stage.later()
        await pilot.press("a")
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: stage.app.screen is stage.main and stage.prompt.text == "a")
        assert stage.file.read_text() == STORE
        stage.diff.focus()
        stage.later()
        await pilot.press("a")
        await until(pilot, lambda: stage.note.startswith("accepted"))
        assert stage.file.read_text() == BEFORE + BETTER + AFTER


async def test_standing_still_right_after_a_look_is_not_taken_for_all_shown(stage: Stage) -> None:
    async with stage.app.run_test() as pilot:
        await start(stage, pilot, tokens=5)
        desk = stage.main.desk
        assert desk is not None
        await until(pilot, lambda: stage.gate.holds)
        desk.flush()
        desk.pause()
        desk.flush()
        stage.gate.let(1)
        assert stage.session.runner.wait_stopped(10)
        assert not desk.settled, "nobody took what was said since"
        await until(pilot, lambda: desk.settled)
        assert stage.view.figures.stop_ms is not None


async def test_the_review_begins_only_once_the_hunks_that_came_of_the_turn_are_there(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing, sync = threading.Event(), Desk._sync
    monkeypatch.setattr(Desk, "_sync", lambda desk: not changing.is_set() and sync(desk))
    async with stage.app.run_test() as pilot:
        await until(pilot, lambda: stage.main.desk is not None)
        changing.set()
        stage.gate.open()
        await pilot.press(*EDIT, "enter")
        await until(pilot, lambda: stage.session.turn is not None and stage.session.turn.status is Status.OK)
        await until(pilot, lambda: stage.view.phase not in IN_TURN)
        await pilot.pause(0.1)
        assert not stage.view.hunks
        assert not stage.diff.has_focus
        changing.clear()
        await until(pilot, lambda: stage.diff.has_focus)
        assert stage.view.hunks
