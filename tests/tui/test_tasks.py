"""Tasks in the background, as a user meets them on the screen."""

import threading
from pathlib import Path

import pytest
from rich.text import Text

from spark_tui.session.turn_state import TurnPhase
from spark_tui.tasks.log import CheckRun
from spark_tui.tasks.request import TaskRequest
from spark_tui.tasks.store import TaskStore
from spark_tui.tui.screens.help import HelpScreen
from spark_tui.tui.screens.history import LogScreen, Picker
from spark_tui.tui.screens.modals import AskScreen
from spark_tui.tui.screens.plan import PlanScreen, PlanText
from spark_tui.tui.screens.shell import ShellScreen
from spark_tui.tui.screens.task import TaskScreen
from spark_tui.tui.screens.tasks import TasksScreen
from spark_tui.tui.screens.undo import ConflictScreen
from spark_tui.tui.themes import look
from spark_tui.tui.widgets.completion import Completion
from spark_tui.tui.widgets.message_line import Note
from spark_tui.tui.widgets.prompt import Prompt
from tests.providers.scripted_server import refuses, says
from tests.tasks.scripts import CHECK, DONE, FILES, MAKE, MEND, READ, command, edit, stepwise
from tests.tui.support import until
from tests.tui.task_stage import BETTER, WORDS, by_task, held_steps, task_stage
from tests.vcs.repos import git, make_repo, name_somebody, tree

MENDED = FILES["shapes/area.py"].replace(b"+", b"*")
MANY = 500
"""Leave for everything."""


async def test_the_end_of_a_task_is_reviewed_and_accepted_in_one_batch_with_one_undo(
    tmp_path: Path,
) -> None:
    with task_stage(tmp_path, stepwise([READ, MEND, MAKE, DONE])) as (stage, _):
        root = stage.session.repo.root
        before = tree(root)
        async with stage.started(size=(120, 30)) as pilot:
            await stage.begin(pilot, "mend the area")
            await stage.review_comes(pilot, 2)
            assert tree(root) == before
            assert "mend the area" in stage.bar("title")
            await stage.decides(pilot, "ctrl+a")
            assert (root / "shapes/area.py").read_bytes() == MENDED
            assert (root / "docs/area.md").read_bytes() == b"# Area\n"
            assert len(stage.session.past.log()) == 1
            await stage.turn(pilot, "u")
            await until(pilot, lambda: tree(root) == before)


async def test_words_typed_while_a_review_comes_by_itself_are_text(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([MEND, MAKE, DONE])) as (stage, _):
        before = tree(stage.session.repo.root)
        async with stage.started(size=(120, 30)) as pilot:
            await stage.begin(pilot, "mend the area")
            await until(pilot, lambda: len(stage.view.hunks) == 2)
            await stage.says(pilot, "goes to the hunks")
            stage.later()
            await pilot.press(*"Are", "space", *"all")
            assert stage.prompt.text == "Are all"
            assert len(stage.view.hunks) == 2
        assert tree(stage.session.repo.root) == before


async def test_a_task_sent_while_the_model_is_loaded_begins_once_it_is_there_and_is_listed(
    tmp_path: Path,
) -> None:
    ready = threading.Event()
    steps = stepwise([READ, MEND, DONE])
    with task_stage(tmp_path, steps, ready=ready.wait) as (stage, _):
        try:
            async with stage.app.run_test(size=(120, 30)) as pilot:
                stage.prompt.set_text("/task mend the area")
                await pilot.press("enter")
                await until(pilot, lambda: "as soon as the model is loaded" in stage.note)
                assert stage.prompt.text == ""
                stage.prompt.set_text("/tasks")
                await pilot.press("enter")
                await until(pilot, lambda: "the tasks are listed as soon as" in stage.note)
                ready.set()
                await until(pilot, lambda: isinstance(stage.app.screen, TasksScreen))
                await until(pilot, lambda: len(stage.tasks) == 1)
                await until(pilot, lambda: stage.tasks[0].state == "done")
        finally:
            ready.set()
            stage.close()


