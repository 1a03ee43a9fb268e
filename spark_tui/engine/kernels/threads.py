"""The arguments of a compiled pass, and the threads that share its work.

Each thread takes the next piece that no thread has, and waits where all pieces must be done. A
thread that comes late, or that the system holds up between pieces, holds nobody up: the others take
its share.

The counters of a pass lie in a row, each in a cache line of its own: how many threads have joined
the pass and how many have left it, then for every step how many of its pieces are taken and how
many are done.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, njit

from spark_tui.engine.kernels.ir import I32, I64, Code, Value, kernel

Table = npt.NDArray[np.int64]


class Shape(NamedTuple):
    """The model's sizes, padded as its weights are.

    `hidden_size` and `head_size` are without padding.
    """

    bits: int
    layers: int
    hidden: int
    hidden_size: int
    heads: int
    kv_heads: int
    head: int
    head_size: int
    inner: int
    eps: float


class Room(NamedTuple):
    """The addresses of the memory that passes over one cache work in, and of its keys and values.

    Per token: `x` holds hidden states, `normed` the same behind a norm, `wide` queries, keys and
    values, or gates and ups, `mixed` the results of attention, `records` rounded activations.

    Bytes: `record_step` from a token's record to the next; `scores_step` from a head's scores to
    the next; `scores_size` of a thread's scores; `layer_bytes` of the keys of a layer and
    `head_bytes` of those of a head. The values of a layer and of a head take as many.
    """

    x: int
    normed: int
    wide: int
    mixed: int
    records: int
    record_step: int
    scores: int
    scores_step: int
    scores_size: int
    keys: int
    values: int
    layer_bytes: int
    head_bytes: int
    cosines: int
    sines: int


class Pass(NamedTuple):
    """One pass: the addresses of its counters and its logits, and where the pass begins.

    Logits are computed for the tokens from `logits_from` on. The pass begins with the layer
    `first`, or with the second half of that layer where `resumed` is 1. `stop` is the address of an
    int64: once that number is not 0, the pass ends before the next layer.
    """

    tokens: int
    threads: int
    counters: int
    logits: int
    logits_from: int
    first: int
    resumed: int
    stop: int


F = TypeVar("F", bound=Callable[..., Any])
LINE = 64
"""Bytes between two counters, so that threads at one do not disturb those at another."""
GATE_BYTES = 2 * LINE  # threads that joined, threads that left
STEP_BYTES = 2 * LINE  # pieces taken, pieces done
_CLOSED = 1 << 32  # far more than threads can join: the count tells whether a pass is over
_SPINS = 2000  # looks at a counter before a waiting thread yields between looks


def compiled(function: F) -> F:
    """Compile a function that compiled code calls; it runs without Python's global lock."""
    return cast("F", njit(nogil=True)(function))


def inlined(function: F) -> F:
    """Make a function part of its caller, so that numba need not work through it twice."""
    return cast("F", njit(nogil=True, inline="always")(function))


def entry(function: F) -> F:
    """Compile a function that Python calls.

    The code is kept in the folder of `Backend`, if there is one. Without that folder nothing is
    kept: numba would keep the code beside this file, and still take it for valid when another file
    of the kernels has changed.
    """
    is_kept = bool(config.CACHE_DIR)  # type: ignore[attr-defined]
    return cast("F", njit(nogil=True, cache=is_kept)(function))


def _fetch_add(c: Code, address: Value, amount: Value) -> Value:
    """Add to the int64 at an address, atomically.

    Returns:
        The number before.
    """
    # Acquire and release: whoever sees the new count also sees what this thread wrote before.
    place = c.b.inttoptr(address, I64.as_pointer())
    return c.b.atomic_rmw("add", place, c.number(amount), "acq_rel")


def _look(c: Code, address: Value) -> Value:
    """Load the int64 at an address, and see all that the thread that set it wrote before."""
    return c.b.load_atomic(c.b.inttoptr(address, I64.as_pointer()), "acquire", 8)


def _yield_now(c: Code) -> None:
    """Let another thread run on this processor."""
    name = "sched_yield"
    function = c.b.module.globals.get(name)
    if function is None:
        function = ir.Function(c.b.module, ir.FunctionType(I32, []), name)
    c.b.call(function, [])


def _taken(c: Code, counters: Value, step: Value) -> Value:
    """Return the address of the count of a step's pieces that were taken."""
    return c.at(counters, (1, GATE_BYTES), (step, STEP_BYTES))


def _done(c: Code, counters: Value, step: Value) -> Value:
    """Return the address of the count of a step's pieces that are done."""
    return c.at(_taken(c, counters, step), (1, LINE))


def _reach(c: Code, address: Value, count: Value) -> None:
    """Go on when a counter has come so far: at once where possible, else let other threads run."""
    # Threads finish their last pieces at about the same time, so a short spin is the quickest way
    # to wait. But if the thread that is waited for has no processor, only yielding gives it one.
    before = c.b.block
    check = c.b.append_basic_block("check")
    inside = c.b.append_basic_block("inside")
    after = c.b.append_basic_block("after")
    c.b.branch(check)
    c.b.position_at_end(check)
    spins = c.b.phi(I64)
    spins.add_incoming(c.number(0), before)
    c.b.cbranch(c.b.icmp_signed("<", _look(c, address), count), inside, after)
    c.b.position_at_end(inside)
    more = c.b.add(spins, c.number(1))
    with c.b.if_then(c.b.icmp_signed(">", more, c.number(_SPINS))):
        _yield_now(c)
    spins.add_incoming(more, c.b.block)
    c.b.branch(check)
    c.b.position_at_end(after)


@kernel("ii", counts=True)
def take(c: Code, counters: Value, step: Value) -> Value:
    """Take the next piece of a step, and return its number."""
    return _fetch_add(c, _taken(c, counters, step), 1)


@kernel("ii")
def finish(c: Code, counters: Value, step: Value) -> None:
    """Count a piece as done, which publishes its results to the threads that wait."""
    _fetch_add(c, _done(c, counters, step), 1)


@kernel("iii")
def wait(c: Code, counters: Value, step: Value, pieces: Value) -> None:
    """Return when all pieces of a step are done."""
    _reach(c, _done(c, counters, step), pieces)


@kernel("i", counts=True)
def look(c: Code, address: Value) -> Value:
    """Return the int64 at an address, as the thread that changed it last left it."""
    return _look(c, address)


@kernel("i", counts=True)
def enter(c: Code, counters: Value) -> Value:
    """Join a pass.

    Returns:
        0 if the pass is over, else 1.
    """
    before = _fetch_add(c, counters, 1)
    return c.b.zext(c.b.icmp_signed("<", before, c.number(_CLOSED)), I64)


@kernel("i")
def leave(c: Code, counters: Value) -> None:
    """Leave a pass that was joined."""
    _fetch_add(c, c.at(counters, (1, LINE)), 1)


@kernel("i")
def close(c: Code, counters: Value) -> None:
    """End a pass: let no thread join any more, and wait until all that did have left.

    Afterwards no thread works on the pass any more.
    """
    # The count before `_CLOSED` is added is the number of threads that joined.
    _reach(c, c.at(counters, (1, LINE)), _fetch_add(c, counters, _CLOSED))
