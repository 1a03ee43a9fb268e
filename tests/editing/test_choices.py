"""A choice among known scripts."""

from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.choices import Choices

END = 9
SCRIPTS = st.lists(st.lists(st.integers(0, 3), max_size=6).map(lambda ids: [*ids, END]), min_size=1, max_size=12)


@given(scripts=SCRIPTS, written=st.lists(st.integers(0, 3), max_size=4))
def test_what_may_follow_is_what_follows_in_some_script_ascending(scripts: list[list[int]], written: list[int]) -> None:
    following = {script[len(written)] for script in scripts if script[: len(written)] == written}
    assert Choices(scripts).after(written) == sorted(following)


@given(scripts=SCRIPTS, written=st.lists(st.integers(0, 3), max_size=4))
def test_the_likely_rest_makes_one_of_the_scripts_of_what_is_written(
    scripts: list[list[int]], written: list[int]
) -> None:
    likely = Choices(scripts).likely(written)
    if any(script[: len(written)] == written for script in scripts):
        assert written + likely in scripts
    else:
        assert likely == []


def test_the_script_given_first_is_the_likely_one() -> None:
    assert Choices([[2, 5, END], [1, END], [2, 4, END]]).likely([]) == [2, 5, END]
