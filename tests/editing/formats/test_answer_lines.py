"""Lines of answers that are read otherwise than they are written: escapes, copies, edges, parts."""

from collections.abc import Sequence

import pytest

from spark_tui.editing.formats.answer_lines import read_lines
from spark_tui.editing.formats.search_replace import BlocksDraft
from spark_tui.editing.formats.surroundings import Surroundings

ALONE = Surroundings("a.py")


@pytest.mark.parametrize(
    ("path", "old", "written", "meant"),
    [
        # the line that was to stay comes back plainly
        ("a.py", ["s = '<b>'", "t = 1"], ["s = '&lt;b&gt;'", "t = 2"], ["s = '<b>'", "t = 2"]),
        ("a.json", ['"x < 3",', "1"], ["&quot;x &lt; 3&quot;,", "2"], ['"x < 3",', "2"]),
        ("a.ts", ["`a -> ${b}`", "c()"], ["`a -&gt; ${b}`", "d()"], ["`a -> ${b}`", "d()"]),
        ("a.go", ["// a & b", "x := 1"], ["// a &amp; b", "x := 2"], ["// a & b", "x := 2"]),
        (
            "a.sql",
            ["SELECT 'a' -- <1>"],
            ["SELECT &#39;b&#39; -- &lt;1&gt;"],
            ["SELECT 'b' -- <1>"],
        ),
        # a new line of an answer whose signs are all escaped
        ("a.sh", ["a > b", "c"], ["a &gt; b", "c", "d &gt; e"], ["a > b", "c", "d > e"]),
        # escapes that the file has stay
        ("a.html", ["<p>a &amp; b</p>"], ["<p>a &amp; c</p>"], ["<p>a &amp; c</p>"]),
        ("a.py", ["s = '&lt;'", "t = 1"], ["s = '&lt;'", "t = 2"], ["s = '&lt;'", "t = 2"]),
        ("a.py", ["s = '&amp;'", "t"], ["s = '&amp;amp;'", "u"], ["s = '&amp;'", "u"]),
        # new ones beside plain signs are meant
        (
            "a.py",
            ["def f(s):", "    return s"],
            ["def f(s):", "    return s.replace('<', '&lt;')"],
            ["def f(s):", "    return s.replace('<', '&lt;')"],
        ),
        ("a.html", ["<p>a & b</p>"], ["<p>a &amp; b</p>"], ["<p>a &amp; b</p>"]),
        ("a.vue", ["<p>a</p>"], ["<p>a &amp; b</p>"], ["<p>a &amp; b</p>"]),
    ],
)
def test_signs_are_those_of_the_file(
    path: str, old: list[str], written: list[str], meant: list[str]
) -> None:
    reading = read_lines(old, written, Surroundings(path))
    assert (reading.lines, reading.doubt) == (meant, "")


@pytest.mark.parametrize(
    ("old", "written", "above"),
    [
        (["s = '<b>'"], ["s = '&lt;b&gt;'"], ()),
        (["a = 1"], ["a = 1", "b = '&lt;'"], ("c < d",)),
    ],
)
def test_escapes_that_may_be_wanted_stay_and_are_doubted(
    old: list[str], written: list[str], above: Sequence[str]
) -> None:
    reading = read_lines(old, written, Surroundings("a.py", above))
    assert reading.lines == written
    assert reading.doubt


@pytest.mark.parametrize("between", [[], [""], ["", ""]])
def test_an_answer_that_holds_its_lines_twice_has_them_once(between: list[str]) -> None:
    new = ["def f():", "    return 2"]
    reading = read_lines(["def f():", "    return 1"], [*new, *between, *new], ALONE)
    assert (reading.lines, reading.doubt) == (new, "")


@pytest.mark.parametrize(
    ("old", "written"), [(["a = 1"], ["a = 2", "a = 2"]), (["a", "b"], ["a", "b", "a", "b"])]
)
def test_a_copy_that_may_be_wanted_stays_and_is_doubted(old: list[str], written: list[str]) -> None:
    reading = read_lines(old, written, ALONE)
    assert reading.lines == written
    assert reading.doubt


def test_a_region_of_two_copies_may_stay_so() -> None:
    reading = read_lines(["a", "b", "a", "b"], ["c", "d", "c", "d"], ALONE)
    assert (reading.lines, reading.doubt) == (["c", "d", "c", "d"], "")


