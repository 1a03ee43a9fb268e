"""One step of a task, read from what a model wrote.

A step is a few words, then either an edit (blocks that search and replace, as in
`formats.search_replace`, or a diff), or one command in a fence of its own, or the line `done`:

    I look at the tests first.
    ```
    read tests/test_report.py:1-80
    ```
"""

import re  # noqa: TID251 - reads an answer
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COMMANDS = ("read", "search", "list", "run")
"""The commands that a model may write."""
# As lenient about the number of brackets as `formats.search_replace`.
_BEGINS = re.compile(r"<{5,9} ?SEARCH>?\s*")
_ENDS = re.compile(r">{5,9} ?REPLACE>?\s*")
_DELETES = re.compile(r"<{5,9} ?DELETE>?\s*")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})[^`]*")
_DIFF = re.compile(r"@@ |--- |\+\+\+ |diff --git ")
_DONE = re.compile(r"[`*\s]*(?:done|Done|DONE)[`*.!\s]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """Blocks or a diff, with all the text around them."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One of `COMMANDS`; `argument` is the rest of the line."""

    name: str
    argument: str


@dataclass(frozen=True, slots=True)
class Done:
    """The model says that the task, or its present item of the plan, is done."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """An answer that is no step; `why` is a clause."""

    why: str


Step = Edit | Command | Done | Malformed


def parse_step(answer: str) -> Step:
    """Read a step."""
    lines = answer.splitlines()
    if not any(map(str.strip, lines)):
        return Malformed("the message is empty")
    # Blocks first, since the lines in a block may look like fences and commands.
    outside = list(_outside_blocks(lines))
    bodies = list(_fenced(outside))
    alone = [line for line in outside if line.strip()]
    # A message of one line is read as if it stood in a fence.
    if len(alone) == 1:
        bodies.append(alone)
    commands = [body for body in bodies if body and body[0].split()[0] in COMMANDS]
    edits = len(outside) < len(lines) or any(_DIFF.match(body[0]) for body in bodies if body)
    if edits and commands:
        return Malformed("the message holds an edit and a command; a step is one of them")
    if edits:
        return Edit(answer)
    if commands:
        return _command(commands)
    last = alone[-1] if alone else ""
    if _DONE.fullmatch(last) or any(_is_done(body) for body in bodies):
        return Done()
    return Malformed(
        "the message holds no block, no command in a fence, and does not end with done"
    )


def _command(commands: Sequence[Sequence[str]]) -> Step:
    """The one command of a step."""
    if len(commands) > 1 or len(commands[0]) > 1:
        return Malformed("the message holds several commands; a step is one command on one line")
    name, _, argument = commands[0][0].strip().partition(" ")
    argument = argument.strip()
    if not argument and name != "list":
        return Malformed(f"{name} needs an argument")
    return Command(name, argument)


def _is_done(body: Sequence[str]) -> bool:
    return len(body) == 1 and _DONE.fullmatch(body[0]) is not None


def _outside_blocks(lines: Sequence[str]) -> Iterator[str]:
    """The lines that stand in no block that searches, replaces or deletes."""
    within = False
    for line in lines:
        if within:
            within = _ENDS.fullmatch(line) is None
        elif _BEGINS.fullmatch(line):
            within = True
        elif not _DELETES.fullmatch(line):
            yield line


def _fenced(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines within each fence, without blank ones."""
    body: list[str] | None = None
    opened = ""
    for line in lines:
        fence = _FENCE.fullmatch(line)
        if body is None and fence:
            body = []
            opened = fence["fence"]
        elif body is not None and fence and line.strip() == opened:
            yield body
            body = None
        elif body is not None and line.strip():
            body.append(line)
    # A fence that is not closed reaches to the end.
    if body:
        yield body
