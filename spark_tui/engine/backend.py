"""Backends: choose compiled code or numpy for a model, and recover from passes that fail.

Compiled code runs where the machine allows it, numpy everywhere. Compiling takes seconds, once for
a processor and a version of spark; the code is kept in a folder of the user's own, from where the
next process loads it in a fraction of a second. The weights, packed for compiled code, are kept
beside it.

A failed pass runs again, in the end by the numpy reference. The caller decides when, so that a
person can be asked first. Callers of `forward` notice nothing: the cache holds whole tokens after a
failed pass, and the pass that finally succeeds appends the same tokens.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
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
from spark_tui.small_files import read_small

if TYPE_CHECKING:
    from spark_tui.engine.kernels.expert_file import ExpertFile


Weights = Mapping[str, FloatArray]
"""Weights by Hugging Face name."""
KINDS = ("auto", "compiled", "numpy")
BITS = (4, 8, 32)
"""Bits of a packed weight; 32 is float32, not rounded."""
COMPILING = "compiling, once for this machine: about 5 s"
_DONE = "complete"  # the file that says compiling has ended, and lists all files with their sizes
_LOCK = "lock"
_NEEDED = frozenset({"avx2", "fma", "f16c"})  # the least that the kernels for x86 are written for
_SMALL = 1 << 20
_KEPT = ("*.weights", "*.experts")
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
"""Environment variables that change the code that numba makes."""


@dataclass(frozen=True, slots=True)
class Backend:
    """Makes models that compute in one way.

    Attributes:
        kind: "compiled" compiles the code if need be; "auto" uses compiled code where it is ready,
            else numpy; "numpy" never compiles.
        bits: Bits of a weight in compiled code: 4, 8 or 32; numpy computes with 32.
        threads: The threads that share a pass; 0 for two, or one on a single processor.
        folder: The folder of compiled code; None to keep nothing.
        own_bits: The bits of models for which `bits` does not count, by the path of the model.

    Raises:
        UsageError: No such kind or bits.
    """

    kind: str = "auto"
    bits: int = 8
    threads: int = 0
    folder: Path | None = None
    own_bits: Mapping[Path, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"unknown kernels {self.kind!r}; choose one of {', '.join(KINDS)}")
        if self.bits not in BITS:
            raise UsageError(
                f"no kernels for {self.bits} bits; choose one of {', '.join(map(str, BITS))}"
            )

    def of_model(self, path: Path) -> "Backend":
        """Return the backend with the bits that a model is computed with.

        Args:
            path: The folder or the file of the model.
        """
        return replace(self, bits=self.own_bits.get(path, self.bits))

    @property
    def workers(self) -> int:
        """The number of threads that share a long pass."""
        return self.threads or min(2, processors())

    @property
    def is_ready(self) -> bool:
        """Whether the folder holds all compiled code."""
        if self.folder is None:
            return False
        place = self._place(self.folder)
        # If files are missing, loading would compile them: seconds that nobody asked for.
        try:
            sizes: dict[str, int] = json.loads((place / _DONE).read_bytes())
            for name, size in sizes.items():
                if (place / name).stat().st_size != size:
                    return False
        except (OSError, ValueError, AttributeError):
            return False
        return bool(sizes)

    @property
    def weights_kept(self) -> list[Path]:
        """The files of packed weights; all files of one model have the same stem."""
        files: list[Path] = []
        if self.folder is not None:
            with suppress(OSError):
                folder = weights_folder(self.folder)
                for pattern in _KEPT:
                    files += folder.glob(pattern)
        return sorted(files)

    @property
    def problem(self) -> str:
        """The reason why compiled code cannot be written to the folder, or ""."""
        if self.folder is None:
            return ""
        # The innermost existing folder must allow us to create the rest. `lexists` also finds a
        # dangling link, which blocks the creation of a folder of its name.
        place = self._place(self.folder)
        existing = next(path for path in (place, *place.parents) if os.path.lexists(path))
        lock = self.folder / _LOCK
        if not (os.access(existing, os.W_OK | os.X_OK) and existing.is_dir()):
            blocked = existing
        elif os.path.lexists(lock) and not os.access(lock, os.W_OK):
            blocked = lock
        else:
            return ""
        return f"{blocked} cannot be written to; set XDG_CACHE_HOME to a folder of yours"

    @property
    def may_be_built(self) -> bool:
        """Whether compiled code is wanted and possible, but not there yet."""
        is_missing = self.kind == "auto" and self.folder is not None and not self.is_ready
        return is_missing and not self.problem and not why_not_compiled()

    def kept(
        self,
        config: ModelConfig,
        files: Sequence[Path],
        weights: Callable[[], Weights],
    ) -> Model | None:
        """Make a model of the packed weights that `make` has kept, the same to the bit.

        Args:
            config: The model's shape.
            files: The files that the weights are read from.
            weights: Reads the weights; called only where experts are missing.

        Returns:
            None where nothing is kept.
        """
        if self.folder is None or self.kind == "numpy" or not self.is_ready or why_not_compiled():
            return None
        self._use_folder()
        with suppress(ImportError, OSError, FileError):  # `make`, called next, reports the problem
            return self._kept(config, self._weights(self.folder, files), weights)
        return None

    def has_kept(self, files: Sequence[Path]) -> bool:
        """Return whether there are packed weights of a model, of these bits and this code.

        Args:
            files: The files that the weights are read from.
        """
        return self.folder is not None and self._weights(self.folder, files).exists()

    def forget(self, files: Sequence[Path]) -> None:
        """Delete the packed weights of a model: those of all bits, and of earlier code, too.

        Args:
            files: The files that the weights are read from, or were.
        """
        if self.folder is not None:
            folder = weights_folder(self.folder)
            for pattern in _KEPT:
                for kept in folder.glob(f"{_place_digest(files)}-{pattern}"):
                    kept.unlink(missing_ok=True)

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
        """Open the file of a mixture's experts, beside its other weights.

        Returns:
            None for a model without experts.

        Raises:
            FileError: The file cannot be kept there.
        """
        from spark_tui.engine.kernels.expert_file import SUFFIX, ExpertFile

        if config.experts is None:
            return None
        return ExpertFile(config, self.bits, place.with_suffix(SUFFIX))

    def make(self, config: ModelConfig, weights: Weights, files: Sequence[Path] = ()) -> Model:
        """Make a model of weights.

        Args:
            config: The model's shape.
            weights: The weights by Hugging Face name.
            files: The files that the weights were read from, to keep them packed for `kept`.

        Raises:
            UsageError: Compiled code cannot run here.
            ModelError: The machine has not the memory for it.
        """
        # "auto" falls back to numpy on any problem. "compiled" compiles first if need be, and
        # reports a problem, because the user asked for compiled code.
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
        except (ImportError, OSError) as error:
            # Where memory is limited, the libraries of numba may not load.
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
        # Experts that cannot be mapped from a file lie in memory. Then the model runs all the same,
        # but is not kept, and the description of its arithmetic says why.
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
        """Return the file of packed weights.

        The name tells where the model is, so that all files of one model can be found. Then comes a
        digest of everything that decides the bytes: the code, the arithmetic, the bits and the
        files of the model. So a file that exists is never out of date.
        """
        facts = [fingerprint().encode(), _arithmetic(), str(self.bits).encode()]
        facts += map(_identity, files)
        digest = hashlib.sha256(b"|".join(facts)).hexdigest()
        return weights_folder(folder) / f"{_place_digest(files)}-{digest[:16]}.weights"

    def load_passes(self) -> None:
        """Load the 200 modules that numba needs for a first pass, in 0.3 s, if code is compiled."""
        if self.kind == "numpy" or not self.is_ready or why_not_compiled():
            return
        self._compile_passes()

    def build(self) -> None:
        """Compile the code and keep it; if another process is doing so, wait for that process.

        Raises:
            UsageError: The code cannot be kept.
        """
        if self.problem or self.folder is None:
            raise UsageError(
                f'compiled kernels cannot be kept: {self.problem}, or kernels = "numpy"'
            )
        if sys.platform == "win32":
            raise UsageError(windows.ADVICE)
        import fcntl  # not on Windows

        place = self._place(self.folder)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.is_ready:  # another process may have compiled it while this one waited
                self._compile_anew(place)
                # Last: if compiling is killed, the code does not count as ready.
                self._mark(place)

    def _compile_anew(self, place: Path) -> None:
        """Compile all code, in two processes where two can run at the same time.

        Args:
            place: The folder of the code.
        """
        if processors() == 1:
            self._compile_passes()
            return
        from spark_tui.engine.kernels.second_process import second_process

        with second_process(place) as wait:
            self._compile_passes(wait)

    def _compile_passes(self, wait: Callable[[], object] = lambda: None) -> None:
        """Compile the passes, or load them if they are compiled.

        Args:
            wait: See `compile_passes`.
        """
        self._use_folder()
        from spark_tui.engine.kernels.compiled import compile_passes

        compile_passes(wait)

    def _mark(self, place: Path) -> None:
        """List the files of compiled code; a program that cleans caches may delete some of them."""
        sizes = {}
        for file in place.rglob("*"):
            if file.is_file() and file.name != _DONE:
                sizes[str(file.relative_to(place))] = file.stat().st_size
        (place / _DONE).write_text(json.dumps(sizes), "utf-8")

    def _use_folder(self) -> None:
        if self.folder is None:
            return
        from numba import config

        # Before the kernels are imported: numba reads this setting when it decorates a function.
        place = self._place(self.folder)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        config.CACHE_DIR = str(place)  # type: ignore[attr-defined]

    @staticmethod
    def _place(folder: Path) -> Path:
        return folder.absolute() / fingerprint()


def weights_folder(folder: Path) -> Path:
    """Return the folder of packed weights.

    Args:
        folder: The folder of a backend.
    """
    return folder.absolute() / "weights"


def _place_digest(files: Sequence[Path]) -> str:
    """Return a digest of where the files of a model are, whatever they hold."""
    places = "|".join(map(os.path.realpath, files))
    return hashlib.sha256(os.fsencode(places)).hexdigest()[:16]


def _identity(file: Path) -> bytes:
    """Return bytes that differ between files, and between versions of a file.

    Returns:
        b"" for a file that does not exist.
    """
    with suppress(OSError):
        status = file.stat()
        stamp = f"{file.resolve()} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        content = b""
        # Two writes may fall into one tick of the file system's clock. So the content of a small
        # file counts as well, such as config.json; reading a large one would take seconds.
        if status.st_size <= _SMALL:
            content = read_small(file, _SMALL)
        return stamp.encode() + content
    return b""


@cache
def _arithmetic() -> bytes:
    """Return a digest of the code, besides the kernels, that decides the bytes of packed weights.

    All modules of the engine count, because several of them read and rearrange weights.
    """
    facts = [version("numpy").encode()]
    for source in sorted(Path(__file__).parent.glob("*.py")):
        facts.append(source.read_bytes())
    return hashlib.sha256(b"|".join(facts)).digest()


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # only on Linux; fewer than the machine has, if bound
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def why_not_compiled() -> str:
    """Return the reason why compiled code cannot run here, or ""."""
    if find_spec("numba") is None:
        return "numba is not installed"
    if sys.platform == "win32":
        return "it does not run on Windows"
    if platform.machine() in {"aarch64", "arm64"}:  # each of these has NEON
        return ""
    missing = sorted(_NEEDED - _features())
    if missing:
        return f"the processor lacks {', '.join(missing)}"
    return ""


def instructions() -> str:
    """Return the name of the instructions that multiply bytes."""
    if _features() >= {"avx512f", "avx512vnni"}:
        return "VNNI"
    if "avx2" in _features():
        return "AVX2"
    return "portable instructions"


@cache
def _features() -> frozenset[str]:
    """Return the processor features that code is made for: as set for numba, else all there are."""
    if setting := os.environ.get("NUMBA_CPU_FEATURES"):
        enabled = filter(lambda name: not name.startswith("-"), setting.split(","))
        return frozenset(name.removeprefix("+") for name in enabled)
    from llvmlite.binding import get_host_cpu_features

    features = get_host_cpu_features()
    return frozenset(name for name, is_there in features.items() if is_there)


@cache
def fingerprint() -> str:
    """Return a digest of everything that compiled code depends on.

    Numba itself checks only the file of the function that is called, not those of the kernels that
    this function calls.
    """
    sources = sorted((Path(__file__).parent / "kernels").glob("*.py"))
    facts = [file.read_bytes() for file in sources]
    for file in sources:  # numba finds its own files by the path and the time of the source
        facts.append(f"{file} {file.stat().st_mtime_ns}".encode())
    for name in _SETTINGS:
        facts.append(f"{name}={os.environ.get(name)}".encode())
    facts += [
        sys.version.encode(),
        version("numba").encode(),
        version("llvmlite").encode(),
        platform.machine().encode(),
        _processor(),
    ]
    return hashlib.sha256(b"\0".join(facts)).hexdigest()[:16]


def _processor() -> bytes:
    facts = machine.facts()
    names = ("model name", "flags", "CPU part", "Features")
    return "|".join(facts.get(name, "") for name in names).encode()


MOST_TRIES = 3
"""How often a failed pass is tried again."""
_CHUNK = 64  # tokens of a pass with which a replacement reads what its own cache lacks
_STILL_NO_MEMORY = "out of memory again: close other programs, or name a smaller model"

OnFailure = Callable[[str], None]
"""Takes the reason of a failure; returns to have the pass tried again, or raises to give up."""


class RecoveringModel:
    """A `Model` that survives failures of its passes.

    A failed pass is tried once more with the same model. If it fails again, this pass and all later
    ones run on the reloaded model.

    Args:
        model: Computes as long as it works.
        reload: Returns a model of the same shape, preferably a plain one rather than a fast one.
    """

    def __init__(self, model: Model, reload: Callable[[], Model]) -> None:
        self.config = model.config
        self._model: Model = model
        self._reload = reload
        # Also after a replacement: callers hold such caches, and `_Replacement` serves them.
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
    def on_failure(self, decide: OnFailure) -> Iterator[None]:
        """Let a caller decide about failures inside the block; by default a failure is final.

        Args:
            decide: Called with the reason of a failure.
        """
        before = self._on_failure
        self._on_failure = decide
        try:
            yield
        finally:
            self._on_failure = before

    def forward(
        self, token_ids: npt.ArrayLike, cache: KVCache, *, last_only: bool = True
    ) -> FloatArray:
        """See `Model.forward`.

        Raises:
            ModelError: The pass failed and was given up.
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
            ModelError: The pass failed and was given up.
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
        """Run a pass, more than once if need be.

        Args:
            run: Runs the pass on a model.
            undo: Takes back the tokens that the pass appended to the cache.

        Returns:
            The logits.
        """
        # The first try. Errors of spark are no failures of the engine: the caller passed something
        # wrong, or stopped the pass.
        try:
            return _numbers(run(self._model))
        except SparkError:
            raise
        except Exception as error:  # noqa: BLE001 - a kernel must not break its caller
            words = _words(error)  # the error itself would keep the arrays of the failed pass
        # Further tries, each of them with the caller's consent.
        reason = words
        for _ in range(MOST_TRIES):
            undo()
            self._on_failure(reason)
            try:
                return self._again(run, undo)
            except MemoryError as error:
                words = _words(error)
                reason = _STILL_NO_MEMORY
            except Exception as error:  # noqa: BLE001 - see above
                words = _words(error)
                reason = words
        undo()
        raise ModelError(
            f"the engine failed again and again ({words}); ask again or name another model"
        )

    def _again(self, run: Callable[[Model], FloatArray], undo: Callable[[], None]) -> FloatArray:
        # First on the same model: a failure may be over, and a reloaded one is slow for good.
        try:
            return _numbers(run(self._model))
        except MemoryError:
            raise  # a second model would take even more memory
        except Exception:  # noqa: BLE001 - see above
            undo()
        self._model = _Replacement(self._reload())
        return _numbers(run(self._model))


