"""Compiled kernels choose the reference's tokens on the shipped model and real prompts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_tui.cli.bench.agreement import ReferenceAnswer, greedy_tokens, reference_answers, share_of_equal_tokens
from spark_tui.engine.backend import Backend
from spark_tui.engine.library import find_model, load
from spark_tui.engine.model import Model

FEW = 8
PORTABLE = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+fma,+f16c,+bmi,+bmi2,+movbe,+sse4.2"}
LEAST = {8: 0.97, 4: 0.75}
"""The share of equal tokens below which something is broken."""


@pytest.fixture(scope="module")
def answers() -> list[ReferenceAnswer]:
    return reference_answers(load(find_model()), FEW)


def shipped(folder: Path, bits: int) -> Model:
    return load(find_model(), Backend("compiled", bits, 1, folder)).model


def test_float_kernels_write_the_same_tokens(code_folder: Path, answers: list[ReferenceAnswer]) -> None:
    model = shipped(code_folder, 32)
    assert [greedy_tokens(model, answer.prompt) for answer in answers] == [answer.tokens for answer in answers]


@pytest.mark.exhaustive
def test_float_kernels_write_the_same_tokens_behind_200_prompts(code_folder: Path) -> None:
    found = reference_answers(load(find_model()))
    model = shipped(code_folder, 32)
    assert len(found) == 200
    assert [greedy_tokens(model, answer.prompt) for answer in found] == [answer.tokens for answer in found]


@pytest.mark.parametrize("bits", [8, 4])
def test_fewer_bits_choose_nearly_the_same_tokens(code_folder: Path, answers: list[ReferenceAnswer], bits: int) -> None:
    assert share_of_equal_tokens(shipped(code_folder, bits), answers) >= LEAST[bits]


@pytest.mark.exhaustive
@pytest.mark.parametrize("bits", [32, 8, 4])
def test_portable_code_computes_the_same_bits(
    code_folder: Path, tmp_path: Path, answers: list[ReferenceAnswer], bits: int
) -> None:
    """In a process of its own, made to believe that the processor has no byte products."""
    prompt = list(answers[0].prompt)
    model = shipped(code_folder, bits)
    wanted = model.forward(prompt, model.new_cache(), last_only=False)
    code = f"""
import sys, numpy as np
from pathlib import Path
from spark_tui.engine.backend import Backend, instructions
from spark_tui.engine.library import find_model, load
assert instructions() == "portable instructions"
model = load(find_model(), Backend("compiled", {bits}, 1, Path({str(tmp_path)!r}))).model
np.save({str(tmp_path / "logits.npy")!r}, model.forward({prompt}, model.new_cache(), last_only=False))
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | PORTABLE)
    import numpy as np

    assert np.array_equal(np.load(tmp_path / "logits.npy"), wanted)