async def test_a_list_that_waited_for_the_model_never_opens_over_words_being_written(
    tmp_path: Path,
) -> None:
    ready = threading.Event()
    with task_stage(tmp_path, stepwise([DONE]), ready=ready.wait) as (stage, _):
        try:
            async with stage.app.run_test(size=(120, 30)) as pilot:
                stage.prompt.set_text("/tasks")
                await pilot.press("enter")
                await until(pilot, lambda: "the tasks are listed as soon as" in stage.note)
                await pilot.press("m", "e", "n")
                ready.set()
                await until(pilot, lambda: "/tasks lists the tasks" in stage.note)
                assert not isinstance(stage.app.screen, TasksScreen)
                await pilot.press("d")
                assert stage.prompt.text == "mend"
        finally:
            ready.set()
            stage.close()


async def test_esc_withdraws_what_waits_for_the_model_and_gives_it_back(tmp_path: Path) -> None:
    ready = threading.Event()
    with task_stage(tmp_path, stepwise([DONE]), ready=ready.wait) as (stage, _):
        try:
            async with stage.app.run_test(size=(120, 30)) as pilot:
                stage.prompt.set_text("/plan mend the area")
                await pilot.press("enter")
                await until(pilot, lambda: "will be written as soon as" in stage.note)
                await pilot.press("escape")
                await until(pilot, lambda: "/plan is withdrawn" in stage.note)
                assert stage.prompt.text == "/plan mend the area"
                ready.set()
                await until(pilot, lambda: stage.main.controller is not None)
                assert stage.prompt.text == "/plan mend the area"
                assert not isinstance(stage.app.screen, PlanScreen)
        finally:
            ready.set()
            stage.close()


async def test_a_task_is_left_at_work_and_its_step_begins_anew_behind_a_step_back(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([READ, MEND, DONE], go)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await stage.open_task(pilot)
            assert "Left leave it at work" in stage.painted
            await pilot.press("left")
            await until(pilot, lambda: isinstance(stage.app.screen, TasksScreen))
            assert task.state == "working"
            while not (task.step == 2 and task.pieces):
                seen = task.changes
                go.release()
                await until(pilot, lambda seen=seen: task.changes > seen)  # type: ignore[misc]
            task.go_back()
            go.release()
            await until(pilot, lambda: task.is_still and not task.text)
            assert task.pieces == 0
            go.release(MANY)


async def test_a_task_has_a_calm_line_while_it_works_and_the_list_tells_the_rest(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([READ, MEND, DONE], go)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            go.release()
            await until(pilot, lambda: "First I look" in stage.lines)
            assert "working mend the area" in stage.lines
            assert "step 1 1 token" in stage.lines
            assert stage.prompt.has_focus
            screen = await stage.list(pilot)
            line = str(screen.picker.get_option_at_index(0).prompt)
            assert line.startswith("working")
            assert "mend the area" in line
            assert task.id in stage.shown
            go.release(MANY)
            await until(pilot, lambda: task.state == "done")
            await until(pilot, lambda: "done" in str(screen.picker.get_option_at_index(0).prompt))


async def test_a_step_is_shown_as_a_diff_that_grows_and_esc_pauses_it_at_the_token(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, DONE], go)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await stage.open_task(pilot)
            while "w * h" not in task.text:
                seen = task.pieces
                go.release()
                await until(pilot, lambda seen=seen: task.pieces > seen)  # type: ignore[misc]
            await until(pilot, lambda: "+    return w * h" in stage.shown)
            assert "I multiply." in stage.shown
            assert "<<<<" not in stage.shown
            await pilot.press("escape")
            go.release()  # the piece that is on its way
            await until(pilot, lambda: task.is_still)
            held = task.pieces
            assert "paused" in stage.painted
            go.release(MANY)
            await pilot.pause(0.05)
            assert (task.state, task.pieces) == ("paused", held)
            await pilot.press("enter")
            await until(pilot, lambda: task.state == "done")
            await until(pilot, lambda: "review it" in stage.painted)
            await pilot.press("enter")
            await until(pilot, lambda: len(stage.view.hunks) == 1 and stage.diff.has_focus)


async def test_a_task_takes_a_check_and_a_model_which_completion_offers(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE]), deep="") as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            await pilot.press(*"/task -")
            await until(pilot, lambda: "a command that must pass at the end" in stage.painted)
            await pilot.press(*"m b")
            await until(pilot, lambda: stage.main.query_one(Completion).is_open)
            await pilot.press("tab", "space")
            assert stage.prompt.text == "/task -m big "
            stage.prompt.set_text("")
            line = f"-m big --check '{CHECK}' mend the area"
            task = await stage.begin(pilot, line)
            await until(pilot, lambda: task.state == "done")
            assert (task.log.spec.words, task.log.spec.model) == ("mend the area", "big")
            assert task.log.steps[-1].check == CheckRun(CHECK, ok=True, output="")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("--chek x mend it", "a task takes no --chek, only --check, -m"),
        ("-m", "-m needs the model that works on it behind it"),
        ("--check 'pytest mend it", "a quote does not end"),
        ("-m nobody mend it", "there is no model 'nobody'"),
        ("-m big", "the task is empty"),
    ],
)
async def test_options_of_a_task_that_mean_nothing_are_told(
    tmp_path: Path, written: str, problem: str
) -> None:
    with task_stage(tmp_path, says(DONE)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            await stage.ask(pilot, f"/task {written}")
            await until(pilot, lambda: problem in stage.note)
            assert stage.tasks == ()


async def test_keys_that_come_before_the_screen_of_a_task_is_painted_or_behind_its_end_do_no_harm(
    tmp_path: Path,
) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE])) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin_beside(pilot, "mend the area")
            tasks = stage.main.tasks.tasks
            assert tasks is not None
            for screen in (
                TasksScreen(tasks, stage.main.tasks),
                TaskScreen(tasks, stage.main.tasks, task.id),
            ):
                stage.app.push_screen(screen)
                assert not screen.is_mounted
                screen.action_page(1)
                screen.say("too early")
                await until(pilot, lambda: stage.app.screen is not stage.main)
                await stage.closes(pilot, "escape")
                screen.action_page(-1)
                screen.say("too late")
            plan = PlanScreen(stage.session, "mend the area", "big")
            stage.app.push_screen(plan)
            plan.leave()
            await until(pilot, lambda: stage.app.screen is plan)
            await stage.closes(pilot, "escape")


