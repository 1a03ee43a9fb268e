"""What the user says while a task works, and steps that are gone back from."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from spark_tui.errors import Transient, UsageError
from spark_tui.tasks.events import (
    CommandStarted,
    StepEnded,
    StepStarted,
    StepText,
    TaskEnded,
    TaskEvent,
    TaskStarted,
    TaskWaits,
)
from spark_tui.tasks.log import REDIRECTED, Budget, TaskLog
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task, TaskModel, verdict
from spark_tui.tasks.tools import RunRules
from tests.tasks.scripts import (
    CHECK,
    DONE,
    FILES,
    FROM_WORSE,
    MAKE,
    MEND,
    READ,
    WORSE,
    ScriptedTalker,
    command,
    open_task,
    worked,
)
from tests.vcs.repos import git, tree

RIGHT = {"shapes/area.py": b"def area(w, h):\n    return w * h\n"}
Events = Generator[TaskEvent, None, None]


def changed(log: TaskLog, task: Task) -> dict[str, bytes | None]:
    """The files that a task changed, as they are behind it."""
    return {change.path: change.after for change in changes_of(log, task.worktree).files}


def until(events: Events, wanted: Callable[[TaskEvent], bool]) -> TaskEvent:
    """Have events happen up to one."""
    return next(event for event in events if wanted(event))


def is_ended(number: int) -> Callable[[TaskEvent], bool]:
    return lambda event: isinstance(event, StepEnded) and event.number == number


def is_writing(event: TaskEvent) -> bool:
    return isinstance(event, StepText)


def test_a_half_answer_stays_and_the_words_come_behind_it(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([READ, WORSE, MEND, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    until(events, is_ended(1))
    half = until(events, is_writing)
    assert isinstance(half, StepText)
    task.redirect("multiply instead")
    settled = next(events)
    assert isinstance(settled, StepEnded)
    assert (settled.number, settled.kind, settled.title) == (2, REDIRECTED, "multiply instead")
    list(events)
    assert changed(log, task) == RIGHT
    *_, answer, said = talker.read[-2]
    assert (answer["role"], answer["content"]) == ("assistant", half.text)
    assert said["role"] == "user"
    assert said["content"].endswith("multiply instead")
    assert "nothing of this message was carried out" in said["content"]
    assert [step.kind for step in store.find(log.id).steps] == ["read", REDIRECTED, "edit", "done"]


def test_words_before_any_answer_go_behind_what_the_model_read_last(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([MEND, DONE])
    task = open_task(store, log, talker)
    task.redirect("and take care")
    task.redirect("of the docs")
    worked(task)
    first = talker.read[0]
    assert [message["role"] for message in first] == ["system", "user"]
    assert first[1]["content"].startswith("The task: mend")
    assert first[1]["content"].endswith("and take care\n\nof the docs")
    assert changed(log, task) == RIGHT


def test_roles_alternate_however_often_the_user_speaks(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([READ, READ, MEND, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    for number in range(1, 8):
        event = next(events, None)
        if event is None:
            break
        task.redirect(f"word {number}")
    list(events)
    for messages in talker.read:
        roles = [message["role"] for message in messages[1:]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        assert all(message["content"] for message in messages)


def test_a_redirect_while_a_command_runs_ends_it_and_settles_the_step(
    store: TaskStore, root: Path
) -> None:
    log = store.begin("mend", "scripted", check="sleep 600")
    task = open_task(store, log, ScriptedTalker([MEND, DONE, DONE]))
    events = task.events()
    until(events, lambda event: isinstance(event, TaskWaits))
    task.redirect("begin")
    until(events, is_writing)
    until(events, lambda event: isinstance(event, CommandStarted))
    until(events, lambda event: isinstance(event, TaskWaits))
    task.redirect("never mind the check")
    edited = next(events)
    assert isinstance(edited, StepEnded)
    assert edited.check is not None
    assert "stopped by the user" in edited.check.output
    assert edited.paths == ("shapes/area.py",)
    told = next(events)
    assert isinstance(told, StepEnded)
    assert told.kind == REDIRECTED
    events.close()
    assert changed(log, task) == RIGHT


def test_a_command_that_is_stopped_is_told_to_the_model(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([command("run sleep 600"), MEND, DONE])
    task = open_task(store, log, talker, RunRules(("sleep",)))
    events = task.events()
    until(events, lambda event: isinstance(event, CommandStarted))
    until(events, lambda event: isinstance(event, TaskWaits))
    task.redirect("do not wait")
    stopped = next(events)
    assert isinstance(stopped, StepEnded)
    assert (stopped.kind, stopped.problem) == ("run", "stopped by the user")
    list(events)
    assert "The user stopped it.\n\ndo not wait" in talker.read[1][-1]["content"]
    assert changed(log, task) == RIGHT


def test_a_task_that_is_done_goes_on_with_words(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([MEND, DONE, MAKE, DONE])
    task = worked(open_task(store, log, talker))
    assert status_of(log)[0] == "done"
    task.redirect("write docs/area.md, too")
    kinds = [type(event) for event in task.events()]
    assert (kinds[0], kinds[-1]) == (TaskStarted, TaskEnded)
    assert status_of(store.find(log.id)) == ("done", "done in 5 steps")
    assert changed(log, task) == {**RIGHT, "docs/area.md": b"# Area\n"}


def test_a_stubborn_model_may_try_again_once_the_user_spoke(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    task = worked(open_task(store, log, ScriptedTalker([READ, READ, READ, MEND, DONE])))
    assert status_of(log)[0] == "stopped"
    task.redirect("you have read it; now edit")
    worked(task)
    assert status_of(log)[0] == "done"
    assert changed(log, task) == RIGHT


@pytest.mark.parametrize("words", ["", " \n", "x" * 200_000])
def test_words_that_are_none_or_too_many_are_refused(store: TaskStore, words: str) -> None:
    task = open_task(store, store.begin("mend", "scripted"), ScriptedTalker([MEND, DONE]))
    with pytest.raises(UsageError):
        task.redirect(words)
    worked(task)
    assert [step.kind for step in task.log.steps] == ["edit", "done"]


def test_going_back_leads_to_the_files_behind_the_step_before_and_another_way(
    store: TaskStore, root: Path
) -> None:
    before = tree(root), git(root, "status", "--porcelain")
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([MAKE, WORSE, FROM_WORSE, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    until(events, is_ended(1))
    behind_first = tree(task.worktree.root)
    until(events, is_ended(2))
    (task.worktree.root / "litter.txt").write_text("of a command")
    assert task.back() == 1
    assert tree(task.worktree.root) == behind_first
    assert tree(root) == before[0]
    task.redirect("do not subtract")
    started = next(events)
    assert isinstance(started, TaskStarted)
    assert started.steps == 1
    list(events)
    assert "do not subtract" in talker.read[2][-1]["content"]
    assert [step.kind for step in log.steps] == ["edit", REDIRECTED, "edit", "edit", "done"]
    assert changed(log, task) == {**RIGHT, "docs/area.md": b"# Area\n"}
    assert (tree(root), git(root, "status", "--porcelain")) == before
    taken = [step.answer for step in store.find(log.id).taken]
    assert taken[:2] == [MAKE, WORSE], "the log keeps both ways"


def test_a_step_that_is_being_written_is_given_up_first(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    task = open_task(store, log, ScriptedTalker([WORSE, MAKE, DONE]))
    events = task.events()
    until(events, is_ended(1))
    until(events, is_writing)
    assert task.back() == 1
    assert [step.answer for step in log.steps] == [WORSE]
    assert task.back() == 0
    assert tree(task.worktree.root) == FILES
    with pytest.raises(UsageError, match="there is no such step"):
        task.back()
    started = next(events)
    assert isinstance(started, TaskStarted)
    assert started.steps == 0
    assert isinstance(next(events), StepStarted)


def test_what_runs_is_ended_by_going_back(store: TaskStore, tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    writes = f"run sh -c 'while sleep 0.02; do echo x >> {alive}; done'"
    log = store.begin("mend", "scripted")
    task = open_task(store, log, ScriptedTalker([command(writes)]), RunRules(("sh",)))
    events = task.events()
    until(events, lambda event: isinstance(event, CommandStarted))
    until(events, lambda event: isinstance(event, TaskWaits))
    assert task.back() == 0
    size = alive.stat().st_size if alive.exists() else 0
    events.close()
    assert (alive.stat().st_size if alive.exists() else 0) == size


def test_going_back_from_the_end_goes_on_from_there_in_another_process(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    worked(open_task(store, log, ScriptedTalker([WORSE, DONE])))
    again = open_task(store, store.find(log.id), ScriptedTalker([MEND, DONE]))
    with pytest.raises(UsageError, match="there is no such step"):
        again.back(3)
    assert again.back(2) == 0
    assert verdict(store.find(log.id)) is None
    assert store.find(log.id).steps == []
    worked(again)
    assert changed(again.log, again) == RIGHT


def test_steps_that_no_longer_count_were_paid_for(store: TaskStore) -> None:
    log = store.begin("mend", "scripted", budget=Budget(tokens=6))
    task = open_task(store, log, ScriptedTalker([WORSE, READ, DONE]))
    events = task.events()
    until(events, is_ended(2))
    assert task.back() == 1
    assert task.back() == 0
    ended = list(events)[-1]
    assert isinstance(ended, TaskEnded)
    assert "its budget of 6 tokens is used up" in ended.message
    assert store.find(log.id).tokens == 6


@pytest.mark.parametrize("end", ["stopped", "back", "redirected"])
def test_what_the_model_wrote_of_a_step_that_came_to_nothing_was_paid_for(
    store: TaskStore, end: str
) -> None:
    log = store.begin("mend", "scripted", budget=Budget(tokens=3))
    model = TaskModel("scripted", ScriptedTalker([WORSE, READ]), 32_768, cost=lambda: 0.25)
    task = store.open(log, model, RunRules(), ())
    events = task.events()
    until(events, is_ended(1))
    until(events, is_writing)
    if end == "back":
        task.back()
    elif end == "redirected":
        task.redirect("otherwise")
        next(events)
    events.close()
    kept = store.find(log.id)
    assert (kept.tokens, kept.cost) == (3, 0.5)
    ended = verdict(kept)
    assert ended is not None
    assert "its budget of 3 tokens is used up" in ended[1]


def test_nobody_goes_back_in_a_task_that_another_process_works_on(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    events = open_task(store, log, ScriptedTalker([MEND, DONE])).events()
    until(events, is_ended(1))
    other = open_task(store, store.find(log.id), ScriptedTalker([DONE]))
    with pytest.raises(Transient, match="at work"):
        other.back()
    events.close()
    assert other.back() == 0


def test_a_plan_can_be_changed_while_the_task_works(store: TaskStore) -> None:
    log = store.begin("mend", "scripted", plan=["mend the area", "write a poem"], check=CHECK)
    talker = ScriptedTalker([MEND, DONE, MAKE, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    until(events, is_ended(2))
    assert task.log.ticked == 1
    with pytest.raises(UsageError, match="nothing left to do"):
        task.replan(["mend the area"])
    task.replan(["mend the area", "write the docs"])
    list(events)
    assert store.find(log.id).spec.plan == ("mend the area", "write the docs")
    told = [message["content"] for message in talker.read[2]]
    assert "1. [x] mend the area\n2. [ ] write the docs" in told[-1]
    assert changed(log, task) == {**RIGHT, "docs/area.md": b"# Area\n"}
    assert status_of(log)[0] == "done"
