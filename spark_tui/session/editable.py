"""Whether a turn can do anything in its file at all."""

from collections.abc import Sequence

from spark_tui.context.wording import asks_for_nothing
from spark_tui.editing.checks import parse_error, region_parses
from spark_tui.editing.text import Text
from spark_tui.session import answers

_PYTHON = (".py", ".pyi")
"""How the names of the files end that a model can edit."""


def is_editable(path: str, base: Text) -> bool:
    """Whether the file is one that the model could edit."""
    return path.endswith(_PYTHON) and not parse_error(base.to_bytes())


def why_not(instruction: str, path: str, base: Text, lines: Sequence[str]) -> str:
    """Why an instruction cannot be carried out here, or "". Args: lines: the region."""
    if asks_for_nothing(instruction):
        return answers.no_request()
    if not path.endswith(_PYTHON):
        return answers.not_python(path)
    error = parse_error(base.to_bytes())
    if error and not region_parses(lines).ok:
        return answers.does_not_parse(path, error, base.lines)
    return answers.lone_returns(path) if any("\r" in line for line in lines) else ""
