"""Finding names by some of their letters."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.tui.widgets.completion import Names, match

LETTERS = st.text(alphabet="abAB_/.", max_size=12)


def ranked(query: str, *texts: str) -> list[str]:
    return [found.text for found in Names(texts).best(query, 99)]


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("store", "store.py", "history/storehouse.py"),
        ("store", "a/b/store.py", "store/a/b.py"),
        ("um", "user_model.py", "album.py"),
        ("um", "UserModel.py", "album.py"),
        ("umod", "user_model.py", "sumodel.py"),
        ("prompt", "tui/widgets/prompt.py", "prompt/widgets/tui.py"),
        ("view", "view.py", "preview.py"),
        ("se/st", "session/turn_store.py", "slow_engine/first.py"),
        ("load", "loader.py", "l_o_a_d.py"),
        ("te", "test.py", "latest.py"),
        ("x", "x.py", "max.py"),
        ("init", "a/__init__.py", "a/kindling_it.py"),
        ("cfg", "a/cfg.py", "configuration.py"),
        ("README", "README.md", "docs/README_old.md"),
    ],
)
def test_what_is_meant_comes_first(query: str, better: str, worse: str) -> None:
    assert ranked(query, worse, better) == [better, worse]


@pytest.mark.parametrize(
    ("query", "text", "fits"),
    [
        ("User", "user.py", False),
        ("User", "User.py", True),
        ("é", "caf\u00e9.py", True),
        ("i", "\u0130stanbul", False),
        ("→", "plain.py", False),
    ],
)
def test_letters_fit_in_their_order_and_capitals_once_there_is_one(
    query: str, text: str, fits: bool
) -> None:
    assert (match(query, text) is not None) == fits
    assert (text in ranked(query, text)) == fits


@given(LETTERS, LETTERS)
def test_a_name_fits_exactly_when_it_has_the_letters_in_order(query: str, text: str) -> None:
    flags = 0 if query != query.lower() else re.IGNORECASE
    fits = re.search(".*".join(map(re.escape, query)), text, flags) is not None
    found = match(query, text)
    assert (found is not None) == fits
    if found is not None:
        letters = "".join(text[at] for at in found.at)
        assert (letters if query != query.lower() else letters.lower()) == query
        assert all(first < second for first, second in pairwise(found.at))


@given(
    st.lists(LETTERS, max_size=20, unique=True),
    st.lists(LETTERS, min_size=1, max_size=6),
    st.integers(1, 30),
)
def test_of_many_the_best_are_found_whatever_was_asked_before(
    texts: list[str], queries: list[str], limit: int
) -> None:
    names = Names(texts)
    for query in queries:
        fitting = [found for text in texts if (found := match(query, text)) is not None]
        fitting.sort(key=lambda each: (-each.score, len(each.text), each.text))
        assert names.best(query, limit) == fitting[:limit]


def test_a_name_of_a_million_characters_costs_no_more_than_its_end() -> None:
    found = match("end", "x" * 1_000_000 + "/end.py")
    assert found is not None
    assert found.at == (1_000_001, 1_000_002, 1_000_003)
