"""Numbers as Python writes them, to be found in words: whole, or not at all."""

from spark_tui.editing.trees import literal_value

NUMBER = (
    r"(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?[jJ]?)"
    r"(?!\w|\.\d)"
)
"""A pattern without groups. A full stop behind a number ends its sentence, and is no part of it."""
SIGNED = rf"-?{NUMBER}"


def number(text: str) -> object:
    """The value of a text that `SIGNED` matches; None where Python does not take it (`007`)."""
    try:
        return literal_value(text)
    except (SyntaxError, ValueError):
        return None
