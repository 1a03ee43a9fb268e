"""Packages from the index, by name and version: downloaded with pip into a folder, their Python files unpacked.

Nothing of a package is installed or run.
"""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from spark_tui.errors import SparkError
from spark_tui.training.places import PYTHON, Place, folder_name

MADE_FOR = "3.11"
"""The Python whose files are asked for: the references were made with those."""
_DOWNLOAD = (
    "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "1", "--only-binary", ":all:",
    "--python-version", MADE_FOR,
)  # fmt: skip
_MOST_IN_A_ROW = 3
"""Failures after which the index is taken to be out of reach."""
Wanted = tuple[str, str]
"""A package's name and its version."""


class NotFetched(SparkError):
    """Packages that could not be had, each with the reason that pip gave."""

    def __init__(self, reasons: dict[Wanted, str]) -> None:
        names = ", ".join(f"{name} {version}" for name, version in reasons)
        super().__init__(
            f"{len(reasons)} packages could not be downloaded: {names}; run it again where the package index can "
            f"be reached, or `spark train data` with --partial to go on without them ({next(iter(reasons.values()))})"
        )
        self.packages = tuple(reasons)


def wanted(places: Iterable[Place]) -> list[Wanted]:
    """The packages that places stand in, by name; the standard library need not be fetched."""
    found = {(one.package, one.version) for one in places if one.package != PYTHON}
    return sorted(found, key=lambda one: (one[0].lower(), one[1]))


def lacking(packages: Iterable[Wanted], folder: Path) -> list[Wanted]:
    """Those that are not in the folder yet."""
    return [one for one in packages if not (folder / folder_name(*one)).is_dir()]


def fetch(packages: Iterable[Wanted], folder: Path, progress: Callable[[int, int, str], None]) -> None:
    """Download and unpack what the folder lacks.

    Args: progress: told how many are done, of how many, and the name of the next.
    Raises: NotFetched: pip is missing, cannot reach the index, or knows no such version.
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
        reason = _fetch(*one, folder)
        in_a_row = in_a_row + 1 if reason else 0
        reasons |= {one: reason} if reason else {}
    if reasons:
        raise NotFetched(reasons)


def _fetch(name: str, version: str, folder: Path) -> str:
    """Returns: why it could not be had, or nothing."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as scratch:
        command = [sys.executable, "-m", "pip", *_DOWNLOAD, "--dest", scratch, f"{name}=={version}"]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            return _reason(done.stderr)
        unpack(wheels[0], folder / folder_name(name, version))
    return ""


def _reason(said: str) -> str:
    lines = [line.removeprefix("ERROR: ").strip() for line in said.splitlines() if not line.startswith("WARNING")]
    return next((line for line in reversed(lines) if line), "pip gave no reason")


def unpack(wheel: Path, target: Path) -> None:
    """Put a wheel's Python files where a package's folder is to be, all of them or none. Raises: SparkError."""
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
