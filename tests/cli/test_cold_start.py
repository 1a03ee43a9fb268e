"""What one turn without the screen loads, from a cold start, with a model that quotes."""

import os
import subprocess
import sys
from pathlib import Path

from spark_tui.providers.calibration import Calibration
from tests.fakes import make_repo
from tests.providers.quoting_models import quoting_model

OF_OTHERS = (
    "textual",
    "rich",
    "torch",
    "spark_tui.tui",
    "spark_tui.training",
    "spark_tui.wafer",
    "hypothesis",
)
PROGRAM = """
import sys
from spark_tui.cli.main import run

code = run(["exec", "rename value to number", "--at", "a.py", "-q", "-m", sys.argv[1]])
print("loaded", code, *sorted(sys.modules))
"""


def test_a_turn_without_the_screen_loads_what_it_writes_with_and_no_screen(tmp_path: Path) -> None:
    quoting_model(tmp_path / "tiny", {})
    Calibration().write(tmp_path / "tiny")
    repo = make_repo(tmp_path / "repo", {"a.py": "value = 1\n"})
    homes = {
        name: str(tmp_path / name)
        for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    }
    briefly = {"SPARK_MAX_TOKENS": "16"}  # a random model writes all that it may
    path = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "tiny")],
        env={**os.environ, **homes, **briefly, "PYTHONPATH": path},
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    )
    marker, code, *loaded = done.stdout.splitlines()[-1].split()
    assert (marker, code in {"0", "3"}) == ("loaded", True)
    assert {
        "spark_tui.editing.formats.quoted_grammar",
        "spark_tui.engine.decoder",
        "spark_tui.vcs.repository",
    } <= set(loaded)
    assert [name for name in loaded if name.startswith(OF_OTHERS)] == []
