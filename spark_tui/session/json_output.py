"""What programs see of a turn: its events as JSON objects, and when it is finished all of it as
one.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import Hunk, diff
from spark_tui.editing.multi_file import Files, changed, lines_of
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, SparkError
from spark_tui.session.accept import changes_between, fitted, on_disk
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Event, Timing
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import file_mode

_NONE = Text(())


def patch_of(repo: Repository, turn: Turn) -> bytes:
    """The turn's edit as a patch of the file it began with; nothing unless it ended with one."""
    if not turn.status.offers:
        return b""
    with turn.lock:
        after = turn.review.proposed
    return patch_to(repo, turn, after)


def proposed_by(repo: Repository, turn: Turn) -> bytes:
    """What is accepted or open of a turn as a patch of the file it began with; where all is
    rejected, what was.
    """
    with turn.lock:
        after = turn.file.proposal if turn.review.proposed == turn.base else turn.review.proposed
    return patch_to(repo, turn, after) if after != turn.base else b""


def proposal_of(repo: Repository, turn: Turn) -> bytes:
    """Everything accepted or still proposed in a turn as a patch of the file it began with, however
    the turn ended.

    Where the file was edited besides, it is what is still proposed, for the file as it is now.

    Raises:
        FileError: The file is gone, or no text any more.
        SparkError: Nothing of it fits, or none is left.
    """
    with turn.lock:
        base = turn.review.base
        after = turn.review.proposed
    if after == turn.base or on_disk(repo, turn) == base:
        return patch_to(repo, turn, after)
    changes = changes_between(base, after, str(turn.region.path))
    if all(each.before == each.after for each in changes):
        path = turn.region.path
        raise SparkError(
            f"{path} changed since, and no hunk is open: there is no patch of what was "
            f"accepted alone"
        )
    return b"".join(_fitting(repo, each) for each in changes if each.before != each.after)


def _fitting(repo: Repository, shown: FileChange) -> bytes:
    path = shown.path
    try:
        change = fitted(repo, shown)
    except Conflict as e:
        raise SparkError(
            f"{path} changed since, where the hunks are: no patch of them fits it now"
        ) from e
    return replace(change, mode=file_mode(repo.root, path)).patch


def patch_to(repo: Repository, turn: Turn, after: Text) -> bytes:
    """What makes another version of what a turn began with."""
    changes = changes_between(turn.base, after, turn.region.path)
    return b"".join(replace(each, mode=file_mode(repo.root, each.path)).patch for each in changes)


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
        entry: The journal's, when the edit was applied.
        staged: Whether it was, too.
        count: Of variations.
    """
    return {
        "version": 1,
        "status": turn.status.value,
        "confidence": round(turn.confidence, 4)
        if turn.status.offers and turn.confidence is not None
        else None,
        "instruction": turn.request.instruction,
        "model": model,
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
        files = changed(turn.base, turn.review.proposed, str(turn.region.path))
    told = {"checks": checks_json(turn.checks), "logprob": round(turn.logprob, 4)}
    return [
        {
            "path": path,
            "hunks": [hunk_json(hunk) | told for hunk in diff(before or _NONE, after or _NONE)],
        }
        for path, before, after in files
    ]


def to_json(event: Event, files: Files = Files()) -> dict[str, Any]:  # noqa: B008 - it never changes
    """An event as one object of `--format stream-json`.

    Args:
        files: A hunk is told with its.
    """
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name} | {
        _NAMES.get(key, key): _plain(getattr(event, key), files) for key in event.__slots__
    }


_NAMES = {"token_id": "id"}


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
    """A region as programs see it: lines are 1-based and inclusive."""
    lines = {"start_line": region.start_line, "end_line": region.end_line}
    return {"path": str(region.path), **lines, "symbol": region.symbol}


def hunk_json(hunk: Hunk, files: Files | None = None) -> dict[str, Any]:
    """A hunk as programs see it: `old_start` is the 1-based line of the first old line.

    Args:
        See `to_json`.
    """
    path, line = files.spot(hunk) if files else ("", hunk.start)
    lines = {"old_lines": lines_of(hunk.old_lines), "new_lines": lines_of(hunk.new_lines)}
    return {"id": hunk.id, **({"path": path} if path else {}), "old_start": line + 1, **lines}


def checks_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Checks as programs see them."""
    return [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]


def timing_json(timing: Timing) -> dict[str, Any]:
    """Measured figures as programs see them, times rounded to microseconds."""
    return {name: round(getattr(timing, name), 3) for name in timing.__slots__}
