"""What a session leaves behind for later starts."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from spark_tui.mentions import read_request
from spark_tui.session.events import HunkClosed
from spark_tui.session.session import Session
from spark_tui.session.turn import Request
from spark_tui.session.turn_store import SavedSession, SavedTurn, SessionStore
from tests.fakes import ended, rename_script, scripted_session

AREA = "def area(w, h):\n    size = w + h\n    return size\n"
REQUEST = Request("wide", "a.py", symbol="area")


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def remembering(folder: Path, store: SessionStore | None, path: str = "a.py") -> Session:
    session = scripted_session(folder, {path: AREA}, {"wide": rename_script("w", "width")})
    return type(session)(session.repo, session.loaded, folder / "state", sessions=store)


def saved(store: SessionStore) -> tuple[SavedTurn, ...]:
    """The turns of the only session, once everything on its way is there."""
    for thread in threading.enumerate():
        if thread.name == "spark-save":
            thread.join()
    sessions = store.list()
    return sessions[0].turns if sessions else ()


def test_an_accepted_turn_is_saved_with_its_patch_and_the_journals_id(
    tmp_path: Path, store: SessionStore
) -> None:
    session = remembering(tmp_path, store)
    turn = ended(session.begin(REQUEST))
    entry = session.accept(turn)

    (kept,) = saved(store)
    assert (kept.instruction, kept.path, kept.start_line, kept.end_line) == (
        "wide @a.py::area",
        "a.py",
        1,
        3,
    )
    assert (kept.status, kept.journal_ids) == ("ok", (entry.id,))
    assert "+def area(width, h):" in kept.patch


@pytest.mark.parametrize("place", [{"symbol": "area"}, {"lines": (1, 2)}, {}])
def test_what_was_asked_is_kept_with_its_place_so_that_the_same_can_be_asked_again(
    tmp_path: Path, store: SessionStore, place: dict[str, Any]
) -> None:
    request = Request("wide", "a.py", **place)
    ended(remembering(tmp_path, store).begin(request))
    (kept,) = saved(store)
    assert Request(**read_request(kept.instruction, lambda name: name)) == request


def test_a_turn_keeps_the_time_at_which_it_was_asked(tmp_path: Path, store: SessionStore) -> None:
    session = remembering(tmp_path, store)
    turn = session.begin(REQUEST)
    asked = datetime.now(UTC)
    list(turn.events())
    session.accept(turn)
    (kept,) = saved(store)
    assert kept.time <= asked


def test_turns_that_were_not_accepted_are_saved_too_from_their_beginning(
    tmp_path: Path, store: SessionStore
) -> None:
    session = remembering(tmp_path, store)
    ended(session.begin(REQUEST))
    assert [(kept.id, kept.instruction, kept.journal_ids) for kept in saved(store)] == [
        ("t1", "wide @a.py::area", ())
    ]
    session.begin(REQUEST)
    assert [(kept.id, kept.status) for kept in saved(store)] == [("t1", "ok"), ("t2", "running")]


def test_a_turn_that_was_rejected_keeps_what_it_proposed(
    tmp_path: Path, store: SessionStore
) -> None:
    session = remembering(tmp_path, store)
    turn = ended(session.begin(REQUEST))
    turn.file.reject([hunk.id for hunk in turn.hunks])
    session.remember()
    (kept,) = saved(store)
    assert "+def area(width, h):" in kept.patch


def test_a_turn_that_was_stopped_keeps_what_it_had_written(
    tmp_path: Path, store: SessionStore
) -> None:
    session = remembering(tmp_path, store)
    turn = session.begin(REQUEST)
    events = turn.events()
    assert any(isinstance(event, HunkClosed) for event in events)
    events.close()
    session.remember()
    (kept,) = saved(store)
    assert kept.status == "interrupted"
    assert "+def area(" in kept.patch


def test_the_patch_of_a_secret_file_is_not_saved(tmp_path: Path, store: SessionStore) -> None:
    session = remembering(tmp_path, store, "credentials.py")
    turn = ended(session.begin(Request("wide", "credentials.py", symbol="area")))
    session.accept(turn, allow=["credentials.py"])

    (kept,) = saved(store)
    assert (kept.patch, len(kept.journal_ids)) == ("", 1)


def test_a_session_that_cannot_be_saved_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = SessionStore(tmp_path / "file" / "sessions")
    session = remembering(tmp_path, store)
    for _ in range(2):
        ended(session.begin(REQUEST))
    session.accept(ended(session.begin(REQUEST)))
    assert saved(store) == ()

    assert (session.repo.root / "a.py").read_text() != AREA
    assert [words for words in session.take_notices() if "cannot save this session" in words] == [
        f"cannot save this session in {tmp_path / 'file' / 'sessions'}: Not a directory"
    ]


def test_the_end_waits_for_what_is_being_saved_but_not_for_ever(
    tmp_path: Path, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = remembering(tmp_path, store)
    turn = ended(session.begin(REQUEST))
    saved(store)
    save, may_save = SessionStore.save, threading.Event()

    def slowly(self: SessionStore, what: SavedSession) -> None:
        may_save.wait(30)
        save(self, what)

    monkeypatch.setattr(SessionStore, "save", slowly)
    monkeypatch.setattr("spark_tui.session.session._PATIENCE_SECONDS", 0.01)
    session.accept(turn)
    session.close()
    assert [each.journal_ids for each in store.list()[0].turns] == [()]

    monkeypatch.setattr("spark_tui.session.session._PATIENCE_SECONDS", 30)
    threading.Timer(0.01, may_save.set).start()
    session.close()
    (kept,) = store.list()
    assert [len(each.journal_ids) for each in kept.turns] == [1]


def test_without_a_store_nothing_is_saved(tmp_path: Path, store: SessionStore) -> None:
    session = remembering(tmp_path, None)
    session.accept(ended(session.begin(REQUEST)))

    assert saved(store) == ()


def test_the_end_may_come_at_the_moment_at_which_something_begins_to_be_saved(
    tmp_path: Path, store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = remembering(tmp_path, store)
    start, ends = threading.Thread.start, list[threading.Thread]()

    def ending(thread: threading.Thread) -> None:
        monkeypatch.setattr(threading.Thread, "start", start)
        ends.append(threading.Thread(target=session.close))
        start(ends[0])
        ends[0].join(0.1)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", ending)
    with pytest.MonkeyPatch.context() as hook:
        raised: list[object] = []
        hook.setattr(threading, "excepthook", raised.append)
        session.begin(REQUEST)
        ends[0].join()
    assert raised == []
