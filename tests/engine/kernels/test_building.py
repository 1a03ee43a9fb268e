"""Code that is compiled once serves every process, whoever asks for it first."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend, why_not_compiled
from tests.engine.tiny import CONFIG, random_weights


def test_several_that_build_at_once_leave_code_that_the_next_one_takes(tmp_path: Path) -> None:
    if reason := why_not_compiled():
        pytest.skip(reason)
    code = (
        "import sys, pathlib, spark_tui.engine.backend as b; "
        "b.Backend(folder=pathlib.Path(sys.argv[1])).build()"
    )
    builders = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [each.wait(timeout=600) for each in builders] == [0, 0]
    chosen = Backend(folder=tmp_path)
    assert (chosen.is_ready, chosen.may_be_built) == (True, False)
    assert chosen.make(CONFIG, random_weights()).kernels.startswith("compiled")


def test_where_the_second_process_fails_the_first_compiles_everything(tmp_path: Path) -> None:
    if reason := why_not_compiled():
        pytest.skip(reason)
    code = f"""
import sys
from pathlib import Path
from spark_tui.engine.backend import Backend
sys.executable = {shutil.which("false")!r}
backend = Backend(folder=Path({str(tmp_path)!r}))
backend.build()
assert backend.is_ready
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert Backend(folder=tmp_path).make(CONFIG, random_weights()).kernels.startswith("compiled")
    kept = [file for file in tmp_path.rglob("*") if file.suffix in {".o", ".nbc"}]
    assert len(kept) == 4


def test_the_second_process_runs_no_code_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    """It would run what a stranger's repository calls numba."""
    if reason := why_not_compiled():
        pytest.skip(reason)
    repository, canary = tmp_path / "repository", tmp_path / "canary"
    repository.mkdir()
    for name in ("numba", "llvmlite", "spark_tui", "numpy"):
        (repository / f"{name}.py").write_text(f"open({str(canary)!r}, 'w')\n")
    code = f"""
import sys
from pathlib import Path
from spark_tui.engine.kernels.second_process import second_process
with second_process(Path({str(tmp_path / "code")!r})) as wait:
    wait()
"""
    subprocess.run([sys.executable, "-P", "-c", code], check=True, cwd=repository)
    assert not canary.exists()
    assert list((tmp_path / "code").rglob("*.o"))
