"""`spark trust`, and what waits for it: --check and the project's configuration."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Spark, UseScripts
from tests.cli.conversation import END, PASTE
from tests.fakes import git, make_repo, rename_script
from tests.tui.pseudo import Terminal

SOURCE = "def f(d):\n    return d\n"


@pytest.fixture
def folder(tmp_path: Path, use_scripts: UseScripts) -> Path:
    use_scripts({})  # the doctor loads a model, which takes seconds for the shipped one
    root = make_repo(tmp_path / "repo", {"a.py": SOURCE})
    git(root, "config", "core.editor", "./evil\x1b[2J")
    return root


def test_what_could_run_is_shown_and_trusted_only_when_told(spark: Spark, folder: Path) -> None:
    asked = spark("-C", folder, "trust")
    assert (asked.code, "there is no terminal to ask on" in asked.err) == (2, True)
    assert json.loads(spark("-C", folder, "trust", "--json").out)["trusted"] is False

    told = spark("-C", folder, "trust", "--yes")
    assert (told.code, "core.editor = ./evil" in told.out, "\x1b" in told.out) == (0, True, False)
    assert "is trusted; `spark trust --revoke` ends that" in spark("-C", folder, "trust").out

    facts = json.loads(spark("-C", folder, "trust", "--revoke", "--json").out)
    assert (facts["trusted"], facts["restricted"]) == (False, ["core.editor = ./evil\x1b[2J"])


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("y\n", 0),
        ("YES\n", 0),
        ("\n", 1),
        ("n\n", 1),
        ("yep\n", 1),
        ("\x04", 1),
        (f"{PASTE}y\n{END}", 1),
        ("\x03", 130),
    ],
)
def test_on_a_terminal_only_a_plain_typed_yes_trusts(
    spark: Spark, on_terminal: Callable[..., Terminal], folder: Path, keys: str, code: int
) -> None:
    terminal = on_terminal("-C", str(folder), "trust")
    terminal.until(terminal.shows("trust it? [y/N]"))
    terminal.press(keys)
    if PASTE in keys:
        terminal.until(terminal.shows("pasted text is not an answer"))
        terminal.press("n\n")
    terminal.until(terminal.ended)
    assert terminal.process.returncode == code
    assert terminal.after == terminal.before
    assert json.loads(spark("-C", folder, "trust", "--json").out)["trusted"] is (code == 0)


def test_a_check_waits_for_trust(
    spark: Spark, folder: Path, use_scripts: object, tmp_path: Path
) -> None:
    assert callable(use_scripts)
    use_scripts({"rename d to e": rename_script("d", "e")})
    command = (
        "-C",
        folder,
        "exec",
        "rename d to e",
        "--at",
        "a.py:1-2",
        "--check",
        f"touch {tmp_path}/ran",
    )

    refused = spark(*command)
    assert refused.code == 1
    assert refused.err.startswith(
        "spark: the check waits: this repository could run programs of its own (core.editor"
    )
    assert not (tmp_path / "ran").exists()

    spark("-C", folder, "trust", "--yes")
    assert spark(*command).code == 0
    assert (tmp_path / "ran").exists()


def test_the_project_s_configuration_waits_for_trust(
    spark: Spark, folder: Path, use_scripts: object
) -> None:
    assert callable(use_scripts)
    use_scripts({"rename d to e": rename_script("d", "e")})
    (folder / ".spark").mkdir()
    place = folder / ".spark" / "config.toml"
    place.write_text("seed = 1\nsede = 2\n")
    command = ("-C", folder, "exec", "rename d to e", "--at", "a.py:1-2")

    unread = spark(*command)
    assert (unread.code, unread.err.count("is not read until you trust this repository")) == (0, 1)

    spark("-C", folder, "trust", "--yes")
    wrong = spark(*command)
    assert (wrong.code, f"{place}:2: unknown key 'sede'; the nearest is 'seed'" in wrong.err) == (
        2,
        True,
    )

    place.write_text("seed = 1\n")
    assert "is not read" in spark(*command).err


def test_the_project_s_configuration_is_shown_before_it_is_trusted(
    spark: Spark, folder: Path
) -> None:
    (folder / ".spark").mkdir()
    place = folder / ".spark" / "config.toml"
    place.write_text('theme = "\x1b[2J"\n\n# ' + "x" * 100 + "\n" + "seed = 1\n" * 60)

    facts = json.loads(spark("-C", folder, "trust", "--json").out)
    assert facts["config"][0] == 'theme = "\x1b[2J"'
    assert (len(facts["config"]), facts["config"][-1]) == (41, "and 22 more lines")
    told = spark("-C", folder, "trust", "--yes").out
    assert '.spark/config.toml would be read; it says:\n  theme = "\u241b[2J"\n  # xxx' in told
    assert max(map(len, told.splitlines())) < 200

    git(folder, "config", "--unset", "core.editor")
    place.write_text("seed = 1\n")
    assert "  seed = 1\n" in spark("-C", folder, "trust", "--yes").out


def test_doctor_names_what_could_run_one_a_line_and_counts_what_is_too_much(
    spark: Spark, folder: Path
) -> None:
    for number in range(9):
        git(folder, "config", f"filter.f{number}.clean", "run me")
    lines = spark("doctor", "-C", folder).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("note  trust"))
    assert lines[at].endswith(
        "10 things to look at; staging, commits and --check wait for `spark trust`"
    )
    assert lines[at + 2 : at + 9] == [
        f"{'':19}filter.f{number}.clean = run me" for number in range(7)
    ]
    assert lines[at + 9].strip() == "and 2 more: `spark trust`"
    found = json.loads(spark("doctor", "--json", "-C", folder).out)["findings"]
    assert len(next(each for each in found if each["name"] == "trust")["details"]) == 10


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('theme = "spark-light"', "theme spark-light"),
        ('theme = "nosuch"', ":1: no theme 'nosuch'; choose one of "),
        ("theme = 1", ":1: theme must be a text, not 1"),
    ],
)
def test_doctor_reads_the_project_s_configuration_once_it_is_trusted(
    spark: Spark, folder: Path, line: str, said: str
) -> None:
    def found() -> str:
        findings = json.loads(spark("-C", folder, "doctor", "--json").out)["findings"]
        return str(next(each["value"] for each in findings if each["name"] == "settings"))

    (folder / ".spark").mkdir()
    (folder / ".spark" / "config.toml").write_text(line + "\n")
    assert "theme spark-dark" in found()
    spark("-C", folder, "trust", "--yes")
    assert said in found()


def test_doctor_says_what_restricts_and_what_to_do(spark: Spark, folder: Path) -> None:
    (folder / ".spark").mkdir()
    (folder / ".spark" / "config.toml").write_text("seed = 1\n")
    before = spark("-C", folder, "doctor", "--json")
    found = {each["name"]: each for each in json.loads(before.out)["findings"]}
    assert not found["trust"]["ok"]
    assert found["trust"]["details"] == [
        "core.editor = ./evil\x1b[2J",
        ".spark/config.toml is not read",
    ]
    assert "spark trust" in found["trust"]["advice"]

    spark("-C", folder, "trust", "--yes")
    after = {
        each["name"]: each
        for each in json.loads(spark("-C", folder, "doctor", "--json").out)["findings"]
    }
    assert (after["trust"]["ok"], after["trust"]["value"]) == (True, "trusted")
