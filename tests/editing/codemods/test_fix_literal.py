import pytest

from spark_tui.editing.codemods.fix_literal import FixLiteral
from tests.editing.codemods.helper_slips import fixes
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(x, True)", ["f(x, False)"]),
        ("f(x[0])", ["f(x[1])", "f(x[-1])"]),
        ("f(60, 24)", ["f(24, 24)", "f(60, 60)"]),
        ("f(d['a'], d['b'])", ["f(d['b'], d['b'])", "f(d['a'], d['a'])"]),
        ("f(x is None)", []),
        ("f('some words here', 'other words there')", []),
        ("def f():\n    'doc'\n    return g('one')", []),
    ],
)
def test_a_literal_can_become_another_one(before: str, after: list[str]) -> None:
    assert fixes(FixLiteral(), before) == after


def test_a_first_value_has_its_own_choices() -> None:
    assert {"total = 0", "total = []", "total = None"} <= set(fixes(FixLiteral(), "total = 1"))
    assert '""' not in "".join(fixes(FixLiteral(), "total = ''"))
    assert "with open(p, 'w') as f: pass" in fixes(FixLiteral(), "with open(p, 'r') as f: pass")


def test_words_tell_the_value_and_a_key_error_the_key() -> None:
    assert fixes(FixLiteral(), "f(60)", "it should be 3600")[0] == "f(3600)"
    code = "x = row['nmae'] + row['age']"
    assert fixes(FixLiteral(), code, "KeyError: 'nmae'") == ["x = row['age'] + row['age']"]
    assert "x = row['name'] + row['age']" in fixes(FixLiteral(), code, "KeyError: 'nmae', the key is 'name'")


@pytest.mark.parametrize(
    ("said", "first"), [("three bytes short", "f(x, 5)"), ("the slice is two too long", "f(x, 0)")]
)
def test_an_amount_told_comes_first(said: str, first: str) -> None:
    assert afters(FixLiteral(), "f(x, 2)", said)[0] == first


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ('first = "friday"', "the week begins on Friday, not monday", 'first = "monday"'),
        ('NAMES = ["de-de"]', "de-at is unknown", 'NAMES = ["de-at"]'),
        ('x = "+Inf"', "minus infinity is shown wrong", 'x = "-Inf"'),
        ('x = t.strftime("%Y-%M")', "the month is 59", 'x = t.strftime("%Y-%m")'),
        ('x = t.format("HH:MM:ss")', "minutes are always 11", 'x = t.format("HH:mm:ss")'),
        ("class S:\n    ON = 1\n    OFF = 1\n    OUT = 2", "on and off are the same", "    OFF = 0"),
        ("class S:\n    ON = 1\n    OFF = 2\n    OUT = 2", "out and off are the same", "    OUT = 3"),
    ],
)
def test_a_literal_may_be_a_near_one_that_the_words_make_likely(before: str, instruction: str, after: str) -> None:
    found = fixes(FixLiteral(), before, instruction)
    assert any(after in one.split("\n") for one in found)
