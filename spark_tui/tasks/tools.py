"""The commands of a model: it reads, searches and lists files, and runs what the user allowed.

Only files that git tracks or would track are shown, no links, and none that may hold secrets.
"""

import shlex
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from spark_tui.editing.text import Text
from spark_tui.errors import FileError, UsageError
from spark_tui.mentions import parse_place
from spark_tui.providers.chat_prompts import fenced
from spark_tui.tasks.sandbox import CommandRun, Sandbox, shortened
from spark_tui.tasks.steps import Command
from spark_tui.vcs.policy import Trust, holds_secrets
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.safe_paths import real_path

_MOST_BYTES = 4 << 20
"""A larger file is not read."""
_MOST_SHOWN = 8000
"""Characters of a file that one command shows."""
_MOST_HITS = 40
_MOST_LINE = 200
_MOST_NAMES = 300
_MOST_LISTED = 4000
"""Characters of the list of files that a model reads first."""
RUN_SECONDS = 120.0
"""How long one command may run."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a model may run.

    Attributes:
        allowed: The beginnings of command lines, such as "pytest" or "python -m build".
        check: The check of the task, which is allowed, too; "" for none.
        refusal: Why nothing may run here; "" where something may.
        variables: The names of variables that a command sees beside the usual ones.
    """

    allowed: tuple[str, ...] = ()
    check: str = ""
    refusal: str = ""
    variables: tuple[str, ...] = ()

    def line_for(self, argument: str) -> str:
        """The command line for the shell.

        The shell takes no character of the line as its own, unless the line is the check itself.

        Raises:
            UsageError: The command is not allowed.
        """
        if self.refusal:
            raise UsageError(self.refusal)
        if self.check and argument == self.check:
            return argument
        try:
            words = shlex.split(argument)
        except ValueError as e:
            raise UsageError(f"it cannot be read as a command line: {e}") from e
        # Compared word by word: "pytest" does not allow "pytest-x". The words are then quoted anew,
        # so "pytest ; rm x" gives pytest three odd arguments instead of starting rm.
        for beginning in self.allowed:
            known = shlex.split(beginning)
            if known and words[: len(known)] == known:
                return shlex.join(words)
        names = dict.fromkeys(filter(None, (*self.allowed, self.check)))
        may = f"allowed are: {', '.join(names)}" if names else "no command is allowed here"
        raise UsageError(f"`{argument[:_MOST_LINE]}` is not allowed; {may}")


def run_rules(
    trust: Trust, allowed: Sequence[str], check: str, variables: Sequence[str] = ()
) -> RunRules:
    """What a model may run in a repository: nothing, unless the user trusts it.

    Args:
        allowed, check, variables: As for `RunRules`.

    Raises:
        RepoError, FileError: The repository, or the trust in it, cannot be read.
    """
    refusal = ""
    if not trust.trusted:
        refusal = "nothing may be run in this repository, because the user has not trusted it"
    return RunRules(tuple(allowed), check, refusal, tuple(variables))


class ToolAnswer(NamedTuple):
    """What a model reads of the outcome of a command, and whether a program that ran failed."""

    text: str
    has_failed: bool = False


class Tools:
    """Carries out the commands of a model.

    Args:
        rules: What may run.
        sandbox: Where it runs.
    """

    def __init__(self, rules: RunRules, sandbox: Sandbox) -> None:
        self.rules = rules
        self.sandbox = sandbox

    def answer(
        self, command: Command, repo: Repository, seconds: float
    ) -> Generator[None, None, ToolAnswer]:
        """Carry out a command; waiting for what runs yields.

        Args:
            repo: The work tree of the task.
            seconds: How long a command may run at most.

        Raises:
            UsageError, FileError: The command is refused; the message says why.
        """
        match command.name:
            case "read":
                return ToolAnswer(_read(repo, command.argument))
            case "search":
                return ToolAnswer(_search(repo, command.argument))
            case "list":
                return ToolAnswer(list_files(repo, command.argument))
        limit = min(RUN_SECONDS, seconds)
        run = yield from self.sandbox.run(self.rules.line_for(command.argument), limit)
        return ToolAnswer(describe_run(command.argument, run, limit), run.status != 0)


