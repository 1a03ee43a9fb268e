"""Answers that write once more what stands around the region."""

from collections.abc import Sequence

import pytest

from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.search_replace import BlocksDraft
from spark_tui.editing.formats.surroundings import Surroundings


def read(
    path: str, above: Sequence[str], old: Sequence[str], below: Sequence[str], new: Sequence[str]
) -> RewriteDraft:
    draft = RewriteDraft(old, around=Surroundings(path, above, below))
    draft.take("\n".join(["```", *new, "```", ""]).encode())
    draft.finish()
    return draft


CASES = {
    "c.yml": ([], ["a: 1", "b: 2"], ["c:", "d: 3"], ["a: 1", "b: 7"]),
    "deep.yml": (
        ["jobs:"],
        ["  a:", "    run: x"],
        ["  b:", "    run: y"],
        ["  a:", "    run: z"],
    ),
    "a.ts": (
        ["const a = 1;"],
        ["function f() {", "  return 1;", "}"],
        ["", "const b = 2;", "const c = 3;"],
        ["function f() {", "  return 2;", "}"],
    ),
    "A.java": (
        ["class A {", "  int x;"],
        ["  int f() {", "    return 1;", "  }"],
        ["", "  int g() {", "    return 3;", "  }", "}"],
        ["  int f() {", "    return 2;", "  }"],
    ),
    "a.go": (
        ["package a", "", "// F is one."],
        ["func F() int {", "\treturn 1", "}"],
        ["", "func g() int {", "\treturn 3", "}"],
        ["func F() int {", "\treturn 2", "}"],
    ),
    "r.sh": (["#!/bin/sh", "set -e"], ["mkdir a"], ["rm -f a", "echo b"], ["mkdir -p a"]),
    "m.py": (
        ["import os", "", "MAX = 3"],
        ["def f(x):", "    y = x + 1", "    return y"],
        ["", "", "def g():", "    pass"],
        ["def f(x):", "    return x + 2"],
    ),
    "a.rs": (
        ["impl A {"],
        ["    fn f() -> u8 {", "        1", "    }"],
        ["", "    fn g() -> u8 {", "        2", "    }", "}"],
        ["    fn f() -> u8 {", "        3", "    }"],
    ),
    "requirements.txt": (["attrs"], ["flask"], ["django", "numpy"], ["flask==2"]),
    "a.toml": (["[a]"], ["x = 1"], ["y = 2", "", "[b]"], ["x = 3"]),
    "a.rb": (
        ["class A", "  X = 1"],
        ["  def f", "    1", "  end"],
        ["", "  def g", "    2", "  end", "end"],
        ["  def f", "    3", "  end"],
    ),
}
"""The lines above, the region, the lines below, and the region as it is meant."""


def solid(lines: Sequence[str]) -> list[int]:
    return [row for row, line in enumerate(lines) if line.strip()]


@pytest.mark.parametrize("path", CASES)
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_the_next_lines_of_the_file_are_those_lines(path: str, count: int) -> None:
    above, old, below, new = CASES[path]
    repeated = below[: [*solid(below), len(below) - 1][: count + 1][-1] + 1]
    draft = read(path, above, old, below, [*new, *repeated])
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize("path", [path for path in CASES if CASES[path][0]])
@pytest.mark.parametrize("count", [1, 9])
def test_the_previous_lines_of_the_file_are_those_lines(path: str, count: int) -> None:
    above, old, below, new = CASES[path]
    draft = read(path, above, old, below, [*above[-count:], *new])
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize("path", CASES)
def test_the_whole_file_for_a_region_of_it_is_the_region(path: str) -> None:
    above, old, below, new = CASES[path]
    draft = read(path, above, old, below, [*above, *new, *below])
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize("path", CASES)
def test_nothing_but_what_was_there_declines(path: str) -> None:
    above, old, below, _ = CASES[path]
    assert read(path, above, old, below, [*above, *old, *below]).declined


@pytest.mark.parametrize(
    ("path", "header", "end"),
    [
        ("m.py", ["class Box:"], []),
        ("m.py", ["class Box:", "    # ... existing code ...", ""], []),
        ("a.rs", ["impl A {"], ["}"]),
        ("a.rs", ["impl A {"], ["", "    // ...", "}"]),
        ("a.js", ["export class Box {"], ["}"]),
        ("a.rb", ["class Box"], ["end"]),
        ("a.cs", ["namespace B;", "class Box {"], ["}"]),
    ],
)
def test_a_definition_around_the_region_is_not_written_into_itself(
    path: str, header: list[str], end: list[str]
) -> None:
    above = [line for line in (*header, "    x;", "") if "..." not in line]
    old = ["    f() {", "        one", "    }"]
    new = ["    f() {", "        two", "    }"]
    below = ["", "    g() {", "    }", *end[-1:]]
    draft = read(path, above, old, below, [*header, *new, *end])
    assert (draft.lines(), draft.doubt) == (new, "")


