"""What is known of an edit as numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.effects import Effects
from spark_tui.editing.script import Delete, Insert, LineOp, Replace, Substitute
from spark_tui.editing.standing import Standings

LINES = ("def fetch(url, retries):", "    timeout = 5", "    if retries:", "        return get(url, timeout)")
OPS = st.one_of(
    st.builds(Delete, st.just(1), st.integers(1, 3)),
    st.builds(lambda line: Insert(2, (line,)), st.text(max_size=9)),
    st.builds(lambda line: Replace(1, 1, (line,)), st.text(max_size=9)),
    st.builds(Substitute, st.sampled_from(["url", ".get", "nothing"]), st.sampled_from(["address", ".post"])),
)


@given(st.text(max_size=40), OPS, st.sampled_from([None, (0, 0), (1, 3)]))
def test_as_many_small_numbers_for_every_edit_of_every_request(
    said: str, op: LineOp, selected: tuple[int, int] | None
) -> None:
    standings = Standings(LINES, Request(said, selected))
    rows = [standings.listed("rename", -1.0, [(op,), ()])]
    rows += [standings.listed("rename", -1.0, []), standings.nothing("none", -1.0)]
    assert len({each.shape[1] for each in (*rows, Standings((), Request("", None)).unlisted("rename", -1.0))}) == 1
    assert np.isfinite(np.concatenate(rows)).all()
    assert np.abs(np.concatenate(rows)).max() < 50


def test_edits_at_other_places_or_with_other_words_are_told_apart() -> None:
    standings = Standings(LINES, Request("return the url", (3, 3)))
    edits: list[Ops] = [
        (Delete(1, 1),),
        (Delete(3, 3),),
        (Insert(1, ("    return url",)),),
        (Insert(1, ("    raise url",)),),
    ]
    assert len({tuple(row) for row in standings.listed("rename", -1.0, edits)[:, 4:].tolist()}) == len(edits)


def test_what_comes_and_what_goes_are_the_tokens_that_are_not_in_both() -> None:
    effect = Effects(LINES).of([Replace(1, 1, ("    timeout = 30",)), Substitute(".get", ".post")])
    assert (dict(effect.gone), dict(effect.come)) == ({"5": 1, "get": 1}, {"30": 1, "post": 1})
    assert effect.beside == {"timeout", "=", "5", "get"}
    assert (effect.here, effect.size) == ((1, 3), 1)


def test_lines_below_the_last_are_touched_but_not_there() -> None:
    effect = Effects(LINES).of([Insert(3, ("", "    return None"))])
    assert (sorted(effect.lines), effect.here, effect.size) == ([2, 3], (2, 3), 2)
    assert Effects(LINES).of([Insert(-1, ("import os",))]).here == ()
