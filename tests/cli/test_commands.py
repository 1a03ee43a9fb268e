"""`spark demo`, `doctor`, `model` and `train`."""

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from textual.app import App

from spark_tui.cli import open as demo
from spark_tui.cli.doctor import findings_of
from spark_tui.config import cache_dir
from spark_tui.resources import examples_dir
from tests.cli.conftest import Spark, UseScripts
from tests.fakes import git, make_repo, rename_script, write_model


@pytest.fixture
def _demo_words(use_scripts: UseScripts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_scripts({demo.INSTRUCTION: rename_script("d", "expenses")})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.mark.usefixtures("_demo_words")
def test_the_demo_prints_a_patch_that_its_copy_takes(spark: Spark) -> None:
    done = spark("demo", "--print")
    assert done.code == 0
    found = re.search("^spark: demo project at (.+)$", done.err, re.MULTILINE)
    assert found
    copy = Path(found[1])
    git(copy, "apply", "--check", stdin=done.out.encode())
    assert git(copy, "status", "--porcelain") == b""
    assert git(copy, "log", "--format=%an <%ae>") == b"spark demo <demo@localhost>\n"


def test_the_demo_project_has_the_faults_it_admits_and_no_others(tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-m", "unittest"]
    folder = examples_dir() / demo.PROJECT
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Ran 6 tests" in done.stderr
    assert "FAILED (failures=1, errors=1)" in done.stderr


@pytest.mark.parametrize("command", [[], ["demo"]])
@pytest.mark.parametrize("pace", ["0", "1000001", "tpu", "wse3:gpt-9"])
def test_what_is_no_pace_is_one_line_before_anything_is_made(
    spark: Spark, command: list[str], pace: str
) -> None:
    spark(*command, "--pace", pace).refuses(2, "give ")


def test_model_info_tells_the_same_facts_as_text_and_as_json(spark: Spark, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    facts = json.loads(spark("model", "info", folder, "--json").out)
    assert (facts["name"], facts["layers"], facts["edits"]) == ("tiny", 3, True)
    text = spark("model", "info", folder).out
    told = dict(
        pair for line in text.splitlines() if len(pair := line.split(maxsplit=1)) == 2
    )  # a path may not fit
    assert (told["parameters"], told["layers"], told["edits"]) == (
        f"{facts['parameters']:,}",
        "3",
        "yes",
    )


def test_model_list_names_every_shipped_model(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path / "models" / "spark-m")
    monkeypatch.setattr("spark_tui.engine.loader.MODELS_FOLDER", tmp_path / "models")
    models = json.loads(spark("model", "list", "--json").out)["models"]
    assert [(model["name"], model["default"]) for model in models] == [("spark-m", True)]
    assert spark("model", "list").out.startswith("spark-m (default)")


def test_doctor_fails_when_there_is_no_model_and_says_what_to_do(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.engine.loader.MODELS_FOLDER", tmp_path)
    done = spark("doctor", "--json", "-C", tmp_path)
    findings = {each["name"]: each for each in json.loads(done.out)["findings"]}
    assert done.code == 1
    assert "no model 'spark-m'" in findings["model"]["value"]
    assert findings["git"]["ok"]
    assert "git init" in findings["repository"]["value"]


def test_doctor_is_content_where_all_that_is_needed_is_there(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    folder = make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})
    done = spark("doctor", "-C", folder)
    assert done.code == 0
    assert re.search(
        r"^ok    repository   .*/repo, branch main, commit [0-9a-f]{10}$", done.out, re.MULTILINE
    )


def test_doctor_says_what_the_file_system_lacks_and_what_follows(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    monkeypatch.setattr("spark_tui.vcs.disk.exchange", refused)
    monkeypatch.setattr("spark_tui.vcs.atomic_write.can_be_had", lambda _file: False)
    monkeypatch.setattr("spark_tui.vcs.extended_attributes.write", refused)
    folder = make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})
    before = sorted(folder.rglob("*"))

    found = json.loads(spark("doctor", "--json", "-C", folder).out)["findings"]
    rows = {each["name"]: each for each in found}

    assert [rows[name]["ok"] for name in ("exchange", "open files", "attributes")] == [False] * 3
    assert rows["exchange"]["advice"] == "save nothing in an editor while spark writes"
    assert rows["open files"]["advice"] == "save in your editor before you accept"
    assert not any(rows[name]["needed"] for name in ("exchange", "open files", "attributes"))
    assert sorted(folder.rglob("*")) == before


def test_doctor_names_a_theme_that_cannot_be_used_and_fails_only_if_it_is_chosen(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "spark" / "themes" / "my own.toml"
    path.parent.mkdir(parents=True)
    path.write_text("dark = true\n")
    done = spark("doctor", "-C", tmp_path)
    assert (done.code, f"note  theme        {path}:1: a theme needs [colors]" in done.out) == (
        0,
        True,
    )
    monkeypatch.setenv("SPARK_THEME", "my own")
    done = spark("doctor", "-C", tmp_path)
    assert (
        done.code,
        f"FAIL  settings     $SPARK_THEME: {path}:1: a theme needs [colors]" in done.out,
    ) == (1, True)


WRONG = """them = "x"
seed = "one"
pace = "fast"
theme = "pink"
[keys]
undo = "U"
quit = 7
hunk.reject = "ctl+x"
"""
TOLD = (
    ":1: unknown key 'them'",
    ":2: seed must be a whole number",
    ":3: no pace 'fast'",
    ":4: no theme 'pink'",
    ":6: unknown action 'undo'; did you mean 'journal.undo'?",
    ":7: keys.quit must be a text",
    ":8: there is no key 'ctl+x'",
)


@pytest.fixture
def config(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's settings belong; the model is a tiny one."""
    monkeypatch.setenv("SPARK_MODEL", str(write_model(tmp_path / "tiny")))
    path = tmp_path / "xdg_config_home" / "spark" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_all_that_is_wrong_with_settings_keys_and_theme_is_told_at_once(
    spark: Spark, config: Path
) -> None:
    config.write_text(WRONG)
    for command in ((), ("--plain",), ("demo",), ("exec", "rename a to b"), ("log",)):
        done = spark(*command)
        assert (done.code, len(done.err.splitlines())) == (2, len(TOLD))
        wanted = [f"spark: {config}{each}" for each in TOLD]
        assert [
            line.startswith(each) for line, each in zip(done.err.splitlines(), wanted, strict=True)
        ] == [True] * 7


def test_doctor_tells_each_mistake_in_a_line_of_its_own_once(
    spark: Spark, config: Path, tmp_path: Path
) -> None:
    config.write_text(WRONG)
    done = spark("doctor", "-C", tmp_path)
    failed = [line for line in done.out.splitlines() if line.startswith("FAIL")]
    assert (done.code, len(failed)) == (1, len(TOLD))
    assert [each for each in TOLD if not any(f"{config}{each}" in line for line in failed)] == []
    config.write_text("seed = \n")
    done = spark("doctor", "-C", tmp_path)
    assert (done.code, done.out.count("FAIL"), done.out.count("cannot be read as TOML")) == (
        1,
        1,
        1,
    )


def test_doctor_lists_every_action_with_its_keys_as_they_can_stand_in_the_settings(
    spark: Spark, config: Path, tmp_path: Path
) -> None:
    config.write_text('[keys]\nhunk.accept = "F3 x"\nnone.such = "y"\nquit = ""\n')
    listed = spark("doctor", "--keys", "-C", tmp_path)
    assert (listed.code, 'hunk.accept        = "F3 x"' in listed.out) == (1, True)
    assert re.search(r'(?m)^quit +=  *"" +# quit \(can be ""\)$', listed.out), (
        "so it says where a key can be taken away"
    )
    assert listed.err.startswith(f"spark: {config}:3: unknown action 'none.such'")
    config.write_text(f"[keys]\n{listed.out}")
    again = spark("doctor", "--keys", "-C", tmp_path)
    assert (again.code, again.out, again.err) == (0, listed.out, "")
    assert "FAIL" not in spark("doctor", "-C", tmp_path).out


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (b"", "note  repository   {here} is not in a git repository; run `git init` first"),
        (b"ref: refs/heads/main", "ok    repository   {here}, branch main, no commits yet"),
        (
            b"junk",
            (
                "note  repository   git cannot read the repository at {here}: {here}/.git/HEAD "
                "names no branch"
            ),
        ),
        (
            b"1" * 40,
            (
                "note  repository   what is checked out at {here} is broken: bad object HEAD; `git "
                "-C {here} "
            ),
        ),
    ],
)
@pytest.mark.usefixtures("config")
def test_doctor_says_of_a_folder_without_a_whole_repository_what_to_do(
    spark: Spark, tmp_path: Path, damage: bytes, told: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    if damage:
        git(here, "init")
        (here / ".git" / "HEAD").write_bytes(damage)
    done = spark("doctor", "-C", here)
    assert (done.code, told.format(here=here) in done.out) == (0, True)


@pytest.mark.usefixtures("config")
def test_doctor_says_why_the_state_cannot_be_kept_and_what_to_do(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions alone do not tell: here the folder would have to be in a file."""
    (tmp_path / "file").touch()
    (tmp_path / "file").chmod(0o777)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    done = spark("doctor", "-C", tmp_path)
    assert done.code == 1
    told = (
        f"FAIL  state        {tmp_path}/file/spark: Not a directory; set XDG_STATE_HOME to a folder"
    )
    assert told in done.out


def test_training_without_torch_says_how_to_get_it(
    spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_torch(args: object) -> int:
        raise ModuleNotFoundError("No module named 'torch'", name="torch.nn")

    monkeypatch.setattr("spark_tui.training.commands.run", without_torch)
    done = spark("train", "tune", "--base", "b", "--data", "d", "--out", "o", "--steps", "1")
    said = "spark: training needs PyTorch, which is not installed: pip install 'spark-tui[train]'\n"
    assert (done.code, done.err) == (2, said)


@pytest.mark.usefixtures("config")
def test_doctor_tells_what_is_kept_so_that_models_start_sooner(
    spark: Spark, tmp_path: Path
) -> None:
    assert "none cached" in spark("doctor", "-C", tmp_path).out
    kept = cache_dir() / "kernels" / "weights" / "one.weights"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(bytes(3_000_000))
    assert (
        f"1 model cached for compiled code, 3.0 MB in {kept.parent}"
        in spark("doctor", "-C", tmp_path).out
    )


@pytest.mark.usefixtures("config")
async def test_doctor_looks_around_from_within_the_screen_too(tmp_path: Path) -> None:
    app = App[None]()
    async with app.run_test():
        findings = await asyncio.to_thread(
            lambda: {each.name: each for each in findings_of(tmp_path)}
        )
    assert findings["terminal"].value


@pytest.mark.usefixtures("config")
def test_doctor_names_standing_instructions_from_the_root_down_to_the_folder(
    spark: Spark, tmp_path: Path
) -> None:
    here = make_repo(
        tmp_path / "repo", {"AGENTS.md": "Be kind.\n", "a/b/AGENTS.md": "x\n", "c/AGENTS.md": "y\n"}
    )
    assert (
        "note  AGENTS.md    AGENTS.md, a/b/AGENTS.md; "
        in spark("doctor", "-C", here / "a" / "b").out
    )
