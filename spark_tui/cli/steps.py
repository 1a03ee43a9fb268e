"""What undo and redo have in common, and how entries of the journal are shown."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.cli.common import notice, settings_of, telemetry_of
from spark_tui.errors import Conflict

if TYPE_CHECKING:
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.history import Chosen, Preview
    from spark_tui.vcs.journal import JournalEntry

    Work = Callable[[Chosen | None], Preview]
    Choose = Callable[[Conflict], bool | None]

_LEFT = "left as it is; nothing was written"


def add_choice(parser: argparse.ArgumentParser, other: str) -> None:
    """--keep and --take.

    Args:
        other: What takes the place of later edits.
    """
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--keep",
        action="store_true",
        help="where later edits are in the way: keep what is there now",
    )
    either.add_argument(
        "--take", action="store_true", help=f"where later edits are in the way: {other}"
    )


def carry_out(args: argparse.Namespace, batches: "Batches", work: "Work", *, back: bool) -> int:
    """Say what an undo or a redo changes, and do it.

    Args:
        work: Works it out, with what was chosen of a clash.

    Returns:
        The exit code.

    Raises:
        UsageError, Conflict.
    """
    from spark_tui.session.history import judged

    if (preview := previewed(work, _chooser(args, back=back))) is None:
        output.show_words(_LEFT)
        return Conflict.exit_code
    announce(preview, judged(preview).warning)
    entry = batches.turn(preview)
    telemetry_of(settings_of(args, tell=str)).turned(entry)  # who opened the journal heard it
    output.show_json(entry_json(entry)) if args.json else output.show_line(entry_line(entry))
    return 0


def _chooser(args: argparse.Namespace, *, back: bool) -> "Choose | None":
    """What decides which version it is to be: an option, or whoever is at the terminal; else
    nothing.
    """
    if args.keep or args.take:
        return lambda _: bool(args.keep)
    if args.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    return lambda clash: ask_which(
        clash, _asked, f"k keeps what is there, t {other_version(back=back)}"
    )


def _asked(question: str) -> str | None:
    from spark_tui.cli.keyboard import LineReader

    with LineReader() as keyboard:
        return keyboard.decide(question)


def other_version(*, back: bool) -> str:
    """What an undo, or a redo, does where it does not keep later edits."""
    return "restores what was before" if back else "takes the edit"


def ask_which(clash: Conflict, ask: Callable[[str], str | None], choices: str) -> bool | None:
    """Show all versions and ask for one.

    Returns:
        Whether to keep what is there; None: neither was chosen.
    """
    output.show_words(clash.fact)
    output.show(clash.detail)
    answer = (ask(f"{choices}, q leaves it [k/t/q] ") or "").strip().lower()
    return answer == "k" if answer in {"k", "t"} else None


def previewed(work: "Work", choose: "Choose | None") -> "Preview | None":
    """What an undo or a redo comes to; where it clashes with later edits, as is decided then.

    Args:
        work: Works it out.
        choose: Decides; None: nobody does.

    Returns:
        None: nothing was chosen.

    Raises:
        SparkError: Also the clash, where nothing can be decided.
    """
    from spark_tui.vcs.history import Chosen

    chosen = None
    while True:
        try:
            return work(chosen)
        except Conflict as e:
            if not e.choosable or choose is None:
                raise
            if (keep := choose(e)) is None:
                return None
            chosen = Chosen(e.detail, keep=keep)


def announce(preview: "Preview", warning: str) -> None:
    """What is about to be done, and what that breaks, on stderr."""
    does = "takes back" if preview.back else "redoes"
    counts = ", ".join(f"{file.path} +{file.added} -{file.removed}" for file in preview.files)
    description = " ".join(preview.subject.description.split())
    notice(
        f"{does} {preview.subject.id} {description!r}: "
        f"{counts or 'the files are already as they should be'}"
    )
    if warning:
        notice(warning)


def entry_line(entry: "JournalEntry") -> str:
    """An entry as one line: id, time, description, files."""
    paths = ", ".join(file.path for file in entry.files)
    description = " ".join(entry.description.split())
    return (
        f"{entry.id}  {entry.time.astimezone():%Y-%m-%d %H:%M}  {description}  "
        f"[{paths or 'no files'}]"
    )


def entry_json(entry: "JournalEntry") -> dict[str, Any]:
    """An entry as programs see it; hashes are SHA-256, null where there is no file."""
    files = [
        {"path": file.path, "before_hash": file.before, "after_hash": file.after}
        for file in entry.files
    ]
    links = {"undoes": entry.undoes, "redoes": entry.redoes}
    return {
        "id": entry.id,
        "time": entry.time.isoformat(),
        "description": entry.description,
        "files": files,
        **links,
    }
