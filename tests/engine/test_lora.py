"""Adapters beside a model's weights, and weights in several GGUF parts."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from spark_tui.engine import export
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.export import write_part
from spark_tui.engine.gguf import gguf_name
from spark_tui.engine.gguf_quants import F32
from spark_tui.engine.loader import read_model
from spark_tui.engine.lora import CONFIG_FILE, DOWN, GGUF_FILE, PREFIX, UP, WEIGHTS_FILE
from spark_tui.engine.weights import LazyWeights
from spark_tui.errors import ModelError
from tests.engine.tiny import CONFIG, FAMILIES, write_model

NAME = "model.layers.1.mlp.up_proj.weight"


def write_adapter(
    folder: Path, down: np.ndarray, up: np.ndarray, *, name: str = NAME, alpha: float = 4.0
) -> None:
    base = PREFIX + name.removesuffix(".weight")
    save_file(
        {base + DOWN: down.astype(np.float16), base + UP: up.astype(np.float16)},
        folder / WEIGHTS_FILE,
    )
    (folder / CONFIG_FILE).write_text(json.dumps({"r": len(down), "lora_alpha": alpha}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(tmp_path / "model")
    return tmp_path / "model"


def ones(rank: int = 2) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((rank, CONFIG.hidden_size)), np.ones((CONFIG.intermediate_size, rank))


def test_an_adapter_is_added_to_the_weight_it_names_and_to_no_other(folder: Path) -> None:
    before = dict(read_model(folder).weights)
    write_adapter(folder, *ones())
    after = read_model(folder).weights
    for name, weight in before.items():
        added = 4.0 if name == NAME else 0.0  # alpha / rank, times as many ones as the rank has
        assert np.allclose(after[name], weight + added, atol=1e-5), name


@pytest.mark.parametrize("family", ["llama", "qwen2"])
def test_an_adapter_in_8_bits_adds_the_same_but_for_the_rounding(
    tmp_path: Path, family: str
) -> None:
    config = replace(FAMILIES[family], hidden_size=64, head_dim=16)
    write_model(tmp_path / "model", config)
    before, rng = dict(read_model(tmp_path / "model").weights), np.random.default_rng(3)

    def noise(*shape: int) -> FloatArray:
        return rng.normal(size=shape).astype(np.float32)

    pairs = {
        name: (noise(32, weight.shape[1]), noise(len(weight), 32))
        for name, weight in before.items()
        if "layers.1" in name and weight.ndim == 2
    }
    export.write_adapter(tmp_path / "model" / GGUF_FILE, config, pairs, alpha=64.0)
    after = read_model(tmp_path / "model").weights
    for name, weight in before.items():
        down, up = pairs.get(name, (np.zeros((1, 1), np.float32),) * 2)
        expected = weight + 2.0 * (up @ down)
        assert np.linalg.norm(after[name] - expected) <= 0.01 * np.linalg.norm(expected), name


def test_an_adapter_in_8_bits_is_no_part_of_the_base_and_must_fit_it(folder: Path) -> None:
    write_adapter(folder, *ones())
    down, up = ones()
    export.write_adapter(
        folder / GGUF_FILE,
        CONFIG,
        {"model.layers.9.mlp.up_proj.weight": (down.astype(np.float32), up.astype(np.float32))},
        alpha=4.0,
    )
    with pytest.raises(ModelError, match=r"blk.9.ffn_up.weight.lora_a belongs to no weight"):
        _ = read_model(folder).weights


@pytest.mark.parametrize("fault", ["name", "shape", "pair", "config"])
def test_an_adapter_of_another_model_is_refused(folder: Path, fault: str) -> None:
    down, up = ones()
    if fault == "pair":
        save_file(
            {PREFIX + NAME.removesuffix(".weight") + DOWN: down.astype(np.float16)},
            folder / WEIGHTS_FILE,
        )
        (folder / CONFIG_FILE).write_text(json.dumps({"r": 2, "lora_alpha": 4.0}))
    else:
        name = "model.layers.99.mlp.up_proj.weight" if fault == "name" else NAME
        write_adapter(folder, down, up[:, :1] if fault == "shape" else up, name=name)
    if fault == "config":
        (folder / CONFIG_FILE).write_text("{}")
    with pytest.raises(ModelError):
        read_model(folder)


def test_a_folder_may_hold_its_weights_in_several_gguf_parts(folder: Path) -> None:
    weights = dict(read_model(folder).weights)
    stored = {
        gguf_name(name): (value.shape, F32, value.tobytes()) for name, value in weights.items()
    }
    names = sorted(stored)
    write_part(folder / "base-00001-of-00002.gguf", {name: stored[name] for name in names[::2]})
    write_part(folder / "base-00002-of-00002.gguf", {name: stored[name] for name in names[1::2]})
    (folder / "model.safetensors").unlink()
    found = read_model(folder).weights
    assert all(np.array_equal(found[name], value) for name, value in weights.items())
    write_adapter(folder, *ones())
    assert np.allclose(read_model(folder).weights[NAME], weights[NAME] + 4.0, atol=1e-5)


def test_a_missing_part_and_a_tensor_in_two_are_told(folder: Path) -> None:
    weights = dict(read_model(folder).weights)
    stored = {
        gguf_name(name): (value.shape, F32, value.tobytes()) for name, value in weights.items()
    }
    names = sorted(stored)
    (folder / "model.safetensors").unlink()
    write_part(folder / "base-00001-of-00002.gguf", {name: stored[name] for name in names[1:]})
    with pytest.raises(ModelError, match="missing"):
        read_model(folder)
    write_part(folder / "base-00002-of-00002.gguf", {name: stored[name] for name in names[:2]})
    with pytest.raises(ModelError, match="another part"):
        read_model(folder)


@pytest.mark.parametrize("parts", [False, True])
def test_rows_of_a_weight_are_those_of_the_whole(folder: Path, parts: bool) -> None:
    stored = dict(read_model(folder).weights)
    rng = np.random.default_rng(2)
    write_adapter(
        folder, *(rng.integers(-4, 5, each.shape) for each in ones())
    )  # their products are exact
    if parts:
        held = {
            gguf_name(name): (value.shape, F32, value.tobytes()) for name, value in stored.items()
        }
        write_part(folder / "base-00001-of-00001.gguf", held)
        (folder / "model.safetensors").unlink()
    weights = read_model(folder).weights
    assert isinstance(weights, LazyWeights)
    for name in (NAME, "model.layers.0.mlp.up_proj.weight"):
        rows = weights.rows(name)
        assert name in weights
        assert rows.shape == weights[name].shape
        assert np.array_equal(rows[1:5], weights[name][1:5])
        assert np.array_equal(weights[name], stored[name]) == (name != NAME)
    assert "model.layers.99.mlp.up_proj.weight" not in weights
