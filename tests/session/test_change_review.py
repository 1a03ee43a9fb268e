"""The work tree, or a patch, under review: whatever is decided, the bytes are those that git would
make, and an undo brings all of them back.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from spark_tui.errors import Conflict
from spark_tui.session.change_review import ChangeReview, Patch, ReviewSource, WorkTree
from spark_tui.session.file_review import ReviewedFile
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.fakes import scripted_session
from tests.session.partial_patches import apply_with_git, every_other, files_of
from tests.vcs.repos import AWKWARD, git, make_repo, write_files

Files = dict[str, bytes]
NAMES = ("a.py", "x b/ y.py", 'q"uote.py', "line\nfeed.py", "caf\udce9.py", "ümlaut.py", "d/e.py")
ALLOWED = [*NAMES, *(f"moved/{name}" for name in NAMES)]
_PHASES = (Phase.explicit, Phase.generate)
"""No smaller example is looked for, since each one starts git many times."""
LINES = b"".join(b"line %d\n" % number for number in range(24))


def opened(folder: Path, source: ReviewSource) -> ChangeReview:
    """A review in a work tree, with its journal beside it."""
    repo = Repository.discover(folder)
    return ChangeReview.open(repo, journal(folder), source)


def journal(folder: Path) -> Batches:
    return Batches(Repository.discover(folder), folder.parent / "state")


def replace_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Give a work tree exactly these files."""
    for name in files_of(folder):
        (folder / name).unlink()
    write_files(folder, files)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Files, Files]:
    """The files of a commit, and those that a work tree has after edits."""
    texts = st.sampled_from([*AWKWARD.values(), LINES, LINES.replace(b"\n", b"\r\n")])
    before: Files = draw(st.dictionaries(st.sampled_from(NAMES), texts, min_size=1, max_size=4))
    after: Files = {}
    for name, data in before.items():
        match draw(st.sampled_from(["keep", "edit", "edit", "edit", "delete", "rename"])):
            case "keep":
                after[name] = data
            case "edit":
                after[name] = _edited(draw, data)
            case "rename":
                after[f"moved/{name}"] = _edited(draw, data, most=1)
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)):
        after.setdefault(name, draw(texts))
    return before, after


def _edited(draw: st.DrawFn, data: bytes, most: int = 4) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(draw(st.integers(0, most))):
        place = draw(st.integers(0, len(lines)))
        count = draw(st.integers(0, 2))
        lines[place : place + count] = draw(
            st.lists(st.sampled_from([b"new\n", b"other\r\n", b"line 3\n", b"\n"]), max_size=2)
        )
    edited = b"".join(lines)
    if draw(st.booleans()):
        return edited.removesuffix(b"\n")
    return edited


@settings(max_examples=12, phases=_PHASES)
@given(histories())
def test_taking_hunks_back_gives_the_bytes_of_gits_own_partial_patch(
    history: tuple[Files, Files],
) -> None:
    before, after = history
    with TemporaryDirectory() as name:
        folder = make_repo(Path(name) / "repo", before)
        replace_files(folder, after)
        review = opened(folder, WorkTree())
        hunks = {hunk_id for change in review.files for hunk_id, _ in change.hunks()}
        taken = every_other(review)
        other = make_repo(Path(name) / "other", before)
        apply_with_git(other, review, hunks - set(taken))

        assert review.accept() is None
        assert files_of(folder) == after
        entry = opened(folder, WorkTree()).reject(taken, allow=ALLOWED) if taken else None
        assert files_of(folder) == files_of(other)
        if entry is not None:
            journal(folder).undo(entry.id)
        assert files_of(folder) == after
        entry = opened(folder, WorkTree()).reject(allow=ALLOWED)
        assert files_of(folder) == before
        if entry is not None:
            journal(folder).undo(entry.id)
        assert files_of(folder) == after


