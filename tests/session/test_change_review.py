"""The work tree, or a patch, under review: whatever is decided, the bytes are those that git would
make, and an undo brings all of them back.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from spark_tui.session.change_review import ChangeReview, Patch, ReviewSource, WorkTree
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
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
