"""A region written once more by a chat model: exact at the end, and never taken back on the way."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.answer_lines import read_lines
from spark_tui.editing.formats.fences import fence_for
from spark_tui.editing.formats.rewrite import RewriteDraft
from spark_tui.editing.formats.surroundings import NOWHERE
from spark_tui.editing.text import Text

OLD = ["def f(x):", "    y = x + 1", "    return y", "", "def g():", "    pass"]
METHOD = ["    def f(self):", "        y = self.x", "        return y"]


def written(old: Sequence[str], text: str, fence: str | None = None) -> RewriteDraft:
    draft = RewriteDraft(old, fence)
    draft.take(text.encode())
    draft.finish()
    return draft


def fenced(lines: Sequence[str], info: str = "python") -> str:
    mark = fence_for(lines)
    return "".join(f"{line}\n" for line in (mark + info, *lines, mark))


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef f(x):\n    return x\n```\n",
        "```\ndef f(x):\n    return x\n```",
        (
            "Sure, here it is:\n\n```python\ndef f(x):\n    return x\n```\nI removed the "
            "variable.\n```\nf(1)\n```\n"
        ),
        "def f(x):\n    return x\n",
        "def f(x):\n    return x\n```\nThat is all.",
        "\n\ndef f(x):\n    return x",
        "~~~py\ndef f(x):\n    return x\n~~~\n",
        "  ```python\n  def f(x):\n      return x\n  ```\n",
        "````python\ndef f(x):\n    return x\n````\n",
        "```python\r\ndef f(x):\r\n    return x\r\n```\r\n",
        "```python\ndef f(x):\n    return x\n",
    ],
)
def test_the_code_is_taken_out_of_what_stands_around_it(text: str) -> None:
    assert written(OLD[:3], text).lines() == ["def f(x):", "    return x"]


def test_an_answer_may_begin_within_a_fence_that_the_prompt_opened() -> None:
    assert written(OLD[:3], "import os\n```\nDone.", "```").lines() == ["import os"]


def test_an_answer_without_code_changes_nothing_and_is_what_the_model_says() -> None:
    draft = written(OLD, "This function is fine as it is.\n")
    assert (draft.lines(), draft.declined) == (OLD, True)


def test_the_same_code_once_more_declines() -> None:
    draft = written(OLD, fenced(OLD))
    assert (draft.declined, draft.kind) == (True, "none")


def test_code_behind_talk_without_any_fence_is_all_taken_at_the_end() -> None:
    draft = RewriteDraft(OLD[:3])
    draft.take(b"import os\ndef f(x):\n")
    assert (draft.lines(), draft.kind) == (OLD[:3], None)
    draft.finish()
    assert draft.lines() == ["import os", "def f(x):"]


def test_blocks_within_a_document_do_not_end_it() -> None:
    old = ["# Use", "```sh", "spark", "```", "More."]
    new = ["# Usage", *old[1:], "```", "plain", "```"]
    assert written(old, fenced(new, "markdown")).lines() == new
    naive = "\n".join(["```markdown", "# Usage", *old[1:], "```"])
    assert written(old, naive).lines() == ["# Usage", *old[1:]]


def test_a_fence_deep_in_a_list_is_the_first_line_of_the_region() -> None:
    old = ["      ```", "- a", "      ```sh", "      run", "      ```"]
    new = ["      ```", "- b", *old[2:]]
    assert written(old, fenced(new, "")).lines() == new


@pytest.mark.parametrize(
    "reply",
    [
        ["def f(self):", "    return self.x"],
        ["def f(self):", "        return self.x"],
        ["    def f(self):", "        return self.x"],
    ],
)
def test_indentation_that_is_lost_comes_back(reply: list[str]) -> None:
    assert written(METHOD, fenced(reply)).lines() == ["    def f(self):", "        return self.x"]


def test_lines_that_are_wrapped_in_another_block_are_no_lost_indentation() -> None:
    reply = [
        "def f(self):",
        "    try:",
        "        y = self.x",
        "        return y",
        "    finally:",
        "        end()",
    ]
    assert written(METHOD, fenced(reply)).lines() == [f"    {line}" for line in reply]


@pytest.mark.parametrize("blank", [[], [""], ["", " "]])
def test_code_that_only_begins_like_a_diff_is_read_once(blank: list[str]) -> None:
    code = ["--- x", "a", "b"]
    assert written(["a", "b"], fenced([*blank, *code], "")).lines() == code


def test_kind_19_a_dash_that_a_diff_changes_beside_more_is_changed() -> None:
    text = "```diff\n@@\n-a — b\n+a - b\n x…\n-two\n+2\n```\n"
    assert written(["a — b", "x…", "two"], text).lines() == ["a - b", "x…", "2"]


def test_a_line_that_is_copied_is_not_shown_before_it_differs() -> None:
    draft = RewriteDraft(OLD, "```")
    draft.take(b"def f(x):\n    y =")
    assert (draft.lines(), draft.open_line) == (OLD, None)
    draft.take(b" 2")
    assert (draft.lines(), draft.open_line) == ([OLD[0], "    y = 2", *OLD[1:]], "    y = 2")


def test_an_old_line_gives_way_once_the_next_one_stands_again() -> None:
    draft = RewriteDraft(OLD, "```")
    draft.take(b"def f(x):\n    y = 2\n")
    assert draft.settled() == OLD
    assert draft.take(b"    return y\n")
    assert draft.settled() == draft.lines() == [OLD[0], "    y = 2", *OLD[2:]]


@pytest.mark.parametrize("text", ["if (b) {\n  i\n", "  i\n", "if (a) {\n  a += 1\n"])
def test_no_line_stands_there_twice_while_one_is_changed_or_left_out(text: str) -> None:
    assert len(
        set(lines := written(["if (a) {", "  i", "  a += 1", "}"], text, "```").lines())
    ) == len(lines)


def test_a_new_line_that_stands_far_below_too_takes_nothing_away() -> None:
    old = ["def f(x):", *(f"    step({n})" for n in range(10)), "    return None"]
    draft = RewriteDraft(old, "```")
    draft.take(b"def f(x):\n    if not x:\n        return 0\n    return None\n")
    assert draft.lines() == [
        old[0],
        "    if not x:",
        "        return 0",
        "    return None",
        *old[1:],
    ]


def test_a_fence_that_is_being_written_is_never_shown() -> None:
    draft = RewriteDraft(OLD, "```")
    draft.take(b"import os\n``")
    assert (draft.open_line, draft.lines()[:1]) == (None, ["import os"])


TEXTS = ["", "}", "a = 1", "    b = 2", "    return", "é→😀", "def f():", "x\t"]
LINES = st.lists(st.sampled_from(TEXTS), max_size=12)


def cut(text: bytes, places: Sequence[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:stop] for start, stop in pairwise(edges)]


@given(LINES, LINES, st.lists(st.integers(0, 400), max_size=12))
def test_any_pieces_end_exactly_and_never_take_anything_back(
    old: list[str], new: list[str], places: list[int]
) -> None:
    draft = RewriteDraft(["top", *old])
    whole = RewriteDraft(["top", *old])
    text = fenced(["top", *new]).encode()
    closed: list[str] = []
    left = len(old) + 1
    for piece in cut(text, places):
        draft.take(piece)
        settled = draft.settled()
        growing = draft._growing  # noqa: SLF001 - what is certain of it is shown to nobody
        count = growing.closed
        assert settled[: len(closed)] == closed == settled[:count][: len(closed)]
        assert left >= len(settled) - count >= 0
        closed, left = settled[:count], len(settled) - count
        assert draft.lines()[: len(growing.written)] == growing.written
    whole.take(text)
    assert whole.lines() == draft.lines()
    draft.finish()
    meant = read_lines(["top", *old], ["top", *new], NOWHERE).lines
    assert draft.lines() == draft.settled() == meant
    # what is read otherwise as a whole, such as lines that come twice, is taken back at the end
    if meant == ["top", *new]:
        assert draft.lines()[: len(closed)] == closed


@given(LINES.filter(lambda lines: bool(lines and lines[-1].strip())))
def test_a_whole_method_that_lost_its_indentation_has_it_again(new: list[str]) -> None:
    body = [f"    {line}" if line else line for line in new]
    reply = ["def f(self):", "    x = 1", *body]
    kept = [f"    {line}" if line.strip() else line for line in reply]
    assert written(METHOD, fenced(reply)).lines() == kept


ODD = ("one", "two  ", "three\r", "four")
"""A line that ends in CR CR LF in its file."""


@pytest.mark.parametrize("third", ["three", "three\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("second", ["2", "two", "two  ", "2\nx = 1"])
def test_a_carriage_return_at_the_end_of_a_line_stays(second: str, end: str, third: str) -> None:
    answer = fenced(["one", *second.split("\n"), third, "four"]).replace("\n", end)
    draft = written(ODD, answer)
    assert draft.lines() == ["one", *second.split("\n"), "three\r", "four"]
    assert draft.declined is (second == "two  ")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("own", [1, 2])
def test_a_changed_line_takes_the_ending_of_the_line_it_replaces(own: int, end: str) -> None:
    text = Text.from_bytes(b"zero\r\r\n" * own + b"one\r\ntwo\r\n")
    answer = "".join(line + end for line in [*["zero"] * own, "ONE", "two"])
    draft = written(text.lines, f"```{end}{answer}```{end}")
    after = text.replace_lines(0, own + 2, draft.lines())
    assert after.to_bytes() == text.to_bytes().replace(b"one", b"ONE")


def test_a_carriage_return_that_comes_back_in_a_changed_line_is_kept() -> None:
    assert written(ODD, "```\none\ntwo  \n3\r\nfour\n```\n").lines()[2] == "3\r"


@pytest.mark.parametrize("raw", [b"three\r\r\n", b"three\r\r\r\n", b"\r\r\n"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_bytes_of_lines_with_several_carriage_returns_stay(raw: bytes, end: bytes) -> None:
    text = Text.from_bytes(b"one" + end + b"two" + end + raw + b"four" + end)
    shown = [line.rstrip("\r") for line in text.lines]
    draft = written(text.lines, fenced(["one", "2", *shown[2:]]))
    after = text.replace_lines(0, 4, draft.lines())
    assert after.to_bytes() == text.to_bytes().replace(b"two", b"2")


@pytest.mark.parametrize(
    ("answer", "is_clear"),
    [
        ("def b():\n    return 2\n", False),
        ("def a():\n    return 1\n\n\ndef b():\n    return 3\n", True),
        ("def a():\n    return 1\n\n\nb = a\n", True),
    ],
)
def test_an_answer_that_lacks_most_of_the_region_is_doubtful(answer: str, is_clear: bool) -> None:
    region = ["def a():", "    return 1", "", "", "def b():", "    return 2"]
    draft = RewriteDraft(region)
    draft.take(f"```python\n{answer}```\n".encode())
    draft.finish()
    assert (draft.doubt == "") is is_clear


@pytest.mark.parametrize(
    ("raw", "changed"),
    [
        (b"one\r\r\ntwo\r\nthree\n", b"two"),
        (b"one\r\r\ntwo\r\n", b"two"),
        (b"two\r\none\r\r\n", b"two"),
        (b"zero\ntwo\r\none\r\r\n", b"two"),
        (b"one\r\r\ntwo\r\n", b"one"),
        (b"one\r\r\r\ntwo\r\nthree\n", b"two"),
        (b"one\r\ntwo\n", b"two"),
    ],
)
@pytest.mark.parametrize("fence", [b"```\n", b"```\r\n", b""])
def test_an_answer_with_the_bytes_of_the_file_changes_only_what_it_changes(
    raw: bytes, changed: bytes, fence: bytes
) -> None:
    text = Text.from_bytes(raw)
    wanted = raw.replace(changed, changed.upper())
    draft = RewriteDraft(text.lines)
    draft.take(fence + wanted + fence)
    draft.finish()
    assert text.replace_lines(0, len(text.lines), draft.lines()).to_bytes() == wanted


def test_an_inserted_line_takes_no_carriage_return_from_one_neighbor() -> None:
    text = Text.from_bytes(b"one\r\r\ntwo\r\n")
    draft = written(text.lines, "```\none\r\r\nnew\r\ntwo\r\n```\n")
    assert draft.lines() == ["one\r", "new", "two"]


TABLE = ["a = 1", "b = 2", "c = 3"]


@pytest.mark.parametrize(
    ("old", "mark", "behind"),
    [
        (TABLE, "```", "a = 1"),
        (TABLE, "```", "toml a = 1"),
        (TABLE, "~~~", "a = 1"),
        (TABLE, "  ```", " a = 1"),
        (["import os", *TABLE], "```", "python import os"),
        (["import os", *TABLE], "````", "import os"),
        (["#!/bin/sh", *TABLE], "```", "#!/bin/sh"),
        (["a:", *TABLE], "```", "a:"),
        (["text", *TABLE], "```", "text"),
        (["go build ./...", *TABLE], "```", "go build ./..."),
    ],
)
def test_the_first_line_of_the_code_after_the_fence_is_a_line(
    old: list[str], mark: str, behind: str
) -> None:
    new = [*old[:-1], "c = 4"]
    draft = written(old, "\n".join([mark + behind, *new[1:], mark]))
    assert (draft.lines(), draft.doubt) == (new, "")


@pytest.mark.parametrize("size", range(1, 40, 7))
def test_a_line_after_the_fence_is_read_in_any_pieces(size: int) -> None:
    text = "```a = 1\nb = 3\nc = 3\n```\n"
    draft = RewriteDraft(TABLE)
    for start in range(0, len(text), size):
        draft.take(text[start : start + size].encode())
        assert draft.lines()[0] == "a = 1"
    draft.finish()
    assert draft.lines() == ["a = 1", "b = 3", "c = 3"]


@pytest.mark.parametrize(
    "info",
    [
        "python",
        'js title="a.js"',
        "js:a.js",
        "{.python .numberLines}",
        "rust,ignore",
        "12:15:src/app.ts",
        "python wrap",
        "python src/a.py",
        "c++",
        "ts {1,3} file=a.ts",
    ],
)
def test_a_word_a_path_or_attributes_after_the_fence_are_no_line(info: str) -> None:
    new = ["a = 2", *TABLE[1:]]
    draft = written(TABLE, fenced(new, info))
    assert (draft.lines(), draft.doubt) == (new, "")


def test_a_language_that_is_the_first_line_too_is_the_language_above_that_line() -> None:
    new = ["text", "b"]
    assert written(["text", "a"], fenced(new, "text")).lines() == new


@pytest.mark.parametrize("info", ["a = 5", "toml a = 5", "const a = 5;", "- a"])
def test_a_new_line_after_the_fence_is_a_line_and_doubtful(info: str) -> None:
    draft = written(TABLE, f"```{info}\nb = 2\nc = 3\n```\n")
    assert draft.lines() == [info.removeprefix("toml "), "b = 2", "c = 3"]
    assert "after the opening fence" in draft.doubt


@pytest.mark.parametrize("talk", ["", "\nFinal answer:\n\n", "</answer>\n"])
def test_an_answer_that_comes_twice_is_one(talk: str) -> None:
    new = fenced([*TABLE[:2], "c = 4"], "toml")
    draft = written(TABLE, f"{new}{talk}{new}")
    assert (draft.lines(), draft.doubt) == ([*TABLE[:2], "c = 4"], "")
    other = fenced([*TABLE[:2], "c = 5"], "toml")
    for several in (f"{new}{talk}{other}", f"{new}{new}{other}", f"{new}{new.partition('c')[0]}"):
        assert "several blocks" in written(TABLE, several).doubt
