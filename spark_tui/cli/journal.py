"""`spark log`, `spark undo` and `spark redo`: the accepted edits of a work tree."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.common import notice, open_batches, settings_of, telemetry_of
from spark_tui.cli.main import Subcommand
from spark_tui.errors import Conflict, FileError, SparkError

if TYPE_CHECKING:
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.history import Chosen, JournaledBatch, Preview
    from spark_tui.vcs.journal import JournalEntry

    Work = Callable[[Chosen | None], Preview]
    Choose = Callable[[Conflict], bool | None]


_LEFT = "left as it is; nothing was written"


def add_choice(parser: argparse.ArgumentParser, other: str) -> None:
    """Declare `--keep` and `--take`.

    Args:
        parser: Gets both.
        other: What `--take` puts in the place of later edits.
    """
    either = parser.add_mutually_exclusive_group()
    where = "where later edits are in the way"
    either.add_argument("--keep", action="store_true", help=f"{where}: keep what is there now")
    either.add_argument("--take", action="store_true", help=f"{where}: {other}")


def carry_out(args: argparse.Namespace, batches: "Batches", work: "Work", *, back: bool) -> int:
    """Say what an undo or a redo changes, and do it.

    Args:
        args: The arguments of the command.
        batches: The journal.
        work: Previews the undo or redo, given the choice between clashing versions.
        back: Whether this is an undo.

    Returns:
        The exit code.

    Raises:
        UsageError, Conflict: No such batch, or later edits are in the way.
    """
    from spark_tui.session.history import judged

    preview = previewed(work, _chooser(args, back=back))
    if preview is None:
        output.show_words(_LEFT)
        return Conflict.exit_code
    announce(preview, judged(preview).warning)
    entry = batches.apply(preview)
    # Opening the journal has already told of a project that is not trusted.
    telemetry_of(settings_of(args, tell=str)).note_undo(entry)
    try:
        if args.json:
            output.show_json(entry_json(entry))
        else:
            output.show_line(entry_line(entry))
    except FileError as e:
        done = "taken back, `spark redo` does it again"
        if not back:
            done = "done again, `spark undo` takes it back"
        raise FileError(f"{done} (batch {entry.id}); but {e}") from e
    if batches.index_lags:
        return SparkError.exit_code
    return 0


def _chooser(args: argparse.Namespace, *, back: bool) -> "Choose | None":
    """Return the function that chooses a version: an option does, or the user at the terminal.

    Returns:
        None where neither can decide.
    """
    if args.keep or args.take:
        return lambda _: bool(args.keep)
    if args.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    choices = f"k keeps what is there, t {other_version(back=back)}"
    return partial(ask_which, ask=_ask, choices=choices)


def _ask(question: str) -> str | None:
    from spark_tui.cli.keyboard import LineReader

    with LineReader() as keyboard:
        return keyboard.decide(question)


def other_version(*, back: bool) -> str:
    """Say what an undo, or a redo, does instead of keeping later edits."""
    return "restores what was before" if back else "takes the edit"


def ask_which(clash: Conflict, ask: Callable[[str], str | None], choices: str) -> bool | None:
    """Show both versions and ask for one.

    Args:
        clash: Both versions.
        ask: Asks a question and returns the answer.
        choices: The words for both choices.

    Returns:
        Whether to keep what is there; None where the user chose neither.
    """
    output.show_words(clash.fact)
    output.show(clash.detail)
    answer = ask(f"{choices}, q leaves it [k/t/q] ") or ""
    return {"k": True, "t": False}.get(answer.strip().lower())  # reads a choice of a few


def previewed(work: "Work", choose: "Choose | None") -> "Preview | None":
    """Preview an undo or a redo, and ask where later edits are in the way.

    Args:
        work: Previews the undo or redo, given the choice between clashing versions.
        choose: Chooses between both versions of a clash; None where nobody can.

    Returns:
        None where neither version was chosen.

    Raises:
        SparkError: The preview fails; also the clash, where nobody can choose.
    """
    from spark_tui.vcs.history import Chosen

    chosen = None
    while True:
        try:
            return work(chosen)
        except Conflict as e:
            if not e.choosable or choose is None:
                raise
            keep = choose(e)
            if keep is None:
                return None
            # The choice holds for this text only: meanwhile a file may change once more.
            chosen = Chosen(e.detail, keep=keep)


def announce(preview: "Preview", warning: str) -> None:
    """Say on stderr what is about to be done, and what that breaks."""
    verb = "takes back" if preview.back else "redoes"
    counts = []
    for file in preview.files:
        counts.append(f"{file.path} +{file.added} -{file.removed}")
    change = ", ".join(counts) or "the files are already as they should be"
    description = " ".join(preview.subject.description.split())
    notice(f"{verb} {preview.subject.id} {description!r}: {change}")
    if warning:
        notice(warning)


def entry_line(entry: "JournalEntry") -> str:
    """Return an entry as one line: id, time, description, files."""
    paths = ", ".join(file.path for file in entry.files) or "no files"
    description = " ".join(entry.description.split())
    time = f"{entry.time.astimezone():%Y-%m-%d %H:%M}"
    return f"{entry.id}  {time}  {description}  [{paths}]"


def entry_json(entry: "JournalEntry") -> dict[str, Any]:
    """Return an entry for programs; hashes are SHA-256, null where there is no file."""
    files = [
        {"path": file.path, "before_hash": file.before, "after_hash": file.after}
        for file in entry.files
    ]
    return {
        "id": entry.id,
        "time": entry.time.isoformat(),
        "description": entry.description,
        "files": files,
        "undoes": entry.undoes,
        "redoes": entry.redoes,
    }


def add_undo_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark undo`."""
    parser.add_argument(
        "id", nargs="?", help="which batch (see `spark log`; default: the last one in force)"
    )
    parser.add_argument(
        "--file",
        action="append",
        metavar="PATH",
        help="only this file of it, named as in `spark log`",
    )
    add_choice(parser, "restore what was before")
    parser.add_argument(
        "--json", action="store_true", help="print the journal's entry as an object"
    )


