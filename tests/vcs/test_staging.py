"""Accepted changes go into the index's own version of a file, and nothing else moves."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.errors import Conflict, FileError, RepoError, Transient
from spark_tui.vcs import index
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.disk import Disk
from spark_tui.vcs.index import GitIndex
from spark_tui.vcs.index_steps import StagedSteps
from spark_tui.vcs.journal import frame
from spark_tui.vcs.policy import Trust
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.staging import Stager
from tests.vcs.repos import git, make_repo, tree, write_files

LINES = b"".join(b"line %d\n" % number for number in range(12))
CHANGED = LINES.replace(b"line 3\n", b"line three\n")


@dataclass
class Trusts(Trust):
    """A user who trusts a repository, or not."""

    reason: str = ""
    asked: list[str] = field(default_factory=list)

    def require(self, what: str) -> None:
        self.asked.append(what)
        if self.reason:
            raise RepoError(self.reason)


@pytest.fixture
def stager(repo: Repository, state_dir: Path) -> Stager:
    return Stager(repo, Trusts(), state_dir)


def staged(root: Path) -> dict[str, tuple[str, bytes]]:
    """Every entry of the index: its mode and its content."""
    lines = git(root, "ls-files", "--stage", "-z").split(b"\0")[:-1]
    entries = [line.partition(b"\t") for line in lines]
    return {
        os.fsdecode(path): (
            facts.split()[0].decode(),
            git(root, "cat-file", "blob", facts.split()[1].decode()),
        )
        for facts, _, path in entries
    }


def put(root: Path, path: str, data: bytes) -> None:
    """Set the content of an index entry, and of no file."""
    blob = git(root, "hash-object", "-w", "--no-filters", "--stdin", stdin=data).decode().strip()
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")


def litter(root: Path) -> list[str]:
    return [path.name for path in (root / ".git").iterdir() if path.suffix in {".tmp", ".lock"}]


def test_an_accepted_change_is_staged_and_the_files_stay_as_they_are(
    root: Path, stager: Stager
) -> None:
    write_files(root, {"a.py": b"one\n2\nthree\n", "new.py": b"not yet\n"})
    before = tree(root)

    assert stager.stage([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n2\nthree\n")]) == ("a.py",)
    assert staged(root)["a.py"] == ("100644", b"one\n2\nthree\n")
    assert tree(root) == before
    assert git(root, "status", "--porcelain") == b"M  a.py\n?? new.py\n"
    assert litter(root) == []


def test_what_was_staged_stays_staged_and_what_was_not_stays_out(
    tmp_path: Path, state_dir: Path
) -> None:
    root = make_repo(tmp_path / "repo", {"a.py": LINES, "b.py": LINES})
    put(root, "a.py", b"staged by hand\n" + LINES)
    put(root, "b.py", CHANGED)
    here = b"staged by hand\n" + LINES + b"not staged\n"
    write_files(root, {"a.py": here.replace(b"line 7\n", b"seven\n")})
    stager = Stager(Repository.discover(root), Trusts(), state_dir)
    others = {path: entry for path, entry in staged(root).items() if path != "a.py"}

    change = FileChange("a.py", here, here.replace(b"line 7\n", b"seven\n"))
    stager.stage([change])
    assert staged(root).pop("a.py")[1] == b"staged by hand\n" + LINES.replace(
        b"line 7\n", b"seven\n"
    )
    assert others.items() <= staged(root).items()
    assert stager.stage([change]) == ()


def test_one_file_changed_several_times_is_staged_step_by_step_from_wherever_it_was(
    root: Path, stager: Stager
) -> None:
    steps = [
        b"one\ntwo\nthree\n",
        b"one\n2\nthree\n",
        b"one\n2\n2.5\nthree\n",
        b"one\n2.5\nthree\n",
    ]
    changes = [FileChange("a.py", one, two) for one, two in pairwise(steps)]

    stager.stage(changes[:1])
    stager.stage(changes[:2])
    assert staged(root)["a.py"][1] == steps[2]
    stager.stage(changes)
    assert staged(root)["a.py"][1] == steps[3]
    assert stager.stage(changes) == ()


def test_lines_that_git_has_otherwise_are_refused_and_the_index_stays(
    root: Path, stager: Stager
) -> None:
    put(root, "a.py", b"one\nmine\nthree\n")
    before = (root / ".git" / "index").read_bytes()
    changes = [
        FileChange("pkg/b.py", b"x = 1\r\ny = 2\r\n", b"x = 3\r\ny = 2\r\n"),
        FileChange("a.py", b"one\ntwo\nthree\n", b"one\n2\nthree\n"),
    ]

    with pytest.raises(Conflict, match=r"other lines of a\.py .* by hand"):
        stager.stage(changes)
    assert (root / ".git" / "index").read_bytes() == before
    assert litter(root) == []


def test_a_file_that_git_does_not_have_yet_is_added_as_it_was_accepted(
    root: Path, stager: Stager
) -> None:
    write_files(root, {"u.py": b"edited on since\n", ".gitattributes": b"*.py text\n"})
    changes = [FileChange("u.py", b"u\r\n", b"v\r\n"), FileChange("u.py", b"v\r\n", b"v\r\nw\r\n")]
    stager.stage(changes)
    assert staged(root)["u.py"] == ("100644", b"v\nw\n")


def test_a_file_that_git_ignores_is_not_added(root: Path, stager: Stager) -> None:
    write_files(root, {".gitignore": b"u.py\n", "u.py": b"v\n"})
    with pytest.raises(RepoError, match=r"git ignores u\.py"):
        stager.stage([FileChange("u.py", b"u\n", b"v\n")])
    assert "u.py" not in staged(root)


def test_what_is_ready_is_staged_only_by_the_last_step_and_git_waits_for_it(
    root: Path, stager: Stager
) -> None:
    before = (root / ".git" / "index").read_bytes()
    with stager.ready([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n2\nthree\n")]):
        assert litter(root).count("index.lock") == 1
    assert ((root / ".git" / "index").read_bytes(), litter(root)) == (before, [])
    with stager.ready([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n2\nthree\n")]) as put:
        assert put([]) == ("a.py",)
    assert (staged(root)["a.py"][1], litter(root)) == (b"one\n2\nthree\n", [])


def test_new_files_deleted_ones_and_modes(root: Path, stager: Stager) -> None:
    git(root, "update-index", "--chmod=+x", "a.py")
    write_files(root, {"tool": b"#!/bin/sh\n"})
    (root / "tool").chmod(0o755)
    stager.stage(
        [
            FileChange("a.py", b"one\ntwo\nthree\n", b"one\n"),
            FileChange("pkg/b.py", b"x = 1\r\ny = 2\r\n", None),
            FileChange("pkg/new, with\ttab é.py", None, b"new\n", 0o600),
            FileChange("tool", None, b"#!/bin/sh\n"),
        ]
    )
    assert staged(root) == {
        "a.py": ("100755", b"one\n"),
        "pkg/new, with\ttab é.py": ("100644", b"new\n"),
        "tool": ("100755", b"#!/bin/sh\n"),
    }


def test_a_file_that_was_made_and_deleted_again_leaves_no_entry(root: Path, stager: Stager) -> None:
    assert stager.stage([FileChange("n.py", None, b"n\n"), FileChange("n.py", b"n\n", None)]) == ()
    assert "n.py" not in staged(root)


def test_a_file_git_was_told_of_only_by_name_is_staged_whole(root: Path, stager: Stager) -> None:
    write_files(root, {"n.py": b"n\n"})
    git(root, "add", "--intent-to-add", "n.py")
    stager.stage([FileChange("n.py", None, b"n\n")])
    assert git(root, "status", "--porcelain") == b"A  n.py\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (FileChange("a.py", None, b"new\n"), "another a.py"),
        (FileChange("a.py", b"four\n", None), "other lines in a.py"),
    ],
)
def test_what_git_has_otherwise_or_not_at_all_is_refused(
    stager: Stager, change: FileChange, words: str
) -> None:
    with pytest.raises(Conflict, match=words):
        stager.stage([change])


CRLF = LINES.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    ("attributes", "config"),
    [
        (b"* text=auto eol=crlf\n", ""),
        (b"*.py text\n", "core.eol=crlf"),
        (b"", "core.autocrlf=true"),
    ],
)
def test_a_file_with_crlf_goes_into_an_index_with_lf(
    tmp_path: Path, state_dir: Path, attributes: bytes, config: str
) -> None:
    root = make_repo(tmp_path / "repo", {".gitattributes": attributes, "a.py": LINES})
    if config:
        git(root, "config", *config.split("="))
    here = CRLF + b"mine\r\n"
    write_files(
        root,
        {"a.py": here.replace(b"line 3\r\n", b"line three\r\nand more\r\n"), "n.py": b"a\r\nb\r\n"},
    )
    git(root, "config", "core.safecrlf", "false")

    stager = Stager(Repository.discover(root), Trusts(), state_dir)
    stager.stage(
        [
            FileChange("a.py", here, (root / "a.py").read_bytes()),
            FileChange("n.py", None, b"a\r\nb\r\n"),
        ]
    )
    assert staged(root)["a.py"][1] == LINES.replace(b"line 3\n", b"line three\nand more\n")
    assert staged(root)["n.py"][1] == b"a\nb\n"
    assert git(root, "status", "--porcelain", "--untracked-files=no") == b"MM a.py\nA  n.py\n"


def test_crlf_that_git_keeps_stays(tmp_path: Path, state_dir: Path) -> None:
    root = make_repo(tmp_path / "repo", {".gitattributes": b"* -text\n", "a.py": CRLF})
    git(root, "config", "core.autocrlf", "true")
    after = CRLF.replace(b"line 3\r\n", b"line three\r\n")
    Stager(Repository.discover(root), Trusts(), state_dir).stage(
        [FileChange("a.py", CRLF, after), FileChange("n.py", None, b"a\r\n")]
    )
    assert (staged(root)["a.py"][1], staged(root)["n.py"][1]) == (after, b"a\r\n")


@pytest.mark.parametrize("attributes", ["*.py filter=lfs", "a.py working-tree-encoding=latin-1"])
def test_a_file_that_git_stores_through_a_filter_is_left_to_the_user(
    root: Path, stager: Stager, attributes: str
) -> None:
    (root / ".gitattributes").write_text(attributes + "\n")
    with pytest.raises(RepoError, match=r"git stores a\.py through .* by hand"):
        stager.stage([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n")])


@pytest.mark.parametrize("mark", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_git_was_told_to_overlook_is_left_to_the_user(
    root: Path, stager: Stager, mark: str
) -> None:
    git(root, "update-index", mark, "a.py")
    before = git(root, "ls-files", "-v", "--stage")
    with pytest.raises(RepoError, match=r"a\.py .* by hand"):
        stager.stage([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n")])
    assert git(root, "ls-files", "-v", "--stage") == before


def test_nothing_is_staged_before_the_repository_is_trusted(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    trust = Trusts("this repository has hooks; `spark trust` lets it")
    before = (root / ".git" / "index").read_bytes()
    with pytest.raises(RepoError, match="spark trust"):
        Stager(repo, trust, state_dir).stage([FileChange("a.py", b"one\ntwo\nthree\n", b"one\n")])
    assert trust.asked == ["staging"]
    assert (root / ".git" / "index").read_bytes() == before


ONE = FileChange("a.py", b"one\ntwo\nthree\n", b"one\n")


def test_a_lock_that_goes_away_is_waited_for(root: Path, stager: Stager) -> None:
    lock = root / ".git" / "index.lock"
    lock.touch()
    timer = threading.Timer(0.1, lock.unlink)
    timer.start()
    assert stager.stage([ONE]) == ("a.py",)
    timer.join()


def test_a_lock_that_stays_is_told_with_its_holder_and_never_removed(
    root: Path, stager: Stager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PATIENCE_SECONDS", 0.0)
    lock = root / ".git" / "index.lock"
    with (
        lock.open("wb"),
        pytest.raises(Transient, match=rf"\(process {os.getpid()}\) is changing the index") as told,
    ):
        stager.stage([ONE])
    assert told.value.exit_code == 75
    with pytest.raises(Transient, match="remove that file"):
        stager.stage([ONE])
    assert litter(root) == ["index.lock"]


def test_nothing_staged_by_git_at_the_same_time_is_lost(root: Path, stager: Stager) -> None:
    names = [f"n{number}.py" for number in range(25)]
    write_files(root, dict.fromkeys(names, b"n\n"))
    adding = threading.Thread(target=add_patiently, args=(root, names))
    adding.start()
    step, number = b"one\ntwo\nthree\n", 0
    while adding.is_alive() or number < 5:
        number += 1
        after = b"one\ntwo\nthree %d\n" % number
        stager.stage([FileChange("a.py", step, after)])
        step = after
    adding.join()
    now = staged(root)
    assert now["a.py"][1] == step
    assert now.keys() >= set(names)


def add_patiently(root: Path, names: list[str]) -> None:
    """`git add`, one after the other, again whenever the index is locked."""
    while names:
        with suppress(CalledProcessError):
            git(root, "add", names[-1])
            names = names[:-1]


def test_a_read_only_git_directory_is_one_line(
    root: Path, repo: Repository, state_dir: Path
) -> None:
    def refuse(call: str) -> None:
        if call == "create":
            raise PermissionError(13, "Permission denied")

    with pytest.raises(FileError, match="cannot write to the git directory: Permission denied"):
        Stager(repo, Trusts(), state_dir, disk=Disk(refuse)).stage([ONE])


def test_git_still_notices_a_file_saved_in_the_moment_before_staging(
    root: Path, stager: Stager
) -> None:
    """Git trusts no time of a file that is as young as its index; staging must not make the
    index look younger.
    """
    git(root, "config", "core.trustctime", "false")
    moment = (1_700_000_000, 1_700_000_000)
    os.utime(root / "pkg" / "b.py", moment)
    git(root, "update-index", "--refresh")
    write_files(root, {"pkg/b.py": b"x = 8\r\ny = 2\r\n"})
    os.utime(root / "pkg" / "b.py", moment)
    os.utime(root / ".git" / "index", moment)

    stager.stage([ONE])
    assert git(root, "diff", "--name-only") == b"a.py\npkg/b.py\n"


@st.composite
def histories(draw: st.DrawFn) -> tuple[bytes, ...]:
    """A file of three hands: as committed, as staged, before and after the accept; as staged,
    as committed then.
    """
    ending, stored = draw(
        st.sampled_from([(b"\n", b"\n"), (b"\r\n", b"\n"), (b"\r\n", b"\r\n"), (b"\n", b"\r\n")])
    )
    last = draw(st.sampled_from([b"", b"end"]))
    base = [b"line %d" % number for number in range(draw(st.integers(0, 30)))]
    edits = [
        (
            at,
            draw(st.sampled_from("---sau")),
            draw(st.sampled_from([(), (b"x",), (b"x", b"", b"y")])),
        )
        for at in base
    ]

    def with_edits_of(hands: str, ending: bytes) -> bytes:
        lines: list[bytes] = []
        for line, hand, new in edits:
            # A line of nobody's between two edits keeps them apart.
            lines += [b"keep " + line, *(new if hand in hands else [line])]
        return b"".join(line + ending for line in lines) + last

    return (
        with_edits_of("", stored),
        with_edits_of("s", stored),
        with_edits_of("su", ending),
        with_edits_of("sua", ending),
        with_edits_of("sa", stored),
        with_edits_of("a", stored),
    )


@given(st.lists(histories(), min_size=1, max_size=3))
@settings(max_examples=6)
def test_of_three_hands_edits_exactly_the_accepted_ones_are_staged(
    files: list[tuple[bytes, ...]],
) -> None:
    check_hands(files)


@pytest.mark.exhaustive
@given(st.lists(histories(), min_size=1, max_size=6))
@settings(max_examples=500)
def test_of_three_hands_edits_exactly_the_accepted_ones_are_staged_in_very_many_histories(
    files: list[tuple[bytes, ...]],
) -> None:
    check_hands(files)


@contextmanager
def of_three_hands(
    files: list[tuple[bytes, ...]],
) -> Iterator[tuple[Path, dict[str, tuple[bytes, ...]]]]:
    """A repository of files that are committed, staged and edited, and one that is staged only;
    and these by name.
    """
    with TemporaryDirectory() as name:
        named = {f"pkg/{number}.py": each for number, each in enumerate(files)}
        committed = {path: each[0] for path, each in named.items()} | {"other.py": LINES}
        root = make_repo(Path(name).resolve() / "repo", committed)
        for path, each in named.items():
            put(root, path, each[1])
        put(root, "other.py", CHANGED)
        write_files(root, {path: each[3] for path, each in named.items()})
        yield root, named


def check_hands(files: list[tuple[bytes, ...]]) -> None:
    """Stage the accepted edits of files, and look at index, files and objects."""
    with of_three_hands(files) as (root, named):
        before, flags = tree(root), git(root, "ls-files", "-v", "other.py", "--stage")

        changes = [FileChange(path, each[2], each[3]) for path, each in named.items()]
        Stager(Repository.discover(root), Trusts(), root.parent / "state").stage(changes)
        now = staged(root)
        assert {path: now[path][1] for path in named} == {
            path: each[4] for path, each in named.items()
        }
        assert (tree(root), git(root, "ls-files", "-v", "other.py", "--stage")) == (before, flags)
        assert b"error" not in git(root, "fsck", "--strict", "--no-dangling")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"batch": 1, "path": "a.py", "before": None, "after": None},
        {"batch": "0badcafe", "path": "../a.py", "before": None, "after": None},
        {"batch": "0badcafe", "path": "a.py", "before": {}, "after": None},
        {"batch": "0badcafe", "path": "a.py", "before": "text", "after": {"mode": 1, "blob": None}},
    ],
)
def test_records_of_staged_steps_that_spark_did_not_write_are_left_out(
    repo: Repository, body: dict[str, object]
) -> None:
    (repo.git_dir / "spark-staged").write_bytes(frame(body))
    assert StagedSteps(repo, GitIndex(repo, Disk())).last("0badcafe") == {}
