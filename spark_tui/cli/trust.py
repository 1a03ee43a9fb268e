"""`spark trust`: what a repository could run by itself, and letting it."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.config import state_dir
from spark_tui.errors import UsageError

if TYPE_CHECKING:
    from spark_tui.vcs.policy import Trust


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark trust`."""
    parser.add_argument("--yes", action="store_true", help="trust it without asking")
    parser.add_argument("--revoke", action="store_true", help="trust it no longer")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one object; only --yes and --revoke change anything",
    )


def run(args: argparse.Namespace) -> int:
    """Show what the repository could run and trust it, or stop doing so.

    Returns:
        1 when the answer was no.
    """
    if args.yes and args.revoke:
        raise UsageError("--yes and --revoke contradict each other; leave one out")
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(Path(args.folder))
    trust = Trust(repo, state_dir())
    if args.revoke:
        trust.revoke()
    elif args.json and args.yes:
        trust.grant()
    if args.json:
        found = {"programs": trust.programs, "restricted": trust.restricted, "config": trust.config}
        output.show_json(
            {"version": 1, "repository": str(repo.root), "trusted": trust.trusted, **found}
        )
    elif args.revoke:
        output.show_line(f"{repo.root} is not trusted")
    else:
        return _grant(trust, repo.root, yes=args.yes)
    return 0


def _grant(trust: "Trust", root: Path, *, yes: bool) -> int:
    if trust.trusted:
        output.show_line(f"{root} is trusted; `spark trust --revoke` ends that")
        return 0
    seen = trust.look()
    for line in _said(trust, root):
        output.show_line(line)
    if not yes and not _agreed():
        output.show_line("nothing changed; spark runs none of it")
        return 1
    trust.grant(seen)
    output.show_line(f"{root} is trusted until any of this changes; `spark trust --revoke` ends it")
    return 0


def _said(trust: "Trust", root: Path) -> list[str]:
    from spark_tui.vcs.policy import PROJECT_CONFIG

    reasons = trust.restricted
    config = trust.config
    said = [
        f"{root} could run, or point git to, once you stage, commit or check:",
        *(f"  {each}" for each in reasons),
    ]
    if not reasons:
        said = [f"{root} has no git hooks or settings to ask about"]
    if not config:
        return [*said, f"a {PROJECT_CONFIG} is asked about once there is one"]
    return [*said, f"{PROJECT_CONFIG} would be read; it says:", *(f"  {each}" for each in config)]


def _agreed() -> bool:
    """Ask on the terminal; the answer is no unless it is plainly yes.

    Raises:
        UsageError: There is none to ask on.
    """
    from spark_tui.cli.keyboard import LineReader, is_yes

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is no terminal to ask on; `spark trust --yes` trusts what is listed"
        )
    with LineReader() as keyboard:
        return is_yes(keyboard.decide("trust it? [y/N] "))
