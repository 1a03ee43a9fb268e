import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.context import symbols as module
from spark_tui.context.symbols import Symbol, symbols

SOURCE = textwrap.dedent(
    '''\
    import os

    @cache
    @wraps(
        f,
    )
    def first(
        a,
        b,
    ) -> int:
        """Text
    def not_me(): pass
        """
        # a comment

        def inner():
            return 1
        return inner

    class Thing(Base):
        x = 1

        def method(self): return 1

        async def other(self):
            text = """
    class NotMe:
    """
            return text

        class Nested:
            def deep(self):
                pass
    if os:
        def guarded():
            pass
    try:
        pass
    except Exception:
        def handled(): pass
    # the end
    '''
).split("\n")

FOUND = (
    Symbol("first", "function", 3, 18),
    Symbol("first.inner", "function", 16, 17),
    Symbol("Thing", "class", 20, 33),
    Symbol("Thing.method", "method", 23, 23),
    Symbol("Thing.other", "method", 25, 29),
    Symbol("Thing.Nested", "class", 31, 33),
    Symbol("Thing.Nested.deep", "method", 32, 33),
    Symbol("guarded", "function", 35, 36),
    Symbol("handled", "function", 40, 40),
)


def test_finds_every_definition_with_its_decorators() -> None:
    assert symbols(SOURCE) == FOUND


def test_a_file_that_does_not_parse_is_read_by_its_indentation() -> None:
    broken = [*SOURCE, "x = ("]
    with pytest.raises(SyntaxError):
        ast.parse("\n".join(broken))
    assert symbols(broken) == FOUND


def test_a_very_large_file_is_read_by_its_indentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PARSED", 10)
    monkeypatch.delattr(module, "_of_tree")
    assert symbols(SOURCE) == FOUND


@pytest.mark.parametrize(
    "line", ["x = 'caf\udce9'", "a = 1\rb = 2", "x = '\f\v\x1c\x85\u2028'", "x = '\\d'"]
)
def test_lines_are_counted_by_line_feeds_whatever_else_is_in_them(line: str) -> None:
    assert symbols([line, line, "def f():", "    pass"]) == (Symbol("f", "function", 3, 4),)


@pytest.mark.parametrize(
    "lines", [[], [""], ["x = 1"], ["#"], ['"""', "def f(): pass"], ["@"], ["   @x", "y"], [")"]]
)
def test_a_file_without_definitions_has_none(lines: list[str]) -> None:
    assert symbols(lines) == ()


def test_text_nested_too_deeply_is_no_error() -> None:
    assert symbols(["-" * 100_000 + "1", "def f(): pass"]) == (Symbol("f", "function", 2, 2),)


@given(
    st.lists(
        st.sampled_from(
            [
                "def f():",
                "  class A:",
                "  @x",
                "    pass",
                "",
                "#",
                ")",
                '"""',
                "x",
                "    def g(): 1",
            ]
        )
    )
)
def test_symbols_are_within_the_file_and_within_each_other(lines: list[str]) -> None:
    found = symbols(lines)
    assert all(1 <= symbol.start_line <= symbol.end_line <= len(lines) for symbol in found)
    assert list(found) == sorted(found, key=lambda symbol: (symbol.start_line, -symbol.end_line))
