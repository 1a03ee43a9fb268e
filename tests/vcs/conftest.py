"""A small repository with a commit, and a state directory beside it."""

from pathlib import Path

import pytest

from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import make_repo


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "work", {"a.py": b"one\ntwo\nthree\n", "pkg/b.py": b"x = 1\r\ny = 2\r\n"})


@pytest.fixture
def repo(root: Path) -> Repository:
    return Repository.discover(root)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def batches(repo: Repository, state_dir: Path) -> Batches:
    return Batches(repo, state_dir)
