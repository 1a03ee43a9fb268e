"""Kernels for weights on their way from a file to panels; `unpack` calls them.

Blocks are those of GGUF files, in the layouts that `gguf_quants.BlockLayout` describes.
"""

from llvmlite import ir

from spark_tui.engine.kernels.ir import (
    F32,
    FLOATS,
    I8,
    I16,
    I32,
    I64,
    INTS,
    LANES,
    Code,
    Value,
    kernel,
)
from spark_tui.engine.kernels.tiles import BLOCK, PANEL, ROW

_BYTES = ir.VectorType(I8, LANES)


@kernel("iiiiiii")
def run(
    c: Code,
    block: Value,
    run: Value,
    flip: Value,
    zero: Value,
    scale: Value,
    offset: Value,
    out: Value,
) -> None:
    """Unpack the 16 numbers of a run.

    Args:
        c: Writes the kernel's text in LLVM's language.
        block: The address of the block.
        run: The address of its row of `BlockLayout.runs`.
        flip: Bits to invert.
        zero: The number that stands for 0.
        scale: The address of the scale.
        offset: The address of the offset.
        out: The address of the numbers.
    """
    numbers = [c.load(I32, c.at(run, (n, 4))) for n in range(7)]
    low, low_up, low_mask, high, high_up, high_mask, is_bits = numbers

    def at(place: Value) -> Value:
        return c.b.add(block, c.b.zext(place, c.number(0).type))

    def cut(values: Value, up: Value, mask: Value) -> Value:
        return c.b.and_(c.b.lshr(values, c.splat(up)), c.splat(mask))

    # Every format runs all of these instructions, without a branch. A format with no more than four
    # bits has masks of 0 for the bits from the fifth on; the others use one of two ways to store
    # them, and have a mask of 0 for the other way.
    codes = cut(c.b.zext(c.load(_BYTES, at(low)), INTS), low_up, low_mask)
    fifths = cut(c.b.zext(c.load(_BYTES, at(high)), INTS), high_up, high_mask)
    word = c.splat(c.b.zext(c.load(I16, at(high)), I32))
    # `is_bits` is 1 or 0, and serves as the mask: one bit for each lane, or none.
    bits = c.b.and_(c.b.lshr(word, ir.Constant(INTS, [*range(LANES)])), c.splat(is_bits))
    codes = c.b.or_(codes, c.b.shl(c.b.or_(fifths, bits), c.number(4, INTS)))
    flips = c.splat(c.b.trunc(flip, I32))
    zeros = c.splat(c.b.trunc(zero, I32))
    values = c.b.sitofp(c.b.sub(c.b.xor(codes, flips), zeros), FLOATS)
    product = c.b.fmul(values, c.splat(c.load(F32, scale)))
    c.store(c.b.fadd(product, c.splat(c.load(F32, offset))), out)


@kernel("iiiii")
def looked_up(c: Code, block: Value, run: Value, steps: Value, scale: Value, out: Value) -> None:
    """Unpack the 16 numbers of a run that stand for steps.

    Args:
        c: Writes the kernel's text in LLVM's language.
        block: The address of the block.
        run: The address of its row of `BlockLayout.runs`.
        steps: The address of the values that numbers stand for.
        scale: The address of the scale.
        out: The address of the numbers.
    """
    low, low_up, low_mask = (c.load(I32, c.at(run, (n, 4))) for n in range(3))
    stored = c.load(_BYTES, c.b.add(block, c.b.zext(low, I64)))
    up = c.splat(c.b.trunc(low_up, I8))
    mask = c.splat(c.b.trunc(low_mask, I8))
    codes = c.b.and_(c.b.lshr(stored, up), mask)
    # Sixteen selects, because not every processor has an instruction that looks bytes up.
    values = c.splat(c.load(I8, steps))
    for number in range(1, LANES):
        same = c.b.icmp_unsigned("==", codes, c.number(number, _BYTES))
        step = c.splat(c.load(I8, c.at(steps, (number, 1))))
        values = c.b.select(same, step, values)
    c.store(c.b.fmul(c.b.sitofp(values, FLOATS), c.splat(c.load(F32, scale))), out)


