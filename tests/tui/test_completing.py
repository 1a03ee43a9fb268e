"""What could stand at the cursor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.context.symbols import symbols
from spark_tui.mentions import at_place, mention, read_request
from spark_tui.tui.widgets.completion import (
    CompletionKind,
    CompletionQuery,
    asked_at,
    named_items,
    sent_items,
    symbol_items,
)


def at(marked: str) -> CompletionQuery | None:
    """What is asked where the text has a bar."""
    return asked_at(marked.replace("|", ""), marked.index("|"))


@pytest.mark.parametrize(
    ("marked", "asked"),
    [
        ("|", None),
        ("fix @|", CompletionQuery(CompletionKind.FILE, "", 4, 5)),
        ("@sto|", CompletionQuery(CompletionKind.FILE, "sto", 0, 4)),
        ("fix @st|ore.py now", CompletionQuery(CompletionKind.FILE, "st", 4, 13)),
        ("fix (@st|)", CompletionQuery(CompletionKind.FILE, "st", 5, 8)),
        ("one\n@st|", CompletionQuery(CompletionKind.FILE, "st", 4, 7)),
        ("mail me@st|", None),
        ("fix @store.py |", None),
        ("fix @store.py:1|", None),
        ("fix @store.py:|", None),
        ("fix @store.py::|", CompletionQuery(CompletionKind.SYMBOL, "", 4, 15, "store.py")),
        (
            "fix @store.py::C.lo|ad now",
            CompletionQuery(CompletionKind.SYMBOL, "C.lo", 4, 21, "store.py"),
        ),
        ('fix @"a b|', CompletionQuery(CompletionKind.FILE, "a b", 4, 9)),
        ('fix @"a b.py"::f|', CompletionQuery(CompletionKind.SYMBOL, "f", 4, 16, "a b.py")),
        ("add @property|", None),
        ("add @propert|", CompletionQuery(CompletionKind.FILE, "propert", 4, 12)),
        ("/|", CompletionQuery(CompletionKind.COMMAND, "", 0, 1)),
        ("/th|eme", CompletionQuery(CompletionKind.COMMAND, "th", 0, 6)),
        ("/usr/bin|", None),
        ("see /th|", None),
        ("/model sp|", CompletionQuery(CompletionKind.ARGUMENT, "sp", 7, 9, "model")),
    ],
)
def test_what_is_asked_for_at_the_cursor(marked: str, asked: CompletionQuery | None) -> None:
    assert at(marked) == asked


@given(st.text(alphabet='@/:"\\ab. \n()', max_size=20), st.integers(0, 20))
def test_what_is_to_be_replaced_lies_around_the_cursor(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    asked = asked_at(text, cursor)
    if asked is not None:
        assert 0 <= asked.start <= cursor <= asked.end <= len(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_a_file_of_any_name_can_be_named(name: str) -> None:
    def file_named(written: str) -> str | None:
        return name if mention(written) == mention(name) else None

    told = read_request(f"fix it {mention(name, lines=(2, 3))}", file_named)
    assert told == {"instruction": "fix it", "path": name, "symbol": None, "lines": (2, 3)}


def test_another_place_takes_the_place_of_the_one_that_was_named() -> None:
    known = {"x.py": "x.py"}.get
    assert at_place("fix it", "@x.py::f", known) == "fix it @x.py::f"
    assert at_place("fix it in @x.py::f soon", "@y.py:1-2", known) == "fix it in @y.py:1-2 soon"
    assert at_place("add @cache", "@x.py::f", known) == "add @cache @x.py::f"


def test_functions_come_in_their_order_until_some_letters_tell_more() -> None:
    found = symbols(
        "class A:\n    def save(self): ...\n    def load(self): ...\ndef reload(): ...".splitlines()
    )
    assert [item.text for item in symbol_items("", "x.py", found)] == [
        "A",
        "A.save",
        "A.load",
        "reload",
    ]
    items = symbol_items("lo", "x.py", found)
    assert [(item.text, item.value, item.detail) for item in items] == [
        ("A.load", "@x.py::A.load", "method, 3-3"),
        ("reload", "@x.py::reload", "function, 4-4"),
    ]


def test_what_was_sent_is_found_by_its_words_the_newest_first() -> None:
    sent = ["close the file", "Load it", "open the file", "close the file"]
    assert [item.value for item in sent_items("file", sent)] == ["close the file", "open the file"]
    assert [item.value for item in sent_items("the cl", sent)] == ["close the file"]
    assert [item.value for item in sent_items("load", sent)] == ["Load it"]
    assert sent_items("LOAD", sent) == []


def test_names_that_begin_so_come_first() -> None:
    items = named_items("re", [("theme-red", ""), ("redo", "again"), ("undo", "")])
    assert [(item.value, item.detail) for item in items] == [("redo", "again"), ("theme-red", "")]


def test_odd_letters_of_a_name_are_shown_as_marks() -> None:
    (item,) = named_items("", [("a\x1b[2J", "")])
    assert item.text == "a␛[2J"
