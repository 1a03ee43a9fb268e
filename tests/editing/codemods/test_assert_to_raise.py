import pytest

from spark_tui.editing.codemods.assert_to_raise import AssertToRaise
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        (
            "def f(x):\n    assert x is not None, 'no x'\n    return x",
            "asserts vanish under -O, raise RuntimeError with the same text instead",
            ["def f(x):\n    if x is None:\n        raise RuntimeError('no x')\n    return x"],
        ),
        ("if a:\n    assert b", "KeyError not an assert", ["if a:\n    if not b:\n        raise KeyError"]),
        (
            "assert not a and b, f'{a}'",
            "raise ValueError rather than assert",
            ["if a or not b:\n    raise ValueError(f'{a}')"],
        ),
        ("assert a", 'raise OSError("no luck") instead', ["if not a:\n    raise OSError('no luck')"]),
        ("if not a:\n    raise ValueError('no')", "use an assert for this", ["assert a, 'no'"]),
        ("if a < 3:\n    raise E", "turn it into an assert", ["assert a >= 3"]),
        ("if a < 3:\n    raise E('x') from None", "turn it into an assert", []),
        ("if a:\n    b()\nelif c:\n    raise E('x')", "assert", []),
        ("assert False, 'no'", "make it a KeyError", ["raise KeyError('no')"]),
        ("assert a  # why", "raise ValueError", []),
        ("assert (\n    a\n)", "raise ValueError", []),
    ],
)
def test_asserts_become_raises_and_back(before: str, instruction: str, after: list[str]) -> None:
    assert afters(AssertToRaise(), before, instruction) == after


def test_the_usual_exceptions_where_none_is_told() -> None:
    found = afters(AssertToRaise(), "assert isinstance(a, int)", "no asserts please")
    assert [one.split()[-1] for one in found] == ["TypeError", "RuntimeError", "AssertionError"]


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("assert a, a", '[] is no help, ValueError("no a")', "if not a:\n    raise ValueError('no a')"),
        ("assert a == b", "assert? rather KeyError(b)", "if a != b:\n    raise KeyError(b)"),
        (
            "def f(a):\n    assert a\n    go(a)",
            "simply ignore a call without",
            "def f(a):\n    if not a:\n        return\n    go(a)",
        ),
        (
            "for a in b:\n    assert a\n    go(a)",
            "skip those",
            "for a in b:\n    if not a:\n        continue\n    go(a)",
        ),
        ("assert a\ngo(a)\nend()", "skip going then", "if a:\n    go(a)\nend()"),
    ],
)
def test_what_an_assert_becomes_is_told(before: str, instruction: str, after: str) -> None:
    assert after in afters(AssertToRaise(), before, instruction)[:3]
