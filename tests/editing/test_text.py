import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.text import Text, ending_of, undecodable
from spark_tui.errors import FileError
from tests.editing.texts import new_lines, places


def endings_of(text: Text) -> tuple[str, ...]:
    return tuple(map(ending_of, text.raw))


@given(
    st.binary().filter(
        lambda data: b"\0" not in data and data[:2] not in {b"\xff\xfe", b"\xfe\xff"}
    )
)
def test_any_bytes_without_nul_come_back_exactly(data: bytes) -> None:
    assert Text.from_bytes(data).to_bytes() == data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a\0b", "binary"),
        (b"\x7fELF\0\0", "binary"),
        ("word".encode("utf-16-le"), "binary"),
        ("word".encode("utf-32-be"), "binary"),
        ("word".encode("utf-16"), "UTF-16"),
        ("漢字".encode("utf-16"), "UTF-16"),
        (b"\xfe\xff" + "漢字".encode("utf-16-be"), "UTF-16"),
        ("word".encode("utf-32"), "UTF-32"),
        (b"\0\0\xfe\xff" + "漢字".encode("utf-32-be"), "UTF-32"),
    ],
)
def test_content_that_is_no_text_is_refused_in_words(data: bytes, said: str) -> None:
    with pytest.raises(FileError, match=rf"logo\.png is {said}: spark edits UTF-8 text only"):
        Text.from_bytes(data, "logo.png")


@pytest.mark.parametrize(
    ("data", "lines", "endings"),
    [
        (b"", (), ()),
        (b"\n", ("",), ("\n",)),
        (b"a", ("a",), ("",)),
        (b"a\r\nb\n", ("a", "b"), ("\r\n", "\n")),
        (b"a\rb\n", ("a\rb",), ("\n",)),
        (b"a\r", ("a\r",), ("",)),
        (b"a\r\r\n", ("a\r",), ("\r\n",)),
        (b"a\x0cb\x0bc\x1cd\x1de\x1ef\n", ("a\x0cb\x0bc\x1cd\x1de\x1ef",), ("\n",)),
        ("a\x85b\u2028c\u2029d\n".encode(), ("a\x85b\u2028c\u2029d",), ("\n",)),
        (b"\xef\xbb\xbfimport os\n", ("import os",), ("\n",)),
        (b"caf\xe9\n", ("caf\udce9",), ("\n",)),
    ],
)
def test_lines_end_at_line_feeds_only(
    data: bytes, lines: tuple[str, ...], endings: tuple[str, ...]
) -> None:
    text = Text.from_bytes(data)
    assert (text.lines, endings_of(text)) == (lines, endings)


def test_what_is_not_utf8_is_told() -> None:
    text = Text.from_bytes("é\n".encode() + b"\xe9\nplain\n")
    assert [undecodable(line) for line in text.lines] == [False, True, False]
    assert undecodable("caf\udce9")
    assert not undecodable("café")


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (b"x = 1\n", "x = 1\n# größer\n", None),
        (b"# coding: utf-8\nx = 1\n", "# coding: utf-8\n# größer\n", None),
        (b"# -*- coding: latin-1 -*-\nx = 1\n", "# -*- coding: latin-1 -*-\n# größer\nx = 1\n", 1),
        (b"#!python\n# vim: set fileencoding=cp1252 :\nx = 1\n", "#!python\n# größer\n", 1),
        (b"a = 1\nb = 2\n# coding: latin-1\n", "a = 1\n# größer\n", None),
        (b"x = '\xf6'\ny = 1\n", "x = '\udcf6'\ny = 'ö'\n", 1),
        (b"x = '\xf6'\ny = 1\n", "x = '\udcf6'\ny = 2\n", None),
        (
            b"# coding: latin-1\nx = '\xc3\xb6'\ny = 1\n",
            "# coding: latin-1\nx = 'ö'\ny = 2\n",
            None,
        ),
    ],
)
def test_new_text_beyond_ascii_goes_into_utf8_only(
    before: bytes, after: str, line: int | None
) -> None:
    assert (
        Text.from_bytes(before).mixed(Text.from_bytes(after.encode("utf-8", "surrogateescape")))
        == line
    )


@pytest.mark.parametrize(
    ("before", "start", "stop", "new", "after"),
    [
        (b"a\nb\n", 1, 2, ["x", "y"], b"a\nx\ny\n"),
        (b"a\r\nb\r\n", 1, 1, ["x"], b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb\n", 0, 0, ["x"], b"x\r\na\r\nb\n"),
        (b"a\r\nb\nc\r\n", 0, 3, ["a", "b2", "new", "c"], b"a\r\nb2\nnew\nc\r\n"),
        (b"a\nb\r\nc\n", 0, 3, ["b", "c"], b"b\r\nc\n"),
        (b"a\nb", 2, 2, ["x"], b"a\nb\nx"),
        (b"a\r\nb", 2, 2, ["x", "y"], b"a\r\nb\r\nx\r\ny"),
        (b"a\nb", 1, 2, ["x", "y"], b"a\nx\ny"),
        (b"a\nb", 1, 2, [], b"a\n"),
        (b"a\nb", 0, 2, ["b", "c"], b"b\nc"),
        (b"a", 0, 1, ["x", "y"], b"x\ny"),
        (b"a", 0, 0, ["x"], b"x\na"),
        (b"a\r", 1, 1, ["x"], b"a\r\r\nx"),
        (b"", 0, 0, ["x", "y"], b"x\ny\n"),
        (b"a\n", 0, 1, [], b""),
        (b"\xef\xbb\xbfa\n", 0, 0, ["x"], b"\xef\xbb\xbfx\na\n"),
        (b"\xef\xbb\xbfa\nb\n", 0, 1, [], b"\xef\xbb\xbfb\n"),
        (b"\xef\xbb\xbfa\nb\n", 0, 2, ["a", "c"], b"\xef\xbb\xbfa\nc\n"),
    ],
)
def test_new_lines_take_their_neighbours_ending(
    before: bytes, start: int, stop: int, new: list[str], after: bytes
) -> None:
    assert Text.from_bytes(before).replace_lines(start, stop, new).to_bytes() == after


@given(places(), new_lines)
def test_the_lines_are_those_asked_for_and_the_rest_is_untouched(
    place: tuple[Text, int, int], new: list[str]
) -> None:
    text, start, stop = place
    result = text.replace_lines(start, stop, new)
    assert list(result.lines) == [*text.lines[:start], *new, *text.lines[stop:]]
    before, after = endings_of(text), endings_of(result)
    assert after[: max(start - 1, 0)] == before[: max(start - 1, 0)]
    if stop < len(text.raw):
        assert after[start + len(new) :] == before[stop:]
    assert all(after[:-1])


@given(places())
def test_putting_the_same_lines_back_changes_no_byte(place: tuple[Text, int, int]) -> None:
    text, start, stop = place
    assert text.replace_lines(start, stop, text.lines[start:stop]) == text


@given(places().filter(lambda place: bool(place[0].raw)), new_lines)
def test_a_newline_at_the_end_is_neither_added_nor_lost(
    place: tuple[Text, int, int], new: list[str]
) -> None:
    text, start, stop = place
    result = text.replace_lines(start, stop, [*new, "end"])
    assert bool(ending_of(result.raw[-1])) == bool(ending_of(text.raw[-1]))
