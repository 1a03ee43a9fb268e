"""Several files as one text: nothing of them is lost, and no change of one is taken for a
change of another.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.editing.formats.region_blocks import RegionBlocks
from spark_tui.editing.hunks import apply_hunks, diff
from spark_tui.editing.line_diff import END, heading_of, renames, sections
from spark_tui.editing.multi_file import Files, apart, changed, heading_change, joined, titled
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError

CONTENTS = st.lists(
    st.sampled_from([b"a", b"b", b"  c", b"", b"\xff", "é".encode()]), max_size=6
).flatmap(
    lambda lines: st.sampled_from([b"\n", b"\r\n"]).flatmap(
        lambda end: st.sampled_from(
            [
                mark + end.join(lines) + last
                for mark in (b"", b"\xef\xbb\xbf")
                for last in (b"", end)
            ]
        )
    )
)
FILES = st.dictionaries(st.sampled_from(["a.py", "b/c.md", "d", "ü e.txt"]), CONTENTS, min_size=1)


def texts(files: dict[str, bytes]) -> dict[str, Text]:
    return {path: Text.from_bytes(data) for path, data in files.items()}


@given(FILES)
def test_files_come_apart_as_they_were(files: dict[str, bytes]) -> None:
    text = joined(texts(files))
    assert {path: each.to_bytes() for path, each in apart(text).items()} == files
    assert len(text.lines) == len(text.raw)


@given(FILES, FILES, st.data())
def test_each_file_is_held_against_itself_and_decided_by_itself(
    before: dict[str, bytes], after: dict[str, bytes], data: st.DataObject
) -> None:
    """Files that are in both keep their order; those that come stand below, those that go are
    gone.
    """
    kept = {path: after[path] for path in before if path in after}
    come = [path for path in after if path not in before]
    base = joined(texts(before))
    review, taken = Review(base), data.draw(st.sets(st.sampled_from([*before, *come])))
    for count in range(len(come) + 1):
        proposed = joined(texts(kept | {path: after[path] for path in come[:count]}))
        hunks = diff(base, proposed)
        assert apply_hunks(base, hunks) == proposed
        names = {path for path, old, new in changed(base, proposed, "")}
        assert names == {
            path for path in {**before, **kept} if before.get(path) != kept.get(path)
        } | {*come[:count]}
        assert {Files(base.raw).spot(hunk).path for hunk in hunks} == names
        assert all(first.stop <= second.start for first, second in pairwise(hunks))
        review.propose(proposed)
        paths = {hunk.id: Files(review.base.raw).spot(hunk).path for hunk in review.hunks}
        for each in data.draw(st.permutations([*paths])):
            if count == len(come) or data.draw(st.booleans()):
                (review.accept if paths[each] in taken else review.reject)([each])
    wanted = {path: (after if path in taken else before).get(path) for path in (*before, *come)}
    assert {
        path: wanted.get(path) == each.to_bytes() for path, each in apart(review.base).items()
    } == {path: True for path, each in wanted.items() if each is not None}
    assert not review.hunks


def test_lines_that_move_to_another_file_are_gone_from_the_first() -> None:
    lines = tuple(f"{number}\n" for number in range(9))
    before = joined({"a": Text(("x\n", *lines)), "b": Text(("y\n",))})
    after = joined({"a": Text(("x\n",)), "b": Text(("y\n", *lines))})
    gone, come = diff(before, after)
    assert (gone.old, gone.new, come.old, come.new) == (lines, (), (), lines)
    assert [each.path for each in sections(before.raw)] == ["a", "b"]


def test_the_bytes_that_only_a_heading_keeps_stay_when_lines_are_replaced() -> None:
    data = b"\xef\xbb\xbfone\r\ntwo"
    text = joined({"a": Text.from_bytes(data)})
    assert text.lines[1:3] == ("one", "two")
    wanted = [text.lines[0], "one", "2", END, heading_of("n"), "new", END]
    files = apart(text.replace_lines(0, len(text.lines), wanted))
    assert {path: each.to_bytes() for path, each in files.items()} == {
        "a": b"\xef\xbb\xbfone\r\n2",
        "n": b"new\n",
    }


def test_a_heading_of_both_versions_says_what_differs_and_others_whether_the_file_is_new() -> None:
    unended = joined({"a.py": Text.from_bytes(b"x = 1")}).raw[:1]
    ended = joined({"a.py": Text.from_bytes(b"x = 1\n")}).raw[:1]
    marked = joined({"b.py": Text.from_bytes(b"\xef\xbb\xbfx = 1\n")}, {"b.py": "a.py"}).raw[:1]
    assert titled(ended[0], "new") == "new file a.py"
    assert heading_change(ended, unended) == "a.py, without a line ending at its end"
    assert heading_change(unended, ended) == "a.py, with a line ending at its end"
    assert heading_change(ended, marked) == "b.py, renamed from a.py, with a byte order mark"
    assert heading_change((), ended) == heading_change(ended, ()) == ""


def test_line_endings_are_no_part_of_a_heading() -> None:
    before = joined({"a": Text.from_bytes(b"one\r\ntwo\r\n")})
    (hunk,) = diff(before, joined({"a": Text.from_bytes(b"one\ntwo\n")}))
    assert (hunk.start, hunk.new) == (1, ("one\n", "two\n"))
    text = before.replace_lines(1, 1, ["zero"])
    assert apart(text)["a"].to_bytes() == b"zero\r\none\r\ntwo\r\n"
    text = before.replace_lines(0, 4, [before.lines[0], "zero", *before.lines[1:]])
    assert apart(text)["a"].to_bytes() == b"zero\r\none\r\ntwo\r\n"


@given(CONTENTS, CONTENTS, st.booleans(), st.booleans())
def test_the_new_name_of_a_file_is_decided_apart_from_its_lines(
    before: bytes, after: bytes, takes_name: bool, name_first: bool
) -> None:
    other = {"z": Text.from_bytes(b"z\n")}
    base = joined({"old": Text.from_bytes(before), **other})
    review = Review(base)
    review.propose(joined({"new": Text.from_bytes(after), **other}, {"new": "old"}))
    name, *lines = review.hunks
    assert renames(name.old, name.new)
    decisions = [([name.id], takes_name), ([hunk.id for hunk in lines], not takes_name)]
    for ids, accept in decisions if name_first else decisions[::-1]:
        if accept:
            review.accept(ids)
        else:
            review.reject(ids)
    assert not review.hunks
    (file,) = set(apart(review.base)) - {"z"}
    assert file == ("new" if takes_name else "old")
    if before.startswith(b"\xef\xbb\xbf") == after.startswith(b"\xef\xbb\xbf"):
        wanted = before if takes_name else after
        assert apart(review.base)[file].to_bytes().rstrip() == wanted.rstrip()


@pytest.mark.parametrize(
    "line", ["\0b.py\0", "\0\0", "\0", "\0c.py\0b\0a.py", "\0/etc/passwd\0", "\0x"]
)
def test_no_line_of_a_file_is_read_as_the_beginning_of_another(line: str) -> None:
    files = texts({"a.py": b"one\ntwo\n", "b.py": b"three\n"})
    with pytest.raises(UsageError, match="NUL"):
        joined({**files, "a.py": Text(("one\n", f"{line}\n", "two\n"))})
    base = joined(files)
    draft = RegionBlocks(base.lines)
    draft.take(f"a.py\n<<<<<<< SEARCH\ntwo\n=======\ntwo\n{line}\n>>>>>>> REPLACE\n".encode())
    with pytest.raises(UsageError, match="NUL"):
        draft.lines()
    review = Review(base)
    review.propose(joined({**files, "a.py": Text(("one\n", "2\n"))}))
    with pytest.raises(UsageError, match="NUL"):
        review.edit(review.hunks[0].id, ["two", line])
    assert set(apart(review.proposed)) == {"a.py", "b.py"}


def test_an_empty_file_becomes_no_other_one() -> None:
    with pytest.raises(UsageError, match="NUL"):
        Text(()).replace_lines(0, 0, ["\0b.py\0", "x", "\0\0"])
