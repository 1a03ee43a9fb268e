"""Products of weights with activations, a tile at a time: some tokens by some panels of 16 rows.

A panel holds 16 rows of a matrix side by side, so that a vector lane is a row. Four panels make a
unit. A unit lies in memory in the order in which it is read, because memory serves a single stream
quickest. With K inputs a unit is:
- 8 bits: uint8 [K/4][4 panels][16 rows][4 inputs], the weight + 128; a float32 scale for each row
  lies elsewhere.
- 4 bits: for every 64 inputs float16 [4 panels][2 blocks][16 rows], the scales of 32 inputs each,
  then uint8 [2 blocks][4][4 panels][16 rows][4 inputs], two weights + 8 in a byte: the high half
  holds the weight 16 inputs further on.
- 32 bits: float32 [K][4 panels][16 rows].

The quantised activations of a token are a record: int8 [K], then a float32 scale for every 64
inputs, then an int32 sum for every 32. Weights are unsigned and activations signed because that is
what VNNI multiplies; a weight is stored with an offset, and the sums of the activations serve to
subtract what the offset added to a result. Without VNNI the processor multiplies pairs of 16 bits,
so the activations are int16 [K/4][4], the even inputs of each four first (`dot4` says why). The
result of a row for a token does not depend on the tile, because its additions always run in the
same order.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

from llvmlite import ir

from spark_tui.engine.kernels.ir import F16, F32, FLOATS, I16, I32, INTS, LANES, Code, Value, kernel

PANEL = LANES
PANELS = 4
"""Panels of a unit."""
UNIT = PANELS * PANEL
"""Rows of a unit; all matrices are padded to whole ones."""
GROUP = 64
"""Inputs that share an activation's scale; K is a multiple of it."""
BLOCK = 32
"""Inputs that share a 4-bit weight's scale."""
QUAD = 4 * PANEL
"""Bytes from one panel of a unit to the next: 4 inputs in 8 bits, or one in 32."""
ROW = PANELS * QUAD  # bytes of the same inputs in all panels of a unit
FOURS = ROW * (1 + GROUP // 8)
"""Bytes of 64 inputs of a unit in 4 bits: a row of scales, then 8 of weights."""
_TOKENS = (1, 2, 4, 8)
"""Tokens of a tile."""
# Steps of a loop that are written out here, because `objects` turns LLVM's own unrolling off.
_UNROLLED = 4
_AHEAD = 4608
"""Bytes between a load and its prefetch, measured: two groups of 64 inputs in 4 bits."""

Totals = list[Value]
"""One vector for every token and panel, the panels of a token next to each other."""
_SHORTS = ir.VectorType(I16, 2 * LANES)


def activation_bytes(inputs: int) -> int:
    """Return the most bytes of a token's record of K quantised activations."""
    return 2 * inputs + inputs // GROUP * 4 + inputs // BLOCK * 4


def parts_of_record(c: Code, record: Value, k: Value) -> tuple[Value, Value]:
    """Return the addresses of a record's scales and of its sums."""
    scales = c.at(record, (k, input_bytes(c)))
    return scales, c.at(scales, (c.b.udiv(k, c.number(GROUP)), 4))


def input_bytes(c: Code) -> int:
    """Return the bytes of a quantised activation."""
    return 1 if c.vnni else 2


def panels(bits: int) -> Any:
    """Make a kernel (w, w_scales, k, x, x_step, out, out_step, add, tokens).

    It multiplies a unit by any number of tokens, in the largest tiles that fit. See `_tile`.
    """
    tiles = {tokens: _tile(bits, tokens) for tokens in _TOKENS}

    @kernel("iiiiiiiii", str(bits))
    def multiply_panels(
        c: Code,
        w: Value,
        w_scales: Value,
        k: Value,
        x: Value,
        x_step: Value,
        out: Value,
        out_step: Value,
        add: Value,
        tokens: Value,
    ) -> None:
        def some_tokens(size: int, t: Value) -> None:
            inputs = c.at(x, (t, x_step))
            results = c.at(out, (t, out_step))
            c.run(tiles[size], w, w_scales, inputs, x_step, k, results, out_step, add)

        c.in_parts(tokens, max(_TOKENS), some_tokens)

    return multiply_panels


def _tile(bits: int, tokens: int) -> Any:
    """Make a kernel (w, w_scales, x, x_step, k, out, out_step, add).

    It multiplies a unit by `tokens` tokens, a power of 2. w, x and out are the addresses of the
    unit, of the first token and of its result; x_step and out_step are the bytes from one token or
    result to the next. Results are float32. With add = 1 they are added to the numbers at `out`.
    """

    @kernel("iiiiiiii", f"{bits}_{tokens}")
    def multiply_tile(
        c: Code,
        w: Value,
        w_scales: Value,
        x: Value,
        x_step: Value,
        k: Value,
        out: Value,
        out_step: Value,
        add: Value,
    ) -> None:
        # As much of the tile at a time as there are registers for totals. Tokens come first: the
        # more of them share a pass over the weights, the fewer passes there are.
        high = min(tokens, c.totals)
        wide = min(PANELS, c.totals // high)

        @c.loop(tokens, step=high)
        def some_tokens(t: Value) -> None:
            @c.loop(PANELS, step=wide)
            def some_panels(p: Value) -> None:
                scales = c.at(w_scales, (p, 4 * PANEL))
                results = c.at(out, (t, out_step), (p, 4 * PANEL))
                inputs = c.at(x, (t, x_step))
                weights = c.at(w, (p, QUAD))
                _product(
                    c,
                    bits,
                    (high, wide),
                    weights,
                    scales,
                    inputs,
                    x_step,
                    k,
                    results,
                    out_step,
                    add,
                )

    return multiply_tile


def _product(
    c: Code,
    bits: int,
    size: tuple[int, int],
    w: Value,
    w_scales: Value,
    x: Value,
    x_step: Value,
    k: Value,
    out: Value,
    out_step: Value,
    add: Value,
) -> None:
    """Write a part of a tile.

    Args:
        size: Tokens by panels; the other arguments are those of `_tile`.
    """
    tokens, panels = size
    inputs = [c.at(x, (t, x_step)) for t in range(tokens)]
    weights = [c.at(w, (p, QUAD)) for p in range(panels)]
    multiply = {8: _eight, 4: _four, 32: _floats}[bits]
    totals = multiply(c, weights, inputs, k)
    added = c.b.icmp_signed("!=", add, c.number(0))
    for index, total in enumerate(totals):
        t, p = divmod(index, panels)
        place = c.at(out, (t, out_step), (p, 4 * PANEL))
        scale = c.number(1.0, FLOATS)  # in 4 bits `_four` has applied the scales already
        if bits == 8:
            scale = c.load(FLOATS, c.at(w_scales, (p, 4 * PANEL)))
        # With add = 0 the memory may hold anything; it is loaded, but the select drops it.
        before = c.b.select(added, c.load(FLOATS, place), c.number(0.0, FLOATS))
        c.store(c.fma(total, scale, before), place)


def _quad(c: Code, x: Value, *offsets: tuple[Value, int]) -> list[Value]:
    """Load four inputs of a token into every lane: one vector of bytes, or two of 16 bits.

    Args:
        c: Writes the text.
        x: The address of the token.
        offsets: The place of the first input: pairs of an index and the inputs that one step of the
            index stands for.
    """
    size = input_bytes(c)
    place = c.at(x, *((index, size * inputs) for index, inputs in offsets))
    return [c.splat(c.load(I32, c.at(place, (part, 4)))) for part in range(size)]


def dot4(c: Code, total: Value, weights: Value, inputs: list[Value]) -> Value:
    """Add to each lane the products of its 4 unsigned weights with 4 signed inputs.

    Args:
        c: Writes the text.
        total: The sums so far, an int32 a lane.
        weights: Four bytes a lane.
        inputs: What `_quad` returns for the inputs.
    """
    if c.vnni:
        function = c.b.module.declare_intrinsic(
            "llvm.x86.avx512.vpdpbusd.512", (), ir.FunctionType(INTS, [INTS] * 3)
        )
        return c.b.call(function, [total, weights, *inputs])
    # AVX2 multiplies bytes, too, but adds pairs in 16 bits with saturation, and 2 * 255 * 127 is
    # more than these hold. So bytes are widened in place: in every 16 bits the mask leaves the
    # even one of two weights, the shift the odd one. That is why the even inputs come first.
    pairs = c.b.bitcast(weights, _SHORTS)
    halves = c.b.and_(pairs, c.number(0xFF, _SHORTS)), c.b.lshr(pairs, c.number(8, _SHORTS))
    for half, given in zip(halves, inputs, strict=True):
        total = c.b.add(total, _dot2(c, half, c.b.bitcast(given, _SHORTS)))
    return total


def _dot2(c: Code, left: Value, right: Value) -> Value:
    """Return for each lane the sum of the products of 2 numbers of 16 bits."""
    if c.avx2:
        # A register of AVX2 holds 16 numbers of 16 bits: half of the 32.
        half = ir.VectorType(I16, LANES)
        kind = ir.FunctionType(ir.VectorType(I32, LANES // 2), [half, half])
        function = c.b.module.declare_intrinsic("llvm.x86.avx2.pmadd.wd", (), kind)
        sums = []
        for first in (0, LANES):
            mask = ir.Constant(INTS, [*range(first, first + LANES)])
            parts = [c.b.shuffle_vector(vector, vector, mask) for vector in (left, right)]
            sums.append(c.b.call(function, parts))
        return c.b.shuffle_vector(*sums, ir.Constant(INTS, [*range(LANES)]))
    # In plain instructions, which LLVM turns into those of the processor.
    wide = ir.VectorType(I32, 2 * LANES)
    products = c.b.mul(c.b.sext(left, wide), c.b.sext(right, wide))
    even = ir.Constant(INTS, [*range(0, 2 * LANES, 2)])
    odd = ir.Constant(INTS, [*range(1, 2 * LANES, 2)])
    return c.b.add(
        c.b.shuffle_vector(products, products, even), c.b.shuffle_vector(products, products, odd)
    )


def _prefetch(c: Code, places: list[Value]) -> None:
    """Prefetch weights further on: by itself the processor fetches too late for slow memory."""
    for place in places:
        c.prefetch(c.at(place, (_AHEAD, 1)))


def _grid(inputs: list[Value], weights: list[Value], make: Callable[[int, int], Value]) -> Totals:
    # In the order of `Totals`: the panels of a token next to each other.
    return [make(t, p) for t, p in product(range(len(inputs)), range(len(weights)))]


def _eight(c: Code, weights: list[Value], inputs: list[Value], k: Value) -> Totals:
    # `weights` are the addresses of panels, `inputs` those of tokens' records. The scales of the
    # rows are left to `_product`; those of the activations change with every group.
    wide = len(weights)
    scales, sums = zip(*(parts_of_record(c, x, k) for x in inputs), strict=True)

    def group(g: Value, totals: Totals) -> Totals:
        # (w + 128) * x added up is w * x added up, plus 128 times the sum of the inputs.
        offsets = [_offset(c, c.at(token_sums, (g, 8)), 2, -128) for token_sums in sums]

        def quads(q: Value, parts: Totals) -> Totals:
            for step in range(_UNROLLED):
                number = c.b.add(q, c.number(step))
                places = [c.at(w, (g, GROUP // 4 * ROW), (number, ROW)) for w in weights]
                _prefetch(c, places)
                rows = [c.load(INTS, place) for place in places]
                four = [_quad(c, x, (g, GROUP), (number, 4)) for x in inputs]
                parts = [
                    dot4(c, part, rows[i % wide], four[i // wide]) for i, part in enumerate(parts)
                ]
            return parts

        begun = _grid(inputs, weights, lambda t, _: offsets[t])
        # Within a group all is exact, in int32; only the scale makes floats of it.
        parts = c.repeat(GROUP // 4, begun, quads, step=_UNROLLED)
        factors = [c.splat(c.load(F32, c.at(token_scales, (g, 4)))) for token_scales in scales]
        return [
            c.fma(c.b.sitofp(part, FLOATS), factors[i // wide], totals[i])
            for i, part in enumerate(parts)
        ]

    zero = c.number(0.0, FLOATS)
    return c.repeat(c.b.udiv(k, c.number(GROUP)), _grid(inputs, weights, lambda *_: zero), group)


def _four(c: Code, weights: list[Value], inputs: list[Value], k: Value) -> Totals:
    scales, sums = zip(*(parts_of_record(c, x, k) for x in inputs), strict=True)
    again = c.hidden(weights[0])
    copies = [[x for _ in weights] for x in inputs]
    if len(inputs) == 1:  # each panel loads the inputs anew, see `_block_of_four`
        copies = [[c.hidden(x) for _ in weights] for x in inputs]

    def group(g: Value, totals: Totals) -> Totals:
        shared = [c.splat(c.load(F32, c.at(token_scales, (g, 4)))) for token_scales in scales]

        def block(number: Value, totals: Totals) -> Totals:
            marks = [c.at(w, (g, FOURS), (number, 2 * PANEL)) for w in weights]
            # The scales of a group are four cache lines; each of its two blocks asks for two.
            lines = [
                c.at(weights[0], (g, FOURS), (number, ROW // 2), (line, QUAD)) for line in range(2)
            ]
            _prefetch(c, lines)
            # The weights of a block are 4 rows, behind the group's row of scales.
            records = [c.at(w, (g, FOURS), (number, 4 * ROW), (1, ROW)) for w in weights]
            second = [
                c.at(again, (g, FOURS), (number, 4 * ROW), (1, ROW), (p, QUAD))
                for p in range(len(weights))
            ]
            size = input_bytes(c)
            block_inputs = []
            for copy in copies:
                offsets_in_copy = (g, size * GROUP), (number, size * BLOCK)
                block_inputs.append([c.at(x, *offsets_in_copy) for x in copy])
            offsets = []
            for token_sums in sums:
                offsets.append(_offset(c, c.at(token_sums, (g, 8), (number, 4)), 1, -8 * 16))
            parts = _block_of_four(c, records, second, block_inputs, offsets)
            halves = ir.VectorType(F16, PANEL)
            block_scales = [c.b.fpext(c.load(halves, mark), FLOATS) for mark in marks]
            factors = _grid(inputs, weights, lambda t, p: c.b.fmul(block_scales[p], shared[t]))
            return [
                c.fma(c.b.sitofp(part, FLOATS), factors[i], totals[i])
                for i, part in enumerate(parts)
            ]

        return c.repeat(GROUP // BLOCK, totals, block)

    zero = c.number(0.0, FLOATS)
    return c.repeat(c.b.udiv(k, c.number(GROUP)), _grid(inputs, weights, lambda *_: zero), group)


def _block_of_four(
    c: Code,
    records: list[Value],
    again: list[Value],
    inputs: list[list[Value]],
    offsets: list[Value],
) -> Totals:
    """Write the products of 32 inputs, as int32.

    The high halves of the weights come first, masked but not shifted, so 16 times as large. Weights
    are loaded a second time for the low halves: the fewer instructions wait for memory, the more
    cache lines can be on their way. The first half is a loop because LLVM leaves prefetches in a
    loop where they are. Otherwise it would gather them, more than the processor can have waiting.

    Args:
        c: Writes the text.
        records: The addresses of the block's weights, one a panel.
        again: The same, hidden from LLVM.
        inputs: Hidden addresses of each token's inputs, one a panel.
        offsets: What the sum of each token begins with, times 16.
    """
    wide = len(records)
    low = c.number(0x0F0F0F0F, INTS)
    high = c.number(-0x0F0F0F10, INTS)  # 0xF0F0F0F0 as a signed number

    def add(quad: Value, parts: Totals, places: list[Value], mask: Value, first: int) -> Totals:
        rows = [c.b.and_(c.load(INTS, c.at(place, (quad, ROW))), mask) for place in places]
        four = []
        for copy in inputs:
            four.append([_quad(c, x, (quad, 4), (first, 1)) for x in copy])
        return [
            dot4(c, part, rows[i % wide], four[i // wide][i % wide]) for i, part in enumerate(parts)
        ]

    def upper(quad: Value, parts: Totals) -> Totals:
        _prefetch(c, [c.at(record, (quad, ROW)) for record in records])
        return add(quad, parts, records, high, BLOCK // 2)

    parts = c.repeat(4, _grid(inputs, records, lambda t, _: offsets[t]), upper)
    # Exact: the offsets, too, are multiples of 16.
    parts = [c.b.ashr(part, c.number(4, INTS)) for part in parts]
    for quad in range(4):
        parts = add(quad, parts, again, low, 0)
    return parts


def _floats(c: Code, weights: list[Value], inputs: list[Value], k: Value) -> Totals:
    wide = len(weights)

    def columns(first: Value, totals: Totals) -> Totals:
        for step in range(_UNROLLED):
            column = c.b.add(first, c.number(step))
            rows = [c.load(FLOATS, c.at(w, (column, ROW))) for w in weights]
            values = [c.splat(c.load(F32, c.at(x, (column, 4)))) for x in inputs]
            totals = [
                c.fma(rows[i % wide], values[i // wide], total) for i, total in enumerate(totals)
            ]
        return totals

    zero = c.number(0.0, FLOATS)
    return c.repeat(k, _grid(inputs, weights, lambda *_: zero), columns, step=_UNROLLED)


def _offset(c: Code, address: Value, count: int, factor: int) -> Value:
    """Return, in every lane, minus what the weights' offset adds to a sum of products.

    Args:
        c: Writes the text.
        address: The address of the first of the token's sums.
        count: How many sums of 32 inputs the products cover.
        factor: Minus the offset of a weight, times the factor that the products have so far.
    """
    total = c.load(I32, address)
    for number in range(1, count):
        total = c.b.add(total, c.load(I32, c.at(address, (number, 4))))
    return c.splat(c.b.mul(total, I32(factor)))
