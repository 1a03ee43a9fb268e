"""Compiled kernels choose the reference's tokens on the shipped model and requests of our own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spark_tui.cli.bench.decode import ReferenceTokens
from spark_tui.engine.backend import Backend
from spark_tui.engine.loader import LoadedModel, find_model, load

pytestmark = pytest.mark.exhaustive
PORTABLE = {
    "NUMBA_CPU_NAME": "x86-64-v3",
    "NUMBA_CPU_FEATURES": "+avx2,+fma,+f16c,+bmi,+bmi2,+movbe,+sse4.2",
}
LEAST = {32: 0.999, 8: 0.97, 4: 0.75}
"""The share of equal tokens below which something is broken."""


def shipped(folder: Path, bits: int) -> LoadedModel:
    return load(find_model(), Backend("compiled", bits, 1, folder))


@pytest.mark.parametrize("bits", LEAST)
def test_the_tokens_chosen_are_the_references_as_far_as_the_bits_allow(
    code_folder: Path, bits: int
) -> None:
    loaded = shipped(code_folder, bits)
    reference = ReferenceTokens(loaded)
    assert reference.prompts > 20
    assert reference.share_of_equal_tokens(loaded.model) >= LEAST[bits]


@pytest.mark.parametrize("bits", LEAST)
def test_code_for_avx2_computes_the_same_bits(code_folder: Path, tmp_path: Path, bits: int) -> None:
    """In a process of its own, made to believe that the processor has no byte products."""
    loaded = shipped(code_folder, bits)
    prompt = loaded.tokenizer.encode("def area(w, h):\n    return w * h\n")
    wanted = loaded.model.forward(prompt, loaded.model.new_cache(), last_only=False)
    code = f"""
import sys, numpy as np
from pathlib import Path
from spark_tui.engine.backend import Backend, instructions
from spark_tui.engine.loader import find_model, load
assert instructions() == "AVX2"
model = load(find_model(), Backend("compiled", {bits}, 1, Path({str(tmp_path)!r}))).model
logits = model.forward({prompt}, model.new_cache(), last_only=False)
np.save({str(tmp_path / "logits.npy")!r}, logits)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | PORTABLE)
    assert np.array_equal(np.load(tmp_path / "logits.npy"), wanted)
