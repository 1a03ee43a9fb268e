import pytest

from spark_tui.editing.codemods.narrow_except import NarrowExcept
from tests.editing.codemods.pairs import listed
from tests.editing.codemods.results import results
from tests.editing.codemods.table import afters


@pytest.mark.parametrize(
    ("body", "clause", "instruction", "after"),
    [
        ("f()", "Exception as e", "catch only OSError", ["OSError as e"]),
        ("f()", "Exception", "catch KeyError or a.BadError instead of Exception", ["(KeyError, a.BadError)"]),
        ("f()", "Exception", "narrow it", []),
        ("int(x)", "Exception", "narrow it", ["ValueError"]),
        ("d['a']", "Exception", "", ["KeyError"]),
        ("f()", "Exception", "handle just the missing key", ["KeyError"]),
        ("d['a'] + int(x)", "BaseException", "", ["KeyError", "ValueError", "(KeyError, ValueError)"]),
        ("int(x)", "", "E722 do not use bare except", ["Exception", "ValueError"]),
        ("int(x)", "ValueError", "catch OSError", ["OSError", "(ValueError, OSError)", "(OSError, ValueError)"]),
        ("int(x)", "ValueError", "OSError too", ["(ValueError, OSError)", "(OSError, ValueError)", "OSError"]),
        ("int(x)", "ValueError", "catch ValueError", []),
        ("f()", "", "KeyboardInterrupt and SystemExit must get through", ["Exception"]),
        ("f()", "", "don't swallow KeyboardInterrupt", ["Exception"]),
        ("f()", "BaseException", "never catch SystemExit", ["Exception"]),
        ("int(x)", "Exception", "my NameError vanished in there", ["ValueError"]),
        ("f()", "Exception", "the except ate my NameError, should be OSError", ["OSError"]),
    ],
)
def test_pairs(body: str, clause: str, instruction: str, after: list[str]) -> None:
    text = "try:\n    {}\nexcept{}:\n    pass"
    before = text.format(body, f" {clause}" if clause else "")
    found = listed(NarrowExcept(), before, instruction)
    assert sorted(found) == sorted(text.format(body, f" {one}") for one in after)
    assert found[:1] == [text.format(body, f" {one}") for one in after[:1]]


def test_an_error_seen_in_place_of_one_that_is_raised_is_what_is_caught() -> None:
    code = "try:\n    f()\nexcept OSError:\n    raise SetupError('no')"
    found = results("narrow_except", code, "people should see our SetupError, they get ValueError")
    assert code.replace("OSError", "ValueError") in found


def test_base_exception_that_is_complained_about_is_exception() -> None:
    before = "try:\n    go()\nexcept BaseException:\n    undo()"
    assert before.replace("Base", "") in afters(NarrowExcept(), before, "BaseException swallows Ctrl+C")


def test_a_bare_except_may_be_told_to_stay_as_broad() -> None:
    found = results("narrow_except", "try:\n    a()\nexcept:\n    b()", "BaseException if it has to be that wide")
    assert found[0] == "try:\n    a()\nexcept BaseException:\n    b()"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("with suppress(Exception):\n    f()", "suppress only OSError", "with suppress(OSError):\n    f()"),
        ("with raises(Exception):\n    f()", "only OSError, EOFError", "with raises((OSError, EOFError)):\n    f()"),
        (
            "try:\n    f()\nexcept (a.Error, ValueError):\n    g()",
            "a.Error is a ValueError already",
            "try:\n    f()\nexcept ValueError:\n    g()",
        ),
        (
            "try:\n    f()\nexcept (KeyError, IndexError, OSError):\n    g()",
            "LookupError covers two of them",
            "try:\n    f()\nexcept (LookupError, OSError):\n    g()",
        ),
        (
            "try:\n    await asyncio.f()\nexcept Exception:\n    g()",
            "CancelledError as well",
            "try:\n    await asyncio.f()\nexcept (Exception, asyncio.CancelledError):\n    g()",
        ),
        (
            "try:\n    f()\nexcept SyntaxError as e:\n    g()",
            "same for import errors",
            "try:\n    f()\nexcept (SyntaxError, ImportError) as e:\n    g()",
        ),
        (
            "try:\n    f()\nexcept Exception:\n    g()",
            "catch only zlib.error",
            "try:\n    f()\nexcept zlib.error:\n    g()",
        ),
    ],
)
def test_what_is_caught_may_be_told_in_many_ways(before: str, instruction: str, after: str) -> None:
    assert after in afters(NarrowExcept(), before, instruction)
