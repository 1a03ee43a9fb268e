"""Tasks in threads of their own, with a model in this process that the user works with, too."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from spark_tui.config import Settings
from spark_tui.errors import UsageError
from spark_tui.session.session import Session
from spark_tui.stop_signal import StopSignal, current_signal
from spark_tui.tasks.background import BackgroundTasks
from spark_tui.tasks.background_task import BackgroundTask
from spark_tui.tasks.request import TaskRequest, read_request
from spark_tui.tasks.views import TaskState
from spark_tui.vcs.repository import Repository
from tests.providers.chat_models import chat_model
from tests.tasks.scripts import DONE, MEND
from tests.vcs.repos import tree, write_files

ANSWERS = {"test_area.py": MEND, "Changed: shapes/area.py.": DONE}


@pytest.fixture
def session(root: Path, tmp_path: Path) -> Iterator[Session]:
    loaded = chat_model(tmp_path / "model", ANSWERS)
    session = Session(Repository.discover(root), loaded, tmp_path / "state")
    yield session
    session.close()


@pytest.fixture
def tasks(session: Session) -> Iterator[BackgroundTasks]:
    tasks = BackgroundTasks(session, Settings())
    yield tasks
    tasks.close()


def ended(task: BackgroundTask) -> TaskState:
    """How a task ended."""
    task.wait(60)
    return task.state


def test_a_task_shares_the_weights_of_the_users_model_and_no_cache(
    tasks: BackgroundTasks, session: Session, root: Path
) -> None:
    before = tree(root)
    length = session.host.cache.length
    task = tasks.begin(TaskRequest("mend the area"))
    assert ended(task) is TaskState.DONE
    assert session.host.cache.length == length
    assert tree(root) == before
    words, changes, notes = tasks.review(task.id)
    assert words == f"task {task.id}: mend the area"
    assert [change.path for change in changes] == ["shapes/area.py"]
    assert notes == []
    (view,) = tasks.views()
    assert (view.state, view.last_words) == (TaskState.DONE, "All is well.")


def test_what_is_done_goes_on_with_words_alone(tasks: BackgroundTasks) -> None:
    task = tasks.begin(TaskRequest("mend the area"))
    assert ended(task) is TaskState.DONE
    with pytest.raises(UsageError, match="is done"):
        tasks.resume(task.id)
    again = tasks.resume(task.id, "and say so")
    ended(again)
    assert "and say so" in [step.reply for step in again.log.steps]


def test_a_task_that_is_stopped_before_its_end_is_interrupted_and_goes_on(
    tasks: BackgroundTasks, session: Session
) -> None:
    task = tasks.begin(TaskRequest("mend the area"))
    task.pause()
    task.stop()
    assert ended(task) is TaskState.INTERRUPTED
    others = BackgroundTasks(session, Settings())
    assert [view.state for view in others.views()] == [TaskState.INTERRUPTED]
    assert ended(others.resume(task.id)) is TaskState.DONE
    others.close()
    tasks.drop(task.id)
    assert tasks.views() == ()


def test_a_task_shares_what_the_words_name(tasks: BackgroundTasks, session: Session) -> None:
    write_files(session.repo.root, {".gitignore": b"lib\nown\n", "lib/a": b"1\n", "own/a": b"1\n"})
    request = read_request("--share lib --share own mend the area")
    assert request.shared == ("lib", "own")
    task = tasks.begin(request)
    assert ended(task) is TaskState.DONE
    assert task.log.spec.shared == ("lib", "own")


def test_a_list_of_tasks_is_without_what_a_kill_left(
    tasks: BackgroundTasks, session: Session
) -> None:
    task = tasks.begin(TaskRequest("mend the area"))
    assert ended(task) is TaskState.DONE
    task.log.drop()
    assert tasks.views() == ()
    assert list(session.tasks_folder.iterdir()) == []


@pytest.mark.parametrize("action", ["pause", "stop", "redirect"])
def test_what_stops_a_task_asks_the_forward_pass_of_its_model_to_end_soon(
    tasks: BackgroundTasks, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    signals: list[StopSignal | None] = []
    began = threading.Event()
    goes_on = threading.Event()

    def held(*_args: object, **_options: object) -> NoReturn:
        signals.append(current_signal.get())
        began.set()
        assert goes_on.wait(20)
        raise UsageError("enough was seen")

    monkeypatch.setattr("spark_tui.providers.chat_model.generate", held)
    task = tasks.begin(TaskRequest("mend the area"))
    assert began.wait(20)
    [signal] = signals
    assert signal is not None
    assert not signal.is_set()
    if action == "pause":
        task.pause()
    elif action == "stop":
        task.stop()
    else:
        task.redirect("in both places")
    assert signal.is_set()
    goes_on.set()
    task.stop()
    task.wait(20)
