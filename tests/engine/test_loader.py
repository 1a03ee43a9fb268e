from pathlib import Path

import numpy as np
import pytest

from spark_tui.engine import loader
from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.loader import find_model, load
from spark_tui.errors import UsageError
from tests.engine.tiny import CONFIG, tiny_model, write_model


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder that holds two models and a folder without one."""
    folder = tmp_path / "models"
    for name in ("spark-m", "other"):
        write_model(folder / name)
    (folder / "notes").mkdir()
    monkeypatch.setattr(loader, "MODELS_FOLDER", folder)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_model_is_found_by_its_name_even_beside_a_folder_of_that_name_by_its_path_or_by_none(
    shelf: Path, model_folder: Path
) -> None:
    Path("other").mkdir()
    assert find_model("other") == shelf / "other"
    assert find_model(str(model_folder)) == model_folder
    assert find_model() == find_model(None) == shelf / "spark-m"


@pytest.mark.parametrize("name", ["spark-x", "notes", "models/spark-m/config.json"])
def test_an_unknown_name_is_refused_with_the_known_ones(shelf: Path, name: str) -> None:
    with pytest.raises(
        UsageError, match=f"^no model '{name}'; shipped are: other, spark-m; .* or a .gguf file$"
    ):
        find_model(name)


def test_without_any_model_the_message_says_so(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "MODELS_FOLDER", shelf / "notes")
    with pytest.raises(UsageError, match="no model 'spark-m'; shipped are: none"):
        find_model()


def test_load_gives_a_model_that_computes_what_was_saved(model_folder: Path) -> None:
    loaded = load(model_folder)
    assert (loaded.name, loaded.path, loaded.config) == ("tiny", model_folder, CONFIG)
    ids = loaded.tokenizer.encode("return values")
    fresh = tiny_model().forward(ids, KVCache(CONFIG))
    assert np.allclose(loaded.model.forward(ids, KVCache(CONFIG)), fresh, atol=1e-5)
    assert loaded.bytes == loaded.model.bytes
    assert 0 < loaded.load_seconds < 60
