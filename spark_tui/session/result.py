"""A finished turn as one object: what `--format json` prints."""

from dataclasses import dataclass, replace
from typing import Any

from spark_tui.editing.checks import Check
from spark_tui.editing.hunks import diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, SparkError
from spark_tui.session.as_json import checks_json, hunk_json, region_json, timing_json
from spark_tui.session.rebase_hunks import fitted
from spark_tui.session.turn import Turn
from spark_tui.vcs.journal import JournalEntry
from spark_tui.vcs.paths import file_mode
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.write import FileChange


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of several answers."""

    patch: bytes
    checks: tuple[Check, ...]
    logprob: float


def patch_of(repo: Repository, turn: Turn) -> bytes:
    """The turn's edit as a patch of the file it began with; nothing unless it ended with one."""
    if not turn.status.offers:
        return b""
    with turn.lock:
        after = turn.review.proposed
    return _patch(repo, turn, after)


def proposed_by(repo: Repository, turn: Turn) -> bytes:
    """What is accepted or open of a turn as a patch of the file it began with; where all is rejected, what was."""
    with turn.lock:
        after = turn.file.proposal if turn.review.proposed == turn.base else turn.review.proposed
    return _patch(repo, turn, after) if after != turn.base else b""


def proposal_of(repo: Repository, turn: Turn) -> bytes:
    """Everything accepted or still proposed in a turn as a patch of the file it began with, however the turn ended.

    Where the file was edited besides, it is what is still proposed, for the file as it is now.
    Raises: FileError: the file is gone, or no text any more. SparkError: nothing of it fits, or none is left.
    """
    with turn.lock:
        base, after = turn.review.base, turn.review.proposed
    path, before = str(turn.region.path), base.to_bytes()
    if after == turn.base or repo.read(path) == before:
        return _patch(repo, turn, after)
    try:
        change = fitted(repo, FileChange(path, before, after.to_bytes()))
    except Conflict as e:
        raise SparkError(f"{path} changed since, where the hunks are: no patch of them fits it now") from e
    if change.before == change.after:
        raise SparkError(f"{path} changed since, and no hunk is open: there is no patch of what was accepted alone")
    return replace(change, mode=file_mode(repo.root, path)).patch


def answers_of(repo: Repository, turn: Turn, count: int) -> list[Alternative]:
    """The best `count` answers to a turn."""
    found = turn.variations[:count]
    return [Alternative(_patch(repo, turn, each.file), each.checks, each.logprob) for each in found]


def _patch(repo: Repository, turn: Turn, after: Text) -> bytes:
    path = turn.region.path
    return FileChange(path, turn.base.to_bytes(), after.to_bytes(), file_mode(repo.root, path)).patch


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

    Args: entry: the journal's, when the edit was applied. staged: whether it was, too. count: of variations.
    """
    return {
        "version": 1,
        "status": turn.status.value,
        "confidence": round(turn.confidence, 4) if turn.status.offers and turn.confidence is not None else None,
        "instruction": turn.request.instruction,
        "model": model,
        "region": region_json(turn.region),
        "kind": turn.kind,
        "patch": patch_of(repo, turn).decode("utf-8", "surrogateescape"),
        "files": _files(turn),
        "variations": [_variation(each) for each in answers_of(repo, turn, count)],
        "applied": entry is not None,
        "staged": staged,
        "journal_id": entry.id if entry else None,
        "timing": timing_json(turn.timing),
        "message": turn.message,
    }


def _variation(answer: Alternative) -> dict[str, Any]:
    return {
        "patch": answer.patch.decode("utf-8", "surrogateescape"),
        "checks": checks_json(answer.checks),
        "logprob": round(answer.logprob, 4),
    }


def _files(turn: Turn) -> list[dict[str, Any]]:
    if not turn.status.offers:
        return []
    with turn.lock:
        hunks = diff(turn.base, turn.review.proposed)
    checks = checks_json(turn.checks)
    each = [hunk_json(hunk) | {"checks": checks, "logprob": round(turn.logprob, 4)} for hunk in hunks]
    return [{"path": str(turn.region.path), "hunks": each}]
