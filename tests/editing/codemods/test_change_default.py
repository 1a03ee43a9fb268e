import pytest

from spark_tui.editing.codemods.change_default import ChangeDefault
from tests.editing.codemods.table import afters


def headers(*defaults: str) -> list[str]:
    return [f"def f(a, limit={one}, *, mode='r'): ..." for one in defaults]


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ("make limit default to 20", headers("20")),
        ("bump the default of `limit` from 10 to -1", headers("-1")),
        ("limit=10 -> limit=0x1F", headers("0x1F")),
        ("limit should be none when not given", headers("None")),
        ("use MAX_ROWS for limit", headers("MAX_ROWS")),
        ("limit should default to an empty list", headers("[]")),
        ('default limit to "all"', headers("'all'")),
        ("limit should default to `cfg.limit`", headers("cfg.limit")),
        ("change the default of limit", []),
        ("default limit to 10", []),
    ],
)
def test_the_value_that_is_said_becomes_the_default(instruction: str, after: list[str]) -> None:
    assert afters(ChangeDefault(), headers("10")[0], instruction) == after


def test_names_of_functions_and_parameters_narrow() -> None:
    before = "def f(a=1, b=2): ...\ndef g(a=1): ..."
    assert len(afters(ChangeDefault(), before, "set the default to 5")) == 4
    assert afters(ChangeDefault(), before, "default `a` to 5 in g()") == [before[:-7] + "5): ..."]


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (
            "def f(self, rows: list[int]) -> None:\n    self.rows = rows",
            "rows should default to None and become a list then",
            "def f(self, rows: list[int] | None = None) -> None:\n    self.rows = rows or []",
        ),
        ("def f(a, b=()):\n    return g(a, *b)", "b=None", "def f(a, b=None):\n    return g(a, *(b or ()))"),
    ],
)
def test_none_for_what_is_empty_with_what_stands_in_for_it(before: str, words: str, after: str) -> None:
    assert after in afters(ChangeDefault(), before, words)


@pytest.mark.parametrize("words", ["default seconds", "seconds by default", "unit should default to seconds"])
def test_a_plain_word_is_told_for_a_text_of_one_word(words: str) -> None:
    before = "def f(size=1, unit='auto'): ..."
    assert before.replace("auto", "seconds") in afters(ChangeDefault(), before, words)


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("class A(NamedTuple):\n    host: str\n    port: int", "port default 80", "    port: int = 80"),
        ("class A:\n    host: str\n    port: int | None", "port should default to None", "    port: int | None = None"),
        ("def f(mode: Literal['r', 'wb'], n=1): ...", "mode should default to wb", "'wb'] = 'wb', n=1): ..."),
    ],
)
def test_fields_and_parameters_without_a_default_get_one(before: str, words: str, after: str) -> None:
    assert any(one.endswith(after) for one in afters(ChangeDefault(), before, words))
