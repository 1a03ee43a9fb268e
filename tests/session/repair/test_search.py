"""Where no answer of a model makes the user's command pass, small changes of the same lines are
tried.
"""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from spark_tui.errors import Abstained
from spark_tui.session.events import Event, Status, TrialProgress
from spark_tui.session.repair import locate
from spark_tui.session.session import Session
from spark_tui.session.turn import NOTHING, Request, Turn
from tests.fakes import ended, git, returned, scripted_session

PYTHON = shlex.quote(sys.executable)
LAST = "def last(items):\n    count = len(items)\n    return items[count]\n"
PASSES = f"{PYTHON} -c 'import a; assert a.last([1, 2, 3]) == 3'"
ANSWERS: dict[str, Sequence[str]] = {
    "right": ["-    return items[count]", "+    return items[count - 1]"],
    "wrong": ["-    return items[count]", "+    return items[0]"],
    "odd": ["-    return items[count]", "+    return 3"],
    "none": ["none"],
}
FIRST = "def first(items):\n    return items[0]\n"
TEST = "import a\nimport b\n\nassert b.first([1, 2]) == 1\nassert a.last([1, 2, 3]) == 3\n"


def session_of(tmp_path: Path, files: dict[str, str] | None = None, sure: float = 0.0) -> Session:
    return scripted_session(tmp_path, files or {"a.py": LAST}, ANSWERS, sure=sure)


def done(
    session: Session,
    words: str,
    command: str = PASSES,
    budget: float = 60.0,
    lines: tuple[int, int] = (1, 3),
) -> tuple[Turn, list[Event]]:
    turn = session.begin(Request(words, "a.py", lines), command=session.command(command, budget))
    return turn, list(turn.events())


def tries(events: Sequence[Event]) -> int:
    return max((each.tried for each in events if isinstance(each, TrialProgress)), default=0)


def test_nothing_is_tried_where_an_answer_passes(tmp_path: Path) -> None:
    turn, events = done(session_of(tmp_path), "right")
    assert (turn.status, turn.kind, getattr(turn.mender, "search", "")) == (Status.OK, "edit", None)
    assert not any(isinstance(each, TrialProgress) and each.total for each in events)


@pytest.mark.parametrize("words", ["wrong", "none"])
def test_the_bug_is_found_where_no_answer_passes(tmp_path: Path, copies: Path, words: str) -> None:
    session = session_of(tmp_path)
    turn, events = done(session, words)
    assert (turn.status, turn.kind) == (Status.UNSURE, "fix"), turn.message
    assert turn.message.startswith(f"passes `{PASSES}`; found by trying")
    assert turn.file.proposal.lines[1:] in (
        ("    count = len(items)", "    return items[count - 1]"),
        ("    count = len(items) - 1", "    return items[count]"),
    )
    assert f"found by trying {tries(events)} of " in turn.message
    assert [check.name for check in turn.checks][-1] == "command"
    assert git(session.repo.root, "status", "--porcelain") == b""
    assert list(copies.iterdir()) == []
    session.accept(turn)
    assert (
        "count - 1]" in (session.repo.root / "a.py").read_text()
        or "- 1\n" in (session.repo.root / "a.py").read_text()
    )


def test_a_command_that_passes_as_it_is_has_nothing_tried(tmp_path: Path) -> None:
    turn, events = done(session_of(tmp_path), "none", "true")
    assert (turn.status, turn.message) == (Status.ABSTAINED, f"{NOTHING}; `true` passes as it is")
    assert not any(isinstance(each, TrialProgress) and each.total for each in events)


def test_a_turn_that_is_let_go_stops_the_search_at_once(tmp_path: Path, copies: Path) -> None:
    session = session_of(tmp_path)
    turn = session.begin(
        Request("wrong", "a.py", (1, 3)), command=session.command(f"{PASSES}; sleep 30")
    )
    events = turn.events()
    next(each for each in events if isinstance(each, TrialProgress))
    events.close()
    assert (turn.status, getattr(turn.mender, "search", ""), list(copies.iterdir())) == (
        Status.INTERRUPTED,
        None,
        [],
    )


