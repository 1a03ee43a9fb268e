"""Guesses at what comes next, against a search that looks at every place."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.speculative import Drafter, DraftStatistics, TokenHistory

TOKENS = st.lists(st.integers(0, 3), max_size=40)


class _Whole(DraftStatistics):
    """Lets every draft be as long as it can, and remembers how they went."""

    def __init__(self) -> None:
        super().__init__()
        self.fates: list[tuple[int, int]] = []

    def length(self, source: object, pending: int, most: int) -> int:
        return most

    def judged(self, source: object, right: int, proposed: int) -> None:
        self.fates.append((right, proposed))


def _searched(tokens: Sequence[int]) -> tuple[int, int]:
    """The longest end of a sequence that ends earlier in it too, and the first place where it
    does.
    """
    for length in range(len(tokens) - 1, 0, -1):
        for end in range(length, len(tokens)):
            if tokens[end - length : end] == tokens[len(tokens) - length :]:
                return length, end
    return 0, 0


@given(tokens=TOKENS)
def test_the_longest_repeated_end_is_found_at_its_first_place_after_every_token(
    tokens: list[int],
) -> None:
    history = TokenHistory()
    for count, token_id in enumerate(tokens, 1):
        history.extend([token_id])
        assert history.repeated() == _searched(tokens[:count])


@given(head=TOKENS, tokens=st.lists(st.integers(0, 3), min_size=9, max_size=40))
def test_the_longest_repeated_end_is_found_however_long_it_is(
    head: list[int], tokens: list[int]
) -> None:
    history = TokenHistory()
    history.extend(whole := [*head, *tokens, 0xD7FF, 131_071, *tokens])
    assert history.repeated() == _searched(whole)


@given(
    prompt=TOKENS,
    written=st.lists(st.integers(0, 3), min_size=1, max_size=20),
    most=st.integers(1, 9),
)
def test_without_expectations_what_followed_the_like_is_proposed(
    prompt: list[int], written: list[int], most: int
) -> None:
    drafter = Drafter(prompt, _Whole())
    for token_id in written:
        drafter.take(token_id)
    whole = prompt + written
    length, end = _searched(whole)
    assert list(drafter.propose(1, most)) == (whole[end : end + most] if length else [])


def test_what_is_expected_comes_first_and_goes_on_behind_what_was_written() -> None:
    drafter = Drafter([1, 2, 3, 4], _Whole())
    drafter.expect([7, 1, 2, 9, 9])
    assert list(drafter.propose(1, 3)) == [7, 1, 2]
    drafter.take(7)
    drafter.take(1)
    assert list(drafter.propose(1, 8)) == [2, 9, 9]


def test_after_a_token_that_was_not_expected_it_finds_back() -> None:
    drafter = Drafter([], _Whole())
    drafter.expect([1, 2, 3, 4, 5])
    for token_id in (1, 8, 3):
        drafter.take(token_id)
    assert list(drafter.propose(1, 8)) == [4, 5]


def test_after_tokens_that_were_left_out_it_finds_back() -> None:
    drafter = Drafter([], _Whole())
    drafter.expect([1, 2, 3, 4, 5])
    drafter.take(4)
    assert list(drafter.propose(1, 8)) == [5]


def test_another_sequence_may_copy_the_one_before_but_not_across_its_end() -> None:
    drafter = Drafter([1], _Whole())
    drafter.begin()
    for token_id in (5, 6, 7):
        drafter.take(token_id)
    drafter.begin([5])
    assert list(drafter.propose(1, 8)) == [6, 7]


def test_how_a_draft_went_is_told_once_it_is_known() -> None:
    pace = _Whole()
    drafter = Drafter([], pace)
    drafter.expect([1, 2, 3, 4])
    drafter.propose(1, 3)
    for token_id in (1, 2, 8):
        drafter.take(token_id)
    drafter.expect([4, 5])
    drafter.propose(1, 2)
    for token_id in (4, 5, 6):
        drafter.take(token_id)
    assert pace.fates == [(2, 3), (2, 2)]
