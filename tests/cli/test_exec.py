"""`spark exec`, `undo`, `redo` and `log`: one edit from words to bytes and back, without the
screen.
"""

import io
import json
from pathlib import Path
from typing import NoReturn

import pytest

from spark_tui.errors import UsageError
from spark_tui.session.turn import Turn
from spark_tui.vcs.batches import Batches
from spark_tui.vcs.repository import Repository
from tests.cli.conftest import MakeRepo, Spark, UseScripts
from tests.fakes import edit_script, git, rename_script
from tests.providers.quoting_models import NOTHING

AREA = "def area(w, h):\n    return w + h\n"
FIXED = AREA.replace("+", "*")
SCRIPTS = {
    "multiply": edit_script(AREA, FIXED),
    "break it": edit_script(AREA, AREA.replace("w + h", "w +")),
    "nought": NOTHING,
}


@pytest.fixture
def folder(repo: MakeRepo, use_scripts: UseScripts) -> Path:
    """A repository with one function, and the scripts above."""
    use_scripts(SCRIPTS)
    return repo({"a.py": AREA, "lib/b.py": "x = 1\n"})


def test_the_patch_goes_to_stdout_and_nothing_is_written(spark: Spark, folder: Path) -> None:
    done = spark("exec", "multiply", "--at", "a.py::area", "-C", folder)
    assert done.code == 0
    git(folder, "apply", "--check", stdin=done.out.encode())
    assert "+    return w * h" in done.out
    assert git(folder, "status", "--porcelain") == b""
    assert done.err.splitlines()[0] == "spark: editing a.py:1-2 (area)"


def test_apply_writes_and_undo_and_redo_take_it_back_and_forth(spark: Spark, folder: Path) -> None:
    done = spark("exec", "multiply", "--at", "a.py:1-2", "--apply", "-q", "-C", folder)
    assert (done.code, done.err) == (0, "")
    assert (folder / "a.py").read_text() == FIXED
    assert "undo multiply" in spark("undo", "-C", folder).out
    assert (folder / "a.py").read_text() == AREA
    assert json.loads(spark("redo", "--json", "-C", folder).out)["redoes"]
    assert (folder / "a.py").read_text() == FIXED
    entries = json.loads(spark("log", "--json", "-C", folder).out)["entries"]
    assert [(each["description"], each["state"]) for each in entries] == [
        ("redo multiply", "applied"),
        ("undo multiply", "undone"),
        ("multiply", "applied"),
    ]
    assert len(spark("log", "-C", folder).out.splitlines()) == 3


@pytest.mark.parametrize("name", ["a:1-2.py", "b:1-2", "c::d.py"])
@pytest.mark.parametrize("lines", ["", ":1-2"])
def test_a_file_may_be_called_as_places_are_told(
    spark: Spark, folder: Path, name: str, lines: str
) -> None:
    (folder / name).write_text(AREA)
    place = name + lines
    done = spark("exec", "multiply", "--at", place, "--format", "json", "-C", folder)
    assert json.loads(done.out)["region"]["path"] == name


def test_files_that_git_took_too_long_to_find_are_told(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Repository, "lists_tracked_only", True)
    done = spark("exec", "multiply", "-C", folder)
    words = "spark: git did not find out within 1.5 s which files are new here: only those that it"
    assert words in done.err


def test_paths_are_relative_to_the_folder_given(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec", "multiply", "--at", "../a.py::area", "-C", folder / "lib", "--format", "json"
    )
    assert json.loads(done.out)["region"]["path"] == "a.py"


def test_json_is_one_object_with_the_patch(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec", "multiply", "--at", "a.py::area", "--apply", "--format", "json", "-C", folder
    )
    body = json.loads(done.out)
    assert (body["status"], body["applied"], body["kind"]) == ("ok", True, "edit")
    assert "+    return w * h" in body["patch"]
    assert (
        body["journal_id"]
        == json.loads(spark("log", "--json", "-C", folder).out)["entries"][0]["id"]
    )


