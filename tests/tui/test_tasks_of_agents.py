"""Tasks that an agent of the user works on, as the user meets them on the screen."""

from pathlib import Path

import pytest

from tests.providers.scripted_server import says
from tests.tasks.scripts import DONE, FILES, MEND, stepwise
from tests.tui.support import until
from tests.tui.task_stage import asking, scripted_agents, task_stage
from tests.vcs.repos import tree

MENDED = FILES["shapes/area.py"].replace(b"+", b"*")
SIZE = (120, 30)


async def test_an_agent_works_on_a_task_and_its_end_is_the_same_review(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("right")) as (stage, server):
        root = stage.session.repo.root
        before = tree(root)
        async with stage.started(size=SIZE) as pilot:
            await stage.begin(pilot, "@scripted mend the area")
            await stage.review_comes(pilot, 1)
            assert tree(root) == before
            await until(pilot, lambda: "mend the area" in stage.bar("title"))
            await stage.decides(pilot, "ctrl+a")
            assert (root / "shapes/area.py").read_bytes() == MENDED
            await stage.turn(pilot, "u")
            await until(pilot, lambda: tree(root) == before)
    assert server.requests == []


async def test_what_an_agent_tells_is_shown_as_it_comes(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("shows")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await stage.open_task(pilot)
            await until(pilot, lambda: "+    return w * h" in stage.shown)
            await until(pilot, lambda: "I look first." in stage.shown)
            await until(pilot, lambda: "edit area.py (in progress)" in stage.shown)
            await stage.until_painted(pilot, "[x] look", "[>] mend", "1 of 2 done", "A Script 1.0")
            assert "back a step" not in stage.painted
            await pilot.press("escape")
            await until(pilot, lambda: task.state == "interrupted")
            await stage.until_painted(pilot, "resume with them", "[>] mend")
            await pilot.press("escape")
            await until(pilot, lambda: "[>] mend" in stage.shown)


@pytest.mark.parametrize(("key", "answer"), [("ctrl+y", "yes"), ("ctrl+n", "no")])
async def test_a_question_is_told_shown_and_answered_by_a_key(
    tmp_path: Path, key: str, answer: str
) -> None:
    with task_stage(tmp_path, says(""), agents=asking("rm -rf shapes")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await until(pilot, lambda: "asks: rm -rf shapes" in stage.note)
            await until(pilot, lambda: stage.lines.startswith("asks"))
            screen = await stage.open_task(pilot)
            await until(pilot, lambda: "It asks: rm -rf shapes" in stage.shown)
            await until(pilot, lambda: "has not trusted it" in screen.note.words)
            await stage.until_painted(pilot, "Ctrl+Y allow it once", "Ctrl+N refuse it")
            await pilot.press(key)
            await until(pilot, lambda: task.state == "done")
            assert task.question is None
            assert f'["{answer}"]' in task.log.steps[-1].answer
            await stage.until_painted(pilot, "review it")


async def test_questions_are_answered_one_after_the_other_while_words_are_written(
    tmp_path: Path,
) -> None:
    with task_stage(tmp_path, says(""), agents=asking("rm a", "rm b")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await stage.open_task(pilot)
            await until(pilot, lambda: "It asks: rm a" in stage.shown)
            await pilot.press(*"yn", "ctrl+n")
            await until(pilot, lambda: "It asks: rm b" in stage.shown)
            await pilot.press("ctrl+y")
            await until(pilot, lambda: task.state == "done")
            assert '["no", "yes"]' in task.log.steps[-1].answer
            await stage.until_painted(pilot, "yn")


async def test_esc_ends_the_turn_of_an_agent_and_enter_goes_on(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("waits")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await stage.open_task(pilot)
            await until(pilot, lambda: "waiting (in progress)" in stage.shown)
            await pilot.press("escape")
            await until(pilot, lambda: task.state == "interrupted")
            tasks = stage.main.tasks.tasks
            assert tasks
            assert (tasks.worktree(task.log).root / "cancelled.txt").exists()
            await stage.until_painted(pilot, "resume with them")
            await pilot.press("enter")
            await until(pilot, lambda: stage.tasks[-1] is not task)
            again = stage.tasks[-1]
            await until(pilot, lambda: "takes up its session" in again.news)
            await pilot.press("escape")
            await until(pilot, lambda: again.state == "interrupted")


async def test_words_redirect_an_agent_which_works_on_meanwhile(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("heeds")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await stage.open_task(pilot)
            await until(pilot, lambda: "the wrong way" in stage.shown)
            await pilot.press(*"multiply")
            assert task.state == "working"
            await pilot.press("enter")
            await until(pilot, lambda: task.state == "done")
            assert [step.kind for step in task.log.steps] == ["redirected", "done"]
            assert "multiply" in task.log.steps[-1].answer


async def test_words_let_an_agent_go_on_that_was_done(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("twice")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await until(pilot, lambda: task.state == "done" and bool(stage.view.hunks))
            await stage.open_task(pilot)
            await stage.until_painted(pilot, "review it")
            await pilot.press(*"rather", "enter")
            await until(pilot, lambda: stage.tasks[-1] is not task)
            again = stage.tasks[-1]
            await until(pilot, lambda: again.state == "done")
            assert [step.kind for step in again.log.steps] == ["done", "redirected", "done"]
            assert "rather" in again.log.steps[-1].answer


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("@nobody mend it", "there is no agent 'nobody'; the agents are scripted"),
        ("@scripted", "the task is empty"),
        ("@gone mend it", "there is no agent 'gone'"),
    ],
)
async def test_without_such_an_agent_the_words_come_back(
    tmp_path: Path, words: str, said: str
) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("right")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            await stage.ask(pilot, f"/task {words}")
            await stage.says(pilot, said)
            assert stage.prompt.text == f"/task {words}"
            assert stage.tasks == ()


async def test_a_place_at_the_beginning_is_no_agent(tmp_path: Path) -> None:
    with task_stage(tmp_path, stepwise([MEND, DONE])) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@shapes/area.py mend it")
            await until(pilot, lambda: task.state == "done")
            assert not task.is_agent


async def test_an_agent_that_dies_fails_its_task_which_can_be_resumed(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("dies")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            task = await stage.begin(pilot, "@scripted mend the area")
            await until(pilot, lambda: task.state == "failed")
            await stage.open_task(pilot)
            await stage.until_painted(pilot, "resume with them")
            await pilot.press("enter")
            await until(pilot, lambda: stage.tasks[-1].state == "done")


async def test_an_agent_is_offered_where_its_name_may_stand(tmp_path: Path) -> None:
    with task_stage(tmp_path, says(""), agents=scripted_agents("right")) as (stage, _):
        async with stage.started(size=SIZE) as pilot:
            await pilot.press(*"/task @")
            await stage.until_painted(pilot, "@scripted")
            await pilot.press("tab")
            assert stage.prompt.text.startswith("/task @scripted")
