from typing import Any

import pytest

from spark_tui.tui.places import in_our_words, names_place, read_request


@pytest.mark.parametrize(
    ("text", "request_fields"),
    [
        ("rename a to b", {"instruction": "rename a to b"}),
        ("rename a to b @x.py", {"instruction": "rename a to b", "path": "x.py", "symbol": None}),
        ("rename a to b in @x.py::C.f", {"instruction": "rename a to b", "path": "x.py", "symbol": "C.f"}),
        ("add a docstring to @x.py::C.f", {"instruction": "add a docstring", "path": "x.py", "symbol": "C.f"}),
        ("fix @x.py:3-9 please", {"instruction": "fix please", "path": "x.py", "symbol": None, "lines": (3, 9)}),
        ("fix @x.py:3", {"instruction": "fix", "path": "x.py", "symbol": None, "lines": (3, 3)}),
        ("fix (@x.py), now", {"instruction": "fix (), now", "path": "x.py", "symbol": None}),
        ("add @property to size", {"instruction": "add @property to size"}),
        ("mail me@x.py", {"instruction": "mail me@x.py"}),
        ("add @cache in @x.py", {"instruction": "add @cache", "path": "x.py", "symbol": None}),
    ],
)
def test_a_place_is_taken_out_of_the_words_when_it_names_a_file(text: str, request_fields: dict[str, Any]) -> None:
    assert read_request(text, lambda name: name if name == "x.py" else None) == request_fields


@pytest.mark.parametrize("place", ["@x.py", "@x.py:3", "@gone.py", "@gone.py:3-9", "@gone::f", '@"go ne.py"'])
def test_a_place_is_named_also_where_there_is_no_such_file(place: str) -> None:
    assert names_place(f"fix {place}, now", lambda name: name if name == "x.py" else None)


@pytest.mark.parametrize("text", ["rename a to b", "add @property to size", "add @app.route", "mail me@x.py"])
def test_a_decorator_is_no_place(text: str) -> None:
    assert not names_place(text, lambda name: name if name == "x.py" else None)


def test_messages_about_flags_are_told_in_the_words_of_the_screen() -> None:
    message = "name a function, or use --file PATH or --at PATH:L1-L2"
    assert in_our_words(message) == "name a function, or use @PATH or @PATH:L1-L2"


@pytest.mark.parametrize(("path", "place"), [("a.py", "@a.py::C.f"), ("a b.py", '@"a b.py"::C.f')])
def test_an_example_is_told_as_it_can_be_typed(path: str, place: str) -> None:
    message = f"found nothing; this would work: “rename a to b in f” --at {path}::C.f; as before"
    assert in_our_words(message) == f"found nothing; this would work: “rename a to b in f {place}”; as before"
    there = {"instruction": "rename a to b in f", "path": path, "symbol": "C.f"}
    assert read_request(f"rename a to b in f {place}", lambda name: name) == there
