"""Text that an editor attaches to a prompt, and that is no file here.

It is a selection of a terminal, a page, a file elsewhere, or one that is not saved yet. The text is
shown to the model behind the words. It leads to no place, and no command or mention is read in it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from spark_tui.editing.formats.fences import fence_for
from spark_tui.safe_text import visible

MOST_ATTACHED = 8_000
"""Characters of all attachments of a prompt, which leaves room for words in an instruction."""
_LEAST_KEPT = 200
"""Characters of a text below which the rest of the room is left empty."""


class Attachment(NamedTuple):
    """A text, and the path or the address that it is from."""

    name: str
    text: str


class ShownAttachments(NamedTuple):
    """Attachments as a model reads them.

    Attributes:
        text: All of them; "" for none.
        notes: Which of them are cut, or left out, in words for people.
    """

    text: str
    notes: tuple[str, ...]


def label_of(number: int) -> str:
    """The words that stand in a prompt for an attachment.

    Args:
        number: Counts from 1.
    """
    return f"attachment {number}"


def show_attachments(attachments: Sequence[Attachment]) -> ShownAttachments:
    """Write attachments for a model, within a limit.

    Args:
        attachments: The attachments, in the order of their numbers.
    """
    room = MOST_ATTACHED
    blocks = []
    notes = []
    for number, attachment in enumerate(attachments, 1):
        name = visible(attachment.name)
        text = attachment.text
        if len(text) > room and room < _LEAST_KEPT:
            notes.append(f"left out: {name}, as the attached text is too long")
            continue
        if len(text) > room:
            text = _whole_lines(text[:room])
            notes.append(f"cut: only the first {len(text):,} characters of {name} are read")
        room -= len(text)
        lines = text.splitlines()
        fence = fence_for(lines)
        heading = f"{label_of(number)}, {name}:"
        blocks.append("\n".join([heading, fence, *lines, fence]))
    return ShownAttachments("\n\n".join(blocks), tuple(notes))


def _whole_lines(text: str) -> str:
    """A text up to the end of its last whole line; all of it where there is none."""
    kept, newline, _ = text.rpartition("\n")
    return kept if newline else text