class _Replacement:
    """A model that serves the caches of another model.

    It reads the tokens in such a cache and appends new ones, but cannot use the keys and values in
    the other model's layout. It computes them again, in a cache of its own.

    Args:
        model: A model of the same config.
    """

    def __init__(self, model: Model) -> None:
        self.config = model.config
        self.bytes = model.bytes
        self.kernels = model.kernels
        self.chunk = model.chunk
        self.new_cache = model.new_cache
        self._model = model
        self._cache: KVCache | None = None

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
        """See `Model.forward_branches`; runs the branches one after the other."""
        ids = np.asarray(token_ids, np.int32)
        numbers = np.asarray(which, np.int32)
        branches.place(numbers)
        prefix = branches.cache.token_ids
        capacity = branches.cache.capacity
        rows = []
        for branch in np.unique(numbers).tolist():
            before = prefix + branches.token_ids(branch)
            rows.append(self._run(capacity, before, ids[numbers == branch], last_only=True))
        branches.extend(ids, numbers)
        return np.stack(rows)

    def _run(
        self, capacity: int, before: Sequence[int], ids: npt.ArrayLike, *, last_only: bool
    ) -> FloatArray:
        """Return the logits after new tokens.

        Args:
            capacity: The capacity of the other model's cache.
            before: The tokens before the new ones.
            ids: The new tokens.
            last_only: As for `Model.forward`.
        """
        if self._cache is None or self._cache.capacity < capacity:
            self._cache = self._model.new_cache(capacity)
        cache = self._cache
        cache.trim(cache.common_prefix(before))
        for start in range(cache.length, len(before), _CHUNK):
            self._model.forward(before[start : start + _CHUNK], cache)
        return self._model.forward(ids, cache, last_only=last_only)


