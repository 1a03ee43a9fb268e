from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spark_tui.tui.screens import file_watch
from tests.fakes import edit_script
from tests.tui.keyboards import ENCODINGS
from tests.tui.support import LOAD, WIDEN, WIDER, Stage
from tests.tui.walking import Seen, User


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture(autouse=True)
def _looks_at_no_file_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown must not depend on how long a test takes; `test_watching.py` looks often."""
    monkeypatch.setattr(file_watch, "LOOK_S", 3600.0)


@pytest.fixture
def wide(tmp_path: Path) -> Stage:
    """A stage whose model changes three lines next to each other."""
    return Stage(tmp_path, scripts={WIDEN: edit_script(LOAD, WIDER)})


@pytest.fixture
def user(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[User]:
    """Someone at a keyboard of the kind that is asked for."""
    with closing(User(tmp_path / "f", ENCODINGS[getattr(request, "param", "legacy")])) as user:
        user.until(Seen())
        yield user


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A stage whose engine is let go at the end, whatever the test left running."""
    stage = Stage(tmp_path)
    yield stage
    stage.close()
