"""Line endings that git converts: a version of a file in the endings of another version.

Where git converts endings, the version in git and the file in the work tree differ in their
endings, and that difference is no change. Nothing here reads or writes a file.
"""

from spark_tui.editing.line_diff import line_changes
from spark_tui.editing.text import Text, ending_of


def with_crlf(text: Text) -> Text:
    r"""The text with each line that ends in "\n" ending in "\r\n"."""
    return Text(tuple(_ended(line, "\r\n") for line in text.raw))


def with_lf(text: Text) -> Text:
    r"""The text with each line that ends in "\r\n" ending in "\n"."""
    return Text(tuple(_ended(line, "\n") for line in text.raw))


def in_endings_of(text: Text, other: Text) -> Text:
    """A version of a text in which no line differs from `other` in its ending alone.

    Lines that `other` does not have take the ending that all of its lines share, if they share one.
    """
    bare = [_bare(line) for line in text.raw]
    endings = {ending_of(line) for line in other.raw} - {""}
    lines = list(text.raw)
    if len(endings) == 1:
        ending = endings.pop()
        lines = [_ended(line, ending) for line in lines]
    # lines that both have are taken from `other`, with their endings
    done = 0
    other_row = 0
    for change in line_changes(bare, [_bare(line) for line in other.raw]):
        kept = change.old_start - done
        lines[done : change.old_start] = other.raw[other_row : other_row + kept]
        done = change.old_stop
        other_row = change.new_stop
    lines[done:] = other.raw[other_row:]
    return Text(tuple(lines))


def _bare(line: str) -> str:
    r"""A line with "\n" in place of "\r\n"; a line without an ending stays without."""
    return _ended(line, "\n")


def _ended(line: str, ending: str) -> str:
    """A line with another ending; a line without one stays without.

    A line with a CR before its ending stays as it is: another ending could be taken for its CR.
    """
    known = ending_of(line)
    bare = line.removesuffix(known)
    if not known or bare.endswith("\r"):
        return line
    return bare + ending
