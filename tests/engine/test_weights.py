"""Weights are read as the numbers they stand for, or refused in one line that names the file
and the tensor.
"""

import json
import os
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save, save_file

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.weights import open_shard, read_weights
from spark_tui.errors import ModelError
from tests.engine.folders import refusal, write_config, write_weights
from tests.engine.tiny import CONFIG, KINDS, random_weights, write_model

NORM = "model.norm.weight"
UP = "model.layers.1.mlp.up_proj.weight"


def read(folder: Path) -> dict[str, FloatArray]:
    return read_weights(folder, ModelConfig.read(folder))


def bfloat16(array: FloatArray) -> bytes:
    """The upper halves of float32 numbers."""
    return (array.view(np.uint32) >> 16).astype("<u2").tobytes()


def write_bfloat16(folder: Path, arrays: dict[str, FloatArray]) -> None:
    header, data = {}, b""
    for name, array in arrays.items():
        start, data = len(data), data + bfloat16(array)
        header[name] = {"dtype": "BF16", "shape": array.shape, "data_offsets": [start, len(data)]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_weights_of_every_supported_type_are_read_as_the_float32_they_stand_for(
    model_folder: Path,
) -> None:
    weights = random_weights()
    for kind in (np.float16, np.float32):
        write_weights(model_folder, {}, kind)
        found = read_weights(model_folder, CONFIG)
        assert found.keys() == weights.keys()
        assert all((found[name] == weights[name]).all() for name in weights)
        assert {array.dtype for array in found.values()} == {np.dtype(np.float32)}
    write_bfloat16(model_folder, weights)
    found = read_weights(model_folder, CONFIG)
    assert all(np.allclose(found[name], weights[name], rtol=2**-7) for name in weights)
    assert bfloat16(found[UP]) == bfloat16(weights[UP])


def test_weights_are_ours_whatever_becomes_of_the_file(model_folder: Path) -> None:
    found = read_weights(model_folder, CONFIG)
    with (model_folder / "model.safetensors").open("r+b") as stream:
        stream.truncate(0)
    assert (found[UP] == random_weights()[UP]).all()


def test_a_file_cut_while_it_is_read_is_refused_and_one_put_in_its_place_is_not_mixed_in(
    model_folder: Path,
) -> None:
    path = model_folder / "model.safetensors"
    with open_shard(path) as shard:
        path.rename(model_folder / "old")
        path.write_bytes(bytes(1000))
        assert (shard.read(UP) == random_weights()[UP]).all()
        os.truncate(model_folder / "old", 5000)
        assert "cut while it was read" in refusal(
            lambda: [shard.read(name) for name in shard.tensors]
        )


def test_an_untied_model_needs_its_head(model_folder: Path) -> None:
    write_config(model_folder, tie_word_embeddings=False)
    assert "1 tensors that config.json asks for are missing, lm_head.weight first" in refusal(
        lambda: read(model_folder)
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({UP: None, NORM: None}, f"2 tensors that config.json asks for are missing, {UP} first"),
        (
            {"extra.weight": np.zeros(3, np.float16)},
            "1 tensors that config.json does not ask for, 'extra.weight' first",
        ),
        (
            {UP: np.zeros((32, 48), np.float16)},
            f"{UP} has shape (32, 48), config.json asks for (48, 32)",
        ),
        ({UP: np.zeros((48, 32), np.int8)}, f"{UP} is 'I8', this engine reads F16, BF16, F32"),
        (
            {NORM: np.full(32, np.nan, np.float16)},
            f"{NORM} holds values that are not finite numbers",
        ),
        (
            {NORM: np.full(32, np.inf, np.float16)},
            f"{NORM} holds values that are not finite numbers",
        ),
    ],
)
def test_tensors_that_do_not_match_the_config_are_named(
    model_folder: Path, changes: dict[str, Any], message: str
) -> None:
    write_weights(model_folder, changes)
    assert f"model.safetensors: {message};" in refusal(lambda: read(model_folder))


@given(kept=st.floats(0, 1, exclude_max=True))
def test_a_file_truncated_anywhere_is_refused(
    tmp_path_factory: pytest.TempPathFactory, kept: float
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = save({name: array.astype(np.float16) for name, array in random_weights().items()})
    (folder / "model.safetensors").write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ModelError, match="truncated or not a safetensors file"):
        read_weights(folder, CONFIG)


