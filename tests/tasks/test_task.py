"""The loop of a task: what right, wrong, stubborn and malformed models come to, and read."""

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from spark_tui.errors import RepoError, Transient, UsageError
from spark_tui.providers.base import Speech, Thought, TokenGenerated
from spark_tui.tasks.events import CommandStarted, StepEnded, StepText, TaskEnded, TaskStarted
from spark_tui.tasks.log import Budget
from spark_tui.tasks.outcome import changes_of, status_of
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.task import Task, verdict
from spark_tui.tasks.tools import RunRules
from tests.tasks.conftest import Work
from tests.tasks.scripts import (
    CHECK,
    DONE,
    FROM_WORSE,
    MAKE,
    MEND,
    READ,
    WORSE,
    ScriptedTalker,
    command,
    edit,
    open_task,
    worked,
)
from tests.vcs.repos import git, tree


def changed(task: Task) -> dict[str, bytes | None]:
    """The files that a task changed, as they are behind it."""
    changes = changes_of(task.log, task.worktree)
    return {change.path: change.after for change in changes.files}


RIGHT = {"shapes/area.py": b"def area(w, h):\n    return w * h\n"}


def test_a_right_model_is_done_when_it_says_so_and_the_check_passes(work: Work, root: Path) -> None:
    before = tree(root), git(root, "status", "--porcelain")
    task, talker = work(READ, MEND, DONE, check=CHECK)
    assert status_of(task.log) == ("done", "done in 3 steps")
    assert changed(task) == RIGHT
    assert task.log.check is not None
    assert task.log.check.ok
    assert (tree(root), git(root, "status", "--porcelain")) == before
    system, first, read, shown, _, edited = talker.read[-1]
    assert "<<<<<<< SEARCH" in system["content"]
    assert "mend the area" in first["content"]
    assert "the area is wrong" in first["content"]
    assert "shapes/area.py" in first["content"]
    assert read["content"] == READ
    assert "return w + h" in shown["content"]
    assert "Changed: shapes/area.py." in edited["content"]
    assert "passes" in edited["content"]


def test_a_wrong_model_is_told_what_fails_and_is_not_done_before_that_passes(work: Work) -> None:
    task, talker = work(WORSE, DONE, FROM_WORSE, DONE, check=CHECK)
    assert status_of(task.log)[0] == "done"
    assert changed(task) == RIGHT
    told = [message["content"] for message in talker.read[-1][3::2]]
    assert "fails" in told[0]
    assert "the area is wrong" in told[0]
    assert told[1].startswith("It is not done")


def test_a_model_that_never_gets_there_uses_up_its_steps(work: Work) -> None:
    back = edit("shapes/area.py", "    return w - h\n", "    return w + h\n")
    steps = [WORSE, back] * 10
    task, _ = work(*steps, check=CHECK, budget=Budget(steps=5))
    assert (len(task.log.steps), status_of(task.log)[0]) == (5, "stopped")
    assert "its budget of 5 steps is used up" in status_of(task.log)[1]


@pytest.mark.parametrize(
    "step",
    [READ, DONE, "I cannot do that.", edit("shapes/area.py", "not there\n", "x\n"), MAKE + READ],
)
def test_a_stubborn_model_is_stopped_at_the_third_time(work: Work, step: str) -> None:
    task, _ = work(step)
    assert (len(task.log.steps), status_of(task.log)[0]) == (3, "stopped")
    assert "the same step 3 times" in status_of(task.log)[1]
    assert changed(task) == {}


def test_a_model_that_goes_in_circles_is_stopped_too(work: Work) -> None:
    task, _ = work(*[READ, "```\nlist\n```", "```\nsearch area\n```"] * 5)
    assert (len(task.log.steps), status_of(task.log)[0]) == (7, "stopped")


