"""From references to requests, without what the tests hold.

Packages from the index, by name and version: downloaded with pip into a folder, their Python files
unpacked.

Nothing of a package is installed or run.

Keeps evaluation code out of training: stretches of 13 tokens that both hold give a copy away.

Of all 13-grams a sixteenth is looked at, chosen by its hash, so that the list in the repository
stays small: a copied stretch of 60 tokens goes unnoticed in one case of twenty, one of 100 in one
of three hundred.

`spark train data` and `fetch`: requests with the code they are about, from references and the
packages they name.

What was asked by somebody who saw the code goes into the file that is named, and a part into one
that is held back. Beside them lie, so that their share of a mixture can be chosen, `remarks`, which
ask for nothing.
"""

import argparse
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from spark_tui.errors import SparkError, UsageError
from spark_tui.safe_text import visible
from spark_tui.training.conversations import (
    Project,
    asked_again,
    is_held_out,
    read_conversations,
    region_rows,
)
from spark_tui.training.references import (
    PYTHON,
    MissingStretch,
    PackageStretch,
    Reference,
    ReferencedLines,
    RegionRequest,
    folder_name,
    missing_by_package,
    read_references,
    resolve,
)

MADE_FOR = "3.11"
"""The Python whose files are asked for: the references were made with those."""
_DOWNLOAD = (
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--retries",
    "1",
    "--only-binary",
    ":all:",
    "--python-version",
    MADE_FOR,
)
_MOST_IN_A_ROW = 3
"""Failures after which the index is taken to be out of reach."""
Wanted = tuple[str, str]
"""A package's name and its version."""


class NotFetched(SparkError):
    """Packages that could not be had, each with the reason that pip gave."""

    def __init__(self, reasons: dict[Wanted, str]) -> None:
        names = ", ".join(f"{name} {version}" for name, version in reasons)
        super().__init__(
            f"{len(reasons)} packages could not be downloaded: {names}; run it again where the "
            f"package index can "
            f"be reached, or `spark train data` with --partial to go on without them "
            f"({next(iter(reasons.values()))})"
        )
        self.packages = tuple(reasons)


def wanted(places: Iterable[PackageStretch]) -> list[Wanted]:
    """The packages that places stand in, by name; the standard library need not be fetched."""
    found = {(one.package, one.version) for one in places if one.package != PYTHON}
    return sorted(found, key=lambda one: (one[0].lower(), one[1]))


def lacking(packages: Iterable[Wanted], folder: Path) -> list[Wanted]:
    """Those that are not in the folder yet."""
    return [one for one in packages if not (folder / folder_name(*one)).is_dir()]


def fetch(
    packages: Iterable[Wanted], folder: Path, progress: Callable[[int, int, str], None]
) -> None:
    """Download and unpack what the folder lacks.

    Args:
        progress: Told how many are done, of how many, and the name of the next.

    Raises:
        NotFetched: Pip is missing, cannot reach the index, or knows no such version.
    """
    missing = lacking(packages, folder)
    folder.mkdir(parents=True, exist_ok=True)
    reasons: dict[Wanted, str] = {}
    in_a_row = 0
    for done, one in enumerate(missing):
        if in_a_row == _MOST_IN_A_ROW:
            reasons |= dict.fromkeys(missing[done:], "not tried")
            break
        progress(done, len(missing), " ".join(one))
        reason = _fetch_wheel(*one, folder)
        in_a_row = in_a_row + 1 if reason else 0
        reasons |= {one: reason} if reason else {}
    if reasons:
        raise NotFetched(reasons)


def _fetch_wheel(name: str, version: str, folder: Path) -> str:
    """Returns:
    Why it could not be had, or nothing.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as scratch:
        command = [sys.executable, "-m", "pip", *_DOWNLOAD, "--dest", scratch, f"{name}=={version}"]
        done = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            return _reason(done.stderr)
        unpack(wheels[0], folder / folder_name(name, version))
    return ""


def _reason(said: str) -> str:
    lines = [
        line.removeprefix("ERROR: ").strip()
        for line in said.splitlines()
        if not line.startswith("WARNING")
    ]
    return next((line for line in reversed(lines) if line), "pip gave no reason")


def unpack(wheel: Path, target: Path) -> None:
    """Put a wheel's Python files where a package's folder is to be, all of them or none.

    Raises:
        SparkError.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpacking-") as scratch:
        files = Path(scratch) / "files"
        files.mkdir()
        try:
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.endswith(".py")]
                archive.extractall(files, names)
            files.rename(target)
        except (OSError, zipfile.BadZipFile) as e:
            if not target.is_dir():  # else somebody else was there before
                raise SparkError(f"{wheel.name} cannot be unpacked ({e}); run it again") from e


