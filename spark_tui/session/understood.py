"""Whether so much of a request was understood that its edit may be written before anybody has looked at it."""

import re
from collections.abc import Iterator

from spark_tui.editing.intents import FILE_NAME
from spark_tui.engine.library import LoadedModel
from spark_tui.errors import FileError
from spark_tui.session.answers import where
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.intents import PLAINLY
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.unread import reading
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository

_DEPENDENCIES = re.compile(r"(?:[\w.-]+/)*(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[\w-]*requirements[\w-]*\.txt)")


def unread(turn: Turn, loaded: LoadedModel, repo: Repository) -> tuple[str, ...]:
    """The words of a request to which an edit says nothing, where these are too many for it to be written unseen.

    None where a command has accepted the edit, or where the model comes without counts of words.
    """
    if turn.trial or FILE_NAME not in loaded.extras:
        return ()
    steps = turn.steps if isinstance(turn, ComposedTurn) else (turn,)
    return tuple(dict.fromkeys(word for step in steps for word in _unread(step, repo)))


def _unread(turn: Turn, repo: Repository) -> tuple[str, ...]:
    if not turn.attempted or turn.confidence >= PLAINLY:
        return ()
    region, file = turn.region, turn.base.lines
    lines = file[region.start_line - 1 : region.end_line]
    code = Code(turn.words, where(region), region, lines, file)
    after = turn.best.writing.closed_lines
    found = reading(turn.words, code, after, turn.kind or "", turn.strange, lambda: _modules(repo))
    return found.unread if found.is_poor else ()


def _modules(repo: Repository) -> Iterator[str]:
    """The words of a repository that may be names of modules: those of its files, and what it says it needs."""
    for path in repo.names():
        yield from re.findall(r"\w+", path)
        if _DEPENDENCIES.fullmatch(path):
            try:
                yield from re.findall(r"\w+", repo.read(path).decode("utf-8", "replace"))
            except FileError:
                continue