async def test_the_steps_of_a_task_can_be_read_one_by_one(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([READ, MEND, MAKE, DONE])) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await until(pilot, lambda: task.state == "done")
            screen = await stage.open_task(pilot)
            picker = screen.query_one(Picker)
            await until(pilot, lambda: picker.option_count == 4)
            await pilot.press("up", "up")
            await until(pilot, lambda: "+    return w * h" in stage.shown)
            assert "Changed: shapes/area.py." in stage.shown
            await pilot.press("up")
            await until(pilot, lambda: "read shapes/area.py" in stage.shown)
            await stage.closes(pilot, "escape", "escape")


async def test_the_line_of_a_step_says_what_was_refused_or_did_not_apply(tmp_path: Path) -> None:
    misfit = edit("shapes/area.py", "    return nothing\n", "    return 1\n")
    partly = MEND + misfit.partition("\n")[2]
    steps = [command("run sudo true"), misfit, partly, DONE]
    with task_stage(tmp_path, stepwise(steps)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await until(pilot, lambda: task.state == "done")
            tasks = await stage.list(pilot)
            listed = "".join(words for words, _ in tasks.describe(tasks.items[0]))
            assert "edits did not apply: shapes/area.py" in listed
            await stage.closes(pilot, "escape")
            picker = (await stage.open_task(pilot)).query_one(Picker)
            await until(pilot, lambda: picker.option_count == 4)
            lines = [picker.get_option_at_index(at).prompt for at in range(4)]
            assert [str(line).split(": ")[0].strip() for line in lines] == [
                "1  refused",
                "2  did not apply",
                "3  did not apply as a whole",
                "4  done",
            ]
            assert isinstance(lines[0], Text)
            warning = look(stage.app.screen, "warning")
            assert [str(span.style) for span in lines[0].spans][1] == str(warning)
            await stage.closes(pilot, "escape", "escape")


async def test_the_outcome_goes_in_beside_what_was_edited_meanwhile(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE])) as (stage, _):
        path = stage.session.repo.root / "shapes/area.py"
        async with stage.started(size=(120, 30)) as pilot:
            stage.prompt.set_text("my own words")
            tasks = stage.main.tasks.tasks
            assert tasks
            task = tasks.begin(TaskRequest("mend the area"))
            stage.main.tasks.watch()
            await until(pilot, lambda: task.state == "done")
            path.write_bytes(b"import math\n\n\n" + path.read_bytes())
            assert stage.view.phase is not TurnPhase.REVIEW
            stage.prompt.set_text("")
            await stage.open_task(pilot)
            await until(pilot, lambda: "review it" in stage.painted)
            await pilot.press("enter")
            await until(pilot, lambda: len(stage.view.hunks) == 1 and stage.diff.has_focus)
            await stage.decides(pilot, "a")
        assert path.read_bytes() == b"import math\n\n\n" + MENDED


