"""How often the place of a request is found in a whole package, by the words alone.

`python examples/measures/places.py [--every N] [CASES...]`, where `spark train fetch` has brought
the packages. Each case stands in its package as its writer saw it, and the user is nowhere.

`python examples/measures/places.py --repositories FOLDER` asks the requests of `places.jsonl`
instead, which are about configuration, documents, tests and code. FOLDER holds git repositories by
the names in that file: source distributions from PyPI, and todoman, devmoji and nq from GitHub.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
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
REQUESTS = Path(__file__).with_suffix(".jsonl")
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


@dataclass(frozen=True, slots=True)
class SoughtLines:
    """Words, and the lines of a repository that they are about, from 1.

    Attributes:
        kind: What the lines are: config, docs, test, source, or a development request.
    """

    root: Path
    path: str
    first: int
    last: int
    words: str
    kind: str

    def meets(self, region: Region) -> bool:
        """Whether a region holds some of the lines."""
        is_here = region.path == self.path
        return is_here and region.start_line <= self.last and region.end_line >= self.first


def development_requests(
    cases: Sequence[PlacedCase], checkouts: Checkouts
) -> Iterator[SoughtLines]:
    """Put each case into its package, and yield what is sought there."""
    for case in cases:
        root = checkouts.of(case)
        last = case.place.first + len(case.lines) - 1
        yield SoughtLines(root, case.place.path, case.place.first, last, case.words, "development")


def repository_requests(repositories: Path) -> Iterator[SoughtLines]:
    """Read the requests about whole repositories."""
    for line in REQUESTS.read_text().splitlines():
        fields = json.loads(line)
        root = repositories / fields.pop("repo")
        yield SoughtLines(root, **fields)


def rank_of(sought: SoughtLines, model: SparkModel) -> int | None:
    """Return the rank of the right place, from 1, or None where the list lacks the place."""
    index = PlaceIndex(Repository.discover(sought.root))
    request = Request(sought.words)
    for _ in weigh(model, index, request):
        pass
    for rank, place in enumerate(index.ranked(request), 1):
        if sought.meets(place.region):
            return rank
    return None


def main() -> None:
    """Print the share of the requests whose place is among the first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth case")
    parser.add_argument("--model", default="spark-m")
    parser.add_argument("--repositories", type=Path, metavar="FOLDER")
    parser.add_argument("cases", nargs="*", type=Path, default=list(map(Path, DEVELOPMENT)))
    args = parser.parse_args()
    model = SparkModel(load(find_model(args.model), ready_backend(load_settings())))
    if args.repositories:
        measure(repository_requests(args.repositories), model)
        return
    packages = cache_dir() / "packages"
    cases = list(placed_cases(args.cases, packages))[:: args.every]
    with tempfile.TemporaryDirectory() as folder:
        measure(development_requests(cases, Checkouts(Path(folder), packages)), model)


def measure(requests: Iterable[SoughtLines], model: SparkModel) -> None:
    """Print the rank of each right place, and the shares by kind."""
    ranks: dict[str, list[int | None]] = {}
    for sought in requests:
        rank = rank_of(sought, model)
        ranks.setdefault(sought.kind, []).append(rank)
        print(json.dumps({"words": sought.words, "path": sought.path, "rank": rank}), flush=True)
    for kind, found in ranks.items():
        for first in FIRST:
            among = sum(rank is not None and rank <= first for rank in found)
            print(f"{kind}, among the first {first}: {among} of {len(found)}")


if __name__ == "__main__":
    main()
