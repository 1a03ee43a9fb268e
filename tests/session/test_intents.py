"""What words mean of themselves, whatever was learned: what goes wrong is to be handled."""

import pytest

from spark_tui.engine.library import find_model, load
from spark_tui.session.asking import Asker
from spark_tui.session.intents import leaning

LOADER = (
    "def load(path):",
    "    d = {}",
    "    with open(path) as f:",
    "        for line in f:",
    '            key, value = line.split("=")',
    "            d[key] = value",
    "    return d",
)


@pytest.mark.parametrize(
    ("instruction", "last"),
    [
        ("handle the missing file", "        return d"),
        ("deal with a missing file", "        return d"),
        ("don't crash when the file is missing", "        return d"),
        ("return {} if the file is missing", "        return {}"),
    ],
)
def test_a_missing_file_is_handled_where_it_is_opened_with_what_the_function_gives(instruction: str, last: str) -> None:
    answered = Asker(load(find_model(None))).ask(LOADER, instruction).lines
    assert answered is not None
    assert "    try:" in answered
    assert answered[answered.index("    except FileNotFoundError:") + 1] == last


@pytest.mark.parametrize(
    ("instruction", "lines", "handled"),
    [
        ("handle the missing file", LOADER, True),
        ("should not crash if the file is gone", LOADER, True),
        ("handle the missing file", ("def add(a, b):", "    return a + b"), False),
        ("raise ConfigError if the file is missing", LOADER, False),
        ("add a test for the missing file", LOADER, False),
        ("rename d to file", LOADER, False),
        ("handle the missing file", ("def broken(:",), False),
    ],
)
def test_a_try_is_meant_only_where_something_may_go_wrong_and_nothing_else_is_asked(
    instruction: str, lines: tuple[str, ...], handled: bool
) -> None:
    found = leaning(load(find_model(None)), instruction, lines)
    assert found is not None
    assert (found.words["wrap_try"] == 0) == handled
