"""Weights on their way from a file to panels: unpack blocks, and round rows to 8 or 4 bits.

The results are bit for bit those that `gguf_quants` and `packed_weights` describe. Both work in
memory that fits a processor's cache.
"""

import numpy as np

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.gguf_quants import RUN, BlockLayout, Bytes
from spark_tui.engine.kernels import objects
from spark_tui.engine.kernels.blocks import eight, four, looked_up, run, spread
from spark_tui.engine.kernels.threads import entry
from spark_tui.engine.kernels.tiles import BLOCK, GROUP, PANEL, PANELS, QUAD, ROW, UNIT


@entry
def _unpack(
    blocks: int,
    step: int,
    runs: int,
    sizes: tuple[int, int, int, int, int, int, int],
    scales: int,
    offsets: int,
    out: int,
) -> None:
    """Unpack blocks.

    Args:
        blocks: The address of the blocks.
        step: The bytes of a block.
        runs: The address of `BlockLayout.runs`.
        sizes: The blocks, the runs of one, the scales of one, the offsets of a scale, the bits to
            flip, the number that stands for 0, and the address of steps or 0.
        scales: The address of the scales.
        offsets: The address of the offsets.
        out: The address of the numbers.
    """
    count, per, parts, added, flip, zero, steps = sizes
    for block in range(count):
        for number in range(per):
            # Scales are float32, as many to a block as there are parts, with runs shared evenly.
            scale = 4 * (block * parts + number * parts // per)
            place = out + 4 * RUN * (block * per + number)
            here = blocks + block * step
            how = runs + 28 * number  # seven int32
            if steps:
                looked_up(here, how, steps, scales + scale, place)
            else:
                # Without offsets `added` is 0, and all runs share the single -0.0 of `unpack`.
                run(here, how, flip, zero, scales + scale, offsets + scale * added, place)


def round_units(x: int, units: int, k: int, work: int, out: int, scales: int, bits: int) -> None:
    """Round the rows of units.

    Args:
        x: The address of the rows.
        units: The number of units.
        k: The numbers of a row.
        work: The address of as many bytes as a unit has numbers.
        out: The address of the packed units.
        scales: The address of the scales.
        bits: 8 or 4.
    """
    objects.load()
    _round_units(x, units, k, work, out, scales, bits)


@entry
def _round_units(x: int, units: int, k: int, work: int, out: int, scales: int, bits: int) -> None:
    """See `round_units`."""
    # Bytes of a rounded row; bytes that stay free in front of each group, for its scales in 4 bits;
    # bytes of a row's scales: one in 8 bits, one for every 32 numbers in 4 bits.
    size, gap, marks = (k, 0, 4) if bits == 8 else (k // 2, ROW, k // BLOCK * 4)
    for unit in range(units):
        for row in range(UNIT):
            number = unit * UNIT + row
            place = work + row * size
            if bits == 8:
                eight(x + 4 * number * k, k, place, scales + number * marks)
            else:
                four(x + 4 * number * k, k, place, scales + number * marks)
        # `work` holds the rows one below the other; the panels take them side by side.
        start = out + gap + unit * UNIT * size + unit * (k // GROUP) * gap
        for panel in range(PANELS):
            spread(work + panel * PANEL * size, size, start + panel * QUAD, size // 4, gap)


_NOTHING = np.array([-0.0], np.float32)
"""The offset that changes no number: adding +0.0 would turn -0.0 into 0.0."""


def unpack(layout: BlockLayout, blocks: Bytes, values: FloatArray) -> None:
    """Unpack blocks with compiled code; see `gguf_quants.Unpack`.

    Args:
        layout: The layout of a block.
        blocks: Contiguous.
        values: Contiguous.
    """
    scales, offsets = layout.scales(blocks)
    added = _NOTHING if offsets is None else offsets
    steps = 0
    if layout.steps is not None:
        steps = layout.steps.ctypes.data
    sizes = (
        len(blocks),
        len(layout.runs),
        scales.shape[1],
        int(offsets is not None),
        layout.flip,
        layout.zero,
        steps,
    )
    # These names keep both arrays alive: the call gets no more than their addresses.
    scales = np.ascontiguousarray(scales, np.float32)
    added = np.ascontiguousarray(added, np.float32)
    objects.load()
    _unpack(
        blocks.ctypes.data,
        blocks.shape[1],
        layout.runs.ctypes.data,
        sizes,
        scales.ctypes.data,
        added.ctypes.data,
        values.ctypes.data,
    )
