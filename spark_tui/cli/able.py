"""Whether a model can edit at all; others are read, shown and measured."""

from pathlib import Path

CANNOT_EDIT = "cannot edit: it was not taught to (`spark train`), and has no chat template; for measuring only"


def can_edit(path: Path) -> bool:
    """Whether a model was taught to edit, or can be told what to do. Raises: ModelError: a file is damaged."""
    from spark_tui.answering.calibration import Calibration
    from spark_tui.answering.rewrite import template_of

    return (path.is_dir() and Calibration.read(path) is not None) or template_of(path) is not None
