"""`spark review`: what differs is listed by hunk, taken back or applied, from the shell."""

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import pytest

from tests.cli.conftest import Spark
from tests.fakes import git

A = "".join(f"line {number}\n" for number in range(20))
A2 = A.replace("line 3\n", "three\n").replace("line 12\n", "")
OTHERS: dict[str, str | bytes] = {"gone.py": "x = 1\n", "setup.py": "x = 1\n", "logo.png": b"\0"}


@pytest.fixture
def folder(repo: Callable[[Mapping[str, str | bytes]], Path], state: Path) -> Path:
    """A work tree with edits of each kind."""
    assert not state.exists()
    root = repo({"a.py": A, **OTHERS})
    (root / "a.py").write_text(A2)
    (root / "gone.py").unlink()
    (root / "new.py").write_text("def f(:\n")
    return root


def listed(spark: Spark, folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """The files that `spark review` lists for programs, by path."""
    done = spark("review", "-C", folder, "--format", "json", *arguments)
    assert (done.code, done.err) == (0, "")
    return {file["path"]: file for file in json.loads(done.out)["files"]}


def piped(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data))


def test_hunks_are_listed_for_programs_as_those_of_an_edit(spark: Spark, folder: Path) -> None:
    body = json.loads(spark("review", "-C", folder, "--format", "json").out)
    files = {file["path"]: file for file in body["files"]}

    assert body["base"] == "HEAD"
    assert {path: file["status"] for path, file in files.items()} == {
        "a.py": "modified",
        "gone.py": "deleted",
        "new.py": "added",
    }
    first, second = files["a.py"]["hunks"]
    assert (first["old_start"], first["old_lines"], first["new_lines"]) == (
        4,
        ["line 3"],
        ["three"],
    )
    assert (second["old_start"], second["old_lines"], second["new_lines"]) == (13, ["line 12"], [])
    assert len({first["id"], second["id"], files["a.py"]["id"]}) == 3
    assert files["gone.py"]["hunks"][0]["old_lines"] == ["x = 1"]
    (broken,) = files["new.py"]["hunks"]
    assert [check["name"] for check in broken["checks"] if not check["ok"]] == ["parses"]


def test_hunks_are_listed_for_people_with_the_same_ids(spark: Spark, folder: Path) -> None:
    done = spark("review", "-C", folder)
    ids = [hunk["id"] for file in listed(spark, folder).values() for hunk in file["hunks"]]

    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert lines[0].startswith("modified: a.py  [")
    assert lines[1:4] == [f"@@ -4,1 +4,1 @@  [{ids[0]}]", "-line 3", "+three"]
    assert all(f"[{hunk_id}]" in done.out for hunk_id in ids)
    assert "added: new.py" in done.out
    assert "(untracked)" in done.out


