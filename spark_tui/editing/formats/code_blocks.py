"""The code blocks of an answer to a question, and where a block belongs in a file."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from spark_tui.editing.formats.fences import Fence, read_fence_text
from spark_tui.editing.formats.indentation import indent_of


def code_blocks(answer: str) -> list[tuple[str, ...]]:
    """The lines of each fenced block of an answer that is closed and not blank."""
    blocks = list[tuple[str, ...]]()
    block = list[str]()
    fence = None
    for line in answer.split("\n"):
        if fence is None:
            fence = Fence.opened(line)
            text = read_fence_text(fence.info if fence else "")
            block = [] if text.code is None else [text.code]
        elif fence.ends(line):
            fence = None
            if any(map(str.strip, block)):
                blocks.append(tuple(block))
        else:
            block.append(fence.within(line))
    return blocks


def placed(
    lines: Sequence[str], block: Sequence[str], *, whole: bool = False
) -> tuple[range, list[str]]:
    """Where a block belongs in a file.

    The block replaces all lines from the first to the last one that it shares with the file. A
    block that shares no line goes below the last line.

    Args:
        lines: At least one line.
        block: The block.
        whole: Whether the block replaces all lines.

    Returns:
        The lines to replace, and the lines in their place, indented as the file is.
    """
    shared = _shared_rows(lines, block)
    if shared:
        first, first_new = shared[0]
        place = range(first, shared[-1][0] + 1)
    elif whole:
        first = first_new = 0
    else:
        return range(len(lines) - 1, len(lines)), [lines[-1], *block]
    if whole:
        place = range(len(lines))
    # The first shared line tells how much deeper, or less deep, the file has the block.
    indent = indent_of(lines[first])
    block_indent = indent_of(block[first_new])
    indented: list[str] = []
    for line in block:
        if line.startswith(block_indent) and line.strip():
            indented.append(indent + line.removeprefix(block_indent))
        else:
            indented.append(line)
    return place, indented


def _shared_rows(lines: Sequence[str], block: Sequence[str]) -> list[tuple[int, int]]:
    """The rows of lines that both share but for indentation, empty ones left out."""
    old = [line.strip() for line in lines]
    new = [line.strip() for line in block]
    shared: list[tuple[int, int]] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for row, new_row, size in matcher.get_matching_blocks():
        for offset in range(size):
            if old[row + offset]:
                shared.append((row + offset, new_row + offset))
    return shared