@pytest.mark.parametrize(("words", "status"), [("right", Status.OK), ("odd", Status.UNSURE)])
def test_an_answer_that_makes_a_failing_command_pass_is_sure_unless_it_says_what_the_test_does(
    tmp_path: Path, words: str, status: Status
) -> None:
    turn, _ = done(session_of(tmp_path, sure=1.1), words)
    assert (turn.status, turn.kind) == (status, "edit"), turn.message


def test_where_no_command_fails_an_answer_is_as_sure_as_the_model(tmp_path: Path) -> None:
    turn, _ = done(session_of(tmp_path, sure=1.1), "right", "true")
    assert turn.status is Status.UNSURE


def test_a_change_that_may_pass_for_no_good_reason_is_not_called_sure(tmp_path: Path) -> None:
    command = f"{PYTHON} -c 'import a; assert a.last() == 7, 7'"
    turn, _ = done(
        session_of(tmp_path, {"a.py": "def last():\n    return 5\n"}), "none", command, lines=(1, 2)
    )
    assert turn.fix is not None
    assert (turn.status, turn.fix.doubtful) == (Status.UNSURE, True)
    assert "says what the test expects" in turn.message


def test_a_test_is_not_made_to_pass_by_changing_it(tmp_path: Path) -> None:
    session = session_of(tmp_path, {"test_a.py": "def test_sum():\n    assert 1 + 1 == 3\n"})
    command = session.command(f"{PYTHON} -c 'import test_a; test_a.test_sum()'")
    turn = ended(session.begin(Request("none", "test_a.py", (1, 2)), command=command))
    assert (turn.status, getattr(turn.mender, "search", "")) == (Status.ABSTAINED, None)


def begun(session: Session, words: str, command: str) -> Turn:
    return returned(locate.begin(session, Request(words), session.command(command)))


TWO = {"a.py": LAST, "b.py": FIRST, "test_a.py": TEST}


def test_a_failure_tells_the_place_where_the_words_do_not(tmp_path: Path) -> None:
    session = session_of(tmp_path, TWO)
    turn = begun(session, "none", f"{PYTHON} test_a.py")
    assert (turn.region.path, turn.region.symbol) == ("a.py", "last")
    list(turn.events())
    assert turn.status is Status.UNSURE, turn.message
    assert git(session.repo.root, "status", "--porcelain") == b""


def test_of_several_places_it_is_the_one_where_a_change_passes(tmp_path: Path) -> None:
    wrong = "def clip(low, value):\n    return min(low, value)\n"
    called = (
        "import b\n\n\ndef last(items):\n    place = b.clip(0, len(items) - 1)\n    "
        "return items[place]\n"
    )
    session = session_of(
        tmp_path,
        {"a.py": called, "b.py": wrong, "test_a.py": "import a\n\nassert a.last([1, 2, 3]) == 3\n"},
    )
    turn = ended(begun(session, "none", f"{PYTHON} test_a.py"))
    assert turn.status is Status.UNSURE, turn.message
    assert getattr(turn.mender, "search", None)
    assert "found by trying" in turn.message


def test_words_that_name_no_place_lead_to_the_likeliest_where_the_command_passes(
    tmp_path: Path,
) -> None:
    assert begun(session_of(tmp_path, TWO), "the last of the items", "true").region.path == "a.py"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("bad", "names no function here"),
        ("ImportError: cannot import name x from 'y'", "no small edit can help"),
    ],
)
def test_a_failure_that_leads_nowhere_is_told(tmp_path: Path, output: str, said: str) -> None:
    with pytest.raises(Abstained, match=said):
        begun(session_of(tmp_path, TWO), "none", f"echo {shlex.quote(output)}; false")