def test_no_difference_ends_with_3(spark: Spark, folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=all")
    done = spark("review", "-C", folder)
    assert (done.code, done.out, done.err) == (3, "", "spark: no difference\n")
    body = json.loads(spark("review", "-C", folder, "--format", "json").out)
    assert body == {"base": "HEAD", "files": []}


def test_hunks_are_taken_back_in_one_batch_that_one_undo_reverses(
    spark: Spark, folder: Path
) -> None:
    files = listed(spark, folder)
    ids = [files["a.py"]["hunks"][1]["id"], files["gone.py"]["id"]]

    done = spark("review", "-C", folder, "--take-back", *ids)

    assert done.code == 0
    assert done.out.startswith("took back a.py, gone.py (batch ")
    assert (folder / "a.py").read_text() == A.replace("line 3\n", "three\n")
    assert (folder / "gone.py").read_text() == "x = 1\n"
    assert list(listed(spark, folder)) == ["a.py", "new.py"]
    assert spark("undo", "-C", folder).code == 0
    assert (folder / "a.py").read_text() == A2
    assert listed(spark, folder) == files


def test_all_is_taken_back_and_what_cannot_be_is_told(spark: Spark, folder: Path) -> None:
    (folder / "logo.png").write_bytes(b"\0\1")
    (folder / "a.py").chmod(0o755)

    done = spark("review", "-C", folder, "--take-back", "all", "--format", "json")

    body = json.loads(done.out)
    assert done.code == 1
    assert sorted(body["written"]) == ["a.py", "gone.py", "new.py"]
    assert body["left"] == [{"path": "logo.png", "reason": "is binary"}]
    assert body["journal_id"] in spark("log", "-C", folder).out
    assert "logo.png is binary; it is left as it is" in done.err
    assert "the mode of a.py is left as it is; `chmod -x a.py` changes it" in done.err
    assert body["modes_left"] == [{"path": "a.py", "mode": "100644"}]
    assert not (folder / "new.py").exists()
    assert (folder / "a.py").read_text() == A
    spark("undo", "-C", folder)
    assert (folder / "new.py").read_text() == "def f(:\n"


@pytest.mark.parametrize("what", ["all", "hunk"])
def test_a_file_that_decides_what_runs_needs_its_own_consent(
    spark: Spark, folder: Path, what: str
) -> None:
    (folder / "setup.py").write_text("x = 2\n")
    hunk_id = listed(spark, folder)["setup.py"]["hunks"][0]["id"]
    command = ["review", "-C", folder, "--take-back", "all" if what == "all" else hunk_id]

    spark(*command).refuses(1, "setup.py decides what runs by itself")
    assert (folder / "a.py").read_text() == A2
    assert spark(*command, "--allow", "setup.py").code == 0
    assert (folder / "setup.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "is no commit, branch or work tree here"),
        (["--take-back", "cafe"], "is no open hunk of this review"),
        (["--take-back", "all", "HEAD"], "is no open hunk of this review"),
        (["--apply"], "--apply is for a patch"),
        (["--pr", "x.patch", "HEAD"], "--pr names the patch already"),
        (["--pr", "x.patch", "--take-back", "all"], "has nothing to take back"),
        (["--pr", "a.py"], "give it what `git diff` wrote"),
        (["--format", "diff"], "invalid choice"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(
    spark: Spark, folder: Path, arguments: list[str], words: str
) -> None:
    spark("review", "-C", folder, *arguments).refuses(2, words)
    assert (folder / "a.py").read_text() == A2


def test_a_patch_that_is_not_there_is_an_error(spark: Spark, folder: Path) -> None:
    spark("review", "-C", folder, "--pr", "x.patch").refuses(1, "cannot read x.patch")


@pytest.fixture
def patch(folder: Path) -> bytes:
    """The edits as a patch; the files are as committed."""
    git(folder, "add", "--all")
    data = git(folder, "diff", "--cached", "HEAD")
    git(folder, "reset", "--quiet", "--hard")
    (folder / "pr.patch").write_bytes(data)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("*.patch\n")
    return data


def test_a_patch_is_listed_and_nothing_is_written(
    spark: Spark, folder: Path, patch: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = listed(spark, folder, "--pr", "pr.patch")
    assert list(files) == ["a.py", "gone.py", "new.py"]
    monkeypatch.setattr("sys.stdin", piped(patch))
    assert listed(spark, folder, "-") == files
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.usefixtures("patch")
def test_a_patch_is_applied_as_a_whole_or_in_part(spark: Spark, folder: Path) -> None:
    hunk_id = listed(spark, folder, "--pr", "pr.patch")["a.py"]["hunks"][0]["id"]

    assert spark("review", "-C", folder, "--pr", "pr.patch", "--apply", hunk_id).code == 0
    assert (folder / "a.py").read_text() == A.replace("line 3\n", "three\n")
    assert (folder / "gone.py").exists()
    done = spark("review", "-C", folder, "--pr", "pr.patch", "--apply")
    assert done.code == 0
    assert (folder / "a.py").read_text() == A2
    assert (folder / "new.py").read_text() == "def f(:\n"
    assert not (folder / "gone.py").exists()
    done = spark("review", "-C", folder, "--pr", "pr.patch", "--apply")
    assert done.code == 3
    assert "already as the patch leaves it: a.py, gone.py, new.py" in done.err
    spark("undo", "-C", folder)
    spark("undo", "-C", folder)
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.usefixtures("patch")
def test_a_patch_goes_beside_later_edits_and_a_clash_ends_with_4(
    spark: Spark, folder: Path
) -> None:
    (folder / "a.py").write_text(A.replace("line 3\n", "drei\n"))
    done = spark("review", "-C", folder, "--pr", "pr.patch")
    assert done.code == 0
    assert "(conflict: the same lines of a.py were edited since" in done.out

    done = spark("review", "-C", folder, "--pr", "pr.patch", "--apply")

    assert done.code == 4
    assert "nothing was written" in done.err
    assert (folder / "gone.py").exists()
    (folder / "a.py").write_text(A.replace("line 18\n", "achtzehn\n"))
    assert spark("review", "-C", folder, "--pr", "pr.patch", "--apply").code == 0
    assert (folder / "a.py").read_text() == A2.replace("line 18\n", "achtzehn\n")


def of_binary(root: Path) -> None:
    (root / "logo.png").write_bytes(b"\0\1")


def of_link(root: Path) -> None:
    (root / "link").symlink_to("a.py")


def of_folder(root: Path) -> None:
    (root / "setup.py").unlink()
    (root / "setup.py").mkdir()
    (root / "setup.py" / "x.py").write_text("x = 2\n")


def of_mode(root: Path) -> None:
    (root / "setup.py").chmod(0o755)


NOT_WRITTEN = [
    (of_binary, "logo.png is binary"),
    (of_link, "link is a symbolic link; it is left as it is"),
    (of_folder, "setup.py becomes a folder; it is left as it is"),
    (of_mode, "the mode of setup.py is left as it is; `chmod +x setup.py` changes it"),
]


@pytest.mark.parametrize(("change", "words"), NOT_WRITTEN)
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("options", [("--binary",), ()])
def test_what_spark_does_not_write_of_a_patch_is_named_and_the_rest_applied(
    spark: Spark,
    folder: Path,
    change: Callable[[Path], None],
    words: str,
    alone: bool,
    options: tuple[str, ...],
) -> None:
    if alone:
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=all")
    texts = {path: (folder / path).read_text() for path in ("a.py", "new.py")}
    change(folder)
    git(folder, "add", "--all")
    (folder.parent / "p.diff").write_bytes(git(folder, "diff", "--cached", *options, "HEAD"))
    git(folder, "reset", "--quiet", "--hard")

    done = spark("review", "-C", folder, "--pr", "../p.diff", "--apply")

    assert done.code == 1
    assert words in done.err
    assert ("nothing was written" in done.err) == alone
    assert {path: (folder / path).read_text() for path in texts} == texts
    assert not (folder / "gone.py").exists()
    assert (folder / "logo.png").read_bytes() == b"\0"
    assert (folder / "setup.py").read_text() == "x = 1\n"
    if not alone:
        assert spark("undo", "-C", folder).code == 0
    assert git(folder, "status", "--porcelain") == b""


@pytest.mark.parametrize(("change", "words"), NOT_WRITTEN)
def test_whatever_cannot_be_taken_back_with_all_the_rest_ends_with_1(
    spark: Spark, folder: Path, change: Callable[[Path], None], words: str
) -> None:
    change(folder)
    done = spark("review", "-C", folder, "--take-back", "all")
    assert done.code == 1
    assert words.partition(";")[0] in done.err
    assert (folder / "a.py").read_text() == A
    assert spark("review", "-C", folder, "--take-back", "all").code == 1, "there is still some"


def test_a_hunk_is_taken_back_whatever_the_mode_of_its_file(spark: Spark, folder: Path) -> None:
    (folder / "a.py").chmod(0o755)
    file = listed(spark, folder)["a.py"]
    done = spark("review", "-C", folder, "--take-back", file["hunks"][0]["id"])
    assert (done.code, done.err) == (0, "")
    done = spark("review", "-C", folder, "--take-back", file["id"])
    assert (done.code, (folder / "a.py").read_text()) == (1, A)
    assert "the mode of a.py is left as it is" in done.err


@pytest.mark.usefixtures("patch")
def test_a_file_of_a_patch_is_named_by_its_path(spark: Spark, folder: Path) -> None:
    command = ("review", "-C", folder, "--pr", folder / "pr.patch", "--apply")
    spark(*command, "setup.py").refuses(2, "setup.py is no open hunk of this review")
    spark(*command, "/elsewhere").refuses(2, "/elsewhere is no open hunk of this review")
    assert spark(*command, "a.py", folder / "gone.py").code == 0
    assert ((folder / "a.py").read_text(), (folder / "gone.py").exists()) == (A2, False)
    assert not (folder / "new.py").exists()
    assert spark("undo", "-C", folder).code == 0
    (folder / "a.py").write_text(A.replace("line 3\n", "drei\n"))
    done = spark(*command, "a.py")
    assert done.code == 4
    assert "the same lines of a.py were edited since" in done.err


def test_a_file_of_the_work_tree_is_named_by_either_of_its_paths(
    spark: Spark, folder: Path
) -> None:
    (folder / "gone.py").write_text("x = 1\n")
    (folder / "sub").mkdir()
    git(folder, "mv", "setup.py", "sub/moved b.py")
    (folder / "logo.png").write_bytes(b"\0\1")

    spark("review", "-C", folder / "sub", "--take-back", "../logo.png").refuses(
        1, "logo.png is binary; nothing was written"
    )
    command = ("review", "-C", folder / "sub", "--allow", "../setup.py", "--take-back")
    assert spark(*command, "moved b.py", "../new.py").code == 0

    assert (folder / "setup.py").read_text() == "x = 1\n"
    assert not (folder / "new.py").exists()
    assert (folder / "a.py").read_text() == A2
    assert spark("undo", "-C", folder).code == 0
    assert spark(*command, "../setup.py").code == 0
    assert (folder / "setup.py").exists()


@pytest.mark.usefixtures("patch")
def test_text_that_is_not_what_it_looks_like_is_not_applied_unseen(
    spark: Spark, folder: Path
) -> None:
    text = (folder / "pr.patch").read_bytes().replace(b"+three", b"+three\xe2\x80\xae")
    (folder / "pr.patch").write_bytes(text)
    spark("review", "-C", folder, "--pr", "pr.patch", "--apply").refuses(
        1, "not what it looks like"
    )
    hunk_id = listed(spark, folder, "--pr", "pr.patch")["a.py"]["hunks"][0]["id"]
    assert spark("review", "-C", folder, "--pr", "pr.patch", "--apply", hunk_id).code == 0


def test_nothing_in_a_review_for_people_is_hidden(spark: Spark, folder: Path) -> None:
    (folder / "b\x1b[31m\n.py").write_text("x\x1b]8;;\n")
    out = spark("review", "-C", folder).out
    assert "\x1b" not in out
    assert "added: b␛[31m␊.py  [" in out


@pytest.fixture
def unmerged(folder: Path) -> bytes:
    """A merge that has stopped at a conflict in `a.py`; returns the file with its markers."""
    git(folder, "checkout", "--quiet", "--", ".")
    (folder / "new.py").unlink()
    git(folder, "checkout", "--quiet", "-b", "other")
    (folder / "a.py").write_text(A.replace("line 3\n", "theirs\n"))
    git(folder, "commit", "--quiet", "-am", "theirs")
    git(folder, "checkout", "--quiet", "-")
    (folder / "a.py").write_text(A.replace("line 3\n", "ours\n"))
    git(folder, "commit", "--quiet", "-am", "ours")
    with pytest.raises(CalledProcessError):
        git(folder, "merge", "--quiet", "other")
    return (folder / "a.py").read_bytes()


@pytest.mark.parametrize("what", ["all", "file", "hunk"])
def test_a_merge_conflict_is_not_taken_back(
    spark: Spark, folder: Path, unmerged: bytes, what: str
) -> None:
    file = listed(spark, folder)["a.py"]
    ids = {"all": "all", "file": file["id"], "hunk": file["hunks"][0]["id"]}

    done = spark("review", "-C", folder, "--take-back", ids[what])

    done.refuses(4, "a.py has a merge conflict that is not resolved; nothing was written")
    assert "/keep ours, theirs or both" in done.err
    assert (folder / "a.py").read_bytes() == unmerged


@pytest.mark.usefixtures("unmerged")
def test_a_hunk_of_a_resolved_conflict_is_taken_back(spark: Spark, folder: Path) -> None:
    ours = A.replace("line 3\n", "ours\n")
    (folder / "a.py").write_text(ours.replace("line 12\n", "twelve\n"))
    (hunk,) = listed(spark, folder)["a.py"]["hunks"]

    assert spark("review", "-C", folder, "--take-back", hunk["id"]).code == 0
    assert (folder / "a.py").read_text() == ours


def test_the_journal_names_a_patch_from_stdin(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = git(folder, "diff", "--", "a.py")
    git(folder, "checkout", "--quiet", "--", "a.py")
    monkeypatch.setattr("sys.stdin", piped(data))

    assert spark("review", "-C", folder, "-", "--apply").code == 0
    assert "accept a patch: a.py" in spark("log", "-C", folder).out


@pytest.mark.parametrize("has_text", [True, False])
def test_a_mode_in_a_patch_is_left_and_the_exit_code_tells(
    spark: Spark, folder: Path, has_text: bool
) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=all")
    (folder / "a.py").chmod(0o755)
    if has_text:
        (folder / "a.py").write_text(A)
    patch = git(folder, "diff")
    git(folder, "reset", "--quiet", "--hard")
    (folder.parent / "p.diff").write_bytes(patch)
    command = ("review", "-C", folder, "--pr", folder.parent / "p.diff", "--apply")

    done = spark(*command)

    assert done.code == 1
    assert "the mode of a.py is left as it is; `chmod +x a.py` changes it" in done.err
    assert (folder / "a.py").read_text() == (A if has_text else A2)
    assert not (folder / "a.py").stat().st_mode & 0o100
    (folder / "a.py").chmod(0o755)
    assert "already as the patch leaves it: a.py" in spark(*command).err


def test_a_renamed_program_is_created_with_its_new_mode(spark: Spark, folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=all")
    git(folder, "mv", "a.py", "b.py")
    (folder / "b.py").chmod(0o755)
    (folder.parent / "p.diff").write_bytes(git(folder, "diff", "HEAD", "-M"))
    git(folder, "reset", "--quiet", "--hard")

    done = spark("review", "-C", folder, "--pr", folder.parent / "p.diff", "--apply")

    assert (done.code, done.err) == (0, "")
    assert (folder / "b.py").stat().st_mode & 0o100
    assert not (folder / "a.py").exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--no-prefix"], 0, "applied pkg/a.py (batch"),
        (["--color=always"], 0, "applied pkg/a.py (batch"),
        (["--src-prefix=x-", "--dst-prefix=y-"], 2, "this patch may mean a.py or pkg/a.py"),
    ],
)
def test_a_patch_writes_the_file_that_it_was_made_of_or_none(
    spark: Spark,
    repo: Callable[[Mapping[str, str]], Path],
    options: list[str],
    code: int,
    words: str,
) -> None:
    root = repo({"a.py": A, "pkg/a.py": A})
    (root / "pkg/a.py").write_text(A2)
    (root.parent / "p.diff").write_bytes(git(root, "diff", *options))
    git(root, "reset", "--quiet", "--hard")

    done = spark("review", "-C", root, "--pr", root.parent / "p.diff", "--apply")

    assert done.code == code
    assert words in done.out + done.err
    assert (root / "a.py").read_text() == A
    assert (root / "pkg/a.py").read_text() == (A2 if code == 0 else A)


def file_to_folder(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    (root / "a.py" / "inner.py").write_text("x = 1\n")


def file_into_its_folder(root: Path) -> None:
    (root / "a.py").rename(root / "moved")
    (root / "a.py").mkdir()
    (root / "moved").rename(root / "a.py" / "inner.py")


def file_to_staged_folder(root: Path) -> None:
    file_to_folder(root)
    git(root, "add", "a.py")


def file_moved_and_folder_in_its_place(root: Path) -> None:
    (root / "a.py").rename(root / "moved.py")
    (root / "a.py").mkdir()


def file_to_empty_folder(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").mkdir()


def folder_to_file(root: Path) -> None:
    (root / "lib" / "x.py").unlink()
    (root / "lib").rmdir()
    (root / "lib").write_text("x = 1\n")


def folder_to_link(root: Path) -> None:
    (root / "lib").rename(root / "library")
    (root / "lib").symlink_to("library")


@pytest.mark.parametrize(
    ("exchange", "left"),
    [
        (file_to_folder, {"a.py": "becomes a folder", "a.py/inner.py": "the place of a.py"}),
        (file_into_its_folder, {"a.py/inner.py": "the place of a.py"}),
        (file_to_staged_folder, {"a.py": "becomes a folder", "a.py/inner.py": "place of a.py"}),
        (file_moved_and_folder_in_its_place, {"moved.py": "a.py is a folder now"}),
        (file_to_empty_folder, {"a.py": "a.py is a folder now"}),
        (folder_to_file, {"lib": "the place of a folder", "lib/x.py": "gives way to lib"}),
        (folder_to_link, {"lib": "is a symbolic link", "library/x.py": "gives way to lib"}),
    ],
)
def test_a_file_that_became_a_folder_or_the_other_way_round_holds_up_no_other(
    spark: Spark,
    repo: Callable[[Mapping[str, str]], Path],
    exchange: Callable[[Path], None],
    left: dict[str, str],
) -> None:
    root = repo({"a.py": A, "lib/x.py": "".join(reversed(A)), "other.py": A})
    (root / "other.py").write_text(A2)
    exchange(root)
    before = git(root, "status", "--porcelain", "--untracked-files=all")

    done = spark("review", "-C", root, "--take-back", "all", "--format", "json")

    body = json.loads(done.out)
    assert (done.code, body["written"]) == (1, ["other.py"])
    reasons = {each["path"]: each["reason"] for each in body["left"]}
    assert set(reasons) == set(left)
    assert all(left[path] in reason for path, reason in reasons.items())
    assert all(f"{path} {reason}; it is left" in done.err for path, reason in reasons.items())
    assert (root / "other.py").read_text() == A
    assert spark("undo", "-C", root).code == 0
    assert git(root, "status", "--porcelain", "--untracked-files=all") == before


@pytest.mark.parametrize("edit", ["", "x = 1\n"])
def test_a_rename_in_case_alone_is_taken_back_as_any_other(
    spark: Spark, repo: Callable[[Mapping[str, str]], Path], edit: str
) -> None:
    root = repo({"a.py": A, "other.py": A})
    git(root, "mv", "a.py", "A.PY")
    (root / "A.PY").write_text(A + edit)
    (root / "other.py").write_text(A2)

    assert spark("review", "-C", root, "--take-back", "all").code == 0

    assert (root / "a.py").read_text() == (root / "other.py").read_text() == A
    assert not (root / "A.PY").exists()
    assert spark("undo", "-C", root).code == 0
    assert (root / "A.PY").read_text() == A + edit
    assert (root / "other.py").read_text() == A2
