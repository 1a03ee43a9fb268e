"""Threads that share the work of a pass: each takes the next piece that nobody has, and waits where all must be done.

A thread that comes late, or that the system holds up between pieces, holds nobody up: the others take its share. The
counters of a pass lie in a row: how many threads joined it and how many left again, then for every step how many of its
pieces were taken and how many are done.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])
_I64 = ir.IntType(64)
LINE = 64
"""Bytes between two counters, so that threads at one do not disturb those at another."""
GATE_BYTES = 2 * LINE
STEP_BYTES = 2 * LINE
_CLOSED = 1 << 32
_SPINS = 2000


def compiled(function: F) -> F:
    """Compile a function that compiled code calls; it holds no lock of Python's."""
    return cast("F", njit(nogil=True)(function))


def inlined(function: F) -> F:
    """Make a function part of the one that calls it: compiled on its own, it would be worked through twice."""
    return cast("F", njit(nogil=True, inline="always")(function))


def entry(function: F) -> F:
    """Compile a function that Python calls. What comes of it is kept where `Backend` said, if it did.

    Without its say numba would keep it beside this file, and take it for valid when another file has changed.
    """
    return cast("F", njit(nogil=True, cache=bool(config.CACHE_DIR))(function))  # type: ignore[attr-defined]


def _fetch_add(_context: Any, address: Any, amount: Any) -> Any:
    def generate(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
        place = builder.inttoptr(values[0], _I64.as_pointer())
        return builder.atomic_rmw("add", place, values[1], "acq_rel")

    del address, amount
    return types.int64(types.int64, types.int64), generate


fetch_add: Callable[[int, int], int] = intrinsic(_fetch_add)  # type: ignore[assignment]
"""Add to the int64 at an address, in one step that no other thread can part; returns what it was."""


def _look(_context: Any, address: Any) -> Any:
    def generate(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(values[0], _I64.as_pointer()), "acquire", 8)

    del address
    return types.int64(types.int64), generate


look: Callable[[int], int] = intrinsic(_look)  # type: ignore[assignment]
"""The int64 at an address, and with it what another thread wrote before it."""


def _yield_now(_context: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, _values: Any) -> Any:
        name = "sched_yield"
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(ir.IntType(32), []), name)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


yield_now: Callable[[], None] = intrinsic(_yield_now)  # type: ignore[assignment]
"""Let another thread run on this processor."""


@compiled
def take(counters: int, step: int) -> int:
    """The number of the next piece of a step."""
    return fetch_add(counters + GATE_BYTES + step * STEP_BYTES, 1)


@compiled
def finish(counters: int, step: int) -> None:
    """Count a piece as done."""
    fetch_add(counters + GATE_BYTES + step * STEP_BYTES + LINE, 1)


@compiled
def wait(counters: int, step: int, pieces: int) -> None:
    """Return when all pieces of a step are done."""
    reach(counters + GATE_BYTES + step * STEP_BYTES + LINE, pieces)


@compiled
def reach(address: int, count: int) -> None:
    """Return when a counter has come so far: at once where possible, else letting other threads run."""
    spins = 0
    while look(address) < count:
        spins += 1
        if spins > _SPINS:
            yield_now()


@compiled
def enter(counters: int) -> bool:
    """Join a pass; False when it is over."""
    return fetch_add(counters, 1) < _CLOSED


@compiled
def leave(counters: int) -> None:
    """Be done with a pass that was joined."""
    fetch_add(counters + LINE, 1)


@compiled
def close(counters: int) -> None:
    """End a pass: nobody may join it any more, and whoever did has left."""
    reach(counters + LINE, fetch_add(counters, _CLOSED))