async def test_two_tasks_and_an_edit_of_the_user_at_once_mix_nothing(tmp_path: Path) -> None:
    go = threading.Semaphore(0)
    comment = edit("report.py", "import os\n", "# Names.\nimport os\n")
    turns = by_task(
        {
            "mend the area": held_steps([READ, MEND, DONE], go),
            "say what it is": held_steps([comment, DONE], go),
        }
    )
    with task_stage(tmp_path, turns) as (stage, server):
        root = stage.session.repo.root
        before = tree(root)
        async with stage.started(size=(120, 30)) as pilot:
            first = await stage.begin(pilot, "mend the area")
            second = await stage.begin(pilot, "say what it is", count=2)
            go.release(4)
            await stage.review(pilot, WORDS)
            go.release(MANY)
            await until(pilot, lambda: stage.lines.count("done in") == 2)
            assert len(stage.view.hunks) == 1  # no task takes the place of what is reviewed
            assert tree(root) == before
            stage.main.tasks.review(first.id)
            await stage.says(pilot, "1 hunk of the last turn left undecided; u goes back to it")
            await until(pilot, lambda: stage.diff.has_focus)
            await stage.says(pilot, "the earlier proposal is back", "u")
            await stage.decides(pilot, "a")
            edited = before | {"hello.py": BETTER.encode()}
            assert tree(root) == edited
            stage.main.tasks.review(first.id)
            await until(pilot, lambda: len(stage.view.hunks) == 1 and stage.diff.has_focus)
            await stage.decides(pilot, "a")
            assert tree(root) == edited | {"shapes/area.py": MENDED}
            stage.main.tasks.review(second.id)
            await until(pilot, lambda: len(stage.view.hunks) == 1 and stage.diff.has_focus)
            await stage.decides(pilot, "a")
            report = b"# Names.\n" + before["report.py"]
            assert tree(root) == edited | {"shapes/area.py": MENDED, "report.py": report}
            tasks = stage.main.tasks.tasks
            assert tasks
            states = {view.id: view.state for view in tasks.views()}
            assert states == {first.id: "applied", second.id: "applied"}
    for request in server.requests:
        text = str(request["messages"])
        assert ("mend the area" in text) != ("say what it is" in text)


async def test_new_files_alone_and_files_that_do_not_parse_are_reviewed_all_the_same(
    tmp_path: Path,
) -> None:
    broken = edit("shapes/area.py", "    return w + h\n", "    return w +\n")
    turns = by_task({"alone": stepwise([MAKE, DONE]), "broken": stepwise([broken, DONE])})
    with task_stage(tmp_path, turns) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            await stage.begin(pilot, "new files alone")
            await stage.review_comes(pilot, 1)
            await stage.decides(pilot, "a")
            assert (stage.session.repo.root / "docs/area.md").read_bytes() == b"# Area\n"
            await stage.begin(pilot, "a broken one", count=2)
            await stage.review_comes(pilot, 1)
            assert "does not parse" in stage.painted


