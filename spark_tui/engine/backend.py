"""Which arithmetic computes a pass, and what happens when a pass breaks.

Which arithmetic a model runs with: compiled where this machine can, numpy everywhere.

Compiling takes many seconds, once for a processor and a version of spark. What comes of it is kept
in a folder of the user's own, where the next process reads it in a fraction of a second.

A model that outlives its failures: a pass that broke is run again, on the reference from disk if
need be.

Whoever drives it says when to try again, so that a person can be asked first. Callers of `forward`
notice nothing: a cache holds whole tokens after a broken pass, and the pass that works in the end
appends the same ones.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from spark_tui import windows
from spark_tui.engine import machine
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.kv_cache import Branches, KVCache
from spark_tui.engine.model import Model
from spark_tui.errors import FileError, ModelError, ShapeError, SparkError, UsageError

if TYPE_CHECKING:
    from spark_tui.engine.kernels.expert_file import ExpertFile


Weights = Mapping[str, FloatArray]
"""By Hugging Face name."""
KINDS = ("auto", "compiled", "numpy")
BITS = (4, 8, 32)
COMPILING = "compiling, once for this machine: about 5 s"
_DONE = "complete"
_LOCK = "lock"
_NEEDED = frozenset({"avx2", "fma", "f16c"})
_SMALL = 1 << 20
_KEPT = ("*.weights", "*.experts")
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
"""What changes the code that numba makes."""


@dataclass(frozen=True, slots=True)
class Backend:
    """How models are made.

    Args:
        kind: "compiled" compiles if it has to; "auto" takes compiled code where it is ready, else
            numpy.
        bits: Of a weight in compiled code: 4, 8 or 32; numpy computes with 32.
        threads: That may share a pass; 0 for two where there are so many processors.
        folder: Where compiled code is kept.

    Raises:
        UsageError: No such kind or bits.
    """

    kind: str = "auto"
    bits: int = 8
    threads: int = 0
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"unknown kernels {self.kind!r}; choose one of {', '.join(KINDS)}")
        if self.bits not in BITS:
            raise UsageError(
                f"no kernels for {self.bits} bits; choose one of {', '.join(map(str, BITS))}"
            )

    @property
    def workers(self) -> int:
        """How many threads share a long pass."""
        return self.threads or min(2, processors())

    @property
    def is_ready(self) -> bool:
        """Whether compiled code is there, all of it."""
        if self.folder is None:
            return False
        place = self._place(self.folder)
        try:
            sizes: dict[str, int] = json.loads((place / _DONE).read_bytes())
            return bool(sizes) and all(
                (place / name).stat().st_size == size for name, size in sizes.items()
            )
        except (OSError, ValueError, AttributeError):
            return False

    @property
    def weights_kept(self) -> list[Path]:
        """The files with weights in the form that compiled code takes: a model's have one stem."""
        if self.folder is None:
            return []
        with suppress(OSError):
            folder = weights_folder(self.folder)
            return sorted(file for kind in _KEPT for file in folder.glob(kind))
        return []

    @property
    def problem(self) -> str:
        """What keeps compiled code from being kept, or ""."""
        if self.folder is None:
            return ""
        place = self._place(self.folder)
        lock = self.folder / _LOCK
        existing = next(each for each in (place, *place.parents) if os.path.lexists(each))
        able = os.access(existing, os.W_OK | os.X_OK) and existing.is_dir()
        if able and (not os.path.lexists(lock) or os.access(lock, os.W_OK)):
            return ""
        return (
            f"{existing if not able else lock} cannot be written to; set XDG_CACHE_HOME to a "
            f"folder of yours"
        )

    @property
    def may_be_built(self) -> bool:
        """Whether compiled code is wanted and possible, but not there yet."""
        wanted = self.kind == "auto" and self.folder is not None and not self.is_ready
        return wanted and not self.problem and not why_not_compiled()

    def kept(
        self,
        config: ModelConfig,
        files: Sequence[Path],
        weights: Callable[[], Weights],
    ) -> Model | None:
        """The model whose weights `make` kept as compiled code takes them, bit for bit the same.

        Args:
            config: The model's shape.
            files: That the weights are read from.
            weights: Reads them; called where experts are missing.

        Returns:
            None where nothing is kept.
        """
        if self.folder is None or self.kind == "numpy" or not self.is_ready or why_not_compiled():
            return None
        self._use_folder()
        with suppress(ImportError, OSError, FileError):  # `make` says what is wrong
            return self._kept(config, self._weights(self.folder, files), weights)
        return None

    def _kept(
        self,
        config: ModelConfig,
        place: Path,
        weights: Callable[[], Weights],
    ) -> Model | None:
        """See `kept`.

        Raises:
            FileError: As `_experts`.
        """
        from spark_tui.engine.kernels.compiled import CompiledDecoder
        from spark_tui.engine.kernels.prepared_weights import kept
        from spark_tui.engine.kernels.weight_order import unpacked, with_experts

        if not place.exists():
            return None
        experts = self._experts(config, place)
        rooms = None if experts is None else experts.rooms
        arranged = kept(place, self.workers, rooms)
        if arranged is None:
            return None
        if experts is not None:
            arranged = with_experts(arranged, experts, lambda: unpacked(weights()))
        return CompiledDecoder(config, arranged, threads=self.workers)

    def _experts(self, config: ModelConfig, place: Path) -> "ExpertFile | None":
        """The experts of a mixture, beside its other weights; None for a model without.

        Raises:
            FileError: They cannot be kept there.
        """
        from spark_tui.engine.kernels.expert_file import SUFFIX, ExpertFile

        if config.experts is None:
            return None
        return ExpertFile(config, self.bits, place.with_suffix(SUFFIX))

    def make(self, config: ModelConfig, weights: Weights, files: Sequence[Path] = ()) -> Model:
        """A model of these weights.

        Args:
            weights: By Hugging Face name.
            files: As of `kept`, for the next time.

        Raises:
            UsageError: Compiled code cannot run here.
            ModelError: The machine has not the memory for it.
        """
        if self.kind == "numpy":
            return Decoder(config, weights)
        if self.kind == "auto" and (not self.is_ready or why_not_compiled()):
            return Decoder(config, weights)
        if reason := why_not_compiled():
            raise UsageError(f'compiled kernels cannot run here: {reason}; set kernels = "numpy"')
        if self.folder is not None and not self.is_ready:
            self.build()
        try:
            return self._compiled(config, weights, files)
        except (
            ImportError,
            OSError,
        ) as error:  # numba's libraries may not fit where memory is bounded
            if self.kind == "auto":
                return Decoder(config, weights)
            raise ModelError(
                f'compiled kernels cannot be loaded ({error}); set kernels = "numpy"'
            ) from error

    def _compiled(self, config: ModelConfig, weights: Weights, files: Sequence[Path]) -> Model:
        self._use_folder()
        from spark_tui.engine.kernels.compiled import CompiledDecoder
        from spark_tui.engine.kernels.prepared_weights import keep
        from spark_tui.engine.kernels.weight_order import arrange

        if self.folder is None or not files:
            arranged = arrange(config, weights, self.bits, self.workers)
            return CompiledDecoder(config, arranged, threads=self.workers)
        place = self._weights(self.folder, files)
        experts = None
        problem = ""
        try:
            experts = self._experts(config, place)
        except FileError as error:
            problem = str(error)
        arranged = arrange(config, weights, self.bits, self.workers, experts, problem)
        if not problem:
            keep(arranged, place)
        return CompiledDecoder(config, arranged, threads=self.workers)

    def _weights(self, folder: Path, files: Sequence[Path]) -> Path:
        """Where the weights of these files are kept: by all that they come out of, and what
        that is made with.
        """
        facts = [
            _fingerprint().encode(),
            _arithmetic(),
            str(self.bits).encode(),
            *map(_identity, files),
        ]
        return (
            weights_folder(folder) / f"{hashlib.sha256(b'|'.join(facts)).hexdigest()[:16]}.weights"
        )

    def load_passes(self) -> None:
        """Load what numba wants for a first pass, 200 modules in 0.3 s, where code is compiled
        already.
        """
        if self.kind == "numpy" or not self.is_ready or why_not_compiled():
            return
        self._compile_passes()

    def build(self) -> None:
        """Compile and keep what comes of it; while another process does so, wait for that.

        Raises:
            UsageError: It cannot be kept.
        """
        if self.problem or self.folder is None:
            raise UsageError(
                f'compiled kernels cannot be kept: {self.problem}, or kernels = "numpy"'
            )
        if sys.platform == "win32":
            raise UsageError(windows.ADVICE)
        import fcntl

        place = self._place(self.folder)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.is_ready:
                self._compile_anew(place)
                self._mark(place)

    def _compile_anew(self, place: Path) -> None:
        """Compile all code, in two processes where two can run at once.

        Args:
            place: Of the code.
        """
        if processors() == 1:
            self._compile_passes()
            return
        from spark_tui.engine.kernels.second_process import second_process

        with second_process(place) as wait:
            self._compile_passes(wait)

    def _compile_passes(self, wait: Callable[[], object] = lambda: None) -> None:
        """Args:
        wait: See `compile_passes`.
        """
        self._use_folder()
        from spark_tui.engine.kernels.compiled import compile_passes

        compile_passes(wait)

    def _mark(self, place: Path) -> None:
        """Note what belongs to compiled code: a cleaner of caches may take part of it."""
        files = [file for file in place.rglob("*") if file.is_file() and file.name != _DONE]
        sizes = {str(file.relative_to(place)): file.stat().st_size for file in files}
        (place / _DONE).write_text(json.dumps(sizes), "utf-8")

    def _use_folder(self) -> None:
        if self.folder is None:
            return
        from numba import config

        place = self._place(self.folder)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        config.CACHE_DIR = str(place)  # type: ignore[attr-defined]

    @staticmethod
    def _place(folder: Path) -> Path:
        return folder.absolute() / _fingerprint()


