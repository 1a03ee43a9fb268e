"""Expressions told in code or by a name, put where they fit."""

import pytest

from tests.editing.codemods.results import results


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("max(...) -> min(limits)", "top = max(a, f(b), c)", "top = min(limits)"),
        ("wrap(...) -> fill(...)", "text = textwrap.wrap(line, 70)", "text = textwrap.fill(line, 70)"),
        (
            "choice(a) == 1 -> random.random() < p",
            "if random.choice(a) == 1:\n    go()",
            "if random.random() < p:\n    go()",
        ),
        ("open(p, 'r') -> open(p)", 'with open(p,  "r") as f:\n    pass', "with open(p) as f:\n    pass"),
        ("in the loop: 3600 -> 60 * 60", "for one in rows:\n    wait(3600)", "for one in rows:\n    wait(60 * 60)"),
        (
            "except: -> except OSError:",
            "try:\n    go()\nexcept:\n    pass",
            "try:\n    go()\nexcept OSError:\n    pass",
        ),
        ('__name__ -> "app.log"', "log = getLogger(__name__)", 'log = getLogger("app.log")'),
    ],
)
def test_code_becomes_the_code_behind_the_arrow(words: str, old: str, new: str) -> None:
    assert results("replace_text", old, words) == [new]


@pytest.mark.parametrize("words", ["'%s' % name -> f-string", "t.daemon = True -> an argument of it"])
def test_prose_behind_an_arrow_is_no_code(words: str) -> None:
    found = results("replace_text", "t.daemon = True\nlog('%s' % name)", words)
    assert not any("f-string" in one or "argument of" in one for one in found)
