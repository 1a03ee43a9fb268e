"""A decoder whose passes are compiled, with weights of 4, 8 or 32 bits, and its KV cache.

`BlockCache` is the cache, `CompiledDecoder` the decoder; between them stand the threads and the
room that a pass works in.
"""

import math
import mmap
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import typeof

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import Experts, ModelConfig, attention_factor, frequencies
from spark_tui.engine.gguf_quants import ENCODINGS, Q8_0, dequantise
from spark_tui.engine.kernels import objects
from spark_tui.engine.kernels.attention import TOKENS
from spark_tui.engine.kernels.experts import LAYER, MISSING, USED, ExpertLayer
from spark_tui.engine.kernels.forward import MORE_STEPS, STEPS_A_LAYER, forward, forward_mixed
from spark_tui.engine.kernels.packed_weights import padded
from spark_tui.engine.kernels.threads import GATE_BYTES, STEP_BYTES, Pass, Room, Shape, Table
from spark_tui.engine.kernels.tiles import GROUP, UNIT, activation_bytes
from spark_tui.engine.kernels.unpack import unpack
from spark_tui.engine.kernels.weight_order import Arranged, arrange, head_width
from spark_tui.engine.kv_cache import Branches, KVCache, checked_ids
from spark_tui.engine.machine import require_cache
from spark_tui.engine.weights import expected_shapes, token_weights
from spark_tui.errors import ShapeError
from spark_tui.stop_signal import PassStopped, StopSignal

_AT_ONCE = 2048
"""Positions whose angles are computed together."""


class BlockCache(KVCache):
    """A `KVCache` in blocks of 32 tokens.

    A block holds keys as (dims, tokens) and values as (tokens, dims).

    Args:
        config: The model's shape.
        capacity: Tokens that it can hold; see `KVCache`.
        half: Whether numbers are kept in half precision.

    Attributes:
        slots: The slots of tokens that follow each other from the first slot on, without branches.
        spans: What each of such tokens sees, as `forward.forward` takes it.

    Raises:
        ShapeError: A capacity out of range.
        ModelError: The machine has not the memory for it.
    """

    def __init__(self, config: ModelConfig, capacity: int | None, *, half: bool) -> None:
        self.half = half
        super().__init__(config, capacity)
        self.workspace: object = None
        """The room that the model's passes work in, made and known by the model."""
        # Made once and sliced by each pass. The token of slot t sees the slots before t + 1; its
        # second span, from t + 1 to itself, is empty.
        self.slots = np.arange(self.capacity)
        self.spans = np.repeat(self.slots[:, None] + 1, 2, axis=1)
        angles = (self.capacity, head_width(config) // 2)
        self.cosines = np.empty(angles, np.float32)
        self.sines = np.empty(angles, np.float32)
        self._angles_known = 0
        self._frequencies = frequencies(config)
        self._factor = attention_factor(config)

    def extend_angles(self, positions: int) -> None:
        """Compute the angles of the first `positions` tokens, unless they are known."""
        if positions <= self._angles_known:
            return
        start = self._angles_known
        stop = min(self.capacity, padded(positions, _AT_ONCE))
        # The padding of a head keeps angles of 0, which leave its zeros alone.
        angles = np.zeros((stop - start, self.cosines.shape[1]))
        angles[:, : len(self._frequencies)] = np.arange(start, stop)[:, None] * self._frequencies
        self.cosines[start:stop] = np.cos(angles) * self._factor
        self.sines[start:stop] = np.sin(angles) * self._factor
        self._angles_known = stop

    def _allocate(self, config: ModelConfig) -> None:
        kind: type[np.floating[Any]] = np.float16 if self.half else np.float32
        require_cache(config, self.capacity, np.dtype(kind).itemsize)
        dims = head_width(config)
        blocks = padded(self.capacity, TOKENS) // TOKENS
        self.keys = _sparse((config.n_layers, config.n_kv_heads, blocks, dims, TOKENS), kind)
        # A token's values are a row, and rows follow each other across blocks: a sum over tokens
        # need not care where a block ends.
        self.values = _sparse((config.n_layers, config.n_kv_heads, blocks * TOKENS, dims), kind)

    @property
    def by_slot(self) -> tuple[Any, ...]:
        """See `KVCache.by_slot`; reading keys copies them."""
        return _Keys(self.keys), np.moveaxis(self.values, 2, 0)


def _sparse(shape: tuple[int, ...], kind: type[np.floating[Any]]) -> npt.NDArray[Any]:
    """Return zeros that take memory only where something is written, in small pages.

    Numpy would ask for huge pages. The first few tokens of each head would then fill a huge page of
    their own, 200 MB for a single word.

    Raises:
        MemoryError: The system cannot map so much.
    """
    size = math.prod(shape) * np.dtype(kind).itemsize
    try:
        if sys.platform == "win32":
            memory = mmap.mmap(-1, size)
        else:
            memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as e:
        raise MemoryError(*e.args) from e
    if sys.platform == "linux" and hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, kind).reshape(shape)


