"""The same words at other places: a key leads to the edit there, which was written meanwhile,
and back.
"""

import math
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from spark_tui.errors import SparkError
from spark_tui.session.alternatives import TEMPERATURE, Alternatives
from spark_tui.session.events import Event
from spark_tui.session.locator import PlaceIndex, RankedPlace
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.tui.widgets.completion import Completion
from spark_tui.vcs.repository import Repository
from tests.fakes import SURE, UNSURE, ScriptedSession, make_repo, scripted
from tests.tui.support import Stage, until

FILES = {
    "a.py": "def load(x):\n    return x\n",
    "b.py": "def save(x):\n    return x\n",
    "c.py": "def drop(y):\n    return y\n",
}
WORDS = "add one"
HALF = -math.log(2.0) * TEMPERATURE
"""How much less a place weighs that is half as likely as another one."""
DONE = {name: code.replace("return x", "return x + 1") for name, code in FILES.items()}


class Doubtful(Stage):
    """A stage whose words may be about any of three files.

    Args:
        sure: How likely what counts as sure has to be.
    """

    def __init__(self, folder: Path, sure: float) -> None:
        super().__init__(folder / "unused")
        script = ["-    return x", "+    return x + 1"]
        loaded = scripted(folder / "model", {WORDS: script}, sure=sure)
        repo = Repository.discover(make_repo(folder / "repo", FILES))
        self.session = ScriptedSession(repo, loaded, folder / "state")
        self.root, self.words = repo.root, WORDS
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)

    @property
    def files(self) -> dict[str, str]:
        return {name: (self.root / name).read_text() for name in FILES}


@pytest.fixture
def backwards() -> bool:
    """Whether the last file is the likeliest place."""
    return False


@pytest.fixture
def sure() -> float:
    """How likely what counts as sure has to be."""
    return UNSURE


@pytest.fixture
def doubtful(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backwards: bool, sure: float
) -> Doubtful:
    by_words = PlaceIndex.ranked

    def ranked(lookup: PlaceIndex, request: Request) -> tuple[RankedPlace, ...]:
        places = sorted(
            by_words(lookup, request), key=lambda place: place.region.path, reverse=backwards
        )
        return tuple(
            RankedPlace(place.region, HALF * number) for number, place in enumerate(places)
        )

    monkeypatch.setattr(PlaceIndex, "ranked", ranked)
    monkeypatch.setattr(PlaceIndex, "find_ranked", ranked)
    return Doubtful(tmp_path, sure)


