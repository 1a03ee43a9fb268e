"""Words of code do not make a wish of a saying: what half of the words have nothing to do with is not offered."""

from functools import cache

import pytest

from spark_tui.context.source import Region
from spark_tui.editing.intents import FILE_NAME, Intents
from spark_tui.engine.library import find_model
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.unread import Reading, reading, unread

LINES = (
    "def load(path):",
    "    import json",
    "    f = open(path)",
    "    cake = json.load(f)",
    "    f.close()",
    "    return '%s: %s' % (path, cake)",
)
EDITS = {
    "fstring": (*LINES[:-1], "    return f'{path}: {cake}'"),
    "use_with": (*LINES[:2], "    with open(path) as f:", "        cake = json.load(f)", LINES[-1]),
    "add_docstring": (LINES[0], '    """Load a cake."""', *LINES[1:]),
    "add_import": (LINES[0], "    import taxes", *LINES[1:]),
}
RENAMED = tuple(line.replace("cake", "pie") for line in LINES)
NONSENSE = [
    "with great power comes an f-string",
    "purple elephant docstring seventeen marmalade",
    "window f-string bicycle",
    "a tuple walks into a pub and orders beer",
    "flour, eggs, bananas and a dict",
    "sing me a lullaby about async",
    "grandma's lambda stew smells delicious",
    "the patient has a broken arm and a high pulse of 120",
    "shampoo, toothpaste, batteries, an enum",
    "Berlin, Paris and Rome are lovely in utf-8",
    "an orchestra of kwargs plays Mozart",
    "ask the goalkeeper for a regex",
    "the princess married a docstring from Norway",
    "insects have 6 legs, spiders have 8",
    "knights, castles, dragons: None",
    "a class of mammals that hunts fish",
    "preheat the oven to 200 and bake for 30",
    "json carpet thunder walrus",
]
CODE = Code("", "load", Region("shop.py", 1, len(LINES), "load", None, "", "symbol"), LINES, LINES)


@cache
def intents() -> Intents:
    return Intents.from_bytes((find_model(None) / FILE_NAME).read_bytes())


def of(words: str, kind: str, *modules: str) -> Reading:
    after = EDITS.get(kind, RENAMED)
    return reading(words, CODE, after, kind, intents().strange(kind, words, LINES), lambda: modules)


@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize(
    "words",
    NONSENSE,
)
def test_sayings_with_words_of_code_are_not_written_unseen_whatever_edit_is_found(words: str, kind: str) -> None:
    assert of(words, kind).is_poor


@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("words", NONSENSE[:8])
def test_those_that_are_mostly_of_other_things_are_asked_back(words: str, kind: str) -> None:
    assert of(words, kind).is_of_other_things
    assert "here?" in unread(words, CODE, EDITS[kind], kind, intents().strange(kind, words, LINES))


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("to be or not to be, that is the else", True),
        ("where there is an if there is an else", True),
        ("no else here", False),
        ("it is not x in y but x not in y", False),
    ],
)
def test_many_words_that_tell_nothing_are_asked_back(words: str, asks: bool) -> None:
    strange = intents().strange("remove_else", words, LINES)
    assert ("to be done here?" in unread(words, CODE, LINES[:-1], "remove_else", strange)) is asks


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("f-string please, instead of the % there", "fstring"),
        ("argh, f-string", "fstring"),
        ("interpolate the values into an f-string", "fstring"),
        ("nitpick: that message should be an f-string", "fstring"),
        ("use a context manager for the file, it leaks when load crashes", "use_with"),
        ("always close f", "use_with"),
        ('add a docstring: "Load a cake."', "add_docstring"),
        ("rename cake to pie", "rename"),
        ("cake is a poor name, pie tells more", "rename"),
        ("import the taxes module", "add_import"),
        ("`import taxes`", "add_import"),
    ],
)
def test_what_is_said_of_an_edit_is_read(words: str, kind: str) -> None:
    odd = of(words, kind)
    assert not odd.is_of_other_things
    assert not odd.is_poor


def test_one_unusual_word_is_for_people_to_see() -> None:
    odd = of("in the docker message the path should be an f-string", "fstring")
    assert odd.unknown == ("docker",)
    assert not odd.is_of_other_things
    assert odd.is_poor


def test_a_name_with_a_number_that_stands_nowhere_is_unknown() -> None:
    assert of("Route66 is closed", "use_with").unknown == ("Route66",)
    assert of("F401 json is unused", "use_with").unknown == ()


def test_a_module_that_nobody_knows_may_be_none() -> None:
    assert of("import taxes", "add_import").unknown == ("taxes",)
    assert of("import taxes", "add_import", "taxes").unknown == ()