BOMBS = {
    "header of 2^62 bytes": struct.pack("<Q", 1 << 62) + b"{}",
    "tensor of 2^62 bytes": b'{"a": {"dtype": "F32", "shape": [1073741824, 1073741824], '
    b'"data_offsets": [0, 16]}}',
    "offsets past the end": b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, '
    b"4611686018427387904]}}",
    "overlapping tensors": b'{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},'
    b' "b": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}',
    "deep nesting": b'{"a": ' + b"[" * 100_000,
    "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_header_is_refused(model_folder: Path, name: str) -> None:
    text = BOMBS[name]
    whole = struct.pack("<Q", len(text)) + text + bytes(16) if text.startswith(b"{") else text
    (model_folder / "model.safetensors").write_bytes(whole)
    assert "truncated or not a safetensors file" in refusal(lambda: read(model_folder))


def test_bytes_behind_the_tensors_are_refused_however_many(model_folder: Path) -> None:
    with (model_folder / "model.safetensors").open("r+b") as stream:
        stream.truncate(1 << 40)
    assert "tensors and file end at different places" in refusal(lambda: read(model_folder))


@pytest.mark.parametrize("name", KINDS)
def test_every_family_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    write_model(tmp_path, KINDS[name])
    found, written = read(tmp_path), random_weights(KINDS[name])
    assert found.keys() == written.keys()
    assert all((found[key] == written[key]).all() for key in written)


def test_what_some_writers_store_besides_is_left_aside(model_folder: Path) -> None:
    extra = {
        f"model.layers.{n}.self_attn.rotary_emb.inv_freq": np.ones(4, np.float32) for n in range(3)
    }
    head = {
        "lm_head.weight": np.zeros((CONFIG.vocab_size, CONFIG.hidden_size), np.float16)
    }  # shared, and stored twice
    write_weights(model_folder, extra | head)
    assert read(model_folder).keys() == random_weights().keys()


def split(folder: Path, homes: dict[str, str]) -> None:
    """Store the tiny model in files of these names, and their index."""
    (folder / "model.safetensors").unlink(missing_ok=True)
    weights = random_weights()
    for file in set(homes.values()):
        save_file({name: weights[name] for name in weights if homes[name] == file}, folder / file)
    write_index(folder, homes)


def write_index(folder: Path, homes: Any) -> None:
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": homes})
    )


HOMES = {name: f"model-{number % 3}.safetensors" for number, name in enumerate(random_weights())}


def test_a_model_in_several_files_is_read_as_one(model_folder: Path) -> None:
    split(model_folder, HOMES)
    found, written = read(model_folder), random_weights()
    assert all((found[name] == written[name]).all() for name in written)


def test_a_missing_or_cut_one_of_several_files_is_named(model_folder: Path) -> None:
    split(model_folder, HOMES)
    with (model_folder / "model-1.safetensors").open("r+b") as stream:
        stream.truncate(1000)
    assert "model-1.safetensors: truncated or not" in refusal(lambda: read(model_folder))
    (model_folder / "model-2.safetensors").unlink()
    (model_folder / "model-1.safetensors").unlink()
    assert "model-1.safetensors: missing" in refusal(lambda: read(model_folder))


def test_a_tensor_in_two_files_is_refused(model_folder: Path) -> None:
    split(model_folder, HOMES)
    write_weights(model_folder, {}, name="model-3.safetensors")
    write_index(model_folder, HOMES | {"more": "model-3.safetensors"})
    assert "' is in model-0.safetensors as well" in refusal(lambda: read(model_folder))


@pytest.mark.parametrize(
    "name",
    ["../model.safetensors", "/etc/passwd", "a/b", "..", "", "a\\b.safetensors", "a\0.safetensors"],
)
def test_an_index_that_leads_out_of_the_folder_is_refused(model_folder: Path, name: str) -> None:
    split(model_folder, HOMES)
    write_index(model_folder, HOMES | {NORM: name})
    assert "which is not a safetensors file of the folder" in refusal(lambda: read(model_folder))


@pytest.mark.parametrize("homes", [{}, [], 5, {NORM: 5}, {NORM: None}])
def test_an_index_that_names_no_files_is_refused(model_folder: Path, homes: Any) -> None:
    split(model_folder, HOMES)
    write_index(model_folder, homes)
    assert "model.safetensors.index.json: " in refusal(lambda: read(model_folder))


def test_reading_takes_no_more_memory_than_the_weights_and_one_block(tmp_path: Path) -> None:
    config = replace(CONFIG, vocab_size=1 << 16, hidden_size=64)
    write_model(tmp_path, config)
    tracemalloc.start()
    try:
        found = read_weights(tmp_path, config)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < sum(array.nbytes for array in found.values()) + (6 << 20)


def test_weights_beyond_the_memory_left_are_refused_before_they_are_read(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: 100_000)
    with pytest.raises(
        ModelError, match=r"reading the weights takes 0.00 GB of memory and .* name a smaller model"
    ):
        read(model_folder)
