"""Which agent a task is for, and whether it can be started. Knows nothing of the protocol."""

import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.config import Agent
from spark_tui.errors import UsageError
from spark_tui.session.telemetry import Telemetry
from spark_tui.tasks.log import TaskLog
from spark_tui.tasks.store import TaskStore
from spark_tui.tasks.tools import RunRules
from spark_tui.vcs.git import path_outside
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from spark_tui.tasks.agents.task import AgentTask

MARK = "@"
"""Begins the name of an agent wherever a model's name may stand, too."""
MOST_STEPS = 400
"""The steps that an agent may take where the user names no number: a tool call is one."""
EXTRA = "spark-tui[agents]"


def split_agent(words: str) -> tuple[str, str]:
    """Split `@NAME WORDS` into the name of an agent and the words.

    Returns:
        "" and the words as they are where they do not begin with `@`.
    """
    first, *rest = words.split(maxsplit=1) or [""]
    if not first.startswith(MARK):
        return "", words
    return first.removeprefix(MARK), "".join(rest).strip()


def find_agent(name: str, agents: Mapping[str, Agent]) -> Agent:
    """An agent by its name.

    Raises:
        UsageError: There is none of that name, or the package for agents is not installed.
    """
    if name not in agents:
        known = f"the agents are {', '.join(sorted(agents))}" if agents else "there is none yet"
        raise UsageError(
            f"there is no agent {name!r}; {known}: add a table [agents.NAME] to config.toml, as in "
            f"examples/agents.md"
        )
    if find_spec("acp") is None:
        raise UsageError(f"agents need a package that is not installed: pip install '{EXTRA}'")
    return agents[name]


def find_program(agent: Agent, root: Path) -> str:
    """The path of an agent's program.

    Args:
        root: The user's work tree, from which no program is taken.

    Raises:
        UsageError: There is no such program, or it lies in the work tree.
    """
    command = str(Path(agent.command).expanduser())
    program = shutil.which(command, path=path_outside(root))
    if program is None:
        raise UsageError(
            f"there is no program {agent.command} for @{agent.name}; install it, or change command "
            f"in [agents.{agent.name}] of config.toml"
        )
    # A command with a slash is not looked for on PATH, and a link elsewhere may lead into the work
    # tree.
    found = Path(program).absolute()
    if any(place.is_relative_to(root.resolve()) for place in (found, found.resolve())):
        raise UsageError(f"{found} lies in this repository, so it is not started")
    return str(found)


def open_agent_task(
    store: TaskStore,
    repo: Repository,
    log: TaskLog,
    agent: Agent,
    rules: RunRules,
    keys: Sequence[str] = (),
    *,
    asks: bool = False,
    telemetry: Telemetry | None = None,
) -> "AgentTask":
    """A task for an agent, ready to begin or to go on.

    Args:
        store: Where the task is.
        repo: The user's work tree, which stays as it is.
        rules: What the agent may run.
        keys: The environment variables with keys, which no command sees.
        asks: Whether somebody answers what the rules do not allow; see `AgentTask`.
        telemetry: Notes the figures of steps; None: nothing is noted.

    Raises:
        UsageError: There is no such program.
    """
    from spark_tui.tasks.agents.task import AgentTask  # noqa: PLC0415 - it needs the extra

    program = find_program(agent, repo.root)
    return AgentTask(store, repo, log, agent, program, rules, keys, asks=asks, telemetry=telemetry)
