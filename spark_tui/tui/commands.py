"""The slash commands of the prompt: the table `COMMANDS`, and how a typed command is read.

To add a command, add a row to `COMMANDS`; `screens/command_runner.py` carries out those whose
`action` is empty.
"""

import re  # noqa: TID251 - reads what is typed, by its shape
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

_NEAR = 0.4
"""The least likeness of a name that is suggested instead, from 0 to 1."""
_COMMAND = re.compile(r"/(?P<name>[a-zA-Z]*)(?:\s+(?P<argument>.*?))?\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command of the prompt.

    Args:
        name: The word behind the slash.
        does: What the list says about the command.
        action: As in a binding ("app.help", "screen.undo"), called with the argument if the
            command takes one; "": `CommandRunner` carries the command out.
        argument: What the command takes, "" for nothing; the user may leave it out.
    """

    name: str
    does: str
    action: str
    argument: str = ""


COMMANDS = (
    SlashCommand("help", "every key and what it does", "app.help"),
    SlashCommand(
        "ask", "a question to a chat model: an answer in words, nothing is edited", "", "a question"
    ),
    SlashCommand(
        "examples",
        "requests that would work where you are, or at @PLACE",
        "screen.suggest",
        "a place",
    ),
    SlashCommand("model", "which model writes; with a name: change to it", "", "a model"),
    SlashCommand("diff", "to the diff", "screen.to_diff"),
    SlashCommand(
        "review",
        "what changed in the work tree, by hunk, since HEAD or BASE",
        "",
        "a commit, a branch or a work tree",
    ),
    SlashCommand("keep", "resolve the conflicts of a merge: ours, theirs or both", "", "a side"),
    SlashCommand(
        "rename", "rename in all Python files: NEW, @FILE::NAME NEW or OLD NEW", "", "a name"
    ),
    SlashCommand(
        "task",
        "a model, or your agent @NAME, works by itself in a work tree beside yours",
        "screen.task",
        "what to do",
    ),
    SlashCommand("tasks", "the tasks: pause, redirect, review", "screen.show_tasks"),
    SlashCommand("plan", "a list of steps to change, for a task", "screen.plan", "what to do"),
    SlashCommand("undo", "take back what was accepted or rejected last", "screen.undo"),
    SlashCommand("redo", "redo what was undone last", "screen.redo"),
    SlashCommand("log", "what was accepted, undone and redone", "app.show_log"),
    SlashCommand("check", "run a command after each accept; off ends it", "", "a command, or off"),
    SlashCommand("message", "the last message, all of it", "screen.show_message"),
    SlashCommand("theme", "choose the theme, from now on", "", "a theme"),
    SlashCommand("meters", "show what is measured, or hide it", "screen.meters"),
    SlashCommand("pace", "how fast it writes on the screen", "app.pace", "a pace"),
    SlashCommand("wafer", "the simulated wafer", "app.show_wafer"),
    SlashCommand("clear", "an empty screen; nothing on disk changes", "screen.clear"),
    SlashCommand("resume", "earlier turns", "app.show_turns"),
    SlashCommand("commit", "stage and commit what was accepted", "screen.commit"),
    SlashCommand(
        "doctor", "what is installed, and what to do about what is missing", "app.show_doctor"
    ),
    SlashCommand("quit", "leave spark", "app.quit"),
)


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A command as it was typed: a known command, or None with the problem in words."""

    command: SlashCommand | None
    argument: str
    problem: str = ""


def meant(
    text: str, names: Collection[str], *, keys: Mapping[str, str] = MappingProxyType({})
) -> str:
    """What to say if a text is just the name of a command without its slash; else "".

    Args:
        names: The names of all commands.
        keys: The key that does the same, by the word for it.
    """
    name = text.strip()
    ways = []
    if name in names:
        ways.append(f"/{name}")
    if keys.get(name):
        ways.append(keys[name])
    if not ways:
        return ""
    return f"did you mean {' or '.join(ways)}? Type it again like that, or say more"


def is_command(text: str) -> bool:
    """Whether a text is a command, known or not, or a line for the shell: no words for a model."""
    return text.startswith("!") or typed_command(text.strip()) is not None


def typed_command(text: str) -> TypedCommand | None:
    """Read a text as a command; None for other texts, such as a path."""
    parts = _COMMAND.fullmatch(text)
    if parts is None or not text.startswith("/") or not parts["name"]:
        return None
    names = {command.name: command for command in COMMANDS}
    name = parts["name"].lower()
    argument = parts["argument"] or ""
    command = names.get(name)
    if command is None:
        near = get_close_matches(name, names, n=1, cutoff=_NEAR)
        how = f"the nearest is /{near[0]}" if near else "/ lists them"
        return TypedCommand(None, argument, f"there is no command /{name}; {how}")
    if argument and not command.argument:
        return TypedCommand(
            None, argument, f"/{name} takes no argument; to say something else, begin without /"
        )
    return TypedCommand(command, argument)
