from pathlib import Path

import pytest
from hypothesis import settings

from tests.engine.tiny import write_model

settings.register_profile("unhurried", deadline=None)  # a slow machine is no failure
settings.load_profile("unhurried")


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A Hugging Face folder of its own, for the test to damage."""
    folder = tmp_path / "tiny"
    write_model(folder)
    return folder
