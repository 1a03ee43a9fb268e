"""An edit that does what words forbid is found out, and one that leaves it off is not."""

import pytest

from spark_tui.context.regions import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.negated import negated, nothing_held

TRY = "try:\n    f()\nexcept:\n    pass"
BOTH = "try:\n    f()\nexcept (ValueError, OSError):\n    pass"
TWICE = "print(a)\nif b:\n    print(b)\nc()"


def _code(words: str, before: str) -> Code:
    lines = before.split("\n")
    return Code(words, "a.py", Region("a.py", 1, len(lines), None, None, "", "file"), lines, lines)


@pytest.mark.parametrize(
    ("words", "before", "wrong", "right", "why"),
    [
        ("stop sorting", "a = sorted(b)\nc = d", "a = sorted(b)\nc = sorted(d)", "a = b\nc = d", "still does sorted"),
        ("never print", TWICE, TWICE.replace("print(a)\n", ""), "if b:\n    pass\nc()", "still does print"),
        ("don't raise", TRY, TRY.replace("pass", "raise"), TRY.replace("f()", "g()"), "does what it is not to do"),
        ("don't close f", "f = open(p)\nf.close()", "with open(p) as f:\n    pass", "f = open(p)", "not to do, close"),
        ("don't return False", "return False", "print()\nreturn False", "return None", "still returns False"),
        ("never return None", "return None", "return", "return []", "still returns None"),
        ("don't log the error", "log(e)", "log(e, error)", "pass", "more of error"),
        (
            "don't swallow KeyboardInterrupt", TRY, TRY.replace("except", "except KeyboardInterrupt"),
            TRY.replace("except", "except Exception"), "still holds KeyboardInterrupt back",
        ),
        (
            "never catch OSError", BOTH, BOTH.replace("ValueError, OSError", "OSError"),
            BOTH.replace("(ValueError, OSError)", "ValueError"), "still holds OSError",
        ),
        (
            "stop swallowing ValueError", BOTH, BOTH.replace("pass", "raise"),
            BOTH.replace("(ValueError, OSError)", "OSError"), "lets more through than ValueError",
        ),
    ],
)  # fmt: skip
def test_what_does_the_forbidden_is_said(words: str, before: str, wrong: str, right: str, why: str) -> None:
    assert why in negated(words, _code(words, before), wrong.split("\n"))
    assert not negated(words, _code(words, before), right.split("\n"))


@pytest.mark.parametrize("words", ["stop printing it", "no print", "don't print, use log", "print less"])
def test_where_not_all_is_forbidden_some_may_stay(words: str) -> None:
    assert not negated(words, _code(words, TWICE), TWICE.replace("print(a)\n", "").split("\n"))


@pytest.mark.parametrize(
    ("before", "is_held"),
    [
        (TRY, True),
        (BOTH, False),
        (TRY.replace("except", "except Exception"), False),
        (TRY.replace("except", "except BaseException"), True),
        (TRY.replace("except", "except KeyboardInterrupt:\n    raise\nexcept"), False),
        ("with suppress(KeyboardInterrupt):\n    f()", True),
    ],
)
def test_an_error_that_nothing_holds_back_need_not_be_let_through(before: str, is_held: bool) -> None:
    said = nothing_held("don't swallow KeyboardInterrupt", _code("", before))
    assert said == ("" if is_held else "nothing in a.py holds KeyboardInterrupt back")
