"""The bytes of prompts for Sweep's models, and what is read of an answer."""

import pytest

from spark_tui.editing.formats.sweep import (
    MOST_LINES,
    RecentChange,
    Window,
    read_window,
    sweep_prompt,
)
from spark_tui.errors import UsageError

NOW = ("def f():", "    return 1")
WINDOW = Window("a.py", ("def f():", "    return 0"), NOW)


def test_a_prompt_is_as_documented_byte_for_byte() -> None:
    change = RecentChange("b/c.py", ("x = 1",), ("x = 2", "y = 3"))
    assert sweep_prompt(WINDOW, [change]) == (
        "<|file_sep|>b/c.py.diff\n"
        "original:\nx = 1\nupdated:\nx = 2\ny = 3\n"
        "<|file_sep|>original/a.py\ndef f():\n    return 0\n"
        "<|file_sep|>current/a.py\ndef f():\n    return 1\n"
        "<|file_sep|>updated/a.py\n"
    )


def test_the_last_three_changes_are_shown_and_the_middle_of_a_long_one_is_not() -> None:
    lines = tuple(f"line {number}" for number in range(MOST_LINES + 10))
    changes = [RecentChange(f"{number}.py", (), lines) for number in range(5)]
    prompt = sweep_prompt(WINDOW, changes)
    paths = [f"{number}.py.diff" in prompt for number in range(5)]
    assert paths == [False, False, True, True, True]
    shown = prompt.partition("updated:\n")[2].partition("<|file_sep|>")[0].splitlines()
    assert len(shown) == MOST_LINES
    assert shown[19:22] == ["line 19", "...", "line 31"]
    assert shown[-1] == "line 49"


@pytest.mark.parametrize("mark", ["<|file_sep|>", "</s>"])
def test_a_text_that_holds_a_mark_is_refused(mark: str) -> None:
    with pytest.raises(UsageError, match=r"current/a\.py holds"):
        sweep_prompt(Window("a.py", (), (f"x = '{mark}'",)), [])


@pytest.mark.parametrize("end", ["", "\n", "\n<|file_sep|>next.py\n", "\n</s>"])
def test_an_answer_is_the_lines_up_to_its_end(end: str) -> None:
    assert read_window(f"def f():\n    return 1{end}") == NOW
