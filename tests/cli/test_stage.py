"""`spark exec --apply --stage`: the edit, and nothing else, goes into the index, too."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark_tui.errors import FileError, RepoError
from spark_tui.session.staging import Staging
from spark_tui.vcs import index
from spark_tui.vcs.atomic_write import FileChange
from spark_tui.vcs.index import GitIndex
from spark_tui.vcs.journal import JournalEntry
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.cli.test_exec import AREA, FIXED, SCRIPTS
from tests.fakes import edit_script, git
from tests.vcs.benches import Crash
from tests.vcs.repos import hook

HEAD = "# mine, not staged\n"


@pytest.fixture
def folder(repo: MakeRepo, use_scripts: UseScripts) -> Path:
    """A repository with one function, and a file that was edited and staged by hand."""
    use_scripts(SCRIPTS)
    root = repo({"a.py": AREA, "lib/b.py": "x = 1\n"})
    (root / "lib" / "b.py").write_text("x = 2\n")
    git(root, "add", "lib/b.py")
    return root


def test_the_edit_alone_is_staged(spark: Spark, folder: Path) -> None:
    (folder / "a.py").write_text(HEAD + AREA)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    assert done.code == 0
    assert "applied and staged, `spark undo` takes it back" in done.err
    assert (folder / "a.py").read_text() == HEAD + FIXED
    assert git(folder, "show", ":a.py").decode() == FIXED
    assert git(folder, "status", "--porcelain") == b"MM a.py\nM  lib/b.py\n"


def test_what_else_is_staged_and_goes_with_it_is_said(spark: Spark, folder: Path) -> None:
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    assert done.err.endswith("; already staged, and in the next `git commit`, too: lib/b.py\n")
    git(folder, "commit", "-q", "-m", "all of it")
    spark("undo", "-C", folder)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "-C", folder)
    assert "git commit" not in done.err


@pytest.mark.parametrize("name", ["a b/b.py", "diff --git a/x b/x.py", "diff --git a/a.py b/a.py"])
def test_a_name_like_a_patch_is_staged_and_taken_back(
    spark: Spark,
    folder: Path,
    name: str,
) -> None:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(AREA)
    git(folder, "add", "--", name)
    git(folder, "commit", "-qm", "more", "--", name)
    edit = ["exec", "multiply", "--file", name, "--apply", "--stage"]
    done = spark(*edit, "--format", "json", "-C", folder)
    assert done.code == 0, done.err
    assert json.loads(done.out)["files"][0]["path"] == name
    assert git(folder, "show", f":{name}").decode() == FIXED
    assert spark("log", "-C", folder).code == 0
    assert spark("undo", "-C", folder).code == 0
    assert (folder / name).read_text() == AREA
    assert git(folder, "status", "--porcelain") == b"M  lib/b.py\n"
    assert spark("redo", "-C", folder).code == 0
    assert (folder / name).read_text() == FIXED


@pytest.mark.parametrize("options", [[], ["-q"], ["--format", "json"]])
@pytest.mark.parametrize("defined", [False, True])
def test_what_a_commit_of_what_is_staged_would_break_is_said(
    spark: Spark, folder: Path, use_scripts: UseScripts, options: list[str], defined: bool
) -> None:
    use_scripts({"scale it": edit_script(AREA, AREA.replace("w + h", "w + h * SCALE"))})
    (folder / "a.py").write_text(AREA + "\n\nSCALE = 2\n")
    if defined:
        git(folder, "add", "a.py")
    done = spark(
        "exec", "scale it", "--at", "a.py::area", "--apply", "--stage", *options, "-C", folder
    )
    assert done.code == 0
    words = "a commit of what is staged now breaks a.py (names: undefined: SCALE (line 2)"
    assert (words in done.err) == (not defined)


@pytest.mark.parametrize(
    ("prepare", "info", "words"),
    [
        (["update-index", "--assume-unchanged", "a.py"], {}, "--assume-unchanged"),
        (["update-index", "--skip-worktree", "a.py"], {}, "--skip-worktree"),
        (
            ["status"],
            {"attributes": "*.py working-tree-encoding=UTF-16"},
            "working-tree-encoding=UTF-16",
        ),
        (["status"], {"attributes": "*.py filter=lfs"}, "`git add` it by hand"),
        (["rm", "-q", "--cached", "a.py"], {"exclude": "a.py"}, "git ignores a.py"),
    ],
)
def test_what_git_would_not_take_is_refused_before_anything_is_written(
    spark: Spark, folder: Path, prepare: list[str], info: dict[str, str], words: str
) -> None:
    git(folder, *prepare)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    for name, text in info.items():
        (folder / ".git" / "info" / name).write_text(f"{text}\n")
    command = [
        "exec",
        "multiply",
        "--at",
        "a.py::area",
        "--apply",
        "--stage",
        "--allow",
        "a.py",
        "-C",
        str(folder),
    ]
    before = (folder / ".git" / "index").read_bytes()
    done = spark(*command, "-q")
    done.refuses(1, words)
    assert "nothing was written" in done.err
    done = spark(*command, "--format", "json")
    body, error = json.loads(done.out), json.loads(done.err)
    assert (body["applied"], body["staged"], body["status"]) == (False, False, "error")
    assert (body["message"], error["exit_code"]) == (error["message"], 1)
    assert ((folder / "a.py").read_text(), (folder / ".git" / "index").read_bytes()) == (
        AREA,
        before,
    )
    assert spark("log", "-C", folder).out == ""


def test_lines_that_git_has_otherwise_are_a_conflict_before_anything_is_written(
    spark: Spark, folder: Path
) -> None:
    mine = AREA.replace("w + h", "w - h")
    (folder / "a.py").write_text(mine)
    git(folder, "add", "a.py")
    (folder / "a.py").write_text(AREA)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-q", "-C", folder)
    assert (done.code, "nothing was written" in done.err) == (4, True)
    assert ((folder / "a.py").read_text(), git(folder, "show", ":a.py").decode()) == (AREA, mine)


@pytest.mark.parametrize("options", [[], ["-q"], ["--format", "json"]])
def test_an_index_that_fails_after_the_file_was_written_is_told_once_with_the_way_back(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    def refuse(self: index.GitIndex, copy: Path) -> None:
        raise FileError(
            "cannot write to the git directory: No space left on device; nothing was staged"
        )

    monkeypatch.setattr(index.GitIndex, "publish", refuse)
    done = spark(
        "exec", "multiply", "--at", "a.py::area", "--apply", "--stage", *options, "-C", folder
    )
    told = done.err.splitlines()[-1]
    assert done.code == 1
    assert "applied (`spark undo` takes it back) but not staged: cannot write" in told
    assert "not staged" not in "".join(done.err.splitlines()[:-1])
    assert (folder / "a.py").read_text() == FIXED
    assert git(folder, "show", ":a.py").decode() == AREA
    if "json" in options:
        body, error = json.loads(done.out), json.loads(told)
        assert (body["applied"], body["staged"], body["status"]) == (True, False, "error")
        assert body["message"] == error["message"]


def test_taking_back_takes_it_out_of_the_index_too_and_doing_again_says_that_it_is_not_there(
    spark: Spark, folder: Path
) -> None:
    (folder / "a.py").write_text(HEAD + AREA)
    git(folder, "add", "a.py")
    before = git(folder, "ls-files", "--stage")
    assert (
        spark(
            "exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-q", "-C", folder
        ).code
        == 0
    )
    done = spark("undo", "-C", folder)
    assert (done.code, len(done.err.splitlines())) == (0, 1)
    assert git(folder, "ls-files", "--stage") == before
    done = spark("redo", "-C", folder)
    assert "was staged in a.py before" in done.err
    assert git(folder, "ls-files", "--stage") == before
    assert (folder / "a.py").read_text() == HEAD + FIXED


def test_an_edit_that_others_staged_is_left_in_the_index_and_told_of(
    spark: Spark, folder: Path
) -> None:
    assert spark("exec", "multiply", "--at", "a.py::area", "--apply", "-q", "-C", folder).code == 0
    git(folder, "add", "a.py")
    done = spark("undo", "-C", folder)
    assert "git's index still holds this edit of a.py; `git diff --staged` shows it" in done.err
    assert git(folder, "show", ":a.py").decode() == FIXED


@pytest.mark.parametrize("code", ["EIO", "EMFILE", "EINTR"])
def test_an_undo_that_cannot_bring_the_index_along_fails_and_the_next_command_does(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)

    def refuses(self: GitIndex, _copy: Path) -> None:
        raise RepoError(f"cannot run git: {os.strerror(getattr(errno, code))}")

    with monkeypatch.context() as patch:
        patch.setattr(GitIndex, "publish", refuses)
        done = spark("undo", "-C", folder)
    assert done.code == 1
    assert "the files are as you want them, but git's index may not be: " in done.err
    assert (folder / "a.py").read_text() == AREA
    assert git(folder, "show", ":a.py").decode() == FIXED

    done = spark("log", "-C", folder)
    assert done.code == 0
    assert "'undo multiply' was cut short once written: it is complete now" in done.err
    assert git(folder, "status", "--porcelain") == b"M  lib/b.py\n"


@pytest.mark.parametrize("staged_before", [False, True])
def test_what_a_killed_spark_did_not_stage_is_not_said_to_have_been_staged(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, *, staged_before: bool
) -> None:
    def die(*_: object) -> None:
        raise Crash

    if staged_before:
        (folder / "a.py").write_text((folder / "a.py").read_text() + "# staged\n")
        git(folder, "add", "a.py")
    index = git(folder, "ls-files", "--stage")
    edit = ["exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder]
    with monkeypatch.context() as patched:
        patched.setattr(GitIndex, "publish", die)
        with pytest.raises(Crash):
            spark(*edit)
    assert (folder / ".git" / "spark-staged").exists()

    undo = spark("undo", "-C", folder)
    redo = spark("redo", "-C", folder)
    assert (undo.code, redo.code, "staged" in undo.err + redo.err) == (0, 0, False)
    assert git(folder, "ls-files", "--stage") == index
    assert not (folder / ".git" / "spark-staged").exists()


@pytest.mark.parametrize("options", [["-q"], ["--format", "json"]])
def test_a_full_stdout_is_told_together_with_what_was_done(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        done = spark(
            "exec", "multiply", "--at", "a.py::area", "--apply", "--stage", *options, "-C", folder
        )
    assert done.code == 1
    batch = spark("log", "-C", folder).out.split()[1]
    words = (
        f"applied and staged, `spark undo` takes it back (batch {batch}); but cannot write: "
        f"No space left on device"
    )
    assert words in done.err
    assert (folder / "a.py").read_text() == FIXED


@pytest.mark.parametrize("command", ["exec", "undo", "redo", "log"])
def test_whatever_starts_removes_what_a_killed_spark_left_in_gits_folder_and_nothing_else(
    spark: Spark, folder: Path, command: str
) -> None:
    edit = ["exec", "multiply", "--at", "a.py::area", "--apply"]
    done = {"exec": [], "undo": [edit], "redo": [edit, ["undo"]], "log": []}[command]
    for each in done:
        assert spark(*each, "-C", folder).code == 0
    dead = subprocess.Popen(["/bin/true"])
    dead.wait()
    left = [f"spark-{dead.pid}-0123abcd.tmp", f"spark-{dead.pid}-7-0123abcd.tmp"]
    left += [f"spark-{dead.pid}-7-0123abcd.tmp.lock", f"spark-{os.getpid()}-7-0123abcd.tmp"]
    others = ["spark-1-0123abcd.tmp", "spark-x.tmp", "my.tmp", "config.lock"]
    for name in [*left, *others]:
        (folder / ".git" / name).touch()
    (folder / ".git" / "index.lock").write_text(f"spark {dead.pid}\n")
    assert spark(*(edit if command == "exec" else [command]), "-C", folder).code == 0
    there = {path.name for path in (folder / ".git").iterdir()}
    assert there.isdisjoint([*left, "index.lock"])
    assert there.issuperset(others)


OWN = os.getpid()


@pytest.mark.parametrize(
    "words",
    [f"spark {OWN} 7\n", f"spark {OWN}\n", "", "spark"],
    ids=["another time", "no time", "empty", "cut off"],
)
def test_a_lock_is_removed_only_where_the_spark_that_made_it_has_surely_ended(
    spark: Spark, folder: Path, words: str
) -> None:
    lock = folder / ".git" / "index.lock"
    lock.write_text(words)
    spark("log", "-C", folder)
    assert lock.exists() is not words.endswith(" 7\n")


def test_an_untrusted_repository_is_told_before_anything_is_done(
    spark: Spark, folder: Path
) -> None:
    hook(folder)
    done = spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    assert (done.code, done.out) == (1, "")
    assert "spark trust" in done.err
    assert (folder / "a.py").read_text() == AREA


def _killed(spark: Spark, folder: Path, *, staged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply and stage in a process that is gone right before, or behind, the last step."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        return
    ready = Staging.ready

    @contextmanager
    def ends(self: Staging, change: FileChange) -> Iterator[Callable[[JournalEntry], object]]:
        with ready(self, change) as put:

            def last_step(entry: JournalEntry) -> None:
                if staged:
                    put(entry)
                os._exit(9)

            yield last_step

    monkeypatch.setattr(Staging, "ready", ends)
    spark("exec", "multiply", "--at", "a.py::area", "--apply", "--stage", "-C", folder)
    os._exit(1)


@pytest.mark.parametrize("command", ["log", "undo"])
def test_an_edit_that_a_killed_spark_did_not_stage_is_told_once(
    spark: Spark, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _killed(spark, folder, staged=False, monkeypatch=monkeypatch)
    assert (folder / "a.py").read_text() == FIXED
    told = "“multiply” was applied, but spark was ended before it was staged; `git add` stages a.py"
    assert told in spark(command, "-C", folder).err
    assert "before it was staged" not in spark("log", "-C", folder).err


def test_of_an_edit_that_a_killed_spark_has_staged_nothing_is_told(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _killed(spark, folder, staged=True, monkeypatch=monkeypatch)
    assert git(folder, "show", ":a.py").decode() == FIXED
    assert "staged" not in spark("log", "-C", folder).err


def test_an_edit_that_was_not_to_be_staged_is_no_news(spark: Spark, folder: Path) -> None:
    spark("exec", "multiply", "--at", "a.py::area", "--apply", "-C", folder)
    assert "staged" not in spark("log", "-C", folder).err