def from_disk(path: Path, load: Callable[[Path], Model]) -> Callable[[], Model]:
    """Return a function that loads a model once more.

    Args:
        path: The folder or file of a model that was loaded just now.
        load: Loads a model.

    Returns:
        A function that loads the model. It raises ModelError if the files are damaged, missing or
        have changed.
    """
    stamp = _stamp(path)

    def load_again() -> Model:
        try:
            model = load(path)
        except SparkError as error:
            raise ModelError(f"it cannot be loaded again: {error}") from error
        # Other weights must not continue a sequence that the old ones began. Checked after loading,
        # so that a change during loading is noticed as well.
        if _stamp(path) != stamp:
            raise ModelError(
                f"it cannot be loaded again: {path} has changed since; start spark again"
            )
        return model

    return load_again


def _stamp(path: Path) -> list[tuple[str, int, int]]:
    """Return name, size and time of each file of a model."""
    files = [path]
    if path.is_dir():
        files = sorted(path.iterdir())
    stamps = []
    for file in files:
        if file.exists():
            status = file.stat()
            stamps.append((file.name, status.st_size, status.st_mtime_ns))
    return stamps


def _numbers(logits: FloatArray) -> FloatArray:
    # A single NaN makes the maximum NaN, so the maximum tells about all of them.
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
