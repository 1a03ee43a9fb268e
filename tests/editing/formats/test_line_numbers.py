"""Numbers before the lines of an answer: no text where they count the lines."""

from collections.abc import Callable, Sequence

import pytest

from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.surroundings import Surroundings

FILES = {
    "run.sh": (
        ["#!/bin/sh", "", "for i in a b; do", "  echo $i", "done"],
        ["#!/bin/sh", "", "for i in a c; do", "  echo $i", "done"],
    ),
    "a.yaml": (["a: 1", "b: 2"], ["a: 1", "b: 5"]),
    "m.py": (
        ["def f(x):", "    y = x + 1", "", "    return y"],
        ["def f(x):", "    y = x + 1", "    z = y", "", "    return z"],
    ),
    "a.ts": (
        ["  f() {", "    const a = 1;", "    return a;", "  }"],
        ["  f() {", "    const a = 1;", "    return -a;", "  }"],
    ),
    "C.java": (["int f() {", "\treturn 1;", "}"], ["int f() {", "\treturn 2;", "}"]),
}
FORMS = {
    "colon": lambda number, line: f"{number}: {line}",
    "colon alone": lambda number, line: f"{number}:{line}",
    "tab": lambda number, line: f"{number:6}\t{line}",
    "arrow": lambda number, line: f"{number}→{line}",
    "wide arrow": lambda number, line: f"{number:5} → {line}",
    "space": lambda number, line: f"{number} {line}",
    "bar": lambda number, line: f"{number:3} | {line}",
    "point": lambda number, line: f"{number}. {line}",
    "bracket": lambda number, line: f"[{number}] {line}",
    "letter": lambda number, line: f"L{number}: {line}",
    "stripped": lambda number, line: f"{number}: {line}".rstrip(),
}
"""A line with its number, as listings write it."""


def read(
    old: Sequence[str], new: Sequence[str], path: str = "", above: Sequence[str] = ()
) -> RewriteDraft:
    draft = RewriteDraft(old, around=Surroundings(path, above=above))
    draft.take("\n".join(["```", *new, "```", ""]).encode())
    draft.finish()
    return draft


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [1, 120])
def test_numbers_that_count_the_lines_are_left_out(path: str, form: str, first: int) -> None:
    old, new = FILES[path]
    number: Callable[[int, str], str] = FORMS[form]
    listed = [number(row, line) for row, line in enumerate(new, first)]
    draft = read(old, listed, path, [""] * (first - 1))
    assert (draft.lines(), draft.doubt) == (new, "")


def test_numbers_before_code_that_lost_its_indentation_are_left_out() -> None:
    old, new = FILES["a.ts"]
    listed = [f"{row}: {line.removeprefix('  ')}" for row, line in enumerate(new, 1)]
    assert read(old, listed, "a.ts").lines() == new


def test_numbers_of_the_lines_as_they_were_are_left_out() -> None:
    old = ["a=1", "b=2", "c=3", "d=4"]
    draft = read(old, ["1: a=1", "3: c=5", "4: d=4"], "a.sh")
    assert (draft.lines(), draft.doubt) == (["a=1", "c=5", "d=4"], "")


def test_code_that_came_back_with_numbers_alone_is_unchanged() -> None:
    old, _ = FILES["run.sh"]
    draft = read(old, [f"{row}: {line}" for row, line in enumerate(old, 1)], "run.sh")
    assert draft.declined


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.md", ["1. one", "2. two"], ["1. one", "2. three"]),
        ("a.md", ["one", "two", "three"], ["1. one", "2. two", "3. three"]),
        ("a.md", ["one", "tow", "three"], ["1. one", "2. two", "3. three"]),
        ("a.txt", ["one", "two"], ["1: one", "2: two"]),
        ("a.tsv", ["a\tb", "c\td"], ["1\ta\tb", "2\tc\td"]),
        ("a.csv", ["a,b", "c,d", "e,f"], ["1,a,b", "2,c,d", "3,e,g"]),
        ("a.yml", ["1: a", "2: b", "3: c"], ["1: a", "2: d", "3: c"]),
        ("a.yml", ["x: a", "y: b"], ["1: a", "2: b"]),
        ("a.sh", ["10 a", "20 b"], ["10 a", "20 c"]),
        ("a.bas", ["10 PRINT A", "20 GOTO 10"], ["10 PRINT B", "20 GOTO 10"]),
        ("a.py", ["x = [", "    1,", "    2,", "]"], ["x = [", "    1,", "    3,", "]"]),
        ("a.sh", ["b", "a"], ["2 b", "1 a"]),
    ],
)
def test_numbers_that_are_text_stay(path: str, old: list[str], new: list[str]) -> None:
    draft = read(old, new, path)
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (["1: echo b"], ["1: echo b"]),
        (["1: echo a", "2: echo c", "echo d"], ["echo a", "echo c", "echo d"]),
    ],
)
def test_where_it_is_not_clear_whether_numbers_are_text_the_answer_is_doubted(
    new: list[str], lines: list[str]
) -> None:
    draft = read(["echo a"], new, "a.sh")
    assert draft.lines() == lines
    assert draft.doubt


def test_lines_with_numbers_are_not_shown_while_the_answer_is_written() -> None:
    old, _ = FILES["run.sh"]
    draft = RewriteDraft(old, around=Surroundings("run.sh"))
    draft.take(b"```\n1: #!/bin/sh\n2: for i in a\n")
    assert (draft.lines(), draft.settled(), draft.open_line) == (old, old, None)
