"""How people word an edit: what is said for what comes, goes and stands there."""

import numpy as np
import pytest

from spark_tui.editing.effects import Effects
from spark_tui.editing.sayings import NUMBERS, STEPS, Saying, Sayings, marks_of, shipped, words_of
from spark_tui.editing.script import Delete, Insert, LineOp, Replace

LINES = ("def load(path, retries):", "    if retries < 3:", "        return None", "    return read(path)")
ALL, BEST = 0, 2
"""Where in the numbers stand: what all marks of an edit count, and the one that fits each word best."""


def counted(instruction: str, kind: str, *ops: LineOp) -> list[float]:
    effects = [Effects(LINES).of([op]) for op in ops]
    numbers: list[float] = Saying(shipped(), instruction, LINES).of(kind, effects)[:, ALL].tolist()
    return numbers


def test_the_marks_of_an_edit_are_its_kind_its_tokens_and_the_parts_of_names() -> None:
    effect = Effects(LINES).of([Replace(3, 3, ("    return read_text(path, 2)",))])
    marks = list(marks_of("rename", effect))
    assert {"*", "krename", "+read_text", "+~read", "+~text", "+<name>", "+2", "+<number>", "-read", "=path"} <= {
        *marks
    }
    assert len(marks) == len(set(marks))


def test_words_are_told_without_code() -> None:
    assert {"make", "inclusive"} <= set(words_of("make `retries` inclusive", LINES))
    assert not any("retries" in word for word in words_of("make `retries` inclusive", LINES))


@pytest.mark.parametrize(
    ("instruction", "kind", "better", "worse"),
    [
        (
            "the bound should be inclusive",
            "change_operator",
            Replace(1, 1, ("    if retries <= 3:",)),
            Replace(1, 1, ("    if retries != 3:",)),
        ),
        (
            "blow up with a ValueError there, nobody should get nothing back",
            "add_statement",
            Replace(2, 2, ("        raise ValueError(retries)",)),
            Replace(2, 2, ("        return 0",)),
        ),
        ("add a docstring", "add_docstring", Insert(0, ('    """Load it."""',)), Insert(0, ("    found = 0",))),
    ],
)
def test_words_that_people_have_for_an_edit_speak_for_it(
    instruction: str, kind: str, better: LineOp, worse: LineOp
) -> None:
    good, bad = counted(instruction, kind, better, worse)
    assert good > bad


def test_a_word_counts_for_its_mark_alone() -> None:
    nine, half = (round(np.log(ratio) * STEPS) for ratio in (9, 0.5))
    held = np.array([half, half], np.int8), np.array([1], np.int32), np.array([1], np.uint16), np.array([nine], np.int8)
    sayings = Sayings({"flip": 0}, {"*": 0, "+<=": 1}, *held)
    effects = [Effects(LINES).of([Replace(1, 1, (line,))]) for line in ("    if retries <= 3:", "    if retries > 3:")]
    flipped, other = Saying(sayings, "flip it", LINES).of("rename", effects)[:, BEST]
    assert flipped == pytest.approx(np.log(9.05), abs=0.05)
    assert other == pytest.approx(np.log(0.55), abs=0.05)


def test_words_that_nobody_uses_say_nothing() -> None:
    found = Saying(shipped(), "xyzzy", LINES).of("rename", [Effects(LINES).of([Delete(2, 2)])])
    assert found.shape == (1, NUMBERS)
    assert not found.any()
