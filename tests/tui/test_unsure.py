"""A turn whose model is not sure: seen as that wherever a sure one says ok."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import Hunk
from spark_tui.session.events import Checked, HunkClosed, HunkUpdated, Status, Timing, TurnEnded
from spark_tui.session.hunk_items import HunkState
from spark_tui.session.locator import RankedPlace
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.session.turn_state import TurnState
from spark_tui.session.turn_store import SessionStore
from spark_tui.tui.app import SparkApp
from spark_tui.tui.widgets.completion import Completion
from spark_tui.vcs.repository import Repository
from tests.fakes import SURE, UNSURE, edit_script, make_repo, scripted
from tests.providers.quoting_models import NOTHING, Script
from tests.tui.support import Stage, strips, until
from tests.tui.test_review import states

CODE = "def f(value):\n    return value + 1\n"
WORDS = "add two"
ANSWERS = [
    (edit_script(CODE, CODE.replace("+ 1", other)), weight)
    for other, weight in (("+ 2", 0.7), ("+ 3", 0.3))
]


class Unsure(Stage):
    """A stage whose model quotes, and is as sure as is told.

    Args:
        sure: How likely what counts as sure has to be.
    """

    def __init__(
        self,
        folder: Path,
        *,
        sure: float = UNSURE,
        answers: Sequence[tuple[Script, float]] = ANSWERS,
    ) -> None:
        super().__init__(folder / "unused")
        loaded = scripted(folder / "model", {}, sure=sure, answers={WORDS: answers})
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": CODE}))
        self.begin: Callable[[], Session] = lambda: Session(
            repo, loaded, folder / "state", sessions=SessionStore(folder / "sessions")
        )
        self.session = self.begin()
        self.file, self.words = repo.root / "a.py", f"@a.py::f {WORDS}"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)


def colors(stage: Stage, name: str) -> set[str]:
    """The colors of a word on the screen."""
    pieces = (piece for line in strips(stage.app) for piece in line)
    found = (piece.style.color for piece in pieces if piece.style and name in piece.text)
    return {color.name for color in found if color}


@pytest.fixture
def unsure(tmp_path: Path) -> Iterator[Unsure]:
    stage = Unsure(tmp_path)
    yield stage
    stage.close()


def test_what_passes_its_checks_is_unsure_until_it_is_the_users_own() -> None:
    hunk = Hunk("one", 0, ("a\n",), ("b\n",))
    view = TurnState("do it", ["a"])
    view.take(HunkUpdated((hunk,)))
    view.sync(["a"], (hunk,))
    view.take(HunkClosed(hunk))
    view.take(Checked("one", (Check("applies", ok=True),)))
    assert view.state(hunk) is HunkState.OK
    view.take(TurnEnded(Status.UNSURE, "unsure (4%), 1 hunk", Timing()))
    assert view.state(hunk) is HunkState.UNSURE
    assert view.summary(hunk) == "+1 −1 unsure"
    view.close([hunk], "", by_hand=True)
    assert view.state(hunk) is HunkState.OK
    view.close([hunk], "it does not parse", by_hand=True)
    assert view.state(hunk) is HunkState.FAILED


async def test_an_unsure_edit_is_seen_as_such_and_accepted_as_any_other(unsure: Unsure) -> None:
    async with unsure.reviewing(size=(120, 40)) as pilot:
        assert states(unsure) == [HunkState.UNSURE]
        assert unsure.bar("region").endswith(", 1 hunk: applies, parses, names")
        warning = unsure.app.available_themes[unsure.app.theme].variables["spark-warning"]
        assert colors(unsure, "unsure") == {warning}
        await pilot.press("a")
        await until(pilot, lambda: states(unsure) == [HunkState.ACCEPTED])
        assert "value + 2" in unsure.file.read_text()


def path_of(place: RankedPlace) -> str:
    return place.region.path


async def test_a_place_that_was_led_to_is_a_guess_and_the_same_words_go_elsewhere(
    unsure: Unsure, monkeypatch: pytest.MonkeyPatch
) -> None:
    (unsure.session.repo.root / "b.py").write_text("def add():\n    return 2\n")

    def first(session: Session, request: Request) -> Iterator[None]:
        if not request.path:
            session.mentions.settle(request, sorted(session.mentions.ranked(request), key=path_of))
        yield

    monkeypatch.setattr(Session, "weigh", first)
    unsure.words = WORDS
    async with unsure.reviewing(size=(120, 40)) as pilot:
        assert unsure.bar("region").startswith("a.py:1-2  f? unsure")
        hints = unsure.bar("hints").removeprefix(" diff  ")
        assert hints.startswith("Tab  other answers Ctrl+L  another place a  accept")
        await pilot.press("ctrl+l")
        await until(
            pilot,
            lambda: (
                [item.text for item in unsure.main.query_one(Completion).items] == ["b.py:1-2  add"]
            ),
        )
        assert unsure.prompt.text == WORDS
        await pilot.press("enter")
        await until(
            pilot, lambda: "undefined: value" in unsure.note
        )  # the scripted answer does not fit there
        assert (unsure.prompt.text, unsure.file.read_text()) == (f"{WORDS} @b.py::add", CODE)


async def test_a_place_that_was_told_is_none_until_other_words_go_on_from_there(
    unsure: Unsure,
) -> None:
    async with unsure.reviewing() as pilot:
        assert "another place" not in unsure.bar("hints")
        unsure.asked_turn.request = replace(unsure.asked_turn.request, earlier=("add one",))
        unsure.main.paint_words()
        await until(pilot, lambda: "another place" in unsure.bar("hints"))
        for words in ("f: add two", "add two in a.py"):
            unsure.asked_turn.request = replace(unsure.asked_turn.request, instruction=words)
            unsure.main.paint_words()
            assert "another place" not in unsure.bar("hints")


async def test_where_nothing_is_to_change_the_edits_there_are_all_the_same_are_a_tab_away(
    tmp_path: Path,
) -> None:
    stage = Unsure(tmp_path, answers=[(NOTHING, 0.6), (ANSWERS[0][0], 0.4)])
    async with stage.asked(stage.words) as pilot:
        await stage.says(pilot, "say what should be different, or where with @")
        assert "nothing to change" not in stage.note, "which is said where the diff was"
        assert "Tab  other answers" in stage.bar("hints")
        await pilot.press("x")
        assert "other answers" not in stage.bar("hints"), "other words are on their way"
        await pilot.press("ctrl+u")
        await stage.says(pilot, "variation 1 of 1", "tab")
        await until(pilot, lambda: states(stage) == [HunkState.UNSURE])
        await stage.press_later(pilot, "a")
        await until(pilot, lambda: "value + 2" in stage.file.read_text())


async def test_a_sure_edit_is_ok_and_its_other_answers_are_not(tmp_path: Path) -> None:
    stage = Unsure(tmp_path, sure=SURE)
    async with stage.reviewing(size=(120, 40)) as pilot:
        assert states(stage) == [HunkState.OK]
        assert "unsure" not in stage.bar("region")
        assert "other answers" not in stage.bar("hints")
        await pilot.press("tab")
        await until(
            pilot, lambda: "variation 2 of 2" in stage.note and states(stage) == [HunkState.UNSURE]
        )
        await pilot.press("tab")
        await until(
            pilot, lambda: "variation 1 of 2" in stage.note and states(stage) == [HunkState.OK]
        )


async def test_an_earlier_turn_that_was_unsure_is_listed_as_that(unsure: Unsure) -> None:
    list(unsure.session.begin(Request(WORDS, "a.py", (1, 2))).events())
    unsure.session.close()  # which waits until the turn is saved
    unsure.session = unsure.begin()
    assert [each.turn.status for each in unsure.session.past.turns()] == ["unsure"]
    async with unsure.started(size=(120, 40)) as pilot:
        unsure.app.action_show_turns()
        await until(pilot, lambda: "unsure" in unsure.painted)
        warning = unsure.app.available_themes[unsure.app.theme].variables["spark-warning"]
        assert warning in colors(unsure, "unsure")
