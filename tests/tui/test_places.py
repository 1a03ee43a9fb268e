import ast
import re
from pathlib import Path
from typing import Any

import pytest

import spark_tui
from spark_tui.mentions import names_place, read_request


@pytest.mark.parametrize(
    ("text", "request_fields"),
    [
        ("rename a to b", {"instruction": "rename a to b"}),
        ("rename a to b @x.py", {"instruction": "rename a to b", "path": "x.py", "symbol": None}),
        (
            "rename a to b in @x.py::C.f",
            {"instruction": "rename a to b in", "path": "x.py", "symbol": "C.f"},
        ),
        (
            "@x.py::C.f add a docstring",
            {"instruction": "add a docstring", "path": "x.py", "symbol": "C.f"},
        ),
        ("fix @x.py::C::f", {"instruction": "fix", "path": "x.py", "symbol": "C.f"}),
        (
            "fix @x.py::A.b::c, now",
            {"instruction": "fix A.b.c, now", "path": "x.py", "symbol": "A.b.c"},
        ),
        ("fix @x.py::f() please", {"instruction": "fix f please", "path": "x.py", "symbol": "f"}),
        ("@x.py::C.f: fix it", {"instruction": "fix it", "path": "x.py", "symbol": "C.f"}),
        (
            "fix @x.py:3-9 please",
            {"instruction": "fix x.py please", "path": "x.py", "symbol": None, "lines": (3, 9)},
        ),
        ("fix @x.py:3", {"instruction": "fix", "path": "x.py", "symbol": None, "lines": (3, 3)}),
        ("fix (@x.py), now", {"instruction": "fix (x.py), now", "path": "x.py", "symbol": None}),
        ("add @property to size", {"instruction": "add @property to size"}),
        ("mail me@x.py", {"instruction": "mail me@x.py"}),
        ("add @cache @x.py", {"instruction": "add @cache", "path": "x.py", "symbol": None}),
    ],
)
def test_in_the_middle_of_the_words_what_a_place_is_called_stays(
    text: str, request_fields: dict[str, Any]
) -> None:
    assert read_request(text, lambda name: name if name == "x.py" else None) == request_fields


@pytest.mark.parametrize(
    "place", ["@x.py", "@x.py:3", "@gone.py", "@gone.ts", "@gone.py:3-9", "@gone::f", '@"go ne.py"']
)
def test_a_place_is_named_also_where_there_is_no_such_file(place: str) -> None:
    assert names_place(f"fix {place}, now", lambda name: name if name == "x.py" else None)


@pytest.mark.parametrize(
    "text", ["rename a to b", "add @property to size", "add @app.route", "mail me@x.py"]
)
def test_a_decorator_is_no_place(text: str) -> None:
    assert not names_place(text, lambda name: name if name == "x.py" else None)


def test_no_refusal_of_a_lower_room_speaks_of_options_of_the_command_line() -> None:
    """A place is called `@PATH`, which works on the screen and in a command alike."""
    code = [
        place
        for name in ("context", "providers", "session")
        for place in (Path(spark_tui.__file__).parent / name).rglob("*.py")
    ]
    texts = [text for place in code for text in _told(ast.parse(place.read_text("utf-8")))]
    sentences = [
        text for text in texts if " " in text and not text.startswith("-")
    ]  # a command's own options
    options = {option for text in sentences for option in _OPTION.findall(text)}
    assert options == {"--budget"}, "which is spoken of only where it was given"


_OPTION = re.compile(r"(?<![\w-])-(?:-[a-z-]+|[A-Z])\b")


def _told(tree: ast.AST) -> list[str]:
    """The texts in some code that are no docstrings, with a word in the place of what is filled
    in.
    """
    texts = list[str]()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            texts.append(
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "x"
                    for part in node.values
                )
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            texts += _told(node)
    return texts
