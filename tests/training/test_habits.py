"""What is counted of code is what is read back."""

from math import log
from pathlib import Path

import pytest

from spark_tui.editing.habits import END, Habits
from spark_tui.training.habits import count_habits, write_habits


def test_what_follows_what_is_counted_written_and_read_again(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text('"""Text\nof many lines."""\n# no code\n' + "x = f(1)\n" * 150 + "x = g(1)\n" * 50)
    write_habits(tmp_path / "habits.npz", *count_habits([code]))
    read = Habits.read(tmp_path / "habits.npz")
    line = [END, "x", "=", "f", "(", "1", ")", END]
    likely = read.logprobs(line, 3, 4)[0]
    assert likely == pytest.approx(log(150 / 200), abs=0.13)
    assert read.logprobs([END, "x", "=", "rare"], 3, 4)[0] < likely - 1
