"""The format of Sweep's next-edit models, which take no words: the prompt, and what they write.

A raw prompt has related files, the latest changes, and a window of lines as it was and as it is.
The model writes the window anew. Each text stands below a line with its path, behind a special
token, which no text may hold.

Source:
    zed-industries/zed, crates/edit_prediction/src/sweep_prompt.rs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from spark_tui.errors import UsageError

STOPS = ("<|file_sep|>", "</s>")
"""What ends an answer, and may stand in no text."""
AROUND = 10
"""How many lines of a window stand above, and below, the place."""
MOST_CHANGES = 3
MOST_LINES = 40
"""The most lines of a change; a longer one loses its middle."""
_MARK = "<|file_sep|>"
_LEFT_OUT = "..."


@dataclass(frozen=True, slots=True)
class RecentChange:
    """Lines of a file that became others."""

    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of a file before the latest change, and now."""

    path: str
    before: tuple[str, ...]
    now: tuple[str, ...]


def sweep_prompt(window: Window, changes: Sequence[RecentChange]) -> str:
    """Write a prompt.

    Args:
        window: The lines that the model writes anew.
        changes: The changes so far, the latest last.

    Raises:
        UsageError: A text holds what separates the texts.
    """
    parts = list[str]()
    for change in changes[-MOST_CHANGES:]:
        lines = ["original:", *_cut(change.before), "updated:", *_cut(change.after)]
        parts.append(_part(f"{change.path}.diff", lines))
    parts.append(_part(f"original/{window.path}", window.before))
    parts.append(_part(f"current/{window.path}", window.now))
    # the prompt ends with the path of the new window, below which the model writes its lines
    parts.append(_part(f"updated/{window.path}", ()))
    return "".join(parts)


def read_window(answer: str) -> tuple[str, ...]:
    """Read the lines that a model wrote, up to what ends an answer."""
    for stop in STOPS:
        answer = answer.partition(stop)[0]
    return tuple(answer.removesuffix("\n").split("\n"))


def _part(path: str, lines: Sequence[str]) -> str:
    text = "".join(f"{line}\n" for line in (path, *lines))
    if any(stop in text for stop in STOPS):
        names = " and ".join(STOPS)
        raise UsageError(f"{path} holds {names}, which this model cannot read as text")
    return _MARK + text


def _cut(lines: Sequence[str]) -> Sequence[str]:
    """Leave out the middle of a long change."""
    if len(lines) <= MOST_LINES:
        return lines
    head = MOST_LINES // 2
    tail = MOST_LINES - head - 1
    return (*lines[:head], _LEFT_OUT, *lines[-tail:])
