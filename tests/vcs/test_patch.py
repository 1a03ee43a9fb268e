from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from spark_tui.editing.hunks import apply_hunks, diff
from spark_tui.editing.text import Text
from spark_tui.errors import Conflict, FileError, SparkError
from spark_tui.vcs.patch import FileSummary, apply_in_quarantine, encode_patch, summarize
from spark_tui.vcs.safe_paths import check_path
from tests.vcs.contents import contents
from tests.vcs.repos import AWKWARD, git, make_repo

TEN = b"".join(b"%d\n" % number for number in range(1, 11))

HEAD, NO_NEWLINE = "--- a/f.py\n+++ b/f.py\n", "\\ No newline at end of file\n"
TABLE: dict[str, tuple[bytes | None, bytes | None, str]] = {
    "a line in the middle": (
        b"1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
        HEAD + "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    ),
    "at the top": (b"1\n2\n", b"0\n1\n2\n", HEAD + "@@ -1,2 +1,3 @@\n+0\n 1\n 2\n"),
    "at the end": (b"1\n2\n", b"1\n2\n3\n", HEAD + "@@ -1,2 +1,3 @@\n 1\n 2\n+3\n"),
    "two changes close together share a block": (
        TEN,
        TEN.replace(b"2\n", b"two\n").replace(b"9\n", b"nine\n"),
        HEAD + "@@ -1,10 +1,10 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n+nine\n 10\n",
    ),
    "two changes far apart do not, and the second counts the first": (
        TEN,
        TEN.replace(b"1\n2\n", b"2\n").replace(b"10\n", b"ten\n"),
        HEAD + "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -7,4 +6,4 @@\n 7\n 8\n 9\n-10\n+ten\n",
    ),
    "the newline at the end goes": (
        b"1\n2\n",
        b"1\n2",
        f"{HEAD}@@ -1,2 +1,2 @@\n 1\n-2\n+2\n{NO_NEWLINE}",
    ),
    "context without a newline at the end": (
        b"1\n2",
        b"one\n2",
        f"{HEAD}@@ -1,2 +1,2 @@\n-1\n+one\n 2\n{NO_NEWLINE}",
    ),
    "carriage returns are content": (
        b"1\r\n2\r\n",
        b"1\r\n2\n",
        HEAD + "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+2\n",
    ),
    "an empty file gets a line": (b"", b"1\n", HEAD + "@@ -0,0 +1 @@\n+1\n"),
    "a file loses its last line": (b"1\n", b"", HEAD + "@@ -1 +0,0 @@\n-1\n"),
    "a new file": (
        None,
        b"1\n",
        "new file mode 100644\n--- /dev/null\n+++ b/f.py\n@@ -0,0 +1 @@\n+1\n",
    ),
    "a new empty file": (None, b"", "new file mode 100644\n"),
    "a deleted file": (
        b"1\n",
        None,
        "deleted file mode 100644\n--- a/f.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
    ),
    "a deleted empty file": (b"", None, "deleted file mode 100644\n"),
    "no change": (b"1\n", b"1\n", ""),
}


def body(patch: bytes) -> str:
    lines = patch.decode().split("\n")
    return "\n".join(line for line in lines if not line.startswith(("diff --git", "index ")))


@pytest.mark.parametrize("case", TABLE)
def test_a_patch_reads(case: str) -> None:
    before, after, expected = TABLE[case]

    assert body(encode_patch("f.py", before, after)) == expected


@pytest.mark.parametrize("case", TABLE)
def test_git_reads_every_patch_as_the_change_it_is(case: str) -> None:
    before, after, _ = TABLE[case]
    if before == after:
        return
    result = apply_in_quarantine(
        encode_patch("f.py", before, after), {} if before is None else {"f.py": before}
    )

    assert result == ({} if after is None else {"f.py": after})


@pytest.mark.parametrize("after", [b"one\ntwo\n", b"one\n2\nthree\n", b"", b"one\ntwo\nthree"])
@pytest.mark.parametrize("executable", [False, True])
def test_a_patch_is_what_git_diff_writes(tmp_path: Path, after: bytes, executable: bool) -> None:
    before = b"one\ntwo\nthree\n"
    root = make_repo(tmp_path / "work", {"f.py": before})
    if executable:
        (root / "f.py").chmod(0o755)
        git(root, "update-index", "--chmod=+x", "f.py")
    (root / "f.py").write_bytes(after)

    assert encode_patch("f.py", before, after, mode=0o755 if executable else 0o644) == git(
        root, "diff", "--full-index", "--no-color"
    )


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a b.py", "a/a b.py\t"),
        ("tab\there.py", '"a/tab\\there.py"'),
        ('quo"te.py', '"a/quo\\"te.py"'),
        ("back\\slash.py", '"a/back\\\\slash.py"'),
        ("né.py", '"a/n\\303\\251.py"'),
        ("\udcff.py", '"a/\\377.py"'),
    ],
)
def test_unusual_names_are_quoted_as_git_does(tmp_path: Path, path: str, written: str) -> None:
    root = make_repo(tmp_path / "work", {path: b"1\n"})
    (root / path).write_bytes(b"2\n")

    patch = encode_patch(path, b"1\n", b"2\n")

    assert f"--- {written}\n".encode() in patch
    assert patch == git(root, "diff", "--full-index", "--no-color")


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize(
    "change", [lambda data: b"first\n" + data, lambda data: data + b"last", lambda data: data[2:]]
)
def test_awkward_contents_apply_in_a_real_repository(
    tmp_path: Path, name: str, change: object
) -> None:
    assert callable(change)
    before, after = AWKWARD[name], change(AWKWARD[name])
    root = make_repo(tmp_path / "work", {"f.py": before})
    patch = encode_patch("f.py", before, after)
    if before == after:
        return

    git(root, "apply", "--check", "-", stdin=patch)
    git(root, "apply", "-", stdin=patch)

    assert (root / "f.py").read_bytes() == after


