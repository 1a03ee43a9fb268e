"""Long pastes, shown in the prompt as a few words such as [pasted 300 lines] and sent in full."""

from spark_tui.safe_text import is_plain, mark

_MOST_SHOWN = 600
"""The most characters of a paste that is shown as it is."""
_MOST_LINES = 6
"""The most lines of such a paste."""


def as_lines(text: str, *, keep: str = "") -> str:
    """Lines that are safe to show: one kind of line end, and a mark for each odd character.

    The marks stay in the text, so that whoever reads it afterwards sees them, too.

    Args:
        keep: Odd characters that stay as they are.
    """
    lines = "\n".join(text.splitlines())
    if text.endswith(("\n", "\r")):
        lines += "\n"
    marks = {}
    for char in set(lines).difference("\n", keep):
        if not is_plain(char):
            marks[ord(char)] = mark(char)
    if marks:
        lines = lines.translate(marks)
    return lines


class Pastes:
    """Keeps which words in the prompt stand for which paste.

    What was folded can be unfolded as long as the object lives.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """Return a text as the prompt shows it: legible, or a few words instead of a long one."""
        whole = as_lines(text)
        lines = whole.count("\n") + (not whole.endswith("\n"))
        if len(whole) <= _MOST_SHOWN and lines <= _MOST_LINES:
            return whole
        # The same paste again keeps its words.
        for words, other in self._texts.items():
            if other == whole:
                return words
        return self._named(whole, lines)

    def _named(self, whole: str, lines: int) -> str:
        """Choose new words for a long paste."""
        size = f"{lines} lines" if lines > 1 else f"{len(whole)} characters"
        words = f"[pasted {size}]"
        number = 1
        while words in self._texts:
            number += 1
            words = f"[pasted {size}, {number}]"
        self._texts[words] = whole
        return words

    def unfold(self, shown: str) -> str:
        """A text with each paste in full."""
        for words, whole in self._texts.items():
            shown = shown.replace(words, whole)
        return shown

    def before(self, shown: str) -> int:
        """The length of a paste's words at the end of a text; 0 if none stand there."""
        for words in self._texts:
            if shown.endswith(words):
                return len(words)
        return 0
