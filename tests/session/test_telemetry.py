"""The figures of turns, kept for `spark stats`: what was decided, and nothing of the code."""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from spark_tui.session import telemetry
from spark_tui.session.change_review import WorkTree
from spark_tui.session.session import Session
from spark_tui.session.telemetry import (
    EndFigures,
    StepFigures,
    TaskEnd,
    Telemetry,
    TurnFigures,
    read_ends,
    read_steps,
    read_turns,
)
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.atomic_write import FileChange
from tests.fakes import edit_script, ended, rename_script, scripted_session

AREA = "def area(secret, h):\n    size = secret + h\n    return size\n"
SCRIPTS = {"words of mine": rename_script("secret", "width"), "again": rename_script("h", "height")}
REQUEST = Request("words of mine", "private/file.py", symbol="area")


def noting(folder: Path) -> Session:
    """A session that notes its turns in `folder/state`."""
    session = scripted_session(folder, {"private/file.py": AREA}, SCRIPTS)
    state = folder / "state"
    return type(session)(session.repo, session.loaded, state, telemetry=Telemetry(state))


def only(folder: Path) -> TurnFigures:
    """The only turn that was noted."""
    (turn,) = read_turns(folder / "state")
    return turn


def test_a_turn_is_one_line_of_figures_without_words_code_and_paths(tmp_path: Path) -> None:
    session = noting(tmp_path)
    turn = ended(session.begin(REQUEST))
    entry = session.accept(turn)
    session.close()

    (line,) = (tmp_path / "state" / "turns.jsonl").read_text().splitlines()
    body = json.loads(line)
    assert not {"secret", "width", "words", "private", "file", "area", "size"} & set(
        line.replace('"', " ").replace("/", " ").replace(".", " ").split()
    )
    assert {value for value in body.values() if isinstance(value, str)} == {
        body["turn"],
        body["time"],
        session.loaded.name,
        "ok",
    }
    noted = only(tmp_path)
    hunks = noted.batches[entry.id]
    assert (noted.shown, noted.accepted, noted.rejected, noted.undone) == (hunks, hunks, 0, 0)
    assert noted.generated_tokens == turn.timing.generated_tokens
    assert noted.total_ms > 0
    assert (tmp_path / "state" / "turns.jsonl").stat().st_mode & 0o077 == 0


def test_rejections_undos_and_redos_are_counted(tmp_path: Path) -> None:
    session = noting(tmp_path)
    turn = ended(session.begin(REQUEST))
    total = len(turn.hunks)
    session.accept(turn, [turn.hunks[0].id])
    session.undo()
    session.redo()
    session.undo()
    session.reject(turn, [hunk.id for hunk in turn.hunks])
    session.close()

    noted = only(tmp_path)
    assert (noted.accepted, noted.undone, noted.rejected) == (1, 1, total)


def test_a_decision_about_an_earlier_turn_is_joined_to_it(tmp_path: Path) -> None:
    session = noting(tmp_path)
    first = ended(session.begin(REQUEST))
    ended(session.begin(Request("again", "private/file.py", symbol="area")))
    session.accept(first, [first.hunks[0].id])
    session.close()

    before, after = read_turns(tmp_path / "state")
    assert (before.accepted, after.accepted) == (1, 0)
    assert before.shown == len(first.hunks) + 1


