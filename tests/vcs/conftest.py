"""A small repository with a commit, and a state directory beside it."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.vcs.benches import Bench
from tests.vcs.repos import make_repo


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repo(
        tmp_path / "work", {"a.py": b"one\ntwo\nthree\n", "pkg/b.py": b"x = 1\r\ny = 2\r\n"}
    )


@pytest.fixture
def repo(root: Path) -> Repository:
    return Repository.discover(root)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def told() -> list[str]:
    """What is said to the user."""
    return []


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Bench]:
    """As many as are wanted, each in a folder of its own."""
    return (Bench(tmp_path / str(number)) for number in count())


@pytest.fixture
def batches(repo: Repository, state_dir: Path) -> Batches:
    return Batches(repo, state_dir)
