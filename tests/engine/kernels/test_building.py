"""Code that is compiled once serves every process, whoever asks for it first."""

import subprocess
from pathlib import Path

from spark_tui.engine.backend import Backend
from tests.engine.tiny import CONFIG, random_weights


def test_several_that_build_at_once_leave_code_that_the_next_one_takes(built_at_once: tuple[Path, list[int]]) -> None:
    folder, ended = built_at_once
    assert ended == [0, 0]
    chosen = Backend(folder=folder)
    assert (chosen.is_ready, chosen.may_be_built) == (True, False)
    assert chosen.make(CONFIG, random_weights()).kernels.startswith("compiled")


def test_code_of_a_module_in_the_folder_at_hand_is_not_run(tmp_path: Path, code_folder: Path) -> None:
    (tmp_path / "numba.py").write_text("raise SystemExit(3)")
    (tmp_path / "spark_tui").mkdir()
    (tmp_path / "spark_tui" / "__init__.py").write_text("raise SystemExit(4)")
    builder = Backend(folder=code_folder)
    command = builder.building
    done = subprocess.run(command, cwd=tmp_path, check=False)
    assert done.returncode == 0
