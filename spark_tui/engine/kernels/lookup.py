"""Reads one row of a packed matrix back: a token's embedding. The layouts are those of `tiles`."""

from llvmlite import ir

from spark_tui.engine.kernels.ir import F16, F32, I8, I32, Code, Value, kernel
from spark_tui.engine.kernels.tiles import BLOCK, FOURS, GROUP, PANEL, ROW

_FOUR_BYTES, _FOUR_FLOATS = ir.VectorType(I8, 4), ir.VectorType(F32, 4)


def _numbers(c: Code, weights: Value, offset: int, scale: Value) -> Value:
    """Four weights as float32. Args: weights: bytes."""
    whole = c.b.zext(weights, ir.VectorType(I32, 4))
    centred = c.b.sub(whole, c.number(offset, whole.type))
    return c.b.fmul(c.b.sitofp(centred, _FOUR_FLOATS), c.splat(scale, 4))


@kernel("iiiii")
def row8(c: Code, panel: Value, lane: Value, scale: Value, k: Value, out: Value) -> None:
    """A row of a panel in 8 bits. Args: scale: the address of the row's."""
    factor = c.load(F32, scale)

    def four(q: Value, _: list[Value]) -> list[Value]:
        weights = c.load(_FOUR_BYTES, c.at(panel, (q, ROW), (lane, 4)))
        c.store(_numbers(c, weights, 128, factor), c.at(out, (q, 16)))
        return []

    c.repeat(c.b.udiv(k, c.number(4)), [], four)


@kernel("iiii")
def row4(c: Code, panel: Value, lane: Value, k: Value, out: Value) -> None:
    """A row of a panel in 4 bits."""

    def group(g: Value, _: list[Value]) -> list[Value]:
        place = c.at(panel, (g, FOURS))
        for block in range(GROUP // BLOCK):
            half = c.load(F16, c.at(place, (block, 2 * PANEL), (lane, 2)))
            factor = c.b.fpext(half, F32)
            for quad in range(4):
                both = c.load(_FOUR_BYTES, c.at(place, (1 + 4 * block + quad, ROW), (lane, 4)))
                parts = (c.b.and_(both, c.number(15, _FOUR_BYTES)), c.b.lshr(both, c.number(4, _FOUR_BYTES)))
                for part, first in zip(parts, (0, BLOCK // 2), strict=True):
                    at = c.at(out, (g, 4 * GROUP), (block * BLOCK + first + 4 * quad, 4))
                    c.store(_numbers(c, part, 8, factor), at)
        return []

    c.repeat(c.b.udiv(k, c.number(GROUP)), [], group)


@kernel("iiii")
def row32(c: Code, panel: Value, lane: Value, k: Value, out: Value) -> None:
    """A row of a panel in float32."""

    def one(i: Value, _: list[Value]) -> list[Value]:
        c.store(c.load(F32, c.at(panel, (i, ROW), (lane, 4))), c.at(out, (i, 4)))
        return []

    c.repeat(k, [], one)
