"""Adapters of runs, put beside their base: of several the mean of what they change."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.export import write_adapter
from spark_tui.engine.lora import (
    CONFIG_FILE,
    DOWN,
    GGUF_FILE,
    PREFIX,
    UP,
    WEIGHTS_FILE,
    read_adapter,
)
from spark_tui.training.adapters import WeightedAdapter, mean_of_adapters, write_pieces
from tests.cli.conftest import Spark, spark, state
from tests.engine.tiny import CONFIG, write_model

__all__ = ["spark", "state"]
NAMES = ("model.layers.1.self_attn.o_proj.weight", "model.layers.2.self_attn.o_proj.weight")
MODEL = replace(CONFIG, hidden_size=64, head_dim=16)


def random_adapter(seed: int, rank: int, scale: float, *, names: int = 2) -> WeightedAdapter:
    rng = np.random.default_rng(seed)

    def matrix(*shape: int) -> FloatArray:
        return rng.normal(size=shape).astype(np.float32)

    pairs = {name: (matrix(rank, 64), matrix(64, rank)) for name in NAMES[:names]}
    return WeightedAdapter(pairs, scale)


def change(adapter: WeightedAdapter, name: str) -> FloatArray:
    if name not in adapter.pairs:
        return np.zeros((64, 64), np.float32)
    down, up = adapter.pairs[name]
    product = adapter.scale * up @ down
    return product.astype(np.float32)


def peft_folder(folder: Path, adapter: WeightedAdapter) -> Path:
    folder.mkdir()
    tensors = dict[str, FloatArray]()
    for name, (down, up) in adapter.pairs.items():
        stem = PREFIX + name.removesuffix(".weight")
        tensors |= {stem + DOWN: down, stem + UP: up}
    save_file(tensors, folder / WEIGHTS_FILE)
    entries = {"r": adapter.rank, "lora_alpha": adapter.rank * adapter.scale}
    (folder / CONFIG_FILE).write_text(json.dumps(entries))
    return folder


def test_the_mean_is_exact_where_the_rank_holds_the_sum() -> None:
    adapters = [random_adapter(0, 3, 2.0), replace(random_adapter(1, 5, 0.5, names=1), weight=3.0)]
    mean = mean_of_adapters(adapters, rank=8)
    assert mean.rank == 8
    assert mean.lost == pytest.approx(0.0, abs=1e-12)
    for name in NAMES:
        expected = change(adapters[0], name) / 4 + change(adapters[1], name) * 3 / 4
        down, up = mean.pairs[name]
        assert np.allclose(mean.scale * up @ down, expected, atol=1e-4), name


def test_what_a_smaller_rank_loses_is_the_least_there_is() -> None:
    adapters = [random_adapter(0, 4, 1.0, names=1), random_adapter(1, 4, 1.0, names=1)]
    mean = mean_of_adapters(adapters)
    expected = (change(adapters[0], NAMES[0]) + change(adapters[1], NAMES[0])) / 2
    down, up = mean.pairs[NAMES[0]]
    squares = np.linalg.svd(expected, compute_uv=False) ** 2
    assert down.shape == (4, 64)
    assert mean.lost == pytest.approx(squares[4:].sum() / squares.sum(), rel=1e-4)
    error = np.linalg.norm(mean.scale * up @ down - expected) ** 2
    assert error == pytest.approx(squares[4:].sum(), rel=1e-3)


def test_the_command_packs_one_adapter_as_it_is(tmp_path: Path, spark: Spark) -> None:
    write_model(tmp_path / "model", MODEL)
    adapter = random_adapter(0, 32, 2.0)
    source = peft_folder(tmp_path / "run", adapter)
    done = spark("train", "pack", str(source), str(tmp_path / "model"))
    assert done.code == 0, done.err
    pairs, scale = read_adapter(tmp_path / "model" / GGUF_FILE, NAMES, MODEL)
    assert scale == 2.0
    for name in NAMES:
        assert np.allclose(pairs[name][0], adapter.pairs[name][0], atol=0.05)


def test_the_command_takes_files_weights_pieces_and_a_rank(tmp_path: Path, spark: Spark) -> None:
    write_model(tmp_path / "model", MODEL)
    first, second = random_adapter(0, 32, 1.0), random_adapter(1, 16, 2.0)
    write_adapter(tmp_path / "first.gguf", MODEL, first.pairs, 32.0)
    whole = tmp_path / "pieces" / GGUF_FILE
    whole.parent.mkdir()
    write_adapter(whole, MODEL, second.pairs, 32.0)
    assert len(write_pieces(whole, 3000)) > 2
    whole.unlink()
    sources = [f"{tmp_path / 'first.gguf'}=3", str(whole.parent)]
    done = spark("train", "pack", *sources, str(tmp_path / "model"), "--rank", "48")
    assert done.code == 0, done.err
    assert "rank 48: 0.00% of the squared change is lost" in done.err
    pairs, scale = read_adapter(tmp_path / "model" / GGUF_FILE, NAMES, MODEL)
    for name in NAMES:
        down, up = pairs[name]
        expected = change(first, name) * 3 / 4 + change(second, name) / 4
        error = np.linalg.norm(scale * up @ down - expected)
        assert error < 0.03 * np.linalg.norm(expected), "but for eight bits"


def test_a_folder_with_a_piece_missing_is_refused(tmp_path: Path, spark: Spark) -> None:
    write_model(tmp_path / "model", MODEL)
    (tmp_path / "pieces").mkdir()
    (tmp_path / "pieces" / f"{GGUF_FILE}.1").write_bytes(b"")
    done = spark("train", "pack", str(tmp_path / "pieces"), str(tmp_path / "model"))
    assert (done.code, f"lacks {GGUF_FILE}.0" in done.err) == (2, True)
    assert not (tmp_path / "model" / GGUF_FILE).exists()
