"""`spark train data` and `fetch`: write requests together with the code they are about.

The code is in packages of the index, which pip downloads by name and version. Their Python files
are unpacked; nothing of a package is installed or run.

Requests whose authors saw the code go into the file that is named, and a part of them into a file
that is held back. Beside them lie files whose share of a mixture can be chosen, such as `remarks`,
which ask for nothing.

Evaluation code is kept out: a shared 13-gram gives a copy away. A sixteenth of all 13-grams is
compared, chosen by hash, so that the list in the repository stays small: a copied stretch of 60
tokens goes unnoticed in one case of twenty, one of 100 in one of three hundred.
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
"""The Python whose files are downloaded: the references were made with these."""
# Only wheels: pip would run the setup of a source distribution to learn its metadata.
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
"""Failures in a row after which the index is taken to be out of reach."""
Package = tuple[str, str]
"""The name of a package and its version."""


class NotFetched(SparkError):
    """Packages that could not be downloaded, each with the reason that pip gave."""

    def __init__(self, reasons: dict[Package, str]) -> None:
        names = ", ".join(f"{name} {version}" for name, version in reasons)
        super().__init__(
            f"{len(reasons)} packages could not be downloaded: {names}; run it again where the "
            f"package index can "
            f"be reached, or `spark train data` with --partial to go on without them "
            f"({next(iter(reasons.values()))})"
        )
        self.packages = tuple(reasons)


def packages_of(places: Iterable[PackageStretch]) -> list[Package]:
    """Return the packages that places stand in, by name, without the standard library."""
    packages = {(place.package, place.version) for place in places if place.package != PYTHON}
    return sorted(packages, key=_by_name)


def _by_name(package: Package) -> Package:
    name, version = package
    return name.lower(), version


def lacking(packages: Iterable[Package], folder: Path) -> list[Package]:
    """Return the packages that are not in the folder yet."""
    return [package for package in packages if not (folder / folder_name(*package)).is_dir()]


def fetch(
    packages: Iterable[Package], folder: Path, progress: Callable[[int, int, str], None]
) -> None:
    """Download and unpack what the folder lacks.

    Args:
        packages: The packages.
        folder: The folder of unpacked packages.
        progress: Called with how many are done, of how many, and the name of the next.

    Raises:
        NotFetched: Pip is missing, cannot reach the index, or knows no such version.
    """
    missing = lacking(packages, folder)
    folder.mkdir(parents=True, exist_ok=True)
    reasons: dict[Package, str] = {}
    failures_in_a_row = 0
    for done, package in enumerate(missing):
        if failures_in_a_row == _MOST_IN_A_ROW:
            reasons |= dict.fromkeys(missing[done:], "not tried")
            break
        progress(done, len(missing), " ".join(package))
        reason = _fetch_wheel(*package, folder)
        failures_in_a_row += 1
        if reason:
            reasons[package] = reason
        else:
            failures_in_a_row = 0
    if reasons:
        raise NotFetched(reasons)


def _fetch_wheel(name: str, version: str, folder: Path) -> str:
    """Download and unpack a wheel.

    Returns:
        The reason for a failure, or "".
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


def _reason(stderr: str) -> str:
    """Return the last line of pip that says something."""
    for line in reversed(stderr.splitlines()):
        text = line.removeprefix("ERROR: ").strip()
        if text and not line.startswith("WARNING"):
            return text
    return "pip gave no reason"


def unpack(wheel: Path, target: Path) -> None:
    """Unpack a wheel's Python files, all of them or none.

    Args:
        wheel: The file.
        target: The folder of the package, which is made.

    Raises:
        SparkError: The wheel is damaged, or the folder cannot be written.
    """
    # Unpacked beside the target and renamed: another run sees all of a package or nothing.
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
"""Tokens of an n-gram; GPT-3's filter for overlaps has as many (arXiv:2005.14165, appendix C)."""
SAMPLED = 16
"""One n-gram in so many is kept, which makes the list small enough to ship."""
_TOKEN = re.compile(r"\w+|[^\w\s]")


