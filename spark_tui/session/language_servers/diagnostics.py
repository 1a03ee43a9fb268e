"""The errors that a language server finds in a file, and those that an edit adds.

Knows no server and no protocol beyond the shape of a diagnostic. A server may say anything, so
whatever has another shape, or lies outside of the file, does not count.

Source: Language Server Protocol 3.17, Diagnostic.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spark_tui.editing.line_diff import line_changes

_ERROR = 1
"""The severity of an error."""
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
    faults = list(_faults(items, unheeded))
    return tuple(sorted((each for each in faults if each.line < lines), key=_line_of))


def _line_of(fault: TypeFault) -> int:
    return fault.line


def _faults(items: Any, unheeded: Collection[str]) -> Iterator[TypeFault]:
    if not isinstance(items, list):
        return
    for item in items[:_MOST]:
        match item:
            case {
                "range": {"start": {"line": int(line)}},
                "message": str(message),
                **rest,
            } if rest.get("severity") == _ERROR and line >= 0:
                code = str(rest.get("code", ""))
                if code not in unheeded:
                    yield TypeFault(line, code, _first_line(message))


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
