"""Lines above and below the code of an answer that name the file, or say where the code begins."""

from collections.abc import Sequence

import pytest

from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.surroundings import Surroundings

SCRIPT = ["#!/bin/sh", "a=1", "run $a"]
EDITED = ["#!/bin/sh", "a=2", "run $a"]


def read(old: Sequence[str], new: Sequence[str], path: str = "") -> RewriteDraft:
    draft = RewriteDraft(old, around=Surroundings(path))
    draft.take("\n".join(["```", *new, "```", ""]).encode())
    draft.finish()
    return draft


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("src/run.sh", "# src/run.sh"),
        ("src/run.sh", "# run.sh"),
        ("src/run.sh", "run.sh"),
        ("src/run.sh", "=== run.sh ==="),
        ("src/run.sh", "--- src/run.sh ---"),
        ("src/run.sh", "# filename: src/run.sh"),
        ("src/run.sh", "File: run.sh"),
        ("src/run.sh", "# Datei: run.sh"),
        ("src/run.sh", "# repo/src/run.sh"),
        ("src/run.sh", "## src\\run.sh:1-3"),
        ("src/run.sh", "# run.sh (lines 1 to 3)"),
        ("web/a.js", "// web/a.js"),
        ("web/a.js", "/** a.js */"),
        ("web/a.css", "/* a.css */"),
        ("web/i.html", "<!-- i.html -->"),
        ("q.sql", "-- q.sql"),
        ("m.py", '"""m.py"""'),
        ("pkg/__init__.py", "# pkg/__init__.py"),
        ("Makefile", "# Makefile"),
        ("a/.bashrc", "# a/.bashrc"),
        ("run.sh", "bash"),
        ("m.py", "python"),
        ("c.yml", "YAML"),
    ],
)
@pytest.mark.parametrize("blank", [[], [""]])
def test_a_first_line_that_only_names_the_file_is_left_out(
    path: str, heading: str, blank: list[str]
) -> None:
    draft = read(SCRIPT, [heading, *blank, *EDITED], path)
    assert (draft.lines(), draft.doubt) == (EDITED, "")


def test_a_remark_of_three_lines_that_names_the_file_is_left_out() -> None:
    draft = read(["a {", "}"], ["/*", " * web/a.css", " */", "b {", "}"], "web/a.css")
    assert (draft.lines(), draft.doubt) == (["b {", "}"], "")


def test_a_remark_that_names_the_file_above_other_new_remarks_is_left_out_and_told() -> None:
    draft = read(["a=1"], ["# run.sh", "# Sets a.", "a=2"], "run.sh")
    assert draft.lines() == ["# Sets a.", "a=2"]
    assert "# run.sh" in draft.doubt


def test_a_key_in_data_that_names_the_file_is_left_out_and_told() -> None:
    draft = read(["a: 1", "b: 2"], ["file: c.yml", "a: 1", "b: 3"], "c.yml")
    assert draft.lines() == ["a: 1", "b: 3"]
    assert "file: c.yml" in draft.doubt


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["# run.sh", "a=1"], ["# run.sh", "a=2"]),
        (["a=1"], ["# run.sh", "a=1"]),
        (["# old.sh", "a=1"], ["# run.sh", "a=2"]),
        (["a=1"], ["# run.sh sets a", "a=2"]),
        (["a=1"], ["# other.sh", "a=2"]),
        (["a=1"], ["run", "a=2"]),
        (["a=1"], [". ./lib/run.sh", "a=2"]),
        (["a=1"], ["sh run.sh", "a=2"]),
        ([], ["# run.sh", "a=2"]),
    ],
)
def test_a_first_line_that_was_there_or_is_all_of_the_change_stays(
    old: list[str], new: list[str]
) -> None:
    draft = read(old, new, "run.sh")
    assert (draft.lines(), draft.doubt) == (new, "")


def test_a_heading_is_not_shown_while_the_answer_is_written() -> None:
    draft = RewriteDraft(SCRIPT, around=Surroundings("run.sh"))
    draft.take(b"```\n# run.sh\n")
    assert (draft.lines(), draft.open_line) == (SCRIPT, None)
    draft.take(b"#!/bin/sh\na=2\nrun $a\n")
    assert draft.settled() == EDITED


FRAMES = [
    ("### BEGIN ###", "### END ###"),
    ("# BEGIN", "# END"),
    ("// --- start of file ---", "// --- end of file ---"),
    ("=== BEGIN CODE ===", "=== END CODE ==="),
    ("[START]", "[STOP]"),
]


@pytest.mark.parametrize(("begins", "ends"), FRAMES)
def test_lines_that_say_where_the_code_begins_and_ends_are_left_out(begins: str, ends: str) -> None:
    draft = read(SCRIPT, [begins, *EDITED, ends], "run.sh")
    assert (draft.lines(), draft.doubt) == (EDITED, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["### BEGIN ###", "a", "### END ###"], ["### BEGIN ###", "b", "### END ###"]),
        (["a"], ["### BEGIN ###", "a", "### END ###"]),
        (["a"], ["-----BEGIN CERTIFICATE-----", "b", "-----END CERTIFICATE-----"]),
    ],
)
def test_lines_like_a_frame_that_were_there_or_are_all_of_the_change_stay(
    old: list[str], new: list[str]
) -> None:
    draft = read(old, new, "a.txt")
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize(
    ("path", "first", "last"), [("a.go", "BEGIN", "END"), ("a.html", "<code>", "</code>")]
)
def test_lines_around_the_code_that_may_be_code_stay_and_are_doubted(
    path: str, first: str, last: str
) -> None:
    draft = read(["a"], [first, "b", last], path)
    assert draft.lines() == [first, "b", last]
    assert draft.doubt


@pytest.mark.parametrize(("first", "last"), [("<code>", "</code>"), ("[CODE]", "[/CODE]")])
def test_tags_around_the_code_of_a_file_without_tags_are_no_lines(first: str, last: str) -> None:
    draft = read(["a"], [first, "b", last], "a.go")
    assert (draft.lines(), draft.doubt) == (["b"], "")
