"""A layer's experts as steps of a pass: choose the experts of each token, multiply, add up.

A row is a token in one of its experts, and rows are ordered by expert. So the tokens of an expert
lie next to each other, and its weights are read once for all of them. The result of a row depends
on no other row. A token adds up its rows in the order in which it chose their experts, so its sum
does not depend on the other tokens of the pass.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.kernels import elementwise
from spark_tui.engine.kernels.heads import ROWS
from spark_tui.engine.kernels.products import by_panels, first_unit, pieces_of
from spark_tui.engine.kernels.threads import Pass, Room, Shape, Table, compiled, finish, take, wait
from spark_tui.engine.kernels.tiles import PANEL

USED = 0
MISSING = 1
LAYER = 2
"""Indices into `ExpertLayer.state`: how many experts the tokens of a layer go through, whether the
weights of one of them are missing (1 or 0), and the number of that layer.
"""
_UNIT_SCALES = 16 * PANEL
"""Bytes of a unit's scales, and of its results."""


class ExpertLayer(NamedTuple):
    """The experts of a model, and the room in which passes over one cache work with them.

    Addresses: `logits_at` of `logits`; `records` of the rows' activations; `wide` of the results of
    gate and up, in float32; `inner` of the same once they are gated and rounded; `out` of the rows'
    results. Bytes from one row to the next: `record_step`, `wide_step`, `inner_step`.
    """

    experts: int
    """The experts of a layer; 0 where a layer has one MLP, and nothing else here is used."""
    active: int
    normalized: int
    wide_units: int
    """Units of an expert's gate and up; a unit is four panels of 16 rows (`tiles.UNIT`)."""
    out_units: int
    """Units of an expert's way down."""
    routers: Table
    """(layers, 5): the router of each layer, in 32 bits, as `Packed.description` returns it."""
    ready: npt.NDArray[np.uint8]
    """(layers, experts): 1 where the weights of an expert are there."""
    logits: FloatArray
    """(tokens, padded experts)."""
    shares: FloatArray
    """(tokens * active,): the shares of each token's experts, the expert chosen first in front."""
    chosen: Table
    """(tokens * active,): the numbers of these experts, in the same order."""
    places: Table
    """(tokens * active,): the row of each choice, in the same order."""
    tokens: Table
    """(tokens * active,): the token of each row."""
    starts: Table
    """(experts + 1,): the first row of each expert."""
    used: Table
    """(experts,): the experts that have rows."""
    state: Table
    """(3,): see `USED`, `MISSING`, `LAYER`."""
    logits_at: int
    records: int
    record_step: int
    wide: int
    wide_step: int
    inner: int
    inner_step: int
    out: int


@compiled
def _choose_one(m: ExpertLayer, t: int) -> None:
    """Choose the experts of a token: those with the largest logits, of equal ones the first."""
    # The softmax of the router's logits. The columns behind `experts` are padding.
    logits = m.logits[t]
    largest = logits[0]
    for expert in range(m.experts):
        largest = max(largest, logits[expert])
    whole = np.float32(0.0)
    for expert in range(m.experts):
        logits[expert] = np.exp(logits[expert] - largest)
        whole += logits[expert]
    # Few experts are active, so the next largest is looked for again for each of them.
    own = np.float32(0.0)
    for rank in range(m.active):
        best = -1
        for expert in range(m.experts):
            seen = False
            for earlier in range(rank):
                seen = seen or m.chosen[t * m.active + earlier] == expert
            if not seen and (best < 0 or logits[expert] > logits[best]):
                best = expert
        m.chosen[t * m.active + rank] = best
        m.shares[t * m.active + rank] = logits[best]
        own += logits[best]
    # Some families share out the whole among the chosen experts, others among all experts.
    if m.normalized == 1:
        whole = own
    for rank in range(m.active):
        m.shares[t * m.active + rank] /= whole


