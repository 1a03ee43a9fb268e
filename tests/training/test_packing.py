"""Adapters of a run, put beside their base: of several the mean."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from spark_tui.engine.adapters import CONFIG_FILE, DOWN, GGUF_FILE, PREFIX, UP, WEIGHTS_FILE, read_adapter
from tests.cli.conftest import Spark, spark, state
from tests.engine.tiny import CONFIG, write_model

__all__ = ["spark", "state"]
NAME = "model.layers.1.self_attn.o_proj.weight"
MODEL = replace(CONFIG, hidden_size=64, head_dim=16)


def adapter(folder: Path, value: float, *, rank: int = 32) -> Path:
    folder.mkdir()
    base, shape = PREFIX + NAME.removesuffix(".weight"), (rank, 64)
    parts = {base + DOWN: np.full(shape, value, np.float16), base + UP: np.full(shape[::-1], -value, np.float16)}
    save_file(parts, folder / WEIGHTS_FILE)
    (folder / CONFIG_FILE).write_text(json.dumps({"r": rank, "lora_alpha": 64}))
    return folder / WEIGHTS_FILE


@pytest.mark.parametrize(("values", "mean"), [([1.0], 1.0), ([1.0, 4.0], 2.5)])
def test_what_is_packed_is_the_mean(tmp_path: Path, spark: Spark, values: list[float], mean: float) -> None:
    write_model(tmp_path / "model", MODEL)
    runs = [adapter(tmp_path / str(number), value) for number, value in enumerate(values)]
    done = spark("train", "pack", *map(str, runs), str(tmp_path / "model"))
    assert done.code == 0, done.err
    pairs, scale = read_adapter(tmp_path / "model" / GGUF_FILE, [NAME], MODEL)
    down, up = pairs[NAME]
    assert (np.allclose(down, mean, rtol=0.01), np.allclose(up, -mean, rtol=0.01), scale) == (True, True, 2.0)


def test_adapters_that_differ_in_kind_have_no_mean(tmp_path: Path, spark: Spark) -> None:
    write_model(tmp_path / "model", MODEL)
    runs = [adapter(tmp_path / str(rank), 1.0, rank=rank) for rank in (32, 64)]
    done = spark("train", "pack", *map(str, runs), str(tmp_path / "model"))
    assert (done.code, "differ in rank" in done.err) == (2, True)
    assert not (tmp_path / "model" / GGUF_FILE).exists()
