"""Turns of a model that quotes, from the words to the disk: nothing of what is typed is read by
code.
"""

from pathlib import Path

import pytest

from spark_tui.providers.calibration import Calibration
from spark_tui.session.events import Checked, Event, HunkClosed, HunkUpdated, Status, Token
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.repository import Repository
from tests.fakes import make_repo
from tests.providers.quoting_models import quoting_model

CODE = "def f(self, value):\n    return value + 1\n\n\nf(2)\n"
SHELL = "set -e\nmkdir out\ncp a out\n"
WEB = "function f(value) {\n  return value;\n}\n"
SCRIPTS = {
    "add two": ["-    return value + 1", "+    return value + 2"],
    "rename": ["rename value number"],
    "thanks": ["none"],
    "break it": ["-    return value + 1", "+    return value +"],
    "make the folder only once": ["-mkdir out", "+mkdir -p out"],
    "double it": ["-  return value;", "+  return value * 2;"],
    "break the page": ["-  return value;", "+  return value * (2;"],
    "three": ["-    return value + 1", "+    return value + 3"],
    "fix it": ["-    return value + 1", "+    return value"],
}
Done = tuple[Turn, list[Event]]
SURE, UNSURE = Calibration(sure=0.0), Calibration(sure=1.1)


def session_of(tmp_path: Path, calibration: Calibration = SURE, *, surely: float = 20.0) -> Session:
    repo = Repository.discover(
        make_repo(tmp_path / "repo", {"a.py": CODE, "run.sh": SHELL, "web.js": WEB})
    )
    loaded = quoting_model(tmp_path / "model", SCRIPTS, surely=surely)
    calibration.write(loaded.path)
    return Session(repo, loaded, tmp_path / "state")


def _read(session: Session, turn: Turn) -> str:
    """What the model reads for a turn."""
    pieces = [session.loaded.tokenizer.piece(token) for token in turn.prompt]
    return b"".join(piece for piece in pieces if isinstance(piece, bytes)).decode()


def done(
    session: Session, words: str, place: str = "a.py", lines: tuple[int, int] = (1, 2)
) -> tuple[Turn, list[Event]]:
    turn = session.begin(Request(words, place, lines))
    return turn, list(turn.events())


def test_an_unsure_edit_is_shown_as_such_and_can_still_be_accepted(tmp_path: Path) -> None:
    session = session_of(tmp_path, UNSURE)
    turn, _ = done(session, "add two")
    assert turn.status is Status.UNSURE
    assert turn.message.startswith("unsure (")
    assert len(turn.hunks) == 1
    session.accept(turn)
    assert "+ 2" in (tmp_path / "repo/a.py").read_text()


def test_nothing_is_called_checked_before_it_is_known_how_sure_it_is(tmp_path: Path) -> None:
    _, events = done(session_of(tmp_path, UNSURE), "add two")
    last = max(at for at, event in enumerate(events) if isinstance(event, Token | HunkUpdated))
    assert any(isinstance(event, HunkClosed) for event in events)
    assert not any(isinstance(event, Checked) for event in events[:last])
    assert any(isinstance(event, Checked) and event.hunk_id for event in events[last:])


def test_any_text_can_be_edited(tmp_path: Path) -> None:
    turn, _ = done(session_of(tmp_path), "make the folder only once", "run.sh", (1, 3))
    assert turn.status is Status.OK, turn.message
    assert turn.file.proposal.lines == ("set -e", "mkdir -p out", "cp a out")


def test_an_edit_of_another_language_is_read_by_its_grammar(tmp_path: Path) -> None:
    turn, _ = done(session_of(tmp_path), "double it", "web.js", (1, 3))
    assert turn.status is Status.OK, turn.message
    assert "checked (applies, parses)" in turn.message


def test_an_edit_that_breaks_a_file_of_another_language_is_not_offered(tmp_path: Path) -> None:
    turn, _ = done(session_of(tmp_path), "break the page", "web.js", (1, 3))
    assert turn.status is Status.ABSTAINED
    assert turn.message == "no edit offered: line 2: `)` is missing"
    assert turn.file.proposal == turn.base


def test_of_a_turn_that_is_let_go_only_what_can_be_read_stays(tmp_path: Path) -> None:
    turn = session_of(tmp_path).begin(Request("break the page", "web.js", (1, 3)))
    events = turn.events()
    assert any("(2;" in line for _ in events for line in turn.file.proposal.lines)
    events.close()
    assert turn.status is Status.INTERRUPTED
    assert not any("(2;" in line for line in turn.file.proposal.lines)


@pytest.mark.parametrize(
    "words", ["fix it", "rename", "keep ours", "add two, then log it", "what does this do?"]
)
def test_the_words_reach_the_model_as_they_were_typed(tmp_path: Path, words: str) -> None:
    session = session_of(tmp_path)
    turn = session.begin(Request(words, "a.py", (1, 2)))
    assert _read(session, turn) == f"### File a.py\n{CODE[:41]}### Request\n{words}\n### Edit\n"


def test_what_a_redirect_corrects_is_read_with_it(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    first, _ = done(session, "add two")
    second = session.redirect(first, "three")
    assert "### Earlier\nadd two\n### Request\nthree\n" in _read(session, second)
    list(second.events())
    assert "+ 3" in "".join(second.file.proposal.lines)
