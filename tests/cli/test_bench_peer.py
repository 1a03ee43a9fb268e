"""llama.cpp as a peer, where it is installed: it reads our file, and its ways of running tokens agree."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from spark_tui.cli.bench import peer as llama
from spark_tui.cli.bench.models import as_gguf, bytes_a_token, write_random_model
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.library import find_model, load
from spark_tui.engine.weights import EMBEDDING, expected_shapes
from tests.fakes import write_model

SHAPE = {
    "model_type": "qwen2", "vocab_size": 1024, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 96, "max_position_embeddings": 256,
    "rope_theta": 1_000_000.0, "rms_norm_eps": 1e-6, "tie_word_embeddings": True, "hidden_act": "silu",
}  # fmt: skip
IDS = [5, 17, 3, 99, 42, 8]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "random"
    write_random_model(made, SHAPE, write_model(tmp_path / "tiny"))
    return made


@pytest.fixture
def peer(folder: Path) -> Iterator[llama.Peer]:
    pytest.importorskip("llama_cpp")
    library = llama.library(pytest.fail)
    with as_gguf(folder, 8) as file, closing(llama.PeerModel(library, file)) as model:
        yield model.context(llama.PeerSettings(1, 1, flash_attention=False), 256)


def test_random_weights_are_the_same_each_time_and_finite(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    write_random_model(again, SHAPE, tmp_path / "tiny")
    assert (again / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()
    model = load(folder).model
    assert np.isfinite(model.forward(IDS, model.new_cache())).all()


def test_what_a_token_reads_is_every_weight_once_and_the_cache(folder: Path) -> None:
    config = ModelConfig.read(folder)
    weights = sum(int(np.prod(shape)) for shape in expected_shapes(config).values())
    assert EMBEDDING in expected_shapes(config)
    assert bytes_a_token(config, 8, 0) == weights
    assert bytes_a_token(config, 4, 0) == weights / 2
    assert bytes_a_token(config, 8, 10) - weights == 10 * 2 * 2 * 2 * 16 * 2  # tokens, K and V, layers, K, D, bytes


def test_verifying_tokens_at_once_tells_what_running_them_one_by_one_does(peer: llama.Peer) -> None:
    peer.trim(0)
    one_by_one = [peer.run([token]) for token in IDS]
    assert peer.length == len(IDS)
    peer.trim(0)
    assert peer.verify(IDS) == one_by_one
    peer.trim(3)
    assert peer.verify(IDS[3:]) == one_by_one[3:]
    peer.trim(0)
    assert peer.run(IDS) == one_by_one[-1]


def test_it_reads_a_model_with_more_ids_than_the_shipped_tokenizer_has_tokens(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    write_random_model(tmp_path / "random", SHAPE | {"vocab_size": 50_000}, find_model())
    with as_gguf(tmp_path / "random", 8) as file, closing(llama.PeerModel(llama.library(pytest.fail), file)) as model:
        assert model.vocab_size == 50_000