def ngram_hashes(lines: Iterable[str]) -> set[int]:
    """Return the 32-bit hashes of the sampled 13-grams of a stretch of code.

    Indentation and line breaks do not count.
    """
    tokens = _TOKEN.findall("\n".join(lines))
    hashes = set()
    for start in range(len(tokens) - LENGTH + 1):
        gram = " ".join(tokens[start : start + LENGTH])
        digest = hashlib.blake2b(gram.encode("utf-8", "replace"), digest_size=5).digest()
        number = int.from_bytes(digest)
        # The lowest byte draws the sample, the other four are the hash.
        if number % SAMPLED == 0:
            hashes.add(number >> 8)
    return hashes


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
"""Edits thought up with their words, edits that were there before their words, many to a region."""
OWN = "own.jsonl.gz"
"""Requests on code of our own, in many languages: lines of the file that is written."""
REMARKS = "remarks.jsonl.gz"
"""Sentences written without code in view: the author, 1 for a request or 0, the words."""
HELD = 40
"""One region in so many is held back; training reports the loss on them."""
CONVERSATIONS = "conversations.txt.gz"
"""Projects of our own, and the requests about them turn by turn (see `conversations`)."""
HELD_CONVERSATIONS = 12
"""One project in so many is held back."""
REMARKS_A_REGION = 4
"""About as many: reading the region once is most of their cost."""