LIST = Path(__file__).with_name("eval_ngrams.npy")
"""The hashes of all code of the packages that are kept for evaluation, sorted."""
LENGTH = 13
SAMPLED = 16
_TOKEN = re.compile(r"\w+|[^\w\s]")


def ngram_hashes(lines: Iterable[str]) -> set[int]:
    """The 32-bit hashes of the sampled 13-grams of a stretch of code; indentation and line
    breaks do not count.
    """
    tokens = _TOKEN.findall("\n".join(lines))
    grams = (" ".join(tokens[start : start + LENGTH]) for start in range(len(tokens) - LENGTH + 1))
    hashes = (
        int.from_bytes(hashlib.blake2b(gram.encode("utf-8", "replace"), digest_size=5).digest())
        for gram in grams
    )
    return {one >> 8 for one in hashes if one % SAMPLED == 0}


@cache
def _known() -> frozenset[int]:
    return frozenset(map(int, np.load(LIST)))


def leaks(lines: Iterable[str]) -> bool:
    """Whether code shares a sampled 13-gram with the code kept for evaluation."""
    return not _known().isdisjoint(ngram_hashes(lines))


Line = dict[str, Any]
"""A region and what was asked about it, as a line of a file (see `rows`)."""
SHIPPED = Path(__file__).with_name("data")
"""In a checkout; wheels go without."""
WRITTEN = ("wished.jsonl.gz", "written.jsonl.gz", "dense.jsonl.gz")
"""Requests for edits that were thought up with the words, for such as were there before them,
and many to a region.
"""
OWN = "own.jsonl.gz"
"""Requests on code of our own, in many languages: whole lines of the file that is written."""
REMARKS = "remarks.jsonl.gz"
"""Sentences written without code in view: by whom, whether they ask for an edit (1) or not (0),
the words.
"""
HELD = 40
"""One region in so many goes to a file of its own, whose loss is told while training."""
CONVERSATIONS = "conversations.txt.gz"
"""Projects of our own, and what is asked about them turn by turn (see `conversations`)."""
HELD_CONVERSATIONS = 12
"""One project in so many is held back."""
REMARKS_A_REGION = 4
"""About as many; reading the region once is most of what they cost."""


def shipped() -> list[Path]:
    """The files of references in this checkout.

    Raises:
        UsageError: There are none, as in an installed spark.
    """
    found = [SHIPPED / name for name in WRITTEN]
    if not all(path.is_file() for path in found):
        raise UsageError(
            f"there are no references in {SHIPPED}: run it in a checkout, or give --references FILE"
        )
    return found


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `data` and `fetch`."""
    data = commands.add_parser(
        "data", help="write the requests and the code they are about to files"
    )
    data.add_argument(
        "--out",
        type=Path,
        default=Path("runs/requests.jsonl"),
        help="to write (default: %(default)s)",
    )
    data.add_argument(
        "--references",
        type=Path,
        action="append",
        metavar="FILE",
        help="repeatable; default: those of this checkout",
    )
    data.add_argument(
        "--partial",
        action="store_true",
        help="go on without the packages that cannot be downloaded",
    )
    data.add_argument(
        "--commits",
        type=Path,
        metavar="CLONES_DIR",
        help="write those of `spark train commits` instead, from clones of the repositories "
        "(see there)",
    )
    only = commands.add_parser(
        "fetch", help="download the packages that references, or cases, are about"
    )
    only.add_argument("references", type=Path, nargs="+", metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Run `data` or `fetch`; args.packages is where packages are unpacked.

    Raises:
        NotFetched, UsageError.
    """
    files = {path: read_references(path) for path in args.references or shipped()}
    building = args.train_command == "data"
    _fetch(
        [one for each in files.values() for one in each],
        args.packages,
        partial=building and args.partial,
    )
    if not building:
        return 0
    found = [one for each in files.values() for one in resolve(each, args.packages)]
    parts = _parts(lines_of(found), whole=not args.references)
    _write(args.out, parts, _summary(found, parts))
    return 0


