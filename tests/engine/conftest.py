from pathlib import Path

import pytest

from spark_tui.engine.qwen3 import Qwen3
from tests.engine.tiny import tiny_model, write_model


@pytest.fixture(scope="session")
def model() -> Qwen3:
    """Random weights; a model keeps no state, so every test may share it."""
    return tiny_model()


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A Hugging Face folder of its own, for the test to damage."""
    folder = tmp_path / "tiny"
    write_model(folder)
    return folder
