"""Kernels on the numbers of one token: its embedding, norms, rotations, the gate, rounding.

All lengths are padded to whole vectors, so no kernel has a remainder to handle.
"""

from llvmlite import ir

from spark_tui.engine.kernels.ir import F16, F32, FLOATS, I8, I32, INTS, LANES, Code, Value, kernel
from spark_tui.engine.kernels.tiles import (
    BLOCK,
    FOURS,
    GROUP,
    PANEL,
    ROW,
    input_bytes,
    parts_of_record,
)

_STEP = 4 * LANES
"""Bytes from a vector of floats to the next."""
# The order of the activations of each four where there is no VNNI: see `tiles.dot4`.
_EVEN_FIRST = ir.Constant(INTS, [quad + at for quad in range(0, LANES, 4) for at in (0, 2, 1, 3)])
_FOUR_BYTES = ir.VectorType(I8, 4)
_FOUR_FLOATS = ir.VectorType(F32, 4)


@kernel("iii")
def copy(c: Code, x: Value, y: Value, size: Value) -> None:
    """Put x into y."""

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        c.store(c.load(INTS, c.at(x, (i, 4))), c.at(y, (i, 4)))


@kernel("iiif")
def add_part(c: Code, x: Value, y: Value, size: Value, share: Value) -> None:
    """Add y * share to x."""
    shares = c.splat(share)

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        place = c.at(x, (i, 4))
        c.store(c.fma(c.load(FLOATS, c.at(y, (i, 4))), shares, c.load(FLOATS, place)), place)


@kernel("iiiiif")
def normalise(
    c: Code, x: Value, weight: Value, y: Value, padded: Value, size: Value, eps: Value
) -> None:
    """Put x / rms(x) * weight into y.

    There are `padded` numbers, a multiple of 16. The numbers behind the first `size` are 0 and add
    nothing to the sum of squares; the mean is over `size`.

    Source:
        RMSNorm, arXiv:1910.07467.
    """

    def square(i: Value, totals: list[Value]) -> list[Value]:
        values = c.load(FLOATS, c.at(x, (i, 4)))
        return [c.fma(values, values, totals[0])]

    (total,) = c.repeat(padded, [c.number(0.0, FLOATS)], square, step=LANES)
    mean = c.b.fdiv(c.sum(total), c.b.sitofp(size, F32))
    factor = c.splat(c.b.fdiv(c.number(1.0, F32), c.call("llvm.sqrt", c.b.fadd(mean, eps))))

    @c.loop(padded, step=LANES)
    def scale(i: Value) -> None:
        values = c.b.fmul(c.load(FLOATS, c.at(x, (i, 4))), factor)
        c.store(c.b.fmul(values, c.load(FLOATS, c.at(weight, (i, 4)))), c.at(y, (i, 4)))


