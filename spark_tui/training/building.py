"""`spark train data` and `fetch`: requests with the code they are about, from references and the packages they name.

What was asked by somebody who saw the code goes into the file that is named, and a part into one that is held back.
Beside them lie, so that their share of a mixture can be chosen, `remarks`, which ask for nothing.
"""

import argparse
import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.marks import visible
from spark_tui.training.conversations import Project, is_held_out, read_conversations, region_rows
from spark_tui.training.follow_ups import asked_again
from spark_tui.training.leaks import leaks
from spark_tui.training.packages import NotFetched, fetch, wanted
from spark_tui.training.places import Missing
from spark_tui.training.references import Asked, Reference, Region, missing_by_package, read_references, resolve

Line = dict[str, Any]
"""A region and what was asked about it, as a line of a file (see `rows`)."""
SHIPPED = Path(__file__).with_name("data")
"""In a checkout; wheels go without."""
WRITTEN = ("wished.jsonl.gz", "written.jsonl.gz", "dense.jsonl.gz")
"""Requests for edits that were thought up with the words, for such as were there before them, and many to a region."""
OWN = "own.jsonl.gz"
"""Requests on code of our own, in many languages: whole lines of the file that is written."""
REMARKS = "remarks.jsonl.gz"
"""Sentences written without code in view: by whom, whether they ask for an edit (1) or not (0), the words."""
HELD = 40
"""One region in so many goes to a file of its own, whose loss is told while training."""
CONVERSATIONS = "conversations.txt.gz"
"""Projects of our own, and what is asked about them turn by turn (see `conversations`)."""
HELD_CONVERSATIONS = 12
"""One project in so many is held back."""
REMARKS_A_REGION = 4
"""About as many; reading the region once is most of what they cost."""


def shipped() -> list[Path]:
    """The files of references in this checkout. Raises: UsageError: there are none, as in an installed spark."""
    found = [SHIPPED / name for name in WRITTEN]
    if not all(path.is_file() for path in found):
        raise UsageError(f"there are no references in {SHIPPED}: run it in a checkout, or give --references FILE")
    return found


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `data` and `fetch`."""
    data = commands.add_parser("data", help="write the requests and the code they are about to files")
    data.add_argument("--out", type=Path, default=Path("runs/requests.jsonl"), help="to write (default: %(default)s)")
    data.add_argument(
        "--references", type=Path, action="append", metavar="FILE", help="repeatable; default: those of this checkout"
    )
    data.add_argument("--partial", action="store_true", help="go on without the packages that cannot be downloaded")
    data.add_argument(
        "--commits",
        type=Path,
        metavar="CLONES_DIR",
        help="write those of `spark train commits` instead, from clones of the repositories (see there)",
    )
    only = commands.add_parser("fetch", help="download the packages that references, or cases, are about")
    only.add_argument("references", type=Path, nargs="+", metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Run `data` or `fetch`; args.packages is where packages are unpacked. Raises: NotFetched, UsageError."""
    files = {path: read_references(path) for path in args.references or shipped()}
    building = args.train_command == "data"
    _fetch([one for each in files.values() for one in each], args.packages, partial=building and args.partial)
    if not building:
        return 0
    found = [one for each in files.values() for one in resolve(each, args.packages)]
    parts = _parts(lines_of(found), whole=not args.references)
    _write(args.out, parts, _summary(found, parts))
    return 0


def _parts(written: Sequence[Line], *, whole: bool) -> dict[str, list[Line]]:
    """The lines of each file, by what its name ends in. Args: whole: whether there is more than what was found."""
    every = [*written, *(own() if whole else ())]
    trained = [one for one in every if not _is_held(one)]
    parts = {"": trained, "held": [one for one in every if _is_held(one)]}
    if whole:
        parts["remarks"] = remarks_on([one for one in written if not _is_held(one)])
        parts["again"] = list(asked_again(trained))
        parts |= conversations()
    return parts


