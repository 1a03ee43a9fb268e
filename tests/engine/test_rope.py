"""The turns of RoPE, against those transformers computes, and against what the scalings promise."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.config import ModelConfig, RopeScaling, attention_factor, frequencies
from tests.engine.folders import write_config
from tests.engine.record_rope import CASES, FIXTURE, POSITIONS
from tests.engine.tiny import CONFIG

RECORDED = json.loads(FIXTURE.read_text())
factors = st.floats(1, 1000)
scalings = st.one_of(
    st.builds(RopeScaling, st.just("linear"), factors),
    st.builds(RopeScaling, st.just("llama3"), factors, st.integers(1, 1 << 20)),
    st.builds(
        RopeScaling, st.just("yarn"), factors, st.integers(1, 1 << 20), whole_bounds=st.booleans()
    ),
)


def read(folder: Path, case: dict[str, Any]) -> ModelConfig:
    write_config(folder, max_position_embeddings=POSITIONS, **case)
    return ModelConfig.read(folder)


@pytest.mark.parametrize("name", CASES)
def test_the_turns_are_those_of_transformers(model_folder: Path, name: str) -> None:
    config = read(model_folder, CASES[name])
    assert np.allclose(frequencies(config), RECORDED[name]["frequencies"], rtol=1e-5, atol=0)
    assert attention_factor(config) == pytest.approx(RECORDED[name]["attention_factor"], rel=1e-9)


@given(
    scaling=scalings, theta=st.floats(2, 1e7), dim=st.integers(1, 128).map(lambda half: 2 * half)
)
def test_every_turn_is_slowed_by_one_to_factor_times(
    scaling: RopeScaling, theta: float, dim: int
) -> None:
    config = replace(CONFIG, rope_theta=theta, head_dim=dim)
    slowed = frequencies(config) / frequencies(replace(config, rope_scaling=scaling))
    assert slowed.shape == (dim // 2,)
    assert (slowed > 1 - 1e-9).all()
    assert (slowed < scaling.factor * (1 + 1e-9)).all()


@given(scaling=scalings.filter(lambda one: one.kind != "yarn" or one.whole_bounds))
def test_slower_turns_are_slowed_at_least_as_much(scaling: RopeScaling) -> None:
    config = replace(CONFIG, head_dim=64)
    slowed = frequencies(config) / frequencies(replace(config, rope_scaling=scaling))
    assert (np.diff(slowed) > -1e-6).all()


@pytest.mark.parametrize("kind", ["linear", "llama3", "yarn"])
def test_a_factor_of_one_changes_nothing(kind: str) -> None:
    scaled = replace(CONFIG, rope_scaling=RopeScaling(kind, 1.0, 32))
    assert np.allclose(frequencies(scaled), frequencies(CONFIG), rtol=1e-12, atol=0)