@pytest.mark.parametrize(
    ("old", "written", "meant"),
    [
        (["a"], ["", "b", ""], ["b"]),
        (["", "a", ""], ["b"], ["", "b", ""]),
        (["a"], ["a", "", ""], ["a", "", ""]),
        (["", "a"], ["a"], ["a"]),
        (["a", "b", ""], ["a"], ["a"]),
        (["a"], ["a", "", "b"], ["a", "", "b"]),
    ],
)
def test_empty_lines_at_the_edges_are_those_of_the_region(
    old: list[str], written: list[str], meant: list[str]
) -> None:
    assert read_lines(old, written, ALONE).lines == meant


@pytest.mark.parametrize(
    ("old", "written"),
    [
        (["a"], ["", "b", "a"]),
        (["a"], ["a", "b", ""]),
        (["a", "", "b", "c"], ["", "b", "d"]),
        (["a", "b", "", "c"], ["d", "b", ""]),
    ],
)
def test_empty_lines_at_the_edges_that_belong_to_a_change_stay(
    old: list[str], written: list[str]
) -> None:
    assert read_lines(old, written, Surroundings("a.py", ["x = 1"], ["y = 2"])).lines == written


@pytest.mark.parametrize(
    ("old", "written"),
    [
        (["if (a) {", "  x();", "  y();", "}"], ["x();", "y();"]),
        (["a:", "  b: 1", "  c: 2"], ["b: 1", "c: 2"]),
        (["    if a:", "        x = 1", "        y = 2"], ["    x = 1", "    y = 2"]),
    ],
)
def test_lines_that_left_a_block_have_lost_no_indentation(
    old: list[str], written: list[str]
) -> None:
    assert read_lines(old, written, ALONE).lines == written


@pytest.mark.parametrize(
    ("search", "replacement"),
    [
        (["", "b"], ["b", "x"]),
        (["b"], ["", "x", "b"]),
        (["a", "", "b"], ["", "b"]),
        (["c  "], ["c"]),
        (["c  ", "d"], ["c", "d  "]),
    ],
)
def test_a_block_says_for_itself_which_white_space_goes(
    search: list[str], replacement: list[str]
) -> None:
    file = ["a", "", "b", "c  ", "d"]
    draft = BlocksDraft({"a.txt": file})
    block = ["<<<<<<< SEARCH", *search, "=======", *replacement, ">>>>>>> REPLACE"]
    draft.take("\n".join(["a.txt", *block, ""]).encode())
    draft.finish()
    start = file.index(search[-1]) - len(search) + 1
    wanted = [*file[:start], *replacement, *file[start + len(search) :]]
    assert draft.settled() == {"a.txt": tuple(wanted)}
    assert draft.doubt == ""


CLASS = ["class A:", "    x = 1", "", "    def f(self):", "        y = 2", "        return y"]
F = Surroundings("a.py", selected=range(3, 6))


def test_an_answer_that_is_the_selected_lines_leaves_the_others_alone() -> None:
    new = ["    def f(self):", "        y = 3", "        return y"]
    reading = read_lines(CLASS, new, F)
    assert (reading.lines, reading.doubt) == ([*CLASS[:3], *new], "")


def test_an_answer_that_may_be_the_selected_lines_leaves_the_others_and_is_doubted() -> None:
    reading = read_lines(CLASS, ["    def g(self):", "        return 3"], F)
    assert reading.lines == [*CLASS[:3], "    def g(self):", "        return 3"]
    assert reading.doubt


def test_an_answer_with_other_lines_than_the_selected_ones_is_the_region() -> None:
    new = ["class A:", "    def f(self):", "        return 3"]
    reading = read_lines(CLASS, new, F)
    assert (reading.lines, reading.doubt) == (new, "")


@pytest.mark.parametrize(
    "replacement",
    [
        ["# lib/a.py", "b = 3"],
        ["[CODE]", "b = 3", "[/CODE]"],
        ["b = 3", "c = '<'"],
        ["a = 1", "b = 3"],
    ],
)
def test_what_stands_besides_the_code_within_a_block_is_no_line(replacement: list[str]) -> None:
    files = {"lib/a.py": ["a = 1", "b = 2", "c = '<'", "d = 4"]}
    draft = BlocksDraft(files)
    search = ["b = 2"]
    block = ["<<<<<<< SEARCH", *search, "=======", *replacement, ">>>>>>> REPLACE"]
    draft.take("\n".join(["lib/a.py", *block, ""]).encode())
    draft.finish()
    assert draft.settled() == {"lib/a.py": ("a = 1", "b = 3", "c = '<'", "d = 4")}
    assert draft.doubt == ""
