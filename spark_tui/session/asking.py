"""A turn over lines that belong to no repository: for measuring what spark answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from spark_tui.context.regions import Region
from spark_tui.editing.format import NO_EDIT, kind_mark
from spark_tui.editing.text import Text
from spark_tui.engine.library import LoadedModel
from spark_tui.session.events import Status
from spark_tui.session.fixing.trial import BUDGET_SECONDS, Command
from spark_tui.session.prompt import prompt_ids
from spark_tui.session.turn import Request, Turn
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository

_PATH = "asked.py"


@dataclass(frozen=True, slots=True)
class Answered:
    """What a turn answered. `lines`: the region after the edit, None when it abstained.

    `first`: what the first attempt alone made of the lines, whether sound or not (None: no edit). `confidence`: 0 when
    no attempt was sound.
    """

    kind: str | None
    lines: tuple[str, ...] | None
    first: tuple[str, ...] | None
    confidence: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a turn with a command answered. `lines`: as in `Answered`; `checks`: versions it was run on."""

    lines: tuple[str, ...] | None
    checks: int
    milliseconds: float


class Asker:
    """Asks for edits of lines; the keys and values of a region are kept between requests about it.

    Args: cautious: whether an answer below the model's `min_confidence` is held back, as in the program. speculate: as
            for `Turn`.
    """

    def __init__(self, loaded: LoadedModel, *, cautious: bool = True, speculate: bool = True) -> None:
        self._loaded = loaded
        self._cautious, self._speculate = cautious, speculate
        self._cache = loaded.model.new_cache()

    def ask(self, lines: Sequence[str], instruction: str, selected: tuple[int, int] | None = None) -> Answered:
        """The answer to one request. Args: selected: 0-based first and last line. Raises: UsageError: too long."""
        base, region = stage(lines, selected)
        turn = self._played(instruction, region, base)
        if not turn.attempted:
            return Answered(None, None, None, 0.0, turn.timing.total_ms)
        first, best = turn.first, turn.best
        shown = turn.status is Status.OK or (not self._cautious and best.sound and turn.kind != NO_EDIT)
        return Answered(
            turn.kind,
            tuple(best.writing.closed_lines) if shown else None,
            tuple(first.writing.closed_lines) if first.file != base else None,
            turn.confidence,
            turn.timing.total_ms,
        )

    def repair(
        self,
        lines: Sequence[str],
        instruction: str,
        selected: tuple[int, int] | None,
        accept: Iterable[Sequence[str]],
        passing: Callable[[str, Sequence[str]], str],
        *,
        budget: float = BUDGET_SECONDS,
    ) -> Repaired:
        """The answer to a request whose file lies in a repository, with a command to pass.

        Args: lines, instruction, selected: as for `ask`. accept: the lines after each edit that is right. passing: the
            command, from the path of the file and what is right in it. budget: as for `Command`.
        Raises: UsageError: too long, or no budget.
        """
        base, region = stage(lines, selected)
        head = base.lines[: region.start_line - 1]
        command = passing(_PATH, ["".join(line + "\n" for line in (*head, *right)) for right in accept])
        with TemporaryDirectory(prefix="spark-asked-") as folder:
            repo = _repository(Path(folder).resolve(), base)
            turn = self._played(instruction, region, base, Command(repo, command, budget))
        shown = turn.best.file.lines[len(head) :] if turn.status is Status.OK else None
        return Repaired(shown, turn.trial.tried if turn.trial else 0, turn.timing.total_ms)

    def _played(self, instruction: str, region: Region, base: Text, command: Command | None = None) -> Turn:
        request = Request(instruction, _PATH)
        turn = Turn("asked", request, region, base, self._loaded, self._cache, command, speculate=self._speculate)
        for _ in turn.events():
            pass
        return turn

    def kinds(
        self, names: Sequence[str], lines: Sequence[str], instruction: str, selected: tuple[int, int] | None = None
    ) -> dict[str, float]:
        """The log-probability of each kind by the model alone. Args: as for `ask`. Raises: UsageError: too long."""
        base, region = stage(lines, selected)
        ids = prompt_ids(self._loaded, region, base, instruction, self._cache.capacity)
        known = min(self._cache.common_prefix(ids), len(ids) - 1)
        self._cache.trim(known)
        marks = [self._loaded.tokenizer.special(kind_mark(name).name) for name in names]
        logits = self._loaded.model.forward(ids[known:], self._cache)[marks]
        logprobs = logits - logits.max()
        return dict(zip(names, (logprobs - np.log(np.exp(logprobs).sum())).tolist(), strict=True))


def stage(lines: Sequence[str], selected: tuple[int, int] | None = None) -> tuple[Text, Region]:
    """A file that holds these lines, and where in it they are. Args: selected: 0-based first and last line."""
    head = _around(lines)
    base = Text.from_bytes("".join(line + "\n" for line in (*head, *lines)).encode(), _PATH)
    return base, Region(_PATH, len(head) + 1, len(head) + len(lines), None, selected, "", "lines")


def _repository(folder: Path, base: Text) -> Repository:
    """A new one that tracks a file."""
    (folder / _PATH).write_bytes(base.to_bytes())
    run_git(["init", "--quiet"], cwd=folder)
    run_git(["add", "--all"], git_dir=folder / ".git", work_tree=folder)
    return Repository.discover(folder)


def _around(lines: Sequence[str]) -> list[str]:
    """Headers that make indented lines a file that parses."""
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    tab = any(line.startswith("\t") for line in filled)
    levels = margin if tab else -(-margin // 4)
    return [
        "class Around:" if level == 0 else ("\t" if tab else "    ") * level + "if True:" for level in range(levels)
    ]