def describe_run(line: str, run: CommandRun, limit: float) -> str:
    """A run of a command, as a model reads it."""
    end = f"was stopped after {limit:.0f} seconds" if run.status is None else ""
    end = end or ("passes" if run.status == 0 else f"fails with exit status {run.status}")
    output = fenced("", run.output.splitlines()) if run.output else "It prints nothing."
    return f"`{line}` {end}.\n{output}"


def _read(repo: Repository, argument: str) -> str:
    """Some lines of a file, or as many as fit."""
    try:
        place = parse_place(argument.strip("\"'`"))
    except UsageError as e:
        raise UsageError("write `read PATH` or `read PATH:FIRST-LAST`") from e
    lines = _lines_of(repo, place.path)
    first, last = place.lines or (1, len(lines))
    last = min(last, len(lines))
    if first > len(lines):
        return f"{place.path} has {len(lines)} lines."
    shown = list[str]()
    room = _MOST_SHOWN
    for line in lines[first - 1 : last]:
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    # A line longer than the room is shown in part, or a model could not read past it.
    if not shown:
        shown.append(f"{lines[first - 1][:_MOST_SHOWN]} [the line is cut here]")
    end = first + len(shown) - 1
    more = f" (`read {place.path}:{end + 1}-{last}` shows more)" if end < last else ""
    title = f"{place.path}, lines {first} to {end} of {len(lines)}{more}:"
    return f"{title}\n{fenced(place.path, shown)}"


def _lines_of(repo: Repository, path: str) -> tuple[str, ...]:
    """The lines of a file that may be shown.

    Raises:
        UsageError, FileError: The file may not be shown, or is not text.
    """
    name = repo.resolve(path, start=repo.root)
    if holds_secrets(name) or holds_secrets(real_path(repo.root, name)):
        raise UsageError(f"{name} may hold secrets and is not shown")
    if repo.size(name) > _MOST_BYTES:
        raise UsageError(f"{name} is too large to be read")
    return Text.from_bytes(repo.read(name), name).lines


def _search(repo: Repository, words: str) -> str:
    """The lines that hold all of some words, whatever their capitals."""
    wanted = words.strip("\"'`").casefold()  # reads an answer
    hits = [*_hits(repo, [wanted])] or [*_hits(repo, wanted.split())]
    if not hits:
        return f"No line holds {words[:_MOST_LINE]!r}."
    more = "\n(there are more; search for more words)" if len(hits) > _MOST_HITS else ""
    return "\n".join(hits[:_MOST_HITS]) + more


def _hits(repo: Repository, wanted: list[str]) -> Iterator[str]:
    """The lines that hold all words, with their places; one more than is shown at most."""
    count = 0
    for path in repo.files():
        if holds_secrets(path) or repo.size(path) > _MOST_BYTES:
            continue
        try:
            lines = Text.from_bytes(repo.read(path), path).lines
        except (FileError, UsageError):
            continue
        for number, line in enumerate(lines, 1):
            folded = line.casefold()  # reads an answer
            if all(word in folded for word in wanted):
                yield f"{path}:{number}: {line.strip()[:_MOST_LINE]}"
                count += 1
                if count > _MOST_HITS:
                    return


def files_shown(repo: Repository) -> str:
    """The list of files that a model reads first."""
    return shortened(list_files(repo), _MOST_LISTED)


def list_files(repo: Repository, argument: str = "") -> str:
    """The files below a folder; of very many, the folders with their numbers of files."""
    folder = argument.strip("\"'`").removeprefix("./").strip("/")
    names = [
        path
        for path in repo.files()
        if folder in {"", ".", path} or PurePosixPath(path).is_relative_to(folder)
    ]
    if not names:
        return f"There is no file below {folder[:_MOST_LINE]!r}."
    if len(names) <= _MOST_NAMES:
        return "\n".join(names)
    depth = 1 if folder in {"", "."} else folder.count("/") + 2
    groups: dict[str, int] = {}
    for name in names:
        parts = name.split("/")
        group = "/".join(parts[:depth]) + ("/" if len(parts) > depth else "")
        groups[group] = groups.get(group, 0) + 1
    counted = [
        f"{group} ({count} files)" if count > 1 else group for group, count in groups.items()
    ]
    shown = counted[:_MOST_NAMES]
    more = f"\nand {len(counted) - len(shown)} more" if len(counted) > len(shown) else ""
    return "\n".join(shown) + more