@pytest.fixture
def held(doubtful: Doubtful, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The edits at other places are written once this is set."""
    leave = threading.Event()
    write = Alternatives.write

    def wait_and_write(alternatives: Alternatives) -> Generator[Turn | None, None, None]:
        assert leave.wait(20)
        yield from write(alternatives)

    monkeypatch.setattr(Alternatives, "write", wait_and_write)
    doubtful.on_close = leave.set
    return leave


async def test_tab_leads_to_the_edit_at_the_next_place_and_back(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        assert "a.py:1-2  load?" in doubtful.bar("region")
        await until(pilot, lambda: "other answers" in doubtful.bar("hints"))
        await pilot.press("tab")
        await until(pilot, lambda: "b.py:1-2  save?" in doubtful.bar("region"))
        assert "b.py:1-2  save: likelihood " in doubtful.note
        assert doubtful.proposed == DONE["b.py"]
        await pilot.press("shift+tab")
        await until(pilot, lambda: "a.py:1-2  load?" in doubtful.bar("region"))
        assert doubtful.proposed == DONE["a.py"]
        assert doubtful.files == FILES, "nothing was written"


async def test_what_is_accepted_is_written_where_it_is_shown(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: "b.py" in doubtful.bar("region"))
        await doubtful.press_later(pilot, "a")
        await until(pilot, lambda: doubtful.files["b.py"] == DONE["b.py"])
        assert doubtful.files["a.py"] == FILES["a.py"]


async def test_typing_leaves_the_engine_to_what_is_typed(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        doubtful.main.write("something else")
        await until(pilot, lambda: doubtful.session.runner.idle)
        assert doubtful.view.phase is TurnPhase.REVIEW


async def test_the_list_shows_the_lines_of_the_place_it_stands_on(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        places = doubtful.main.query_one(Completion)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: places.is_open and doubtful.main.preview is not None)
        assert "a.py" not in [item.text.partition(":")[0] for item in places.items], (
            "it is there already"
        )
        preview = doubtful.main.preview
        assert preview is not None
        shown = preview.path
        await pilot.press("down")
        await until(
            pilot, lambda: doubtful.main.preview is not None and doubtful.main.preview.path != shown
        )
        await pilot.press("escape")
        await until(pilot, lambda: doubtful.main.preview is None)
        assert doubtful.proposed == DONE["a.py"]


async def test_enter_in_the_list_sends_the_same_words_to_that_place(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        places = doubtful.main.query_one(Completion)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: places.is_open)
        while not places.items[places.chosen].text.startswith("b.py"):
            await pilot.press("down")
        await pilot.press("enter")
        await until(
            pilot,
            lambda: "b.py" in doubtful.bar("region") and doubtful.view.phase is TurnPhase.REVIEW,
        )
        assert doubtful.proposed == DONE["b.py"]


@pytest.mark.parametrize("backwards", [True])
async def test_where_there_is_no_edit_at_the_first_place_the_next_one_that_has_one_is_shown(
    doubtful: Doubtful,
) -> None:
    async with doubtful.started() as pilot:
        await doubtful.ask(pilot, WORDS)
        await until(
            pilot,
            lambda: (
                "no edit found at c.py:1-2  drop; this is the likeliest other place"
                in doubtful.note
            ),
        )
        assert doubtful.proposed == DONE["b.py"]
        assert doubtful.view.phase is TurnPhase.REVIEW
        await until(pilot, lambda: doubtful.diff.has_focus)
        await doubtful.press_later(pilot, "a")
        await until(pilot, lambda: doubtful.files == FILES | {"b.py": DONE["b.py"]})


@pytest.mark.parametrize("backwards", [True])
async def test_esc_stops_the_search_for_another_place_at_once(
    doubtful: Doubtful, held: threading.Event
) -> None:
    async with doubtful.started() as pilot:
        await doubtful.ask(pilot, WORDS)
        await until(pilot, lambda: "trying other places, Esc stops that" in doubtful.note)
        await pilot.press("escape")
        assert doubtful.note == "", "the diff itself says why there is no edit"
        held.set()
        await until(pilot, lambda: doubtful.session.runner.idle)
        await pilot.pause()
        assert (doubtful.note, doubtful.view.phase) == ("", TurnPhase.READY)
        assert "withdrawn: no edit offered" in doubtful.painted
        await pilot.press("tab")
        await until(pilot, lambda: doubtful.view.phase is TurnPhase.REVIEW)
        assert doubtful.proposed == DONE["b.py"], "which Tab still leads to"


@pytest.mark.parametrize("backwards", [True])
async def test_words_that_come_back_by_themselves_do_not_end_the_search(
    doubtful: Doubtful, held: threading.Event
) -> None:
    async with doubtful.started() as pilot:
        await doubtful.ask(pilot, WORDS)
        await until(pilot, lambda: "trying other places, Esc stops that" in doubtful.note)
        doubtful.prompt.offer(WORDS)
        await pilot.pause()
        held.set()
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])


async def test_tab_shows_each_answer_once_and_then_says_that_there_is_no_other(
    doubtful: Doubtful,
) -> None:
    async with doubtful.reviewing() as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])
        await pilot.press("tab")
        await until(pilot, lambda: "no other likely answer" in doubtful.note)
        assert doubtful.proposed == DONE["b.py"]


async def test_tab_says_why_it_does_nothing_while_the_edit_at_the_next_place_is_written(
    doubtful: Doubtful, held: threading.Event
) -> None:
    async with doubtful.reviewing() as pilot:
        await doubtful.says(pilot, "writing the edit at the next place", "tab")
        await doubtful.says(pilot, "other answers are being written, so that did nothing", "tab")
        assert doubtful.proposed == DONE["a.py"]
        held.set()
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])


async def test_of_keys_that_come_at_once_each_is_a_step(doubtful: Doubtful) -> None:
    async with doubtful.reviewing() as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])
        await pilot.press("shift+tab")
        await until(pilot, lambda: doubtful.proposed == DONE["a.py"])
        doubtful.later()
        doubtful.main.action_show_answer(1)
        doubtful.main.action_show_answer(-1)
        await until(pilot, lambda: not doubtful.main.is_varying)
        assert doubtful.proposed == DONE["a.py"]


@pytest.mark.parametrize("sure", [SURE])
async def test_tab_works_again_after_an_error_ended_the_writing_of_other_answers(
    doubtful: Doubtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    vary = Session.vary

    def fail(session: Session, turn: Turn, count: int) -> Generator[Event, None, None]:
        yield from ()
        raise SparkError("the endpoint is gone")

    async with doubtful.reviewing() as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])
        monkeypatch.setattr(Session, "vary", fail)
        for _ in range(2):
            doubtful.main.say("")
            await doubtful.says(pilot, "the endpoint is gone", "tab")
        monkeypatch.setattr(Session, "vary", vary)
        await doubtful.says(pilot, "no other likely answer", "tab")
        await pilot.press("escape")
        await doubtful.review(pilot)
        await pilot.press("tab")
        await until(pilot, lambda: doubtful.proposed == DONE["b.py"])
