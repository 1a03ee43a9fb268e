"""`spark train data` and `fetch`: requests with the code they are about, from references and the packages they name."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.marks import visible
from spark_tui.training.packages import NotFetched, fetch, wanted
from spark_tui.training.places import Missing
from spark_tui.training.references import Asked, Reference, Region, missing_by_package, read_references, resolve

SHIPPED = Path(__file__).with_name("data")
"""In a checkout; wheels go without."""
NEVER_FOUND = "unplaced.jsonl.gz"
"""Requests on code whose package is not known: they wait in the same folder, and are counted."""


def shipped() -> list[Path]:
    """The files of references in this checkout. Raises: UsageError: there are none, as in an installed spark."""
    found = sorted(path for path in SHIPPED.glob("*.jsonl.gz") if path.name != NEVER_FOUND)
    if not found:
        raise UsageError(
            f"there are no references in {SHIPPED}: run it in a checkout of spark, or give --references FILE"
        )
    return found


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `data` and `fetch`."""
    data = commands.add_parser("data", help="put the requests and the code they are about into one file")
    data.add_argument("--out", type=Path, default=Path("runs/requests.jsonl"), help="to write (default: %(default)s)")
    data.add_argument(
        "--references", type=Path, action="append", metavar="FILE", help="repeatable; default: those of this checkout"
    )
    data.add_argument("--partial", action="store_true", help="go on without the packages that cannot be had")
    only = commands.add_parser("fetch", help="download the packages that references, or cases, are about")
    only.add_argument("references", type=Path, nargs="+", metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Run `data` or `fetch`; args.packages is where packages are unpacked. Raises: NotFetched, UsageError."""
    references = _read(args.references or shipped())
    _fetch(references, args.packages, partial=args.train_command == "data" and args.partial)
    return _build(args, references) if args.train_command == "data" else 0


def _build(args: argparse.Namespace, references: Sequence[Reference]) -> int:
    found = list(resolve(references, args.packages))
    regions = [one for one in found if isinstance(one, Region)]
    missing = [one for one in found if isinstance(one, Missing)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with args.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(plain(one), ensure_ascii=False) + "\n" for one in regions)
    told = summary(regions, missing)
    if not args.references:
        told["never_found"] = len(read_references(SHIPPED / NEVER_FOUND))
    args.out.with_suffix(".summary.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    for name, what in told["missing"].items():
        _say(f"{name}: {what}")
    _say(f"{args.out}: {told['regions']} regions, {told['requests']} requests; {len(missing)} regions are missing")
    return 0


def _read(paths: Iterable[Path]) -> list[Reference]:
    return [one for path in paths for one in read_references(path)]


def _fetch(references: Sequence[Reference], folder: Path, *, partial: bool) -> None:
    try:
        fetch(wanted(one.place for one in references), folder, _progress)
    except NotFetched as e:
        if not partial:
            raise
        _say(f"going on: {e}")


def plain(region: Region) -> dict[str, Any]:
    """A region as a line of the file: path, code, and requests with the code after the edit, or no edits."""
    return {
        "path": region.place.path,
        "code": "\n".join(region.lines),
        "requests": [_plain(region, one) for one in region.asked],
    }


def _plain(region: Region, asked: Asked) -> dict[str, Any]:
    edit: dict[str, Any] = {"after": "\n".join(region.after(asked.scripts[0]))} if asked.scripts else {"edits": []}
    selected = {"selected": [asked.selected[0] + 1, asked.selected[1] + 1]} if asked.selected else {}
    return {"words": asked.words, **edit, **selected}


def summary(regions: Sequence[Region], missing: Sequence[Missing]) -> dict[str, Any]:
    """What was written, by package, and what is missing of which."""
    packages = Counter(f"{one.place.package} {one.place.version}" for one in regions)
    return {
        "regions": len(regions),
        "requests": sum(len(one.asked) for one in regions),
        "without_an_edit": sum(not each.scripts for one in regions for each in one.asked),
        "packages": dict(sorted(packages.items(), key=lambda one: one[0].lower())),
        "missing": missing_by_package(missing),
    }


def _progress(done: int, count: int, name: str) -> None:
    line = f"downloading {done + 1}/{count}: {visible(name)}"
    sys.stderr.write(f"\r\x1b[K{line}" + "\n" * (done + 1 == count) if sys.stderr.isatty() else line + "\n")
    sys.stderr.flush()


def _say(text: str) -> None:
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
