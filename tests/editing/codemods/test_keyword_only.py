import pytest

from spark_tui.editing.codemods.keyword_only import KeywordOnly
from tests.editing.codemods.table import afters

DEF = "def f({}):\n    pass"


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("a, b=1, c=2", "make b and c keyword-only", ["a, *, b=1, c=2"]),
        ("a, b=1, c=2", "everything after a by keyword", ["a, *, b=1, c=2", "*, a, b=1, c=2"]),
        ("a, b: int = 1, **kw", "b only by name", ["a, *, b: int = 1, **kw"]),
        ("self, flag=False", "FBT002", ["self, *, flag=False"]),
        ("a, b, *, c", "make b keyword-only", ["a, *, b, c"]),
        ("\n    a,\n    b=1,\n", "b only by name", ["\n    a,\n    *,\n    b=1,\n"]),
        ("\n    a, b=1\n", "b only by name", ["\n    a, *, b=1\n"]),
        ("a, b, /", "make b keyword-only", ["a, /, *, b"]),
        ("a, *rest", "make a keyword-only", []),
        ("self", "make everything keyword-only", []),
    ],
)
def test_a_star_goes_where_the_words_say(before: str, instruction: str, after: list[str]) -> None:
    found = afters(KeywordOnly(), DEF.format(before), instruction)
    assert found[: len(after) or None] == [DEF.format(one) for one in after]


@pytest.mark.parametrize(
    "before",
    [
        "def __eq__(self, other):\n    pass",
        "def f(a):\n    return f(a - 1)",
        "@x.setter\ndef x(self, value):\n    pass",
    ],
)
def test_functions_that_are_called_by_position_stay(before: str) -> None:
    assert afters(KeywordOnly(), before) == []


@pytest.mark.parametrize("call", ["super().__init__(text)", "other.__init__(text)"])
def test_a_call_of_another_function_of_that_name_does_not_matter(call: str) -> None:
    code = "def __init__(self, text, code=1):\n    " + call
    assert afters(KeywordOnly(), code, "code keyword-only")[0] == code.replace("code=1", "*, code=1")


def test_a_hook_takes_keywords_alone_and_any_parameter_named_may_be_the_last_by_position() -> None:
    hook = "def __init_subclass__(cls, a=1, b=2):\n    pass"
    assert hook.replace("cls, ", "cls, *, ") in afters(KeywordOnly(), hook, "everything keyword only, star after cls")
    code = "def f(fn, tag):\n    pass"
    said = "got multiple values for argument 'tag', fn should be positional only"
    assert code.replace("fn,", "fn, /,") in afters(KeywordOnly(), code, said)
