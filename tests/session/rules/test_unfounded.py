"""Words that only tell that something is off by one, about code that does not show it."""

import pytest

from spark_tui.session.rules.unfounded import unfounded, unseen

PAIRS = ("def pairs(x):", "    return [(x[i], x[i + 1]) for i in range(len(x) - 1)]")
COUNT = ("def count(n):", "    i = 0", "    while i < n:", "        i += 1", "    return i > 9")


def test_an_edit_that_makes_a_right_bound_wrong_is_unfounded() -> None:
    after = [line.replace("len(x) - 1", "len(x)") for line in PAIRS]
    assert unfounded("it skips the last item", "a.py:1-2", PAIRS, after)
    assert unfounded("use range(len(x))", "a.py:1-2", PAIRS, after) == ""


@pytest.mark.parametrize(("words", "founded"), [("it stops one too early", True), ("off by one", False)])
def test_what_the_code_does_not_show_must_be_told(words: str, founded: bool) -> None:
    after = [line.replace("i < n", "i <= n") for line in COUNT]
    assert (unfounded(words, "a.py:1-4", COUNT, after) == "") is founded
    assert "nothing in a.py:1-4 shows" in unseen(words, "a.py:1-4", COUNT)
