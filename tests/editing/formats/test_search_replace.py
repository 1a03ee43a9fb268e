"""Blocks that search and replace: what is applied, what is not and why, whatever the pieces
they come in.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.quoted_lines import Nearest
from spark_tui.editing.formats.search_replace import BlocksDraft, Event, Fit, Misfit
from spark_tui.editing.line_diff import line_changes

APP = (
    "import os",
    "",
    "def main():",
    "    x = 1",
    "    return x",
    "",
    "def other():",
    "    return 0  ",
)
FILES = {"src/app.py": APP, "README.md": ("# App", "", "Runs.")}


def block(path: str, search: Sequence[str], replace: Sequence[str]) -> str:
    lines = [path, "<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]
    return "".join(f"{line}\n" for line in lines)


def read(
    text: str, files: Mapping[str, Sequence[str]] = FILES
) -> tuple[list[Event], dict[str, tuple[str, ...] | None]]:
    draft = BlocksDraft(files)
    draft.take(text.encode())
    draft.finish()
    return draft.events, draft.files()


def test_blocks_of_several_files_a_new_one_and_a_deletion() -> None:
    events, files = read(
        "I change three things.\n\n"
        + block("src/app.py", ["    x = 1"], ["    x = 2", "    log(x)"])
        + block("src/log.py", [], ["def log(x):", "    print(x)"])
        + "README.md\n<<<<<<< DELETE\nThat is all."
    )
    assert [(each.path, each.kind) for each in events if isinstance(each, Fit)] == [
        ("src/app.py", "edit"),
        ("src/log.py", "new"),
        ("README.md", "deleted"),
    ]
    assert files == {
        "src/app.py": (*APP[:3], "    x = 2", "    log(x)", *APP[4:]),
        "src/log.py": ("def log(x):", "    print(x)"),
        "README.md": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        (
            "src/app.py\n```python\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> "
            "REPLACE\n```\n"
        ),
        (
            "```python\nsrc/app.py\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> "
            "REPLACE\n```\n"
        ),
        "**`src/app.py`**:\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> REPLACE",
        (
            "### File: ./src/app.py\n\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> "
            "REPLACE\n"
        ),
        "app.py\n<<<<<< SEARCH\n    x = 1\n======\n    x = 2\n>>>>>> REPLACE\n",
        "src/app.py\r\n<<<<<<< SEARCH\r\n    x = 1\r\n=======\r\n    x = 2\r\n>>>>>>> REPLACE\r\n",
        "src/app.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
        "src/app.py\n<<<<<<< SEARCH\n        x = 1\n=======\n        x = 2\n>>>>>>> REPLACE\n",
        "src/app.py\n<<<<<<< SEARCH\n    x = 1   \n=======\n    x = 2\n>>>>>>> REPLACE\n",
        "src/app.py\n<<<<<<< SEARCH\n\n    x = 1\n\n=======\n\n    x = 2\n\n>>>>>>> REPLACE\n",
    ],
)
def test_fences_paths_and_white_space_are_read_as_they_are_meant(text: str) -> None:
    assert read(text)[1] == {"src/app.py": (*APP[:3], "    x = 2", *APP[4:])}


def test_lines_that_a_block_only_quotes_keep_their_own_white_space() -> None:
    _, files = read(
        block(
            "src/app.py",
            ["def other():", "    return 0"],
            ["def other():", "    log()", "    return 0"],
        )
    )
    assert files == {"src/app.py": (*APP[:7], "    log()", "    return 0  ")}


def test_indentation_goes_with_all_lines_of_a_block() -> None:
    replace = ["def main():", "    if ok:", "        x = 2"]
    _, files = read(
        block("a.py", ["def main():", "    x = 1"], replace),
        {"a.py": ["  def main():", "      x = 1"]},
    )
    assert files == {"a.py": ("  def main():", "      if ok:", "          x = 2")}


@pytest.mark.parametrize(
    ("text", "why", "nearest"),
    [
        (
            block("src/app.py", ["    x = 10"], ["    x = 2"]),
            "its lines occur nowhere",
            Nearest("src/app.py", 3, 4),
        ),
        (
            block("src/app.py", ["def main():", "    y = 1"], []),
            "its lines occur nowhere",
            Nearest("src/app.py", 2, 4),
        ),
        (block("src/app.py", ["?!"], []), "its lines occur nowhere", None),
        (
            block("src/app.py", [""], ["x"]),
            "the file already exists, and no lines of it are searched for",
            None,
        ),
        (block("src/apps.py", ["x"], ["y"]), "no such file", Nearest("src/app.py")),
        ("apps.md\n<<<<<<< DELETE\n", "no such file", None),
        (block("../app.py", [], ["y"]), "its path leads out of the repository", None),
        (block("/etc/app", [], ["y"]), "its path leads out of the repository", None),
        (block("", ["x"], ["y"]), "no file is named above it", None),
        ("src/app.py\n<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n", "it is cut off", None),
    ],
)
def test_a_block_that_does_not_fit_changes_nothing_and_says_why(
    text: str, why: str, nearest: Nearest | None
) -> None:
    (event,), files = read(text)
    assert isinstance(event, Misfit)
    assert (event.why, event.nearest, files) == (why, nearest, {})


def test_lines_that_stand_twice_are_not_chosen_between() -> None:
    (event,), files = read(block("a.py", ["x"], ["y"]), {"a.py": ["x", "", "x"]})
    assert isinstance(event, Misfit)
    assert (event.why, files) == ("its lines occur 2 times: 1, 3", {})


def test_the_strictest_reading_that_finds_a_place_decides() -> None:
    assert read(block("a.py", ["  x"], ["  y"]), {"a.py": ["x", "  x", "    x"]})[1] == {
        "a.py": ("x", "  y", "    x")
    }


def test_a_block_without_a_path_goes_into_the_file_of_the_one_before_or_the_only_one() -> None:
    text = block("src/app.py", ["    x = 1"], ["    x = 2"]) + block(
        "", ["import os"], ["import sys"]
    )
    assert read(text)[1] == {"src/app.py": ("import sys", *APP[1:3], "    x = 2", *APP[4:])}
    assert read(block("", ["a"], ["b"]), {"one.txt": ["a"]})[1] == {"one.txt": ("b",)}


def test_a_later_block_sees_what_earlier_ones_made() -> None:
    text = block("src/app.py", ["    x = 1"], ["    x = 2"]) + block(
        "src/app.py", ["    x = 2"], ["    x = 3"]
    )
    assert read(text)[1] == {"src/app.py": (*APP[:3], "    x = 3", *APP[4:])}


def test_dividers_within_a_replacement_are_lines_of_it() -> None:
    assert read(block("README.md", ["# App"], ["App", "=======", "<<<<<<< ours"]))[1] == {
        "README.md": ("App", "=======", "<<<<<<< ours", "", "Runs.")
    }


def test_an_open_replacement_grows_at_its_place_and_a_closed_one_is_told_once() -> None:
    draft = BlocksDraft(FILES)
    assert draft.take(b"src/app.py\n<<<<<<< SEARCH\n    x = 1\n    return x\n=======\n    y") == []
    assert draft.files() == {"src/app.py": (*APP[:3], "    y", *APP[3:])}
    draft.take(b" = 1\n    return x\n>>>>")
    assert draft.files() == {"src/app.py": (*APP[:3], "    y = 1", *APP[4:])}
    assert draft.settled() == {}
    assert draft.take(b">>> REPLACE\n```") == [Fit("src/app.py", "edit")]
    assert (draft.finish(), draft.settled()) == ([], draft.files())


TEXTS = st.sampled_from(["", "a", "  b", "c  ", "d\t", "é→😀", "return", "}", "x = 1", "# y"])
LINES = st.lists(TEXTS, max_size=10)


def blocks(before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]]) -> str:
    """Blocks that make some files others, each searching for all of a file up to where it
    changes last.
    """
    text = ""
    for path, new in after.items():
        old = before.get(path, ())
        for change in reversed(line_changes(old, new)):
            search = [*old[: change.old_stop]]
            text += block(
                path, search, [*old[: change.old_start], *new[change.new_start : change.new_stop]]
            )
    return text + "".join(f"{path}\n<<<<<<< DELETE\n" for path in before if path not in after)


def unique(lines: Sequence[str]) -> list[str]:
    return [f"{line}{number}" for number, line in enumerate(lines)]


@given(LINES, LINES, LINES, st.booleans(), st.lists(st.integers(0, 600), max_size=12))
def test_any_edit_comes_back_whatever_the_pieces(
    one: list[str], other: list[str], created: list[str], keep: bool, places: list[int]
) -> None:
    before = {"a.py": ["top", *unique(one)], "b.md": ["only"]}
    after = {"a.py": ["top", *unique(one)[::2], *unique(other)], "new.txt": created} | (
        {"b.md": ["only"]} if keep else {}
    )
    text = blocks(before, after).encode()
    draft, pieces = (
        BlocksDraft(before),
        [0, *sorted(place % (len(text) + 1) for place in places), len(text)],
    )
    events = [event for start, stop in pairwise(pieces) for event in draft.take(text[start:stop])]
    events += draft.finish()
    whole = BlocksDraft(before)
    whole.take(text)
    assert events == draft.events == [*whole.events, *whole.finish()]
    assert all(isinstance(event, Fit) for event in events)
    made = {path: draft.settled().get(path, before.get(path, ())) for path in {*before, *after}}
    wanted = {path: tuple(after[path]) if path in after else None for path in {*before, *after}}
    assert {
        path: lines if lines is None else tuple(lines) for path, lines in made.items()
    } == wanted


@given(st.text(st.sampled_from("<=> SEARCHPLDTa.py\n`x"), max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    draft = BlocksDraft(FILES)
    for letter in text:
        draft.take(letter.encode())
        draft.files()
    draft.finish()


UPDATE = """--- a/src/app.py
+++ b/src/app.py
@@ -3,3 +3,4 @@
 def main():
