"""Attention as two steps of a pass: keys and values go to the cache, then every token attends."""

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
            angles = positions[t] * s.head * 2
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

    Slots outside count nothing.

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
    """Add the values of the slots from start to stop, each times its weight."""
    if start >= stop:
        return
    heads = s.heads // s.kv_heads
    head = s.head * 4
    own = weights + start % TOKENS * 4
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

    They see the slots before span[0], and those from span[1] to stop.
    """
    heads = s.heads // s.kv_heads
    head = s.head * 4
    blocks = _score_span(s, r, q, keys, scores, 0, span[0])
    second = scores + blocks * TOKENS * 4
    blocks += _score_span(s, r, q, keys, second, span[1], stop)
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
    """Step: attention of every token, rounded where the weights are.

    Args:
        mixed: Numbers of a token's result.
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