def test_a_rejection_while_its_turn_is_written_down_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = noting(tmp_path)
    turn = ended(session.begin(REQUEST))
    hunks = [hunk.id for hunk in turn.hunks]
    rejects = threading.Thread(target=session.reject, args=(turn, hunks))
    write = os.write

    def reject_meanwhile(file: int, line: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        rejects.start()
        rejects.join(0.3)
        return write(file, line)

    monkeypatch.setattr(os, "write", reject_meanwhile)
    session.begin(REQUEST)
    rejects.join()
    session.close()
    assert sum(noted.rejected for noted in read_turns(tmp_path / "state")) == len(hunks)


@pytest.mark.parametrize("decide", [Session.accept, Session.reject])
def test_a_decision_and_the_next_turn_never_wait_for_each_other(
    tmp_path: Path, decide: Callable[[Session, Turn, list[str]], object]
) -> None:
    session = noting(tmp_path)
    turn = ended(session.begin(REQUEST))
    again = Request("again", "private/file.py", symbol="area")
    begins = threading.Thread(target=session.begin, args=(again,), daemon=True)

    def decide_meanwhile() -> None:
        # As the controller does: the review must not change between a look and its decision.
        with turn.lock:
            begins.start()
            begins.join(0.3)
            decide(session, turn, [turn.hunks[0].id])

    decides = threading.Thread(target=decide_meanwhile, daemon=True)
    decides.start()
    decides.join(20)
    assert not decides.is_alive()
    begins.join()
    session.close()
    noted, _ = read_turns(tmp_path / "state")
    assert noted.accepted + noted.rejected == 1


def test_a_turn_that_was_cut_off_is_noted_as_interrupted(tmp_path: Path) -> None:
    session = noting(tmp_path)
    session.begin(REQUEST)
    session.close()
    assert only(tmp_path).status == "interrupted"


LINES = "".join(f"line {number}\n" for number in range(40))
CHANGED = LINES.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n")


def under_review(folder: Path) -> tuple[Session, Turn]:
    """A session that notes, with two hunks of the work tree under review."""
    scripts = {"in French": edit_script("three\n", "trois\n")}
    session = scripted_session(folder, {"private.txt": LINES}, scripts)
    (session.repo.root / "private.txt").write_text(CHANGED)
    state = folder / "state"
    other = type(session)(session.repo, session.loaded, state, telemetry=Telemetry(state))
    return other, ended(other.begin_review(WorkTree(), Request("/review")))


def test_decisions_about_a_change_of_no_model_are_not_noted(tmp_path: Path) -> None:
    session, turn = under_review(tmp_path)
    first, second = turn.hunks
    assert session.settle(turn, [first.id], accept=False)
    session.undo()
    session.redo()
    assert session.settle(turn, [second.id], accept=True) is None
    session.close()
    assert not (tmp_path / "state" / "turns.jsonl").exists()


def test_a_hunk_of_a_review_that_a_model_wrote_anew_is_a_turn(tmp_path: Path) -> None:
    session, turn = under_review(tmp_path)
    again = ended(session.ask_again(turn, turn.hunks[0].id, "in French"))
    assert session.settle(again, [hunk.id for hunk in again.hunks], accept=True)
    assert "trois" in (session.repo.root / "private.txt").read_text()
    session.undo()
    session.close()

    noted = only(tmp_path)
    assert (noted.model, noted.status) == (session.loaded.name, "ok")
    assert (noted.shown, noted.accepted, noted.rejected, noted.undone) == (1, 1, 0, 1)
    assert noted.generated_tokens > 0
    assert noted.total_ms > 0


def test_a_hunk_of_a_review_that_a_model_wrote_anew_is_rejected(tmp_path: Path) -> None:
    session, turn = under_review(tmp_path)
    again = ended(session.ask_again(turn, turn.hunks[0].id, "in French"))
    for hunk in again.hunks:
        session.settle(again, [hunk.id], accept=False)
    session.close()
    noted = only(tmp_path)
    assert (noted.shown, noted.accepted, noted.rejected) == (1, 0, 1)


def test_what_is_left_of_a_review_as_it_was_is_not_counted(tmp_path: Path) -> None:
    session, turn = under_review(tmp_path)
    again = ended(session.ask_again(turn, turn.hunks[0].id, "nothing comes of this"))
    session.settle(again, [hunk.id for hunk in again.hunks], accept=True)
    session.close()
    noted = only(tmp_path)
    assert (noted.shown, noted.accepted, noted.rejected) == (0, 0, 0)


def test_a_task_under_review_is_accepted_partly_and_then_whole(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"private.txt": LINES}, {})
    state = tmp_path / "state"
    session = type(session)(session.repo, session.loaded, state, telemetry=Telemetry(state))
    change = FileChange("private.txt", LINES.encode(), CHANGED.encode())
    turn = ended(session.propose("a task", [change], [], task="0badcafe"))
    first, second = turn.hunks
    session.accept(turn, [first.id])
    assert read_ends(state) == {"0badcafe": EndFigures("0badcafe", TaskEnd.PARTLY)}
    session.accept(turn, [second.id])
    assert read_ends(state)["0badcafe"].end is TaskEnd.APPLIED
    session.undo()
    assert not read_ends(state)["0badcafe"].undone
    session.undo()
    assert read_ends(state)["0badcafe"].undone
    assert read_turns(state) == []


