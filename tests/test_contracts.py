"""What a start may cost: heavy libraries are imported by the rooms that use them, and only when they are used."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "textual", "rich", "numpy", "numba", "git", "unidiff", "torch", "tokenizers", "safetensors", "pyflakes",
    "tree_sitter_python", "tree_sitter_javascript",
}  # fmt: skip
MAY_LOAD = {
    "spark_tui.__main__": set(),
    "spark_tui.cli.main": set(),
    "spark_tui.cli.exec": set(),
    "spark_tui.cli.screen": set(),
    "spark_tui.cli.bench": set(),
    "spark_tui.cli.train": set(),
    "spark_tui.cli.doctor": set(),
    "spark_tui.config": set(),
    "spark_tui.errors": set(),
    "spark_tui.editing.streaming": set(),
    "spark_tui.editing.review": set(),
    "spark_tui.context.regions": set(),
    "spark_tui.engine.blas": set(),
    "spark_tui.engine.decoder": {"numpy", "safetensors"},
    "spark_tui.engine.runner": set(),
    "spark_tui.vcs.repository": {"git"},
    "spark_tui.session.events": set(),
    "spark_tui.tui.app": {"textual", "rich"},
    "spark_tui.session.session": {"numpy", "git", "unidiff", "tokenizers", "safetensors", "pyflakes"},
}


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    return subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, check=True)


@pytest.mark.parametrize(("module", "allowed"), MAY_LOAD.items())
def test_importing_a_module_loads_no_heavy_library_it_has_no_use_for(module: str, allowed: set[str]) -> None:
    code = f"import sys; import {module}; print(*sorted(set(sys.modules) & {HEAVY!r}))"
    assert set(_python("-c", code).stdout.split()) <= allowed


AT_FIRST_PAINT = """
import sys
from spark_tui.errors import UsageError
from spark_tui.tui.app import SparkApp

def load():
    print(*sorted(sys.modules))
    raise UsageError("seen enough")

SparkApp(load).run(headless=True, size=(80, 24))
"""


def test_the_first_paint_waits_for_nothing_but_textual() -> None:
    loaded = _python("-c", AT_FIRST_PAINT).stdout.split()
    assert "spark_tui.tui.screens.main" in loaded
    assert not set(loaded) & (HEAVY - {"textual", "rich"})
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("spark_tui.")}
    assert ours <= {
        f"spark_tui.{name}"
        for name in ("config", "crashes", "errors", "marks", "places", "resources", "session", "tui")
    }
    assert [name for name in loaded if name.startswith("spark_tui.session.")] == ["spark_tui.session.events"]


def test_the_edge_of_the_process_imports_nothing_before_it_can_catch_an_interrupt() -> None:
    code = "import sys; import spark_tui.__main__; print(*sorted(sys.modules))"
    loaded = [name for name in _python("-c", code).stdout.split() if name.startswith("spark_tui")]
    assert loaded == ["spark_tui", "spark_tui.__main__"]


def test_help_loads_none_and_starts_at_once() -> None:
    done = _python("-X", "importtime", "-m", "spark_tui", "--help")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert not loaded & HEAVY
    assert min(_cpu_seconds("-m", "spark_tui", "--help") for _ in range(5)) < 0.2


def _cpu_seconds(*arguments: str) -> float:
    """Processor time of one run: unlike the time on the wall it does not depend on what else the machine does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
