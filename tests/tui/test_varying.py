"""Other answers: written on the first Tab, shown in place one after the other, given up with
and without a reason.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from spark_tui.session.accept import ShownAnswer, show_another
from spark_tui.session.session import Session
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens import other_answers
from spark_tui.tui.screens.modals import AskScreen
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, make_repo, scripted
from tests.tui.support import Stage, until

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
ANSWERS = [AREA.replace("w + h", other) for other in ("w * h", "w - h", "h + w")]
WEIGHTS = (0.7, 0.2, 0.1)


class Varied(Stage):
    """A stage whose model has three answers to everything it is asked."""

    def __init__(self, folder: Path, area: str = AREA, scripts: Sequence[str] = ANSWERS) -> None:
        super().__init__(folder / "unused")
        answers = [
            (edit_script(area, answer), weight)
            for answer, weight in zip(scripts, WEIGHTS, strict=False)
        ]
        loaded = scripted(
            folder / "model", {}, answers={"do": answers, "do, with a minus": answers[1:2]}
        )
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": area}))
        self.session = Session(repo, loaded, folder / "state")
        self.file, self.words = repo.root / "a.py", "@a.py::area do"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)


@pytest.fixture
def varied(tmp_path: Path) -> Varied:
    return Varied(tmp_path)


async def test_tab_writes_other_answers_and_goes_through_them_in_place(varied: Varied) -> None:
    async with varied.reviewing() as pilot:
        varied.later(-1.9)
        await pilot.press("tab")
        assert (varied.diff.has_focus, varied.note) == (True, ""), "it was on its way to the review"
        varied.later(0.1)
        assert varied.proposed == ANSWERS[0]
        for key, number in (("tab", 2), ("tab", 3), ("tab", 1), ("shift+tab", 3)):
            await pilot.press(key)
            await until(pilot, lambda number=number: f"variation {number} of 3, " in varied.note)  # type: ignore[misc]
            assert varied.proposed == ANSWERS[number - 1]
            assert " %" in varied.note.partition("likelihood ")[2]
        assert varied.diff.has_focus
        await pilot.press("a")
        assert "this has just appeared, so nothing was decided" in varied.note
        assert varied.file.read_text() == AREA
        await varied.press_later(pilot, "a")
        await until(pilot, lambda: varied.file.read_text() == ANSWERS[2])


async def test_a_key_that_comes_while_an_answer_is_worked_out_goes_further(
    varied: Varied, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    async with varied.reviewing() as pilot:
        await varied.says(pilot, "variation 2 of 3", "tab")
        monkeypatch.setattr(
            other_answers,
            "show_another",
            lambda *a, **more: (go.wait(10), show_another(*a, **more))[1],
        )
        await pilot.press("tab", "tab")
        go.set()
        await until(pilot, lambda: "variation 1 of 3" in varied.note)


async def test_g_without_words_gives_the_answer_up_and_takes_the_next(varied: Varied) -> None:
    async with varied.reviewing() as pilot:
        for number in (1, 2):
            await varied.opens(pilot, AskScreen, "g")
            await pilot.press("enter")
            await until(pilot, lambda number=number: varied.proposed == ANSWERS[number])  # type: ignore[misc]
        await until(pilot, lambda: not isinstance(varied.app.screen, AskScreen))
        await varied.says(pilot, "no other likely answer", "tab")


async def test_where_there_is_no_hunk_nothing_is_said_of_asking_anew(
    varied: Varied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_answers, "show_another", lambda *_, **__: None)
    async with varied.reviewing() as pilot:
        await pilot.press("r")
        await until(pilot, lambda: not varied.view.hunks)
        varied.main.action_show_answer(1)
        await varied.says(pilot, "no other likely answer: 3 were written")
        assert "asks anew" not in varied.note


async def test_what_was_held_back_is_told_then_shown_with_its_doubt_and_not_accepted_at_once(
    tmp_path: Path,
) -> None:
    varied = Varied(tmp_path, scripts=[ANSWERS[0], AREA.replace("w + h", "w * height")])
    async with varied.reviewing(size=(120, 30)) as pilot:
        await pilot.press("tab")
        told = "no other likely answer: 2 were written, 1 held back; Tab shows what was held back"
        await until(pilot, lambda: varied.note == told)
        assert varied.proposed == ANSWERS[0]
        await varied.says(pilot, "variation 2 of 2, held back: ", "tab")
        assert "height" in varied.note
        await varied.press_later(pilot, "a")
        await varied.says(pilot, "does not pass a check; a again accepts it")
        assert varied.file.read_text() == AREA
        await pilot.press("tab")
        await until(pilot, lambda: varied.proposed == ANSWERS[0])


async def test_a_sure_answer_says_that_all_else_is_unlikely(tmp_path: Path) -> None:
    varied = Varied(tmp_path, scripts=ANSWERS[:1])
    async with varied.reviewing(size=(120, 30)) as pilot:
        await varied.says(
            pilot, "all else is less likely than 1 in 10,000; g with a reason asks", "tab"
        )


async def test_g_with_a_reason_asks_anew_and_esc_leaves_it(varied: Varied) -> None:
    async with varied.reviewing() as pilot:
        await varied.opens(pilot, AskScreen, "g")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(varied.app.screen, AskScreen))
        assert varied.proposed == ANSWERS[0]
        await varied.opens(pilot, AskScreen, "g")
        await pilot.press(*"with", "space", "a", "space", *"minus", "enter")
        await until(
            pilot, lambda: varied.view.phase is TurnPhase.REVIEW and varied.proposed == ANSWERS[1]
        )
        assert varied.view.instruction.endswith("do, with a minus")


async def test_g_that_finds_no_edit_leaves_the_review_as_it_was(varied: Varied) -> None:
    async with varied.reviewing() as pilot:
        turn = varied.asked_turn
        turn.file.edit(varied.view.hunks[0].id, ("    size = w * h * 1", "    print(size)"))
        turn.file.toggle(varied.view.hunks[0].id, 2)
        before = turn.parts
        await varied.opens(pilot, AskScreen, "g")
        await varied.says(pilot, "the review is as it was", *"shorter", "enter")
        assert (varied.session.turn, turn.parts, varied.view.phase) == (
            turn,
            before,
            TurnPhase.REVIEW,
        )
        await varied.press_later(pilot, "a")
        await until(pilot, lambda: varied.file.read_text() == AREA.replace("w + h", "w * h * 1"))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Other answers are shown once this is set."""
    leave = threading.Event()

    def show(*args: Any, **options: Any) -> ShownAnswer | None:
        assert leave.wait(20)
        return show_another(*args, **options)

    monkeypatch.setattr(other_answers, "show_another", show)
    return leave