def test_definitions_around_that_lost_their_indentation_are_no_lines_either() -> None:
    above = ["mod m {", "    impl A {", "        const X: u8 = 1;", ""]
    old = ["        fn f() -> u8 {", "            1", "        }"]
    below = ["", "        fn g() {}", "    }", "}"]
    answer = ["impl A {", "    fn f() -> u8 {", "        2", "    }", "}"]
    draft = read("a.rs", above, old, below, answer)
    assert draft.lines() == ["        fn f() -> u8 {", "            2", "        }"]


STAYS = [
    # what the answer begins itself, it ends itself
    ("a.sh", ["while a; do"], ["b"], ["done"], ["for i in c; do", "b", "done"]),
    ("a.sh", ["if a; then"], ["b"], ["fi"], ["if c; then", "b", "fi"]),
    ("a.js", ["if (a) {"], ["b();"], ["}"], ["if (c) {", "b();", "}"]),
    ("a.lua", ["if a then"], ["b()"], ["end"], ["if c then", "b()", "end"]),
    # other lines like those below
    (
        "A.java",
        ["class A {"],
        ["  @Test", "  void a() {", "    is(1);", "  }"],
        ["", "  @Test", "  void b() {", "    is(2);", "  }", "}"],
        [
            *["  @Test", "  void a() {", "    is(1);", "  }", ""],
            *["  @Test", "  void c() {", "    is(2);", "  }"],
        ],
    ),
    (
        "m.py",
        [],
        ["def f():", "    return 1"],
        ["", "", "def g():", "    return 2"],
        ["def f():", "    return 1", "", "", "def h():", "    return 2"],
    ),
    # lines that stand deeper, below a line like the one above them
    (
        "a.js",
        ["if (a) {", "  const x = 1;"],
        ["  f(x);"],
        ["}"],
        ["  if (b) {", "    const x = 1;", "    f(x);", "  }"],
    ),
    # lines of the region that the file has around it, too
    ("a.sh", ["echo"], ["a", "echo"], ["echo", "b"], ["c", "echo"]),
    ("a.yml", ["- x: 1"], ["- x: 2"], ["- x: 3"], ["- x: 2", "- x: 4"]),
    ("a.md", ["Text.", ""], ["One."], ["", "Two."], ["One.", "", "More."]),
    ("a.py", ["a = ["], ["    1,"], ["    2,", "]"], ["    1,", "    3,"]),
    ("a.html", ["<div>"], ["<p>a</p>"], ["</div>"], ["<div>", "<p>b</p>", "</div>", "<br>"]),
]


@pytest.mark.parametrize(("path", "above", "old", "below", "new"), STAYS)
def test_new_lines_that_are_none_of_those_around_stay(
    path: str, above: list[str], old: list[str], below: list[str], new: list[str]
) -> None:
    draft = read(path, above, old, below, new)
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize(
    ("path", "above", "old", "below", "new"),
    [
        # a row like the next one, where rows are alike
        ("a.py", ["a = ["], ["    2, 0,"], ["    0, 0,"] * 2 + ["]"], ["    1, 0,", "    0, 0,"]),
        # an element like the one around it
        ("a.html", ["<div>"], ["<p>a</p>"], ["</div>"], ["<div>", "<p>a</p>", "</div>"]),
        # the next function once more, and changed
        (
            "m.py",
            [],
            ["def f():", "    return 1"],
            ["", "", "def g():", "    return 2"],
            ["def f():", "    return 3", "", "", "def g():", "    return 4"],
        ),
        # the whole file with another change above the place
        ("m.py", ["import a", "X = 1"], ["f(X)"], ["g(X)"], ["import b", "X = 1", "f(2)", "g(X)"]),
        # nothing but another place
        ("m.py", ["f(1)"], ["g(2)"], ["h(3)"], ["h(3)"]),
    ],
)
def test_where_it_is_not_clear_whether_lines_are_new_the_answer_is_doubted(
    path: str, above: list[str], old: list[str], below: list[str], new: list[str]
) -> None:
    assert read(path, above, old, below, new).doubt


def test_a_block_that_only_deletes_repeats_nothing() -> None:
    draft = BlocksDraft({"m.py": ["import a", "import b", "import c"]})
    draft.take(b"m.py\n<<<<<<< SEARCH\nimport b\n=======\n>>>>>>> REPLACE\n")
    draft.finish()
    assert (draft.settled(), draft.doubt) == ({"m.py": ("import a", "import c")}, "")


def test_lines_above_the_region_are_not_shown_while_the_answer_is_written() -> None:
    draft = RewriteDraft(["b = 1"], around=Surroundings("m.py", ["a = 1"], []))
    draft.take(b"```\na = 1\n")
    assert (draft.lines(), draft.open_line) == (["b = 1"], None)
