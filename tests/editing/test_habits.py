"""How usual code is: what nobody writes stands out, and what stands elsewhere in the piece is known."""

import pytest

from spark_tui.editing.habits import END, Habits, Usual, shipped, tokens_of
from spark_tui.editing.script import Delete, Indent, Insert, Replace, Substitute

LINES = (
    "def total(rows, start):",
    "    if not isinstance(start, int):",
    "        return None",
    "    for index, row in enumerate(rows):",
    "        start += row.price",
    "    return start",
)
GAIN, LEAST, ELSEWHERE = 0, 2, 10
"""Where in the numbers stand: how much likelier the code becomes, its least likely token, what of it stands here."""


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("x = 10  # ten", ("x", "=", "10", END)),
        ("  return f'{a}' + ''", ("return", "'text'", "+", "''", END)),
        ("y //= 1024.5", ("y", "//", "=", "0.0", END)),
        ("", (END,)),
    ],
)
def test_texts_and_numbers_are_alike_and_comments_are_not_read(line: str, tokens: tuple[str, ...]) -> None:
    assert tokens_of(line) == tokens


def test_a_token_never_seen_behind_another_is_known_by_what_is_seen_of_it_alone() -> None:
    words = ["name", "a", "b", END]
    base = len(words) + 1
    habits = Habits(words, {2: -1.0, 3: -2.0, 2 * base + 3: -0.5, (4 * base + 2) * base + 3: -0.125})
    assert habits.logprobs([END, "a", "b"], 2, 3) == [-0.125]
    assert habits.logprobs(["b", "a", "b"], 2, 3) == [-0.5 - 1]
    assert habits.logprobs(["a", "b", "b"], 2, 3) == [-2.0 - 2]
    assert habits.logprobs(["a", "b", "strange"], 2, 3) == [-15.0 - 2]


@pytest.mark.parametrize(
    ("at", "usual", "strange"),
    [
        (1, "    if not isinstance(start, str):", "    if not isinstance(start, -int):"),
        (2, "        return 0", "        return return"),
        (3, "    for index in range(len(rows)):", "    for index in range in rows:"),
    ],
)
def test_code_that_nobody_writes_is_less_usual(at: int, usual: str, strange: str) -> None:
    known = Usual(LINES, shipped())
    one, other = known.of([Replace(at, at, (usual,))]), known.of([Replace(at, at, (strange,))])
    assert one[GAIN] > other[GAIN]
    assert one[LEAST] > other[LEAST]


def test_names_that_stand_here_are_known() -> None:
    known = Usual(LINES, shipped())
    assert known.of([Insert(4, ("        rows.append(row)",))])[ELSEWHERE] > 0.8
    assert known.of([Insert(4, ("        vat.levy(tax)",))])[ELSEWHERE] < 0.7


def test_every_edit_has_as_many_numbers_and_one_that_moves_nothing_new_has_none() -> None:
    known = Usual(LINES, shipped())
    rows = [known.of(ops) for ops in ((), (Indent(1, 2),), (Delete(4, 4),), (Substitute("start", "begin"),))]
    assert {len(row) for row in rows} == {13}
    assert not any(rows[0])
    assert not any(rows[1])
    assert any(rows[3])