def test_the_same_step_on_other_files_is_no_stubbornness(work: Work) -> None:
    steps = [READ, MAKE, READ, MEND, READ, DONE]
    task, _ = work(*steps, READ)
    assert status_of(task.log)[0] == "done"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("", "the message is empty"),
        ("Let me think.", "the message holds no block"),
        (READ + READ, "several commands"),
        (MEND + READ, "an edit and a command"),
        (edit("shapes/area.py", "not there\n", "x\n"), "its lines occur nowhere"),
        (edit("shapes/aera.py", "    return w + h\n", "x\n"), "no such file"),
        (edit("report.py", "", "x\n"), "already exists"),
        (MEND.replace(">>>>>>> REPLACE\n", ""), "cut off"),
        ("```\nread nowhere.py\n```", "there is no file nowhere.py"),
        ("```\nread report.py:9-1\n```", "read PATH:FIRST-LAST"),
        ("```\nrun pytest\n```", "no command is allowed"),
    ],
)
def test_a_malformed_step_gets_a_sentence_back_and_changes_nothing(
    work: Work, step: str, told: str
) -> None:
    task, talker = work(step, MEND, DONE)
    assert told in talker.read[1][-1]["content"]
    assert changed(task) == RIGHT


def test_what_fits_is_carried_out_and_the_rest_is_told(work: Work) -> None:
    task, talker = work(MEND + edit("report.py", "nowhere\n", "x\n"), DONE)
    assert changed(task) == RIGHT
    assert "Changed: shapes/area.py." in talker.last_reply
    assert "Not carried out: a block for report.py" in talker.last_reply


def test_a_file_that_is_there_and_no_text_is_told_as_such(work: Work, root: Path) -> None:
    (root / "image.dat").write_bytes(b"\xff\x00\xfe")
    _, talker = work(edit("image.dat", "nowhere\n", "x\n"), DONE)
    told = talker.read[1][-1]["content"]
    assert "a block for image.dat: it is too large, or no text" in told


def test_an_edit_that_breaks_a_file_is_told(work: Work) -> None:
    _, talker = work(edit("shapes/area.py", "    return w + h\n", "    return (w\n"), DONE)
    assert "Now broken: shapes/area.py" in talker.last_reply


def test_files_keep_their_line_endings_and_are_made_and_deleted(work: Work) -> None:
    notes = edit("notes.txt", "first\n", "one\n")
    task, _ = work(notes + MAKE + "report.py\n<<<<<<< DELETE\n", DONE)
    assert changed(task) == {
        "notes.txt": b"one\r\nsecond",
        "docs/area.md": b"# Area\n",
        "report.py": None,
    }


def test_an_answer_that_is_cut_is_no_step(store: TaskStore) -> None:
    class Cut(ScriptedTalker):
        def _say(self, pieces: Sequence[str]) -> Speech:
            yield from super()._say(pieces)
            return len(self.read) > 1

    talker = Cut([MEND, MEND, DONE])
    task = worked(open_task(store, store.begin("mend", "scripted"), talker))
    assert "cut off after 2 tokens" in talker.read[1][-1]["content"]
    assert changed(task) == RIGHT


def test_thoughts_count_and_are_no_part_of_a_step(store: TaskStore) -> None:
    class Thinks(ScriptedTalker):
        def _say(self, pieces: Sequence[str]) -> Speech:
            yield Thought(0, "```\nread report.py\n```", 7)
            return (yield from super()._say(pieces))

    task = worked(open_task(store, store.begin("mend", "scripted"), Thinks([MEND, DONE])))
    assert [(step.kind, step.tokens) for step in task.log.steps] == [("edit", 9), ("done", 9)]


def test_bytes_that_are_no_text_do_no_harm(store: TaskStore) -> None:
    class Garbles(ScriptedTalker):
        def _say(self, pieces: Sequence[str]) -> Speech:
            yield TokenGenerated(0, -1, b"\xff\xfe\x00")
            return (yield from super()._say(pieces))

    task = worked(open_task(store, store.begin("mend", "scripted"), Garbles([MEND, DONE])))
    assert changed(task) == RIGHT


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(tokens=3), "its budget of 3 tokens is used up"),
        (Budget(seconds=1e-9), "its budget of 1e-09 seconds is used up"),
        (Budget(steps=1), "its budget of 1 steps is used up"),
    ],
)
def test_a_budget_that_is_used_up_stops_the_task_and_a_new_one_goes_on(
    store: TaskStore, budget: Budget, told: str
) -> None:
    talker = ScriptedTalker([READ, MEND, DONE])
    log = store.begin("mend", "scripted", budget=budget)
    task = worked(open_task(store, log, talker))
    assert told in status_of(log)[1]
    task.log.renew(Budget())
    again = worked(open_task(store, store.find(log.id), talker))
    assert status_of(again.log)[0] == "done"
    assert changed(again) == RIGHT


