import os
import stat
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from spark_tui.errors import FileError, UsageError
from spark_tui.session import turn_store
from spark_tui.session.turn_store import (
    CUT_OFF,
    MOST_TURNS,
    SavedSession,
    SavedTurn,
    SessionStore,
    added,
)
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.journal import frame, unframe


def turn(name: str, status: str = "ok") -> SavedTurn:
    when = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    return SavedTurn(
        name,
        when,
        "rename x\nto \udcff \u202e",
        "a b.py",
        3,
        9,
        status,
        "",
        "--- a\n+++ b\n",
        ("0badcafe",),
    )


OLD = SavedSession("s1", (turn("t1"),))
NEW = SavedSession("s1", (turn("t1"), turn("t2", "abstained")))


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def sessions(tmp_path: Path, told: list[str]) -> SessionStore:
    return SessionStore(tmp_path / "sessions", tell=told.append)


def age(sessions: SessionStore, session: SavedSession, seconds: int) -> None:
    """Save a session as of some time after the epoch: file times are too coarse to tell two
    saves apart.
    """
    sessions.save(session)
    os.utime(sessions.path_of(session.id), (seconds, seconds))


def test_the_last_saved_session_comes_first(sessions: SessionStore) -> None:
    for seconds, name in enumerate(["b", "c", "a"]):
        age(sessions, SavedSession(name, ()), seconds)

    assert [session.id for session in sessions.list()] == ["a", "c", "b"]


def test_a_session_must_be_named_without_doubt(sessions: SessionStore) -> None:
    sessions.save(SavedSession("ab", ()))
    sessions.save(SavedSession("ac", ()))

    with pytest.raises(UsageError, match="several sessions begin with 'a'"):
        sessions.load("a")
    with pytest.raises(UsageError, match="no session begins with 'z'"):
        sessions.load("z")


def test_a_reserved_session_is_loaded_without_turns_and_listed_nowhere(
    sessions: SessionStore,
) -> None:
    sessions.reserve("s1")
    sessions.reserve("s2")
    sessions.save(OLD)

    assert sessions.load("s1") == OLD
    assert sessions.load("s2") == SavedSession("s2", ())
    assert sessions.load("s") == OLD
    assert sessions.list() == (OLD,)
    with pytest.raises(UsageError, match="no session begins with"):
        sessions.load("../s2")


def test_of_reserved_sessions_the_oldest_are_forgotten(
    sessions: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_store, "MOST_SESSIONS", 2)
    for name in ("a", "b", "c"):
        sessions.reserve(name)
        path = sessions.path_of(name).with_suffix(".reserved")
        os.utime(path, (ord(name), ord(name)))

    sessions.reserve("d")

    assert sessions.load("c") == SavedSession("c", ())
    with pytest.raises(UsageError, match="no session begins with 'a'"):
        sessions.load("a")


def test_a_turn_that_went_on_takes_the_place_of_its_earlier_state() -> None:
    assert added(OLD, turn("t2")).turns == (turn("t1"), turn("t2"))
    assert added(NEW, turn("t1", "conflict")).turns == (
        turn("t2", "abstained"),
        turn("t1", "conflict"),
    )


def test_a_session_that_goes_on_for_days_keeps_its_last_turns() -> None:
    session = OLD
    for number in range(3 * MOST_TURNS):
        session = added(session, turn(f"n{number}"))

    assert [each.id for each in session.turns] == [
        f"n{number}" for number in range(2 * MOST_TURNS, 3 * MOST_TURNS)
    ]


def test_what_is_saved_is_for_the_user_alone(sessions: SessionStore, tmp_path: Path) -> None:
    sessions.save(OLD)

    folder = tmp_path / "sessions"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_a_damaged_session_is_left_out_set_aside_and_told_once(
    sessions: SessionStore, told: list[str], tmp_path: Path, at: int
) -> None:
    sessions.save(OLD)
    sessions.save(SavedSession("s2", ()))
    path = tmp_path / "sessions" / "s1.session"
    damaged = bytearray(path.read_bytes())
    damaged[at % (len(damaged) - 1)] ^= 1
    path.write_bytes(damaged)

    for _ in range(2):
        assert [session.id for session in sessions.list()] == ["s2"]
    with pytest.raises(FileError, match="cannot be read"):
        sessions.load("s1")
    (copy,) = (tmp_path / "sessions").glob("damaged-*")
    assert copy.read_bytes() == path.read_bytes() == damaged
    assert told == [
        f"the saved session s1 is damaged and left out; what is left of it is kept in {copy}"
    ]


def test_a_session_of_a_newer_spark_is_left_out_and_stays(
    sessions: SessionStore, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_store, "FORMAT", 3)
    sessions.save(OLD)
    monkeypatch.undo()

    assert sessions.list() == ()
    assert told == ["the session s1 was saved by a newer spark; update spark to see it"]


