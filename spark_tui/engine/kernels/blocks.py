"""Kernels for weights on their way from a file to panels: see `unpack`."""

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
    """The 16 numbers of a run.

    Args:
        run: Its row of `Layout.runs`.
        scale, offset: Addresses.
    """
    numbers = [c.load(I32, c.at(run, (n, 4))) for n in range(7)]
    low, low_up, low_mask, high, high_up, high_mask, one = numbers

    def at(place: Value) -> Value:
        return c.b.add(block, c.b.zext(place, c.number(0).type))

    def cut(values: Value, up: Value, mask: Value) -> Value:
        return c.b.and_(c.b.lshr(values, c.splat(up)), c.splat(mask))

    codes = cut(c.b.zext(c.load(_BYTES, at(low)), INTS), low_up, low_mask)
    fifths = cut(c.b.zext(c.load(_BYTES, at(high)), INTS), high_up, high_mask)
    word = c.splat(c.b.zext(c.load(I16, at(high)), I32))
    bits = c.b.and_(c.b.lshr(word, ir.Constant(INTS, [*range(LANES)])), c.splat(one))
    codes = c.b.or_(codes, c.b.shl(c.b.or_(fifths, bits), c.number(4, INTS)))
    flip, zero = (c.splat(c.b.trunc(each, I32)) for each in (flip, zero))
    values = c.b.sitofp(c.b.sub(c.b.xor(codes, flip), zero), FLOATS)
    product = c.b.fmul(values, c.splat(c.load(F32, scale)))
    c.store(c.b.fadd(product, c.splat(c.load(F32, offset))), out)


@kernel("iiiii")
def looked_up(c: Code, block: Value, run: Value, steps: Value, scale: Value, out: Value) -> None:
    """The 16 numbers of a run that stand for steps.

    Args:
        As of `run`;
        steps: The address of what they stand for.
    """
    low, low_up, low_mask = (c.load(I32, c.at(run, (n, 4))) for n in range(3))
    stored = c.load(_BYTES, c.b.add(block, c.b.zext(low, I64)))
    up, mask = (c.splat(c.b.trunc(each, I8)) for each in (low_up, low_mask))
    codes = c.b.and_(c.b.lshr(stored, up), mask)
    found = c.splat(c.load(I8, steps))
    for number in range(1, LANES):  # no instruction that looks up bytes is known to every processor
        same = c.b.icmp_unsigned("==", codes, c.number(number, _BYTES))
        found = c.b.select(same, c.splat(c.load(I8, c.at(steps, (number, 1)))), found)
    c.store(c.b.fmul(c.b.sitofp(found, FLOATS), c.splat(c.load(F32, scale))), out)


@kernel("iiii")
def eight(c: Code, x: Value, k: Value, out: Value, scale: Value) -> None:
    """Round k numbers to 8 bits.

    Args:
        out: Where those go.
        scale: Where their scale goes.
    """

    def largest(i: Value, found: list[Value]) -> list[Value]:
        return [c.larger(c.call("llvm.fabs", c.load(FLOATS, c.at(x, (i, 4)))), found[0])]

    (sizes,) = c.repeat(k, [c.number(0.0, FLOATS)], largest, step=LANES)
    step = c.b.fdiv(c.across(sizes, c.larger), c.number(127.0, F32))
    c.store(step, scale)
    inverse = c.splat(_inverse(c, step))

    @c.each(k, step=LANES)
    def some(i: Value) -> None:
        rounded = c.call("llvm.rint", c.b.fmul(c.load(FLOATS, c.at(x, (i, 4))), inverse))
        codes = c.b.trunc(c.b.add(c.b.fptosi(rounded, INTS), c.number(128, INTS)), _BYTES)
        c.store(codes, c.b.add(out, i))


@kernel("iiii")
def four(c: Code, x: Value, k: Value, out: Value, scales: Value) -> None:
    """Round k numbers to 4 bits.

    Args:
        out: Where those go, two a byte.
        scales: Where those of 32 each go, float32.

    The scale has the sign of the largest number, the first of them where several are as large.
    """

    @c.each(c.b.udiv(k, c.number(BLOCK)))
    def block(n: Value) -> None:
        halves = [c.load(FLOATS, c.at(x, (n, 4 * BLOCK), (part, 4 * LANES))) for part in range(2)]
        sizes = [c.call("llvm.fabs", half) for half in halves]
        largest = c.across(c.larger(*sizes), c.larger)
        found = [c.b.bitcast(c.b.fcmp_ordered("==", size, c.splat(largest)), I16) for size in sizes]
        in_first = c.b.icmp_unsigned("!=", found[0], I16(0))
        place = c.b.cttz(c.b.select(in_first, *found), ir.Constant(ir.IntType(1), 0))
        signed = c.b.extract_element(c.b.select(in_first, *halves), c.b.zext(place, I32))
        step = c.b.fdiv(signed, c.number(-8.0, F32))
        c.store(step, c.at(scales, (n, 4)))
        low, high = (_steps(c, half, c.splat(_inverse(c, step))) for half in halves)
        c.store(c.b.or_(low, c.b.shl(high, c.number(4, _BYTES))), c.at(out, (n, LANES)))


def _steps(c: Code, values: Value, inverse: Value) -> Value:
    """The steps from 0 to 15 that stand for numbers."""
    exact = c.call("llvm.floor", c.b.fadd(c.b.fmul(values, inverse), c.number(8.5, FLOATS)))
    most = c.number(15.0, FLOATS)
    below = c.b.fcmp_ordered("<", exact, most)
    held = c.larger(c.b.select(below, exact, most), c.number(0.0, FLOATS))
    return c.b.trunc(c.b.fptosi(held, INTS), _BYTES)


def _inverse(c: Code, step: Value) -> Value:
    none = c.b.fcmp_ordered("==", step, c.number(0.0, F32))
    return c.b.select(none, c.number(0.0, F32), c.b.fdiv(c.number(1.0, F32), step))


@kernel("iiiii")
def spread(c: Code, rows: Value, size: Value, out: Value, quads: Value, gap: Value) -> None:
    """Put 16 rows side by side, four bytes of each in turn.

    Written row by row, all of a panel's cache lines would be wanted 16 times.

    Args:
        size: Bytes of a row.
        gap: Bytes that are left out behind every 8 quads.
    """

    @c.each(quads)
    def quad(q: Value) -> None:
        line = ir.Constant(INTS, ir.Undefined)
        for row in range(PANEL):
            line = c.b.insert_element(line, c.load(I32, c.at(rows, (row, size), (q, 4))), I32(row))
        c.store(line, c.at(out, (q, ROW), (c.b.lshr(q, c.number(3)), gap)))
