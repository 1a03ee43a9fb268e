"""Calls of kernels, written down here and made again by the kernels of another processor.

A tape holds memory as it was before the calls, and the calls with their arguments. A program in C,
linked with an object of kernels, reads it, makes the calls and writes the memory as it is then.
"""

import ctypes
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from spark_tui.engine.kernels import objects
from spark_tui.engine.kernels.ir import F32, KERNELS, Kernel

ARGUMENTS = 10
"""The most that a kernel takes."""
LINE = 64
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
ARM = objects.Target("aarch64-unknown-linux-gnu", "generic", "+neon", linked=True)
PORTABLE = objects.Target("x86_64-unknown-linux-gnu", "x86-64", "+fma,+f16c")
"""Without byte products and AVX2 the kernels' text is the one for Arm."""
Array = npt.NDArray[Any]
Argument = int | float


class Tape:
    """Mutable. Memory is that of arrays: see `hold`."""

    def __init__(self) -> None:
        self._arrays: list[Array] = []
        self._before: list[bytes] = []
        self._calls: list[bytes] = []
        self.names: set[str] = set()
        """Of the kernels that were called."""

    def hold(self, *arrays: Array) -> None:
        """Have arrays on the tape, with what they hold now, unless they are there already."""
        known = {array.ctypes.data for array in self._arrays}
        for array in arrays:
            if array.nbytes and array.ctypes.data not in known:
                self._arrays.append(array)
                self._before.append(array.tobytes())

    def add(self, kernel: Kernel, arguments: Sequence[Argument]) -> None:
        """Write a call down.

        An address that is not on the tape becomes 0, where a kernel that reads or writes it fails.
        """
        self.names.add(kernel.name)
        addresses, numbers = 0, []
        for place, argument in enumerate(arguments):
            if isinstance(argument, float):
                numbers.append(int.from_bytes(struct.pack("<f", argument), "little"))
            elif argument > 1 << 32:
                offset = self._offset(argument)
                numbers.append(offset)
                addresses |= int(offset > 0) << place
            else:
                numbers.append(argument)
        numbers += [0] * (ARGUMENTS - len(numbers))
        number = list(KERNELS).index(kernel.name)
        self._calls.append(struct.pack(f"<{2 + ARGUMENTS}q", number, addresses, *numbers))

    def _offset(self, address: int) -> int:
        offset = LINE
        for array in self._arrays:
            start = array.ctypes.data
            if start <= address < start + array.nbytes:
                return offset + address - start
            offset += _room(array)
        return 0

    def write(self, file: Path) -> None:
        """Write the tape for the program."""
        image = bytearray(LINE)
        for array, before in zip(self._arrays, self._before, strict=True):
            image += before + bytes(_room(array) - array.nbytes)
        head = struct.pack("<2q", len(image), len(self._calls))
        file.write_bytes(head + image + b"".join(self._calls))

    def differing(self, image: bytes, arrays: Sequence[Array]) -> list[int]:
        """Which of these arrays hold other bytes now than an image has for them."""
        places = {}
        offset = LINE
        for array in self._arrays:
            places[array.ctypes.data] = offset
            offset += _room(array)
        found = []
        for number, array in enumerate(arrays):
            start = places[array.ctypes.data]
            if image[start : start + array.nbytes] != array.tobytes():
                found.append(number)
        return found


def _room(array: Array) -> int:
    return -(-array.nbytes // LINE) * LINE + LINE


def callables(target: objects.Target) -> dict[str, Callable[..., Any]]:
    """The kernels for this processor, made for `target`, as functions of ctypes."""
    engine = objects.engine_of(objects.compile_kernels(target))
    made = {}
    for name, kernel in KERNELS.items():
        function = signature(kernel)(engine.get_function_address(name))
        function.engine = engine  # which owns the memory
        made[name] = function
    return made


def signature(kernel: Kernel) -> Any:
    """A kernel's type for ctypes."""
    kinds = [ctypes.c_float if kind == F32 else ctypes.c_int64 for kind in kernel.kind.args]
    counts = str(kernel.kind.return_type) != "void"
    return ctypes.CFUNCTYPE(ctypes.c_int64 if counts else None, *kinds)


def recorder(tape: Tape, kernel: Kernel, function: Callable[..., Any]) -> Any:
    """A function of ctypes that calls a kernel and writes the call down."""

    def call(*arguments: Argument) -> Any:
        tape.add(kernel, arguments)
        return function(*arguments)

    return signature(kernel)(call)


def on_arm(tape: Tape, folder: Path) -> bytes:
    """Make a tape's calls with kernels for Arm.

    Returns:
        The memory behind the last one.
    """
    program = build(folder)
    tape.write(folder / "tape")
    command = [EMULATOR, str(program), str(folder / "tape"), str(folder / "image")]
    subprocess.run(command, check=True, timeout=300)
    return (folder / "image").read_bytes()


def build(folder: Path) -> Path:
    """The program, for Arm."""
    program = folder / "replay"
    if program.exists():
        return program
    (folder / "kernels.o").write_bytes(objects.compile_kernels(ARM))
    (folder / "replay.c").write_text(_source(), "utf-8")
    parts = [str(folder / "replay.c"), str(folder / "kernels.o")]
    subprocess.run([COMPILER, "-static", "-O1", "-o", str(program), *parts], check=True)
    return program


def _source() -> str:
    declarations, cases = [], []
    for number, kernel in enumerate(KERNELS.values()):
        floats = [kind == F32 for kind in kernel.kind.args]
        kinds = ["float" if is_float else "int64_t" for is_float in floats]
        given = [f"number(a[{n}])" if is_float else f"a[{n}]" for n, is_float in enumerate(floats)]
        result = "void" if str(kernel.kind.return_type) == "void" else "int64_t"
        declarations.append(f"{result} {kernel.name}({', '.join(kinds)});")
        cases.append(f"case {number}: {kernel.name}({', '.join(given)}); break;")
    return _PROGRAM % ("\n".join(declarations), ARGUMENTS, ARGUMENTS, "\n".join(cases))


_PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s
static float number(int64_t bits) { float f; memcpy(&f, &bits, sizeof f); return f; }
int main(int count, char **names) {
    FILE *tape = fopen(names[1], "rb"), *image_file = fopen(names[2], "wb");
    int64_t head[2], call[2 + %d], a[%d];
    if (fread(head, 8, 2, tape) != 2) return 1;
    char *image = aligned_alloc(64, head[0]);
    if (fread(image, 1, head[0], tape) != (size_t)head[0]) return 1;
    while (head[1]-- > 0) {
        if (fread(call, sizeof call, 1, tape) != 1) return 1;
        for (size_t n = 0; n < sizeof a / sizeof *a; n++)
            a[n] = call[2 + n] + (call[1] >> n & 1 ? (int64_t)image : 0);
        switch (call[0]) {
%s
        default: return 1;
        }
    }
    return fwrite(image, 1, head[0], image_file) != (size_t)head[0] || fclose(image_file);
}
"""
