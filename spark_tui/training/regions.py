"""The region of a file that shows a change: a function, a class, or whole blocks around it."""

from collections.abc import Sequence

from spark_tui.context.outlines import outline_of
from spark_tui.context.symbols import Symbol, symbols

LONGEST_REGION = 80
SHORTEST_WINDOW, LONGEST_WINDOW = 20, 60
MARGIN = 10
"""Lines on each side of a change whose block is too long to be shown whole."""


def changed_lines(before: Sequence[str], after: Sequence[str]) -> tuple[int, int] | None:
    """Find the first and the last line of a file (1-based) between which all that changes lies.

    Returns:
        The lines; the two on both sides of where lines are only added. None where nothing changes.
    """
    if before == after:
        return None
    shorter = min(len(before), len(after))
    top = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    left = range(shorter - top)
    bottom = next((n for n in left if before[-1 - n] != after[-1 - n]), len(left))
    first, last = top + 1, len(before) - bottom
    if first > last:
        first, last = max(last, 1), min(first, len(before))
    return first, last


def find_region(path: str, lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Find the region that shows lines of a file (1-based): the innermost symbol, else a window.

    Returns:
        The first and the last line of the region.
    """
    found = _symbols(path, lines, first, last)
    holders = (symbol for symbol in found if symbol.contains(first, last))
    innermost = min(holders, key=lambda symbol: symbol.length, default=None)
    if innermost is not None and innermost.length <= LONGEST_REGION:
        return innermost.start_line, innermost.end_line
    return find_window(lines, first, last)


def _symbols(path: str, lines: Sequence[str], first: int, last: int) -> tuple[Symbol, ...]:
    if path.endswith((".py", ".pyi")):
        return symbols(lines)
    # A symbol begins with the comment above it, which stands before what the grammar calls it.
    return outline_of(path, lines, (first, last + LONGEST_REGION))


def find_window(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Find whole blocks around lines of a file (1-based); a blank line ends a block.

    Returns:
        The first and the last line of the window.
    """
    start, end = _block_start(lines, first), _block_end(lines, last)
    if end - start >= LONGEST_WINDOW:
        start = max(1, first - MARGIN)
        return start, min(len(lines), last + MARGIN, start + LONGEST_REGION - 1)
    while end - start + 1 < SHORTEST_WINDOW and (start, end) != (1, len(lines)):
        wider = _wider(lines, start, end)
        if wider[1] - wider[0] >= LONGEST_WINDOW:
            break
        start, end = wider
    return start, end


def _wider(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Add the shorter one of the blocks above and below, where there are both."""
    above = _block_start(lines, max(start - 2, 1))
    below = _block_end(lines, min(end + 2, len(lines)))
    if end == len(lines) or (start > 1 and start - above <= below - end):
        return above, end
    return start, below


def _block_start(lines: Sequence[str], number: int) -> int:
    while number > 1 and lines[number - 2]:
        number -= 1
    return number


def _block_end(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and lines[number]:
        number += 1
    return number
