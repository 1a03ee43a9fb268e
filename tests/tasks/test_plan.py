"""Plans: proposed by a model, read and written as text, whatever stands around the list."""

from collections.abc import Generator

import pytest

from spark_tui.errors import UsageError
from spark_tui.tasks.events import StepText, TaskEvent
from spark_tui.tasks.plan import propose_plan, proposed_in, read_plan, write_plan
from spark_tui.tasks.task import TaskModel
from tests.fakes import returned
from tests.tasks.scripts import ScriptedTalker

WORDS = "use pathlib everywhere"
ITEMS = ("edit report.py", "edit shapes/area.py", "run the tests")


def proposing(
    answer: str, context: int = 8000, words: str = WORDS
) -> Generator[TaskEvent, None, tuple[str, ...]]:
    model = TaskModel("scripted", ScriptedTalker([answer]), context, standing="Be brief.")
    return propose_plan(words, model, "report.py\nshapes/area.py")


@pytest.mark.parametrize(
    "answer",
    [
        "1. edit report.py\n2. edit shapes/area.py\n3. run the tests\n",
        "1) edit report.py\n2) edit shapes/area.py\n3) run the tests",
        "- edit report.py\n- edit shapes/area.py\n- run the tests",
        "* [ ] edit report.py\n* [ ] edit shapes/area.py\n* [x] run the tests",
        "Here is the plan.\n\n1. edit report.py\n\n2. edit shapes/area.py\n3. run the tests\n\nGo!",
        "1. edit report.py\n   - carefully\n2. edit shapes/area.py\n   - too\n3. run the tests",
        "```\n1. edit report.py\n2. edit shapes/area.py\n3. run the tests\n```",
    ],
)
def test_the_list_is_the_plan_whatever_stands_around_it(answer: str) -> None:
    assert proposed_in(answer) == ITEMS


@pytest.mark.parametrize("answer", ["", " \n\n", "-\n-\n", "1.\n", "I cannot do that."])
def test_an_answer_without_items_is_no_plan(answer: str) -> None:
    assert proposed_in(answer) == ()


def test_a_flood_is_cut() -> None:
    plan = proposed_in("".join(f"{number}. {'x' * 10_000}\n" for number in range(1, 5000)))
    assert len(plan) == 20
    assert max(map(len, plan)) <= 400


def test_a_plan_that_was_written_is_read_as_it_was() -> None:
    plan = (*ITEMS, "3 files to rename", "- a dash in front", "2. a number in front")
    assert read_plan(write_plan(plan)) == plan
    assert read_plan("3 files to rename\n") == ("3 files to rename",)


def test_a_proposal_streams_and_names_the_task_and_the_files() -> None:
    model = TaskModel("m", talker := ScriptedTalker([write_plan(ITEMS)]), 8000, "Be brief.")
    planning = propose_plan(WORDS, model, "report.py\nshapes/area.py")
    events = list(planning)
    text = "".join(event.text for event in events if isinstance(event, StepText))
    assert proposed_in(text) == ITEMS
    system, user = talker.read[0]
    assert "Be brief." in system["content"]
    assert WORDS in user["content"]
    assert "shapes/area.py" in user["content"]


def test_a_proposal_returns_the_plan() -> None:
    assert returned(proposing(write_plan(ITEMS))) == ITEMS


@pytest.mark.parametrize(
    ("words", "context", "told"),
    [("", 8000, "the task is empty"), ("x" * 200_000, 8000, "characters"), (WORDS, 40, "-m NAME")],
)
def test_what_cannot_be_planned_is_told(words: str, context: int, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        returned(proposing("1. x", context, words))
