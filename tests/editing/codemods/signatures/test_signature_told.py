"""Plain words about a signature are read whole: all that they ask for is done, or it is said why not."""

import pytest

from spark_tui.editing.codemods.signatures.signature_change import Told
from spark_tui.editing.codemods.signatures.signature_told import signature_told
from spark_tui.editing.codemods.signatures.signature_wordings import ELIDED, PATTERNS, compiled


def told(signature: str, words: str, body: str = "    pass") -> Told | None:
    return signature_told((f"def f({signature}):", *body.split("\n")), words)


def test_every_wording_can_be_compiled() -> None:
    assert all(compiled(one).pattern for many in (*PATTERNS.values(), *ELIDED.values()) for one in many)


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("value, lo, hi", "make lo and hi keyword-only", "value, *, lo, hi"),
        ("value, lo, hi", "callers must pass everything after value by name", "value, *, lo, hi"),
        ("value, lo, hi", "make everything after value keyword-only, please", "value, *, lo, hi"),
        ("value, lo, hi", "give lo a default of 0 and hi a default of 1", "value, lo=0, hi=1"),
        ("value, lo, hi", "default the last two parameters to None", "value, lo=None, hi=None"),
        ("value, *, lo=1, hi", "hi should default to minus one", "value, *, lo=1, hi=-1"),
        ("items, sep", "let the separator be a comma and a space by default", "items, sep=', '"),
        ("items, sep='-'", "remove the default", "items, sep"),
        ("self, a, chunk_size=1", "change the default chunk size to 64 kB", "self, a, chunk_size=64 * 1024"),
        (
            "a, timeout: float",
            "timeout should be keyword-only and default to half a second",
            "a, *, timeout: float = 0.5",
        ),
        ("host, port, data", "move data right after host", "host, data, port"),
        ("host, port, data", "reorder the parameters: data, host, port", "data, host, port"),
        ("self, host, port", "port should come first", "self, port, host"),
        ("a, b=1, *, c", "accept *args and **kwargs", "a, b=1, *args, c, **kwargs"),
        ("a: str", "make a optional", "a: str | None = None"),
        ("a, *, b, c=1", "allow b to be passed by position", "a, b, *, c=1"),
        ("a, *, b=2", "drop the star", "a, b=2"),
        ("a, *, b=2", "make b keyword-only with a default of 3", "a, *, b=3"),
        ("a, sort_keys=False", "sort the keys by default", "a, sort_keys=True"),
        ("a, b=True, default=None", "turn b off by default", "a, b=False, default=None"),
        ("a, method='exclusive'", "the default method should be inclusive", "a, method='inclusive'"),
        ("year, month", "month should default to January", None),
        ("year, month", "swap the parameters", "month, year"),
        ("a, b", "default b to 1 and add a docstring", None),
        ("a, b", "b should default to something sensible", None),
        ("a, b: int", "b should default to half a second", None),
    ],
)
def test_a_signature_becomes_what_the_words_tell(before: str, words: str, after: str | None) -> None:
    found = told(before, words)
    assert (found.lines[0] if found else None) == (f"def f({after}):" if after else None)


@pytest.mark.parametrize(
    ("signature", "words", "why"),
    [
        ("a, b", "make a optional", "b has no default and would come behind a"),
        ("a, b=1", "make b optional", "b is optional already; its default is 1"),
        ("a, b", "make b required", "b has no default"),
        ("a, *, b", "make b keyword-only", "b can be given by keyword only already"),
        ("a, *rest", "make a keyword-only", "*rest would swallow"),
        ("a, **more", "add **kwargs", "f takes **more already"),
    ],
)
def test_what_cannot_be_is_told(signature: str, words: str, why: str) -> None:
    found = told(signature, words)
    assert found
    assert not found.lines
    assert found.problem.startswith(why)


def test_an_empty_list_is_made_anew_in_each_call() -> None:
    found = told("a, rows: list[int]", "rows should default to an empty list", "    return rows + [a]")
    assert found
    assert found.lines == (
        "def f(a, rows: list[int] | None = None):", "    if rows is None:", "        rows = []", "    return rows + [a]"
    )  # fmt: skip


def test_arguments_side_by_side_in_the_body_may_be_the_ones_to_swap() -> None:
    assert told("lo, hi", "swap lo and hi", "    return range(hi, lo)") is None
    assert told("lo, hi", "swap the parameters lo and hi", "    return range(hi, lo)")


def test_a_signature_over_several_lines_stays_so() -> None:
    found = signature_told(("def f(", "    a,", "    b,", "):", "    pass"), "put b before a")
    assert found
    assert found.lines == ("def f(", "    b,", "    a,", "):", "    pass")
