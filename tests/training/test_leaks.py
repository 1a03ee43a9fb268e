"""The filter between training and evaluation."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.training.evaluate import frozen_cases
from spark_tui.training.leaks import LENGTH, leaks, ngram_hashes, write_list
from tests.blind_cases import blind_cases

WORDS = st.lists(st.sampled_from(["x", "(", ")", "=", "return", "foo", "12", "+"]), min_size=0, max_size=60)


@given(WORDS, WORDS, WORDS)
def test_what_a_stretch_holds_is_found_wherever_it_is_copied_to(
    head: list[str], part: list[str], tail: list[str]
) -> None:
    copy = [*head, "\n    ".join(part), *tail]
    assert ngram_hashes([" ".join(part)]) <= ngram_hashes(copy)


def test_less_than_thirteen_tokens_give_nothing_away() -> None:
    assert not ngram_hashes(["a " * (LENGTH - 1)])


def test_the_list_is_written_sorted_and_small(tmp_path: Path) -> None:
    count = write_list([["a b c d e f g h i j k l m n o p q r s t u v w x y z"] * 40], tmp_path / "list.npy")
    found = np.load(tmp_path / "list.npy")
    assert (len(found), found.dtype) == (count, np.uint32)
    assert sorted(found.tolist()) == found.tolist()


def test_nearly_all_code_kept_for_evaluation_is_recognised() -> None:
    stretches = [group.before for group in frozen_cases(200)] + [case.before for case in blind_cases()]
    long = [one for one in stretches if sum(len(line.split()) for line in one) > 60]
    assert sum(map(leaks, long)) >= 0.97 * len(long)
    assert not leaks(["def f():", "    return 1"])
