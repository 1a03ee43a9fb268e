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


@pytest.mark.parametrize(
    ("before", "instruction", "after"),
    [
        ("end = time(18)", "should be 19h", "end = time(19)"),
        ("f(high=65536)", "high watermark 128k", "f(high=131072)"),
        ("f(doc, 500)", "every 2s", "f(doc, 2000)"),
        ("LIMIT = 10_000", "100k nodes", "LIMIT = 100_000"),
        ("poll = 1", "poll twice a second", "poll = 0.5"),
        ("d = {'scaling': .85}", "scaling 1", "d = {'scaling': 1}"),
        ("BOUND = 4294967296", "as a power of two", "BOUND = 2**32"),
        ("DAY = 86400", "spell the seconds out as a product", "DAY = 24 * 60 * 60"),
        ("MODE = 438", "write it in octal", "MODE = 0o666"),
    ],
)
def test_numbers_are_told_with_units_and_by_their_kind(before: str, instruction: str, after: str) -> None:
    assert after in afters(ChangeLiteral(), before, instruction)
