"""What is said of an earlier turn: how much of what it proposed is in the file by now."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.session.turn_store import SessionStore
from spark_tui.vcs.journal import frame, unframe
from tests.fakes import edit_script, ended, scripted_session
from tests.providers.quoting_models import Script

BODY = (
    "def area(w, h):\n    size = w + h\n    size += 1\n    size -= 1\n    print(size)\n    "
    "return size\n"
)


def three(shown: str) -> Script:
    """A script that changes the head, the middle and the end."""
    head = BODY.replace("(w, h)", "(w: int, h: int)")
    middle = head.replace("    size -= 1", "    size += 2\n    size += 3\n    size -= 1")
    after = middle.replace("print(size)", f"print(size, {shown})").replace(
        "return size", "return size + 0"
    )
    return edit_script(BODY, after)


REQUEST = Request("do", "a.py", symbol="area")


class Told:
    """A session with a turn of three hunks, and what a later start says of that turn."""

    def __init__(self, folder: Path) -> None:
        fake = scripted_session(folder, {"a.py": BODY}, {"do": three("w"), "again": three("h")})
        self.store = SessionStore(folder / "sessions")
        self.session = self.started(fake)
        self.folder = folder
        self.turn = ended(self.session.begin(REQUEST))
        assert len(self.turn.hunks) == 3

    def started(self, like: Session) -> Session:
        return Session(like.repo, like.loaded, like.repo.root.parent / "state", sessions=self.store)

    @property
    def state(self) -> str:
        """As the next start has it."""
        self.session.close()
        (earlier,) = self.started(self.session).past.turns()
        return earlier.state

    def accept(self, *numbers: int) -> None:
        """Accept open hunks by their numbers; none: all."""
        self.session.accept(self.turn, [self.turn.parts[each].hunk.id for each in numbers] or None)

    def reject(self, *numbers: int) -> None:
        """Reject open hunks by their numbers."""
        self.session.reject(self.turn, [self.turn.parts[each].hunk.id for each in numbers])


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def test_of_three_hunks_one_is_partly_applied_until_the_others_are_accepted_too(told: Told) -> None:
    assert told.state == "nothing accepted"
    told.accept(1)
    assert told.state == "partly applied"
    told.accept(0)
    assert told.state == "partly applied"
    told.accept(0)
    assert told.state == "applied"


def test_a_hunk_that_was_undone_and_accepted_with_all_others_is_applied(told: Told) -> None:
    told.accept(0)
    told.session.undo()
    assert told.state == "taken back"
    told.accept()
    assert told.state == "applied"


def test_what_was_rejected_is_not_applied(told: Told) -> None:
    told.reject(0, 1)
    told.accept()
    assert told.state == "partly applied"


def test_of_a_turn_that_was_rejected_nothing_is_accepted(told: Told) -> None:
    told.reject(0, 1, 2)
    assert told.state == "nothing accepted"


def test_a_redo_makes_it_what_it_was(told: Told) -> None:
    told.accept(2)
    told.accept()
    told.session.undo()
    assert told.state == "partly applied"
    told.session.undo()
    assert told.state == "taken back"
    told.session.redo()
    assert told.state == "partly applied"
    told.session.redo()
    assert told.state == "applied"


def test_an_undo_in_a_later_session_counts(told: Told) -> None:
    told.accept(0)
    told.accept()
    told.session.close()
    later = told.started(told.session)
    later.undo()
    assert [each.state for each in later.past.turns()] == ["partly applied"]


def test_the_parts_of_a_hunk_that_was_cut_count_as_what_they_are(told: Told) -> None:
    told.accept(0)
    told.accept(0)
    told.session.close()
    told.turn.file.split(told.turn.parts[0].hunk.id)
    assert len(told.turn.parts) == 2
    told.accept(0)
    assert told.state == "partly applied"
    told.accept(0)
    assert told.state == "applied"
    told.session.undo()
    assert told.state == "partly applied"
    told.reject(0)
    assert told.state == "partly applied"


def test_what_was_rewritten_by_hand_and_accepted_is_applied(told: Told) -> None:
    told.turn.file.edit(told.turn.parts[1].hunk.id, ["    size *= 7"])
    told.accept()
    assert told.state == "applied"


def test_a_hunk_that_was_asked_for_again_counts_for_the_turn_that_wrote_it(told: Told) -> None:
    told.accept(0)
    other = ended(told.session.ask_again(told.turn, told.turn.parts[1].hunk.id, "again"))
    told.turn = other
    told.accept()
    told.session.close()
    states = {each.turn.id: each.state for each in told.started(told.session).past.turns()}
    assert states == {"t1": "partly applied", "t2": "applied"}


@pytest.mark.parametrize(
    ("do", "state"),
    [
        (lambda told: told.accept(0), "accepted"),
        (lambda told: told.accept(), "accepted"),
        (lambda told: (told.accept(0), told.session.undo()), "taken back"),
        (lambda told: (told.accept(0), told.session.undo(), told.accept()), "accepted"),
    ],
)
def test_of_a_turn_that_an_older_spark_saved_only_what_is_known_is_said(
    told: Told, do: Callable[[Told], object], state: str
) -> None:
    do(told)
    told.session.close()
    (file,) = (told.folder / "sessions").glob("*.session")
    body = unframe(file.read_bytes().removesuffix(b"\n"))
    assert body is not None
    turns = [
        {key: value for key, value in each.items() if key not in ("taken", "extent")}
        for each in body["turns"]
    ]
    file.write_bytes(frame(body | {"v": 1, "turns": turns}))
    assert [each.state for each in told.started(told.session).past.turns()] == [state]
