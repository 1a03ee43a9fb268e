"""`spark completion`: a script by which a shell completes the command line."""

import shutil
import subprocess
from pathlib import Path

import pytest

from spark_tui.cli.completion import SHELLS, actions_of
from spark_tui.cli.main import COMMANDS, whole_parser
from tests.cli.conftest import Spark

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_shtab_spark
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers in the place of the last word."""
    done = subprocess.run(
        ["bash", "-c", ASK, "bash", script, *words],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_their_options_and_values(spark: Spark, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(spark("completion", "bash").out)
    (tmp_path / "some.py").touch()
    assert completed(script, "spark", "") == list(COMMANDS)
    assert completed(script, "spark", "ex") == ["exec"]
    assert completed(script, "spark", "exec", "--ap") == ["--apply"]
    assert completed(script, "spark", "exec", "--format", "st") == ["stream-json"]
    assert completed(script, "spark", "exec", "--at", "so") == ["some.py"]
    assert completed(script, "spark", "model", "rem") == ["remove"]
    assert completed(script, "spark", "completion", "") == list(SHELLS)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_all_commands_and_options(spark: Spark, shell: str) -> None:
    done = spark("completion", shell)
    assert (done.code, done.err) == (0, "")
    for name in COMMANDS:
        assert name in done.out
    for action in actions_of(whole_parser()):
        for option in action.option_strings:
            assert option.lstrip("-") in done.out


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_another_shell_is_refused_and_is_no_instruction(spark: Spark, words: list[str]) -> None:
    spark("completion", *words).refuses(2, "see `spark completion --help`")
