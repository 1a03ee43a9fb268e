"""Checks whose condition is only hinted at: in the message, by a symptom, or by what a collection holds."""

import pytest

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.guard_clause import GuardClause
from spark_tui.editing.codemods.raise_if import RaiseIf
from spark_tui.editing.snippet import Snippet
from tests.editing.codemods.table import afters

STORE = """
def put(self, name, size: int, chunks):
    kind = self.kinds[name]
    with self.lock:
        self.total += size
    for chunk in chunks:
        kind.write(chunk)
    return self.total
""".strip()


@pytest.mark.parametrize(
    ("instruction", "above", "test", "error"),
    [
        ('ValueError("size must not be negative")', "kind =", "size < 0", 'ValueError("size must not be negative")'),
        ('refuse sizes below 3: "too small"', "kind =", "size < 3", 'ValueError("too small")'),
        ("TypeError('size must be an int')", "kind =", "not isinstance(size, int)", "TypeError('size must be an int')"),
        ("a name put twice should be a KeyError(name)", "kind =", "name in self.kinds", "KeyError(name)"),
        ("an unknown name is a LookupError('no kind')", "kind =", "name not in self.kinds", "LookupError('no kind')"),
        (
            "ValueError: size must be at least 2, got 1\nplease raise that",
            "kind =", "size < 2", 'ValueError(f"size must be at least 2, got {size}")',
        ),
        ('size 0 -> ValueError("must be in 1..9")', "kind =", "not 1 <= size <= 9", 'ValueError("must be in 1..9")'),
        ("a negative size makes no sense", "kind =", "size < 0", 'ValueError("size must not be negative")'),
        ("complain about size < 1", "kind =", "size < 1", 'ValueError("size must be at least 1")'),
        (
            "ValueError if name isn't x, y or z",
            "kind =", "name not in (\"x\", \"y\", \"z\")",
            """ValueError(f"name must be 'x', 'y' or 'z', got {name!r}")""",
        ),
        (
            "'NoneType' object has no attribute 'write', RuntimeError('no kind') is better",
            "with", "kind is None", "RuntimeError('no kind')",
        ),
    ],
)  # fmt: skip
def test_an_error_is_raised_on_the_condition_that_is_told(instruction: str, above: str, test: str, error: str) -> None:
    wanted = STORE.replace(f"    {above}", f"    if {test}:\n        raise {error}\n    {above}")
    assert wanted in afters(RaiseIf(), STORE, instruction)


@pytest.mark.parametrize(
    ("instruction", "above", "check"),
    [
        ("skip emtpy chunks", "        kind.write", "if not chunk:|    continue"),
        ("an unknown name should be a no-op, no KeyError", "    kind =", "if name not in self.kinds:|    return None"),
        ("leave early for a name that starts with tmp", "    kind =", 'if name.startswith("tmp"):|    return None'),
        ("nothing is to be done without any chunks", "    kind =", "if not chunks:|    return None"),
        ("without chunks it should return self", "    kind =", "if not chunks:|    return self"),
    ],
)
def test_a_function_is_left_or_a_loop_goes_on_in_the_state_that_is_told(
    instruction: str, above: str, check: str
) -> None:
    indent = above[: len(above) - len(above.lstrip())]
    lines = "".join(f"{indent}{line}\n" for line in check.split("|"))
    assert STORE.replace(above, lines + above) in afters(GuardClause(), STORE, instruction)


def test_one_more_type_becomes_one_more_branch() -> None:
    code = "def b(v):\n    if isinstance(v, str):\n        v = v.encode()\n    return v"
    wanted = code.replace(
        "    return", '    elif not isinstance(v, bytes):\n        raise TypeError("expected bytes")\n    return'
    )
    assert wanted in afters(RaiseIf(), code, 'b(5) gives 5, should be TypeError("expected bytes")')


@pytest.mark.parametrize(
    "instruction", ["rename size to length", "add a docstring", "use a set for chunks", "speed it up"]
)
def test_nothing_is_listed_where_no_state_is_told(instruction: str) -> None:
    before = Snippet(tuple(STORE.split("\n")))
    assert not GuardClause().edits(before, Request(instruction))
    assert not RaiseIf().edits(before, Request(instruction))


MEAN = """
def mean(self, rows, weights, size):
    first = rows[0]
    return first + sum(rows) / size
""".strip()


@pytest.mark.parametrize(
    ("instruction", "test", "leaving"),
    [
        ("IndexError: list index out of range, None is fine then", "not rows", "return None"),
        ("ZeroDivisionError: division by zero", "size == 0", "return None"),
        ("do nothing when rows and weights are not of the same length", "len(rows) != len(weights)", "return None"),
        ("skip this if neither rows nor weights are given", "rows is None and weights is None", "return None"),
        ("size must be greater than 2, just return early otherwise", "size <= 2", "return None"),
    ],
)
def test_an_error_that_is_told_points_at_the_value_to_check(instruction: str, test: str, leaving: str) -> None:
    wanted = MEAN.replace("    first =", f"    if {test}:\n        {leaving}\n    first =")
    assert wanted in afters(GuardClause(), MEAN, instruction)


def test_a_flag_of_the_object_is_told_as_what_it_is() -> None:
    code = "def start(self):\n    self._started = True\n    self.go()"
    wanted = code.replace(":\n", ":\n    if self._started:\n        raise RuntimeError('already started')\n", 1)
    assert wanted in afters(RaiseIf(), code, "RuntimeError('already started') on the second call, once it is started")


@pytest.mark.parametrize(
    ("instruction", "test", "leaving"),
    [
        ("size -1 is a no-op", "size < 0", "return None"),
        ("do nothing when size is greater than weights", "size > weights", "return None"),
        ("skip it where rows must be before weights", "rows >= weights", "return None"),
        ("give back an empty list for rows = []", "not rows", "return []"),
    ],
)
def test_signs_and_comparisons_tell_a_state(instruction: str, test: str, leaving: str) -> None:
    wanted = MEAN.replace("    first =", f"    if {test}:\n        {leaving}\n    first =")
    assert wanted in afters(GuardClause(), MEAN, instruction)


def test_a_bound_of_what_may_be_none_is_tested_only_where_it_is_given() -> None:
    before = "def cut(text, width: int | None):\n    return text[:width]"
    wanted = (
        "def cut(text, width: int | None):\n    if width is not None and width < 0:\n"
        '        raise ValueError("width must not be negative")\n    return text[:width]'
    )
    assert wanted in afters(RaiseIf(), before, "raise a ValueError when width is negative")


@pytest.mark.parametrize("instruction", ["unknown modes should raise ValueError", "reject other modes"])
def test_a_chain_of_tests_gets_an_else_that_raises(instruction: str) -> None:
    chain = "def pick(mode):\n    if mode == 1:\n        x = 2\n    elif mode == 2:\n        x = 3\n"
    wanted = f'{chain}    else:\n        raise ValueError(f"Unknown mode: {{mode!r}}")\n    return x'
    assert wanted in afters(RaiseIf(), f"{chain}    return x", instruction)