def test_stream_json_is_one_event_a_line_and_ends_with_the_whole_object(
    spark: Spark, folder: Path
) -> None:
    done = spark("exec", "multiply", "--at", "a.py::area", "--format", "stream-json", "-C", folder)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["turn_started", "turn_ended"]
    assert [event["event"] for event in events].count("turn_ended") == 1
    assert events[-1]["patch"].startswith("diff --git a/a.py b/a.py")
    assert (
        sum(event["event"] == "token" for event in events)
        == events[-1]["timing"]["generated_tokens"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [("nought", "no edit found"), ("break it", "no edit offered: line 2: invalid syntax")],
)
def test_without_a_verified_edit_the_exit_code_is_3_and_nothing_is_applied(
    spark: Spark, folder: Path, words: str, said: str
) -> None:
    spark("exec", words, "--at", "a.py::area", "--apply", "-q", "-C", folder).refuses(3, said)
    assert (folder / "a.py").read_text() == AREA


def test_a_check_that_the_shell_cannot_run_is_a_wrong_request(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec",
        "multiply",
        "--at",
        "a.py::area",
        "--check",
        "cd . && no-such-program",
        "-q",
        "-C",
        folder,
    )
    assert (done.code, done.out) == (2, "")
    assert "cannot run in a copy of the tracked files" in done.err


def test_a_renaming_tells_of_the_files_that_use_the_old_name(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({"do": rename_script("area", "surface")})
    folder = repo(
        {
            "a.py": AREA,
            "b.py": "import a\na.area(1, 2)\n",
            "c.py": "areas = 1\n",
            "d.md": "the area\n",
        }
    )
    done = spark("exec", "do", "--at", "a.py::area", "-C", folder)
    assert done.code == 0
    assert "; area also in: b.py, d.md: not changed" in done.err


def test_a_renaming_inside_a_function_tells_of_no_other_file(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    use_scripts({"do": rename_script("w", "width")})
    done = spark("exec", "do", "--at", "a.py::area", "-C", repo({"a.py": AREA, "b.py": "w = 1\n"}))
    assert "also in" not in done.err


@pytest.mark.parametrize("options", [[], ["--apply"]])
def test_an_edit_of_a_file_that_changed_meanwhile_is_a_conflict(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    events = Turn.events

    def meanwhile(turn: Turn):  # type: ignore[no-untyped-def]
        yield from events(turn)
        (folder / "a.py").write_text("# saved by an editor\n")

    monkeypatch.setattr(Turn, "events", meanwhile)
    ask = ["exec", "multiply", "--at", "a.py::area", "-C", folder, *options]
    done = spark(*ask, "--format", "json")
    assert (done.code, json.loads(done.err)["status"]) == (4, "conflict")
    assert json.loads(done.out)["status"] == "conflict"
    assert (folder / "a.py").read_text() == "# saved by an editor\n"


def test_a_patch_is_of_a_file_that_changed_elsewhere_meanwhile(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = Turn.events
    rest = "\n\nX = 1\n"
    (folder / "a.py").write_text(AREA + rest)

    def meanwhile(turn: Turn):  # type: ignore[no-untyped-def]
        yield from events(turn)
        (folder / "a.py").write_text("import os\n\n\n" + AREA + rest)

    monkeypatch.setattr(Turn, "events", meanwhile)
    done = spark("exec", "multiply", "--at", "a.py::area", "-C", folder)
    assert done.code == 0
    git(folder, "apply", stdin=done.out.encode())
    assert (folder / "a.py").read_text() == "import os\n\n\n" + FIXED + rest


def test_interrupting_ends_the_turn_and_writes_nothing(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = Turn.events

    def interrupted(turn: Turn):  # type: ignore[no-untyped-def]
        for event, _ in zip(events(turn), range(6), strict=False):
            yield event
        raise KeyboardInterrupt

    monkeypatch.setattr(Turn, "events", interrupted)
    done = spark(
        "exec", "multiply", "--at", "a.py::area", "--apply", "--format", "json", "-C", folder
    )
    assert (done.code, json.loads(done.out)["status"]) == (130, "interrupted")
    assert (folder / "a.py").read_text() == AREA


def test_a_command_that_passes_is_one_more_check(spark: Spark, folder: Path) -> None:
    command = "grep -q 'w \\* h' a.py && test -e lib/b.py && touch here"
    done = spark(
        "exec",
        "multiply",
        "--at",
        "a.py::area",
        "--check",
        command,
        "--format",
        "json",
        "-C",
        folder,
    )
    (hunk,) = json.loads(done.out)["files"][0]["hunks"]
    assert (done.code, hunk["checks"][-1]) == (0, {"name": "command", "ok": True, "detail": ""})
    assert git(folder, "status", "--porcelain") == b""


def test_a_command_that_fails_keeps_the_edit_from_being_applied(spark: Spark, folder: Path) -> None:
    done = spark(
        "exec",
        "multiply",
        "--at",
        "a.py::area",
        "--check",
        "echo no; false",
        "--apply",
        "-q",
        "-C",
        folder,
    )
    assert (done.code, done.out) == (3, "")
    assert (
        "tried all 4 small changes in a.py:1-2 (area), and `echo no; false` still fails" in done.err
    )
    assert (folder / "a.py").read_text() == AREA


def test_a_command_that_passes_as_it_is_leaves_nothing_to_be_tried(
    spark: Spark, folder: Path
) -> None:
    done = spark("exec", "nought", "--at", "a.py::area", "--check", "true", "-C", folder)
    assert (done.code, done.out) == (3, "")
    assert (folder / "a.py").read_text() == AREA


def test_the_instruction_can_come_from_stdin(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("multiply\n"))
    assert spark("exec", "-", "--at", "a.py::area", "-C", folder).code == 0


def _piped(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape")


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + "multiply\r\n".encode("utf-16-le"),
        b"\xfe\xff" + "multiply\n".encode("utf-16-be"),
        b"\xff\xfe\0\0" + "multiply\n".encode("utf-32-le"),
        b"\xef\xbb\xbfmultiply\r\n",
    ],
)
def test_kind_15_an_instruction_on_stdin_is_read_by_its_byte_order_mark(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr("sys.stdin", _piped(data))
    done = spark("exec", "-", "--at", "a.py::area", "-C", folder)
    assert done.code == 0, done.err


@pytest.mark.parametrize("command", ["exec", "ask"])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"multiply \xe9\n", "stdin is not UTF-8 (byte 0xe9 at 9)"),
        (b"\xef\xbb\xbfmultiply \xe9\n", "stdin is not UTF-8 (byte 0xe9 at 12)"),
        (b"\xff\xfea", "stdin is not UTF-16 (byte 0x61 at 2)"),
    ],
)
def test_kind_15_an_instruction_on_stdin_that_is_no_text_is_refused(
    spark: Spark,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    data: bytes,
    words: str,
) -> None:
    monkeypatch.setattr("sys.stdin", _piped(data))
    done = spark(command, "-", "--at", "a.py::area", "-C", folder)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"spark: {words}; send the text as UTF-8\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["exec", " ", "--at", "a.py:1"], "the instruction is empty"),
        (["exec", "x", "--at", ""], "write PATH:FIRST-LAST"),
        (["exec", "x", "--at", "a.py:"], "write PATH:FIRST-LAST"),
        (["exec", "x", "--file", ""], "name a file"),
        (["exec", "x", "--at", "a.py:1", "--check", ""], "the command to check with is empty"),
        (
            ["exec", "x", "--at", "a.py:1", "--check", "no-such-program -q"],
            "no program no-such-program",
        ),
        (["exec", "x", "--at", "a.py:1", "--check", "./a.py"], "no program ./a.py"),
        (["exec", "x", "--at", "a.py:2-1"], "write PATH:FIRST-LAST"),
        (["exec", "x", "--at", "a.py:1", "--file", "a.py"], "leave out --file"),
        (["exec", "x", "--at", "../out.py:1"], "not a file inside the repository"),
        (["exec", "x", "--at", "nope.py"], "there is no file nope.py"),
        (["exec", "x", "--file", "nope.py"], "there is no file nope.py"),
        (
            ["exec", "x", "--at", "a.py:1", "--apply", "--allow", "nope.py"],
            "there is no file nope.py",
        ),
        (["exec", "x in @nope.py"], "there is no file nope.py"),
        (["exec", "x in @a.py::nope"], "no function or class nope in a.py"),
        (["exec", "x @nope::area"], "there is no file nope here"),
        (["exec", "x @a.py:8-9"], "a.py has no lines 8-9"),
        (["exec", "x in @/etc/passwd"], "there is no file /etc/passwd here"),
        (["exec", "x", "--at", "a.py:1", "--temperature", "-1"], "temperature"),
        (["exec", "x", "--max-tokens", "many"], "see `spark exec --help`"),
        (
            ["exec", "x", "--at", "a.py:1", "--budget", "5"],
            "--budget is for the search with --check",
        ),
        (["exec", "x", "--at", "a.py:1", "--check", "true", "--budget", "0"], "budget is 0"),
        (
            ["exec", "x", "--at", "a.py:1", "--stage"],
            "--stage is for an edit that is applied; add --apply",
        ),
        (["exec", "x", "--nope"], "unrecognized arguments: --nope"),
        (["exce", "x"], "did you mean `spark exec`?"),
        (["rename", "x", "to", "y"], "put an instruction between quotes"),
        (["exec"], "no instruction; say what to change"),
        (["model", "nope"], "see `spark model --help`"),
        (["--nope"], "see `spark --help`"),
        (
            ["exec", "x", "--at", "a.py:1", "--apply", "--allow", "../x.py"],
            "not a file inside the repository",
        ),
        (["undo"], "nothing to undo"),
        (["log", "abc"], "no batch begins with 'abc'; see `spark log`"),
        (["trust", "--yes", "--revoke"], "contradict each other"),
        (["bench", "decode", "--runs", "0"], "--runs 0: choose a number from 1"),
        (["model", "export", "out", "--format", "hf", "--weights", "f16"], "--weights is for GGUF"),
        (["make x 2"], "`spark exec"),
    ],
)
def test_a_wrong_request_is_one_line_and_code_2(
    spark: Spark, folder: Path, arguments: list[str], said: str
) -> None:
    spark("-C", folder, *arguments).refuses(2, said)


def test_a_wrong_request_is_an_object_for_a_program(spark: Spark, folder: Path) -> None:
    done = spark("exec", "x", "--nope", "--format", "json", "-C", folder)
    body = json.loads(done.err)
    assert (body["status"], body["exit_code"]) == ("error", 2)


@pytest.mark.parametrize(
    "command", [["exec", "multiply", "--at", "a.py::area", "--apply", "-q"], ["undo"]]
)
def test_what_the_journal_tells_goes_to_stderr(
    spark: Spark, folder: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    spark("exec", "multiply", "--at", "a.py::area", "--apply", "-C", folder)
    (folder / "a.py").write_text(AREA)

    def told(batches: Batches, *_: object, **__: object) -> NoReturn:
        batches._tell("a.py: written in\x1b place")  # noqa: SLF001
        raise UsageError("no more")

    monkeypatch.setattr(Batches, "preview_undo", told)
    monkeypatch.setattr(Batches, "accept", told)

    assert spark(*command, "-C", folder).err == "spark: a.py: written in␛ place\nspark: no more\n"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("conftest.py", "conftest.py decides what runs by itself: tests run it"),
        ("secrets.py", "secrets.py may hold secrets"),
        ("lib/made.py", "lib/made.py is ignored by git, which cannot bring it back"),
    ],
)
def test_apply_needs_a_consent_of_its_own_for_such_a_file(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts, path: str, why: str
) -> None:
    use_scripts(SCRIPTS)
    folder = repo({"a.py": AREA, "lib/b.py": "x = 1\n", ".gitignore": "made.py\n"})
    (folder / path).write_text(AREA)
    command = ["exec", "multiply", "--at", f"{path}::area", "--apply", "-q", "-C", str(folder)]

    for allowed in ([], ["--allow", "a.py"]):
        done = spark(*command, *allowed)
        assert done.code == 1
        assert done.err == f"spark: {why}; nothing was written: --allow {path} permits it\n"
        assert "+    return w * h" in done.out
        assert (folder / path).read_text() == AREA
        assert spark("log", "-C", folder).out == ""

    assert spark(*command, "--allow", "a.py", "--allow", path).code == 0
    assert (folder / path).read_text() == FIXED


