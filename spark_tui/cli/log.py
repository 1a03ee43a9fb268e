"""`spark log`: what was accepted, undone and redone in this work tree, the newest first; or
what one of that did.
"""

import argparse
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.common import notice, open_batches
from spark_tui.cli.steps import entry_json, entry_line

if TYPE_CHECKING:
    from spark_tui.vcs.batches import Batches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark log`."""
    parser.add_argument(
        "id", nargs="?", help="show the patch of this batch; the start of its id is enough"
    )
    parser.add_argument("--json", action="store_true", help="print one object")


def run(args: argparse.Namespace) -> int:
    """Show the journal, or one batch.

    Raises:
        UsageError: No such batch.
        SparkError: Its saved copies are damaged.
    """
    batches = open_batches(args)
    if args.id is not None:
        _show_one(batches, args.id, as_json=args.json)
    elif args.json:
        entries = [entry_json(batch.entry) | {"state": str(batch.state)} for batch in batches.log()]
        damaged, dropped = batches.missing()
        output.show_json(
            {"version": 1, "entries": entries, "dropped": dropped.count, "damaged": damaged}
        )
    else:
        _show_all(batches)
    return 0


def _show_one(batches: "Batches", batch_id: str, *, as_json: bool) -> None:
    batch = batches.find(batch_id)
    patch = batches.patch(batch.entry)
    if as_json:
        entry = entry_json(batch.entry) | {"state": str(batch.state)}
        output.show_json(
            {"version": 1, "entry": entry, "patch": patch.decode("utf-8", "surrogateescape")}
        )
        return
    output.say(f"{batch.state.value:<11} {entry_line(batch.entry)}")
    output.show_patch(patch)


def _show_all(batches: "Batches") -> None:
    log = batches.log()
    for batch in log:
        output.show_line(f"{batch.state.value:<11} {entry_line(batch.entry)}")
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
