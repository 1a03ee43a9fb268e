"""What is learned of words and edits is what is read back, and speaks for what it was said for."""

from pathlib import Path

import numpy as np
import pytest

from spark_tui.editing.effects import Effects
from spark_tui.editing.sayings import Saying, Sayings
from spark_tui.editing.script import Replace
from spark_tui.training import sayings
from spark_tui.training.examples import Example, Group

LINES = ("def f(n):", "    if n < 3:", "        return n")


def _edit(sign: str) -> Replace:
    return Replace(1, 1, (f"    if n {sign} 3:",))


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> Sayings:
    wishes = [("make it inclusive", "<="), ("turn the test around", ">"), ("compare the other way", "!=")]
    examples = tuple(
        Example("change_operator", (_edit(sign),), said, None, "", held_out=False) for said, sign in wishes * 30
    )
    monkeypatch.setattr(sayings, "wished", lambda: (Group(LINES, examples),))
    monkeypatch.setattr(sayings, "written", lambda: ())
    return sayings.fit_sayings()


def test_a_word_speaks_for_the_edit_it_was_said_for(learned: Sayings) -> None:
    effects = [Effects(LINES).of([_edit(sign)]) for sign in ("<=", ">", "!=")]
    for said, place in (("inclusive please", 0), ("around", 1), ("compare", 2)):
        assert Saying(learned, said, LINES).of("change_operator", effects)[:, 0].argmax() == place


def test_what_is_written_is_read_again(learned: Sayings, tmp_path: Path) -> None:
    sayings.write_sayings(tmp_path / "sayings.npz", learned)
    read = Sayings.read(tmp_path / "sayings.npz")
    assert (read.words, read.marks, read.spoken) == (learned.words, learned.marks, learned.spoken)
    for name in ("still", "ends", "ids", "steps"):
        assert np.array_equal(getattr(read, name), getattr(learned, name))


def test_words_are_spoken_that_several_regions_are_asked_for_with_and_do_not_hold(learned: Sayings) -> None:
    assert learned.spoken == frozenset(), "of one region only"
    asked = [Example("change_operator", (), words, None, "", held_out=False) for words in ("widen f", "widen the bus")]
    regions = [Group((f"def f{number}(bus): pass",), tuple(asked)) for number in range(5)]
    assert sayings.spoken(regions) == {"widen", "the"}
    assert sayings.spoken(regions[:4]) == frozenset()
