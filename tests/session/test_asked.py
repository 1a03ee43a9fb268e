"""What is said of an accept, in the journal and to whoever commits it: the words that it came
of.
"""

from pathlib import Path

import pytest

from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from tests.fakes import edit_script, ended, scripted_session
from tests.vcs.repos import name_somebody

AREA = (
    "def area(w, h):\n    x = w * h\n    print(x)\n    if not w:\n        return 0\n    "
    "return h * w\n"
)
BOTH = "show h, and say so"
SCRIPTS = {
    BOTH: edit_script(AREA, AREA.replace("print(x)", "print(h)").replace("return h", "return +h")),
    "say w instead": edit_script(AREA, AREA.replace("print(x)", "print(w)")),
}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("HOME", str(tmp_path))
    session = scripted_session(tmp_path, {"a.py": AREA}, SCRIPTS)
    name_somebody(session.repo.root)
    return session


def done(session: Session) -> Turn:
    turn = ended(session.begin(Request(BOTH, "a.py", symbol="area")))
    assert len(turn.hunks) == 2
    return turn


def offered(session: Session) -> str:
    return session.staging.offer().message


def test_an_accept_is_told_by_the_words_it_came_of_however_much_of_it_was_taken(
    session: Session,
) -> None:
    turn = done(session)
    for hunk in turn.hunks:
        entry = session.accept(turn, [hunk.id])
        assert entry.description == BOTH
        assert offered(session) == "Show h, and say so in a.py"
    session.undo()
    session.redo()
    assert offered(session) == "Show h, and say so in a.py"


def test_a_hunk_that_was_asked_for_again_is_told_by_those_words(session: Session) -> None:
    turn = done(session)
    other = ended(session.ask_again(turn, turn.hunks[0].id, "say w instead"))
    session.accept(other, [other.hunks[1].id])
    assert offered(session) == "Show h, and say so in a.py"
    session.accept(other, [other.hunks[0].id])
    assert offered(session).startswith("Show h, and say so and 1 more edit in a.py\n")
    assert "- Say w instead" in offered(session)


def test_hunks_of_several_words_that_are_accepted_at_once_are_told_by_all_of_them(
    session: Session,
) -> None:
    turn = done(session)
    other = ended(session.ask_again(turn, turn.hunks[0].id, "say w instead"))
    assert session.accept(other).description == f"say w instead and {BOTH}"
