import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend, why_not_compiled
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.model import Model
from tests.engine.tiny import CONFIG, random_weights

Compiled = Callable[..., Model]


@pytest.fixture(scope="session")
def built_at_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A folder in which two processes compiled at the same time, once for all tests, and how
    those ended.
    """
    if reason := why_not_compiled():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("kernels")
    code = (
        "import sys, pathlib, spark_tui.engine.backend as b; "
        "b.Backend(folder=pathlib.Path(sys.argv[1])).build()"
    )
    builders = [subprocess.Popen([sys.executable, "-c", code, str(folder)]) for _ in range(2)]
    return folder, [each.wait(timeout=600) for each in builders]


@pytest.fixture(scope="session")
def code_folder(built_at_once: tuple[Path, list[int]]) -> Path:
    """Where compiled code is kept."""
    return built_at_once[0]


@pytest.fixture(scope="session")
def compiled(code_folder: Path) -> Compiled:
    """Makes a random model that is compiled."""

    def make(
        config: ModelConfig = CONFIG, *, bits: int = 32, threads: int = 1, seed: int = 0
    ) -> Model:
        backend = Backend("compiled", bits, threads, code_folder)
        return backend.make(config, random_weights(config, seed))

    return make
