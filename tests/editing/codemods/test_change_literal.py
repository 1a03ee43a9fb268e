import pytest

from spark_tui.editing.codemods.change_literal import ChangeLiteral
from tests.editing.codemods.table import afters

CALL = "open('a.txt', retries=3, wait=-1)"


def called(*changes: tuple[str, str]) -> list[str]:
    return [CALL.replace(*one) for one in changes]


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ("use 5 instead of 3", called(("3", "5"))),
        ("set retries to 5", called(("3", "5"))),
        ("change -1 to None", called(("-1", "None"))),
        ("3 -> -1", called(("3", "-1"))),
        ('change "a.txt" to "b.txt"', called(("a.txt", "b.txt"))),
        ("open 'b.txt', not 'a.txt'", called(("a.txt", "b.txt"))),
        ("wait should be 2.5", called(("-1", "2.5"))),
        ("make it 7", called(("'a.txt'", "7"), ("3", "7"), ("-1", "7"))),
        ("change the number of retries", []),
    ],
)
def test_the_literal_that_is_told_becomes_what_is_said(instruction: str, after: list[str]) -> None:
    assert sorted(afters(ChangeLiteral(), CALL, instruction)) == sorted(after)


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        ('say "no such file" instead of "cannot open file"', "no such file"),
        ("the message cannot open file should say not found", "not found"),
        ("in the message use fetch rather than open", "cannot fetch file"),
        ("replace the word `file` with `path`", "cannot open path"),
    ],
)
def test_texts_change_as_a_whole_or_in_a_word(instruction: str, after: str) -> None:
    before = 'raise E("cannot open file")'
    assert afters(ChangeLiteral(), before, instruction)[0] == before.replace("cannot open file", after)


@pytest.mark.parametrize("before", ["def f(x: None) -> None: ...", "x is None", "f'{3}'", '"""3"""', "'%d'.join(3)"])
def test_some_literals_mean_too_much(before: str) -> None:
    assert not [one for one in afters(ChangeLiteral(), before, "use 5 instead of 3") if "join(5)" not in one]
