"""Whether an agent may do what it asks for, by the rules of its task.

An edit of files in the work tree is allowed, since the user reviews it at the end. A command is
allowed where a model on the task could run it. Whatever the agent leaves unsaid is refused.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.tasks.agents.tool_calls import name_within
from spark_tui.tasks.events import ToolProgress
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.policy import holds_secrets

_OF_SHELL = frozenset("\\|&;<>()$`\n\r")
"""Characters with which a shell may run more than the first words tell."""
_WRITES = ("edit", "delete", "move")
_READS = ("read", "search")


def refusal_of(call: ToolProgress, command: str, root: Path, rules: RunRules) -> str:
    """Why a tool call is not allowed, as a clause; "" where it is.

    Args:
        command: The command line that the call runs; "" where the agent does not tell.
        root: The work tree.
    """
    try:
        # Whatever an agent calls it, what names a command may run one.
        if command or call.kind == "execute":
            _check_command(command, rules)
        if call.kind in {*_WRITES, *_READS}:
            _check_paths(call, root)
        elif call.kind not in {"think", "execute"}:
            return f"no rule allows a tool of the kind {call.kind}"
    except UsageError as e:
        return str(e)
    return ""


def choose(options: Sequence[Any], *, allow: bool) -> str:
    """The option to answer with; "" where the agent offers none that fits.

    Permission is given for one call only, so that the agent keeps none.

    Args:
        options: Those of `acp.schema.RequestPermissionRequest`.
    """
    wanted = ("allow_once",) if allow else ("reject_once", "reject_always")
    for kind in wanted:
        for option in options:
            if option.kind == kind:
                return str(option.option_id)
    return ""


def _check_command(command: str, rules: RunRules) -> None:
    """Refuse a command line that may not run, or that a shell may turn into another one.

    Raises:
        UsageError: The command line is refused.
    """
    if not command:
        raise UsageError("it does not tell which command it runs")
    rules.line_for(command)
    if command != rules.check and not _OF_SHELL.isdisjoint(command):
        raise UsageError("the shell may make another command of it")


def _check_paths(call: ToolProgress, root: Path) -> None:
    """Refuse files outside of the work tree, and to read those that may hold secrets.

    Raises:
        UsageError: A file is refused, or the agent does not name the files that it would write.
    """
    paths = (*call.paths, *(diff.path for diff in call.diffs))
    if not paths and call.kind in _WRITES:
        raise UsageError("it does not tell which file it changes")
    for path in paths:
        if path == "." and call.kind in _READS:
            continue
        name = name_within(root, path if path.startswith("/") else f"{root}/{path}")
        if call.kind in _READS and holds_secrets(name):
            raise UsageError(f"{name} may hold secrets")
