"""A whole forward pass as one compiled call, which does not hold Python's global lock.

Any number of threads may run a pass together. A pass is a row of steps. A step is cut into pieces:
every thread takes pieces until none is left, and waits until all are done before the next step.
"""

from collections.abc import Callable

import numpy as np
from numba import int64

from spark_tui.engine.kernels import elementwise
from spark_tui.engine.kernels.experts import ExpertLayer, add_up, choose, gather, multiply_experts
from spark_tui.engine.kernels.heads import ROWS, attend_all, place_heads
from spark_tui.engine.kernels.products import multiply
from spark_tui.engine.kernels.threads import (
    Pass,
    Room,
    Shape,
    Table,
    close,
    compiled,
    enter,
    entry,
    finish,
    inlined,
    leave,
    look,
    take,
    wait,
)
from spark_tui.engine.kernels.tiles import PANEL, PANELS, QUAD

runtime: Callable[[int], int] = int64  # type: ignore[assignment]
"""Makes a number that numba does not take for a constant.

Numba compiles a function anew for each literal that is passed to it. With numbers instead of
literals, one `multiply` and one `_prepare` serve all steps, which saves seconds at a first start.
"""
STEPS_A_LAYER = 13
"""5 steps of attention, 1 norm, 7 of the experts; a layer with one MLP uses fewer."""
MORE_STEPS = 3
"""The embedding, the last norm and the head."""


@compiled
def _embed(s: Shape, matrix: Table, ids: Table, r: Room, p: Pass, step: int) -> None:
    """Step: copy the embeddings of all tokens out of the packed matrix, as float32."""
    w, unit_bytes, scales, _, k = matrix
    t = take(p.counters, step)
    while t < p.tokens:
        # A token's row is one lane of one panel of a unit.
        number = ids[t] // PANEL
        lane = ids[t] % PANEL
        out = r.x + t * s.hidden * 4
        panel = w + number // PANELS * unit_bytes + number % PANELS * QUAD
        if s.bits == 8:
            elementwise.row8(panel, lane, scales + ids[t] * 4, k, out)
        elif s.bits == 4:
            elementwise.row4(panel, lane, k, out)
        else:
            elementwise.row32(panel, lane, k, out)
        finish(p.counters, step)
        t = take(p.counters, step)
    wait(p.counters, step, p.tokens)


