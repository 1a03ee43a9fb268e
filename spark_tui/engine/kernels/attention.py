"""Attention of one token's query heads that share a key/value head, over blocks of cached keys.

A block holds 32 tokens: keys as [D][32 tokens], values as [32 tokens][D]. So the lanes of a vector
are tokens in the product of queries and keys, and dims in the sum of values. Neither needs a sum
across lanes. Numbers are in half or single precision; the end of a kernel's name gives their bytes.
D is the width of a head, a multiple of 32. The letters of `@kernel` are the types of a kernel's
arguments; see `ir.kernel`.
"""

from itertools import product
from typing import Any

from llvmlite import ir

from spark_tui.engine.kernels.ir import F16, F32, FLOATS, I32, INTS, LANES, Code, Value, kernel

TOKENS = 32
"""Tokens of a block."""
_PARTS = TOKENS // LANES
_HEADS = (1, 2, 4)
"""Heads that are computed together, so that a key or value is loaded once for all of them."""
_NOTHING = -1e30
"""A score that stands for nothing: its exponential is next to 0."""


def scores(*, half: bool) -> Any:
    """Make a kernel (q, q_step, keys, dims, out, out_step, heads).

    It does what `_scores` does for any number of heads: four at a time, then two and one.
    """
    some = {heads: _scores(heads, half=half) for heads in _HEADS}

    @kernel("iiiiiii", f"_{2 if half else 4}")
    def score_block(
        c: Code,
        q: Value,
        q_step: Value,
        keys: Value,
        dims: Value,
        out: Value,
        out_step: Value,
        heads: Value,
    ) -> None:
        def some_heads(size: int, h: Value) -> None:
            queries = c.at(q, (h, q_step))
            results = c.at(out, (h, out_step))
            c.run(some[size], queries, q_step, keys, dims, results, out_step)

        c.in_parts(heads, max(_HEADS), some_heads)

    return score_block