def shipped() -> list[Path]:
    """Return the files of references in this checkout.

    Raises:
        UsageError: There are none, as in an installed spark.
    """
    files = [SHIPPED / name for name in WRITTEN]
    if not all(path.is_file() for path in files):
        raise UsageError(
            f"there are no references in {SHIPPED}: run it in a checkout, or give --references FILE"
        )
    return files


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
        NotFetched: A package cannot be downloaded.
        UsageError: A file holds no references.
    """
    references: list[Reference] = []
    by_file = []
    for path in args.references or shipped():
        by_file.append(read_references(path))
        references += by_file[-1]
    writes = args.train_command == "data"
    _fetch(references, args.packages, partial=writes and args.partial)
    if not writes:
        return 0
    stretches: list[ReferencedLines | MissingStretch] = []
    for file_references in by_file:
        stretches += resolve(file_references, args.packages)
    parts = _parts(lines_of(stretches), whole=not args.references)
    _write(args.out, parts, _summary(stretches, parts))
    return 0


def _parts(written: Sequence[Line], *, whole: bool) -> dict[str, list[Line]]:
    """Return the lines of each file, by the ending of its name.

    Args:
        written: The regions of references.
        whole: Whether there are more than these.
    """
    regions = [*written]
    if whole:
        regions += own()
    trained = [region for region in regions if not _is_held(region)]
    parts = {"": trained, "held": list(filter(_is_held, regions))}
    if whole:
        parts["remarks"] = remarks_on([region for region in written if not _is_held(region)])
        parts["again"] = list(asked_again(trained))
        parts |= conversations()
    return parts


def lines_of(stretches: Iterable[ReferencedLines | MissingStretch]) -> list[Line]:
    """Return the regions that are here, with every request.

    Regions that share code with the packages kept for evaluation are left out.
    """
    regions = []
    for stretch in stretches:
        if isinstance(stretch, ReferencedLines) and not leaks(stretch.lines):
            region = {
                "path": stretch.place.path,
                "code": "\n".join(stretch.lines),
                "requests": list(map(_request, stretch.asked)),
            }
            regions.append(region)
    return regions


def own() -> list[Line]:
    """Return the regions of our own, with their requests.

    Raises:
        UsageError: Not in a checkout.
    """
    return _read(OWN)


def conversations() -> dict[str, list[Line]]:
    """Make the requests of conversations, those of held-out projects apart.

    Raises:
        UsageError: Not in a checkout.
    """
    trained: list[Project] = []
    held: list[Project] = []
    for project in read_conversations(SHIPPED / CONVERSATIONS):
        if is_held_out(project, HELD_CONVERSATIONS):
            held.append(project)
        else:
            trained.append(project)
    return {
        "conversations": list(region_rows(trained)),
        "conversations.held": list(region_rows(held)),
    }


def remarks_on(lines: Sequence[Line]) -> list[Line]:
    """Return remarks about drawn regions, which get no edit; always the same ones.

    Args:
        lines: The regions to draw from.
    """
    remarks = [words for _, asks, words in _read(REMARKS) if not asks]
    count = min(len(lines), ceil(len(remarks) / REMARKS_A_REGION))
    regions = []
    for number, line in enumerate(Random(0).sample(lines, count)):
        # dealt in turn, as cards are: every region gets as many as the next
        requests = [{"words": words, "edits": []} for words in remarks[number::count]]
        regions.append({"path": line["path"], "code": line["code"], "requests": requests})
    return regions


def _read(name: str) -> list[Any]:
    try:
        with gzip.open(SHIPPED / name, "rt", encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError as e:  # as in an installed spark
        raise UsageError(
            f"there are no requests in {SHIPPED}: run it in a checkout of spark"
        ) from e


def _is_held(line: Line) -> bool:
    """Whether a region is held back: its code decides, so a region never changes sides."""
    return zlib.crc32(line["code"].encode()) % HELD == 0


def _write(out: Path, parts: Mapping[str, Sequence[Line]], summary: Mapping[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    for name, lines in parts.items():
        path = out
        if name:
            path = out.with_suffix(f".{name}{out.suffix}")
        with path.open("w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        say(f"{path}: {len(lines)} regions, {summary['requests'][name]} requests")
    text = json.dumps(summary, indent=1) + "\n"
    out.with_suffix(".summary.json").write_text(text, encoding="utf-8")
    for name, problem in summary["missing"].items():
        say(f"{name}: {problem}")


def _fetch(references: Sequence[Reference], folder: Path, *, partial: bool) -> None:
    packages = packages_of(reference.place for reference in references)
    try:
        fetch(packages, folder, _progress)
    except NotFetched as e:
        if not partial:
            raise
        say(f"going on: {e}")


def _request(request: RegionRequest) -> dict[str, Any]:
    entry: dict[str, Any] = {"words": request.words}
    if request.afters:
        entry["after"] = "\n".join(request.afters[0])
    else:
        entry["edits"] = []
    if request.selected:
        first, last = request.selected
        entry["selected"] = [first + 1, last + 1]
    return entry


def _summary(
    stretches: Sequence[ReferencedLines | MissingStretch], parts: Mapping[str, Sequence[Line]]
) -> dict[str, Any]:
    """Return what was written, the regions of each package, and what is missing."""
    packages: Counter[str] = Counter()
    missing = []
    for stretch in stretches:
        if isinstance(stretch, MissingStretch):
            missing.append(stretch)
        else:
            packages[f"{stretch.place.package} {stretch.place.version}"] += 1
    requests = {}
    for name, lines in parts.items():
        requests[name] = sum(len(line["requests"]) for line in lines)
    return {
        "regions": {name: len(lines) for name, lines in parts.items()},
        "requests": requests,
        "packages": {name: packages[name] for name in sorted(packages, key=str.lower)},
        "missing": missing_by_package(missing),
    }


def _progress(done: int, count: int, name: str) -> None:
    line = f"downloading {done + 1}/{count}: {visible(name)}"
    # a line for each package in a log; on a terminal one line that changes in place
    if not sys.stderr.isatty():
        line += "\n"
    else:
        line = f"\r\x1b[K{line}"
        if done + 1 == count:
            line += "\n"
    sys.stderr.write(line)
    sys.stderr.flush()


def say(text: str) -> None:
    """Write a line about the progress to stderr."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
