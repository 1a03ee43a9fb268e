"""A plan for a task: a list of items, which a model proposes and the user edits.

A plan is text, one item a line. A task that has one does its items in order, and ticks each off
when the model says that it is done (`task`).
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from spark_tui.errors import UsageError
from spark_tui.providers.base import Message, tokens_of
from spark_tui.session.request import refuse_too_long
from spark_tui.session.session import Session
from spark_tui.tasks.answer import Answer, hear
from spark_tui.tasks.events import StepText, TaskEvent
from spark_tui.tasks.messages import room_for_answer
from spark_tui.tasks.task import TaskModel, model_of
from spark_tui.tasks.tools import files_shown

_RULES = """\
You plan a task in a repository; another one will carry it out, step by step. Write a numbered \
list of what to do, in order: one line for each item, at most {most} items, each of them a change \
that can be made and checked by itself. Name the files. Write nothing but the list, and no code."""
_MOST_ITEMS = 20
_MOST_CHARACTERS = 400
"""Characters of an item that a model proposes."""


def propose_plan(
    words: str, model: TaskModel, files: str
) -> Generator[TaskEvent, None, tuple[str, ...]]:
    """Have a model propose a plan.

    Args:
        words: The task, as the user wrote it.
        files: A list of the files.

    Yields:
        What the model writes, as the events of a step.

    Returns:
        The items; empty where the model wrote none.

    Raises:
        UsageError: There are no words, too many, or too many for the model.
        Transient: The endpoint fails.
    """
    if not words.strip():
        raise UsageError("the task is empty; say what is to be done")
    refuse_too_long(words)
    system = _RULES.replace("{most}", str(_MOST_ITEMS))
    if model.standing:
        system = f"{system}\n\nWhat the user wants in any case:\n{model.standing}"
    parts = [f"The task: {words.strip()}", f"The files:\n{files}", model.around]
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": "\n\n".join(filter(None, parts))},
    ]
    room = room_for_answer(model.context)
    if sum(tokens_of(message["content"]) for message in messages) + room > model.context:
        raise UsageError(
            f"the task is too long for the {model.context} tokens that the model reads; name a "
            f"model that reads more (-m NAME)"
        )
    answer = Answer()
    yield from hear(model.talker.talk(messages, most=room), answer)
    return proposed_in(answer.text)


def proposed_in(answer: str) -> tuple[str, ...]:
    """The items of the list that a model wrote, without the words around it."""
    lines = [line for line in answer.splitlines() if _unmarked(line)]
    if not lines:
        return ()
    # Lines that are indented further are details of the item above.
    outermost = min(map(_indentation, lines))
    items = read_plan("\n".join(line for line in lines if _indentation(line) == outermost))
    return tuple(item[:_MOST_CHARACTERS] for item in items[:_MOST_ITEMS])


def read_plan(text: str) -> tuple[str, ...]:
    """The items of a plan, one a line, without the marks of a list."""
    return tuple(_items(text))


def write_plan(plan: Sequence[str]) -> str:
    """A plan as text that `read_plan` reads, a line for each item."""
    return "".join(f"{number}. {item}\n" for number, item in enumerate(plan, 1))


def _items(text: str) -> Iterator[str]:
    for line in text.splitlines():
        item = _unmarked(line)
        if item is None:
            item = line.strip()
        if item:
            yield item


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _unmarked(line: str) -> str | None:
    """A line without the mark of a list, and without the box; None where it has no mark."""
    item = line.strip()
    mark, _, rest = item.partition(" ")
    number = mark.rstrip(".)")
    # A number alone is no mark: "3 files are left" is not an item.
    is_number = number.isdecimal() and number != mark
    if mark not in {"-", "*", "+"} and not is_number:
        return None
    item = rest.strip()
    for box in ("[ ]", "[x]", "[X]"):
        item = item.removeprefix(box).strip()
    return item


def planning(session: Session, words: str, speaker: str) -> Generator[str, None, None]:
    """Have a model of a session propose a plan.

    Args:
        words: The task.
        speaker: The name of the model.

    Yields:
        The text so far; at the end the plan as `read_plan` reads it.

    Raises:
        UsageError: The words are too many, or the model only edits.
        SparkError: The model fails.
    """
    host = session.succession.host(speaker)
    around = session.mentions.map(words, {}, host.answerer.map_room)
    text = ""
    with closing(propose_plan(words, model_of(host, around), files_shown(session.repo))) as work:
        while True:
            try:
                event = next(work)
            except StopIteration as end:
                yield write_plan(end.value) or text
                return
            if isinstance(event, StepText):
                text = event.text if event.anew else text + event.text
            yield text