@kernel("iiii")
def eight(c: Code, x: Value, k: Value, out: Value, scale: Value) -> None:
    """Round k numbers to 8 bits: the largest becomes 127 or -127, and 128 is added to all.

    Args:
        c: Writes the kernel's text in LLVM's language.
        x: The address of the numbers.
        k: How many there are.
        out: The address of the rounded numbers.
        scale: The address of their scale.
    """

    def largest(i: Value, maxima: list[Value]) -> list[Value]:
        return [c.larger(c.call("llvm.fabs", c.load(FLOATS, c.at(x, (i, 4)))), maxima[0])]

    (sizes,) = c.repeat(k, [c.number(0.0, FLOATS)], largest, step=LANES)
    step = c.b.fdiv(c.across(sizes, c.larger), c.number(127.0, F32))
    c.store(step, scale)
    inverse = c.splat(_inverse(c, step))

    @c.loop(k, step=LANES)
    def some(i: Value) -> None:
        rounded = c.call("llvm.rint", c.b.fmul(c.load(FLOATS, c.at(x, (i, 4))), inverse))
        codes = c.b.trunc(c.b.add(c.b.fptosi(rounded, INTS), c.number(128, INTS)), _BYTES)
        c.store(codes, c.b.add(out, i))


@kernel("iiii")
def four(c: Code, x: Value, k: Value, out: Value, scales: Value) -> None:
    """Round k numbers to 4 bits.

    The scale has the sign of the largest number, the first of them where several are as large.

    Args:
        c: Writes the kernel's text in LLVM's language.
        x: The address of the numbers.
        k: How many there are.
        out: The address of the rounded numbers, two a byte.
        scales: The address of the scales, a float32 for 32 numbers.
    """

    @c.loop(c.b.udiv(k, c.number(BLOCK)))
    def block(n: Value) -> None:
        halves = [c.load(FLOATS, c.at(x, (n, 4 * BLOCK), (part, 4 * LANES))) for part in range(2)]
        sizes = [c.call("llvm.fabs", half) for half in halves]
        largest = c.across(c.larger(*sizes), c.larger)
        # A bit for each lane that holds the largest size. The lowest bit is the first lane.
        marks = [c.b.bitcast(c.b.fcmp_ordered("==", size, c.splat(largest)), I16) for size in sizes]
        in_first = c.b.icmp_unsigned("!=", marks[0], I16(0))
        place = c.b.cttz(c.b.select(in_first, *marks), ir.Constant(ir.IntType(1), 0))
        signed = c.b.extract_element(c.b.select(in_first, *halves), c.b.zext(place, I32))
        # The largest becomes -8, the end of the range from -8 to 7 that reaches further.
        step = c.b.fdiv(signed, c.number(-8.0, F32))
        c.store(step, c.at(scales, (n, 4)))
        low, high = (_steps(c, half, c.splat(_inverse(c, step))) for half in halves)
        c.store(c.b.or_(low, c.b.shl(high, c.number(4, _BYTES))), c.at(out, (n, LANES)))


def _steps(c: Code, values: Value, inverse: Value) -> Value:
    """Return the steps from 0 to 15 that stand for numbers."""
    # Rounded half up, as ggml's reference rounds; 8 stands for 0. A number as large as the largest
    # one, but of the other sign, would be step 16.
    exact = c.call("llvm.floor", c.b.fadd(c.b.fmul(values, inverse), c.number(8.5, FLOATS)))
    most = c.number(15.0, FLOATS)
    below = c.b.fcmp_ordered("<", exact, most)
    held = c.larger(c.b.select(below, exact, most), c.number(0.0, FLOATS))
    return c.b.trunc(c.b.fptosi(held, INTS), _BYTES)


def _inverse(c: Code, step: Value) -> Value:
    # 0 for a step of 0: numbers that are all 0 stay so.
    none = c.b.fcmp_ordered("==", step, c.number(0.0, F32))
    return c.b.select(none, c.number(0.0, F32), c.b.fdiv(c.number(1.0, F32), step))


@kernel("iiiii")
def spread(c: Code, rows: Value, size: Value, out: Value, quads: Value, gap: Value) -> None:
    """Put 16 rows side by side, four bytes of each in turn.

    A cache line of the panel takes four bytes of all 16 rows. Row by row, every line would have to
    come into the cache 16 times.

    Args:
        c: Writes the kernel's text in LLVM's language.
        rows: The address of the rows.
        size: Bytes of a row.
        out: The address of the panel.
        quads: The number of fours of bytes in a row.
        gap: Bytes that are left out behind every 8 quads.
    """

    @c.loop(quads)
    def quad(q: Value) -> None:
        line = ir.Constant(INTS, ir.Undefined)
        for row in range(PANEL):
            line = c.b.insert_element(line, c.load(I32, c.at(rows, (row, size), (q, 4))), I32(row))
        c.store(line, c.at(out, (q, ROW), (c.b.lshr(q, c.number(3)), gap)))
