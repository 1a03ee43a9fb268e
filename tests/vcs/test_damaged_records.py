"""Records that spark did not write, or that were changed since: left out, told of, kept."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spark_tui.errors import SparkError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.history import BatchHistory
from spark_tui.vcs.journal import Journal, frame, unframe
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import make_repo

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats()
    | st.sampled_from(["", "a.py", "../../a", ".git/config", "0badcafe", "done", "0" * 64, "\0"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)

WRONG_LINES = [
    frame([]),  # type: ignore[arg-type]
    frame(None),  # type: ignore[arg-type]
    frame({}),
    frame({"v": 2}),
    frame({"v": [], "phase": "done", "id": "0badcafe"}),
    frame({"v": 2, "phase": [], "id": "0badcafe"}),
    frame({"v": 2, "phase": "done", "id": {}}),
    frame({"v": 2, "dropped": "many", "until": 3}),
    frame({"v": 2, "phase": "prepare", "entry": None}),
    frame({"v": 2, "phase": "prepare", "entry": {}}),
]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container within some JSON with each of its keys."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, Any]] = [(value, key) for key in list(keys)]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += _places(value[key])
    return found


def _bodies(lines: bytes) -> list[dict[str, Any]]:
    return [body for line in lines.splitlines() if (body := unframe(line)) is not None]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A repository where something was accepted, undone, redone and undone; its journal."""
    folder = tmp_path_factory.mktemp("kept")
    batches = _opened(make_repo(folder / "work", {"a.py": b"one\n", "b.py": b"two\n"}))
    changes = [FileChange("a.py", b"one\n", b"1\n"), FileChange("b.py", b"two\n", b"2\n")]
    batches.accept(changes, "counts")
    batches.undo(only=["a.py"])
    batches.redo()
    batches.undo()
    return folder, next((folder / "state").rglob("journal")).read_bytes()


def _opened(root: Path, told: list[str] | None = None) -> Batches:
    tell = None if told is None else told.append
    return Batches(Repository.discover(root), root.parent / "state", tell=tell)


def _ask_everything(journal: Journal) -> None:
    """Ask a journal all that can be asked without the files.

    Raises:
        What nobody expects.
    """
    with suppress(SparkError):
        history = BatchHistory(journal.read())
        asked: list[Callable[[], object]] = [history.last_accept, history.last_undo]
        for batch in history.batches:
            asked.append(partial(history.find, batch.entry.id))
            with suppress(SparkError):
                subject = history.subject(batch.entry)
                asked.append(partial(history.not_in_force, subject))
                asked += [partial(history.last, subject, file) for file in subject.files]
        for ask in asked:
            with suppress(SparkError):
                ask()
    with suppress(SparkError):
        journal.damaged()
        journal.dropped()
        journal.at_rest()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_journal_with_any_value_in_any_place_can_be_read(
    kept: tuple[Path, bytes], tmp_path: Path, data: st.DataObject
) -> None:
    bodies = _bodies(kept[1])
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(bodies)
        if not places:
            break
        container, key = data.draw(st.sampled_from(places))
        if data.draw(st.booleans()):
            del container[key]
        else:
            container[key] = data.draw(_JSON)
    (tmp_path / "journal").write_bytes(b"".join(map(frame, bodies)))

    _ask_everything(Journal(tmp_path, Disk()))


@given(payload=st.binary(max_size=40) | _JSON.map(json.dumps).map(str.encode))
def test_a_whole_line_is_an_object_or_damaged_whatever_is_in_it(payload: bytes) -> None:
    checksum = sha256(payload).hexdigest()[:16].encode()
    body = unframe(b"%d %s %s" % (len(payload), checksum, payload))
    assert body is None or isinstance(body, dict)


@pytest.mark.parametrize("line", WRONG_LINES)
def test_a_record_that_spark_cannot_have_written_is_told_of_once_and_left_out(
    kept: tuple[Path, bytes], tmp_path: Path, line: bytes
) -> None:
    root = make_repo(tmp_path / "work", {"a.py": b"one\n"})
    told: list[str] = []
    batches = _opened(root, told)
    batches.accept([FileChange("a.py", b"one\n", b"1\n")], "first")
    journal = next((tmp_path / "state").rglob("journal"))
    journal.write_bytes(journal.read_bytes() + line)

    assert [batch.entry.description for batch in batches.log()] == ["first"]
    assert batches.missing()[0] == 1
    batches.undo()
    batches.redo()
    assert (root / "a.py").read_bytes() == b"1\n"
    assert len([words for words in told if "damaged and left out" in words]) == 1
    assert any(path.read_bytes() == line.rstrip() for path in journal.parent.glob("damaged-*"))


@pytest.mark.parametrize("name", ["../../../secret", "0" * 63, "/etc/passwd", "", 7])
def test_a_record_names_contents_by_their_hash_and_nothing_else(
    kept: tuple[Path, bytes], tmp_path: Path, name: object
) -> None:
    bodies = _bodies(kept[1])
    bodies[0]["entry"]["files"][0]["before"] = name
    (tmp_path / "journal").write_bytes(b"".join(map(frame, bodies)))
    journal = Journal(tmp_path, Disk())

    assert bodies[0]["entry"]["id"] not in [record.entry.id for record in journal.read()]
    assert journal.damaged() == (frame(bodies[0]).rstrip(),)
