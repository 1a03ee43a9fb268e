"""The step of a pass that multiplies a matrix by all of the pass's tokens, shared by threads."""

from spark_tui.engine.kernels.threads import Pass, Table, compiled, finish, inlined, take, wait
from spark_tui.engine.kernels.tiles import PANEL, PANELS, panels

_SHORT = 8
"""The number of short pieces at the end, which even out threads that read at different speeds."""


_panels4 = panels(4)
_panels8 = panels(8)
_panels32 = panels(32)


@inlined
def by_panels(
    bits: int,
    w: int,
    scales: int,
    k: int,
    x: int,
    x_step: int,
    out: int,
    out_step: int,
    add: int,
    tokens: int,
) -> None:
    """Multiply a unit by `tokens` tokens; the arguments are those of `panels`."""
    if bits == 8:
        _panels8(w, scales, k, x, x_step, out, out_step, add, tokens)
    elif bits == 4:
        _panels4(w, scales, k, x, x_step, out, out_step, add, tokens)
    else:
        _panels32(w, scales, k, x, x_step, out, out_step, add, tokens)


@inlined
def pieces_of(threads: int) -> int:
    """Return the number of pieces that a product is cut into."""
    return threads + _SHORT if threads > 1 else 1


@inlined
def first_unit(piece: int, units: int, threads: int) -> int:
    """Return the first unit of a piece.

    The first pieces are a long run of memory for each thread, which is read quickest; the others
    are short.
    """
    if threads == 1:
        return units * piece
    run = units * 3 // (4 * threads)  # long runs are three quarters of the matrix
    if piece <= threads:
        return run * piece
    return run * threads + (units - run * threads) * (piece - threads) // _SHORT


@compiled
def multiply(
    bits: int,
    matrix: Table,
    x: int,
    x_step: int,
    out: int,
    out_step: int,
    add: int,
    tokens: int,
    p: Pass,
    step: int,
) -> None:
    """Step: multiply all rows of a matrix by `tokens` tokens.

    Args:
        bits: The bits of a weight.
        matrix: (5,), as `Packed.description` returns it.
        x: The address of the first token's activations.
        x_step: Bytes from one token to the next.
        out: The address of the first token's results.
        out_step: Bytes from one token's results to the next.
        add: 1 adds to the results that are there, 0 replaces them.
        tokens: The number of tokens.
        p: The pass.
        step: The number of the step.
    """
    w, unit_bytes, scales, rows, k = matrix
    units = rows // (PANELS * PANEL)
    pieces = pieces_of(p.threads)
    piece = take(p.counters, step)
    while piece < pieces:
        for unit in range(
            first_unit(piece, units, p.threads), first_unit(piece + 1, units, p.threads)
        ):
            at = w + unit * unit_bytes
            # A unit is 64 rows, each with a scale and a result of 4 bytes.
            own = scales + unit * 16 * PANEL
            to = out + unit * 16 * PANEL
            by_panels(bits, at, own, k, x, x_step, to, out_step, add, tokens)
        finish(p.counters, step)
        piece = take(p.counters, step)
    wait(p.counters, step, pieces)
