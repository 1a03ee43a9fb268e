"""`spark review`: the changes of the work tree, or of a patch, hunk by hunk.

On a terminal the screen opens, with or without a model. Elsewhere, or with an option that says what
to do, hunks are listed, taken back or applied.
"""

import argparse
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.common import (
    add_model_argument,
    add_no_serve_argument,
    notice,
    open_batches,
    settings_of,
)
from spark_tui.errors import Abstained, Conflict, FileError, SparkError, UsageError
from spark_tui.safe_text import visible

if TYPE_CHECKING:
    from spark_tui.editing.hunks import Hunk
    from spark_tui.session.change_review import ChangeReview, ReviewedChange, ReviewSource
    from spark_tui.vcs.journal import JournalEntry
    from spark_tui.vcs.repository import Repository

_ALL = "all"
_NO_NEWLINE = "\\ No newline at end of file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark review`."""
    parser.add_argument(
        "base",
        nargs="?",
        metavar="BASE",
        help="a commit, a branch or the folder of another work tree (default: HEAD); - reads a "
        "patch from stdin that is not applied yet",
    )
    parser.add_argument("--pr", metavar="FILE", help="review the patch in FILE, not applied yet")
    parser.add_argument(
        "--take-back",
        nargs="+",
        metavar="ID",
        help="take these hunks or files of the work tree back, a file by its id or path; all takes "
        "back everything",
    )
    parser.add_argument(
        "--apply",
        nargs="*",
        metavar="ID",
        help="apply the patch, or only these of its hunks and files, a file by its id or path",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PATH",
        help="allow writing PATH, which needs its own approval (repeatable)",
    )
    parser.add_argument(
        "--format", choices=["text", "json"], help="list the hunks instead of opening the screen"
    )
    parser.add_argument("--theme", help="the name of a theme, for the screen")
    add_model_argument(parser)
    add_no_serve_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screen, or list the hunks, or take some back, or apply some.

    Returns:
        0, or 3 where there is no difference; as `_decide` where something is decided.

    Raises:
        UsageError, Conflict, SparkError: The arguments are wrong, a hunk no longer fits, or a file
            needs an approval.
    """
    from spark_tui.session.change_review import ChangeReview
    from spark_tui.vcs.repository import Repository

    # In this order: a patch on stdin is read before `_has_keyboard` puts the terminal in the place
    # of stdin.
    on_screen = _wants_screen(args)
    source = _source(args)
    if on_screen and _has_hunks(args, source) and _has_keyboard():
        from spark_tui.cli.open import open_screen

        settings = settings_of(args)
        serve = not args.no_serve
        return open_screen(Path(args.folder), settings, prompt="", review=source, serve=serve)
    batches = open_batches(args)
    repo = Repository.discover(Path(args.folder))
    review = ChangeReview.open(repo, batches, source)
    for words in review.notes:
        notice(words)
    if args.take_back is None and args.apply is None:
        return _list(review, args)
    return _decide(review, repo, args)


def _wants_screen(args: argparse.Namespace) -> bool:
    """Whether the arguments leave the decisions to the screen, and there is a terminal for it."""
    from spark_tui.session.change_review import STDIN

    if args.format is not None or args.take_back is not None or args.apply is not None:
        return False
    reads_stdin = STDIN in {args.base, args.pr}
    is_terminal = sys.stdout.isatty() and (reads_stdin or sys.stdin.isatty())
    if not is_terminal or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return not settings_of(args, tell=str).plain


def _has_hunks(args: argparse.Namespace, source: "ReviewSource") -> bool:
    """Whether a source has a file that can be reviewed by hunk."""
    from spark_tui.session.change_review import read_source
    from spark_tui.vcs.repository import Repository

    found = read_source(Repository.discover(Path(args.folder)), source)
    return any(not file.reason for file in found.files)


def _has_keyboard() -> bool:
    """Whether keys can be read: where a patch came by stdin, from the terminal itself from now on.

    The screen reads keys from the descriptor of stdin.
    """
    if sys.stdin.isatty():
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return False
    os.dup2(terminal, sys.stdin.fileno())
    os.close(terminal)
    return True


def _source(args: argparse.Namespace) -> "ReviewSource":
    """Return the work tree or the patch that the arguments name.

    Raises:
        UsageError: The arguments contradict each other.
        FileError: The patch cannot be read.
    """
    from spark_tui.session.change_review import STDIN, Patch, WorkTree

    if args.pr is not None and args.base is not None:
        raise UsageError(f"--pr names the patch already; leave out {args.base!r}")
    is_patch = args.pr is not None or args.base == STDIN
    if is_patch and args.take_back is not None:
        raise UsageError("a patch that is not applied has nothing to take back; use --apply")
    if not is_patch and args.apply is not None:
        raise UsageError("--apply is for a patch; name one with --pr FILE, or - for stdin")
    folder = Path(args.folder)
    if not is_patch:
        return WorkTree(args.base or "HEAD", folder)
    name = args.pr or STDIN
    if name == STDIN:
        return Patch(STDIN, sys.stdin.buffer.read())
    try:
        return Patch(name, (folder / name).read_bytes())
    except OSError as e:
        raise FileError(f"cannot read {name}: {e.strerror}; name a patch") from e


def _list(review: "ChangeReview", args: argparse.Namespace) -> int:
    """Show all hunks with their ids."""
    if args.format == "json":
        files = [_file_json(change) for change in review.files]
        output.show_json({"base": review.base, "files": files})
    else:
        for change in review.files:
            output.show("\n".join(_lines(change)))
    if review.files:
        return 0
    if args.format != "json":
        notice("no difference")
    return Abstained.exit_code


def _decide(review: "ChangeReview", repo: "Repository", args: argparse.Namespace) -> int:
    """Take hunks back, or apply them, and say what was done.

    Returns:
        0; 1 where a file, or the mode of one, was left as it is; 3 where there was nothing to do.
    """
    start = Path(args.folder).resolve()
    allowed = [repo.resolve(path, start=start) for path in args.allow]
    names = args.take_back if review.in_place else args.apply
    ids = None
    if names not in ([], [_ALL]):
        ids = [_id_of(name, review, repo, start) for name in names]
    if review.in_place:
        _refuse_without_consent(review.concerns(ids, accept=False), allowed)
        entry = review.reject(ids, allow=allowed)
    else:
        _refuse_without_consent(review.concerns(ids, accept=True), allowed)
        entry = review.accept(ids, allow=allowed)
    left = [change for change in review.files if ids is None and not change.decided]
    modes = _modes_left(review, entry, ids)
    if args.format == "json":
        output.show_json(_decision_json(review, entry, left, modes))
    elif entry is not None:
        output.show_words(_done(review, entry))
    _tell_left(left, modes)
    if entry is None and args.format != "json":
        notice("nothing was written")
    if left or modes:
        return SparkError.exit_code
    return Abstained.exit_code if entry is None else 0


def _id_of(name: str, review: "ChangeReview", repo: "Repository", start: Path) -> str:
    """The id that a name stands for: an id itself, or the path of a file.

    Raises:
        Conflict, SparkError: The file cannot be decided.
    """
    ids = {hunk_id for change in review.files for hunk_id, _ in change.hunks()}
    if name in ids.union(change.id for change in review.files):
        return name
    with suppress(UsageError):  # as no path, it is an id that the review refuses
        return review.id_at(repo.resolve(name, start=start)) or name
    return name


def _refuse_without_consent(
    concerns: Mapping[str, Sequence[str]], allowed: Collection[str]
) -> None:
    """Refuse to write files that need an approval of their own, and say how to give it."""
    for path, reasons in concerns.items():
        if path not in allowed:
            advice = f"--allow {quote(path)} permits it"
            raise SparkError(f"{path} {'; '.join(reasons)}; nothing was written: {advice}")


def _done(review: "ChangeReview", entry: "JournalEntry") -> str:
    """Say for people what was written."""
    does = "took back" if review.in_place else "applied"
    paths = ", ".join(file.path for file in entry.files)
    return f"{does} {paths} (batch {entry.id}); `spark undo` reverses this"


def _modes_left(
    review: "ChangeReview", entry: "JournalEntry | None", ids: Collection[str] | None
) -> dict[str, int]:
    """The modes that a decision would have given files, but left as they are, by path.

    Spark gives a mode to a file that it creates; others keep theirs. A hunk that is taken back is
    not about the mode, but the whole file is; a patch is about it with any of its hunks.

    Args:
        ids: Of the hunks and files that were decided; None: everything.
    """
    records = entry.files if entry is not None else ()
    written = {file.path for file in records if file.before is not None}
    modes: dict[str, int] = {}
    for change in review.files:
        is_whole = ids is None or change.id in ids
        is_mode_alone = change.file is None and ids is None
        is_written = change.place in written and (is_whole or not review.in_place)
        if change.versions.changes_mode and (is_mode_alone or is_written):
            versions = change.versions
            modes[change.place] = versions.old_mode if review.in_place else versions.new_mode
    return modes


def _tell_left(left: Iterable["ReviewedChange"], modes: Mapping[str, int]) -> None:
    """Say on stderr what a decision left as it is, and what changes it."""
    for change in left:
        if change.file is None and change.place not in modes:
            words = f"{change.path} {change.reason}; it is left as it is"
            if not change.in_place:
                words += f", and `git apply --include={quote(change.path)}` may write it"
            notice(words)
    for path, mode in modes.items():
        sign = "+x" if mode & 0o100 else "-x"
        notice(f"the mode of {path} is left as it is; `chmod {sign} {quote(path)}` changes it")


def _lines(change: "ReviewedChange") -> Iterator[str]:
    """A file and its hunks, for people."""
    versions = change.versions
    name = visible(versions.path)
    if versions.old_path != versions.path:
        name = f"{visible(versions.old_path)} -> {name}"
    remarks = []
    if versions.untracked:
        remarks.append("untracked")
    if versions.changes_mode and change.file is not None:
        remarks.append(f"mode {versions.old_mode:o} to {versions.new_mode:o}")
    if versions.clash is not None:
        remarks.append(f"conflict: {_fact(versions.clash)}")
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    if change.file is None:
        yield f"{versions.status}: {name} {change.reason}{remark}"
        return
    yield f"{versions.status}: {name}  [{change.id}]{remark}"
    # New line numbers are old ones, shifted by what the hunks above have added.
    growth = 0
    for hunk_id, hunk in change.hunks():
        old = _range(hunk.start, len(hunk.old))
        new = _range(hunk.start + growth, len(hunk.new))
        yield f"@@ -{old} +{new} @@  [{hunk_id}]"
        yield from _marked("-", hunk.old)
        yield from _marked("+", hunk.new)
        growth += hunk.growth


def _fact(clash: Conflict) -> str:
    """Say what clashes, without a clause that nothing was written: a list writes nothing."""
    return clash.fact.removesuffix("; nothing was written")


def _range(start: int, count: int) -> str:
    """A range of lines as diff writes it: an empty one names the line before."""
    first = start + 1 if count else start
    return f"{first},{count}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_NEWLINE


def _file_json(change: "ReviewedChange") -> dict[str, Any]:
    """A file and its hunks, for programs."""
    versions = change.versions
    return {
        "path": versions.path,
        "status": versions.status.value,
        "hunks": _hunks_json(change),
        "id": change.id if change.file is not None else None,
        "old_path": versions.old_path,
        "old_mode": f"{versions.old_mode:06o}",
        "new_mode": f"{versions.new_mode:06o}",
        "untracked": versions.untracked,
        "reason": versions.reason or None,
        "conflict": _fact(versions.clash) if versions.clash is not None else None,
    }


def _hunks_json(change: "ReviewedChange") -> list[dict[str, Any]]:
    """The hunks of a file as `spark exec` writes them.

    They were given and not guessed, so their probability is 1.
    """
    from spark_tui.editing.checks import run_checks
    from spark_tui.session.json_output import checks_json, hunk_json

    if change.file is None or not change.hunks():
        return []
    checks = checks_json(run_checks(change.file.base, change.file.proposal, change.path))
    if change.versions.clash is not None:
        clash = {"name": "applies", "ok": False, "detail": _fact(change.versions.clash)}
        checks = [clash, *(check for check in checks if check["name"] != "applies")]
    common = {"checks": checks, "logprob": 0.0}

    def as_json(hunk_id: str, hunk: "Hunk") -> dict[str, Any]:
        return hunk_json(hunk) | {"id": hunk_id} | common

    return [as_json(hunk_id, hunk) for hunk_id, hunk in change.hunks()]


def _decision_json(
    review: "ChangeReview",
    entry: "JournalEntry | None",
    left: Sequence["ReviewedChange"],
    modes: Mapping[str, int],
) -> dict[str, Any]:
    """Return for programs what a decision wrote."""
    written = [file.path for file in entry.files] if entry is not None else []
    return {
        "base": review.base,
        "written": written,
        "left": [{"path": change.path, "reason": change.reason} for change in left],
        "modes_left": [{"path": path, "mode": f"{mode:06o}"} for path, mode in modes.items()],
        "journal_id": entry.id if entry is not None else None,
    }
