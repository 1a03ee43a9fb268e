"""The errors that a language server finds in a file, and those that an edit adds.

Knows no server and no protocol beyond the shape of a diagnostic. A server may say anything. What
may be an error counts as one, also without a severity, which the protocol leaves to the client, and
without a place in the file: an edit is not called checked where a server had something to say.

Source: Language Server Protocol 3.18, Diagnostic.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spark_tui.editing.line_diff import line_changes

_MILDER = (2, 3, 4)
"""The severities of warnings, information and hints."""
_NO_WORDS = "an error without words"
_MOST = 1000
"""Diagnostics of one file that are read."""
_MOST_CHARACTERS = 160  # of one message


@dataclass(frozen=True, slots=True)
class TypeFault:
    """An error in a file.

    Attributes:
        line: The line, 0-based.
        code: What kind of error this is, in the server's own words.
        message: What is wrong, in one line.
    """

    line: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line + 1}: {self.message}"


def read_faults(items: Any, lines: int, unheeded: Collection[str]) -> tuple[TypeFault, ...]:
    """The errors among a server's diagnostics, in the order of the lines.

    Args:
        items: What the server sent.
        lines: How many lines the file has.
        unheeded: The codes of errors that do not count.
    """
    last = max(0, lines - 1)
    faults = list[TypeFault]()
    for item in _errors(items):
        code = item.get("code")
        words = "" if code is None else str(code)
        if words not in unheeded:
            line = min(max(_line_in(item), 0), last)
            faults.append(TypeFault(line, words, _first_line(_message_in(item))))
    return tuple(sorted(faults, key=_line_of))


def _line_of(fault: TypeFault) -> int:
    return fault.line


def _errors(items: Any) -> Iterator[dict[str, Any]]:
    """Yield the diagnostics that may be errors."""
    if not isinstance(items, list):
        return
    for item in items[:_MOST]:
        if isinstance(item, dict) and _may_be_error(item):
            yield item


def _may_be_error(item: dict[str, Any]) -> bool:
    """Whether a diagnostic is an error, or has no severity and says something.

    What has a tag, for code that is not used, is no error of its own.
    """
    severity = item.get("severity")
    if severity is None:
        return bool(item.get("message")) and not item.get("tags")
    return severity not in _MILDER


def _line_in(item: dict[str, Any]) -> int:
    """The line of a diagnostic, 0-based, as the server tells it; 0 where it tells none."""
    match item:
        case {"range": {"start": {"line": int(line)}}}:
            return line
    return 0


def _message_in(item: dict[str, Any]) -> str:
    """The message of a diagnostic, which may be marked up."""
    message = item.get("message")
    if isinstance(message, dict):
        message = message.get("value")
    return message if isinstance(message, str) and message.strip() else _NO_WORDS


def _first_line(message: str) -> str:
    """The first line of a message, cut where it is very long."""
    first = next(iter(message.strip().splitlines()), "")
    if len(first) > _MOST_CHARACTERS:
        return first[: _MOST_CHARACTERS - 1] + "…"
    return first


def added_faults(
    before: Sequence[TypeFault],
    base: Sequence[str],
    after: Sequence[TypeFault],
    proposed: Sequence[str],
) -> tuple[TypeFault, ...]:
    """The errors of a proposal that its base did not have.

    An error in a line that stays is the base's if that had one of the same kind there, whatever the
    message says of it now: the edit may change the types that the message names. Any other error is
    the base's if that had the same one anywhere, as where lines move.

    Args:
        before: The errors of the base.
        base: The lines of the base.
        after: The errors of the proposal.
        proposed: The lines of the proposal.
    """
    # First pair off errors in lines that stay, by their kind; then the rest by kind and message,
    # wherever they stand. What finds no partner is new.
    moved = _moved_lines(base, proposed)
    stayed = Counter[tuple[int, str]]()
    for fault in before:
        if fault.line in moved:
            stayed[moved[fault.line], fault.code] += 1
    gone = Counter((fault.code, fault.message) for fault in before)
    left = list[TypeFault]()
    for fault in after:
        if stayed[fault.line, fault.code] > 0:
            stayed[fault.line, fault.code] -= 1
            gone[fault.code, fault.message] -= 1
        else:
            left.append(fault)
    added = list[TypeFault]()
    for fault in left:
        if gone[fault.code, fault.message] > 0:
            gone[fault.code, fault.message] -= 1
        else:
            added.append(fault)
    return tuple(added)


def _moved_lines(base: Sequence[str], proposed: Sequence[str]) -> dict[int, int]:
    """The line of the proposal, 0-based, that each line of the base became and that stays as is."""
    moved = dict[int, int]()
    done = 0
    growth = 0
    for change in line_changes(base, proposed):
        for line in range(done, change.old_start):
            moved[line] = line + growth
        done = change.old_stop
        growth = change.new_stop - change.old_stop
    for line in range(done, len(base)):
        moved[line] = line + growth
    return moved