def test_another_process_undoes_what_a_session_that_goes_on_accepted(tmp_path: Path) -> None:
    session = noting(tmp_path)
    entry = session.accept(ended(session.begin(REQUEST)))
    Telemetry(tmp_path / "state").note_undo(replace(entry, id="another", undoes=entry.id))
    session.close()
    assert only(tmp_path).undone == only(tmp_path).accepted > 0


def test_nothing_is_noted_where_nobody_asked_for_it(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"private/file.py": AREA}, SCRIPTS)
    session.accept(ended(session.begin(REQUEST)))
    session.undo()
    session.close()
    assert not (tmp_path / "state" / "turns.jsonl").exists()


def test_the_files_stay_within_their_size_and_keep_the_newest_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "MOST_BYTES", 2000)
    session = noting(tmp_path)
    for _ in range(12):
        turn = session.begin(REQUEST)
    session.close()

    files = list((tmp_path / "state").glob("turns*.jsonl"))
    noted = read_turns(tmp_path / "state")
    assert sum(file.stat().st_size for file in files) <= 2000
    assert 2 <= len(noted) < 12
    assert noted[-1].time == turn.begun_at.replace(microsecond=0)


def test_a_disk_that_refuses_disturbs_no_turn(tmp_path: Path) -> None:
    session = noting(tmp_path)
    (tmp_path / "state" / "turns.jsonl").mkdir(parents=True)
    session.accept(ended(session.begin(REQUEST)))
    session.undo()
    session.close()
    assert read_turns(tmp_path / "state") == []


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"v":1}',
        b'{"v":1,"turn":"x","rejected":1,"batches":{}}',
        b'{"v":1,"turn":"x","rejected":"many","batches":[]}',
        b'{"v":2,"turn":"x"}',
        b"[" * 100_000,
    ],
)
def test_damaged_lines_are_left_out(tmp_path: Path, line: bytes) -> None:
    session = noting(tmp_path)
    session.begin(REQUEST)
    session.close()
    file = tmp_path / "state" / "turns.jsonl"
    file.write_bytes(line + b"\n" + file.read_bytes() + line)
    assert only(tmp_path).status == "interrupted"


STEP = StepFigures(
    "0badcafe", "big", datetime(2026, 11, 2, 12, tzinfo=UTC), "edit", 2.5, 200.0, 40.0, 100, 2, True
)


def test_a_step_is_a_line_that_is_no_turn(tmp_path: Path) -> None:
    Telemetry(tmp_path).note_step(replace(STEP, model="/folders/of/mine/big"))
    Telemetry().note_step(STEP)
    assert read_steps(tmp_path) == [STEP]
    assert read_turns(tmp_path) == []
    assert "mine" not in (tmp_path / "turns.jsonl").read_text()


@pytest.mark.parametrize(
    ("value", "other"),
    [('"seconds":2.5', '"seconds":NaN'), ('"edit"', "3,4"), ('"time":"2026', '"time":"never')],
)
def test_a_damaged_step_is_left_out(tmp_path: Path, value: str, other: str) -> None:
    for _ in range(2):
        Telemetry(tmp_path).note_step(STEP)
    file = tmp_path / "turns.jsonl"
    file.write_text(file.read_text().replace(value, other, 1))
    assert read_steps(tmp_path) == [STEP]


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "null", '"x"', "1e999"])
def test_a_line_whose_figure_is_no_number_is_left_out(tmp_path: Path, figure: str) -> None:
    session = noting(tmp_path)
    session.begin(REQUEST)
    session.close()
    file = tmp_path / "state" / "turns.jsonl"
    file.write_text(file.read_text().replace('"ttft_ms":0.0', f'"ttft_ms":{figure}'))
    assert read_turns(tmp_path / "state") == []
