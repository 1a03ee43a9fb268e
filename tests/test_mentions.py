"""How the user says where."""

import pytest

from spark_tui.errors import UsageError
from spark_tui.mentions import Place, mention, parse_place, read_request


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a.py:3-9", Place("a.py", (3, 9))),
        ("a.py:3", Place("a.py", (3, 3))),
        ("lib/a.py::f", Place("lib/a.py", symbol="f")),
        ("a.py::Class.method", Place("a.py", symbol="Class.method")),
        ("a.py::Class::method", Place("a.py", symbol="Class.method")),
        ("a.py::Outer.Inner::method", Place("a.py", symbol="Outer.Inner.method")),
        ("a:b.py:1-2", Place("a:b.py", (1, 2))),
        ("a.py", Place("a.py")),
        ("a.py::größe", Place("a.py", symbol="größe")),
    ],
)
def test_places_are_lines_or_symbols_of_a_file(text: str, place: Place) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize(
    ("symbol", "told"),
    [
        ("build-system", "@a.toml::build-system"),
        ("A.b", "@a.toml::A.b"),
        ("How to use it", "@a.toml:3-9"),
    ],
)
def test_what_is_offered_as_a_place_is_read_as_that_place(symbol: str, told: str) -> None:
    offered = mention("a.toml", symbol=symbol, lines=(3, 9))
    assert offered == told
    said = read_request(f"sort it {offered}", str)
    assert (said["instruction"], said["path"]) == ("sort it", "a.toml")
    assert said["symbol"] == symbol or said["lines"] == (3, 9)


@pytest.mark.parametrize(
    "text", ["a.py:0-3", "a.py:9-3", "a.py:", "a.py::", "a.py::1x", ":3", "a.py:-3", ""]
)
def test_anything_else_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(UsageError, match="PATH:FIRST-LAST"):
        parse_place(text)