async def test_a_plan_is_written_changed_and_followed(tmp_path: Path) -> None:
    listed = says("- mend the area\n", "- write docs\n- dance\n")
    steps = [MEND, DONE, MAKE, DONE]
    with task_stage(tmp_path, listed, stepwise(steps)) as (stage, server):
        async with stage.started(size=(120, 30)) as pilot:
            stage.prompt.set_text("/plan mend and tell")
            screen = await stage.opens(pilot, PlanScreen, "enter")
            text = screen.query_one(PlanText)
            await until(pilot, lambda: not screen.is_writing and "dance" in text.text)
            await pilot.press("ctrl+end", "up")
            for _ in "3. dance":
                await pilot.press("delete")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: len(stage.tasks) == 1)
            task = stage.tasks[0]
            assert task.log.spec.plan == ("mend the area", "write docs")
            await until(pilot, lambda: task.state == "done")
            assert task.view.ticked == 2
            await until(pilot, lambda: len(stage.view.hunks) == 2)
        assert "1. [ ] mend the area" in server.requests[1]["messages"][1]["content"]


async def test_without_a_model_that_speaks_the_words_come_back(tmp_path: Path) -> None:
    with task_stage(tmp_path, refuses(500), deep="") as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            await stage.ask(pilot, "/task mend the area")
            await stage.says(pilot, "only edits; for a task, name a chat model")
            assert stage.prompt.text == "/task mend the area"
            assert stage.tasks == ()


async def test_without_a_model_that_speaks_no_plan_opens_that_could_not_be_followed(
    tmp_path: Path,
) -> None:
    with task_stage(tmp_path, refuses(500), deep="") as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            await stage.ask(pilot, "/plan mend and tell")
            await stage.says(pilot, "only edits; for a task, name a chat model")
            assert stage.app.screen is stage.main
            assert stage.prompt.text == "/plan mend and tell"


async def test_the_steps_of_a_plan_whose_task_cannot_begin_come_back_with_the_plan(
    tmp_path: Path,
) -> None:
    listed = says("- mend the area\n- write docs\n")
    with task_stage(tmp_path, listed, stepwise([MEND, DONE, MAKE, DONE])) as (stage, server):
        async with stage.started(size=(120, 30)) as pilot:
            stage.prompt.set_text("/plan @nobody mend it")
            screen = await stage.opens(pilot, PlanScreen, "enter")
            await until(pilot, lambda: not screen.is_writing)
            await pilot.press("ctrl+end", *"dance")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: stage.prompt.text == "/plan @nobody mend it")
            assert stage.note
            asked = len(server.requests)
            again = await stage.opens(pilot, PlanScreen, "enter")
            await until(pilot, lambda: "dance" in again.query_one(PlanText).text)
            assert "mend the area" in again.query_one(PlanText).text
            assert len(server.requests) == asked


async def test_tasks_that_were_interrupted_are_told_at_the_start_in_the_word_of_the_list(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, DONE], go)) as (stage, _):
        kept = TaskStore(stage.session.repo, stage.session.tasks_folder)
        kept.begin("mend the area", "big")
        async with stage.started(size=(120, 30)) as pilot:
            await stage.says(pilot, "1 task is interrupted; /tasks")
            screen = await stage.list(pilot)
            line = str(screen.picker.get_option_at_index(0).prompt)
            assert line.startswith("interrupted mend the area")


async def test_a_drop_that_loses_files_of_a_repository_in_the_task_takes_one_word_more(
    tmp_path: Path,
) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE])) as (stage, _):
        kept = TaskStore(stage.session.repo, stage.session.tasks_folder)
        log = kept.begin("mend the area", "big")
        kept.worktree(log).make(log.commit)
        make_repo(stage.session.tasks_folder / log.id / "web", {"logo.png": b"\x89PNG\0\xff"})
        async with stage.started(size=(120, 30)) as pilot:
            screen = await stage.list(pilot)
            await pilot.press("x")
            assert "x again drops task" in screen.query_one(Note).words
            await pilot.press("x")
            await until(pilot, lambda: "web/logo.png" in screen.query_one(Note).words)
            assert kept.find(log.id).id == log.id
            await pilot.press("x")
            await until(pilot, lambda: not screen.items)
        assert kept.logs() == ()


