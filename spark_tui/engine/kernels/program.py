"""A whole forward pass as one call that holds no lock of Python's. Any number of threads may run one together.

A pass is a row of steps; a step is cut into pieces, and every thread takes pieces until none is left.
"""

from collections.abc import Callable

import numpy as np
from numba import int64

from spark_tui.engine.kernels import rows
from spark_tui.engine.kernels.heads import ROWS, attend_all, place_heads
from spark_tui.engine.kernels.shapes import Pass, Room, Shape, Table
from spark_tui.engine.kernels.threads import close, compiled, enter, entry, finish, inlined, leave, take, wait
from spark_tui.engine.kernels.tiles import PANEL, PANELS, QUAD, tile

runtime: Callable[[int], int] = int64  # type: ignore[assignment]
"""A number that numba does not take for a constant."""
_SHORT = 8
"""Pieces that even out what threads did not read at the same speed."""


def _by_tiles(bits: int) -> Callable[..., None]:
    """A function for a unit and all tokens, in the largest tiles that fit."""
    one, two, four, eight = (tile(bits, tokens) for tokens in (1, 2, 4, 8))

    @compiled
    def panels(
        w: int, scales: int, k: int, x: int, x_step: int, out: int, out_step: int, add: int, tokens: int
    ) -> None:
        t = 0
        while tokens - t >= 8:
            eight(w, scales, x + t * x_step, x_step, k, out + t * out_step, out_step, add)
            t += 8
        if tokens - t >= 4:
            four(w, scales, x + t * x_step, x_step, k, out + t * out_step, out_step, add)
            t += 4
        if tokens - t >= 2:
            two(w, scales, x + t * x_step, x_step, k, out + t * out_step, out_step, add)
            t += 2
        if tokens > t:
            one(w, scales, x + t * x_step, x_step, k, out + t * out_step, out_step, add)

    return panels


_panels4, _panels8, _panels32 = _by_tiles(4), _by_tiles(8), _by_tiles(32)


@inlined
def _begin(piece: int, units: int, threads: int) -> int:
    """The first unit of a piece: a long run of memory for each thread, which is read quickest, then short ones."""
    if threads == 1:
        return units * piece
    run = units * 3 // (4 * threads)
    if piece <= threads:
        return run * piece
    return run * threads + (units - run * threads) * (piece - threads) // _SHORT


@compiled
def multiply(
    bits: int, matrix: Table, x: int, x_step: int, out: int, out_step: int, add: int, tokens: int, p: Pass, step: int
) -> None:
    """Step: all rows of a matrix by `tokens` tokens. Args: matrix: (5,), as `Packed.description` says it."""
    w, unit_bytes, scales, rows, k = matrix
    units = rows // (PANELS * PANEL)
    pieces = p.threads + _SHORT if p.threads > 1 else 1
    piece = take(p.counters, step)
    while piece < pieces:
        for unit in range(_begin(piece, units, p.threads), _begin(piece + 1, units, p.threads)):
            at, own, to = w + unit * unit_bytes, scales + unit * 16 * PANEL, out + unit * 16 * PANEL
            if bits == 8:
                _panels8(at, own, k, x, x_step, to, out_step, add, tokens)
            elif bits == 4:
                _panels4(at, own, k, x, x_step, to, out_step, add, tokens)
            else:
                _panels32(at, own, k, x, x_step, to, out_step, add, tokens)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


STEPS_A_LAYER = 9
MORE_STEPS = 3
"""The embedding, the last norm and the head."""


@compiled
def _embed(s: Shape, matrix: Table, ids: Table, r: Room, p: Pass, step: int) -> None:
    """Step: the embeddings of all tokens."""
    w, unit_bytes, scales, _, k = matrix
    t = take(p.counters, step)
    while t < p.tokens:
        number, lane, out = ids[t] // PANEL, ids[t] % PANEL, r.x + t * s.hidden * 4
        panel = w + number // PANELS * unit_bytes + number % PANELS * QUAD
        if s.bits == 8:
            rows.row8(panel, lane, scales + ids[t] * 4, k, out)
        elif s.bits == 4:
            rows.row4(panel, lane, k, out)
        else:
            rows.row32(panel, lane, k, out)
        finish(p.counters, step)
        t = take(p.counters, step)
    wait(p.counters, step, p.tokens)


