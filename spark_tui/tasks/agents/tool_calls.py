"""The tool calls of an agent, as far as the agent has reported them."""

import json
import shlex
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from acp import schema

from spark_tui.errors import UsageError
from spark_tui.tasks.events import AgentDiff, ToolProgress
from spark_tui.vcs.safe_paths import check_path

_MOST_CALLS = 200
"""How many tool calls are remembered: the latest ones."""
_MOST_DIFF = 1 << 20
"""Characters of a tool call's diffs; where there are more, only their paths are kept."""
_MOST_TITLE = 200
_MOST_PATHS = 200
_MOST_SHOWN = 200
ENDED = ("completed", "failed")
_COMMANDS = ("command", "cmd", "commands", "command_line", "commandLine", "shell_command", "script")
"""The arguments of a tool that name the command which it runs."""
_SHELLS = ("sh", "bash", "dash", "zsh")
_OF_LINE = ("-c", "-lc")
"""The options of a shell that runs a line."""


def plain(text: str) -> str:
    """A text that can be written down: without half characters and NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def name_within(root: Path, path: str) -> str:
    """The path of a file relative to the work tree, given its absolute path.

    Args:
        root: The work tree.

    Raises:
        UsageError: The path is not absolute, leads out of the work tree, or belongs to git.
    """
    place = PurePosixPath(path)
    for base in (root, root.resolve()):
        if place.is_relative_to(base) and place != PurePosixPath(base):
            name = place.relative_to(base).as_posix()
            check_path(name)
            return name
    raise UsageError(f"{path[:_MOST_SHOWN]} lies outside of the work tree, {root}")


class ToolCalls:
    """The tool calls of an agent, by their ids. Mutable.

    Args:
        root: The work tree; the files in it are called by their names there.
    """

    def __init__(self, root: Path) -> None:
        self._bases = (f"{root}/", f"{root.resolve()}/")
        self._known = OrderedDict[str, ToolProgress]()
        self._commands: dict[str, str] = {}

    def update(self, call: Any) -> ToolProgress:
        """Take in an update of a tool call; what the agent leaves out stays as it was.

        Args:
            call: A `ToolCall` or a `ToolCallUpdate` of `acp.schema`.
        """
        name = plain(call.tool_call_id)
        known = self._known.get(name, ToolProgress(name, "", "other", "pending", (), ()))
        diffs = known.diffs
        if call.content is not None:
            # Content without a diff, such as text, leaves the diffs as they are.
            diffs = self._diffs(call.content) or diffs
        paths = known.paths
        if call.locations is not None:
            paths = tuple(self._name(place.path) for place in call.locations[:_MOST_PATHS])
        if sum(len(diff.old or "") + len(diff.new) for diff in diffs) > _MOST_DIFF:
            paths = tuple(dict.fromkeys((*paths, *(diff.path for diff in diffs))))
            diffs = ()
        title = known.title
        if call.title is not None:
            title = " ".join(plain(call.title).split())[:_MOST_TITLE]
        progress = ToolProgress(
            name, title, call.kind or known.kind, call.status or known.status, paths, diffs
        )
        # Of a call that has ended, the diffs would only take memory.
        self._known[name] = replace(progress, diffs=()) if progress.status in ENDED else progress
        self._known.move_to_end(name)
        if command := _command_of(call.raw_input):
            self._commands[name] = command
        while len(self._known) > _MOST_CALLS:
            forgotten, _ = self._known.popitem(last=False)
            self._commands.pop(forgotten, None)
        return progress

    def command(self, progress: ToolProgress) -> str:
        """The command line that a tool call runs; "" where the agent does not tell."""
        return self._commands.get(progress.id, "")

    def _diffs(self, content: Any) -> tuple[AgentDiff, ...]:
        diffs = []
        for item in content[:_MOST_PATHS]:
            if isinstance(item, schema.FileEditToolCallContent):
                old = None if item.old_text is None else plain(item.old_text)
                diffs.append(AgentDiff(self._name(item.path), old, plain(item.new_text)))
        return tuple(diffs)

    def _name(self, path: str) -> str:
        """A path as it is shown: relative to the work tree where it lies in it."""
        for base in self._bases:
            if path.startswith(base):
                return plain(path.removeprefix(base)) or "."
        return "." if f"{path}/" in self._bases else plain(path)


def command_line(words: Sequence[str]) -> str:
    """The command line of a program and its arguments; of a shell with a line, that line."""
    if len(words) == 3 and PurePosixPath(words[0]).name in _SHELLS and words[1] in _OF_LINE:
        return words[2]
    return shlex.join(words)


def _command_of(raw: Any) -> str:
    """The command line among the raw arguments of a tool; "" where there is none.

    One of another form than a line or words is given as JSON, which no rule allows.
    """
    given = raw if isinstance(raw, dict) else {}
    command = next((given[name] for name in _COMMANDS if given.get(name)), "")
    if isinstance(command, str):
        return plain(command)
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return plain(command_line(command))
    return plain(json.dumps(command))