@compiled
def _prepare(s: Shape, weight: int, r: Room, p: Pass, first: int, step: int) -> None:
    """Step: norm the tokens from `first` on, and round them where the weights are rounded."""
    pieces = (p.tokens - first + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(first + piece * ROWS, min(p.tokens, first + (piece + 1) * ROWS)):
            y = r.normed + t * s.hidden * 4
            elementwise.normalise(
                r.x + t * s.hidden * 4, weight, y, s.hidden, s.hidden_size, np.float32(s.eps)
            )
            if s.bits != 32:
                elementwise.quantise(y, r.records + t * r.record_step, s.hidden)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@compiled
def _close_gates(
    s: Shape,
    count: int,
    wide: int,
    wide_step: int,
    records: int,
    record_step: int,
    p: Pass,
    step: int,
) -> None:
    """Step: put silu(gate) * up of `count` rows in the gate's place, rounded where the weights are.

    A row holds its gate and then its up, `s.inner` numbers each.
    """
    pieces = (count + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(piece * ROWS, min(count, (piece + 1) * ROWS)):
            row = wide + t * wide_step
            elementwise.gate(row, row + s.inner * 4, row, s.inner)
            if s.bits != 32:
                elementwise.quantise(row, records + t * record_step, s.inner)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@compiled
def _through_experts(
    s: Shape,
    number: int,
    own: Table,
    r: Room,
    m: ExpertLayer,
    p: Pass,
    x: int,
    x_step: int,
    step: int,
) -> bool:
    """Run the rest of a layer behind the norm, as 7 steps.

    Args:
        s: The model's sizes.
        number: The number of the layer.
        own: (4, 5): the layer's matrices.
        r: The room of the pass.
        m: The experts.
        p: The pass.
        x: The address of the activations.
        x_step: Bytes from one token's activations to the next.
        step: The number of the first step.

    Returns:
        Whether the weights of all experts that are needed are there. If not, the hidden states are
        unchanged, and a later pass may begin this half of the layer again.
    """
    count = p.tokens * m.active
    logits_step = m.routers[number, 3] * 4
    # The router works on activations in float32 even where all other weights are rounded.
    multiply(
        runtime(32),
        m.routers[number],
        r.normed,
        s.hidden * 4,
        m.logits_at,
        logits_step,
        runtime(0),
        p.tokens,
        p,
        step,
    )
    if not choose(m, number, p, step + 1):
        return False
    if p.tokens > 1:
        gather(m, x, x_step, p, step + 2)
        x = m.records
        x_step = m.record_step
    else:  # all rows are of the one token
        x_step = 0
    multiply_experts(s.bits, own[2], m.wide_units, x, x_step, m.wide, m.wide_step, m, p, step + 3)
    _close_gates(s, count, m.wide, m.wide_step, m.inner, m.inner_step, p, step + 4)
    x, x_step = (m.inner, m.inner_step) if s.bits != 32 else (m.wide, m.wide_step)
    multiply_experts(s.bits, own[3], m.out_units, x, x_step, m.out, s.hidden * 4, m, p, step + 5)
    add_up(s, m, r, p, step + 6)
    return True


@inlined
def _attention(
    s: Shape,
    number: int,
    norms: Table,
    own: Table,
    r: Room,
    p: Pass,
    slots: Table,
    positions: Table,
    spans: Table,
    rank: int,
    step: int,
) -> None:
    """Run the first half of a layer, as 5 steps."""
    rounded = s.bits != 32
    normed, normed_step = (r.records, r.record_step) if rounded else (r.normed, s.hidden * 4)
    wide_step = own[0, 3] * 4
    mixed = own[1, 4]
    _prepare(s, norms[0], r, p, runtime(0), step)
    multiply(
        s.bits, own[0], normed, normed_step, r.wide, wide_step, runtime(0), p.tokens, p, step + 1
    )
    place_heads(s, norms, number, r, p, slots, positions, wide_step, step + 2)
    attend_all(s, number, r, p, slots, spans, wide_step, mixed, rank, step + 3)
    # The product with the output matrix adds to `r.x`: that is the residual connection.
    x, x_step = (r.records, r.record_step) if rounded else (r.mixed, mixed * 4)
    multiply(s.bits, own[1], x, x_step, r.x, s.hidden * 4, runtime(1), p.tokens, p, step + 4)


@inlined
def _dense(
    s: Shape, _number: int, norms: Table, own: Table, r: Room, _m: ExpertLayer, p: Pass, step: int
) -> bool:
    """Run the second half of a layer with one MLP, as 4 steps.

    Returns:
        True: no weights are ever missing.
    """
    rounded = s.bits != 32
    normed, normed_step = (r.records, r.record_step) if rounded else (r.normed, s.hidden * 4)
    _prepare(s, norms[1], r, p, runtime(0), step)
    wide_step = own[2, 3] * 4
    replace = runtime(0)
    multiply(s.bits, own[2], normed, normed_step, r.wide, wide_step, replace, p.tokens, p, step + 1)
    _close_gates(s, p.tokens, r.wide, wide_step, r.records, r.record_step, p, step + 2)
    x, x_step = (r.records, r.record_step) if rounded else (r.wide, wide_step)
    add = runtime(1)
    multiply(s.bits, own[3], x, x_step, r.x, s.hidden * 4, add, p.tokens, p, step + 3)
    return True


@inlined
def _mixed(
    s: Shape, number: int, norms: Table, own: Table, r: Room, m: ExpertLayer, p: Pass, step: int
) -> bool:
    """Run the second half of a layer with experts, as 8 steps.

    Returns:
        As `_through_experts`.
    """
    rounded = s.bits != 32
    normed, normed_step = (r.records, r.record_step) if rounded else (r.normed, s.hidden * 4)
    _prepare(s, norms[1], r, p, runtime(0), step)
    return _through_experts(s, number, own, r, m, p, normed, normed_step, step + 1)


def _layers(second_half: Callable[..., bool]) -> Callable[..., None]:
    """Make a function that runs a pass through layers of one kind.

    Args:
        second_half: Runs the second half of a layer, behind the attention.
    """

    @inlined
    def run(
        s: Shape,
        r: Room,
        m: ExpertLayer,
        p: Pass,
        norms: Table,
        matrices: Table,
        ends: Table,
        ids: Table,
        slots: Table,
        positions: Table,
        spans: Table,
        rank: int,
    ) -> None:
        if p.resumed == 0:
            _embed(s, ends[2], ids, r, p, 0)
        step = runtime(1)
        done = True
        for number in range(p.first, s.layers):
            # Threads may see the signal at different layers. That is safe: a thread that goes on
            # takes all pieces itself, and never waits for a piece that nobody has taken.
            if look(p.stop) != 0:
                done = False
                break
            own = matrices[number]
            # A pass that resumes has run this half of its first layer already.
            if number > p.first or p.resumed == 0:
                _attention(s, number, norms[number], own, r, p, slots, positions, spans, rank, step)
            done = second_half(s, number, norms[number], own, r, m, p, step + 5)
            if not done:
                break
            step += STEPS_A_LAYER
        if done:
            # The last norm and the head, of those tokens only whose logits are wanted.
            first = p.logits_from
            _prepare(s, ends[0, 0], r, p, first, step)
            x, x_step = (r.records, r.record_step) if s.bits != 32 else (r.normed, s.hidden * 4)
            x += first * x_step
            count = p.tokens - first
            logits_step = ends[1, 3] * 4
            replace = runtime(0)
            multiply(s.bits, ends[1], x, x_step, p.logits, logits_step, replace, count, p, step + 1)

    return run


_run_dense = _layers(_dense)
_run_mixed = _layers(_mixed)


@entry
def forward(
    rank: int,
    s: Shape,
    r: Room,
    m: ExpertLayer,
    p: Pass,
    norms: Table,
    matrices: Table,
    ends: Table,
    ids: Table,
    slots: Table,
    positions: Table,
    spans: Table,
) -> None:
    """Take part in a pass: rank 0 runs it, the others join it unless it is over.

    Rank 0 returns last, when all others have left the pass.

    Args:
        rank: The number of this thread among those that share the pass.
        s: The model's sizes.
        r: The room of the pass.
        m: The experts; unused here.
        p: The pass.
        norms: (layers, 5): addresses of the norm before attention, of the norm behind it, of the
            bias of q, k and v, and of the norms of queries and of keys; 0 where there is none.
        matrices: (layers, 4, 5): qkv, out, gate and up, down, as `Packed.description` returns them.
        ends: (3, 5): the last norm, with its address in ends[0, 0]; the head; the embedding.
        ids: (T,): the tokens.
        slots: (T,): where their keys and values are kept.
        positions: (T,): their places in the text.
        spans: (T, 2): a token sees the slots before spans[t, 0], and those from spans[t, 1] to its
            own.
    """
    if rank > 0 and enter(p.counters) == 0:
        return
    _run_dense(s, r, m, p, norms, matrices, ends, ids, slots, positions, spans, rank)
    if rank == 0:
        close(p.counters)
    else:
        leave(p.counters)


@entry
def forward_mixed(
    rank: int,
    s: Shape,
    r: Room,
    m: ExpertLayer,
    p: Pass,
    norms: Table,
    matrices: Table,
    ends: Table,
    ids: Table,
    slots: Table,
    positions: Table,
    spans: Table,
) -> None:
    """Take part in a pass through a mixture of experts; the arguments are those of `forward`.

    This is a function of its own so that models without experts need not compile it. The pass ends
    before the experts of a layer if some of those that tokens need are not packed yet;
    `ExpertLayer.state` says which. Once they are packed, another pass may resume in that layer.
    """
    if rank > 0 and enter(p.counters) == 0:
        return
    _run_mixed(s, r, m, p, norms, matrices, ends, ids, slots, positions, spans, rank)
    if rank == 0:
        close(p.counters)
    else:
        leave(p.counters)
