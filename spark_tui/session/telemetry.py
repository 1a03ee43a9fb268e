"""Figures of the user's own turns and tasks, kept on this machine for `spark stats`.

One line of JSON a turn: the model, when, how long, how many tokens, and how many hunks were shown,
accepted and rejected; no words, no code, no paths. Hunks that are decided after the line was
written, and batches of the journal that are undone or redone, add short lines of their own, which
`read_turns` joins by the names of turn and batch. Each step of a task is a line as well
(`read_steps`), and so is the end of a task (`read_ends`). Two files together are at most
`MOST_BYTES`: when the newer one is full, it takes the place of the older one.
An error of the disk disturbs no turn.
"""

import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from math import isfinite
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from spark_tui.session.events import Status
from spark_tui.small_files import read_small

if TYPE_CHECKING:
    from spark_tui.editing.hunks import Hunk
    from spark_tui.session.turn import Turn
    from spark_tui.vcs.journal import JournalEntry

MOST_BYTES = 2 << 20
"""The size of both files together, in bytes."""
NO_MODEL = "none"
"""The model of turns that no model writes, such as renames."""
_MOST_OPEN = 20
"""The last turns of a session, whose late decisions are still noted."""
_VERSION = 1  # lines of any other version are left out
# The fields of a line that hold fractions, and those that hold whole numbers.
_FIGURES = ("ttft_ms", "total_ms", "tokens_per_second")
_COUNTS = ("prompt_tokens", "cached_tokens", "generated_tokens")
_STEP_FIGURES = ("seconds", "ttft_ms", "tokens_per_second")
_STEP_COUNTS = ("tokens", "files")


class TaskEnd(StrEnum):
    """What the user did with the outcome of a task."""

    APPLIED = "applied"
    PARTLY = "partly"
    BRANCH = "branch"
    DROPPED = "dropped"


@dataclass(slots=True)
class TurnFigures:
    """The figures of a turn.

    Args:
        model: Its name, without the folders that lead to it.
        status: How the turn ended.
        ttft_ms, total_ms: Milliseconds to the first token and in all; 0 where no token came.
        tokens_per_second: While it wrote; 0 where that is not known.
        shown: Hunks that were shown.
        batches: The hunks that were accepted, by the journal's batch.
        undone: Hunks that were accepted and undone since.
    """

    model: str
    time: datetime
    status: str
    ttft_ms: float = 0.0
    total_ms: float = 0.0
    tokens_per_second: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    shown: int = 0
    rejected: int = 0
    undone: int = 0
    batches: dict[str, int] = field(default_factory=dict)

    @property
    def accepted(self) -> int:
        """Hunks that were accepted, including those that were undone since."""
        return sum(self.batches.values())


@dataclass(frozen=True, slots=True)
class StepFigures:
    """The figures of a step of a task.

    Args:
        task: The id of the task.
        model: Its name, without the folders that lead to it.
        kind: What sort of step it was.
        seconds: How long the step took, with what it ran.
        ttft_ms: Milliseconds to the first token; 0 where none came.
        tokens_per_second: While the model wrote; 0 where that is not known.
        tokens: Tokens that the model wrote.
        files: How many files the step changed.
        ends: Whether the task was done with it.
    """

    task: str
    model: str
    time: datetime
    kind: str
    seconds: float = 0.0
    ttft_ms: float = 0.0
    tokens_per_second: float = 0.0
    tokens: int = 0
    files: int = 0
    ends: bool = False


@dataclass(frozen=True, slots=True)
class EndFigures:
    """What became of a task.

    Args:
        task: The id of the task.
        end: How far the task was accepted.
        undone: Whether all that was accepted was undone since.
    """

    task: str
    end: TaskEnd
    undone: bool = False


@dataclass(slots=True)
class _Decisions:
    """The decisions about a turn that are not written yet.

    Args:
        name: The turn's name among all lines.
    """

    turn: "Turn"
    name: str
    is_written: bool = False
    rejected: int = 0
    batches: dict[str, int] = field(default_factory=dict)