async def test_an_endpoint_that_fails_ends_a_task_that_can_be_resumed(tmp_path: Path) -> None:
    with task_stage(tmp_path, refuses(401), stepwise([MEND, DONE])) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await until(pilot, lambda: task.state == "failed")
            await until(pilot, lambda: "401" in stage.lines)
            await stage.open_task(pilot)
            await until(pilot, lambda: "resume" in stage.painted)
            assert "401" in stage.app.screen.query_one(Note).words
            await pilot.press("enter")
            await until(pilot, lambda: stage.tasks[0].state == "done")


async def test_leaving_tells_of_tasks_at_work_first_and_how_to_go_on_at_the_end(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, DONE], go)) as (stage, _):
        async with stage.reviewing(WORDS, size=(120, 30)) as pilot:
            await stage.decides(pilot, "r")
            task = await stage.begin(pilot, "mend the area")
            await stage.main.action_leave()
            assert "1 task is at work" in stage.note
            assert stage.app.is_running
            task.pause()
            stage.main.tasks.close()
            go.release(MANY)
            task.wait(10)
            told = f"task {task.id} is interrupted: `spark task resume {task.id}` goes on"
            assert told in stage.app.last_words


async def test_words_redirect_a_task_at_the_token_and_a_comma_goes_back_a_step(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([READ, MEND, MAKE, DONE], go)) as (stage, server):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await stage.open_task(pilot)
            go.release(1 + len(READ) // 12 + 2)
            await until(pilot, lambda: "I multiply" in task.text)
            await pilot.press(*"rather")
            assert task.state == "paused"
            go.release()
            await until(pilot, lambda: task.is_still)
            await pilot.press("enter")
            go.release(MANY)
            await until(pilot, lambda: task.state == "done")
            said = [message["content"] for message in server.requests[2]["messages"]]
            assert "rather" in said[-1]
            assert "I multiply" in said[-2]
            assert "3  redirected" in stage.painted or "rather" in stage.painted
            steps = len(task.log.steps)
            await pilot.press("comma")
            await until(pilot, lambda: stage.tasks[0].state == "paused")
            await until(pilot, lambda: len(stage.tasks[0].log.steps) == steps - 1)
            await until(pilot, lambda: "back a step" in stage.painted)
            await pilot.press("enter")
            await until(pilot, lambda: stage.tasks[0].state == "done")


async def test_steps_that_were_given_up_leave_no_gap_in_the_numbers(tmp_path: Path) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([READ, MEND, MAKE, DONE], go)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            room = await stage.open_task(pilot)
            picker = room.query_one(Picker)
            while not (task.step == 3 and task.pieces):
                seen = task.changes
                go.release()
                await until(pilot, lambda seen=seen: task.changes > seen)  # type: ignore[misc]
            for numbers in (["1", "2", "3"], ["1", "2"]):
                await pilot.press("comma")
                go.release()
                await until(pilot, lambda: task.is_still)

                def counted(numbers: list[str] = numbers) -> bool:
                    lines = [str(option.prompt).split()[0] for option in picker.options]
                    return len(task.log.steps) == len(numbers) - 1 and lines == numbers

                await until(pilot, counted)
            go.release(MANY)


@pytest.mark.parametrize("line", ["/log", "/theme", "/help", "!true", "/tasks"])
async def test_a_command_sent_from_a_task_is_carried_out_and_the_task_goes_on_as_it_was(
    tmp_path: Path, line: str
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, DONE], go)) as (stage, server):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            room = await stage.open_task(pilot)
            await pilot.press(*line)
            await until(pilot, lambda: "carry it out" in stage.painted)
            await pilot.press("enter")
            await until(pilot, lambda: room not in stage.app.screen_stack)
            acts = {
                "/log": lambda: isinstance(stage.app.screen, LogScreen),
                "/theme": lambda: stage.prompt.text.startswith("/theme "),
                "/help": lambda: isinstance(stage.app.screen, HelpScreen),
                "!true": lambda: isinstance(stage.app.screen, ShellScreen),
                "/tasks": lambda: isinstance(stage.app.screen, TasksScreen),
            }
            await until(pilot, acts[line])
            assert task.state == "working"
            go.release(MANY)
            await until(pilot, lambda: task.state == "done")
            assert [step.kind for step in task.log.steps] == ["edit", "done"]
            assert line not in str([request["messages"] for request in server.requests])


