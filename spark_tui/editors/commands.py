"""The slash commands of an editor's prompt: their table, and how a typed one is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from acp import schema

from spark_tui.errors import UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the prompt.

    Attributes:
        name: The word behind the slash.
        does: What the editor's list says of the command.
        argument: What the command takes; "" for nothing.
    """

    name: str
    does: str
    argument: str = ""


COMMANDS = (
    Command("accept", "ask again about the hunks that are open"),
    Command("ask", "a question to a chat model; nothing is edited", "a question"),
    Command("check", "run a command after each accept; off ends it", "a command, or off"),
    Command("keep", "resolve the conflicts of a merge", "ours, theirs or both"),
    Command("log", "what was accepted, undone and redone"),
    Command("redo", "redo what was undone last"),
    Command("rename", "rename in all Python files", "NEW, or OLD NEW"),
    Command("task", "a chat model works by itself, beside your files", "what to do"),
    Command("undo", "take back what was accepted last"),
)
_BY_NAME = {command.name: command for command in COMMANDS}


def available_commands() -> Any:
    """The update that tells an editor of the commands."""
    commands = []
    for command in COMMANDS:
        wants = None
        if command.argument:
            hint = schema.UnstructuredCommandInput(hint=command.argument)
            wants = schema.AvailableCommandInput(root=hint)
        commands.append(
            schema.AvailableCommand(name=command.name, description=command.does, input=wants)
        )
    return schema.AvailableCommandsUpdate(
        session_update="available_commands_update", available_commands=commands
    )


def read_command(words: str) -> tuple[Command, str] | None:
    """Read a prompt as a command and its argument; None if it is words, or begins with a path.

    Raises:
        UsageError: There is no such command, or it takes no argument.
    """
    head, *rest = words.split(maxsplit=1)
    name = head.removeprefix("/")
    # A path such as /usr/bin has more than letters behind its slash.
    if name == head or not name.isalpha():
        return None
    command = _BY_NAME.get(name)
    if command is None:
        raise UsageError(f"there is no command /{name}; there are {_listed(_BY_NAME)}")
    argument = rest[0] if rest else ""
    if argument and not command.argument:
        raise UsageError(f"/{name} takes no argument; to say something else, begin without /")
    return command, argument


def _listed(names: Sequence[str] | dict[str, Command]) -> str:
    return ", ".join(f"/{name}" for name in names)