class Telemetry:
    """Notes the figures of the turns of a session, and of the steps of tasks.

    Args:
        folder: spark's state folder; None: nothing is noted.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._turns: dict[str, _Decisions] = {}
        self._lock = Lock()

    def begin(self, turn: "Turn") -> None:
        """Take note of a turn that begins, and write down those before it."""
        if self._folder is None:
            return
        with self._lock:
            # A turn is begun again where it is shown again, as one at another place.
            if turn.id in self._turns:
                return
        self._write_all()
        with self._lock:
            for oldest in list(self._turns)[:-_MOST_OPEN]:
                del self._turns[oldest]
            self._turns[turn.id] = _Decisions(turn, secrets.token_hex(8))

    def accepted(self, turn: "Turn", batch_id: str, hunks: Iterable["Hunk"]) -> None:
        """Take note of hunks that were accepted; those that no model wrote are not counted.

        The lines of turns that have ended are written now, so that another process can undo the
        batch.

        Args:
            batch_id: The journal's; "" where nothing was written.
        """
        writers = _writers(turn, hunks)
        with self._lock:
            for writer, count in writers.items():
                if decisions := self._turns.get(writer):
                    batches = decisions.batches
                    batches[batch_id] = batches.get(batch_id, 0) + count
            noted = list(self._turns.values())
        for decisions in noted:
            if decisions.turn.status is not Status.RUNNING:
                self._write(decisions)

    def rejected(self, turn: "Turn", hunks: Iterable["Hunk"]) -> None:
        """Take note of hunks that were rejected; those that no model wrote are not counted."""
        writers = _writers(turn, hunks)
        with self._lock:
            for writer, count in writers.items():
                if decisions := self._turns.get(writer):
                    decisions.rejected += count

    def note_undo(self, entry: "JournalEntry") -> None:
        """Take note of an undo or a redo of a batch that was noted."""
        if self._folder is None or not self._knows(entry.subject):
            return
        if entry.undoes:
            self._append({"undone": entry.undoes})
        elif entry.redoes:
            self._append({"redone": entry.redoes})

    def _knows(self, batch_id: str) -> bool:
        """Whether a batch was noted, or is about to be."""
        with self._lock:
            if any(batch_id in decisions.batches for decisions in self._turns.values()):
                return True
        assert self._folder is not None
        # Searched for as bytes: a batch of an earlier start stands somewhere in the files, in
        # quotes.
        name = json.dumps(batch_id).encode("ascii")
        for path in _files(self._folder):
            with suppress(OSError):
                if name in read_small(path, MOST_BYTES):
                    return True
        return False

    def note_end(self, task: str, end: TaskEnd, batch_id: str = "") -> None:
        """Write down what became of a task.

        Args:
            task: The id of the task.
            end: How far the task was accepted.
            batch_id: The journal's; "" where nothing was written.
        """
        self._append({"ended": task, "end": end.value, "batch": batch_id})

    def note_step(self, step: StepFigures) -> None:
        """Write down a step of a task."""
        figures = {name: round(getattr(step, name), 3) for name in _STEP_FIGURES}
        counts = {name: getattr(step, name) for name in _STEP_COUNTS}
        self._append(
            {
                "step": step.task,
                "time": step.time.astimezone(UTC).isoformat(timespec="seconds"),
                "model": Path(step.model).name,
                "kind": step.kind,
                **figures,
                **counts,
                "ends": step.ends,
            }
        )

    def close(self) -> None:
        """Write down what is not written yet."""
        self._write_all()

    def _write_all(self) -> None:
        with self._lock:
            noted = list(self._turns.values())
        for decisions in noted:
            self._write(decisions)

    def _write(self, decisions: _Decisions) -> None:
        """Write down what is not written yet of a turn."""
        # The turn's lock comes first: whoever decides about its hunks holds it, and notes the
        # decision under the other lock.
        with decisions.turn.lock, self._lock:
            has_news = bool(decisions.rejected or decisions.batches)
            if not decisions.is_written:
                self._append(_line_of(decisions))
            elif has_news:
                news = {"rejected": decisions.rejected, "batches": decisions.batches}
                self._append({"turn": decisions.name} | news)
            decisions.is_written = True
            decisions.rejected = 0
            decisions.batches = {}

    def _append(self, body: Mapping[str, Any]) -> None:
        """Add a line; where the disk refuses, the line is lost."""
        if self._folder is None:
            return
        line = json.dumps({"v": _VERSION, **body}, separators=(",", ":")).encode("ascii") + b"\n"
        newer, older = _files(self._folder)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if newer.exists() and newer.stat().st_size + len(line) > MOST_BYTES // 2:
                newer.replace(older)
            # One write at the end of the file: lines of several sparks never mix.
            file = os.open(newer, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)
            try:
                os.write(file, line)
            finally:
                os.close(file)


def _writers(turn: "Turn", hunks: Iterable["Hunk"]) -> Counter[str]:
    """How many of a review's hunks each turn wrote, by the ids of the turns."""
    return Counter(writer.id for hunk in hunks if (writer := turn.writer_of(hunk)) is not None)


def _files(folder: Path) -> tuple[Path, Path]:
    """The newer and the older file."""
    return folder / "turns.jsonl", folder / "turns.old.jsonl"


def _line_of(decisions: _Decisions) -> dict[str, Any]:
    """The line of a turn."""
    turn = decisions.turn
    status = turn.status
    # The line is written when the next turn begins or spark ends, which interrupts this one.
    if status is Status.RUNNING:
        status = Status.INTERRUPTED
    timing = turn.timing
    figures = {name: round(getattr(timing, name), 1) for name in _FIGURES}
    counts = {name: getattr(timing, name) for name in _COUNTS}
    decided = decisions.rejected + sum(decisions.batches.values())
    is_open = [turn.writer_of(part.hunk) is turn for part in turn.parts]
    return {
        "turn": decisions.name,
        "time": turn.begun_at.astimezone(UTC).isoformat(timespec="seconds"),
        "model": Path(turn.writer).name or NO_MODEL,
        "status": status.value,
        **figures,
        **counts,
        "shown": sum(is_open) + decided,
        "rejected": decisions.rejected,
        "batches": decisions.batches,
    }


