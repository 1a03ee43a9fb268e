"""Reading ahead while an instruction is written, and coming back to a region: only new tokens
run.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_tui.engine.model import Model
from spark_tui.session.events import Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, ended, make_repo, proposed, scripted
from tests.providers.quoting_models import NOTHING

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
OTHER = "def volume(w, h, d):\n    size = w + h + d\n    print(size)\n    return size\n"
WORDS = "multiply them in area"
REQUEST = Request(WORDS, "a.py", symbol="area")
TIMES = AREA.replace("+", "*")


class Passes(list[int]):
    """How many tokens each pass of a model ran."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model, forward = model, model.forward

        def counted(token_ids: Any, *args: Any, **options: Any) -> Any:
            self.append(np.size(token_ids))
            return forward(token_ids, *args, **options)

        model.forward = counted  # type: ignore[method-assign]


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Session, Passes]:
    """A session in a repository with two functions, and what its model runs."""
    loaded = scripted(tmp_path / "model", {WORDS: edit_script(AREA, TIMES), "": NOTHING})
    repo = Repository.discover(make_repo(tmp_path / "repo", {"a.py": AREA, "b.py": OTHER}))
    passes = Passes(loaded.model)
    return Session(repo, loaded, tmp_path / "state"), passes


def _run(session: Session, request: Request, passes: Passes) -> int:
    """Do a turn.

    Returns:
        The tokens that ran before its first choice.
    """
    turn = session.begin(request)
    passes.clear()
    events = turn.events()
    for event in events:
        if isinstance(event, Token):
            break
    ran = sum(passes)
    list(events)
    return ran


def _read(session: Session, written: str) -> None:
    session.read_ahead(session.look_ahead(Request(written, "a.py", symbol="area")))
    assert session.runner.wait(10)


def test_what_was_read_ahead_is_not_run_again(begun: tuple[Session, Passes]) -> None:
    session, passes = begun
    cold = _run(session, REQUEST, passes)
    fresh = Session(session.repo, session.loaded, session.repo.root / ".state")
    _read(fresh, "multiply them in ar")
    assert sum(passes) > 0
    assert _run(fresh, REQUEST, passes) < cold * 2 / 3


def test_reading_ahead_changes_no_token(begun: tuple[Session, Passes]) -> None:
    session, _ = begun
    for written in ("m", "multiply the", "divide them by", WORDS):
        _read(session, written)
    turn = ended(session.begin(REQUEST))
    assert proposed(turn) == TIMES


def test_a_region_is_read_once_whatever_words_follow(begun: tuple[Session, Passes]) -> None:
    session, passes = begun
    _read(session, "multiply ")
    passes.clear()
    for written in ("multiply ", "multiply it by some more words that come to quite a few tokens "):
        _read(session, written)
    assert passes == []


def test_what_is_read_ahead_may_be_asked_for_as_the_turn_before_ends(
    begun: tuple[Session, Passes],
) -> None:
    session, passes = begun
    ahead = session.look_ahead(Request("multiply ", "a.py", symbol="area"))
    nothing: tuple[object, ...] = ()

    def read(_: Exception | None) -> None:
        session.read_ahead(ahead)

    session.runner.start((item for item in nothing), lambda _: None, read)
    assert session.runner.wait(10)
    assert sum(passes) > 0


def test_a_turn_interrupts_it_and_a_running_turn_is_left_alone(
    begun: tuple[Session, Passes], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, passes = begun
    entered, leave = threading.Event(), threading.Event()
    ahead = session.look_ahead(REQUEST)
    monkeypatch.setattr("spark_tui.providers.spark_model._CHUNK", 8)
    _hold_first_pass(passes.model, entered, leave, monkeypatch)
    session.read_ahead(ahead)
    assert entered.wait(10)
    session.read_ahead(ahead)
    turn = session.begin(REQUEST)
    session.runner.start(turn.events(), lambda _: None, lambda _: None)
    leave.set()
    assert session.runner.wait(10)
    assert proposed(turn) == TIMES
    assert passes[0] == turn.timing.cached_tokens, (
        "it stopped behind one pass, which the turn went on from"
    )
    assert session.runner.turn_id == 2


def _hold_first_pass(
    model: Model, entered: threading.Event, leave: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Callable[..., object] = model.forward

    def held(*args: object, **options: object) -> object:
        entered.set()
        assert leave.wait(10)
        return forward(*args, **options)

    monkeypatch.setattr(model, "forward", held)


def test_coming_back_to_a_region_runs_only_the_words(begun: tuple[Session, Passes]) -> None:
    session, passes = begun
    one, other = (
        Request("do one", "a.py", symbol="area"),
        Request("do other", "b.py", symbol="volume"),
    )
    first = _run(session, one, passes)
    _run(session, other, passes)
    assert _run(session, one, passes) == 1
    assert _run(session, Request("do two", "a.py", symbol="area"), passes) < first / 2


def test_regions_that_are_kept_stay_within_their_memory(begun: tuple[Session, Passes]) -> None:
    session, passes = begun
    session.host.cache.kept.most_bytes = 0
    first = _run(session, Request("do one", "a.py", symbol="area"), passes)
    _run(session, Request("do other", "b.py", symbol="volume"), passes)
    assert _run(session, Request("do one", "a.py", symbol="area"), passes) > first / 2