@compiled
def _prepare(s: Shape, weight: int, r: Room, p: Pass, first: int, step: int) -> None:
    """Step: the norm of the tokens from `first` on, rounded where the weights are."""
    pieces = (p.tokens - first + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(first + piece * ROWS, min(p.tokens, first + (piece + 1) * ROWS)):
            y = r.normed + t * s.hidden * 4
            rows.normalise(r.x + t * s.hidden * 4, weight, y, s.hidden, s.hidden_size, np.float32(s.eps))
            if s.bits != 32:
                rows.quantise(y, r.records + t * r.record_step, s.hidden)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@compiled
def _close_gates(s: Shape, r: Room, p: Pass, wide_step: int, step: int) -> None:
    """Step: silu(gate) * up, in the gate's place, rounded where the weights are."""
    pieces = (p.tokens + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(piece * ROWS, min(p.tokens, (piece + 1) * ROWS)):
            row = r.wide + t * wide_step
            rows.gate(row, row + s.inner * 4, row, s.inner)
            if s.bits != 32:
                rows.quantise(row, r.records + t * r.record_step, s.inner)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@inlined
def _layer(
    s: Shape, number: int, norms: Table, own: Table, r: Room, p: Pass, slots: Table, positions: Table, spans: Table,
    rank: int, step: int,
) -> None:  # fmt: skip
    """One layer, as STEPS_A_LAYER steps.

    Numba compiles a function anew for each literal that is passed to it. `runtime` makes a number
    of a literal, so that one `multiply` and one `_prepare` serve all steps, which saves seconds of
    a first start.
    """
    rounded = s.bits != 32
    normed, normed_step = (r.records, r.record_step) if rounded else (r.normed, s.hidden * 4)
    wide_step, mixed = own[0, 3] * 4, own[1, 4]
    _prepare(s, norms[0], r, p, runtime(0), step)
    replace = runtime(0)
    add = runtime(1)
    multiply(s.bits, own[0], normed, normed_step, r.wide, wide_step, replace, p.tokens, p, step + 1)
    place_heads(s, norms, number, r, p, slots, positions, wide_step, step + 2)
    attend_all(s, number, r, p, slots, spans, wide_step, mixed, rank, step + 3)
    x, x_step = (r.records, r.record_step) if rounded else (r.mixed, mixed * 4)
    multiply(s.bits, own[1], x, x_step, r.x, s.hidden * 4, add, p.tokens, p, step + 4)
    wide_step = own[2, 3] * 4
    _prepare(s, norms[1], r, p, runtime(0), step + 5)
    multiply(s.bits, own[2], normed, normed_step, r.wide, wide_step, replace, p.tokens, p, step + 6)
    _close_gates(s, r, p, wide_step, step + 7)
    x, x_step = (r.records, r.record_step) if rounded else (r.wide, wide_step)
    multiply(s.bits, own[3], x, x_step, r.x, s.hidden * 4, add, p.tokens, p, step + 8)


@inlined
def _run(
    s: Shape, r: Room, p: Pass, norms: Table, matrices: Table, ends: Table, ids: Table, slots: Table,
    positions: Table, spans: Table, rank: int,
) -> None:  # fmt: skip
    _embed(s, ends[2], ids, r, p, 0)
    step = runtime(1)
    for number in range(s.layers):
        _layer(s, number, norms[number], matrices[number], r, p, slots, positions, spans, rank, step)
        step += STEPS_A_LAYER
    first = p.logits_from
    _prepare(s, ends[0, 0], r, p, first, step)
    x, x_step = (r.records, r.record_step) if s.bits != 32 else (r.normed, s.hidden * 4)
    count, logits_step = p.tokens - first, ends[1, 3] * 4
    head_x = x + first * x_step
    replace = runtime(0)
    multiply(s.bits, ends[1], head_x, x_step, p.logits, logits_step, replace, count, p, step + 1)


@entry
def forward(
    rank: int, s: Shape, r: Room, p: Pass, norms: Table, matrices: Table, ends: Table, ids: Table, slots: Table,
    positions: Table, spans: Table,
) -> None:  # fmt: skip
    """Take part in a pass: rank 0 runs it, others join it unless it is over, and all leave together.

    Args: norms: (layers, 5): addresses of the attention's and the inner norm, the bias of q, k, v (0: none), the norms
        of queries and keys (0: none). matrices: (layers, 4, 5): qkv, out, gate and up, down, as `Packed.description`
        says them. ends: (3, 5): the last norm's address in ends[0, 0], the head, the embedding. ids, slots, positions:
        (T,): the tokens, where they are kept, and their places in the text. spans: (T, 2): a token sees the slots
        before spans[t, 0], and those from spans[t, 1] to its own.
    """
    if rank > 0 and not enter(p.counters):
        return
    _run(s, r, p, norms, matrices, ends, ids, slots, positions, spans, rank)
    if rank == 0:
        close(p.counters)
    else:
        leave(p.counters)
