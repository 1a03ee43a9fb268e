"""What the words of an instruction ask for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.intents import Intents, code_names, features, plain, unheard

REGION = ["def load(path, x):", "    userName = open(path)", "    return {x: MAX_SIZE}"]
INTENTS = Intents(
    {"rename": {"rename": 6, "call": 4, "rename _": 6}, "sort": {"sort": 8, "order": 2}, "none": {"hello": 3}},
    {"rename": 10, "sort": 10, "none": 10},
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
    assert np.ptp(INTENTS.logprobs("frobnicate zzz", ())) < 1e-9


def test_counts_come_back_from_bytes_and_the_same_counts_give_the_same_bytes() -> None:
    data = INTENTS.to_bytes()
    assert Intents.from_bytes(data) == INTENTS
    assert Intents.from_bytes(data).to_bytes() == data


def test_pairs_tell_where_an_instruction_begins_and_ends() -> None:
    assert features("sort _ now") == {"sort", "now", "^ sort", "sort _", "_ now", "now $"}


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
    ],
)
def test_names_written_as_code_are_told_from_prose(said: str, names: set[str]) -> None:
    assert code_names(said) == names
