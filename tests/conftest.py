"""What holds for every test: a slow machine is no failure, and neither the clock nor chance decides
anything.

`--hypothesis-profile=exploring` lets chance in: other examples on every run, to look for what the
fixed ones miss.
"""

import gc
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from tests import without_linux
from tests.folding_disk import folding_disk

settings.register_profile("exploring", deadline=None)
settings.register_profile("unhurried", deadline=None, derandomize=True)
settings.load_profile("unhurried")
os.environ.setdefault(
    "SPARK_KERNELS", "numpy"
)  # to compile takes many times as long as a tiny model does
os.environ.setdefault("SPARK_TYPES", "false")  # what is installed here would else change messages

# What is compiled is kept also where Python was told not to: each of the hundreds of processes that
# tests start would compile spark anew, and each worker would rewrite the assertions of all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if without_linux.is_asked_for(sys.argv):
    without_linux.take_away()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        without_linux.OPTION,
        action="store_true",
        help="run the tests as on a Mac, see tests/without_linux.py",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Leave most of a product of parameters to the long runs, as its mark `every` says."""
    numbers: dict[str, Iterator[int]] = defaultdict(count)
    for item in items:
        if mark := item.get_closest_marker("every"):
            number = next(numbers[item.nodeid.partition("[")[0]])
            if number % mark.args[0]:
                item.add_marker(pytest.mark.exhaustive)
    _skip_what_is_of_linux(items)


def _skip_what_is_of_linux(items: Sequence[pytest.Item]) -> None:
    if not without_linux.is_asked_for():
        return
    for item in items:
        name = getattr(item, "originalname", item.name)
        if reason := without_linux.SKIPPED.get(name):
            item.add_marker(pytest.mark.skip(reason))


def pytest_collection_finish() -> None:
    """Keep what was collected, which stays to the end, from the garbage collector's rounds."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print, without Linux, what is left out there and why."""
    if not without_linux.is_asked_for():
        return
    terminalreporter.section("left out without Linux")
    for name, reason in without_linux.SKIPPED.items():
        terminalreporter.line(f"{name}: {reason}")


@pytest.fixture(autouse=True)
def _steady_drafts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draft as if passes cost what they are taken to cost before they were measured: always the
    same passes.
    """
    if "engine" not in request.path.parts:
        monkeypatch.setattr("spark_tui.engine.speculative.Drafter.ran", lambda *_: None)


@pytest.fixture(scope="session")
def code_folder(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of compiled code: whoever comes first compiles for all, and for the next runs.

    The code lies in pytest's cache; what else is kept beside it goes with this run.
    """
    from spark_tui.engine.backend import Backend, fingerprint, why_not_compiled

    if reason := why_not_compiled():
        pytest.skip(reason)
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the one of all workers
    folder = folder / "cache" / "spark" / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    cache = getattr(pytestconfig, "cache", None)
    if cache is None:  # -p no:cacheprovider
        Backend(folder=folder).build()
        return folder
    kept = cache.mkdir("kernels")
    for older in kept.iterdir():
        if older.is_dir() and older.name != fingerprint():
            shutil.rmtree(older, ignore_errors=True)
    Backend(folder=kept).build()
    with suppress(FileExistsError):
        (folder / fingerprint()).symlink_to(kept / fingerprint())
    return folder


@pytest.fixture(params=[False, True], ids=["accents stay", "accents apart"])
def folding_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system that ignores case, as Macs have it."""
    (tmp_path / "below").mkdir()
    (tmp_path / "folding").mkdir()
    disk = folding_disk(tmp_path / "below", tmp_path / "folding", decomposes=request.param)
    try:
        with disk as folder:
            yield folder
    except PermissionError as e:
        pytest.skip(f"needs FUSE, and the right to mount: {e}")