def test_the_oldest_sessions_make_room_for_new_ones(
    sessions: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_store, "MOST_SESSIONS", 3)
    for seconds in range(5):
        age(sessions, SavedSession(f"s{seconds}", ()), seconds)
    sessions.save(SavedSession("now", ()))

    assert [session.id for session in sessions.list()] == ["now", "s4", "s3"]


def test_a_session_too_large_for_all_others_is_saved_alone(
    sessions: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_store, "MOST_BYTES", 300)
    age(sessions, SavedSession("old", ()), 1)
    sessions.save(NEW)

    assert sessions.list() == (NEW,)


class Crash(BaseException):
    """The process is gone."""


def at_call(number: int, error: BaseException) -> Callable[[str], None]:
    numbers = count()

    def hook(_call: str) -> None:
        if next(numbers) == number:
            raise error

    return hook


@pytest.mark.parametrize(
    "error", [Crash(), OSError(28, "No space left on device"), OSError(5, "Input/output error")]
)
@pytest.mark.parametrize("number", range(5))
def test_cut_short_or_refused_at_any_call_the_old_session_or_the_new_one_is_there(
    sessions: SessionStore, tmp_path: Path, number: int, error: BaseException
) -> None:
    calls: list[str] = []
    SessionStore(tmp_path / "other", Disk(calls.append)).save(OLD)
    assert calls == ["create", "write", "fsync", "rename", "fsync"]
    sessions.save(OLD)

    with pytest.raises((Crash, FileError)):
        SessionStore(tmp_path / "sessions", Disk(at_call(number, error))).save(NEW)

    assert sessions.list() == ((OLD,) if number < 4 else (NEW,))
    if not isinstance(error, Crash):
        assert [path.name for path in (tmp_path / "sessions").iterdir()] == ["s1.session"]


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(
        FileError, match=r"cannot save this session in .*file/sessions: Not a directory"
    ):
        SessionStore(tmp_path / "file" / "sessions").save(OLD)


def test_what_a_spark_left_unfinished_goes_once_it_is_nobodys_work_any_more(
    sessions: SessionStore, tmp_path: Path
) -> None:
    sessions.save(OLD)
    fresh, stale = (tmp_path / "sessions" / f"s2.session.0000000{number}" for number in (1, 2))
    for path in (fresh, stale):
        path.write_bytes(b"half")
    os.utime(stale, (0, 0))
    sessions.save(NEW)

    assert (fresh.exists(), stale.exists()) == (True, False)
    assert sessions.list() == (NEW,)


def test_a_turn_runs_only_as_long_as_its_process_goes_on_with_it(sessions: SessionStore) -> None:
    sessions.save(SavedSession("s", (turn("t1", "running"), turn("t2", "running"))))
    assert [each.status for each in sessions.load("s").turns] == ["interrupted", "running"]
    ended = subprocess.Popen(["true"])
    ended.wait()
    path = sessions.path_of("s")
    path.write_bytes(frame(unframe(path.read_bytes().rstrip()) | {"process": ended.pid}))  # type: ignore[operator]
    assert [(each.status, each.message) for each in sessions.load("s").turns] == [
        ("interrupted", ""),
        ("interrupted", CUT_OFF),
    ]


WHEN = "2026-01-02T03:04:05+00:00"
WHOLE = {
    "id": "t1",
    "time": WHEN,
    "instruction": "x",
    "path": "a.py",
    "start_line": 1,
    "end_line": 2,
    "status": "ok",
}


@pytest.mark.parametrize(
    "change",
    [
        {"v": []},
        {"v": 0},
        {"v": True},
        {"id": "s2"},
        {"id": None},
        {"process": "1"},
        {"turns": None},
        {"turns": [None]},
        {"turns": [{}]},
        {"turns": [WHOLE | {"unknown": 1}]},
        {"turns": [WHOLE | {"time": 3}]},
        {"turns": [WHOLE | {"time": "yesterday"}]},
        {"turns": [WHOLE | {"start_line": "1"}]},
        {"turns": [WHOLE | {"instruction": None}]},
        {"turns": [WHOLE | {"journal_ids": [1]}]},
        {"turns": [WHOLE | {"taken": 4}]},
        {"turns": [WHOLE | {"extent": "all"}]},
    ],
)
def test_a_session_that_spark_cannot_have_saved_is_told_of_once_and_left_out(
    sessions: SessionStore, told: list[str], tmp_path: Path, change: dict[str, object]
) -> None:
    age(sessions, SavedSession("whole", ()), 1)
    body = {"v": 2, "id": "s1", "process": 1, "turns": [WHOLE]}
    path = tmp_path / "sessions" / "s1.session"
    path.write_bytes(frame(body))
    assert [session.id for session in sessions.list()] == ["s1", "whole"]

    path.write_bytes(frame(body | change))
    assert [session.id for session in sessions.list()] == ["whole"]
    assert sessions.last() is None
    with pytest.raises(FileError, match="start a new one"):
        sessions.load("s1")
    assert len([words for words in told if "s1 is damaged and left out" in words]) == 1
