"""A server that fails for a moment does not end a task, and a call of a tool is no step."""

from collections.abc import Sequence

import pytest

from spark_tui.errors import ToolCalled, Transient, UsedUp
from spark_tui.providers.base import Message, Speech, TokenGenerated
from spark_tui.tasks.outcome import status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task, TaskModel
from spark_tui.tasks.tools import RunRules
from tests.tasks.scripts import DONE, MEND, ScriptedTalker, worked


class FailingTalker(ScriptedTalker):
    """Fails at some requests, after the first half of what it writes.

    Args:
        steps: What it writes.
        errors: By the number of the request.
    """

    def __init__(self, steps: Sequence[str], errors: dict[int, Exception]) -> None:
        super().__init__(steps)
        self._errors = errors

    def talk(self, messages: Sequence[Message], *, most: int) -> Speech:
        speech = super().talk(messages, most=most)
        error = self._errors.get(len(self.read) - 1)
        return speech if error is None else self._fail(error)

    def _fail(self, error: Exception) -> Speech:
        yield TokenGenerated(0, -1, b"shapes/area.py\n<<<<<<< SEARCH\n")
        raise error


def opened(store: TaskStore, talker: FailingTalker, pauses: Sequence[float]) -> Task:
    log = store.begin("mend", "scripted")
    model = TaskModel("scripted", talker, 32_768)
    return store.open(log, model, RunRules(), (), pauses=pauses)


@pytest.mark.parametrize("failing", [(0,), (1,), (0, 1), (0, 2, 3)])
def test_a_server_that_fails_is_asked_again(store: TaskStore, failing: tuple[int, ...]) -> None:
    talker = FailingTalker([MEND, DONE], dict.fromkeys(failing, Transient("it broke off")))
    task = worked(opened(store, talker, (0.0, 0.0)))
    assert status_of(task.log) == ("done", "done in 2 steps")
    assert [step.answer for step in task.log.steps] == [MEND, DONE]
    assert len(talker.read) == 2 + len(failing)


def test_a_server_that_fails_again_and_again_ends_the_work(store: TaskStore) -> None:
    talker = FailingTalker([MEND], dict.fromkeys(range(9), Transient("it broke off")))
    with pytest.raises(Transient, match="it broke off"):
        worked(opened(store, talker, (0.0, 0.0)))
    assert len(talker.read) == 3


def test_a_quota_that_is_used_up_ends_the_work_at_once(store: TaskStore) -> None:
    talker = FailingTalker([MEND], dict.fromkeys(range(9), UsedUp("no quota left")))
    with pytest.raises(UsedUp, match="no quota left"):
        worked(opened(store, talker, (0.0, 0.0)))
    assert len(talker.read) == 1


def test_a_call_of_a_tool_is_told_to_the_model(store: TaskStore) -> None:
    talker = FailingTalker([DONE, MEND, DONE], {0: ToolCalled("it called a tool")})
    task = worked(opened(store, talker, ()))
    assert [step.kind for step in task.log.steps] == ["malformed", "edit", "done"]
    assert "you called a tool" in talker.replies[0]