@settings(max_examples=25, deadline=None)
@given(contents(), contents())
def test_any_edit_comes_out_of_quarantine_as_our_own_splice(before: bytes, after: bytes) -> None:
    base = Text.from_bytes(before)
    hunks = diff(base, Text.from_bytes(after))
    patch = encode_patch("dir/f.py", before, after)
    if before == after:
        return

    assert apply_in_quarantine(patch, {"dir/f.py": before}) == {
        "dir/f.py": apply_hunks(base, hunks).to_bytes()
    }


@settings(max_examples=25, deadline=None)
@given(contents(), contents())
def test_any_subset_of_hunks_is_a_patch_git_agrees_with(before: bytes, after: bytes) -> None:
    base = Text.from_bytes(before)
    chosen = diff(base, Text.from_bytes(after))[::2]
    result = apply_hunks(base, chosen).to_bytes()
    if before == result:
        return

    assert apply_in_quarantine(encode_patch("f.py", before, result), {"f.py": before}) == {
        "f.py": result
    }


def test_binary_content_is_refused_by_name() -> None:
    with pytest.raises(FileError, match=r"data\.py is binary"):
        encode_patch("data.py", b"a\n", b"a\0b\n")


@settings(max_examples=25, deadline=None)
@given(contents(), contents())
def test_a_summary_counts_the_lines_of_all_hunks(before: bytes, after: bytes) -> None:
    hunks = diff(Text.from_bytes(before), Text.from_bytes(after))
    counts = sum(len(hunk.new) for hunk in hunks), sum(len(hunk.old) for hunk in hunks)
    assert summarize("a b.py", encode_patch("a b.py", before, after)) == FileSummary(
        "a b.py", *counts
    )


def test_a_patch_too_large_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    patch = encode_patch("a.py", b"1\n", b"2\n")
    monkeypatch.setattr("spark_tui.vcs.patch.MAX_BYTES", len(patch) - 1)
    with pytest.raises(SparkError, match="larger than 0 MiB"):
        apply_in_quarantine(patch, {"a.py": b"1\n"})


@pytest.mark.parametrize(
    ("mode", "content"), [("160000", b"Subproject commit " + b"1" * 40), ("120000", b"/etc/passwd")]
)
def test_a_patch_that_makes_no_file_is_refused(mode: str, content: bytes) -> None:
    patch = encode_patch("a", None, content + b"\n").replace(
        b"mode 100644", b"mode " + mode.encode()
    )
    with pytest.raises(Conflict, match="a link or a submodule"):
        apply_in_quarantine(patch, {})


ALL_MUTATED, SOME_MUTATED = 20_000, 50
FILES = {"a b.py": b"1\n2\n3\n", "q.py": b"x\r\ny", "x": b"a\n"}
WHOLE = (
    encode_patch("a b.py", FILES["a b.py"], b"1\ntwo\n3\n"),
    encode_patch("né.py", None, b"x\r\ny"),
    encode_patch("q.py", FILES["q.py"], None),
    encode_patch("x", FILES["x"], b"b\n", mode=0o755),
    (
        b"diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ "
        b"b/y\n@@ -1 +1 @@\n-a\n+b\n"
    ),
    b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    b"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n -c\n++d\n",
    (
        b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 "
        b"@@\n+/etc/passwd\n"
    ),
    (
        b"diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 "
        b"@@\n+Subproject commit 1\n"
    ),
    (
        b"diff --git a/b b/b\nnew file mode 100644\nGIT binary patch\nliteral "
        b"3\nKcmZQ#0ssI\n\nliteral 0\nHcmV?d00001\n\n"
    ),
)
PARTS = (
    b"@@ -1 +1 @@\n",
    b"@@ -99999999,99999999 +1,9 @@\n",
    b"--- a/x\n",
    b"+++ b/x\n",
    b"--- a/../x\n",
    b"+++ b/.git/config\n",
    b"\\ No newline at end of file\n",
    b"diff --git a/x b/x\n",
    b"rename from a\n",
    b"Binary files a/x and b/x differ\n",
    b"9" * 5000,
    b"-1",
    b"+",
    b"-",
    b" ",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b'"',
    b"\t",
    b"\\777",
)


def mutated(random: Random) -> bytes:
    """Whole patches put together, then cut, repeated and overwritten."""
    patch = bytearray(b"".join(random.choices(WHOLE, k=random.randint(1, 3))))
    for _ in range(random.randint(1, 5)):
        at, length = random.randrange(len(patch) + 1), random.randrange(40)
        match random.randrange(4):
            case 0:
                patch[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                patch[at:at] = random.choice(PARTS)
            case 2:
                del patch[at : at + length]
            case _:
                patch[at:at] = patch[length : 3 * length]
    return bytes(patch)


def only_our_errors(random: Random, count: int) -> None:
    for _ in range(count):
        patch = mutated(random)
        with suppress(SparkError):
            for path in apply_in_quarantine(patch, FILES):
                check_path(path)


def test_a_mutated_patch_is_read_or_an_error_of_ours() -> None:
    only_our_errors(Random(1), SOME_MUTATED)


@pytest.mark.exhaustive
def test_the_same_of_twenty_thousand_mutated_patches() -> None:
    only_our_errors(Random(2), ALL_MUTATED)
