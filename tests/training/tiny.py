"""A vocabulary of single characters and marks: enough to train a toy."""

from spark_tui.editing.format import FIXED_MARKS, NO_EDIT, kind_mark

MARKS = [mark.name for mark in FIXED_MARKS] + [kind_mark(kind).name for kind in (NO_EDIT, "rename")]


class TinyVocabulary:
    """Marks first, then one token a byte."""

    vocab_size = len(MARKS) + 256

    def encode(self, text: str) -> list[int]:
        """One token a byte."""
        return [len(MARKS) + byte for byte in text.encode()]

    def special(self, name: str) -> int:
        """The mark's place in the list."""
        return MARKS.index(name)

    def piece(self, token_id: int) -> str | bytes:
        """The inverse of the two."""
        return MARKS[token_id] if token_id < len(MARKS) else bytes([token_id - len(MARKS)])
