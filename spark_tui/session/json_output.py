"""A turn as JSON: its events one by one, and the whole turn once it has ended.

`result` is the object of `--format json`, `to_json` a line of `--format stream-json`; patches are
made here, too.
"""

import re  # noqa: TID251 - reads names and settings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.multi_file import Files, changed, lines_of
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.session.accept import changes_between, fitted, on_disk
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Event, HandedOver, Held, Thinking, Timing, TurnEnded
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import file_mode

_NONE = Text(())


def patch_of(repo: Repository, turn: Turn) -> bytes:
    """The edit of a turn as a patch of its base; empty unless the turn ended with an edit."""
    if not turn.status.offers:
        return b""
    with turn.lock:
        after = turn.review.proposed
    return patch_to(repo, turn, after)


def proposed_by(repo: Repository, turn: Turn) -> bytes:
    """The accepted and open hunks of a turn, as a patch of its base.

    Where all hunks are rejected, the patch is that of the proposal.
    """
    with turn.lock:
        after = (
            turn.file.proposal if turn.review.proposed == turn.file.base else turn.review.proposed
        )
    return patch_to(repo, turn, after) if after != turn.file.base else b""


def proposal_of(repo: Repository, turn: Turn) -> bytes:
    """Everything accepted or still proposed in a turn, as a patch, however the turn ended.

    It is a patch of the file that the turn began with. Where the file was edited besides, it is
    what is still proposed, as a patch of the file as it is now.

    Raises:
        FileError: The file is gone, or no longer text.
        SparkError: No hunk is left, or none fits.
    """
    with turn.lock:
        base = turn.review.base
        after = turn.review.proposed
    # Nothing was edited besides: a patch of the file that the turn began with says everything.
    if after == turn.file.base or on_disk(repo, turn) == base:
        return patch_to(repo, turn, after)
    changes = changes_between(base, after, str(turn.region.path))
    pending = [change for change in changes if change.before != change.after]
    if not pending:
        path = turn.region.path
        raise SparkError(
            f"{path} changed since, and no hunk is open: there is no patch of what was "
            f"accepted alone"
        )
    return b"".join(_fitting(repo, change) for change in pending)


def _fitting(repo: Repository, shown: FileChange) -> bytes:
    path = shown.path
    try:
        change = fitted(repo, shown)
    except Conflict as e:
        raise SparkError(
            f"{path} changed since, where the hunks are: no patch of them fits it now"
        ) from e
    return replace(change, mode=file_mode(repo.root, path)).patch


def require_fit(repo: Repository, turn: Turn) -> None:
    """Require that the edit of a turn fits the files as they are now.

    Raises:
        Conflict: The lines were edited meanwhile.
        FileError: A file is gone, or no longer text.
    """
    with turn.lock:
        after = turn.review.proposed
    for change in changes_between(turn.file.base, after, str(turn.region.path)):
        if change.before != change.after:
            fitted(repo, change)


def patch_to(repo: Repository, turn: Turn, after: Text) -> bytes:
    """The patch from the base of a turn to another version.

    Where a file was edited meanwhile beside the hunks, the patch is of the file as it is now.
    """
    patches = []
    for change in changes_between(turn.file.base, after, turn.region.path):
        shown = change
        with suppress(Conflict, FileError):
            shown = fitted(repo, change)
        mode = file_mode(repo.root, change.path)
        patches.append(replace(shown, mode=mode).patch)
    return b"".join(patches)


def result(
    repo: Repository,
    turn: Turn,
    model: str,
    entry: JournalEntry | None = None,
    *,
    staged: bool = False,
    count: int = 0,
) -> dict[str, Any]:
    """The object of `--format json`.

    Args:
        entry: The entry of the journal, when the edit was applied.
        staged: Whether the edit was staged, too.
        count: The number of variations.
    """
    confidence = None
    if turn.status.offers and turn.confidence is not None:
        confidence = round(turn.confidence, 4)
    return {
        "version": 1,
        "status": turn.status.value,
        "confidence": confidence,
        "instruction": turn.request.instruction,
        "model": model,
        "written_by": list(turn.written_by),
        "region": region_json(turn.region),
        "kind": turn.kind,
        "patch": patch_of(repo, turn).decode("utf-8", "surrogateescape"),
        "files": _files(turn),
        "variations": [_variation(repo, turn, each) for each in turn.variations[:count]],
        "applied": entry is not None,
        "staged": staged,
        "journal_id": entry.id if entry else None,
        "timing": timing_json(turn.timing),
        "message": turn.message,
    }


def _variation(repo: Repository, turn: Turn, answer: Candidate) -> dict[str, Any]:
    return {
        "patch": patch_to(repo, turn, answer.file).decode("utf-8", "surrogateescape"),
        "checks": checks_json(answer.checks),
        "logprob": round(answer.logprob, 4),
    }


def _files(turn: Turn) -> list[dict[str, Any]]:
    if not turn.status.offers:
        return []
    with turn.lock:
        files = changed(turn.file.base, turn.review.proposed, str(turn.region.path))
    common = {"checks": checks_json(turn.checks), "logprob": round(turn.logprob, 4)}
    return [
        {
            "path": path,
            "hunks": [hunk_json(hunk) | common for hunk in diff(before or _NONE, after or _NONE)],
        }
        for path, before, after in files
    ]


def is_for_people(event: Event) -> bool:
    """Whether an event is for people: programs get its content in another form, or not at all."""
    if isinstance(event, Held):
        return not event.line
    return isinstance(event, TurnEnded | Thinking | HandedOver)


def to_json(event: Event, files: Files = Files()) -> dict[str, Any]:  # noqa: B008 - immutable
    """An event as one object of `--format stream-json`.

    Args:
        files: The files under review, which tell where a hunk stands.
    """
    # `HunkClosed` becomes `hunk_closed`.
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    fields: dict[str, Any] = {"event": name}
    for key in event.__slots__:
        fields[_NAMES.get(key, key)] = _plain(getattr(event, key), files)
    return fields


_NAMES = {"token_id": "id"}
"""The fields of events that have another name in JSON."""


def _plain(value: object, files: Files) -> object:
    match value:
        case Region():
            return region_json(value)
        case Hunk():
            return hunk_json(value, files)
        case Check():
            return checks_json([value])[0]
        case Timing():
            return timing_json(value)
        case tuple():
            return [_plain(each, files) for each in value]
    return value


def region_json(region: Region) -> dict[str, Any]:
    """A region for programs: lines are 1-based and inclusive."""
    lines = {"start_line": region.start_line, "end_line": region.end_line}
    return {"path": str(region.path), **lines, "symbol": region.symbol}


def hunk_json(hunk: Hunk, files: Files | None = None) -> dict[str, Any]:
    """A hunk for programs: `old_start` is the 1-based line of the first old line.

    Args:
        files: The files under review; None: a lone file, whose path is left out.
    """
    path, line = files.spot(hunk) if files else ("", hunk.start)
    fields: dict[str, Any] = {"id": hunk.id}
    if path:
        fields["path"] = path
    fields["old_start"] = line + 1
    fields["old_lines"] = lines_of(hunk.old_lines)
    fields["new_lines"] = lines_of(hunk.new_lines)
    return fields


def checks_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Checks for programs."""
    return [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]


def timing_json(timing: Timing) -> dict[str, Any]:
    """Measured figures for programs, times rounded to microseconds."""
    figures = {name: getattr(timing, name) for name in timing.__slots__}
    rounded = {name: round(value, 3) for name, value in figures.items() if value is not None}
    return figures | rounded | {"cost": timing.cost}  # a cost is often less than a thousandth
