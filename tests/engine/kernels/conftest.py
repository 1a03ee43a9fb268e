from collections.abc import Callable
from pathlib import Path

import pytest

from spark_tui.engine.backend import Backend
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.model import Model
from tests.engine.tiny import CONFIG, random_weights

Compiled = Callable[..., Model]


@pytest.fixture(scope="session")
def compiled(code_folder: Path) -> Compiled:
    """Makes a random model that is compiled."""

    def make(
        config: ModelConfig = CONFIG, *, bits: int = 32, threads: int = 1, seed: int = 0
    ) -> Model:
        backend = Backend("compiled", bits, threads, code_folder)
        return backend.make(config, random_weights(config, seed))

    return make