def weights_folder(folder: Path) -> Path:
    """Where weights are kept as compiled code takes them.

    Args:
        folder: Of a backend.
    """
    return folder.absolute() / "weights"


def _identity(file: Path) -> bytes:
    """What tells a file from any other, and from itself once it is written to."""
    with suppress(OSError):
        found = file.stat()
        small = file.read_bytes() if found.st_size <= _SMALL else b""
        return (
            f"{file.resolve()} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}".encode()
            + small
        )
    return b""


@cache
def _arithmetic() -> bytes:
    """What weights are worked out with, beside the kernels."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(
        b"|".join([version("numpy").encode(), *(file.read_bytes() for file in sources)])
    ).digest()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def why_not_compiled() -> str:
    """What keeps compiled code from running here, or ""."""
    if find_spec("numba") is None:
        return "numba is not installed"
    if sys.platform == "win32":
        return "it does not run on Windows"
    if platform.machine() in {"aarch64", "arm64"}:
        return ""
    missing = sorted(_NEEDED - _features())
    return f"the processor lacks {', '.join(missing)}" if missing else ""


def instructions() -> str:
    """What the products of bytes are computed with."""
    if _features() >= {"avx512f", "avx512vnni"}:
        return "VNNI"
    return "AVX2" if "avx2" in _features() else "portable instructions"


@cache
def _features() -> frozenset[str]:
    """What code is made for: as numba was told, else what the processor has."""
    if told := os.environ.get("NUMBA_CPU_FEATURES"):
        return frozenset(
            name.removeprefix("+") for name in told.split(",") if not name.startswith("-")
        )
    from llvmlite.binding import get_host_cpu_features

    return frozenset(name for name, there in get_host_cpu_features().items() if there)


@cache
def _fingerprint() -> str:
    """What compiled code depends on; numba itself looks at no more than the file of the
    function that is called.
    """
    sources = sorted((Path(__file__).parent / "kernels").glob("*.py"))
    facts = [file.read_bytes() for file in sources]
    facts += [
        f"{file} {file.stat().st_mtime_ns}".encode() for file in sources
    ]  # numba goes by these
    facts += [f"{name}={os.environ.get(name)}".encode() for name in _SETTINGS]
    facts += [
        sys.version.encode(),
        version("numba").encode(),
        version("llvmlite").encode(),
        platform.machine().encode(),
        _processor(),
    ]
    return hashlib.sha256(b"\0".join(facts)).hexdigest()[:16]


def _processor() -> bytes:
    known = machine.facts()
    if not known:
        return platform.processor().encode()
    told = (known.get(name, "") for name in ("model name", "flags", "CPU part", "Features"))
    return "|".join(told).encode()


MOST_TRIES = 3
"""How often one pass is tried again."""
_CHUNK = 64
_STILL_NO_MEMORY = "out of memory again: close other programs, or name a smaller model"

OnFailure = Callable[[str], None]
"""Hears what went wrong, in words.

