"""How bugs with a command are chosen and held against what is right."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from spark_tui.training.evaluate import frozen_cases, repairing
from spark_tui.training.handwritten import Case
from spark_tui.training.repairing import accepts_only, planted, some

BEFORE = ("def f(a):", "    return a + 1")
RIGHT = ("def f(a):", "    return a - 1")


def _case(name: str, accept: tuple[tuple[str, ...], ...] = (RIGHT,), *, bug: bool = True) -> Case:
    return Case(name, "minus", BEFORE, None, accept, bug)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("def f(a):\n    return a - 1\n", True),
        ("def f(a):\n\n    return (a - 1)  # less\n", True),
        ("def f(a):\n    return a * 1\n", True),
        ("def f(a):\n    return a + 1\n", False),
        ("def f(a):\n    return a -\n", False),
    ],
)
def test_the_command_passes_for_what_is_right_however_it_is_laid_out(tmp_path: Path, text: str, passes: bool) -> None:
    (tmp_path / "it's.py").write_text(text)
    command = accepts_only("it's.py", ["def f(a):\n    return a - 1\n", "def f(a):\n    return a * 1\n"])
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode == 0) is passes


def test_only_bugs_that_a_syntax_tree_can_tell_are_asked_for() -> None:
    commented = (BEFORE[0], "    # one more", BEFORE[1])
    cases = [
        _case("told"),
        _case("no bug", bug=False),
        _case("no answer", ()),
        _case("broken", (("def f(a:",),)),
        _case("a comment", (commented,)),
    ]
    assert [case.name for case in some(cases, 60)] == ["told"]


def test_a_few_of_many_bugs_are_always_the_same_of_every_kind() -> None:
    bugs = planted(frozen_cases())
    few = some(bugs, 60)
    assert few == some(planted(frozen_cases()), 60)
    assert 55 <= len(few) <= 65
    assert set(Counter(case.name for case in few)) == repairing()
    assert some([_case(str(number)) for number in range(5)], 2) == [_case("0"), _case("2"), _case("4")]
