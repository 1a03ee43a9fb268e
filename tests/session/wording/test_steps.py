"""Instructions split into steps, and the names that go on from one step to the next."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.session.wording.steps import renamed, split, with_new_names

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
    "convert a and b to floats",
    "rename the length parameter to size, docstring included",
    "rename x to total. It is clearer.",
    "rename x to total, it is clearer",
    "rename x to total and update all callers",
    "rename x to total everywhere and keep y",
    "rename parse to load and all calls to it",
    "wrap the call in try and log the error",
    "handle OSError and use a default",
    "return right away and dedent the rest",
    "catch OSError and log it with an f-string",
    "add a docstring about a and b",
    "- rename x to total",
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
        ("default n to 5 and add type hints", ("default n to 5", "add type hints")),
        (
            "catch Exception instead of everything and use += for attempt",
            ("catch Exception instead of everything", "use += for attempt"),
        ),
        (
            "use += for attempt and catch Exception instead of everything",
            ("use += for attempt", "catch Exception instead of everything"),
        ),
        ("turn the if into a ternary and return an f-string", ("turn the if into a ternary", "return an f-string")),
        ("use with, and catch OSError only", ("use with", "catch OSError only")),
        ("use with and catch only OSError", ("use with", "catch only OSError")),
        ("add a docstring and catch ValueError", ("add a docstring", "catch ValueError")),
        ("return early and add type hints", ("return early", "add type hints")),
        ("remove the .keys() and sing a song", ("remove the .keys()", "sing a song")),
        ("n should default to 5 and add type hints", ("n should default to 5", "add type hints")),
        ("add type hints and default n to 5", ("add type hints", "default n to 5")),
        ("change 3 to 5 and 4 to 6", ("change 3 to 5", "change 4 to 6")),
        ("rename a to x and b to y", ("rename a to x", "rename b to y")),
        ("rename a to x, b to y, and c to z", ("rename a to x", "rename b to y", "rename c to z")),
        ("rename a->x, b->y", ("rename a->x", "rename b->y")),
        ("rename a and b to x and y", ("rename a to x", "rename b to y")),
        ("rename `a` to `x` as well as `b` to `y`", ("rename `a` to `x`", "rename `b` to `y`")),
        ("rename a to x\nb to y", ("rename a to x", "rename b to y")),
        ("replace foo with bar and baz with qux", ("replace foo with bar", "replace baz with qux")),
        ("add a docstring and type hints", ("add a docstring", "add type hints")),
        ("remove the print and the comment", ("remove the print", "remove the comment")),
        ("- rename x to total\n- add a docstring", ("rename x to total", "add a docstring")),
        ("* [ ] rename x to total\n* [ ] the loop needs a comment", ("rename x to total", "the loop needs a comment")),
        ("- rename x to total - add a docstring", ("rename x to total", "add a docstring")),
        ("(1) rename x to total (2) add a docstring", ("rename x to total", "add a docstring")),
        ("step 1: rename x to total\nstep 2: sort keys", ("rename x to total", "sort keys")),
        ("please add:\n* a docstring\n* type hints", ("add a docstring", "add type hints")),
        ("sort the imports:\n1. add a docstring\n2. drop y", ("sort the imports", "add a docstring", "drop y")),
        ("rename x to total, afterwards rename y to z", ("rename x to total", "rename y to z")),
        ("rename x to total; afterwards, rename y to z", ("rename x to total", "rename y to z")),
        ("rename x to total, after that inline y", ("rename x to total", "inline y")),
        ("rename x to total; then log it", ("rename x to total", "log it")),
        ("rename x to total and write tests", ("rename x to total", "write tests")),
        ("rename x to total plus add type hints", ("rename x to total", "add type hints")),
        ("can you rename x to total? also sort keys", ("can you rename x to total", "sort keys")),
        ("this is ugly. rename x to total and sort keys", ("this is ugly. rename x to total", "sort keys")),
        ("first rename x to total. second, sort keys.", ("rename x to total", "sort keys")),
        ('change "a, b and drop c" to "d" and rename e to f', ('change "a, b and drop c" to "d"', "rename e to f")),
    ],
)
def test_several_requests_are_several_steps(instruction: str, steps: tuple[str, ...]) -> None:
    assert split(instruction) == steps


_PHRASES = st.sampled_from([*ONE, "rename x to total", "add a docstring", "sort the imports", "return None", "x = 1"])


@given(st.lists(_PHRASES, min_size=1, max_size=4), st.sampled_from([" and ", "; then ", ". ", ", ", "\n", " "]))
def test_the_steps_cover_the_instruction(phrases: list[str], joint: str) -> None:
    instruction = joint.join(phrases)
    told = Counter(re.findall(r"\w+", " ".join(split(instruction))))
    said = Counter(re.findall(r"\w+", instruction))
    assert set(said - told) <= {"and", "then"}
    assert set(told - said) <= {"add", "change", "rename"}, "only a verb may be shared out"


@pytest.mark.parametrize(
    ("instruction", "old", "new", "now"),
    [
        ("add a type hint to x", "x", "total", "add a type hint to total"),
        ("add a docstring to a", "a", "rows", "add a docstring to rows"),
        ("add a docstring", "a", "rows", "add a docstring"),
        ("add `x` to the list", "list", "rows", "add `x` to the list"),
        ('add a docstring "the x of it"', "x", "total", 'add a docstring "the x of it"'),
        ("rename y to x", "x", "total", "rename y to x"),
        ("rename x to y", "x", "total", "rename total to y"),
        ("set self.x to x", "x", "total", "set self.x to total"),
    ],
)
def test_names_are_told_as_they_are_now(instruction: str, old: str, new: str, now: str) -> None:
    assert with_new_names(instruction, {old: new}) == now


def test_a_renaming_is_seen_in_the_code() -> None:
    assert renamed(["x = 1", "print(x)"], ["y = 1", "print(y)"]) == {"x": "y"}
    assert renamed(["x = 1", "print(x)"], ["y = 1", "show(y)"]) == {}
    assert renamed(["x = 1"], ["x = 1", "y = 1"]) == {}


@pytest.mark.parametrize(
    ("instruction", "steps"),
    [
        ("rename a to b, add a docstring and frobnicate it", ("rename a to b", "add a docstring", "frobnicate it")),
        ("rename lo to low, blah blah blah and inline hi", ("rename lo to low", "blah blah blah", "inline hi")),
        ("rename a to b, also in comments, and sort the rows", ("rename a to b, also in comments", "sort the rows")),
        ("wrap the call in try and log the error, then add a docstring",
         ("wrap the call in try and log the error", "add a docstring")),
    ],
)  # fmt: skip
def test_among_several_steps_none_is_overlooked_that_nobody_can_take(instruction: str, steps: tuple[str, ...]) -> None:
    assert split(instruction) == steps
