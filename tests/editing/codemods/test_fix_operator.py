import pytest

from spark_tui.editing.codemods.fix_operator import FixOperator
from tests.editing.codemods.helper_slips import fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a == b", "x = a != b"),
        ("x = a < b", "x = a >= b"),
        ("x = a is not b", "x = a is b"),
        ("x = a not  in b", "x = a in b"),
        ("x = a==b", "x = a in b"),
        ("x = a and b", "x = a or b"),
        ("x = a and b and c", "x = a or b or c"),
        ("x = a and b and c", "x = a and b or c"),
        ("x = (a) - (b)", "x = (a) + (b)"),
        ("n //= 2", "n /= 2"),
        ("t = 0\nt = x", "t = 0\nt += x"),
        ("x = f(-a)", "x = f(a)"),
        ("x.sort(key=lambda k: k.n)", "x.sort(key=lambda k: -k.n)"),
        ("x = (a  # why\n     + b)", "x = (a  # why\n     + b)"),
    ],
)
def test_a_wrong_operator_can_be_made_right(before: str, after: str) -> None:
    assert (after in fixes(FixOperator(), before)) is (after != before)


def test_strictness_formatting_and_code_without_operators_are_left_alone() -> None:
    assert "x = a <= b" not in fixes(FixOperator(), "x = a < b")
    assert fixes(FixOperator(), "x = 'a%s' % b") == fixes(FixOperator(), "def f(x: int | None): pass") == []


def test_what_is_said_comes_first() -> None:
    assert fixes(FixOperator(), "x = a + b\ny = c * d", "c * d should be c / d")[0] == "x = a + b\ny = c / d"


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("x = Span(a + n, b, c)", "the end stays where it was", "x = Span(a + n, b + n, c)"),
        ("x = Point(a + n, b + m)", "moves the wrong way", "x = Point(a - n, b - m)"),
        ("x = count[w] / total", "the count lacks the +1", "x = (count[w] + 1) / total"),
        ("done = int(part * width)\nbar = fill * width", "overflows: fill what's left", "(width - done)"),
        ("p = n % (r + 1)", "we pad with what is over, not with what is missing", "p = -n % (r + 1)"),
        ("p = n % (r + 1)", "we pad with what is over, not with what is missing", "p = (r + 1) - n % (r + 1)"),
        ("n = len(head) + len(body)\nreturn size", "too small by the size of the head", "return size + len(head)"),
    ],
)
def test_a_term_may_be_missing(before: str, words: str, after: str) -> None:
    found = fixes(FixOperator(), before, words)[:8]
    assert any(one.endswith(after) for one in found)


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("d = Delta(seconds=self.timeout)", "the timeout is 60 minutes", "d = Delta(seconds=self.timeout * 60)"),
        ("def f(a, size=1024 * 1024): ...", "make it 10 MiB", "def f(a, size=10 * 1024 * 1024): ..."),
        ("def f(self):\n    return sum(self._xs)", "boost lost", "    return sum(self._xs) * self._boost"),
        ("def f(n, bonus):\n    return total(n)", "bonus is ignored", "    return total(n) + bonus"),
    ],
)
def test_a_value_may_lack_a_factor_that_the_words_hint_at(before: str, instruction: str, after: str) -> None:
    assert any(after in one.split("\n") for one in fixes(FixOperator(), before, instruction))
