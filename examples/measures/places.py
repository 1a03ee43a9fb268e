"""How often the place of a request is found in a whole package, by the words alone.

`python examples/measures/places.py [--every N] [CASES...]`, where `spark train fetch` has brought
the packages. Each case stands in its package as its writer saw it, and the user is nowhere.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_tui.cli.common import ready_backend
from spark_tui.config import cache_dir, load_settings
from spark_tui.context.regions import Region
from spark_tui.engine.loader import find_model, load
from spark_tui.providers.spark_model import SparkModel
from spark_tui.session.locator import PlaceIndex, weigh
from spark_tui.session.request import Request
from spark_tui.training.references import (
    Lines,
    MissingStretch,
    PackageStretch,
    folder_name,
    read_lines,
    read_references,
    resolve,
)
from spark_tui.vcs.repository import Repository

DEVELOPMENT = ("tests/blind/development.jsonl", "tests/blind/development2.jsonl")
FIRST = (1, 3, 6)
"""The ranks whose shares are printed."""


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A request in its package.

    Attributes:
        place: Where its lines stand in the package.
        lines: The lines as they are before the edit.
        words: The instruction.
        has_edit: Whether any edit is right.
    """

    place: PackageStretch
    lines: Lines
    words: str
    has_edit: bool


def placed_cases(files: Sequence[Path], packages: Path) -> Iterator[PlacedCase]:
    """Read the requests that refer to packages."""
    for file in files:
        for region in resolve(read_references(file), packages):
            if isinstance(region, MissingStretch):
                continue
            for asked in region.asked:
                yield PlacedCase(region.place, region.lines, asked.words, bool(asked.afters))


class Checkouts:
    """A git repository of each package, in one folder."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self._folder = folder
        self._packages = packages

    def of(self, case: PlacedCase) -> Path:
        """Return the root of a case's repository, with its lines in place."""
        name = folder_name(case.place.package, case.place.version)
        root = self._folder / name
        if not root.exists():
            shutil.copytree(self._packages / name, root)
            subprocess.run(["git", "-C", str(root), "init", "-q"], check=True)
        else:
            self._restore(name)
        self._write(root, case)
        return root

    def _restore(self, name: str) -> None:
        for source in (self._packages / name).rglob("*.py"):
            target = self._folder / name / source.relative_to(self._packages / name)
            if target.read_bytes() != source.read_bytes():
                shutil.copyfile(source, target)

    def _write(self, root: Path, case: PlacedCase) -> None:
        path = root / case.place.path
        lines = read_lines(path)
        before = case.place.first - 1
        after = before + case.place.count
        path.write_text("\n".join([*lines[:before], *case.lines, *lines[after:]]))


def is_right(region: Region, case: PlacedCase) -> bool:
    """Whether a region holds lines of the function that the case is about."""
    last = case.place.first + len(case.lines) - 1
    if region.path != case.place.path:
        return False
    return region.start_line <= last and region.end_line >= case.place.first


def rank_of(case: PlacedCase, root: Path, model: SparkModel) -> int | None:
    """Return the rank of the right place, from 1, or None where the list lacks the place."""
    index = PlaceIndex(Repository.discover(root))
    request = Request(case.words)
    for _ in weigh(model, index, request):
        pass
    for rank, place in enumerate(index.ranked(request), 1):
        if is_right(place.region, case):
            return rank
    return None


def main() -> None:
    """Print the share of the requests whose place is among the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth case")
    parser.add_argument("--model", default="spark-m")
    parser.add_argument("cases", nargs="*", type=Path, default=list(map(Path, DEVELOPMENT)))
    args = parser.parse_args()
    packages = cache_dir() / "packages"
    model = SparkModel(load(find_model(args.model), ready_backend(load_settings())))
    ranks = list[int | None]()
    with tempfile.TemporaryDirectory() as folder:
        checkouts = Checkouts(Path(folder), packages)
        for case in list(placed_cases(args.cases, packages))[:: args.every]:
            ranks.append(rank_of(case, checkouts.of(case), model))
            facts = {"words": case.words, "path": case.place.path, "rank": ranks[-1]}
            print(json.dumps(facts), flush=True)
    for first in FIRST:
        found = sum(rank is not None and rank <= first for rank in ranks)
        print(f"among the first {first}: {found} of {len(ranks)}")


if __name__ == "__main__":
    main()
