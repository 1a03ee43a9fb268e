"""Whether a model can edit at all; others are read, shown and measured."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_tui.engine.tokenizer import Tokenizer

CANNOT_EDIT = "cannot edit: not made for spark's edit format; for measuring only"


def can_edit(path: Path, tokenizer: "Tokenizer") -> bool:
    """Whether a model was taught to edit: to quote lines, or with the marks of spark's own format."""
    from spark_tui.answering.calibration import Calibration
    from spark_tui.editing.format import FIXED_MARKS

    quotes = path.is_dir() and Calibration.read(path) is not None
    return quotes or all(tokenizer.find(mark.name) is not None for mark in FIXED_MARKS)
