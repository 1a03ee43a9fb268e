"""Code that a chat model shows in an answer, and lines of a file with such code in them."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from spark_tui.editing.fences import Fence
from spark_tui.editing.layout import indent_of


def code_blocks(answer: str) -> list[tuple[str, ...]]:
    """The lines of each fenced block of some Markdown that is closed and holds more than white space."""
    found, block, fence = list[tuple[str, ...]](), list[str](), None
    for line in answer.split("\n"):
        if fence is None:
            fence, block = Fence.opened(line), []
        elif fence.ends(line):
            fence = None
            if any(map(str.strip, block)):
                found.append(tuple(block))
        else:
            block.append(fence.within(line))
    return found


def placed(lines: Sequence[str], block: Sequence[str], *, whole: bool = False) -> tuple[range, list[str]]:
    """Where a block belongs in some lines, which are not none, and what stands there then, indented as it was.

    It replaces all from the first to the last line that it shares; where it shares none it goes below the last.
    Args: whole: it replaces all lines.
    """
    old, new = [[line.strip() for line in each] for each in (lines, block)]
    pairs = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    shared = [(a + n, b + n) for a, b, size in pairs for n in range(size) if old[a + n]]
    if not shared and not whole:
        return range(len(lines) - 1, len(lines)), [lines[-1], *block]
    (first, like), (last, _) = (shared[0], shared[-1]) if shared else ((0, 0), (0, 0))
    indent, its = indent_of(lines[first]), indent_of(block[like])
    become = [indent + line[len(its) :] if line.startswith(its) and line.strip() else line for line in block]
    return range(len(lines)) if whole else range(first, last + 1), become
