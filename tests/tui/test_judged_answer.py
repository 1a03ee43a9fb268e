"""The answer that a second model prefers: it takes the place of the first one only before anybody
can have read that, and else is the next one.
"""

import asyncio
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import ModelError
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.chat_model import Rewriter
from spark_tui.providers.registry import Models
from spark_tui.session.events import Status
from spark_tui.session.turn_state import TurnPhase
from spark_tui.tui.app import SparkApp
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, edit_script, make_repo
from tests.providers.chat_models import chat_model
from tests.providers.quoting_models import NOTHING, quoting_model
from tests.tui.support import Stage, until

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
TIMES, MINUS, SWAPPED = (AREA.replace("w + h", other) for other in ("w * h", "w - h", "h + w"))
WEIGHTS = {TIMES: 0.5, MINUS: 0.3, SWAPPED: 0.2}
PREFERS = "big prefers another answer: Tab shows it"


@dataclass(frozen=True)
class OneChat(Models):
    """Knows one chat model under any name; None: it cannot be loaded."""

    chat: LoadedModel | None = None

    def load(self, name: str) -> LoadedModel:
        if self.chat is None:
            raise ModelError(f"{name} is damaged; get it again")
        return self.chat


class Judged(Stage):
    """A stage whose model has three answers, and whose judge would rather have written one.

    Args:
        prefers: That one; "": the judge cannot be loaded.
    """

    def __init__(
        self,
        folder: Path,
        prefers: str,
        sure: float = 0.99,
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        super().__init__(folder / "unused")
        scripts = {file: edit_script(AREA, file) if file != AREA else NOTHING for file in weights}
        answers = [(scripts[file], weight) for file, weight in weights.items()]
        loaded = quoting_model(folder / "first", {}, answers={"do": answers})
        Calibration(sure=sure, agreed=0.0).write(loaded.path)
        chat = chat_model(folder / "chat", {"do": f"{prefers}```\n"}) if prefers else None
        repo = Repository.discover(make_repo(folder / "repo", {"a.py": AREA}))
        self.session = ScriptedSession(
            repo, loaded, folder / "state", models=OneChat(chat=chat), judge="big"
        )
        self.file, self.words = repo.root / "a.py", "@a.py::area do"
        self.app = SparkApp(lambda: self.session, clock=lambda: self.now)

    @property
    def judges(self) -> bool:
        return "big judges the answers" in self.bar("region")

    @property
    def is_judged(self) -> bool:
        return self.asked_turn.candidates.are_judged and not self.judges


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets the judge give its verdict; until then it works, pass after pass."""
    go = threading.Event()
    weigh = Rewriter.weigh

    def slowly(
        self: Rewriter, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Generator[None, None, Sequence[float]]:
        while not go.wait(0.001):
            yield None
        return (yield from weigh(self, request, results))

    monkeypatch.setattr(Rewriter, "weigh", slowly)
    return go


async def test_at_once_it_takes_the_place_of_the_first_and_that_one_is_a_tab_away(
    tmp_path: Path, verdict: threading.Event
) -> None:
    stage = Judged(tmp_path, SWAPPED)
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.judges)
        assert stage.proposed == TIMES
        verdict.set()
        await until(pilot, lambda: "big prefers this answer" in stage.note)
        assert (stage.proposed, stage.asked_turn.status) == (SWAPPED, Status.UNSURE)
        assert "Tab shows the one of first" in stage.note
        stage.later()
        await pilot.press("tab")
        await until(pilot, lambda: stage.proposed == TIMES)


@pytest.mark.parametrize("waits", [True, False])
async def test_nothing_changes_once_it_was_read_and_tab_leads_there(
    tmp_path: Path, verdict: threading.Event, waits: bool
) -> None:
    stage = Judged(tmp_path, SWAPPED)
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.judges and stage.diff.has_focus)
        if waits:
            stage.later(2.0)
        else:
            await pilot.press("down")
        verdict.set()
        await until(pilot, lambda: PREFERS in stage.note)
        assert stage.proposed == TIMES
        stage.later()
        await pilot.press("tab")
        await until(pilot, lambda: stage.proposed == SWAPPED)
        await pilot.press("shift+tab")
        await until(pilot, lambda: stage.proposed == TIMES)


async def test_where_both_agree_the_edit_shown_becomes_sure(tmp_path: Path) -> None:
    stage = Judged(tmp_path, TIMES)
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.is_judged)
        await until(pilot, lambda: stage.asked_turn.status is Status.OK)
        assert (stage.proposed, stage.note) == (TIMES, "")
        await until(pilot, lambda: "unsure" not in stage.bar("region"))


async def test_an_edit_stays_where_the_second_model_would_rather_change_nothing(
    tmp_path: Path,
) -> None:
    stage = Judged(tmp_path, AREA, weights={TIMES: 0.6, AREA: 0.4})
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.view.phase is TurnPhase.REVIEW and stage.is_judged)
        await until(pilot, lambda: stage.session.runner.idle and not stage.judges)
        assert (stage.proposed, stage.asked_turn.status) == (TIMES, Status.UNSURE)


async def test_esc_stops_it_and_the_edit_stands(tmp_path: Path, verdict: threading.Event) -> None:
    stage = Judged(tmp_path, SWAPPED)
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.judges)
        stage.later()
        await pilot.press("escape")
        await until(pilot, lambda: not stage.judges and stage.session.runner.idle)
        verdict.set()
        assert (stage.proposed, stage.note) == (TIMES, "")
        await stage.to_diff(pilot)
        await stage.decides(pilot, "a")
        assert stage.file.read_text() == TIMES


async def test_what_is_decided_meanwhile_is_no_longer_judged(
    tmp_path: Path, verdict: threading.Event
) -> None:
    stage = Judged(tmp_path, SWAPPED)
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.judges and stage.diff.has_focus)
        await stage.decides(pilot, "a")
        verdict.set()
        await until(pilot, lambda: stage.session.runner.idle)
        assert stage.file.read_text() == TIMES
        assert PREFERS not in stage.note


async def test_the_screen_is_free_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Judged(tmp_path, SWAPPED)
    go = threading.Event()
    monkeypatch.setattr(OneChat, "load", lambda models, _: (go.wait(10), models.chat)[1])
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: stage.judges)
        stage.later()
        await pilot.press("escape")
        await until(pilot, lambda: stage.session.runner.idle)
        go.set()


async def test_one_that_cannot_be_loaded_is_told_and_costs_nothing(tmp_path: Path) -> None:
    stage = Judged(tmp_path, "")
    async with stage.asked(stage.words, size=(120, 30)) as pilot:
        await until(pilot, lambda: "big did not judge it: big is damaged" in stage.note)
        assert stage.proposed == TIMES


async def test_a_sure_edit_is_not_judged(tmp_path: Path, verdict: threading.Event) -> None:
    stage = Judged(tmp_path, SWAPPED, sure=0.0)
    async with stage.reviewing(size=(120, 30)):
        await asyncio.sleep(0)
        assert not stage.judges
        assert not stage.asked_turn.candidates.are_judged
