"""Lines that go away, with the blank lines that would be left over."""

from collections.abc import Sequence


def without(lines: Sequence[str], first: int, last: int) -> list[str]:
    """The lines without first..last; where these stood between blank lines, the larger gap stays."""
    start, stop = first, last + 1
    while start > 0 and not lines[start - 1].strip():
        start -= 1
    while stop < len(lines) and not lines[stop].strip():
        stop += 1
    above, below = first - start, stop - last - 1
    extra = min(above, below) if start else below
    if stop == len(lines):
        return list(lines[: first if below else start])
    return [*lines[:first], *lines[last + 1 + extra :]]
