"""Every family computes what two independent implementations do: transformers on torch, and
llama.cpp.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from tests.engine.record_families import (
    FIXTURES,
    PEERS,
    RECORDED,
    SEED,
    TOKENS,
    difference,
    logits_of,
    recorded_part,
    runs,
)
from tests.engine.tiny import FAMILIES, KINDS, MIXTURES, tiny_model

TOLERANCE = 1e-4
"""As a share of the largest logit; both peers differ by less than 5e-6 where the fixtures were
recorded.
"""


def ours(config: ModelConfig) -> FloatArray:
    model = tiny_model(config, SEED)
    return recorded_part(model.forward(TOKENS, model.new_cache(), last_only=False))


CASES = [(peer, name) for peer in PEERS for name in KINDS if runs(peer, name)]


@pytest.mark.parametrize("file", RECORDED)
@pytest.mark.parametrize("peer", PEERS)
def test_every_model_is_recorded(peer: str, file: str) -> None:
    with np.load(FIXTURES / f"{file}_{peer}.npz") as recorded:
        assert sorted(recorded) == sorted(name for name in RECORDED[file] if runs(peer, name))


@pytest.mark.parametrize(("peer", "name"), CASES)
def test_logits_are_those_another_implementation_recorded(peer: str, name: str) -> None:
    file = "mixtures" if name in MIXTURES else "families"
    with np.load(FIXTURES / f"{file}_{peer}.npz") as recorded:
        assert difference(ours(KINDS[name]), recorded[name]) < TOLERANCE


@pytest.mark.exhaustive
@pytest.mark.parametrize(("peer", "name"), CASES)
def test_logits_are_those_another_implementation_computes_now(peer: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(peer)
        theirs = logits_of(peer, name)
    assert difference(ours(KINDS[name]), theirs) < TOLERANCE


@pytest.mark.parametrize("name", [name for name, config in FAMILIES.items() if config.rope_scaling])
def test_the_fixtures_would_show_a_missing_rope_scaling(name: str) -> None:
    config = FAMILIES[name]
    assert difference(ours(replace(config, rope_scaling=None)), ours(config)) > 100 * TOLERANCE
