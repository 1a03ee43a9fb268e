"""A finished turn as one object: what `--format json` prints."""

from typing import Any

from spark_tui.editing.hunks import diff
from spark_tui.session.as_json import checks_json, hunk_json, region_json, timing_json
from spark_tui.session.events import Status
from spark_tui.session.turn import Turn
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.patch import encode_patch
from spark_tui.vcs.paths import file_mode
from spark_tui.vcs.repository import Repository


def patch_of(repo: Repository, turn: Turn) -> bytes:
    """The turn's edit as a patch of the file it began with; nothing unless the turn is ok."""
    if turn.status is not Status.OK:
        return b""
    path = str(turn.region.path)
    mode = file_mode(repo.root, path)
    with turn.lock:
        after = turn.review.proposed.to_bytes()
    return encode_patch(path, turn.base.to_bytes(), after, mode=0o644 if mode is None else mode)


def result(repo: Repository, turn: Turn, model: str, entry: JournalEntry | None = None) -> dict[str, Any]:
    """The object of `--format json`. Args: entry: the journal's, when the edit was applied."""
    return {
        "version": 1,
        "status": turn.status.value,
        "instruction": turn.request.instruction,
        "model": model,
        "region": region_json(turn.region),
        "kind": turn.kind,
        "patch": patch_of(repo, turn).decode("utf-8", "surrogateescape"),
        "files": _files(turn),
        "variations": [],
        "applied": entry is not None,
        "journal_id": entry.id if entry else None,
        "timing": timing_json(turn.timing),
        "message": turn.message,
    }


def _files(turn: Turn) -> list[dict[str, Any]]:
    if turn.status is not Status.OK:
        return []
    with turn.lock:
        hunks = diff(turn.base, turn.review.proposed)
    checks = checks_json(turn.checks)
    each = [hunk_json(hunk) | {"checks": checks, "logprob": round(turn.logprob(hunk), 4)} for hunk in hunks]
    return [{"path": str(turn.region.path), "hunks": each}]
