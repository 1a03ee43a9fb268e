"""Kernels for processors that are not this one: what they compute, and that they can be made.

Those for Arm run in an emulator where it is installed: `apt install qemu-user gcc-aarch64-linux-gnu
libc6-dev-arm64-cross`, then `pytest tests/engine/kernels/test_other_processors.py`.
"""

import ctypes
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.backend import why_not_compiled
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.kernels import objects
from spark_tui.engine.kernels.compiled import CompiledDecoder, Crew
from spark_tui.engine.kernels.ir import KERNELS
from spark_tui.engine.kernels.weight_order import Arranged, arrange
from tests.engine.kernels.replay import (
    COMPILER,
    EMULATOR,
    PORTABLE,
    Array,
    Tape,
    callables,
    on_arm,
    recorder,
)
from tests.engine.kernels.test_compiled import SHAPES
from tests.engine.tiny import random_weights

MISSING = [name for name in (COMPILER, EMULATOR) if shutil.which(name) is None]
emulated = pytest.mark.skipif(
    bool(MISSING) or bool(why_not_compiled()),
    reason=f"{', '.join(MISSING)} not installed, or no kernels here",
)
MAC = objects.Target("arm64-apple-macosx11.0.0", "apple-m1", "", linked=True)
PROMPT, COUNT = 11, 6
"""Tokens of a prompt, and those chosen behind it."""


@pytest.fixture(scope="module")
def program_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay")


def greedy(model: CompiledDecoder, config: ModelConfig) -> tuple[list[int], list[FloatArray]]:
    """The tokens that a model chooses behind a prompt, and the logits of each."""
    cache = model.new_cache(PROMPT + COUNT)
    ids = (np.arange(PROMPT) * 7 + 3) % config.vocab_size
    tokens: list[int] = []
    logits: list[FloatArray] = []
    for _ in range(COUNT):
        logits.append(model.forward(ids, cache).copy())
        tokens.append(int(logits[-1].argmax()))
        ids = np.array([tokens[-1]])
    return tokens, logits


def weights_of(arranged: Arranged) -> list[Array]:
    """All arrays that a pass reads."""
    matrices = list(arranged.matrices())
    arrays: list[Array] = [arranged.norm]
    for layer in arranged.layers:
        arrays += [vector for vector in layer.vectors() if vector is not None]
        if layer.router is not None:
            matrices.append(layer.router)
    for matrix in matrices:
        arrays += [matrix.data, matrix.scales]
    return arrays


@emulated
@pytest.mark.parametrize("name", ["odd", "qwen2", "qwen3_moe"])
@pytest.mark.parametrize("bits", [4, 8, 32])
def test_on_arm_passes_have_the_bits_and_tokens_they_have_here(
    program_folder: Path, monkeypatch: pytest.MonkeyPatch, bits: int, name: str
) -> None:
    """All calls of kernels in a prompt and the tokens behind it, made again in the emulator."""
    config = SHAPES[name]
    arranged = arrange(config, random_weights(config), bits, 1)
    model = CompiledDecoder(config, arranged)
    wanted, _ = greedy(model, config)

    tape, run = Tape(), Crew.run
    tape.hold(*weights_of(arranged))
    written: list[Array] = []

    def recorded(crew: Crew, arguments: tuple[Any, ...], held: tuple[Any, ...], **how: Any) -> None:
        _, cache, space, steps, logits = held
        tape.hold(cache.cosines, cache.sines, space.mixture.logits)
        own = (cache.keys, cache.values, *space.arrays, steps, logits)
        tape.hold(*own)
        written.extend(array for array in own if array.nbytes)
        run(crew, arguments, held, **how)

    monkeypatch.setattr(Crew, "run", recorded)
    portable = callables(PORTABLE)
    functions = {key: recorder(tape, KERNELS[key], portable[key]) for key in KERNELS}
    for kernel_name, function in functions.items():
        address = ctypes.cast(function, ctypes.c_void_p).value
        monkeypatch.setattr(KERNELS[kernel_name].slot, "value", address)
    tokens, _ = greedy(model, config)
    image = on_arm(tape, program_folder)
    assert tokens == wanted
    assert tape.differing(image, written) == []


@emulated
def test_on_arm_weights_are_rounded_and_unpacked_to_the_bits_they_have_here(
    program_folder: Path,
) -> None:
    numbers = np.random.default_rng(5)
    tape, own = Tape(), callables(PORTABLE)
    rows = numbers.standard_normal((16, 64), np.float32)
    rows[3] = 0.0
    blocks = numbers.integers(0, 256, 96, np.uint8)
    how = np.array([2, 4, 15, 24, 2, 3, 1], np.int32)
    steps = numbers.integers(-128, 128, 16).astype(np.int8)
    scale = np.array([0.37, -1.5], np.float32)
    rounded, scales = np.zeros((3, 16, 64), np.uint8), np.zeros((3, 16, 2), np.float32)
    unpacked = np.zeros((2, 16), np.float32)
    spread = np.zeros(16 * 64 * 8, np.uint8)
    given: list[Array] = [rows, blocks, how, steps, scale]
    made: list[Array] = [rounded, scales, unpacked, spread]
    tape.hold(*given, *made)

    def call(name: str, *arguments: int) -> None:
        recorder(tape, KERNELS[name], own[name])(*arguments)

    def at(array: Array) -> int:
        return array.ctypes.data

    for row in range(16):
        call("spark_eight", at(rows[row]), 64, at(rounded[0, row]), at(scales[0, row]))
        call("spark_four", at(rows[row]), 64, at(rounded[1, row]), at(scales[1, row]))
    call("spark_spread", at(rounded[0]), 64, at(spread), 16, 256)
    call("spark_run", at(blocks), at(how), 16, 16, at(scale), at(scale) + 4, at(unpacked))
    call("spark_looked_up", at(blocks), at(how), at(steps), at(scale), at(unpacked[1]))
    assert tape.differing(on_arm(tape, program_folder), made) == []
    assert all(array.any() for array in made)


def test_the_object_for_a_mac_needs_nothing_but_the_systems_scheduler() -> None:
    made = objects.compile_kernels(MAC)
    magic, processor = struct.unpack_from("<2I", made)
    assert (magic, processor) == (0xFEEDFACF, 0x0100000C)
    undefined, defined = symbols(made)
    assert undefined == {"_sched_yield"}
    assert defined >= {f"_{name}" for name in KERNELS}


def symbols(made: bytes) -> tuple[set[str], set[str]]:
    """The external symbols of a Mach-O object, without and with a section that they are in."""
    count = struct.unpack_from("<I", made, 16)[0]
    place = 32
    table: tuple[int, ...] = ()
    for _ in range(count):
        command, size = struct.unpack_from("<2I", made, place)
        if command == 2:  # LC_SYMTAB
            table = struct.unpack_from("<4I", made, place + 8)
        place += size
    first, entries, names, _ = table
    undefined: set[str] = set()
    defined: set[str] = set()
    for number in range(entries):
        name, kind = struct.unpack_from("<IB", made, first + 16 * number)
        word = made[names + name : made.index(b"\0", names + name)].decode()
        if kind & 1:  # N_EXT
            (defined if kind & 0x0E else undefined).add(word)
    return undefined, defined
