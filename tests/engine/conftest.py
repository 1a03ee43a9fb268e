from pathlib import Path

import pytest

from tests.engine.tiny import write_model


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """A Hugging Face folder of its own, for the test to damage."""
    folder = tmp_path / "tiny"
    write_model(folder)
    return folder
