"""Other answers: written on the first Tab, shown in place one after the other, given up with and without a reason."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from spark_tui.session.session import Session
from spark_tui.tui.app import SparkApp
from spark_tui.tui.screens.ask import AskScreen
from spark_tui.tui.view import Phase
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, make_repo
from tests.tui.support import Stage, until
from tests.weighing import weighing

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
ANSWERS = [AREA.replace("w + h", other) for other in ("w * h", "w - h", "h + w")]
WEIGHTS = (0.7, 0.2, 0.1)


class Varied(Stage):
    """A stage whose model has three answers to everything it is asked."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "unused")
        answers = [(edit_script(AREA, answer), weight) for answer, weight in zip(ANSWERS, WEIGHTS, strict=True)]
        loaded, _ = weighing(folder / "model", {"do": answers, "do, with a minus": [answers[1]]})
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": AREA}))
        self.session = Session(repo, loaded, folder / "state")
        self.file = repo.root / "a.py"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)

    async def review(self, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: self.main.desk is not None)
        self.prompt.set_text("@a.py::area do")
        await pilot.press("enter")
        await until(pilot, lambda: self.view.phase is Phase.REVIEW and self.diff.has_focus)
        self.later()

    @property
    def proposed(self) -> str:
        assert self.session.turn is not None
        return self.session.turn.review.proposed.to_bytes().decode()


@pytest.fixture
def varied(tmp_path: Path) -> Varied:
    return Varied(tmp_path)


async def test_a_tab_that_was_on_its_way_to_the_review_shows_no_other_answer(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        varied.later(-1.6)
        await pilot.press("tab")
        assert varied.diff.has_focus
        assert varied.note == ""
        varied.later(0.1)
        await pilot.press("tab")
        await until(pilot, lambda: "variation 2 of 3" in varied.note)


async def test_tab_writes_other_answers_and_goes_through_them_in_place(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        assert varied.proposed == ANSWERS[0]
        for key, number in (("tab", 2), ("tab", 3), ("tab", 1), ("shift+tab", 3)):
            await pilot.press(key)
            await until(pilot, lambda number=number: f"variation {number} of 3: " in varied.note)  # type: ignore[misc]
            assert varied.proposed == ANSWERS[number - 1]
            assert "parses ok" in varied.note
            assert "log-probability -" in varied.note
        assert varied.diff.has_focus
        assert varied.file.read_text() == AREA
        varied.later()
        await pilot.press("a")
        await until(pilot, lambda: varied.file.read_text() == ANSWERS[2])
    varied.close()


async def test_a_variation_that_just_came_is_not_accepted_by_a_key_meant_for_the_one_before(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        await pilot.press("tab")
        await until(pilot, lambda: "variation 2" in varied.note)
        await pilot.press("a")
        assert not varied.main.busy
        assert varied.file.read_text() == AREA
    varied.close()


async def test_g_without_words_gives_the_answer_up_and_takes_the_next(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        for number in (1, 2):
            await pilot.press("g")
            await until(pilot, lambda: isinstance(varied.app.screen, AskScreen))
            await pilot.press("enter")
            await until(pilot, lambda number=number: varied.proposed == ANSWERS[number])  # type: ignore[misc]
        await until(pilot, lambda: not isinstance(varied.app.screen, AskScreen))
        await pilot.press("tab")
        await until(pilot, lambda: "no other likely answer" in varied.note)
    varied.close()


async def test_g_with_a_reason_asks_anew_and_esc_leaves_it(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(varied.app.screen, AskScreen))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(varied.app.screen, AskScreen))
        assert varied.proposed == ANSWERS[0]
        await pilot.press("g")
        await until(pilot, lambda: isinstance(varied.app.screen, AskScreen))
        await pilot.press(*"with", "space", "a", "space", *"minus", "enter")
        await until(pilot, lambda: varied.view.phase is Phase.REVIEW and varied.proposed == ANSWERS[1])
        assert varied.view.instruction.endswith("do, with a minus")
    varied.close()


async def test_g_that_finds_no_edit_leaves_the_review_as_it_was(varied: Varied) -> None:
    async with varied.app.run_test() as pilot:
        await varied.review(pilot)
        turn = varied.session.turn
        assert turn is not None
        turn.edit(varied.view.hunks[0].id, ("    size = w * h * 1", "    print(size)"))
        turn.toggle(varied.view.hunks[0].id, 2)
        before = turn.parts
        await pilot.press("g")
        await until(pilot, lambda: isinstance(varied.app.screen, AskScreen))
        await pilot.press(*"shorter", "enter")
        await until(pilot, lambda: "the review is as it was" in varied.note)
        assert (varied.session.turn, turn.parts, varied.view.phase) == (turn, before, Phase.REVIEW)
        varied.later()
        await pilot.press("a")
        await until(pilot, lambda: varied.file.read_text() == AREA.replace("w + h", "w * h * 1"))
    varied.close()
