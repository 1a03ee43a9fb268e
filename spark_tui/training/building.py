"""`spark train data` and `fetch`: requests with the code they are about, from references and the packages they name."""

import argparse
import gzip
import json
import sys
import zlib
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
OWN = "own.jsonl.gz"
"""Requests on code of our own, in many languages: whole lines of the file that is written."""
HELD = 40
"""One region in so many goes to a file of its own, whose loss is told while training."""


def shipped() -> list[Path]:
    """The files of references in this checkout. Raises: UsageError: there are none, as in an installed spark."""
    found = sorted(path for path in SHIPPED.glob("*.jsonl.gz") if path.name not in {NEVER_FOUND, OWN})
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
    own = [] if args.references else own_rows()
    _write(args.out, [*map(plain, regions), *own])
    told = summary(regions, missing)
    if not args.references:
        told["own"] = {"regions": len(own), "requests": sum(len(row["requests"]) for row in own)}
        told["never_found"] = len(read_references(SHIPPED / NEVER_FOUND))
    args.out.with_suffix(".summary.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    for name, what in told["missing"].items():
        _say(f"{name}: {what}")
    _say(f"{args.out}: {told['regions']} regions, {told['requests']} requests; {len(missing)} regions are missing")
    if own:
        _say(f"beside them {len(own)} regions of our own; every {HELD}th region is in {held_path(args.out)}")
    return 0


def own_rows() -> list[dict[str, Any]]:
    """The regions of our own, and what was asked about them."""
    with gzip.open(SHIPPED / OWN, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def held_path(out: Path) -> Path:
    """The file of the regions that are not trained on, beside the one of those that are."""
    return out.with_suffix(f".held{out.suffix}")


def _write(out: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Part regions by their code, so that one stays on its side whatever else there is."""
    held = [zlib.crc32(row["code"].encode()) % HELD == 0 for row in rows]
    for path, side in ((out, False), (held_path(out), True)):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row, one in zip(rows, held, strict=True) if one == side)
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines)


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