It returns when the pass is to be tried again, and raises to give it up.
"""


class RecoveringModel:
    """See `Model`.

    After a failure that comes again, it computes with what `reload` returns, for good.

    Args:
        model: What computes as long as it can.
        reload: A model of the same shape, made anew; better plain than fast.
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
        before = self._on_failure
        self._on_failure = told
        try:
            yield
        finally:
            self._on_failure = before

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`.

        Raises:
            ModelError: It failed and was given up.
        """
        length = cache.length
        return self._surviving(
            lambda model: model.forward(token_ids, cache, last_only=last_only),
            lambda: cache.trim(length),
        )

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`.

        Raises:
            ModelError: It failed and was given up.
        """
        lengths = [branches.length(branch) for branch in range(branches.count)]

        def undo() -> None:
            for branch, length in enumerate(lengths):
                branches.trim(branch, length)

        return self._surviving(
            lambda model: model.forward_branches(token_ids, branches, which), undo
        )

    def _surviving(
        self, run: Callable[[Model], FloatArray], undo: Callable[[], None]
    ) -> FloatArray:
        """The logits of a pass that may have to be run more than once.

        Args:
            undo: Forgets what it appended.
        """
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
        raise ModelError(
            f"the engine failed again and again ({words}); ask again or name another model"
        )

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
    """Serves the caches of another model: of those it reads and counts the tokens, and has keys and
    values of its own.

    Args:
        model: Made for the same config.
    """

    def __init__(self, model: Model) -> None:
        self.config = model.config
        self.bytes = model.bytes
        self.kernels = model.kernels
        self.chunk = model.chunk
        self.new_cache = model.new_cache
        self._model = model
        self._own: KVCache | None = None

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`; `cache` may be any model's."""
        ids = np.asarray(token_ids, np.int32)
        if len(ids) > cache.room:
            raise ShapeError(f"{len(ids)} tokens for a cache with room for {cache.room}")
        logits = self._run(cache.capacity, cache.token_ids, ids, last_only=last_only)
        cache.extend(ids)
        return logits

    def forward_branches(
        self, token_ids: npt.ArrayLike, branches: Branches, which: npt.ArrayLike
    ) -> FloatArray:
        """See `Model.forward_branches`; runs one branch after the other."""
        ids = np.asarray(token_ids, np.int32)
        numbers = np.asarray(which, np.int32)
        branches.place(numbers)
        prefix = branches.cache.token_ids
        capacity = branches.cache.capacity
        rows = [
            self._run(
                capacity,
                prefix + branches.token_ids(branch),
                ids[numbers == branch],
                last_only=True,
            )
            for branch in np.unique(numbers).tolist()
        ]
        branches.extend(ids, numbers)
        return np.stack(rows)

    def _run(
        self, capacity: int, held: Sequence[int], ids: npt.ArrayLike, *, last_only: bool
    ) -> FloatArray:
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

    Args:
        path: A model's folder or file.
        load: Reads it.

    Returns:
        Reads it again. It raises ModelError when the files are damaged, missing, or others than
        now.
    """
    stamp = _stamp(path)

    def again() -> Model:
        try:
            model = load(path)
        except SparkError as error:
            raise ModelError(f"it cannot be loaded again: {error}") from error
        if _stamp(path) != stamp:
            raise ModelError(
                f"it cannot be loaded again: {path} has changed since; start spark again"
            )
        return model

    return again


def _stamp(path: Path) -> list[tuple[str, int, int]]:
    """What tells the files of a model from others."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [
        (file.name, (facts := file.stat()).st_size, facts.st_mtime_ns)
        for file in files
        if file.exists()
    ]


def _numbers(logits: FloatArray) -> FloatArray:
    if not np.isfinite(logits.max()):
        raise ArithmeticError("it computes values that are not numbers")
    return logits


def _words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory"
    text = str(error)
    if text and isinstance(error, ArithmeticError | SparkError):
        return text
    return f"{type(error).__name__}: {text}"


def _give_up(words: str) -> None:
    raise ModelError(f"the engine failed ({words}); try again, or name another model")
