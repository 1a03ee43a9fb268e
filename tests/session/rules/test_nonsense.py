"""Sentences that speak of other things than code get no edit; those that do are not taken for such."""

import pytest

from spark_tui.context.source import Region
from spark_tui.session.rules.facts import Code
from spark_tui.session.rules.nonsense import nonsense, unknown_verb

LINES = (
    "def load(path):",
    "    f = open(path)",
    "    data = f.read()  # all turtles",
    "    f.close()",
    "    return data",
)
REGION = Region("shop.py", 1, len(LINES), "load", None, "", "symbol")


def of(words: str, *after: str) -> str:
    return nonsense(words, Code(words, "load", REGION, LINES, LINES), after or LINES)


@pytest.mark.parametrize(
    "words",
    [
        "open the pod bay doors",
        "close the door when you return",
        "make me a sandwich",
        "pass the salt",
        "file your taxes",
        "frozen pizza",
        "sing a song",
        "remove the stain from my shirt",
        "import the tax forms please",
        "Raise your glasses at dawn!",
    ],
)
def test_what_is_said_of_other_things_is_asked_back(words: str) -> None:
    assert "?" in of(words)


@pytest.mark.parametrize(
    "words",
    [
        "open the turtles with a context manager",
        "close the turtle",
        "squash the ifs into one",
        "higher",
        "return `song` instead",
        "use with, the song of the pod_bay is unclosed",
        "alwyas close the file, even on an excpetion",
        "saturday should be the default",
        "import the json module",
        "import tomlkit",
    ],
)
def test_what_is_said_of_the_code_goes_through(words: str) -> None:
    assert of(words, *LINES, "import tomlkit") == ""


@pytest.mark.parametrize(
    ("words", "to_somebody"),
    [
        ("with or without you", True),
        ("catch me if you can", True),
        ("load me in", True),
        ("could you close the file", False),
        ("give me a with", False),
        ("you forgot to close it", False),
        ("close it, don't you think?", False),
        ("i'd prefer you to close the file", False),
        ("let me pass the path", False),
        ("whatever I pass, the file that you open is never closed again", False),
    ],
)
def test_what_is_said_to_somebody_is_asked_back_where_it_is_short(words: str, to_somebody: bool) -> None:
    assert ("who is" in of(words)) is to_somebody


def test_words_that_the_edit_writes_are_not_strange() -> None:
    words = "print that a walrus yawned"
    assert of(words) != ""
    assert of(words, *LINES, '    print("a walrus yawned")') == ""


@pytest.mark.parametrize(
    "words", ["frobnicate the path", "please defenestrate it", "sing the data", "frob that open call"]
)
def test_a_verb_that_nobody_knows_is_asked_back(words: str) -> None:
    assert unknown_verb(words, Code(words, "load", REGION, LINES, LINES)).startswith("what does it mean to ")


@pytest.mark.parametrize(
    "words",
    [
        "squash the ifs",
        "ditch the else",
        "remvoe the comment",
        "turtles the data",
        "mend this",
        "inline the path",
        "frobnicate the path by way of a with",
    ],
)
def test_a_verb_that_people_say_or_that_more_is_said_with_is_not(words: str) -> None:
    assert unknown_verb(words, Code(words, "load", REGION, LINES, LINES)) == ""
