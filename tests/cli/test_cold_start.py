"""What one turn without the screen loads, from a cold start, with a model that quotes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tui.answering.calibration import Calibration
from tests.answering.quoting_models import quoting_model
from tests.fakes import make_repo

OF_WORDS = (
    "spark_tui.context.ruled", "spark_tui.editing.codemods", "spark_tui.editing.guide", "spark_tui.editing.intents",
    "spark_tui.session.ruled",
)  # fmt: skip
"""What reads the words of a request, for models that do not."""
OF_OTHERS = ("textual", "rich", "torch", "spark_tui.tui", "spark_tui.training", "spark_tui.wafer", "hypothesis")
PROGRAM = """
import sys
from spark_tui.cli.main import run

code = run(["exec", "rename value to number", "--at", "a.py", "-q", "-m", sys.argv[1]])
print("loaded", code, *sorted(sys.modules))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The modules that are there once a turn has ended, whatever came of it."""
    folder = tmp_path_factory.mktemp("cold")
    quoting_model(folder / "tiny", {})
    Calibration().write(folder / "tiny")
    repo = make_repo(folder / "repo", {"a.py": "value = 1\n"})
    homes = {name: str(folder / name) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    path = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "tiny")],
        env={**os.environ, **homes, "PYTHONPATH": path}, cwd=repo, capture_output=True, text=True, check=True,
    )  # fmt: skip
    marker, code, *modules = done.stdout.splitlines()[-1].split()
    assert (marker, code in {"0", "3"}) == ("loaded", True)
    return set(modules)


def below(loaded: set[str], roots: tuple[str, ...]) -> list[str]:
    """Which of the modules are these, or within them."""
    return sorted(name for name in loaded if any(name == root or name.startswith(f"{root}.") for root in roots))


def test_a_turn_without_the_screen_loads_what_it_writes_with_and_no_screen(loaded: set[str]) -> None:
    assert {"spark_tui.editing.quoting_grammar", "spark_tui.engine.decoder", "spark_tui.vcs.repository"} <= loaded
    assert not below(loaded, OF_OTHERS)


def test_a_model_that_reads_the_words_itself_loads_nothing_else_that_does(loaded: set[str]) -> None:
    assert not below(loaded, OF_WORDS)