def lines_of(found: Iterable[Region | Missing]) -> list[Line]:
    """Those of the regions that are there and share no code with what is kept for evaluation, with every request."""
    kept = (one for one in found if isinstance(one, Region) and not leaks(one.lines))
    return [
        {"path": one.place.path, "code": "\n".join(one.lines), "requests": list(map(_request, one.asked))}
        for one in kept
    ]


def own() -> list[Line]:
    """The regions of our own, and what was asked about them. Raises: UsageError: not in a checkout."""
    return _read(OWN)


def conversations() -> dict[str, list[Line]]:
    """Make the requests of conversations, and those that are held back. Raises: UsageError: not in a checkout."""
    parts: dict[str, list[Project]] = {"conversations": [], "conversations.held": []}
    for project in read_conversations(SHIPPED / CONVERSATIONS):
        held = is_held_out(project, HELD_CONVERSATIONS)
        parts["conversations.held" if held else "conversations"].append(project)
    return {name: list(region_rows(projects)) for name, projects in parts.items()}


def remarks_on(lines: Sequence[Line]) -> list[Line]:
    """What is only said of code, and gets no edit, about regions drawn from these: always the same ones."""
    said = [words for _, asks, words in _read(REMARKS) if not asks]
    drawn = Random(0).sample(lines, min(len(lines), ceil(len(said) / REMARKS_A_REGION)))
    return [
        {"path": one["path"], "code": one["code"], "requests": [{"words": words, "edits": []} for words in each]}
        for one, each in ((one, said[number :: len(drawn)]) for number, one in enumerate(drawn))
    ]


def _read(name: str) -> list[Any]:
    try:
        with gzip.open(SHIPPED / name, "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError as e:  # as in an installed spark
        raise UsageError(f"there are no requests in {SHIPPED}: run it in a checkout of spark") from e


def _is_held(line: Line) -> bool:
    """By the code, so that a region stays on its side whatever else there is."""
    return zlib.crc32(line["code"].encode()) % HELD == 0


def _write(out: Path, parts: Mapping[str, Sequence[Line]], summary: Mapping[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    for name, lines in parts.items():
        path = out.with_suffix(f".{name}{out.suffix}") if name else out
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
        say(f"{path}: {len(lines)} regions, {summary['requests'][name]} requests")
    out.with_suffix(".summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    for name, what in summary["missing"].items():
        say(f"{name}: {what}")


def _fetch(references: Sequence[Reference], folder: Path, *, partial: bool) -> None:
    try:
        fetch(wanted(one.place for one in references), folder, _progress)
    except NotFetched as e:
        if not partial:
            raise
        say(f"going on: {e}")


def _request(asked: Asked) -> dict[str, Any]:
    edit: dict[str, Any] = {"after": "\n".join(asked.afters[0])} if asked.afters else {"edits": []}
    selected = {"selected": [asked.selected[0] + 1, asked.selected[1] + 1]} if asked.selected else {}
    return {"words": asked.words, **edit, **selected}


def _summary(found: Sequence[Region | Missing], parts: Mapping[str, Sequence[Line]]) -> dict[str, Any]:
    """What was written, the regions of each package, and what is missing of which."""
    packages = Counter(f"{one.place.package} {one.place.version}" for one in found if isinstance(one, Region))
    return {
        "regions": {name: len(lines) for name, lines in parts.items()},
        "requests": {name: sum(len(one["requests"]) for one in lines) for name, lines in parts.items()},
        "packages": dict(sorted(packages.items(), key=lambda one: one[0].lower())),
        "missing": missing_by_package(one for one in found if isinstance(one, Missing)),
    }


def _progress(done: int, count: int, name: str) -> None:
    line = f"downloading {done + 1}/{count}: {visible(name)}"
    sys.stderr.write(f"\r\x1b[K{line}" + "\n" * (done + 1 == count) if sys.stderr.isatty() else line + "\n")
    sys.stderr.flush()


def say(text: str) -> None:
    """Tell people how far it is."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