-    x = 1
+    x = 2
+    log(x)
     return x
"""
UPDATED = (*APP[:3], "    x = 2", "    log(x)", *APP[4:])
MADE = "--- /dev/null\n+++ b/src/log.py\n@@ -0,0 +1,2 @@\n+def log(x):\n+    print(x)\n"
GONE = "--- a/README.md\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-# App\n-\n-Runs.\n"
PATCH = """*** Begin Patch
*** Update File: src/app.py
@@ def main():
-    x = 1
+    x = 2
+    log(x)
*** Add File: src/log.py
+def log(x):
+    print(x)
*** Delete File: README.md
*** End Patch
"""


@pytest.mark.parametrize(
    "text",
    [
        f"```diff\n{UPDATE}```\n",
        f"I log it, too:\n\n```diff\n{UPDATE}```\n\n- It prints x.\n",
        UPDATE,
        f"Here it is.\n\n{UPDATE}\nThat is all.",
        f"```\n{UPDATE}```\n",
        f"~~~patch\n{UPDATE}~~~\n",
        f"diff --git a/src/app.py b/src/app.py\nindex 1a2b..3c4d 100644\n{UPDATE}",
        UPDATE.replace("a/", "").replace("b/", ""),
        UPDATE.replace("-3,3 +3,4", "-30,3 +31,4"),
        UPDATE.replace("b/src/app.py", "b/src/app.py\t2026-01-01 00:00:00"),
        UPDATE.replace("a/src", "a").replace("b/src", "b"),
        UPDATE.replace("\n", "\r\n"),
        "src/app.py\n```diff\n@@\n-    x = 1\n+    x = 2\n+    log(x)\n```\n",
        "`src/app.py`:\n```diff\n def main():\n-    x = 1\n+    x = 2\n+    log(x)\n```\n",
        "```diff\n" + PATCH.partition("*** Add")[0] + "*** End Patch\n```\n",
    ],
)
def test_kind_19_a_diff_in_place_of_blocks_is_the_edit(text: str) -> None:
    events, files = read(text)
    assert (events, files) == ([Fit("src/app.py", "edit")], {"src/app.py": UPDATED})


@pytest.mark.parametrize(
    "text",
    [
        UPDATE + MADE + GONE,
        f"```diff\n{UPDATE}{MADE}{GONE}```\n",
        f"```diff\n{UPDATE}```\nAnd:\n```diff\n{MADE}```\n\n```diff\n{GONE}```\nDone.\n",
        PATCH,
        f"```\n{PATCH}```\n",
    ],
)
def test_kind_19_a_diff_of_several_files_changes_makes_and_deletes(text: str) -> None:
    _, files = read(text)
    made = ("def log(x):", "    print(x)")
    assert files == {"src/app.py": UPDATED, "src/log.py": made, "README.md": None}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (UPDATE.replace("-    x = 1", "-    x = 7"), "its lines stand nowhere, or in several"),
        (UPDATE.replace("src/app", "src/other"), "no such file"),
        (UPDATE.replace("a/src", "..").replace("b/src", ".."), "its path leads out"),
        (MADE.replace("src/log.py", "src/app.py"), "the file already exists"),
        (GONE.replace("-Runs.\n", ""), "its lines stand nowhere"),
        (f"```diff\n{UPDATE}", "it is cut off"),
        ("diff --git a/README.md b/R.md\nrename from README.md\n", "it moves the file"),
        ("```diff\n@@\n-    x = 1\n+    x = 2\n```\n", "no file is named above it"),
    ],
)
def test_kind_19_a_diff_that_does_not_fit_changes_nothing_and_says_why(text: str, why: str) -> None:
    (event,), files = read(text)
    assert isinstance(event, Misfit)
    assert (event.what, event.why.startswith(why), files) == ("diff", True, {})


def test_kind_19_blocks_count_before_a_diff_and_the_answer_is_in_doubt() -> None:
    draft = BlocksDraft(FILES)
    draft.take(f"{UPDATE}```\n{block('README.md', ['Runs.'], ['It runs.'])}".encode())
    draft.finish()
    assert draft.files() == {"README.md": ("# App", "", "It runs.")}
    assert draft.doubt == "the answer holds blocks and a diff"


def test_kind_19_a_block_in_a_fence_called_diff_is_a_block() -> None:
    text = f"```diff\n{block('src/app.py', ['    x = 1'], ['    x = 2'])}```\n"
    assert read(text)[1] == {"src/app.py": (*APP[:3], "    x = 2", *APP[4:])}


@pytest.mark.parametrize(
    "text",
    [
        "- one\n- two\n--- three\n",
        "```diff\n-def old():\n+def new():\n```\nThat is what the commit did.\n",
        "```py\nx = 1\n--- a\n```\n",
    ],
)
def test_kind_19_talk_that_only_looks_like_a_diff_is_talk(text: str) -> None:
    assert read(text) == ([], {})


def test_kind_19_a_dash_that_a_diff_changes_beside_more_is_changed() -> None:
    text = "```diff\n@@\n-a — b\n+a - b\n x…\n-two\n+2\n```\n"
    old = ["a — b", "x…", "two"]
    assert read(text, {"a.md": old})[1] == {"a.md": ("a - b", "x…", "2")}


def test_kind_19_tabs_of_new_lines_in_a_diff_come_back() -> None:
    text = "```diff\n@@\n all:\n-    cc a\n+    cc b\n+    ld b\n```\n"
    old = ["all:", "\tcc a"]
    expected = {"Makefile": ("all:", "\tcc b", "\tld b")}
    assert read(text.replace("-    cc", "-\tcc"), {"Makefile": old})[1] == expected


def test_kind_19_lines_that_a_diff_only_shows_keep_their_bytes() -> None:
    old = ["“one”  ", "two", "```", "three"]
    text = '```diff\n@@\n "one"\n-two\n+2\n ```\n three\n```\n'
    assert read(text, {"a.md": old})[1] == {"a.md": ("“one”  ", "2", "```", "three")}


IMPORT = block("src/app.py", ["import os"], ["import os", "import sys"])


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("between", ["", "And once more:\n", block("README.md", ["# App"], ["#"])])
def test_a_block_that_comes_again_word_for_word_counts_once(times: int, between: str) -> None:
    events, files = read(between.join([IMPORT] * times))
    assert files["src/app.py"] == ("import os", "import sys", *APP[1:])
    assert not any(isinstance(event, Misfit) for event in events)


def test_a_block_that_comes_again_is_not_shown_again_while_it_is_written() -> None:
    draft = BlocksDraft(FILES)
    draft.take((IMPORT + IMPORT).partition("import sys\n>>>>>>> REPLACE\nsrc")[0].encode())
    draft.take(b"import sys\n>>>>>>> REPLACE\nsrc/app.py\n<<<<<<< SEARCH\nimport os\n=======\n")
    draft.take(b"import os\nimport sy")
    assert (draft.files(), draft.open_line) == (draft.settled(), None)


@pytest.mark.parametrize("again", [block("new.py", [], ["x = 1"]), "README.md\n<<<<<<< DELETE\n"])
def test_a_file_that_is_made_or_deleted_twice_is_no_fault(again: str) -> None:
    once, files = read(again)
    assert (read(again + again), len(once)) == ((once, files), 1)


def test_a_block_like_an_earlier_one_that_adds_other_lines_counts() -> None:
    other = block("src/app.py", ["import os"], ["import os", "import re"])
    imports = ("import os", "import re", "import sys")
    assert read(IMPORT + other)[1]["src/app.py"] == (*imports, *APP[1:])


def test_a_diff_that_comes_again_counts_once() -> None:
    text = "```diff\n@@ -1,2 +1,3 @@\n import os\n+import sys\n \n```\n"
    named = f"src/app.py\n{text}Once more:\n{text}"
    assert read(named)[1] == {"src/app.py": ("import os", "import sys", *APP[1:])}


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("[lib/n.py](lib/n.py)", "lib/n.py"),
        ("**[lib/n.py](https://example.org/lib/n.py)**:", "lib/n.py"),
        ("[The new file](lib/n.py)", "lib/n.py"),
        ("lib\\n.py", "lib/n.py"),
        ("`.\\lib\\n.py`", "lib/n.py"),
        ("### 1. lib/n.py", "lib/n.py"),
        ("2) `n.py`:", "n.py"),
        ("n.py (new)", "n.py"),
        ("Create lib/n.py:", "lib/n.py"),
        ("Now the **Dockerfile**, which is new:", "Dockerfile"),
        ("`my notes.md`", "my notes.md"),
    ],
)
def test_a_line_with_one_path_names_the_file_that_a_block_makes(line: str, path: str) -> None:
    events, files = read(block(line, [], ["x = 1"]))
    assert (events, files) == ([Fit(path, "new")], {path: ("x = 1",)})


@pytest.mark.parametrize(
    "line",
    [
        "[app.py](src/app.py)",
        "[src/app.py](src/app.py#L4)",
        "src\\app.py",
        "#### 3. `src/app.py` (changed)",
        "In src/app.py:4 I change the number:",
        "The number in app.py, which os.path does not need:",
    ],
)
def test_a_line_with_one_path_names_the_file_that_a_block_changes(line: str) -> None:
    assert read(block(line, ["    x = 1"], ["    x = 2"]))[1] == {
        "src/app.py": (*APP[:3], "    x = 2", *APP[4:])
    }


def test_a_sentence_about_another_file_leaves_the_block_where_its_lines_stand() -> None:
    text = IMPORT + block("As README.md says:", ["    x = 1"], ["    x = 2"])
    assert read(text)[1] == {
        "src/app.py": ("import os", "import sys", *APP[1:3], "    x = 2", *APP[4:])
    }


def test_a_file_whose_name_holds_a_backslash_keeps_it() -> None:
    assert read(block("a\\b.py", ["x"], ["y"]), {"a\\b.py": ["x"], "c": []})[1] == {
        "a\\b.py": ("y",)
    }


@pytest.mark.parametrize(("path", "is_sure"), [("a/n.py", False), ("b/n.py", False), ("c/n", True)])
def test_a_new_file_in_a_folder_that_may_be_a_side_of_a_diff_is_doubtful(
    path: str, is_sure: bool
) -> None:
    for files, sure in ((FILES, is_sure), ({"a/m.py": [], "b/m.py": []}, True)):
        draft = BlocksDraft(files)
        draft.take(block(path, [], ["x"]).encode())
        assert (draft.doubt == "", draft.finish()) == (sure, [])


QUERY = ["-- old", "-- two", "SELECT 1;", "-- end"]


@pytest.mark.parametrize(
    ("hunk", "wanted"),
    [
        ("@@ -1,3 +1,3 @@\n--- old\n+-- new\n -- two\n SELECT 1;\n", ["-- new", *QUERY[1:]]),
        ("@@ -1,3 +1,1 @@\n--- old\n--- two\n SELECT 1;\n", QUERY[2:]),
        ("@@ -1,2 +1,2 @@\n--- old\n+++ new\n -- two\n", ["++ new", *QUERY[1:]]),
        ("@@ -1 +1 @@\n--- old\n+++ new\n@@ -4 +4 @@\n--- end\n+++ e\n", None),
        ("@@\n--- old\n+-- new\n -- two\n", ["-- new", *QUERY[1:]]),
        ("--- old\n+-- new\n -- two\n", ["-- new", *QUERY[1:]]),
        ("@@ -3,2 +3,1 @@\n SELECT 1;\n--- end\n", QUERY[:3]),
    ],
)
@pytest.mark.parametrize("head", ["", "--- a/a.sql\n+++ b/a.sql\n"])
def test_the_numbers_of_a_hunk_tell_a_removed_remark_from_a_heading(
    hunk: str, wanted: list[str] | None, head: str
) -> None:
    wanted = wanted or ["++ new", *QUERY[1:3], "++ e"]
    _, files = read(f"a.sql\n```diff\n{head}{hunk}```\n", {"a.sql": QUERY})
    assert files == {"a.sql": tuple(wanted)}


def test_a_heading_below_a_hunk_with_wrong_numbers_is_a_heading() -> None:
    wrong = UPDATE.replace("-3,3 +3,4", "-3,9 +3,9")
    _, files = read(wrong + GONE)
    assert files == {"src/app.py": UPDATED, "README.md": None}