def run_undo(args: argparse.Namespace) -> int:
    """Say what undoing one batch changes, and do it.

    Raises:
        UsageError, Conflict: No such batch, or later edits are in the way.
    """
    batches = open_batches(args)
    return carry_out(
        args,
        batches,
        lambda chosen: batches.preview_undo(args.id, only=args.file, chosen=chosen),
        back=True,
    )


def add_redo_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark redo`."""
    parser.add_argument(
        "id", nargs="?", help="which batch (see `spark log`; default: the one undone last)"
    )
    add_choice(parser, "take the edit")
    parser.add_argument(
        "--json", action="store_true", help="print the journal's entry as an object"
    )


def run_redo(args: argparse.Namespace) -> int:
    """Say what redoing one batch changes, and do it.

    Raises:
        UsageError, Conflict: No such batch, or later edits are in the way.
    """
    batches = open_batches(args)
    return carry_out(
        args, batches, lambda chosen: batches.preview_redo(args.id, chosen=chosen), back=False
    )


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark log`."""
    parser.add_argument(
        "id", nargs="?", help="show the patch of this batch; the start of its id is enough"
    )
    parser.add_argument("--json", action="store_true", help="print one object")


def run_log(args: argparse.Namespace) -> int:
    """Show the journal, the newest batch first, or one batch.

    Returns:
        1 where a batch is half done and cannot be brought to an end now.

    Raises:
        UsageError: No such batch.
        SparkError: The saved copies of the batch are damaged.
    """
    batches = open_batches(args)
    if args.id is not None:
        _show_batch(batches, args.id, as_json=args.json)
    elif args.json:
        damaged, dropped = batches.missing()
        body = {
            "version": 1,
            "entries": [_batch_json(batch) for batch in batches.log()],
            "dropped": dropped.count,
            "damaged": damaged,
        }
        output.show_json(body)
    else:
        _show_log(batches)
    if batches.half_done:
        return SparkError.exit_code
    return 0


def _show_batch(batches: "Batches", batch_id: str, *, as_json: bool) -> None:
    batch = batches.find(batch_id)
    patch = batches.patch(batch.entry)
    if as_json:
        text = patch.decode("utf-8", "surrogateescape")
        output.show_json({"version": 1, "entry": _batch_json(batch), "patch": text})
        return
    output.say(_batch_line(batch))
    output.show_patch(patch)


def _show_log(batches: "Batches") -> None:
    log = batches.log()
    for batch in log:
        output.show_line(_batch_line(batch))
    damaged, dropped = batches.missing()
    if dropped.count:
        notice(
            f"{dropped.count} older batches, up to {dropped.until:%Y-%m-%d}, were dropped; see "
            f"`journal_megabytes`"
        )
    if damaged:
        notice(f"damaged records, kept but left out: {damaged}")
    if not log:
        notice("nothing accepted here yet")


def _batch_json(batch: "JournaledBatch") -> dict[str, Any]:
    return {**entry_json(batch.entry), "state": str(batch.state)}


def _batch_line(batch: "JournaledBatch") -> str:
    return f"{batch.state.value:<11} {entry_line(batch.entry)}"


COMMANDS = {
    "undo": Subcommand(add_undo_arguments, run_undo),
    "redo": Subcommand(add_redo_arguments, run_redo),
    "log": Subcommand(add_log_arguments, run_log),
}
