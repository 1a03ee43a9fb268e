"""A model that outlives its failures: a pass that broke is run again, on the reference from disk if need be.

Whoever drives it says when to try again, so that a person can be asked first. Callers of `forward` notice nothing: a
cache holds whole tokens after a broken pass, and the pass that works in the end appends the same ones.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.branches import Branches
from spark_tui.engine.cache import KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import ModelError, ShapeError, SparkError

MOST_TRIES = 3
"""How often one pass is tried again."""
_CHUNK = 64
_STILL_NO_MEMORY = "out of memory again: close other programs, or name a smaller model"

OnFailure = Callable[[str], None]
"""Hears what went wrong, in words. It returns when the pass is to be tried again, and raises to give it up."""


class RecoveringModel:
    """See `Model`. After a failure that comes again, it computes with what `reload` returns, for good.

    Args: model: what computes as long as it can. reload: a model of the same shape, made anew; better plain than fast.
    """

    def __init__(self, model: Model, reload: Callable[[], Model]) -> None:
        self.config = model.config
        self._model: Model = model
        self._reload = reload
        self._caches = model.new_cache
        self._on_failure: OnFailure = _give_up

    @property
    def bytes(self) -> int:
        """See `Model.bytes`."""
        return self._model.bytes

    @property
    def chunk(self) -> int:
        """See `Model.chunk`."""
        return self._model.chunk

    @property
    def kernels(self) -> str:
        """See `Model.kernels`."""
        return self._model.kernels

    def new_cache(self, capacity: int | None = None) -> KVCache:
        """See `Model.new_cache`."""
        return self._caches(capacity)

    @contextmanager
    def on_failure(self, told: OnFailure) -> Iterator[None]:
        """Let someone decide about failures for a while; by default none is tried again."""
        before, self._on_failure = self._on_failure, told
        try:
            yield
        finally:
            self._on_failure = before

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """See `Model.forward`. Raises: ModelError: it failed and was given up."""
        length = cache.length
        return self._surviving(
            lambda model: model.forward(token_ids, cache, last_only=last_only), lambda: cache.trim(length)
        )

    def forward_branches(self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike) -> FloatArray:
        """See `Model.forward_branches`. Raises: ModelError: it failed and was given up."""
        lengths = [branches.length(branch) for branch in range(branches.count)]

        def undo() -> None:
            for branch, length in enumerate(lengths):
                branches.trim(branch, length)

        return self._surviving(lambda model: model.forward_branches(token_ids, branches, which), undo)

    def _surviving(self, run: Callable[[Model], FloatArray], undo: Callable[[], None]) -> FloatArray:
        """The logits of a pass that may have to be run more than once. Args: undo: forgets what it appended."""
        try:
            return _numbers(run(self._model))
        except SparkError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever breaks in a kernel must not break what calls it
            words = _words(error)  # the error itself would keep the arrays of the broken pass
        told = words
        for _ in range(MOST_TRIES):
            undo()
            self._on_failure(told)
            try:
                return self._again(run, undo)
            except Exception as error:  # noqa: BLE001 - see above
                words = _words(error)
                told = _STILL_NO_MEMORY if isinstance(error, MemoryError) else words
        undo()
        raise ModelError(f"the engine failed again and again ({words}); ask again or name another model")

    def _again(self, run: Callable[[Model], FloatArray], undo: Callable[[], None]) -> FloatArray:
        try:
            return _numbers(run(self._model))
        except MemoryError:
            raise  # another model would take even more
        except Exception:  # noqa: BLE001 - see above
            undo()
        self._model = _Replacement(self._reload())
        return _numbers(run(self._model))


class _Replacement:
    """Serves the caches of another model: of those it reads and counts the tokens, and has keys and values of its own.

    Args: model: made for the same config.
    """

    def __init__(self, model: Model) -> None:
        self.config, self.bytes, self.kernels, self.chunk = model.config, model.bytes, model.kernels, model.chunk
        self.new_cache = model.new_cache
        self._model = model
        self._own: KVCache | None = None

    def forward(self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True) -> FloatArray:
        """See `Model.forward`; `cache` may be any model's."""
        ids = np.asarray(token_ids, np.int32)
        if len(ids) > cache.room:
            raise ShapeError(f"{len(ids)} tokens for a cache with room for {cache.room}")
        logits = self._run(cache.capacity, cache.token_ids, ids, last_only=last_only)
        cache.extend(ids)
        return logits

    def forward_branches(self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike) -> FloatArray:
        """See `Model.forward_branches`; runs one branch after the other."""
        ids, numbers = np.asarray(token_ids, np.int32), np.asarray(which, np.int32)
        branches.place(numbers)
        prefix, capacity = branches.cache.token_ids, branches.cache.capacity
        rows = [
            self._run(capacity, prefix + branches.token_ids(branch), ids[numbers == branch], last_only=True)
            for branch in np.unique(numbers).tolist()
        ]
        branches.extend(ids, numbers)
        return np.stack(rows)

    def _run(self, capacity: int, held: Sequence[int], ids: npt.ArrayLike, *, last_only: bool) -> FloatArray:
        """The logits of new tokens behind those held."""
        if self._own is None or self._own.capacity < capacity:
            self._own = self._model.new_cache(capacity)
        own = self._own
        own.trim(own.common_prefix(held))
        for start in range(own.length, len(held), _CHUNK):
            self._model.forward(held[start : start + _CHUNK], own)
        return self._model.forward(ids, own, last_only=last_only)


def from_disk(path: Path, load: Callable[[Path], Model]) -> Callable[[], Model]:
    """How to get a model again that was loaded just now.

    Args: path: a model's folder or file. load: reads it.
    Returns: reads it again. It raises ModelError when the files are damaged, missing, or others than now.
    """
    stamp = _stamp(path)

    def again() -> Model:
        try:
            model = load(path)
        except SparkError as error:
            raise ModelError(f"it cannot be loaded again: {error}") from error
        if _stamp(path) != stamp:
            raise ModelError(f"it cannot be loaded again: {path} has changed since; start spark again")
        return model

    return again


def _stamp(path: Path) -> list[tuple[str, int, int]]:
    """What tells the files of a model from others."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [(file.name, (facts := file.stat()).st_size, facts.st_mtime_ns) for file in files if file.exists()]


def _numbers(logits: FloatArray) -> FloatArray:
    if not np.isfinite(logits.max()):
        raise ArithmeticError("it computes values that are not numbers")
    return logits


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory"
    text = str(error)
    return text if text and isinstance(error, ArithmeticError | SparkError) else f"{type(error).__name__}: {text}"


def _give_up(words: str) -> None:
    raise ModelError(f"the engine failed ({words}); try again, or name another model")