@pytest.mark.parametrize("given", [{"steps": 0}, {"tokens": -1}, {"seconds": 0.0}, {"cost": -1.0}])
def test_a_budget_that_is_none_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"--{next(iter(given))}"):
        Budget(**given)  # type: ignore[arg-type]


def test_a_plan_is_ticked_off_item_by_item(work: Work) -> None:
    plan = ["mend the area", "write the docs", "say so"]
    task, talker = work(MEND, DONE, MAKE, DONE, DONE, plan=plan, check=CHECK)
    assert status_of(task.log)[0] == "done"
    assert changed(task) == {**RIGHT, "docs/area.md": b"# Area\n"}
    told = [message["content"] for message in talker.read[-1]]
    assert "1. [ ] mend the area" in told[1]
    assert "1. [x] mend the area\n2. [ ] write the docs" in told[5]
    assert "Do item 3 now" in told[9]


def test_messages_that_outgrow_the_context_lose_the_oldest_outcomes_first(
    store: TaskStore, root: Path
) -> None:
    lines = [f"line {number} of a long file\n" for number in range(400)]
    (root / "long.txt").write_text("".join(lines))
    reads = [f"```\nread long.txt:{first}-{first + 150}\n```" for first in range(1, 200, 20)]
    talker = ScriptedTalker([*reads, MEND, DONE])
    task = worked(open_task(store, store.begin("mend", "scripted"), talker, context=6000))
    assert changed(task) == RIGHT
    longest = max(sum(len(each["content"]) for each in messages) for messages in talker.read)
    assert longest < 3 * 6000
    last = talker.read[-1]
    assert "left out" in last[3]["content"]
    assert "Changed: shapes/area.py." in last[-1]["content"]


def test_what_the_user_said_stays_and_few_requests_begin_otherwise_than_the_one_before(
    store: TaskStore, root: Path
) -> None:
    lines = [f"line {number} of a long file\n" for number in range(400)]
    (root / "long.txt").write_text("".join(lines))
    reads = [f"```\nread long.txt:{first}-{first + 30}\n```" for first in range(1, 300, 10)]
    talker = ScriptedTalker([*reads, MEND, DONE])
    task = open_task(store, store.begin("mend", "scripted"), talker, context=6000)
    for event in task.events():
        if isinstance(event, StepEnded) and event.number == 2:
            task.redirect("look at all of the long file")
    requests = [[message["content"] for message in messages] for messages in talker.read]
    assert "look at all of the long file" in "".join(requests[-1])
    assert "left out" in requests[-1][3]
    otherwise = sum(new[: len(old)] != old for old, new in pairwise(requests))
    assert otherwise <= 6


def test_a_task_that_outgrows_the_model_is_told(store: TaskStore) -> None:
    task = open_task(store, store.begin("mend", "scripted"), ScriptedTalker([DONE]), context=300)
    with pytest.raises(UsageError, match="outgrown the 300 tokens"):
        worked(task)


def test_events_tell_what_happens_in_order(store: TaskStore) -> None:
    log = store.begin("mend", "scripted", check=CHECK)
    events = list(open_task(store, log, ScriptedTalker([MEND, DONE])).events())
    kinds = [type(event) for event in events]
    assert kinds[0] is TaskStarted
    assert kinds[-1] is TaskEnded
    written = "".join(event.text for event in events if isinstance(event, StepText))
    assert written == MEND + DONE
    assert events.count(CommandStarted(CHECK)) == 3
    ended = [event for event in events if isinstance(event, StepEnded)]
    assert [(each.kind, each.paths, each.problem) for each in ended] == [
        ("edit", ("shapes/area.py",), ""),
        ("done", (), ""),
    ]


def test_what_a_check_leaves_in_the_files_is_no_part_of_the_task(work: Work) -> None:
    litters = "echo litter > coverage.txt; echo x >> report.py; true"
    task, _ = work(MEND, DONE, check=litters)
    assert changed(task) == RIGHT


