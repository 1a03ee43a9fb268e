"""An edit that does a half of what was asked for is found out."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.halves import half_done

BEFORE = ["def f(a, b=1):", "    return a"]


def said(words: str, *after: str) -> str:
    region = Region("a.py", 1, 2, None, None, "f", "symbol")
    return half_done(words, Code(words, "a.py:1-2", region, BEFORE, BEFORE), after)


@pytest.mark.parametrize(
    ("words", "after", "why"),
    [
        ("make the delay a parameter", ("def f(a, b=1, delay=2):", "    return a"), "adds delay and does nothing"),
        ("make the delay a parameter", ("def f(a, b=1, delay=2):", "    return a + delay"), ""),
        ("add a parameter c and log it", ("def f(a, b=1, c=2):", "    return a"), "adds c and does nothing"),
        ("add a parameter c and raise an error if it is 0", ("def f(a, b=1):", "    return 1"), "adds no parameter"),
        ("add a parameter c", ("def f(a, b=1, c=2):", "    return a"), ""),
        ("default b to 2 and add type hints", ("def f(a: int, b=1):", "    return a"), "does not change the default"),
        ("default b to 2 and add type hints", ("def f(a, b=2):", "    return a"), "does not change the hints"),
        ("default b to 2 and add type hints", ("def f(a: int, b=2):", "    return a"), ""),
        (
            "let b be bytes as well, an argument",
            ("def f(a, b=1, well=0):", "    return a"),
            "what the parameter is to be",
        ),
        ("b should default to 2", ("def f(a=2, b=2):", "    return a"), "changes the default of a, too"),
        ("document the b parameter", ("def f(a, b=1, document=0):", "    return a"), "what the parameter is to be"),
    ],
)
def test_what_is_left_undone_is_told(words: str, after: tuple[str, ...], why: str) -> None:
    found = said(words, *after)
    assert why in found
    assert bool(found) == bool(why)
