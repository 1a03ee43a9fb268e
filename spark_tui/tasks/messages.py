"""What a model reads in a task: the rules, the task, and what came of each of its steps.

The messages are only ever added to. What a model has read stays as it was, so that its KV cache
stays valid; only where the messages outgrow the model's context, the oldest are replaced by a line.
"""

from collections.abc import Iterable, Mapping, Sequence

from spark_tui.errors import UsageError
from spark_tui.providers.base import Message, tokens_of
from spark_tui.tasks.log import REDIRECTED, StepRecord, TaskSpec

_RULES = """\
You work on a task in a repository, step by step. Each of your messages is one step: a few words, \
then exactly one of these three.

1. An edit: one or several blocks of this form.

path/to/file.py
<<<<<<< SEARCH
lines that stand in the file now
=======
the lines that should stand there
>>>>>>> REPLACE

The lines to search for must stand in the file exactly so, and only once: read the file first, and \
take a few lines around a change. To make a new file, search for nothing. To delete a file, write \
its path and below it the one line <<<<<<< DELETE.

2. One command, on one line in a fence of its own:

```
read path/to/file.py:1-80
```

The commands are `read PATH` or `read PATH:FIRST-LAST`, `search WORDS` (the lines that hold them), \
`list` or `list FOLDER`, and `run COMMAND`.{run}

3. The word done on a line of its own, once nothing is left to do.

The outcome of the step is the next message. Change nothing that the task does not ask for."""
_LEFT_OUT = "(This message is left out here.)"
_STOPPED = "(You were stopped here, and nothing of this message was carried out.)"
_SHARE = 4
"""The answer takes at most the context divided by this."""


def rules(allowed: Sequence[str], standing: str) -> str:
    """The message of the system.

    Args:
        allowed: What `run` may run.
        standing: What the user wants of every answer.
    """
    if allowed:
        run = f" `run` takes only: {', '.join(f'`{line}`' for line in allowed)}."
    else:
        run = " Nothing may be run in this task."
    words = _RULES.replace("{run}", run)
    if standing:
        words = f"{words}\n\nWhat the user wants in any case:\n{standing}"
    return words


def opening(spec: TaskSpec, files: str, around: str, check: str) -> str:
    """The first message: the task and what there is.

    Args:
        files: A list of the files.
        around: A map of the repository; "" for none.
        check: What the check says before any step; "" where there is none.
    """
    parts = [f"The task: {spec.words}"]
    if spec.plan:
        parts.append(f"{describe_plan(spec.plan, 0)}\nDo the first item now, then write done.")
    if check:
        parts.append(f"At the end `{spec.check}` must pass. Before any edit {check}")
    parts.append(f"The files:\n{files}")
    if around:
        parts.append(f"What stands in them, by file and line:\n\n{around}")
    return "\n\n".join(parts)


def redirection(words: str, answer: str) -> str:
    """What a model reads where the user stopped it.

    Args:
        words: The user's.
        answer: As much as the model had written.
    """
    return f"{_STOPPED}\n\n{words}" if answer else words


def describe_plan(plan: Sequence[str], ticked: int) -> str:
    """A plan as a list, with its done items checked."""
    lines = ["The plan:"]
    for number, item in enumerate(plan):
        mark = "x" if number < ticked else " "
        lines.append(f"{number + 1}. [{mark}] {item}")
    return "\n".join(lines)


def messages_of(
    system: str, opening_text: str, steps: Iterable[StepRecord], context: int
) -> list[Message]:
    """All messages so far; where they outgrow the context, the oldest outcomes are left out first.

    What the user said stays.

    Args:
        context: Tokens that the model reads and writes.

    Raises:
        UsageError: The messages outgrow the context all the same.
    """
    messages = [{"role": "system", "content": system}, {"role": "user", "content": opening_text}]
    spoken = dict[int, str]()
    """What the user said, by the number of the message."""
    for step in steps:
        is_redirected = step.kind == REDIRECTED
        if is_redirected and not step.answer:
            # Servers refuse an empty message, and two of one role.
            messages[-1]["content"] = _joined(messages[-1]["content"], step.reply)
        else:
            messages.append({"role": "assistant", "content": step.answer})
            messages.append({"role": "user", "content": step.reply})
        if is_redirected:
            last = len(messages) - 1
            spoken[last] = _joined(spoken.get(last, ""), step.reply)
    size = _leave_out(messages, spoken, context - room_for_answer(context))
    if size > context:
        raise UsageError(
            f"the task has outgrown the {context} tokens that the model reads; name a model that "
            f"reads more (-m NAME), or split the task"
        )
    return list(messages)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _leave_out(messages: list[dict[str, str]], spoken: Mapping[int, str], room: int) -> int:
    """Leave out the oldest outcomes, then the oldest answers, whenever the messages outgrow a room.

    A quarter of the room is then made free at once, so that the next messages follow an unchanged
    beginning: an engine must read again whatever follows a change.

    Args:
        spoken: What stays of a message, by its number.

    Returns:
        The tokens of what is left.
    """
    answers = list[int]()
    outcomes = list[int]()
    size = sum(tokens_of(message["content"]) for message in messages[:2])
    # Message by message, as the task grew, so that each call leaves out what earlier calls left
    # out.
    for answer in range(2, len(messages), 2):
        outcome = answer + 1
        size += sum(tokens_of(messages[number]["content"]) for number in (answer, outcome))
        answers.append(answer)
        if size > room:
            # The last outcome is what the model is to go on from.
            size -= _shortened(messages, spoken, [*outcomes, *answers], size - room * 3 // 4)
        outcomes.append(outcome)
    return size


def _shortened(
    messages: list[dict[str, str]], spoken: Mapping[int, str], numbers: Iterable[int], excess: int
) -> int:
    """Leave messages out until so many tokens are gone; returns how many are."""
    gone = 0
    for number in numbers:
        if gone >= excess:
            break
        before = messages[number]["content"]
        after = _joined(_LEFT_OUT, spoken.get(number, ""))
        messages[number]["content"] = after
        gone += tokens_of(before) - tokens_of(after)
    return gone


def room_for_answer(context: int) -> int:
    """Tokens of the context that an answer may take."""
    return min(context // _SHARE, 4096)
