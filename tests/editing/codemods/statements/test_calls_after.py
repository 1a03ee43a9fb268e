"""A second step after a call, and warnings of what is deprecated."""

import pytest

from spark_tui.editing.codemods.insert_line import InsertLine
from tests.editing.codemods.table import afters

CODE = """
def stop(self, text):
    \"\"\"Old.\"\"\"
    self._file.write(text)
    self._timer.cancel()
""".strip()


@pytest.mark.parametrize(
    ("instruction", "line", "below"),
    [
        ("flush after the write", "self._file.flush()", "self._file.write(text)"),
        ("set the timer to None once cancelled", "self._timer = None", "self._timer.cancel()"),
        (
            'emit a DeprecationWarning: "stop() is old, use end"',
            'warnings.warn("stop() is old, use end", DeprecationWarning, stacklevel=2)',
            '"""Old."""',
        ),
        (
            "it should give a DeprecationWarning, use end instead",
            'warnings.warn("stop is deprecated, use end instead", DeprecationWarning, stacklevel=2)',
            '"""Old."""',
        ),
    ],
)
def test_the_line_goes_below_what_is_spoken_of(instruction: str, line: str, below: str) -> None:
    assert afters(InsertLine(), CODE, instruction)[0] == CODE.replace(below, f"{below}\n    {line}")
