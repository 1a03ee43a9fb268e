"""What a turn says for itself at its end, and what is said of a hunk that was asked for again."""

import re
from collections.abc import Iterable

from spark_tui.context.source import Region
from spark_tui.editing.checks import Check

_COUNTED = re.compile(r"(?<=: )(?P<count>\d+) hunks?(?=, checked)")
DOUBT = "; it leaves something out or says what the test expects, so look whether it is right"
"""What is said of an edit that may well pass for no good reason."""


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based; only the path where the file is empty."""
    if region.end_line < region.start_line:
        return region.path
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def mixed(path: str, line: int) -> str:
    """Text that would be written in UTF-8, into a file that is not."""
    return (
        f"{path} is not UTF-8, so that what line {line} would hold could not be read there; nothing was written: "
        "keep to ASCII, or save the file as UTF-8 first"
    )


def same_again() -> str:
    """A hunk was asked for again, and came out as it was."""
    return "the hunk comes out the same; say what should be different"


def first_again() -> str:
    """A hunk was asked for again after something was done to it, and came out as at first."""
    return "with these words the hunk comes out as it was at first; say what should be different in other words"


def nothing_there() -> str:
    """A hunk was asked for again, and the new answer leaves its lines alone."""
    return "with these words nothing changes in this hunk; say it in other words"


def repaired(tried: int, total: int, *, doubtful: bool = False) -> str:
    """How the edit was found. Args: doubtful: it may well pass for no good reason."""
    return f"; found by trying {tried} of {total} small changes{DOUBT if doubtful else ''}"


def done(kind: str, hunks: int, checks: Iterable[Check]) -> str:
    """The edit passed its checks."""
    checks = tuple(checks)
    passed = ", ".join(check.name for check in checks if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in checks if check.detail)
    return f"{kind}: {hunks} hunk{'' if hunks == 1 else 's'}, checked ({passed}){notes}"


def now_open(message: str, hunks: int) -> str:
    """What `done` says, by now. Args: hunks: how many of the edit are open."""

    def told(match: re.Match[str]) -> str:
        if not hunks:
            return f"{match[0]}, decided"
        of = f" of {match['count']}" if hunks < int(match["count"]) else ""
        return f"{hunks}{of} hunk{'s' * (of != '' or hunks != 1)}{' open' if of else ''}"

    return _COUNTED.sub(told, message, count=1)