def _parts(written: Sequence[Line], *, whole: bool) -> dict[str, list[Line]]:
    """The lines of each file, by what its name ends in.

    Args:
        whole: Whether there is more than what was found.
    """
    every = [*written, *(own() if whole else ())]
    trained = [one for one in every if not _is_held(one)]
    parts = {"": trained, "held": [one for one in every if _is_held(one)]}
    if whole:
        parts["remarks"] = remarks_on([one for one in written if not _is_held(one)])
        parts["again"] = list(asked_again(trained))
        parts |= conversations()
    return parts


def lines_of(found: Iterable[ReferencedLines | MissingStretch]) -> list[Line]:
    """Those of the regions that are there and share no code with what is kept for evaluation,
    with every request.
    """
    kept = (one for one in found if isinstance(one, ReferencedLines) and not leaks(one.lines))
    return [
        {
            "path": one.place.path,
            "code": "\n".join(one.lines),
            "requests": list(map(_request, one.asked)),
        }
        for one in kept
    ]


def own() -> list[Line]:
    """The regions of our own, and what was asked about them.

    Raises:
        UsageError: Not in a checkout.
    """
    return _read(OWN)


def conversations() -> dict[str, list[Line]]:
    """Make the requests of conversations, and those that are held back.

    Raises:
        UsageError: Not in a checkout.
    """
    parts: dict[str, list[Project]] = {"conversations": [], "conversations.held": []}
    for project in read_conversations(SHIPPED / CONVERSATIONS):
        held = is_held_out(project, HELD_CONVERSATIONS)
        parts["conversations.held" if held else "conversations"].append(project)
    return {name: list(region_rows(projects)) for name, projects in parts.items()}


def remarks_on(lines: Sequence[Line]) -> list[Line]:
    """What is only said of code, and gets no edit, about regions drawn from these: always the
    same ones.
    """
    said = [words for _, asks, words in _read(REMARKS) if not asks]
    drawn = Random(0).sample(lines, min(len(lines), ceil(len(said) / REMARKS_A_REGION)))
    return [
        {
            "path": one["path"],
            "code": one["code"],
            "requests": [{"words": words, "edits": []} for words in each],
        }
        for one, each in ((one, said[number :: len(drawn)]) for number, one in enumerate(drawn))
    ]


def _read(name: str) -> list[Any]:
    try:
        with gzip.open(SHIPPED / name, "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError as e:  # as in an installed spark
        raise UsageError(
            f"there are no requests in {SHIPPED}: run it in a checkout of spark"
        ) from e


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
    out.with_suffix(".summary.json").write_text(
        json.dumps(summary, indent=1) + "\n", encoding="utf-8"
    )
    for name, what in summary["missing"].items():
        say(f"{name}: {what}")


def _fetch(references: Sequence[Reference], folder: Path, *, partial: bool) -> None:
    try:
        fetch(wanted(one.place for one in references), folder, _progress)
    except NotFetched as e:
        if not partial:
            raise
        say(f"going on: {e}")


def _request(asked: RegionRequest) -> dict[str, Any]:
    edit: dict[str, Any] = {"after": "\n".join(asked.afters[0])} if asked.afters else {"edits": []}
    if asked.selected:
        selected = {"selected": [asked.selected[0] + 1, asked.selected[1] + 1]}
    else:
        selected = {}
    return {"words": asked.words, **edit, **selected}


def _summary(
    found: Sequence[ReferencedLines | MissingStretch], parts: Mapping[str, Sequence[Line]]
) -> dict[str, Any]:
    """What was written, the regions of each package, and what is missing of which."""
    packages = Counter(
        f"{one.place.package} {one.place.version}"
        for one in found
        if isinstance(one, ReferencedLines)
    )
    return {
        "regions": {name: len(lines) for name, lines in parts.items()},
        "requests": {
            name: sum(len(one["requests"]) for one in lines) for name, lines in parts.items()
        },
        "packages": dict(sorted(packages.items(), key=lambda one: one[0].lower())),
        "missing": missing_by_package(one for one in found if isinstance(one, MissingStretch)),
    }


def _progress(done: int, count: int, name: str) -> None:
    line = f"downloading {done + 1}/{count}: {visible(name)}"
    sys.stderr.write(
        f"\r\x1b[K{line}" + "\n" * (done + 1 == count) if sys.stderr.isatty() else line + "\n"
    )
    sys.stderr.flush()


def say(text: str) -> None:
    """Tell people how far it is."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