@compiled
def _order(m: ExpertLayer, layer: int, tokens: int) -> None:
    """Give every expert its rows, by a counting sort of all choices."""
    m.starts[:] = 0
    # The rows of each expert are counted one place further on, which makes the running sum below
    # the first row of each.
    for choice in range(tokens * m.active):
        m.starts[m.chosen[choice] + 1] += 1
    m.state[USED] = 0
    m.state[MISSING] = 0
    m.state[LAYER] = layer
    for expert in range(m.experts):
        if m.starts[expert + 1] > 0:
            m.used[m.state[USED]] = expert
            m.state[USED] += 1
            if m.ready[layer, expert] == 0:
                m.state[MISSING] = 1
        m.starts[expert + 1] += m.starts[expert]
    for choice in range(tokens * m.active):  # `starts` moves on while rows are given away ...
        row = m.starts[m.chosen[choice]]
        m.starts[m.chosen[choice]] += 1
        m.places[choice] = row
        m.tokens[row] = choice // m.active
    for expert in range(m.experts, 0, -1):  # ... and ends where the next expert begins
        m.starts[expert] = m.starts[expert - 1]
    m.starts[0] = 0


@compiled
def choose(m: ExpertLayer, layer: int, p: Pass, step: int) -> bool:
    """Step: choose the experts that tokens go through.

    Returns:
        Whether the weights of all are there.
    """
    # One piece: a single thread chooses for all tokens. `wait` publishes its choice to the others,
    # so all threads agree on whether the pass goes on.
    if take(p.counters, step) == 0:
        for t in range(p.tokens):
            _choose_one(m, t)
        _order(m, layer, p.tokens)
        finish(p.counters, step)
    wait(p.counters, step, 1)
    return bool(m.state[MISSING] == 0)


@compiled
def gather(m: ExpertLayer, x: int, x_step: int, p: Pass, step: int) -> None:
    """Step: give every row a copy of its token's activations, so that rows can be read in order."""
    count = p.tokens * m.active
    pieces = (count + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for row in range(piece * ROWS, min(count, (piece + 1) * ROWS)):
            elementwise.copy(
                x + m.tokens[row] * x_step, m.records + row * m.record_step, x_step // 4
            )
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@compiled
def multiply_experts(
    bits: int,
    matrix: Table,
    units: int,
    x: int,
    x_step: int,
    out: int,
    out_step: int,
    m: ExpertLayer,
    p: Pass,
    step: int,
) -> None:
    """Step: multiply the rows of every expert by the expert's own part of a matrix.

    Args:
        bits: The bits of a weight.
        matrix: (5,), as `Packed.description` returns it for the stack of all experts.
        units: The units of an expert.
        x: The address of the rows' activations.
        x_step: Bytes from one row to the next; 0 where all rows are of one token.
        out: The address of the results.
        out_step: Bytes from one result to the next.
        m: The experts.
        p: The pass.
        step: The number of the step.
    """
    w, unit_bytes, scales, _, k = matrix
    pieces = pieces_of(p.threads)
    piece = take(p.counters, step)
    while piece < pieces:
        # Pieces are cut over the experts in use as if they were one matrix, so that threads share
        # the work evenly however many experts there are.
        all_units = m.state[USED] * units
        last = first_unit(piece + 1, all_units, p.threads)
        for at in range(first_unit(piece, all_units, p.threads), last):
            expert = m.used[at // units]
            unit = at % units
            number = expert * units + unit
            row = m.starts[expert]
            place = w + number * unit_bytes
            own = scales + number * _UNIT_SCALES
            to = out + row * out_step + unit * _UNIT_SCALES
            count = m.starts[expert + 1] - row
            by_panels(bits, place, own, k, x + row * x_step, x_step, to, out_step, 0, count)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)


@compiled
def add_up(s: Shape, m: ExpertLayer, r: Room, p: Pass, step: int) -> None:
    """Step: add the results of each token, times their shares, to its hidden state."""
    pieces = (p.tokens + ROWS - 1) // ROWS
    piece = take(p.counters, step)
    while piece < pieces:
        for t in range(piece * ROWS, min(p.tokens, (piece + 1) * ROWS)):
            for choice in range(t * m.active, (t + 1) * m.active):
                result = m.out + m.places[choice] * s.hidden * 4
                elementwise.add_part(r.x + t * s.hidden * 4, result, s.hidden, m.shares[choice])
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)
