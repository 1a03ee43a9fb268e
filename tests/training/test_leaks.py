"""The filter between training and evaluation."""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.training.dataset import LENGTH, leaks, ngram_hashes
from tests.blind_cases import blind_cases

WORDS = st.lists(
    st.sampled_from(["x", "(", ")", "=", "return", "foo", "12", "+"]), min_size=0, max_size=60
)


@given(WORDS, WORDS, WORDS)
def test_what_a_stretch_holds_is_found_wherever_it_is_copied_to(
    head: list[str], part: list[str], tail: list[str]
) -> None:
    copy = [*head, "\n    ".join(part), *tail]
    assert ngram_hashes([" ".join(part)]) <= ngram_hashes(copy)


def test_less_than_thirteen_tokens_give_nothing_away() -> None:
    assert not ngram_hashes(["a " * (LENGTH - 1)])


def test_nearly_all_code_kept_for_evaluation_is_recognised() -> None:
    long = [
        case.before for case in blind_cases() if sum(len(line.split()) for line in case.before) > 60
    ]
    assert sum(map(leaks, long)) >= 0.95 * len(long)
    assert not leaks(["def f():", "    return 1"])
