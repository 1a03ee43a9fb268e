"""Reading ahead while an instruction is written, and coming back to a region: only new tokens run."""

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from unittest import mock

import pytest

from spark_tui.editing.codemods import base as codemods
from spark_tui.editing.format import END, kind_mark
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import find_model, load
from spark_tui.engine.sampling import greedy
from spark_tui.errors import UsageError
from spark_tui.session.events import Token
from spark_tui.session.guiding import forget
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.vcs.repository import Repository
from tests.fakes import edit_script, make_repo, scripted_session
from tests.weighing import WeighingModel, weighing

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
OTHER = "def volume(w, h, d):\n    size = w + h + d\n    print(size)\n    return size\n"
WORDS = "multiply them in area"
SCRIPT = edit_script(AREA, AREA.replace("+", "*"))


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Session, WeighingModel]:
    """A session in a repository with two functions, and its model, which counts."""
    loaded, model = weighing(tmp_path / "model", {WORDS: [(SCRIPT, 1.0)], "": [((kind_mark("none"), END), 1.0)]})
    repo = Repository.discover(make_repo(tmp_path / "repo", {"a.py": AREA, "b.py": OTHER}))
    return Session(repo, loaded, tmp_path / "state"), model


def _run(session: Session, request: Request, model: WeighingModel) -> int:
    """Do a turn. Returns: the tokens that ran before its first choice."""
    turn = session.begin(request)
    turn.example = str  # these weights make no edits; to look for words that work would run more
    model.passes.clear()
    events = turn.events()
    for event in events:
        if isinstance(event, Token):
            break
    ran = sum(model.passes)
    for _ in events:
        pass
    return ran


def _read(session: Session, written: str, **place: str) -> None:
    session.read_ahead(session.look_ahead(Request(written, **place)))  # type: ignore[arg-type]
    assert session.runner.wait(10)


def test_what_was_read_ahead_is_not_run_again(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    request = Request(WORDS, "a.py", symbol="area")
    cold = _run(session, request, model)
    fresh = Session(session.repo, session.loaded, session.repo.root / ".state")
    _read(fresh, "multiply them in ar", path="a.py", symbol="area")
    warm = _run(fresh, request, model)
    assert sum(model.passes) > 0
    assert warm < cold / 3


def test_reading_ahead_changes_no_token(begun: tuple[Session, WeighingModel]) -> None:
    session, _ = begun
    request = Request(WORDS, "a.py", symbol="area")
    for written in ("m", "multiply the", "divide them by", WORDS):
        _read(session, written, path="a.py", symbol="area")
    turn = session.begin(request)
    list(turn.events())
    assert turn.review.proposed.to_bytes().decode() == AREA.replace("+", "*")


def test_more_words_cost_only_themselves(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    _read(session, "x ", path="a.py", symbol="area")
    model.passes.clear()
    more = "some more words that come to quite a few tokens in this vocabulary "
    _read(session, "x " + more, path="a.py", symbol="area")
    assert 0 < sum(model.passes) <= len(more)


def test_it_does_nothing_where_there_is_nothing_to_gain(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    _read(session, "multiply ", path="a.py", symbol="area")
    model.passes.clear()
    _read(session, "multiply ", path="a.py", symbol="area")
    assert model.passes == []
    with pytest.raises(UsageError):
        session.look_ahead(Request("do something"))


def test_a_turn_interrupts_it_and_a_running_turn_is_left_alone(
    begun: tuple[Session, WeighingModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, model = begun
    entered, leave = threading.Event(), threading.Event()
    ids = session.look_ahead(Request(WORDS + " ", "a.py", symbol="area"))
    monkeypatch.setattr("spark_tui.session.prefetch.CHUNK", 8)
    _hold_first_pass(model, entered, leave, monkeypatch)
    session.read_ahead(ids)
    assert entered.wait(10)
    passes = len(model.passes)
    session.read_ahead(ids)
    turn = session.begin(Request(WORDS, "a.py", symbol="area"))
    session.runner.start(turn.events(), lambda _: None, lambda _: None)
    leave.set()
    assert session.runner.wait(10)
    assert turn.review.proposed.to_bytes().decode() == AREA.replace("+", "*")
    assert turn.timing.cached_tokens >= 8
    assert model.passes[passes] == 8
    assert session.runner.turn_id == 2


def _hold_first_pass(
    model: WeighingModel, entered: threading.Event, leave: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Callable[..., object] = model.forward

    def held(*args: object, **options: object) -> object:
        entered.set()
        assert leave.wait(10)
        return forward(*args, **options)

    monkeypatch.setattr(model, "forward", held)


def test_coming_back_to_a_region_runs_only_the_words(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    one, other = Request("do one", "a.py", symbol="area"), Request("do other", "b.py", symbol="volume")
    first = _run(session, one, model)
    _run(session, other, model)
    again = _run(session, one, model)
    assert again == 1
    assert _run(session, Request("do two", "a.py", symbol="area"), model) < first / 3


def test_regions_that_are_kept_stay_within_their_memory(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    session._cache.kept.most_bytes = 0
    first = _run(session, Request("do one", "a.py", symbol="area"), model)
    _run(session, Request("do other", "b.py", symbol="volume"), model)
    assert _run(session, Request("do one", "a.py", symbol="area"), model) > first / 2


def test_a_pause_a_branch_and_a_regeneration_cost_only_new_tokens(begun: tuple[Session, WeighingModel]) -> None:
    session, model = begun
    turn = session.begin(Request(WORDS, "a.py", symbol="area"))
    prompt, cache = turn._prompt, session._cache

    def write(begun: list[int], most: int) -> list[int]:
        items = generate(model, cache, [*prompt, *begun], sampler=greedy(), max_tokens=most)
        return [item.token_id for item in items if isinstance(item, Step)]

    ids = write([], 8)
    model.passes.clear()
    assert write(ids[:5], 3) == ids[5:]
    assert sum(model.passes) == 3
    model.passes.clear()
    assert write([], 8) == ids
    assert sum(model.passes) == 8
    paused = generate(model, cache, prompt, sampler=greedy(), max_tokens=8)
    seen = [item.token_id for item in islice(paused, 5) if isinstance(item, Step)]
    model.passes.clear()
    rest = [item.token_id for item in paused if isinstance(item, Step)]
    assert seen + rest == ids
    assert sum(model.passes) == len(rest)


def test_the_edits_weighed_ahead_are_those_of_the_turn(tmp_path: Path) -> None:
    repo = Repository.discover(make_repo(tmp_path / "repo", {"a.py": AREA}))
    session, asked = (
        Session(repo, load(find_model(None)), tmp_path / "state"),
        Request("rename size to total in area", "a.py"),
    )

    def play() -> tuple[str, tuple[str, ...], int]:
        with mock.patch("spark_tui.editing.guide.listed", wraps=codemods.listed) as listed:
            turn = session.begin(asked)
            for _ in turn.events():
                pass
        return turn.message, turn.best.file.lines, listed.call_count

    forget()
    *alone, asked_for = play()
    forget()
    session.read_ahead(session.look_ahead(replace(asked, instruction=f"{asked.instruction} ")))
    assert session.runner.wait(10)
    *ahead, left = play()
    assert ahead == alone
    assert asked_for > 0 == left


def test_words_are_looked_at_ahead_as_a_turn_will_read_them(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": AREA}, {})
    curly, straight = (
        session.look_ahead(Request(words, "a.py", symbol="area"))
        for words in ("change “wide” to tall now ", 'change "wide" to tall now ')
    )
    assert curly == straight
