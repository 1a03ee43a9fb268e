"""Blocks about one region: they become its lines, or are told with the place they nearly fit."""

import pytest

from spark_tui.editing.formats.region_blocks import BlockError, RegionBlocks
from spark_tui.editing.line_diff import heading_of, section_lines

REGION = ("def f(x):", "    y = x", "    return y")


def block(search: str, replace: str, path: str = "any/path.py") -> bytes:
    return f"{path}\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n".encode()


def test_blocks_change_the_region_whatever_path_stands_above_them() -> None:
    draft = RegionBlocks(REGION)
    kinds = [draft.kind]
    assert draft.take(block("    y = x", "    y = 2 * x"))
    assert draft.take(block("    return y", "    return -y", "other.py"))
    draft.finish()
    assert draft.lines() == draft.settled() == ["def f(x):", "    y = 2 * x", "    return -y"]
    assert ([*kinds, draft.kind], draft.declined) == ([None, "edit"], False)


def test_an_open_replacement_shows_its_line_and_settles_with_its_block() -> None:
    draft = RegionBlocks(REGION)
    draft.take(b"<<<<<<< SEARCH\n    y = x\n=======\n    z")
    assert (draft.open_line, draft.kind, draft.settled()) == ("    z", "edit", list(REGION))
    assert draft.lines() == ["def f(x):", "    z", "    y = x", "    return y"]


def test_talk_without_a_block_declines() -> None:
    draft = RegionBlocks(REGION)
    draft.take(b"Nothing to do.")
    assert not draft.declined
    draft.finish()
    assert (draft.declined, draft.kind, draft.lines()) == (True, None, list(REGION))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (block("    y = z", ""), "its lines occur nowhere; the nearest are lines 2 to 2"),
        (block("", "import os"), "the file already exists, and no lines of it are searched for"),
        (b"a\n<<<<<<< SEARCH\n    y = x\n=======\n", "it is cut off"),
    ],
)
def test_a_block_that_does_not_fit_is_an_error_that_says_where_it_nearly_would(
    text: bytes, words: str
) -> None:
    draft = RegionBlocks(REGION)

    def read() -> None:
        draft.take(text)
        draft.finish()

    with pytest.raises(BlockError, match=f"^a block does not fit: {words}$"):
        read()
    assert draft.settled() == list(REGION)


@pytest.mark.parametrize(
    ("text", "path", "more"),
    [
        (block("x = 1", "x = 2", "lib/report.py"), "lib/report.py", ""),
        (b"tax.md\n<<<<<<< DELETE\n", "tax.md", ""),
        (b"--- a/tax.md\n+++ b/tax.md\n@@ -1 +1 @@\n-x\n+y\n", "tax.md", ""),
        (block("x = 1", "x = 2", "bb.py"), "bb.py", "; the nearest is b.py"),
    ],
)
def test_a_file_that_was_not_shown_is_told_as_such(text: bytes, path: str, more: str) -> None:
    document = [*section_lines(heading_of("a.txt"), ["one"])]
    document += section_lines(heading_of("b.py"), ["two"])
    draft = RegionBlocks(document)
    draft.take(text)
    draft.finish()
    told = f"{path} is not part of the request; if it is a file here, name it with @{path}{more}"
    assert (draft.missed, draft.settled()) == ([told], document)