@pytest.mark.parametrize(
    ("line", "told"),
    [("/frob it", "there is no command /frob"), ("/tasks now", "no argument"), ("!", "behind the")],
)
async def test_what_is_no_command_stays_in_the_prompt_of_a_task_and_is_not_sent(
    tmp_path: Path, line: str, told: str
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, DONE], go)) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            room = await stage.open_task(pilot)
            prompt = room.query_one(Prompt)
            prompt.set_text(line)
            await pilot.press("enter")
            await until(pilot, lambda: told in room.query_one(Note).words)
            assert (stage.app.screen, prompt.text) == (room, line)
            go.release(MANY)
            await until(pilot, lambda: task.state == "done")
            assert [step.kind for step in task.log.steps] == ["edit", "done"]


async def test_a_task_is_committed_to_a_branch_with_an_offered_message(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE])) as (stage, _):
        root = stage.session.repo.root
        name_somebody(root)
        before = tree(root)
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "mend the area")
            await until(pilot, lambda: task.state == "done" and len(stage.view.hunks) == 1)
            screen = await stage.list(pilot)
            await stage.opens(pilot, AskScreen, "b")
            await pilot.press("enter")
            await until(pilot, lambda: "The message" in stage.painted)
            await pilot.press("enter")
            await until(pilot, lambda: "on the new branch" in screen.query_one(Note).words)
        assert tree(root) == before
        assert git(root, "show", f"task-{task.id}:shapes/area.py") == MENDED
        assert b"Mend the area" in git(root, "log", "-1", "--format=%s", f"task-{task.id}")


async def test_what_clashes_with_an_edit_made_meanwhile_is_told_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    go = threading.Semaphore(0)
    with task_stage(tmp_path, held_steps([MEND, MAKE, DONE], go)) as (stage, _):
        path = stage.session.repo.root / "shapes/area.py"
        async with stage.started(size=(120, 30)) as pilot:
            await stage.begin(pilot, "mend the area")
            go.release()
            await until(pilot, lambda: "I multiply" in stage.tasks[0].text)
            mine = path.read_bytes().replace(b"w + h", b"h + w")
            path.write_bytes(mine)
            go.release(MANY)
            await stage.review_comes(pilot, 2)
            stage.later()
            before = tree(stage.session.repo.root)
            await stage.opens(pilot, ConflictScreen, "ctrl+a")
            stage.later()
            assert tree(stage.session.repo.root) == before
            await pilot.press("t")
            await until(pilot, lambda: path.read_bytes() == MENDED)
            assert (stage.session.repo.root / "docs/area.md").exists()


async def test_what_a_model_writes_is_shown_as_text(tmp_path: Path) -> None:
    odd = "\x1b]0;owned\x07[bold]so\u202e\n" + MEND
    with task_stage(tmp_path, stepwise([odd, odd, odd])) as (stage, _):
        async with stage.started(size=(120, 30)) as pilot:
            task = await stage.begin(pilot, "[red]mend\u202e it")
            await until(pilot, lambda: task.state == "stopped")
            screen = await stage.open_task(pilot)
            await until(pilot, lambda: screen.query_one(Picker).option_count == 4)
            await pilot.press("up", "up", "up")
            await until(pilot, lambda: "+    return w * h" in stage.shown)
            assert "\x1b]0" not in stage.painted
            assert "\u202e" not in stage.painted
            assert "[red]mend" in stage.painted
            assert "[bold]so" in stage.painted
            assert "took the same step 3 times" in stage.painted