async def test_no_key_about_a_hunk_acts_while_other_answers_are_on_their_way(
    varied: Varied, held: threading.Event
) -> None:
    async with varied.reviewing() as pilot:
        before = varied.view.hunks
        await pilot.press("tab")
        for key in ("a", "r", "A", "R", "s", "space", "e"):
            varied.main.say("")
            await varied.says(pilot, "other answers are being written, so that did nothing", key)
        held.set()
        await varied.says(pilot, "variation 2 of 3")
        assert varied.proposed == ANSWERS[1]
        assert varied.view.hunks != before
        assert varied.file.read_text() == AREA


async def test_once_something_is_accepted_no_other_answer_takes_the_place_of_the_rest(
    tmp_path: Path,
) -> None:
    far = AREA.replace("    return", "    print()\n" * 3 + "    return")
    edits = ("w * h", "-"), ("h * w", "+")
    answers = [far.replace("w + h", one).replace("return ", f"return {two}") for one, two in edits]
    varied = Varied(tmp_path, far, answers)
    async with varied.reviewing() as pilot:
        assert len(varied.view.hunks) == 2
        await pilot.press("a")
        await until(pilot, lambda: len(varied.view.hunks) == 1)
        await varied.press_later(pilot, "tab")
        await varied.says(pilot, "some of this answer is accepted; undo that to see another one")
        assert varied.proposed == answers[0]


async def test_only_what_is_on_the_screen_is_ever_accepted(varied: Varied) -> None:
    async with varied.reviewing() as pilot:
        turn, shown = varied.session.turn, varied.view.hunks
        assert turn is not None
        for _ in turn.vary(3):
            pass
        turn.show(turn.variations[1])  # and the screen has not heard of it
        assert varied.view.hunks == shown
        await varied.says(pilot, "what is proposed has just changed; nothing was decided", "a")
        assert varied.file.read_text() == AREA


async def test_the_line_above_the_prompt_tells_of_the_answer_that_is_shown(tmp_path: Path) -> None:
    far = AREA.replace("    return", "    print()\n" * 3 + "    return")
    answers = [
        far.replace("w + h", "w * h").replace("return ", "return +"),
        far.replace("w + h", "w - h"),
    ]
    varied = Varied(tmp_path, far, answers)
    async with varied.reviewing(size=(200, 40)) as pilot:
        assert ": 2 hunks, checked (applies" in varied.bar("region")
        await varied.says(pilot, "variation 2 of 2", "tab")
        assert ", 1 hunk: applies" in varied.bar("region")
        await varied.press(pilot, "u")
        await until(pilot, lambda: ": 2 hunks, checked (applies" in varied.bar("region"))
        await varied.press_later(pilot, "a")
        await until(pilot, lambda: ": 1 of 2 hunks open, checked (applies" in varied.bar("region"))
        await varied.press_later(pilot, "a")
        await until(pilot, lambda: ": 2 hunks, decided, checked (applies" in varied.bar("region"))
