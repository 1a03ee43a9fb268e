"""Code that is compiled once serves every process, whoever asks for it first."""

from pathlib import Path

from spark_tui.engine.backend import Backend
from tests.engine.tiny import CONFIG, random_weights


def test_several_that_build_at_once_leave_code_that_the_next_one_takes(built_at_once: tuple[Path, list[int]]) -> None:
    folder, ended = built_at_once
    assert ended == [0, 0]
    chosen = Backend(folder=folder)
    assert (chosen.is_ready, chosen.may_be_built) == (True, False)
    assert chosen.make(CONFIG, random_weights()).kernels.startswith("compiled")