class _Keys:
    """The keys of blocks as if they lay slot by slot."""

    def __init__(self, keys: npt.NDArray[Any]) -> None:
        self._keys = keys
        self._slots = np.arange(keys.shape[2] * TOKENS)

    def __getitem__(self, which: Any) -> npt.NDArray[Any]:
        slots = self._slots[which]
        return self._keys[:, :, slots // TOKENS, :, slots % TOKENS]

    def __setitem__(self, which: Any, values: npt.NDArray[Any]) -> None:
        slots = self._slots[which]
        self._keys[:, :, slots // TOKENS, :, slots % TOKENS] = values


_LINE = 64
"""Bytes of a cache line: rows are padded to it, so that no two threads write to the same line."""
FLOAT32 = 32
"""Bits of weights that are not rounded; the activations are not rounded either then."""


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """Room for passes over a cache.

    Attributes:
        tokens: The most tokens of a pass.
        room: The addresses of its arrays.
        mixture: The room for experts.
        experts: The model's experts.
        arrays: Own the memory.
    """

    tokens: int
    room: Room
    mixture: ExpertLayer
    experts: "ExpertRoom"
    arrays: tuple[npt.NDArray[Any], ...]

    @classmethod
    def of(
        cls, shape: Shape, tokens: int, cache: BlockCache, threads: int, experts: "ExpertRoom"
    ) -> "Workspace":
        """Set room aside for passes over a cache.

        Args:
            shape: The model's sizes.
            tokens: The most tokens of a pass.
            cache: The cache.
            threads: The threads that share a pass.
            experts: The model's experts.
        """
        mixed = padded(shape.heads * shape.head, GROUP)
        qkv = padded((shape.heads + 2 * shape.kv_heads) * shape.head, GROUP)
        wide = max(qkv, 2 * shape.inner)  # gate and up, side by side
        record = padded(activation_bytes(max(shape.hidden, mixed, shape.inner)), _LINE)
        # Scores come in whole blocks. The end of the first span and both ends of the second one may
        # lie within a block.
        seen = padded(cache.capacity, TOKENS) + 3 * TOKENS
        # Behind the scores of its heads a thread keeps their sums, in a cache line for each head.
        scores = shape.heads // shape.kv_heads * (seen + _LINE // 4)
        x = np.empty((tokens, shape.hidden), np.float32)
        normed = np.empty((tokens, shape.hidden), np.float32)
        row = np.empty((tokens, wide), np.float32)
        mixed_rows = np.zeros((tokens, mixed), np.float32)  # what lies behind the last head stays 0
        records = np.empty((tokens, record), np.uint8)
        seen_by = np.empty((threads, scores), np.float32)
        layer_bytes, head_bytes = cache.keys.strides[:2]
        room = Room(
            x=_place(x),
            normed=_place(normed),
            wide=_place(row),
            mixed=_place(mixed_rows),
            records=_place(records),
            record_step=record,
            scores=_place(seen_by),
            scores_step=4 * seen,
            scores_size=4 * scores,
            keys=_place(cache.keys),
            values=_place(cache.values),
            layer_bytes=layer_bytes,
            head_bytes=head_bytes,
            cosines=_place(cache.cosines),
            sines=_place(cache.sines),
        )
        mixture, expert_arrays = experts.mixture(shape, tokens, record)
        arrays: list[npt.NDArray[Any]] = [x, normed, row, mixed_rows, records, seen_by]
        return cls(tokens, room, mixture, experts, (*arrays, *expert_arrays))


def _place(array: npt.NDArray[Any] | None) -> int:
    """Return the address of an array; 0 where there is none."""
    return 0 if array is None else array.ctypes.data


class ExpertRoom:
    """The experts of a model, whose weights are packed when a token first goes through them.

    Args:
        config: The model's shape.
        arranged: Its weights.
        threads: The threads that share the packing.
    """

    def __init__(self, config: ModelConfig, arranged: Arranged, threads: int) -> None:
        self._experts = config.experts
        self._pack = arranged.pack_expert
        self._threads = threads
        self._lock = threading.Lock()
        routers = [layer.router for layer in arranged.layers if layer.router is not None]
        self._logits = max((router.rows for router in routers), default=0)
        descriptions = [router.description() for router in routers]
        self._routers: Table = np.array(descriptions, np.int64).reshape(-1, 5)
        count = 0 if config.experts is None else config.experts.count
        self._ready = np.zeros((config.n_layers, count), np.uint8)

    def mixture(
        self, shape: Shape, tokens: int, record: int
    ) -> tuple[ExpertLayer, tuple[npt.NDArray[Any], ...]]:
        """Set room aside for the experts of passes.

        Args:
            shape: The model's sizes.
            tokens: The most tokens of a pass.
            record: The bytes of a token's activations.

        Returns:
            The addresses, and the arrays that own the memory.
        """
        experts = self._experts or Experts(0, 0, 0)
        rows = tokens * experts.active
        wide_step = 8 * shape.inner  # gate and up in float32
        inner_step = padded(activation_bytes(shape.inner), _LINE)
        record_step = record
        if shape.bits == FLOAT32:
            record_step = 4 * shape.hidden
        routed = tokens if experts.count else 0
        logits = np.zeros((routed, self._logits), np.float32)
        records = np.empty(rows * record_step, np.uint8)
        wide = np.empty(rows * wide_step, np.uint8)
        inner = np.empty(rows * inner_step, np.uint8)
        out = np.empty(rows * 4 * shape.hidden, np.uint8)
        layer = ExpertLayer(
            experts=experts.count,
            active=experts.active,
            normalized=int(experts.normalized),
            wide_units=2 * shape.inner // UNIT,
            out_units=shape.hidden // UNIT,
            routers=self._routers,
            ready=self._ready,
            logits=logits,
            shares=np.zeros(rows, np.float32),
            chosen=np.zeros(rows, np.int64),
            places=np.zeros(rows, np.int64),
            tokens=np.zeros(rows, np.int64),
            starts=np.zeros(experts.count + 1, np.int64),
            used=np.zeros(experts.count, np.int64),
            state=np.zeros(3, np.int64),
            logits_at=_place(logits),
            records=_place(records),
            record_step=record_step,
            wide=_place(wide),
            wide_step=wide_step,
            inner=_place(inner),
            inner_step=inner_step,
            out=_place(out),
        )
        return layer, (records, wide, inner, out)

    def complete(self, mixture: ExpertLayer) -> None:
        """Pack the experts without which a pass could not go on.

        Args:
            mixture: The state of the pass, with the layer and the experts in use there.

        Raises:
            ModelError: The weights cannot be read any more, or are not finite.
        """
        layer = int(mixture.state[LAYER])
        used = mixture.used[: mixture.state[USED]].tolist()
        pack = self._pack
        if pack is None:
            return
        with self._lock, ThreadPoolExecutor(self._threads) as pool:
            # Another pass may have packed some of them while this one waited for the lock.
            missing = [expert for expert in used if not self._ready[layer, expert]]
            # `list` raises the error of a thread that failed; then none of them counts as ready.
            list(pool.map(partial(pack, layer), missing))
            self._ready[layer, missing] = 1


class Crew:
    """Threads that share passes, the caller's among them.

    The others sleep between passes and end with the process.

    Args:
        size: The number of threads.
        take_part: The function that each runs in a pass, such as `forward`.
    """

    def __init__(self, size: int, take_part: Callable[..., None] = forward) -> None:
        self.size = size
        self._take_part = take_part
        # Holds the invitations to one pass. A newer pass pushes out those that no thread took up.
        self._passes: deque[tuple[Any, Any, int]] = deque(maxlen=max(1, size - 1))
        self._called = threading.Semaphore(0)
        self._started = False

    def run(self, arguments: tuple[Any, ...], held: tuple[Any, ...], *, alone: bool) -> None:
        """Run a pass to its end.

        Args:
            arguments: The arguments of `forward` behind the rank.
            held: Objects that must not be freed while a thread may read them.
            alone: Whether the caller's thread runs the pass alone.
        """
        if not alone and self.size > 1:
            self._start()
            for rank in range(1, self.size):
                self._passes.append((arguments, held, rank))
                self._called.release()
        self._take_part(0, *arguments)

    def compile(self, arguments: tuple[Any, ...]) -> None:
        """Have numba compile the function that threads run in a pass.

        Args:
            arguments: Arguments such as `run` takes; only their types matter.
        """
        entry: Any = self._take_part
        kinds = [typeof(argument) for argument in (0, *arguments)]  # type: ignore[no-untyped-call]
        entry.compile(tuple(kinds))

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        for number in range(1, self.size):
            threading.Thread(target=self._help, name=f"spark-kernels-{number}", daemon=True).start()

    def _help(self) -> None:
        while True:
            self._called.acquire()
            try:
                arguments, held, rank = self._passes.popleft()
            except IndexError:  # a newer pass pushed the invitation out
                continue
            self._take_part(rank, *arguments)
            # A thread that sleeps must not keep the cache of its last pass alive.
            del arguments, held


def counters(steps: int) -> Table:
    """Return the counters of one pass, all 0, by which its threads know how far they are."""
    return np.zeros((GATE_BYTES + steps * STEP_BYTES) // 8, np.int64)


MOST_TOKENS = 256
"""The most tokens of a pass; longer ones are several."""
_MOST_NUMBERS = 3 << 17
"""The most inner activations of all tokens of a pass, which have to fit a processor's cache."""
_CHUNK_WORK = 1 << 31
"""Tokens times bytes of weights of a pass that takes some milliseconds."""
_LEAST_CHUNK = 32
"""The fewest tokens of a chunk, however long its pass takes."""
_LEAST_MIXED_CHUNK = 64
"""The same in a mixture, where few tokens share an expert's weights."""
_ROOM_STEP = 32  # workspaces grow in steps of so many tokens
_NEVER = StopSignal()
"""The signal of caches that have none."""
SHARED_WORK = 1 << 27
"""Tokens times bytes of weights from which it pays to wake a second thread."""
_SMALLEST = ModelConfig(
    vocab_size=2,
    hidden_size=4,
    n_layers=1,
    n_heads=1,
    n_kv_heads=1,
    head_dim=4,
    intermediate_size=4,
    rope_theta=1e4,
    rms_norm_eps=1e-6,
    max_position_embeddings=4,
    tie_word_embeddings=True,
)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The places of the tokens of a pass, (T,) each, and what they see, (T, 2).

    See `forward.forward`.
    """

    slots: Table
    positions: Table
    spans: Table


class CompiledDecoder:
    """A decoder whose passes are compiled; see `Model`.

    A token's logits do not depend on how tokens are split into passes, bit for bit.

    Args:
        config: The model's shape.
        arranged: Its weights.
        threads: The threads that share a long pass.
    """

    def __init__(self, config: ModelConfig, arranged: Arranged, *, threads: int = 1) -> None:
        self.config = config
        self.bits = arranged.bits
        self._arranged = arranged
        take_part = forward
        inner = config.intermediate_size
        if config.experts is not None:
            take_part = forward_mixed
            inner = config.experts.size
        self._crew = Crew(threads, take_part)
        self._work = int(token_weights(config) * arranged.bits / 8)
        self._experts = ExpertRoom(config, arranged, threads)
        self._shape = Shape(
            arranged.bits,
            config.n_layers,
            padded(config.hidden_size, GROUP),
            config.hidden_size,
            config.n_heads,
            config.n_kv_heads,
            head_width(config),
            config.head_dim,
            padded(inner, GROUP),
            config.rms_norm_eps,
        )
        norms = []
        matrices = []
        for layer in arranged.layers:
            norms.append([_place(vector) for vector in layer.vectors()])
            matrices.append([matrix.description() for matrix in layer.matrices()])
        self._norms: Table = np.array(norms, np.int64)
        self._matrices: Table = np.array(matrices, np.int64)
        norm = (_place(arranged.norm), 0, 0, 0, 0)
        ends = [norm, arranged.head.description(), arranged.embedding.description()]
        self._ends: Table = np.array(ends, np.int64)

    @property
    def chunk(self) -> int:
        """See `Model.chunk`."""
        least = _LEAST_CHUNK if self.config.experts is None else _LEAST_MIXED_CHUNK
        return max(least, min(MOST_TOKENS, _CHUNK_WORK // self._work))

    @property
    def kernels(self) -> str:
        """The arithmetic, for people."""
        parts = ["compiled", f"{self.bits}-bit weights", f"{self._crew.size} threads"]
        if self.experts:
            parts.append(self.experts)
        return ", ".join(parts)

    @property
    def experts(self) -> str:
        """Where the experts of a mixture are, for people; "" for a model without."""
        if self.config.experts is None:
            return ""
        if self._arranged.experts_mapped:
            return "experts mapped from disk"
        if self._arranged.problem:
            return f"experts in memory ({self._arranged.problem})"
        return "experts in memory"

    @property
    def _most(self) -> int:
        """The most tokens of one pass."""
        fitting = _MOST_NUMBERS // self._shape.inner // _ROOM_STEP * _ROOM_STEP
        return max(_ROOM_STEP, min(MOST_TOKENS, fitting))

    @property
    def bytes(self) -> int:
        """The bytes of memory the weights take, without experts that are mapped."""
        return self._arranged.bytes

    def new_cache(self, capacity: int | None = None) -> BlockCache:
        """See `Model.new_cache`."""
        return BlockCache(self.config, capacity, half=self.bits != 32)

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`."""
        ids = checked_ids(token_ids, cache.room, self.config.vocab_size)
        cache = self._checked(cache)
        logits = []
        for start in range(0, len(ids), self._most):
            part = ids[start : start + self._most]
            new_slots = slice(cache.length, cache.length + len(part))
            slots = cache.slots[new_slots]
            tokens = _Tokens(slots, slots, cache.spans[new_slots])
            logits_from = 0
            if last_only:
                is_last = start + len(part) == len(ids)
                logits_from = len(part) - 1 if is_last else len(part)
            logits.append(self._pass(part, cache, tokens, logits_from))
            # Only now, so that a pass that breaks leaves whole tokens in the cache.
            cache.extend(part.astype(np.int32))
        if last_only:
            last: FloatArray = logits[-1][-1]
            return last
        if len(logits) == 1:
            return logits[0]
        return np.concatenate(logits)

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`."""
        room = branches.count * branches.room
        numbers = np.asarray(which, np.int32)
        ids = checked_ids(token_ids, room, self.config.vocab_size)
        if numbers.shape != ids.shape:
            raise ShapeError(f"{len(ids)} tokens for branches of shape {numbers.shape}")
        places = branches.place(numbers)
        spans = np.stack([np.full(len(ids), branches.prefix), places.starts], axis=1)
        tokens = _Tokens(
            slots=np.array(places.slots, np.int64),
            positions=np.array(places.positions, np.int64),
            spans=np.array(spans, np.int64),
        )
        logits = self._pass(ids, self._checked(branches.cache), tokens, 0)
        branches.extend(ids.astype(np.int32), numbers)
        return logits[places.last]

    def _checked(self, cache: KVCache) -> BlockCache:
        """Return a cache of this model.

        Raises:
            ShapeError: Another model made the cache.
        """
        # Compiled code reads at offsets that follow from these sizes, without a check of its own.
        sizes = (self._shape.layers, self._shape.kv_heads, self._shape.head)
        if isinstance(cache, BlockCache):
            layers, heads, _, width, _ = cache.keys.shape
            has_format = cache.half == (self.bits != FLOAT32)
            if has_format and (layers, heads, width) == sizes:
                return cache
        raise ShapeError("this cache was made by another model")

    def _pass(self, ids: Table, cache: BlockCache, tokens: _Tokens, logits_from: int) -> FloatArray:
        """Run a pass, and resume it where experts have to be packed first.

        Returns:
            (T - logits_from, V).

        Raises:
            PassStopped: The signal of the cache was set.
        """
        objects.load()
        space = self._space(cache, len(ids))
        # A branch before the last one may be further on.
        cache.extend_angles(int(tokens.positions.max()) + 1)
        logits = np.empty((len(ids) - logits_from, self._arranged.head.rows), np.float32)
        alone = len(ids) * self._work < SHARED_WORK
        threads = 1 if alone else self._crew.size
        signal = cache.stop or _NEVER
        # A pass through a mixture breaks off before experts that are not packed; pack them, and
        # resume in the same layer.
        first = 0
        resumed = 0
        while True:
            # New ones each time: a thread that comes late may still look at those of before.
            steps = counters(STEPS_A_LAYER * self._shape.layers + MORE_STEPS)
            pass_ = Pass(
                tokens=len(ids),
                threads=threads,
                counters=_place(steps),
                logits=_place(logits),
                logits_from=logits_from,
                first=first,
                resumed=resumed,
                stop=signal.address,
            )
            # Compiled code sees addresses only; what they lead to is handed over to be kept alive.
            arguments = self._arguments(space, pass_, ids, tokens)
            self._crew.run(arguments, (self, cache, space, steps, logits), alone=alone)
            # A signal behind the last layer stops a pass that is complete. That is rare, and the
            # pass runs again.
            if signal.is_set():
                raise PassStopped("the pass was stopped")
            if not space.mixture.state[MISSING]:
                break
            self._experts.complete(space.mixture)
            first = int(space.mixture.state[LAYER])
            resumed = 1
        return logits[:, : self.config.vocab_size]  # without the head's padding

    def _space(self, cache: BlockCache, count: int) -> Workspace:
        """Return the room that passes of `count` tokens over a cache work in."""
        space = cache.workspace
        if isinstance(space, Workspace):
            is_own = space.experts is self._experts
            if is_own and space.tokens >= count:
                return space
        most = padded(count, _ROOM_STEP)
        space = Workspace.of(self._shape, most, cache, self._crew.size, self._experts)
        cache.workspace = space
        return space

    def _arguments(
        self,
        space: Workspace,
        pass_: Pass,
        ids: Table,
        tokens: _Tokens,
    ) -> tuple[Any, ...]:
        """Return the arguments of `forward.forward` behind the rank."""
        weights = (self._norms, self._matrices, self._ends)
        places = (tokens.slots, tokens.positions, tokens.spans)
        return (self._shape, space.room, space.mixture, pass_, *weights, ids, *places)

    def compile(self) -> None:
        """Compile a pass with numba, or load it; the kernels need not be there for that."""
        cache = self.new_cache(1)
        tokens = _Tokens(cache.slots, cache.slots, cache.spans)
        # Numba looks at types only, so all addresses may be 0.
        nothing = Pass(
            tokens=1,
            threads=1,
            counters=0,
            logits=0,
            logits_from=0,
            first=0,
            resumed=0,
            stop=0,
        )
        arguments = self._arguments(self._space(cache, 1), nothing, np.zeros(1, np.int64), tokens)
        self._crew.compile(arguments)


def compile_passes(wait: Callable[[], object] = lambda: None) -> None:
    """Compile, or load, all code except the pass through a mixture.

    Args:
        wait: Returns when another process has compiled the kernels, if one is at work.
    """
    model = CompiledDecoder(_SMALLEST, arrange(_SMALLEST, _ones(), FLOAT32, 1))
    # Numba needs no kernels to compile the passes; meanwhile the other process compiles those.
    model.compile()
    wait()
    compile_kernels()
    model.forward([0], model.new_cache())


def compile_kernels() -> None:
    """Compile, or load, the kernels, and the code that rounds and unpacks weights."""
    arrange(_SMALLEST, _ones(), 8, 1)
    block = ENCODINGS[Q8_0]
    dequantise(block, bytes(block.bytes), unpack)


def _ones() -> dict[str, FloatArray]:
    """Return weights of the smallest model, all 1."""
    shapes = expected_shapes(_SMALLEST)
    return {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
