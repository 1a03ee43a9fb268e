"""Attention as two steps of a pass: put keys and values into the cache, then let tokens attend.

The first step must be complete before the second begins, because tokens of a pass attend to earlier
tokens of the same pass.
"""

import numpy as np

from spark_tui.engine.kernels import attention, elementwise
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.threads import (
    Pass,
    Room,
    Shape,
    Table,
    compiled,
    finish,
    inlined,
    take,
    wait,
)

ROWS = 8
"""Tokens of a piece in steps that go token by token."""
_put16 = attention.storing(half=True)
_put32 = attention.storing(half=False)
_scores16 = attention.scores(half=True)
_scores32 = attention.scores(half=False)
_mix16 = attention.mixture(half=True)
_mix32 = attention.mixture(half=False)


@compiled
def place_heads(
    s: Shape,
    norms: Table,
    number: int,
    r: Room,
    p: Pass,
    slots: Table,
    positions: Table,
    wide_step: int,
    step: int,
) -> None:
    """Step: bias, norm and rotation of queries and keys; keys and values go to the cache."""
    pieces = (p.tokens + ROWS - 1) // ROWS
    # Queries are scaled here once, instead of every score later.
    factor = np.float32(1.0 / np.sqrt(np.float64(s.head_size)))
    size = 4 if s.bits == 32 else 2
    keys = r.keys + number * r.layer_bytes
    values = r.values + number * r.layer_bytes
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(piece * ROWS, min(p.tokens, (piece + 1) * ROWS)):
            row = r.wide + t * wide_step
            if norms[2] != 0:
                elementwise.add(row, norms[2], (s.heads + 2 * s.kv_heads) * s.head)
            angles = positions[t] * s.head * 2  # half a head of float32 for each position
            # A row holds the query heads, then the key heads, then the values, which have neither a
            # norm nor a rotation.
            for h in range(s.heads + s.kv_heads):
                head = row + h * s.head * 4
                weight = norms[3] if h < s.heads else norms[4]
                if weight != 0:
                    elementwise.normalise(
                        head, weight, head, s.head, s.head_size, np.float32(s.eps)
                    )
                own = factor if h < s.heads else np.float32(1.0)
                elementwise.rotate(head, r.cosines + angles, r.sines + angles, s.head // 2, own)
            block = slots[t] // TOKENS
            lane = slots[t] % TOKENS
            for h in range(s.kv_heads):
                key = row + (s.heads + h) * s.head * 4
                value = key + s.kv_heads * s.head * 4
                at = h * r.head_bytes + block * TOKENS * s.head * size
                if size == 4:
                    _put32(key, value, keys + at, values + at, lane, s.head)
                else:
                    _put16(key, value, keys + at, values + at, lane, s.head)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@inlined
def _score_span(s: Shape, r: Room, q: int, keys: int, scores: int, start: int, stop: int) -> int:
    """Compute the scores of the slots from start to stop, in whole blocks.

    The scores of other slots in these blocks are made to count nothing.

    Returns:
        The number of blocks.
    """
    if start >= stop:
        return 0
    heads = s.heads // s.kv_heads
    head = s.head * 4
    first = start // TOKENS
    last = (stop - 1) // TOKENS
    for block in range(first, last + 1):
        at = scores + (block - first) * TOKENS * 4
        if s.bits == 32:
            _scores32(q, head, keys + block * TOKENS * head, s.head, at, r.scores_step, heads)
        else:
            _scores16(q, head, keys + block * TOKENS * head // 2, s.head, at, r.scores_step, heads)
    # Only the first and the last block can hold slots outside; they may be the same block.
    for h in range(heads):
        row = scores + h * r.scores_step
        attention.bound(row, start - first * TOKENS, stop - first * TOKENS)
        if last > first:
            attention.bound(
                row + (last - first) * TOKENS * 4, start - last * TOKENS, stop - last * TOKENS
            )
    return last - first + 1


@inlined
def _mix_span(
    s: Shape, r: Room, weights: int, values: int, out: int, start: int, stop: int
) -> None:
    """Add the values of the slots from start to stop, each times its weight.

    Args:
        s: The model's sizes.
        r: The room of the pass.
        weights: The address of the softened scores that `_score_span` computed for the same span.
        values: The address of the values of a head.
        out: The address of the sums.
        start: The first slot.
        stop: The slot behind the last one.
    """
    if start >= stop:
        return
    heads = s.heads // s.kv_heads
    head = s.head * 4
    own = weights + start % TOKENS * 4  # weights begin with the whole block that `start` lies in
    if s.bits == 32:
        _mix32(own, r.scores_step, values + start * head, s.head, stop - start, out, head, heads)
    else:
        _mix16(
            own, r.scores_step, values + start * head // 2, s.head, stop - start, out, head, heads
        )


@inlined
def _attend(
    s: Shape, r: Room, q: int, keys: int, values: int, out: int, scores: int, span: Table, stop: int
) -> None:
    """Attend with one token's queries that share a key/value head.

    They see the slots before span[0], and those from span[1] to stop: a shared prefix, and a branch
    behind it. A cache without branches has an empty second span.
    """
    heads = s.heads // s.kv_heads
    head = s.head * 4
    blocks = _score_span(s, r, q, keys, scores, 0, span[0])
    second = scores + blocks * TOKENS * 4
    blocks += _score_span(s, r, q, keys, second, span[1], stop)
    # One softmax over the scores of both spans, which lie next to each other. The sums lie behind
    # the scores of all heads, and the division by them comes last, on the few numbers of a head.
    totals = scores + heads * r.scores_step
    for h in range(heads):
        attention.soften(scores + h * r.scores_step, blocks * TOKENS, totals + 4 * h)
    elementwise.clear(out, heads * s.head)
    _mix_span(s, r, scores, values, out, 0, span[0])
    _mix_span(s, r, second, values, out, span[1], stop)
    for h in range(heads):
        attention.divide(out + h * head, s.head, totals + 4 * h)


@compiled
def attend_all(
    s: Shape,
    number: int,
    r: Room,
    p: Pass,
    slots: Table,
    spans: Table,
    wide_step: int,
    mixed: int,
    rank: int,
    step: int,
) -> None:
    """Step: let every token attend, and round its result where the weights are rounded.

    Args:
        s: The model's sizes.
        number: The number of the layer.
        r: The room of the pass.
        p: The pass.
        slots: (T,): the slots of the tokens.
        spans: (T, 2): what each token sees, see `_attend`.
        wide_step: Bytes from one token's queries, keys and values to the next.
        mixed: Numbers of a token's result.
        rank: The number of this thread, which has scores of its own.
        step: The number of the step.
    """
    keys = r.keys + number * r.layer_bytes
    values = r.values + number * r.layer_bytes
    groups = s.heads // s.kv_heads
    scores = r.scores + rank * r.scores_size
    t = take(p.counters, step)
    while t < p.tokens:
        row = r.wide + t * wide_step
        out = r.mixed + t * mixed * 4
        for h in range(s.kv_heads):
            at = h * groups * s.head * 4
            own = h * r.head_bytes
            _attend(
                s, r, row + at, keys + own, values + own, out + at, scores, spans[t], slots[t] + 1
            )
        if s.bits != 32:
            elementwise.quantise(out, r.records + t * r.record_step, mixed)
        finish(p.counters, step)
        t = take(p.counters, step)
    wait(p.counters, step, p.tokens)
