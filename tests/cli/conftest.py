"""A command line whose model writes known words, in a repository and a state folder of the
test's own.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from spark_tui.__main__ import main
from tests.cli.conversation import Begin
from tests.fakes import SURE, make_repo, scripted
from tests.providers.quoting_models import Answers, Script
from tests.tui.pseudo import Terminal


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def refuses(self, code: int, said: str = "") -> None:
        """It only says, in one line, why it does not do what was asked."""
        assert (self.code, self.out, len(self.err.splitlines())) == (code, "", 1)
        assert self.err.startswith("spark: ")
        assert said in self.err


Spark = Callable[..., Done]
MakeRepo = Callable[[Mapping[str, str | bytes]], Path]


class UseScripts(Protocol):
    """See the fixture, and `tests.fakes.scripted`."""

    def __call__(
        self, scripts: Mapping[str, Script], *, sure: float = SURE, answers: Answers | None = None
    ) -> None: ...


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folders, empty."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path / "xdg_state_home" / "spark"


@pytest.fixture
def spark(state: Path, capfd: pytest.CaptureFixture[str]) -> Spark:
    """Runs a command line in this process."""

    def run(*arguments: str | Path) -> Done:
        capfd.readouterr()
        code = main(list(map(str, arguments)))
        seen = capfd.readouterr()
        return Done(code, seen.out, seen.err)

    return run


@pytest.fixture
def on_terminal(state: Path) -> Iterator[Callable[..., Terminal]]:
    """Runs a command line in a process on a terminal of its own; it is ended when the test is."""
    assert not state.is_symlink()
    started: list[Terminal] = []

    def run(*arguments: str) -> Terminal:
        started.append(
            Terminal(sys.executable, "-m", "spark_tui", *arguments, size=(50, 100), shell=True)
        )
        return started[-1]

    yield run
    for terminal in started:
        terminal.close()


@pytest.fixture
def use_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UseScripts:
    """Makes every model the tiny one that writes these scripts."""

    def use(
        scripts: Mapping[str, Script], *, sure: float = SURE, answers: Answers | None = None
    ) -> None:
        loaded = scripted(tmp_path / "tiny", scripts, sure=sure, answers=answers)
        monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda name=None: loaded.path)
        monkeypatch.setattr("spark_tui.engine.loader.load", lambda path, backend=None: loaded)

    return use


@pytest.fixture
def repo(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Makes a committed repository of these files."""
    return lambda files: make_repo(tmp_path / "repo", files)


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Starts a conversation; it is ended when the test is."""
    started: list[Terminal] = []

    def begin(step_s: float = 0.0, editor: str = "true", *more: str) -> Terminal:
        monkeypatch.setenv("EDITOR", editor)
        monkeypatch.delenv("VISUAL", raising=False)
        command = (sys.executable, "-m", "tests.cli.plain_talk", str(tmp_path), str(step_s), *more)
        started.append(Terminal(*command, size=(200, 120), shell=True))
        started[0].until(started[0].shows("spark:"))
        return started[0]

    yield begin
    for terminal in started:
        terminal.close()
