"""A turn whose engine fails at any token ends as if nothing had happened; one that fails for
good keeps what it has.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy.typing as npt
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.model import Model
from spark_tui.errors import ModelError
from spark_tui.session.events import Event, Prefill, Status, Timing, Token, TurnEnded
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, ended, make_repo, scripted

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
FILE = f"import os\n\n\n{AREA}\n\ndef show():\n    print(area(2, 3), os.sep)\n"
SCRIPTS = {
    "one": edit_script(
        AREA, AREA.replace("w, h", "w: int, h: int").replace("return size", "return size + 0")
    ),
    "two": edit_script(AREA, AREA.replace("w + h", "w * h")),
}


class Breaks:
    """Raises before passes, counted from 0.

    Args:
        at: At these;
        from_: At all from this one on.
    """

    def __init__(
        self, *at: int, from_: int | None = None, error: Callable[[], Exception] = MemoryError
    ) -> None:
        self.passes = 0
        self._at, self._from, self._error = at, from_, error

    def __call__(self) -> None:
        """Count a pass."""
        number = self.passes
        self.passes += 1
        if number in self._at or (self._from is not None and number >= self._from):
            raise self._error()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    make_repo(folder / "repo", {"a.py": FILE})
    return folder


@cache
def _loaded(folder: Path) -> LoadedModel:
    return scripted(folder, SCRIPTS)


class Breaking:
    """A model that calls `breaks` in every pass. See `Model`."""

    def __init__(self, model: Model, breaks: Callable[[], None]) -> None:
        self.config, self.bytes, self.kernels, self.chunk = (
            model.config,
            model.bytes,
            "breaking",
            model.chunk,
        )
        self.new_cache = model.new_cache
        self.forward_branches = model.forward_branches
        self._model, self._breaks = model, breaks

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """Break only when the pass is done and the cache has moved on."""
        logits = self._model.forward(token_ids, cache, last_only=last_only)
        self._breaks()
        return logits


def _session(place: Path, breaks: Callable[[], None] = lambda: None) -> Session:
    loaded = _loaded(place / "model")
    repo = Repository.discover(place / "repo")
    broken = replace(loaded, model=Breaking(loaded.model, breaks))
    with pytest.MonkeyPatch.context() as patch:  # its files hold another one
        patch.setattr("spark_tui.engine.backend.from_disk", lambda *_: lambda: loaded.model)
        return Session(repo, broken, place / "state")


def _turn(session: Session, instruction: str = "one", temperature: float = 0.0) -> Turn:
    return session.begin(
        Request(instruction, "a.py", symbol="area", temperature=temperature, seed=3)
    )


def _told(event: Event) -> Event:
    """An event without what was measured: how much is drafted depends on that, too."""
    match event:
        case Token():
            return replace(event, t_ms=0.0, from_draft=False, logprob=round(event.logprob, 3))
        case Prefill():
            return replace(event, t_ms=0.0)
        case TurnEnded():
            return replace(event, timing=Timing())
    return event


def _whole(session: Session, turn: Turn) -> tuple[list[Event], bytes, Status, str, list[str]]:
    words: list[str] = []
    with session.host.engine.on_failure(words.append):
        events = list(map(_told, turn.events()))
    return events, turn.review.proposed.to_bytes(), turn.status, turn.message, words


def _passes(place: Path, instruction: str, temperature: float = 0.0) -> int:
    counted = Breaks()
    list(_turn(_session(place, counted), instruction, temperature).events())
    return counted.passes


@pytest.mark.parametrize("temperature", [0.0, 0.7])
@pytest.mark.parametrize("error", [MemoryError, lambda: RuntimeError("kernel")])
def test_a_failure_at_any_pass_of_a_turn_changes_nothing_of_what_it_says_and_ends_with(
    place: Path, temperature: float, error: Callable[[], Exception]
) -> None:
    calm = _session(place)
    events, *undisturbed, _ = _whole(calm, _turn(calm, temperature=temperature))
    passes = _passes(place, "one", temperature)
    assert passes > 5
    for at in range(passes):
        breaks = Breaks(at, error=error)
        session = _session(place, breaks)
        said, *result, words = _whole(session, _turn(session, temperature=temperature))
        assert (said, result) == (events, undisturbed)
        assert len(words) == (
            breaks.passes > at
        )  # how much is drafted, and so how many passes there are, may vary


def test_an_engine_that_breaks_for_good_at_any_pass_is_replaced_and_changes_nothing_either(
    place: Path,
) -> None:
    calm = _session(place)
    _, *undisturbed, _ = _whole(calm, _turn(calm))
    for at in range(_passes(place, "one")):
        breaks = Breaks(from_=at, error=lambda: RuntimeError("kernel"))
        session = _session(place, breaks)
        _, *result, words = _whole(session, _turn(session))
        assert result == undisturbed
        assert words == ["RuntimeError: kernel"] * (breaks.passes > at)


def test_what_fails_again_and_again_ends_the_turn_and_keeps_the_closed_hunks(place: Path) -> None:
    for at in range(_passes(place, "one") - 2):
        session = _session(place, Breaks(from_=at))
        turn = _turn(session)
        with (
            session.host.engine.on_failure(lambda _: None),
            pytest.raises(ModelError, match="out of memory"),
        ):
            list(turn.events())
        assert turn.status is Status.INTERRUPTED
        assert turn.hunks == turn.closed_hunks
        assert (place / "repo" / "a.py").read_text() == FILE


def test_the_session_goes_on_after_a_turn_that_was_given_up(place: Path) -> None:
    session = _session(place, Breaks(6))
    with pytest.raises(ModelError, match="the engine failed"):
        list(_turn(session).events())
    turn = ended(_turn(session, "two"))
    assert turn.status is Status.OK
    assert b"w * h" in turn.review.proposed.to_bytes()


def test_time_spent_waiting_for_the_user_is_not_counted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("spark_tui.session.meter.time.perf_counter", lambda: clock[0])
    session = _session(place, Breaks(4))
    turn = _turn(session)

    def wait(_: str) -> None:
        with turn.meter.resting():
            clock[0] += 1000

    with session.host.engine.on_failure(wait):
        list(turn.events())
    assert turn.timing.total_ms < 1000
