"""Every family computes what two independent implementations do: transformers on torch, and llama.cpp."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from tests.engine.record_families import FIXTURES, PEERS, SEED, TOKENS, difference, logits_of, recorded_part
from tests.engine.tiny import FAMILIES, tiny_model

TOLERANCE = 1e-4
"""As a share of the largest logit; both peers differ by less than 5e-6 where the fixtures were recorded."""


def ours(config: ModelConfig) -> FloatArray:
    model = tiny_model(config, SEED)
    return recorded_part(model.forward(TOKENS, model.new_cache(), last_only=False))


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FAMILIES)
def test_logits_are_those_another_implementation_recorded(peer: str, name: str) -> None:
    with np.load(FIXTURES / f"families_{peer}.npz") as recorded:
        assert sorted(recorded) == sorted(FAMILIES)
        assert difference(ours(FAMILIES[name]), recorded[name]) < TOLERANCE


@pytest.mark.exhaustive
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FAMILIES)
def test_logits_are_those_another_implementation_computes_now(peer: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(peer)
        theirs = logits_of(peer, name)
    assert difference(ours(FAMILIES[name]), theirs) < TOLERANCE


@pytest.mark.parametrize("name", [name for name, config in FAMILIES.items() if config.rope_scaling])
def test_the_fixtures_would_show_a_missing_rope_scaling(name: str) -> None:
    config = FAMILIES[name]
    assert difference(ours(replace(config, rope_scaling=None)), ours(config)) > 100 * TOLERANCE