def test_apply_refuses_text_that_is_not_what_it_looks_like_until_allowed(
    spark: Spark, repo: MakeRepo, use_scripts: UseScripts
) -> None:
    fixed = AREA.replace("w + h", "w + 2  # \u202e")
    use_scripts({"multiply": edit_script(AREA, fixed)})
    folder = repo({"a.py": AREA})
    command = ["exec", "multiply", "--at", "a.py::area", "--apply", "-C", str(folder)]

    done = spark(*command, "--format", "json")
    assert done.code == 1
    assert json.loads(done.out)["applied"] is False
    message = json.loads(done.err)["message"]
    assert message == (
        "a.py would hold text that is not what it looks like: U+202E RIGHT-TO-LEFT OVERRIDE, "
        "changes the direction of "
        "text (line 2, column 21); nothing was written: --allow a.py permits it"
    )
    assert (folder / "a.py").read_text() == AREA

    assert spark(*command, "--allow", "a.py").code == 0
    assert (folder / "a.py").read_text() == fixed


def test_a_file_of_one_line_in_sparks_eyes_says_why(spark: Spark, folder: Path) -> None:
    (folder / "old.py").write_bytes(b"def f(x):\r    return x\r")
    done = spark("exec", "multiply", "--at", "old.py:2", "-C", folder)
    assert done.code == 2
    assert done.err.endswith(
        "it has 1, counted from 1; its lines end with CR only: spark reads it as one line\n"
    )
