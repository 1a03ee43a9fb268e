"""What the words of an instruction ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.intents import Intents, code_names, features, plain, unheard

REGION = ["def load(path, x):", "    userName = open(path)", "    return {x: MAX_SIZE}"]
INTENTS = Intents(
    ("rename", "sort", "none"),
    {"rename": 1, "call": 2, "sort": 3, "@always": 4},
    np.array([[0, 0, 8], [32, 0, 0], [16, 0, 0], [0, 32, 0], [0, 0, 24]], np.int8),
    {"rename": frozenset(["rename", "call"]), "sort": frozenset(["sort", "order"]), "none": frozenset(["hello"])},
)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("rename `foo bar` to 'x y'", "rename _ to _"),
        ("use MAX_SIZE, not 1.5", "use _, not _"),
        ("x should be userName", "_ should be _"),
        ("open the path first", "open the path first"),
        ("it's wrong, isn't it", "it's wrong, isn't it"),
    ],
)
def test_what_stands_for_code_is_one_word(said: str, words: str) -> None:
    assert " ".join(plain(said, REGION).split()).replace(" ,", ",") == words


def test_the_words_of_a_kind_speak_for_it() -> None:
    for said, kind in (("rename x", "rename"), ("please sort these", "sort"), ("hello", "none")):
        assert INTENTS.kinds[INTENTS.logprobs(said, REGION).argmax()] == kind


@given(st.text(max_size=60))
def test_whatever_is_said_the_probabilities_add_up(said: str) -> None:
    assert np.exp(INTENTS.logprobs(said, REGION)).sum() == pytest.approx(1)


def test_unknown_words_speak_for_nothing() -> None:
    np.testing.assert_array_equal(INTENTS.logprobs("frobnicate zzz", ()), INTENTS.logprobs("", ()))


def test_words_of_one_sense_speak_alike() -> None:
    assert INTENTS.logprobs("never", ())[2] == INTENTS.logprobs("only", ())[2] > INTENTS.logprobs("maybe", ())[2]


def test_weights_come_back_from_bytes_and_the_same_weights_give_the_same_bytes() -> None:
    data = INTENTS.to_bytes()
    again = Intents.from_bytes(data)
    np.testing.assert_array_equal(again.logprobs("call it sorted", REGION), INTENTS.logprobs("call it sorted", REGION))
    assert again.to_bytes() == data


def test_pairs_tell_where_an_instruction_begins_and_ends() -> None:
    assert {"sort", "now", "^ sort", "sort _", "_ now", "now $"} <= features("sort _ now")


def test_words_share_their_stem_and_their_pieces_with_others_of_their_family() -> None:
    shared = features("renaming") & features("renames")
    assert {"~renam", "#rena", "#enam"} <= shared


def test_words_that_no_request_of_the_kind_uses_are_strange_unless_the_region_holds_them() -> None:
    said = "rename the path because of `zebra` and gnus"
    assert INTENTS.strange("rename", said, REGION) == ["the", "because", "and", "gnus"]
    assert INTENTS.strange("sort", "sort", REGION) == []


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("read it as utf-8", ["utf-8"]),
        ("add a `__len__` method", ["__len__"]),
        ("use 30 instead of 5", ["5"]),
        ('say "no such file" in line 12', ["no such file"]),
        ("x should be 30, see foo.py:12", []),
    ],
)
def test_what_is_told_must_be_heard(said: str, missing: list[str]) -> None:
    assert unheard(said, ["x = 1"], ["x = 30"]) == missing


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("return the total", set()),
        ("decorate it with @functools.cache", {"functools", "cache"}),
        ("raise MissingRow or `Gone` with log_it(x)", {"MissingRow", "Gone", "log_it"}),
        ("catch ValueError", {"ValueError"}),
        ("use a defaultdict for the count", {"defaultdict", "collections"}),
        ("switch to pathlib", {"Path", "PurePath", "PurePosixPath"}),
    ],
)
def test_names_written_as_code_are_told_from_prose(said: str, names: set[str]) -> None:
    assert code_names(said) == names
