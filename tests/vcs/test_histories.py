"""Histories replayed: whatever part of a change is accepted, in whatever order, the file is the
splice of old and new.

Real changes are those of the repository these tests lie in, where there is one. Generated ones have
every awkward ending and byte. Git is asked about a share, many changes at once.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from pathlib import Path
from random import Random
from subprocess import CalledProcessError

import pytest

from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.review import Review
from spark_tui.editing.text import Text
from spark_tui.errors import FileError
from spark_tui.vcs.patch import apply_in_quarantine, encode_patch
from tests.vcs.repos import AWKWARD, git

ALL = 250_000, 20_000
SLICE = 1_500, 300
"""Subsets, and how many of them git is asked about."""
MOST_HUNKS = 8
SOME_SUBSETS = 64
AT_ONCE = 200
"""Patches in one call of git."""
MOST_DECISIONS = 8
"""Batches in which the hunks of a change are decided."""

Pair = tuple[bytes, bytes]
"""A file before, and after."""

_ENDINGS = (b"\n", b"\n", b"\r\n", b"\r\r\n")
_LINES = (
    *(
        b"a",
        b"b",
        b"",
        b"    c",
        b"\r",
        b"x\ry",
        b"\f",
        b"\v",
        b"\x1c",
        b"\x1d",
        b"\x1e",
        b"\xc2\x85",
        b"\xe9",
    ),
    *(
        "\u2028".encode(),
        "é".encode(),
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"-- a",
        b"++ b",
        b"@@ -1 +1 @@",
        b"\\ No",
    ),
)
_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def real_changes(*, commits: int | None = None, most_apart: int = 1) -> Iterator[Pair]:
    """Versions of the files of this very repository, the latest first; none where it has no
    history.

    Args:
        most_apart: How many commits of a file may lie between its two versions.
    """
    here = Path(__file__).resolve().parent
    limit = [] if commits is None else [f"--max-count={commits}"]
    try:
        listed = git(
            here,
            "log",
            *limit,
            "--no-renames",
            "--diff-filter=M",
            "--raw",
            "-z",
            "--no-abbrev",
            "--format=",
        )
    except CalledProcessError:
        return
    versions = defaultdict[str, list[str]](list)
    for before, after, path in re.findall(r":\d+ \d+ (\w+) (\w+) M\0([^\0]+)", listed.decode()):
        versions[path] = versions[path] or [after]
        versions[path].append(before)
    for apart in range(1, most_apart + 1):
        for each in versions.values():
            for after, before in zip(each, each[apart:], strict=False):
                yield git(here, "cat-file", "blob", before), git(here, "cat-file", "blob", after)


def generated_changes(random: Random) -> Iterator[Pair]:
    """Without end: an awkward file, edited in a few places, and that edited again."""
    while True:
        data = random.choice(
            [_awkward(random), _awkward(random), random.choice(sorted(AWKWARD.values()))]
        )
        for _ in range(4):
            edited = _edited(data, random)
            if edited != data:
                yield data, edited
            data = edited


def _awkward(random: Random) -> bytes:
    mark = random.choice([b"", b"", b"\xef\xbb\xbf"])
    lines = [random.choice(_LINES) + random.choice(_ENDINGS) for _ in range(random.randrange(40))]
    return mark + b"".join(lines) + random.choice([b"", random.choice(_LINES)])


def _edited(data: bytes, random: Random) -> bytes:
    lines = split(data)
    for _ in range(random.randint(1, 8)):
        start = random.randint(0, len(lines))
        new = [random.choice(_LINES) + random.choice(_ENDINGS) for _ in range(random.randrange(3))]
        lines[start : start + random.randrange(3)] = new
    if lines and random.random() < 0.2:
        lines[-1] = lines[-1].removesuffix(b"\n") or lines[-1]
    return b"".join(lines)


def split(data: bytes) -> list[bytes]:
    """Lines with their line feeds, by nothing of spark's."""
    *ended, last = data.split(b"\n")
    return [line + b"\n" for line in ended] + ([last] if last else [])


def subsets_of(hunks: Sequence[Hunk], random: Random) -> Iterator[list[Hunk]]:
    """All of them where there are few hunks, else some; each in any order."""
    found: Iterator[tuple[Hunk, ...]]
    if len(hunks) <= MOST_HUNKS:
        found = chain.from_iterable(combinations(hunks, count) for count in range(len(hunks) + 1))
    else:
        found = (
            tuple(hunk for hunk in hunks if random.random() < 0.5) for _ in range(SOME_SUBSETS)
        )
    return (random.sample(chosen, len(chosen)) for chosen in found)


def spliced(before: Sequence[bytes], hunks: Sequence[Hunk]) -> bytes:
    """The bytes there must be: from the last hunk up, its old lines give way to its new ones."""
    lines = list(before)
    for hunk in sorted(hunks, key=lambda hunk: hunk.start, reverse=True):
        old, new = _bytes(hunk.old), _bytes(hunk.new)
        assert lines[hunk.start : hunk.start + len(old)] == old
        lines[hunk.start : hunk.start + len(old)] = new
    return b"".join(lines)


