"""Warnings about code that is read in several threads at once."""

import ast
import threading
import warnings
from collections.abc import Callable

import pytest

from spark_tui.editing.codemods.common import said
from spark_tui.editing.warned import warnings_as

DOUBTFUL = 'x = "\\d"\n'


def test_of_two_threads_that_read_code_neither_leaves_its_setting_behind() -> None:
    before, inside, left = list(warnings.filters), threading.Event(), threading.Event()

    def read() -> None:
        with warnings_as("error"):
            inside.set()
            left.wait(5)

    other = threading.Thread(target=read)
    with warnings_as("ignore"):
        other.start()
        inside.wait(0.1)
    left.set()
    other.join()
    assert list(warnings.filters) == before


def test_what_other_threads_read_is_no_error_while_a_text_is_held_to_be_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    parse: Callable[..., ast.AST] = ast.parse

    def meanwhile(*args: object, **options: object) -> ast.AST:
        monkeypatch.setattr(ast, "parse", parse)
        parse(DOUBTFUL)  # as any thread may
        return parse(*args, **options)

    monkeypatch.setattr(ast, "parse", meanwhile)
    said.is_expression.cache_clear()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert said.is_expression("a + b")
        assert len(told) == 1
        assert not said.is_expression('"\\d"'), "Python warns of it"
