"""A second model that judges the answers of the first one where that is not sure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import ModelError, UsageError
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.registry import Models
from spark_tui.session.events import Event, Held, Status
from spark_tui.session.json_output import result
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import ScriptedSession, edit_script, ended, make_repo, proposed
from tests.providers.chat_models import chat_model
from tests.providers.quoting_models import NOTHING, Script, quoting_model
from tests.providers.scripted_server import serving

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
TIMES = AREA.replace("w + h", "w * h")
MINUS = AREA.replace("w + h", "w - h")
SWAPPED = AREA.replace("w + h", "h + w")
Answer = tuple[Script, float]
THREE: Sequence[Answer] = [
    (edit_script(AREA, TIMES), 0.5),
    (edit_script(AREA, MINUS), 0.3),
    (edit_script(AREA, SWAPPED), 0.2),
]


DOUBTS = Calibration(sure=0.99, agreed=0.0)


@dataclass(frozen=True)
class _Models(Models):
    """Knows one chat model under any name, or none that can be loaded."""

    chat: LoadedModel | None = None

    def load(self, name: str) -> LoadedModel:
        if self.chat is None:
            raise ModelError(f"{name} is damaged; get it again")
        return self.chat


def _session(
    folder: Path,
    prefers: str | None,
    answers: Sequence[Answer] = THREE,
    *,
    judge: str = "big",
    calibration: Calibration = DOUBTS,
) -> Session:
    """A session on a tiny model with several answers, and a judge that would write one file."""
    repo = Repository.discover(make_repo(folder / "repo", {"a.py": AREA}))
    first = quoting_model(folder / "first", {}, answers={"do": answers})
    calibration.write(first.path)
    chat = None
    if prefers is not None:
        chat = chat_model(folder / "chat", {"do": f"{prefers}```\n"})
    return ScriptedSession(repo, first, folder / "state", models=_Models(chat=chat), judge=judge)


def _begun(session: Session, **options: object) -> Turn:
    return session.begin(Request("do", "a.py", symbol="area", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("prefers", [TIMES, MINUS, SWAPPED])
def test_what_it_would_rather_have_written_leads(tmp_path: Path, prefers: str) -> None:
    turn = ended(_begun(_session(tmp_path, prefers)))
    assert proposed(turn) == prefers
    files = [each.file.to_bytes().decode() for each in turn.variations]
    assert files[0] == prefers
    assert set(files) == {TIMES, MINUS, SWAPPED}, "the others stay a key away"
    list(turn.vary(4))
    assert [each.file.to_bytes().decode() for each in turn.variations] == files


def test_where_both_agree_less_makes_an_edit_sure(tmp_path: Path) -> None:
    turn = ended(_begun(_session(tmp_path / "same", TIMES)))
    assert (turn.status, turn.written_by) == (Status.OK, ("first", "big"))
    other = ended(_begun(_session(tmp_path / "other", MINUS)))
    assert (other.status, other.written_by) == (Status.UNSURE, ("first",))
    unmeasured = Calibration(sure=0.99)
    without = ended(_begun(_session(tmp_path / "old", TIMES, calibration=unmeasured)))
    assert (without.status, without.written_by) == (Status.UNSURE, ("first", "big"))


def test_what_another_answer_shows_is_not_agreed_upon(tmp_path: Path) -> None:
    turn = ended(_begun(_session(tmp_path, TIMES)))
    turn.show(turn.variations[1])
    assert (turn.status, turn.written_by) == (Status.UNSURE, ("first",))
    turn.show(turn.variations[0])
    assert (turn.status, turn.written_by) == (Status.OK, ("first", "big"))


def test_programs_are_told_whose_answer_it_is(tmp_path: Path) -> None:
    session = _session(tmp_path, TIMES)
    turn = ended(_begun(session))
    told = json.loads(json.dumps(result(session.repo, turn, turn.writer)))
    assert told["written_by"] == ["first", "big"]
    lone = _session(tmp_path / "lone", TIMES, judge="")
    assert result(lone.repo, ended(_begun(lone)), "first")["written_by"] == ["first"]
    none = _session(tmp_path / "none", TIMES, [(NOTHING, 1.0)])
    assert result(none.repo, ended(_begun(none)), "first")["written_by"] == []


@pytest.mark.parametrize(
    ("answers", "calibration"),
    [
        (THREE, Calibration(sure=0.0)),
        (THREE[:1], Calibration(sure=0.99)),
        ([(NOTHING, 1.0)], Calibration(sure=0.99)),
    ],
)
def test_it_is_not_asked_where_there_is_nothing_to_choose(
    tmp_path: Path, answers: Sequence[Answer], calibration: Calibration
) -> None:
    session = _session(tmp_path, None, answers, calibration=calibration)
    turn = ended(_begun(session))
    assert "damaged" not in turn.message
    assert "big" not in turn.written_by


@pytest.mark.parametrize("options", [{"temperature": 1.0}, {"become": ("x = 1",)}])
def test_draws_and_given_lines_are_not_judged(
    tmp_path: Path, options: Mapping[str, object]
) -> None:
    turn = ended(_begun(_session(tmp_path, None), **options))
    assert "damaged" not in turn.message


def test_a_judge_that_cannot_be_loaded_costs_no_edit(tmp_path: Path) -> None:
    turn = ended(_begun(_session(tmp_path, None)))
    assert proposed(turn) == TIMES
    assert "big did not judge it: big is damaged" in turn.message


def test_it_can_be_stopped_at_every_pass(tmp_path: Path) -> None:
    whole = len(list(_begun(_session(tmp_path / "whole", MINUS)).events()))
    session = _session(tmp_path / "cut", MINUS)
    seen = list[Event]()
    turn = _begun(session)
    events = turn.events()
    for event in events:
        seen.append(event)
        if isinstance(event, Held) and len(seen) > whole - 6:
            break
    events.close()
    assert turn.status is Status.INTERRUPTED
    again = ended(_begun(session))
    assert proposed(again) == MINUS


def test_an_endpoint_cannot_judge(tmp_path: Path) -> None:
    repo = Repository.discover(make_repo(tmp_path / "repo", {"a.py": AREA}))
    loaded = quoting_model(tmp_path / "first", {})
    with serving() as server:
        models = replace(Models(), endpoints={"big": server.endpoint()})
        with pytest.raises(UsageError, match="big is an endpoint"):
            ScriptedSession(repo, loaded, tmp_path / "state", models=models, judge="big")