@kernel("iii")
def quantise(c: Code, x: Value, record: Value, k: Value) -> None:
    """Round k numbers to 8 bits, into a record as `tiles` describes it."""
    scales, sums = parts_of_record(c, record, k)
    size = input_bytes(c)

    @c.loop(c.b.udiv(k, c.number(GROUP)))
    def group(g: Value) -> None:
        first = c.b.mul(g, c.number(GROUP))
        values = [c.load(FLOATS, c.at(x, (first, 4), (at, _STEP))) for at in range(GROUP // LANES)]
        sizes = [c.call("llvm.fabs", value) for value in values]
        # Pairs of vectors first, and the lanes of the last vector only then.
        while len(sizes) > 1:
            sizes = [*sizes[2:], c.larger(sizes[0], sizes[1])]
        largest = c.across(sizes[0], c.larger)
        scale = c.b.fmul(largest, c.number(1 / 127, F32))
        # So small a group counts as zeros: the inverse of its scale might overflow.
        none = c.b.fcmp_unordered("<=", largest, c.number(1e-30, F32))
        inverse = c.b.select(none, c.number(0.0, F32), c.b.fdiv(c.number(127.0, F32), largest))
        c.store(c.b.select(none, c.number(0.0, F32), scale), c.at(scales, (g, 4)))
        rounded = [
            c.b.fptosi(c.call("llvm.rint", c.b.fmul(value, c.splat(inverse))), INTS)
            for value in values
        ]
        for number, value in enumerate(rounded):
            narrow = c.b.trunc(value, ir.VectorType(ir.IntType(8 * size), LANES))
            if size == 2:
                narrow = c.b.shuffle_vector(narrow, narrow, _EVEN_FIRST)
            c.store(narrow, c.at(record, (g, size * GROUP), (number, size * LANES)))
        # Sums of the rounded numbers: a product subtracts them times the offset of the weights.
        half = BLOCK // LANES
        for number in range(GROUP // BLOCK):
            total = c.across(c.b.add(*rounded[number * half : (number + 1) * half]), c.b.add)
            c.store(total, c.at(sums, (g, 4 * GROUP // BLOCK), (number, 4)))


@kernel("iiii")
def gate(c: Code, gates: Value, ups: Value, y: Value, size: Value) -> None:
    """Put silu(gates) * ups into y.

    Source:
        Shazeer 2020, arXiv:2002.05202.
    """

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        values = c.load(FLOATS, c.at(gates, (i, 4)))
        most = c.number(-88.0, FLOATS)  # `exp` takes at most 88; the result is next to 0 there
        below = c.b.fadd(c.exp(c.b.fneg(c.larger(values, most))), c.number(1.0, FLOATS))
        silu = c.b.fdiv(values, below)
        c.store(c.b.fmul(silu, c.load(FLOATS, c.at(ups, (i, 4)))), c.at(y, (i, 4)))


@kernel("iii")
def add(c: Code, x: Value, y: Value, size: Value) -> None:
    """Add y to x."""

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        left = c.load(FLOATS, c.at(x, (i, 4)))
        right = c.load(FLOATS, c.at(y, (i, 4)))
        c.store(c.b.fadd(left, right), c.at(x, (i, 4)))


@kernel("iiiif")
def rotate(c: Code, x: Value, cosines: Value, sines: Value, half: Value, factor: Value) -> None:
    """Turn the pairs (i, i + half) of a head by their angles, and multiply the head by `factor`.

    Source:
        RoPE, arXiv:2104.09864.
    """
    factors = c.splat(factor)

    @c.loop(half, step=LANES)
    def some(i: Value) -> None:
        places = [c.at(x, (i, 4)), c.at(x, (i, 4), (half, 4))]
        # Both halves are loaded before either is stored: the rotation works in place.
        a, b = (c.b.fmul(c.load(FLOATS, place), factors) for place in places)
        cosine = c.load(FLOATS, c.at(cosines, (i, 4)))
        sine = c.load(FLOATS, c.at(sines, (i, 4)))
        c.store(c.b.fsub(c.b.fmul(a, cosine), c.b.fmul(b, sine)), places[0])
        c.store(c.b.fadd(c.b.fmul(b, cosine), c.b.fmul(a, sine)), places[1])


@kernel("ii")
def clear(c: Code, x: Value, size: Value) -> None:
    """Put 0 everywhere in x."""

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        c.store(c.number(0.0, FLOATS), c.at(x, (i, 4)))


def _numbers(c: Code, weights: Value, offset: int, scale: Value) -> Value:
    """Return four weights as float32.

    Args:
        c: Writes the text.
        weights: Four bytes.
        offset: The number that stands for 0.
        scale: The scale of the weights.
    """
    whole = c.b.zext(weights, ir.VectorType(I32, 4))
    centred = c.b.sub(whole, c.number(offset, whole.type))
    return c.b.fmul(c.b.sitofp(centred, _FOUR_FLOATS), c.splat(scale, 4))


@kernel("iiiii")
def row8(c: Code, panel: Value, lane: Value, scale: Value, k: Value, out: Value) -> None:
    """Copy a row of a panel in 8 bits, as float32; `scale` is the address of the row's scale."""
    factor = c.load(F32, scale)

    @c.loop(c.b.udiv(k, c.number(4)))
    def four(q: Value) -> None:
        weights = c.load(_FOUR_BYTES, c.at(panel, (q, ROW), (lane, 4)))
        c.store(_numbers(c, weights, 128, factor), c.at(out, (q, 16)))


@kernel("iiii")
def row4(c: Code, panel: Value, lane: Value, k: Value, out: Value) -> None:
    """Copy a row of a panel in 4 bits, as float32."""

    @c.loop(c.b.udiv(k, c.number(GROUP)))
    def group(g: Value) -> None:
        place = c.at(panel, (g, FOURS))
        for block in range(GROUP // BLOCK):
            half = c.load(F16, c.at(place, (block, 2 * PANEL), (lane, 2)))
            factor = c.b.fpext(half, F32)
            for quad in range(4):
                # Behind the group's row of scales each block has four rows of weights.
                both = c.load(_FOUR_BYTES, c.at(place, (1 + 4 * block + quad, ROW), (lane, 4)))
                parts = (
                    c.b.and_(both, c.number(15, _FOUR_BYTES)),
                    c.b.lshr(both, c.number(4, _FOUR_BYTES)),
                )
                for part, first in zip(parts, (0, BLOCK // 2), strict=True):
                    at = c.at(out, (g, 4 * GROUP), (block * BLOCK + first + 4 * quad, 4))
                    c.store(_numbers(c, part, 8, factor), at)


@kernel("iiii")
def row32(c: Code, panel: Value, lane: Value, k: Value, out: Value) -> None:
    """Copy a row of a panel in float32."""

    @c.loop(k)
    def weight(i: Value) -> None:
        c.store(c.load(F32, c.at(panel, (i, ROW), (lane, 4))), c.at(out, (i, 4)))
