"""Instructions split into steps, and the names that go on from one step to the next."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.session.steps import renamed, split, with_new_names

ONE = [
    "add a and b parameters",
    "between a and b insert a blank line",
    "handle KeyError and return None",
    "rename load and save",
    "rename the variable and make it clearer",
    "add `a and remove b` to the docstring",
    'add a docstring "Load and remove it. Add more."',
    "add a docstring saying load and remove files",
    "add a parameter limit with default 5 and use it",
    "remove the loop and use a comprehension",
    "no docstring here. add one",
    "this is wrong. fix it",
    "add type hints and return type",
    "change 3 to 5 and 4 to 6",
    "",
]


@pytest.mark.parametrize("instruction", ONE)
def test_one_request_is_one_step(instruction: str) -> None:
    assert split(instruction) == (instruction,)


@pytest.mark.parametrize(
    ("instruction", "steps"),
    [
        ("rename x to total and add a docstring", ("rename x to total", "add a docstring")),
        ("add type hints; then sort the imports", ("add type hints", "sort the imports")),
        ("1. rename x to total 2. add a docstring", ("rename x to total", "add a docstring")),
        ("Rename x to total. Add a docstring.", ("Rename x to total", "Add a docstring")),
        (
            "please rename d to rows, add a docstring, and sort keys",
            ("please rename d to rows", "add a docstring", "sort keys"),
        ),
        ("remove the print, then add a return type", ("remove the print", "add a return type")),
        ('change "a, b and drop c" to "d" and rename e to f', ('change "a, b and drop c" to "d"', "rename e to f")),
    ],
)
def test_several_requests_are_several_steps(instruction: str, steps: tuple[str, ...]) -> None:
    assert split(instruction) == steps


_PHRASES = st.sampled_from([*ONE, "rename x to total", "add a docstring", "sort the imports", "return None", "x = 1"])


@given(st.lists(_PHRASES, min_size=1, max_size=4), st.sampled_from([" and ", "; then ", ". ", ", ", "\n", " "]))
def test_the_steps_cover_the_instruction(phrases: list[str], joint: str) -> None:
    instruction = joint.join(phrases)
    told = re.findall(r"\w+", " ".join(split(instruction)))
    rest = iter(re.findall(r"\w+", instruction))
    skipped = [word for word in told if not _reach(rest, word)]
    assert skipped == []
    missing = set(re.findall(r"\w+", instruction)) - set(told)
    assert missing <= {"and", "then"}


def _reach(words: object, wanted: str) -> bool:
    return any(word == wanted for word in words)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("instruction", "old", "new", "now"),
    [
        ("add a type hint to x", "x", "total", "add a type hint to total"),
        ("add a docstring to a", "a", "rows", "add a docstring to rows"),
        ("add a docstring", "a", "rows", "add a docstring"),
        ("add `x` to the list", "list", "rows", "add `x` to the list"),
        ('add a docstring "the x of it"', "x", "total", 'add a docstring "the x of it"'),
        ("set self.x to x", "x", "total", "set self.x to total"),
    ],
)
def test_names_are_told_as_they_are_now(instruction: str, old: str, new: str, now: str) -> None:
    assert with_new_names(instruction, {old: new}) == now


def test_a_renaming_is_seen_in_the_code() -> None:
    assert renamed(["x = 1", "print(x)"], ["y = 1", "print(y)"]) == {"x": "y"}
    assert renamed(["x = 1", "print(x)"], ["y = 1", "show(y)"]) == {}
    assert renamed(["x = 1"], ["x = 1", "y = 1"]) == {}