def _bytes(lines: Sequence[str]) -> list[bytes]:
    return [line.encode("utf-8", "surrogateescape") for line in lines]


def patched(before: Sequence[bytes], patch: bytes) -> bytes:
    """What the blocks of a patch make of a file, every context line in its exact place."""
    result: list[bytes] = []
    at = 0
    lines = iter(_joined(split(patch)))
    for line in lines:
        if not (header := _HEADER.fullmatch(line)):
            continue
        start, count, new_start, new_count = (
            1 if part is None else int(part) for part in header.groups()
        )
        first = start - (count > 0)
        result += before[at:first]
        assert len(result) == new_start - (new_count > 0)
        at, end = first, len(result) + new_count
        while at < first + count or len(result) < end:
            mark, text = (body := next(lines))[:1], body[1:]
            if mark in {b" ", b"-"}:
                assert before[at] == text
                at += 1
            if mark in {b" ", b"+"}:
                result.append(text)
    return b"".join([*result, *before[at:]])


def _joined(lines: Sequence[bytes]) -> Iterator[bytes]:
    """Lines without the remark that their line feed is not part of the file."""
    for line, after in zip(lines, [*lines[1:], b""], strict=False):
        if not line.startswith(b"\\"):
            yield line.removesuffix(b"\n") if after.startswith(b"\\") else line


def decided(base: Text, proposed: Text, accepted: Sequence[Hunk], random: Random) -> Review:
    """A review in which these hunks were accepted and the others rejected, in any order.

    Few hunks are decided one by one, many in a few batches: each decision compares the whole file
    again.
    """
    review = Review(base)
    review.propose(proposed)
    wanted = {hunk.id for hunk in accepted}
    ids = [hunk.id for hunk in review.hunks]
    at_once = -(-len(ids) // MOST_DECISIONS)
    order = random.sample(ids, len(ids))
    for start in range(0, len(order), at_once or 1):
        batch = order[start : start + at_once]
        if taken := [hunk_id for hunk_id in batch if hunk_id in wanted]:
            review.accept(taken)
        if left := [hunk_id for hunk_id in batch if hunk_id not in wanted]:
            review.reject(left)
    return review


def checked(pair: Pair, random: Random) -> Iterator[Pair]:
    """Every subset of a change, once it was seen to come out right."""
    before, after = pair
    try:
        base, proposed = Text.from_bytes(before), Text.from_bytes(after)
    except FileError:
        return
    lines, hunks = split(before), diff(base, proposed)
    assert spliced(lines, hunks) == after
    for chosen in subsets_of(hunks, random):
        wanted = spliced(lines, chosen)
        patch = encode_patch("f.py", before, wanted)
        assert apply_hunks(base, chosen).to_bytes() == wanted
        assert patched(lines, patch) == wanted
        review = decided(base, proposed, chosen, random)
        assert review.base.to_bytes() == review.proposed.to_bytes() == wanted
        yield before, wanted


def agreed_by_git(subsets: Sequence[Pair]) -> None:
    """One git applies many patches, each to a file of its own."""
    named = {f"{number}/f.py": subset for number, subset in enumerate(subsets)}
    patch = b"".join(encode_patch(path, before, after) for path, (before, after) in named.items())
    before = {path: before for path, (before, _) in named.items()}
    assert apply_in_quarantine(patch, before) == {path: after for path, (_, after) in named.items()}


def replayed(changes: Iterator[Pair], count: int, by_git: int, random: Random) -> tuple[int, int]:
    """Check so many subsets.

    Returns:
        How many there were, and how many of them git was asked about.
    """
    seen = asked = 0
    waiting: list[Pair] = []
    for subset in islice(chain.from_iterable(checked(pair, random) for pair in changes), count):
        seen += 1
        if asked < by_git and asked * count <= 1.1 * seen * by_git and subset[0] != subset[1]:
            waiting.append(subset)
            asked += 1
        if len(waiting) == AT_ONCE:
            agreed_by_git(waiting)
            waiting = []
    if waiting:
        agreed_by_git(waiting)
    return seen, asked


def test_any_part_of_a_generated_change_is_the_splice_of_old_and_new_and_git_agrees() -> None:
    random = Random(1)
    assert replayed(generated_changes(random), *SLICE, random) == SLICE


def test_any_part_of_the_latest_real_changes_is_the_splice_of_old_and_new_and_git_agrees() -> None:
    random = Random(2)
    if replayed(real_changes(commits=10), *SLICE, random) == (0, 0):
        pytest.skip("these tests lie in no repository with a history")


@pytest.mark.exhaustive
def test_the_same_of_a_whole_history() -> None:
    random = Random(3)
    if replayed(real_changes(most_apart=8), *ALL, random) == (0, 0):
        pytest.skip("these tests lie in no repository with a history")


@pytest.mark.exhaustive
def test_the_same_of_a_quarter_of_a_million_parts() -> None:
    random = Random(4)
    assert replayed(generated_changes(random), *ALL, random) == ALL