def read_turns(folder: Path) -> list[TurnFigures]:
    """The turns that were noted, the oldest first; lines that are damaged are left out.

    Args:
        folder: spark's state folder.
    """
    turns: dict[str, TurnFigures] = {}
    undone: dict[str, bool] = {}
    for body in _lines(folder):
        with suppress(KeyError, TypeError, ValueError, OverflowError, AttributeError):
            _join(body, turns, undone)
    for turn in turns.values():
        turn.undone = sum(hunks for batch, hunks in turn.batches.items() if undone.get(batch))
    return sorted(turns.values(), key=lambda turn: turn.time)


def read_steps(folder: Path) -> list[StepFigures]:
    """The steps that were noted, the oldest first; lines that are damaged are left out.

    Args:
        folder: spark's state folder.
    """
    steps = []
    for body in _lines(folder):
        with suppress(KeyError, TypeError, ValueError, OverflowError, AttributeError):
            steps.append(_read_step(body))
    return sorted(steps, key=lambda step: step.time)


def read_ends(folder: Path) -> dict[str, EndFigures]:
    """What became of the tasks, by their ids; lines that are damaged are left out.

    What was accepted of a task stays so where the task is dropped later.

    Args:
        folder: spark's state folder.
    """
    ends: dict[str, TaskEnd] = {}
    batches: dict[str, set[str]] = {}
    undone: dict[str, bool] = {}
    for body in _lines(folder):
        with suppress(KeyError, TypeError, ValueError):
            if not _is_undo(body, undone):
                task = str(body["ended"])
                end = TaskEnd(body["end"])
                batch = str(body["batch"])
                # Dropping the rest of a task does not undo what was accepted of it.
                if end is not TaskEnd.DROPPED or task not in ends:
                    ends[task] = end
                if batch:
                    batches.setdefault(task, set()).add(batch)
    return {
        task: EndFigures(
            task, end, task in batches and all(undone.get(batch) for batch in batches[task])
        )
        for task, end in ends.items()
    }


def _read_step(body: Mapping[str, Any]) -> StepFigures:
    """The step of a line.

    Raises:
        KeyError, TypeError, ValueError, OverflowError, AttributeError: The line has no step.
    """
    figures = {name: float(body[name]) for name in _STEP_FIGURES}
    if not all(map(isfinite, figures.values())):
        raise ValueError("a figure is no number")
    return StepFigures(
        task=str(body["step"]),
        model=str(body["model"]),
        time=datetime.fromisoformat(body["time"]).astimezone(UTC),
        kind=str(body["kind"]),
        **figures,
        tokens=int(body["tokens"]),
        files=int(body["files"]),
        ends=bool(body["ends"]),
    )


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    newer, older = _files(folder)
    for path in (older, newer):
        with suppress(OSError):
            for line in read_small(path, MOST_BYTES).splitlines():
                with suppress(ValueError, RecursionError):
                    body = json.loads(line)
                    if isinstance(body, dict) and body.get("v") == _VERSION:
                        yield body


def _is_undo(body: Mapping[str, Any], undone: dict[str, bool]) -> bool:
    """Note the undo or redo that a line tells of; whether the line tells of one."""
    if "undone" in body:
        undone[str(body["undone"])] = True
    elif "redone" in body:
        undone[str(body["redone"])] = False
    else:
        return False
    return True


def _join(body: Mapping[str, Any], turns: dict[str, TurnFigures], undone: dict[str, bool]) -> None:
    """Add the figures of a line to those of its turn.

    Raises:
        KeyError, TypeError, ValueError, OverflowError, AttributeError: Spark did not write it.
    """
    if _is_undo(body, undone):
        return
    name = str(body["turn"])
    rejected = int(body["rejected"])
    batches = {str(batch): int(hunks) for batch, hunks in body["batches"].items()}
    if "model" in body:
        time = datetime.fromisoformat(body["time"]).astimezone(UTC)
        if not all(isfinite(body[figure]) for figure in _FIGURES):
            raise ValueError("a figure is no number")
        turns[name] = TurnFigures(
            model=str(body["model"]),
            time=time,
            status=Status(body["status"]).value,
            ttft_ms=float(body["ttft_ms"]),
            total_ms=float(body["total_ms"]),
            tokens_per_second=float(body["tokens_per_second"]),
            prompt_tokens=int(body["prompt_tokens"]),
            cached_tokens=int(body["cached_tokens"]),
            generated_tokens=int(body["generated_tokens"]),
            shown=int(body["shown"]),
        )
    # Raises KeyError where the turn's own line went with the older file; its late decisions are
    # then left out, too.
    turn = turns[name]
    turn.rejected += rejected
    turn.batches |= batches
