from pathlib import Path

import pytest

from spark_tui.errors import Conflict, SparkError
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.patch import apply_in_quarantine, encode_patch
from tests.vcs.repos import AWKWARD, tree

HOSTILE = b"* text eol=crlf filter=x ident working-tree-encoding=UTF-16 whitespace=fix,cr-at-eol\n"


def test_several_files_are_changed_made_and_deleted_at_once() -> None:
    patch = (
        encode_patch("a.py", b"1\n", b"2\n")
        + encode_patch("b/c.py", None, b"new")
        + encode_patch("d.py", b"x\n", None)
    )

    assert apply_in_quarantine(patch, {"a.py": b"1\n", "d.py": b"x\n"}) == {
        "a.py": b"2\n",
        "b/c.py": b"new",
    }


@pytest.mark.parametrize("name", AWKWARD)
def test_attributes_change_no_byte(name: str) -> None:
    before = AWKWARD[name]
    patch = encode_patch("f.py", before, before + b"$Id$\r\n")
    files = {".gitattributes": HOSTILE, "f.py": before}

    assert apply_in_quarantine(patch, files) == {**files, "f.py": before + b"$Id$\r\n"}


def test_a_patch_made_for_other_bytes_is_a_conflict() -> None:
    patch = encode_patch("a.py", b"1\n2\n3\n", b"1\ntwo\n3\n")

    with pytest.raises(Conflict, match="git refuses the patch"):
        apply_in_quarantine(patch, {"a.py": b"1\nzwei\n3\n"})


def test_nothing_is_written_when_git_makes_something_else_of_the_patch(
    root: Path, batches: Batches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patch that lands one line too low is the fault this guards against."""
    before = b"x\nx\nx\nx\nx\nx\nx\nx\nx\n"
    (root / "a.py").write_bytes(before)
    good = before[:2] + b"new\n" + before[2:]
    shifted = encode_patch("a.py", before, before[:4] + b"new\n" + before[4:])
    monkeypatch.setattr("spark_tui.vcs.atomic_write.encode_patch", lambda *_args, **_more: shifted)

    with pytest.raises(SparkError, match="git and spark disagree about this patch"):
        batches.accept([FileChange("a.py", before, good)], "shift")

    assert tree(root)["a.py"] == before
    assert batches.log() == ()