def test_a_task_that_was_closed_goes_on_behind_its_last_step(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([READ, MEND, DONE])
    events = open_task(store, log, talker).events()
    for event in events:
        if isinstance(event, StepEnded) and event.number == 2:
            break
    events.close()
    assert verdict(store.find(log.id)) is None
    task = worked(open_task(store, store.find(log.id), talker))
    assert len(talker.read) == 3
    assert changed(task) == RIGHT


def test_a_task_is_at_work_in_one_process_at_a_time(store: TaskStore) -> None:
    log = store.begin("mend", "scripted")
    events = open_task(store, log, ScriptedTalker([READ, MEND, DONE])).events()
    next(events)
    other = open_task(store, store.find(log.id), ScriptedTalker([DONE]))
    with pytest.raises(Transient, match="at work"):
        next(other.events())
    with pytest.raises(Transient, match="at work"):
        store.drop(log.id)
    assert store.find(log.id).is_held
    events.close()
    assert not store.find(log.id).is_held
    assert changed(worked(open_task(store, store.find(log.id), ScriptedTalker([MEND, DONE]))))


def test_two_tasks_side_by_side_mix_nothing(store: TaskStore, root: Path) -> None:
    talkers = [ScriptedTalker([MEND, DONE]), ScriptedTalker([WORSE, DONE])]
    tasks = [open_task(store, store.begin("mend", "scripted"), talker) for talker in talkers]
    streams = [task.events() for task in tasks]
    while streams:
        streams = [stream for stream in streams if next(stream, None) is not None]
    assert changed(tasks[0]) == RIGHT
    assert changed(tasks[1]) == {"shapes/area.py": b"def area(w, h):\n    return w - h\n"}
    assert git(root, "status", "--porcelain") == b""


def test_a_work_tree_that_is_deleted_ends_the_run_and_a_resume_makes_it_anew(
    store: TaskStore,
) -> None:
    log = store.begin("mend", "scripted")
    talker = ScriptedTalker([MEND, MAKE, DONE])
    task = open_task(store, log, talker)
    events = task.events()
    next(event for event in events if isinstance(event, StepEnded))
    shutil.rmtree(task.worktree.root)
    with pytest.raises(RepoError, match="is gone"):
        list(events)
    again = worked(open_task(store, store.find(log.id), talker))
    assert changed(again) == {**RIGHT, "docs/area.md": b"# Area\n"}


def test_dropping_leaves_nothing(store: TaskStore, root: Path) -> None:
    listed = git(root, "worktree", "list")
    log = store.begin("mend", "scripted")
    worked(open_task(store, log, ScriptedTalker([MEND, DONE]), None))
    assert [each.id for each in store.logs()] == [log.id]
    assert store.drop(log.id[:4]) == log.id
    assert store.logs() == ()
    assert git(root, "worktree", "list") == listed
    assert list((root.parent / "state" / "tasks").iterdir()) == []
    with pytest.raises(UsageError, match="no task begins with"):
        store.find(log.id)


@pytest.mark.parametrize("words", ["", "  \n "])
def test_a_task_without_words_is_refused(store: TaskStore, words: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        store.begin(words, "scripted")


MISFIT = edit("shapes/area.py", "    return nothing\n", "    return 1\n")


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([MAKE, MISFIT, DONE], "done in 3 steps; edits did not apply: shapes/area.py"),
        ([MEND + MISFIT, DONE], "done in 2 steps; edits did not apply: shapes/area.py"),
        ([MISFIT, MEND, DONE], "done in 3 steps"),
    ],
)
def test_the_end_says_which_edit_did_not_apply_and_was_not_mended(
    work: Work, store: TaskStore, steps: list[str], words: str
) -> None:
    task, _ = work(*steps)
    assert status_of(task.log) == ("done", words)
    assert status_of(store.find(task.log.id)) == ("done", words)


def test_a_command_that_fails_is_marked_in_the_log(work: Work) -> None:
    rules = RunRules(allowed=("test",))
    task, _ = work(
        command("run test -e report.py"), command("run test -e none.py"), DONE, rules=rules
    )
    assert [step.setback for step in task.log.steps[:2]] == ["", "failed"]