def _scores(heads: int, *, half: bool) -> Any:
    """Make a kernel (q, q_step, keys, dims, out, out_step).

    It computes the products of queries with a block's 32 keys.
    """
    size = 2 if half else 4

    @kernel("iiiiii", f"{heads}_{size}")
    def write_scores(
        c: Code, q: Value, q_step: Value, keys: Value, dims: Value, out: Value, out_step: Value
    ) -> None:
        def dim(d: Value, totals: list[Value]) -> list[Value]:
            key_parts = []
            for n in range(_PARTS):
                place = c.at(keys, (d, size * TOKENS), (n, size * LANES))
                key_parts.append(c.widened(place, half))
            queries = [c.splat(c.load(F32, c.at(q, (h, q_step), (d, 4)))) for h in range(heads)]
            sums = []
            for i, total in enumerate(totals):
                sums.append(c.fma(queries[i // _PARTS], key_parts[i % _PARTS], total))
            return sums

        totals = c.repeat(dims, [c.number(0.0, FLOATS)] * (heads * _PARTS), dim)
        for i, total in enumerate(totals):
            c.store(total, c.at(out, (i // _PARTS, out_step), (i % _PARTS, 4 * LANES)))

    return write_scores


@kernel("iii")
def bound(c: Code, scores_: Value, start: Value, stop: Value) -> None:
    """Make all scores of a block count nothing except those from start to stop.

    Args:
        c: Writes the kernel's text in LLVM's language.
        scores_: The address of the scores.
        start: The first token that counts; may be negative.
        stop: The token behind the last one that counts; may lie behind the block.
    """
    first = c.splat(c.b.trunc(start, I32))
    last = c.splat(c.b.trunc(stop, I32))
    for n in range(_PARTS):
        lanes = ir.Constant(INTS, [*range(n * LANES, (n + 1) * LANES)])
        seen = c.b.and_(c.b.icmp_signed(">=", lanes, first), c.b.icmp_signed("<", lanes, last))
        place = c.at(scores_, (n, 4 * LANES))
        c.store(c.b.select(seen, c.load(FLOATS, place), c.number(_NOTHING, FLOATS)), place)


@kernel("iii")
def soften(c: Code, scores_: Value, count: Value, total: Value) -> None:
    """Put exp(score - largest) in place of `count` scores, a multiple of 16.

    Their sum goes to `total`.
    """

    def larger(i: Value, maxima: list[Value]) -> list[Value]:
        return [c.larger(maxima[0], c.load(FLOATS, c.at(scores_, (i, 4))))]

    # With the largest score subtracted no exponential exceeds 1, so none overflows.
    (maxima,) = c.repeat(count, [c.number(_NOTHING, FLOATS)], larger, step=LANES)
    largest = c.splat(c.across(maxima, c.larger))

    def power(i: Value, sums: list[Value]) -> list[Value]:
        place = c.at(scores_, (i, 4))
        value = c.exp(c.b.fsub(c.load(FLOATS, place), largest))
        c.store(value, place)
        return [c.b.fadd(sums[0], value)]

    (sums,) = c.repeat(count, [c.number(0.0, FLOATS)], power, step=LANES)
    c.store(c.sum(sums), total)


def mixture(*, half: bool) -> Any:
    """Make a kernel (p, p_step, values, dims, count, out, out_step, heads).

    It does what `_mixture` does for any number of heads: four at a time, then two and one.
    """
    some = {heads: _mixture(heads, half=half) for heads in _HEADS}

    @kernel("iiiiiiii", f"_{2 if half else 4}")
    def mix_span(
        c: Code,
        p: Value,
        p_step: Value,
        values: Value,
        dims: Value,
        count: Value,
        out: Value,
        out_step: Value,
        heads: Value,
    ) -> None:
        def some_heads(size: int, h: Value) -> None:
            weights = c.at(p, (h, p_step))
            results = c.at(out, (h, out_step))
            c.run(some[size], weights, p_step, values, dims, count, results, out_step)

        c.in_parts(heads, max(_HEADS), some_heads)

    return mix_span


def _mixture(heads: int, *, half: bool) -> Any:
    """Make a kernel (p, p_step, values, dims, count, out, out_step).

    It adds the values of `count` tokens, weighted, to each head.
    """
    size = 2 if half else 4

    @kernel("iiiiiii", f"{heads}_{size}")
    def mix(
        c: Code,
        p: Value,
        p_step: Value,
        values: Value,
        dims: Value,
        count: Value,
        out: Value,
        out_step: Value,
    ) -> None:
        # A block's width of dims, two vectors a head: the sums stay in registers for all tokens.
        @c.loop(dims, step=TOKENS)
        def dims_from(d: Value) -> None:
            places = [
                c.at(out, (h, out_step), (d, 4), (n, 4 * LANES))
                for h, n in product(range(heads), range(_PARTS))
            ]

            def token(t: Value, totals: list[Value]) -> list[Value]:
                row = c.at(values, (c.b.mul(t, dims), size), (d, size))
                parts = [c.widened(c.at(row, (n, size * LANES)), half) for n in range(_PARTS)]
                weights = [c.splat(c.load(F32, c.at(p, (h, p_step), (t, 4)))) for h in range(heads)]
                sums = []
                for i, total in enumerate(totals):
                    sums.append(c.fma(weights[i // _PARTS], parts[i % _PARTS], total))
                return sums

            totals = c.repeat(count, [c.load(FLOATS, place) for place in places], token)
            for place, total in zip(places, totals, strict=True):
                c.store(total, place)

    return mix


def storing(*, half: bool) -> Any:
    """Make a kernel (k, v, keys, values, lane, dims).

    It puts the key and the value of a token into a block, at the token's lane.
    """
    size = 2 if half else 4

    @kernel("iiiiii", f"_{size}")
    def put(
        c: Code, k: Value, v: Value, keys: Value, values: Value, lane: Value, dims: Value
    ) -> None:
        @c.loop(dims, step=LANES)
        def some(d: Value) -> None:
            row = c.load(FLOATS, c.at(k, (d, 4)))
            if half:
                row = c.b.fptrunc(row, ir.VectorType(F16, LANES))
            # A key is a column of its block, so its numbers are stored one by one, 32 apart.
            for n in range(LANES):
                place = c.at(keys, (d, size * TOKENS), (n, size * TOKENS), (lane, size))
                c.store(c.b.extract_element(row, I32(n)), place)
            place = c.at(values, (c.b.mul(lane, dims), size), (d, size))
            c.store_narrowed(c.load(FLOATS, c.at(v, (d, 4))), place, half)

    return put


@kernel("iii")
def divide(c: Code, x: Value, size: Value, total: Value) -> None:
    """Divide x by the number at `total`."""
    inverse = c.splat(c.b.fdiv(c.number(1.0, F32), c.load(F32, total)))

    @c.loop(size, step=LANES)
    def some(i: Value) -> None:
        c.store(c.b.fmul(c.load(FLOATS, c.at(x, (i, 4))), inverse), c.at(x, (i, 4)))
