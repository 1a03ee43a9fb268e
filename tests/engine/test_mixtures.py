"""Mixtures of experts write llama.cpp's tokens, whichever arithmetic they run with."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from spark_tui.engine.config import Experts
from spark_tui.engine.decoder import route
from spark_tui.engine.generate import Step, generate, greedy
from spark_tui.engine.loader import load, read_model
from spark_tui.engine.model import Model
from spark_tui.errors import ModelError
from tests.engine.record_mixtures import FILE, NAMES, PROMPTS, WRITTEN, greedy_tokens, write_mixture
from tests.engine.tiny import MIXTURES, random_weights, write_model


def ours(model: Model) -> npt.NDArray[np.int64]:
    written = []
    for prompt in PROMPTS:
        steps = generate(
            model, model.new_cache(), prompt.tolist(), sampler=greedy(), max_tokens=WRITTEN
        )
        written.append([step.token_id for step in steps if isinstance(step, Step)])
    return np.array(written)


@pytest.mark.parametrize("name", NAMES)
def test_the_tokens_behind_twenty_prompts_are_those_llama_cpp_wrote(
    tmp_path: Path, name: str
) -> None:
    write_mixture(tmp_path / "tiny.gguf", name)
    with np.load(FILE) as recorded:
        assert np.array_equal(ours(load(tmp_path / "tiny.gguf").model), recorded[name])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_the_tokens_behind_twenty_prompts_are_those_llama_cpp_writes_now(
    tmp_path: Path, name: str
) -> None:
    pytest.importorskip("llama_cpp")
    write_mixture(tmp_path / "tiny.gguf", name)
    wanted = greedy_tokens(tmp_path / "tiny.gguf")
    assert np.array_equal(ours(load(tmp_path / "tiny.gguf").model), wanted)


@pytest.mark.parametrize("name", MIXTURES)
def test_the_experts_of_a_folder_are_read_when_they_are_taken(tmp_path: Path, name: str) -> None:
    write_model(tmp_path, MIXTURES[name])
    weights, wanted = read_model(tmp_path).weights, random_weights(MIXTURES[name])
    assert weights.keys() == wanted.keys()
    assert all(np.array_equal(weights[each], wanted[each]) for each in wanted)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"model.safetensors: changed while it was read"):
        weights["model.layers.0.mlp.experts.1.up_proj.weight"]


def test_of_equal_experts_the_first_are_chosen_and_shares_are_of_those_or_of_all() -> None:
    logits = np.zeros((1, 4), np.float32)
    chosen, shares = route(Experts(4, 2, 8), logits)
    assert (chosen.tolist(), shares.tolist()) == ([[0, 1]], [[0.5, 0.5]])
    _, parts = route(Experts(4, 2, 8, normalized=False), logits)
    assert parts.tolist() == [[0.25, 0.25]]