@settings(max_examples=12, phases=_PHASES)
@given(histories())
def test_accepting_hunks_of_a_patch_gives_the_bytes_of_gits_own_partial_patch(
    history: tuple[Files, Files],
) -> None:
    before, after = history
    with TemporaryDirectory() as name:
        folder = make_repo(Path(name) / "repo", before)
        replace_files(folder, after)
        git(folder, "-c", "core.autocrlf=false", "add", "--all")
        patch = git(folder, "diff", "-M", "--binary", "HEAD")
        git(folder, "reset", "--quiet", "--hard")
        replace_files(folder, before)
        review = opened(folder, Patch("p", patch))
        taken = every_other(review)
        other = make_repo(Path(name) / "other", before)
        apply_with_git(other, review, taken)

        assert review.reject() is None
        assert files_of(folder) == before
        entry = opened(folder, Patch("p", patch)).accept(taken, allow=ALLOWED) if taken else None
        assert files_of(folder) == files_of(other)
        if entry is not None:
            journal(folder).undo(entry.id)
        assert files_of(folder) == before
        opened(folder, Patch("p", patch)).accept(allow=ALLOWED)
        assert files_of(folder) == after
        shutil.rmtree(folder)


EDITED = LINES.replace(b"line 3\n", b"three\n").replace(b"line 12\nline 13\n", b"12\n13\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A work tree whose only file has two hunks."""
    root = make_repo(tmp_path / "repo", {"a.py": LINES})
    (root / "a.py").write_bytes(EDITED)
    return root


def hunks_of(review: ChangeReview) -> list[str]:
    return [hunk_id for change in review.files for hunk_id, _ in change.hunks()]


def reviewed_file(review: ChangeReview) -> ReviewedFile:
    """The file of a review of one."""
    (change,) = review.files
    assert change.file is not None
    return change.file


def test_ids_stay_the_same_while_other_hunks_are_decided(folder: Path) -> None:
    (folder / "b.py").write_bytes(EDITED)
    (folder / "c.py").write_bytes(EDITED)
    before = hunks_of(opened(folder, WorkTree()))
    assert len(set(before)) == 4, "equal hunks of different files have different ids"
    opened(folder, WorkTree()).reject([before[0], before[2]])
    assert hunks_of(opened(folder, WorkTree())) == [before[1], before[3]]


def test_a_part_of_a_cut_hunk_is_taken_back_alone(folder: Path) -> None:
    review = opened(folder, WorkTree())
    file = reviewed_file(review)
    assert file.split(file.hunks[1].id) == 2
    part = hunks_of(review)[1]
    assert "." in part
    review.reject([part])
    assert (folder / "a.py").read_bytes() == EDITED.replace(b"12\n13\n", b"line 12\n13\n")
    assert len(hunks_of(review)) == 2


def test_a_line_that_is_out_stays_open_when_the_rest_is_left(folder: Path) -> None:
    review = opened(folder, WorkTree())
    file = reviewed_file(review)
    first = hunks_of(review)[0]
    file.split(file.hunks[1].id)
    file.toggle(file.parts[2].hunk.id, 0)
    file.toggle(file.parts[2].hunk.id, 1)
    assert review.accept([first]) is None
    review.accept([hunks_of(review)[0]])
    (left,) = hunks_of(review)
    review.reject([left])
    assert (folder / "a.py").read_bytes() == EDITED.replace(b"\n13\n", b"\nline 13\n")


def test_an_edited_hunk_reaches_the_file_and_an_undo_brings_it_back(folder: Path) -> None:
    review = opened(folder, WorkTree())
    file = reviewed_file(review)
    file.edit(file.hunks[0].id, ["drei", "3"])
    entry = review.write()
    assert entry is not None
    assert (folder / "a.py").read_bytes() == EDITED.replace(b"three\n", b"drei\n3\n")
    assert review.write() is None
    review.follow(journal(folder).undo(entry.id))
    assert (folder / "a.py").read_bytes() == EDITED
    assert [hunk.new for hunk in file.hunks] == [("three\n",), ("12\n", "13\n")]


@pytest.mark.parametrize("accept", [True, False])
def test_undo_opens_what_was_decided_again_and_redo_decides_it(
    folder: Path, *, accept: bool
) -> None:
    source: ReviewSource = WorkTree()
    if accept:
        source = Patch("p", git(folder, "diff"))
        git(folder, "checkout", "--quiet", "a.py")
    began = (folder / "a.py").read_bytes()
    review = opened(folder, source)
    first, second = hunks_of(review)
    decide = review.accept if accept else review.reject
    entry = decide([first])
    assert entry is not None
    decided = (folder / "a.py").read_bytes()
    assert hunks_of(review) == [second]

    review.follow(journal(folder).undo(entry.id))
    assert ((folder / "a.py").read_bytes(), hunks_of(review)) == (began, [first, second])
    review.follow(journal(folder).redo(entry.id))
    assert ((folder / "a.py").read_bytes(), hunks_of(review)) == (decided, [second])
    decide([second])
    assert hunks_of(review) == []
    assert review.files[0].decided


def test_a_file_that_was_edited_after_its_review_was_opened_is_a_conflict(folder: Path) -> None:
    review = opened(folder, WorkTree())
    (folder / "a.py").write_bytes(EDITED + b"more\n")
    with pytest.raises(Conflict):
        review.reject()
    assert (folder / "a.py").read_bytes() == EDITED + b"more\n"
    assert len(hunks_of(review)) == 2, "nothing counts as decided"


def test_a_rename_is_taken_back_with_its_file_and_its_hunks_without(folder: Path) -> None:
    (folder / "a.py").rename(folder / "b.py")
    (folder / "b.py").chmod(0o755)
    review = opened(folder, WorkTree())
    review.reject(hunks_of(review))
    assert files_of(folder) == {"b.py": LINES}
    entry = review.reject([review.files[0].id])
    assert entry is not None
    assert files_of(folder) == {"a.py": LINES}
    review.follow(journal(folder).undo(entry.id))
    assert (review.files[0].place, files_of(folder)) == ("b.py", {"b.py": LINES})
    assert (folder / "b.py").stat().st_mode & 0o100


def test_an_executable_file_comes_back_executable(folder: Path) -> None:
    (folder / "a.py").chmod(0o755)
    git(folder, "commit", "--quiet", "-am", "two")
    (folder / "a.py").unlink()
    opened(folder, WorkTree()).reject()
    assert (folder / "a.py").stat().st_mode & 0o111 == 0o111


def test_empty_files_are_added_and_deleted_as_a_whole(folder: Path) -> None:
    make_repo(folder / "x", {})
    root = make_repo(folder.parent / "empties", {"old.py": b""})
    (root / "old.py").unlink()
    (root / "new.py").write_bytes(b"")
    review = opened(root, WorkTree())
    assert hunks_of(review) == []
    assert review.files[0].file is not None
    review.reject([review.files[0].id])
    assert not (root / "new.py").exists()


def test_a_session_reviews_with_its_own_journal(tmp_path: Path) -> None:
    session = scripted_session(tmp_path, {"a.py": LINES}, {})
    (session.repo.root / "a.py").write_bytes(EDITED)
    review = session.review(WorkTree())
    entry = review.reject()
    assert entry is not None
    assert (session.repo.root / "a.py").read_bytes() == LINES
    review.follow(session.undo())
    assert (session.repo.root / "a.py").read_bytes() == EDITED
    assert len(hunks_of(review)) == 2


def test_what_was_left_stays_when_all_else_is_taken_back(folder: Path) -> None:
    (folder / "a.py").rename(folder / "b.py")
    review = opened(folder, WorkTree())
    review.accept([hunks_of(review)[0]])
    review.reject()
    assert files_of(folder) == {"b.py": LINES.replace(b"line 3\n", b"three\n")}
    assert hunks_of(review) == []


def test_a_file_that_was_taken_back_is_not_made_anew_by_a_later_write(folder: Path) -> None:
    (folder / "new.py").write_bytes(b"x\n")
    review = opened(folder, WorkTree())
    review.reject([review.files[1].id])
    assert review.write() is None
    assert files_of(folder) == {"a.py": EDITED}


def test_a_mere_rename_is_open_again_after_an_undo(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "repo", {"a.py": LINES})
    (root / "a.py").rename(root / "b.py")
    review = opened(root, WorkTree())
    entry = review.reject()
    assert entry is not None
    assert [change.decided for change in review.files] == [True]
    review.follow(journal(root).undo(entry.id))
    assert [change.decided for change in review.files] == [False]
    review.reject()
    assert files_of(root) == {"a.py": LINES}
