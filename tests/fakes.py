"""Stand-ins for tests: git repositories, and sessions on a tiny model whose words are known."""

import os
import subprocess
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TypeVar

from spark_tui.editing.formats.quoted import RENAME, write_quoted
from spark_tui.engine.loader import LoadedModel
from spark_tui.providers.calibration import Calibration
from spark_tui.providers.registry import Models, ProviderHost
from spark_tui.session.ask import Questions
from spark_tui.session.locator import PlaceIndex
from spark_tui.session.request import Request
from spark_tui.session.session import Session
from spark_tui.session.succession import Succession
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.session.turn_store import SessionStore
from spark_tui.vcs.repository import Repository
from tests.providers.quoting_models import Answers, Script, quoting_model, write_quoting_model
from tests.vcs.repos import COMMIT, begin_repo

T = TypeVar("T")
SURE, UNSURE = 0.0, 1.1
"""How likely what counts as sure has to be: for a model that is always sure, and one that never
is.
"""


def edit_script(before: str, after: str) -> Script:
    """What the model would write to turn the region `before` into `after`."""
    return write_quoted(before.splitlines(), after.splitlines())


def rename_script(old: str, new: str) -> Script:
    """What the model would write to rename `old` to `new` in a region."""
    return [f"{RENAME}{old} {new}"]


def write_model(folder: Path, *, sure: float = SURE) -> Path:
    """Write a tiny model that quotes, for what reads its files: there it is random, and knows
    no script.
    """
    Calibration(sure=sure).write(write_quoting_model(folder))
    return folder


def scripted(
    folder: Path,
    scripts: Mapping[str, Script | None],
    before_step: Callable[[], None] | None = None,
    *,
    sure: float = SURE,
    answers: Answers | None = None,
) -> LoadedModel:
    """A loaded model that writes the given scripts; its files are written to `folder`.

    Args:
        See `QuotingModel`.
        sure: How likely what counts as sure has to be.
    """
    loaded = quoting_model(folder, scripts, before_step, answers=answers)
    Calibration(sure=sure).write(loaded.path)
    return loaded


class ScriptedSession(Session):
    def weigh(self, request: Request) -> Generator[None, None, None]:
        """How likely a random network finds the words means nothing."""
        yield from ()


class _PlainSession(ScriptedSession):
    speculate = False

    def left_over(self, turn: Turn) -> Generator[str | None, None, None]:
        """Nothing is looked at unseen: it would take the leave that a test gives to what is
        seen.
        """
        yield from ()


def scripted_session(
    folder: Path,
    files: Mapping[str, str | bytes],
    scripts: Mapping[str, Script | None],
    before_step: Callable[[], None] | None = None,
    sessions: SessionStore | None = None,
    *,
    sure: float = SURE,
    answers: Answers | None = None,
) -> Session:
    """A session in a new repository `folder/repo` with these files committed, on a model that
    writes the scripts.

    With a `before_step` it drafts nothing, so that the stream can be held at any token.

    Args:
        See `scripted`.
    """
    repo = Repository.discover(make_repo(folder / "repo", files))
    loaded = scripted(folder / "model", scripts, before_step, sure=sure, answers=answers)
    kind = _PlainSession if before_step else ScriptedSession
    return kind(repo, loaded, folder / "state", sessions=sessions)


def ended(turn: Turn) -> Turn:
    """A turn once it has come to its end."""
    list(turn.events())
    return turn


def proposed(turn: Turn) -> str:
    """The file as a turn would have it."""
    return turn.review.proposed.to_bytes().decode()


def returned(generator: Generator[object, None, T]) -> T:
    """What a generator comes to in the end."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            result: T = end.value
            return result


def git(folder: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Run git in a test's own repository, untouched by the configuration of whoever runs the
    tests.
    """
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    env |= {
        f"GIT_{who}_{what}": "t@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *args], cwd=folder, env=env, input=stdin, capture_output=True, check=True
    )
    return done.stdout


def make_repo(folder: Path, files: Mapping[str, str | bytes], *, commit: bool = True) -> Path:
    """A git repository with these files tracked (and committed)."""
    folder.mkdir(parents=True, exist_ok=True)
    begin_repo(folder)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "-A")
    if commit:
        git(folder, *COMMIT, "-q", "--allow-empty", "-m", "start")
    return folder


def lives(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def asking_on(repo: Repository, host: ProviderHost) -> Questions:
    """What asks the model of a host, and no other one."""
    succession = Succession(TurnFactory(repo, host), repo, Models(), "")
    return Questions(repo, succession, PlaceIndex(repo))
