"""Which arithmetic a model runs with: compiled where this machine can, numpy everywhere.

Compiling takes many seconds, once for a processor and a version of spark. What comes of it is kept in a folder of the
user's own, where the next process reads it in a fraction of a second.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui import windows
from spark_tui.engine import processor
from spark_tui.engine.arrays import FloatArray
from spark_tui.engine.config import ModelConfig
from spark_tui.engine.decoder import Decoder
from spark_tui.engine.model import Model
from spark_tui.errors import FileError, ModelError, UsageError

if TYPE_CHECKING:
    from spark_tui.engine.kernels.expert_file import ExpertFile

Weights = Mapping[str, FloatArray]
"""By Hugging Face name."""
KINDS = ("auto", "compiled", "numpy")
BITS = (4, 8, 32)
COMPILING = "compiling, once for this machine: about 5 s"
_DONE, _LOCK = "complete", "lock"
_NEEDED = frozenset({"avx2", "fma", "f16c"})
_SMALL = 1 << 20
_KEPT = ("*.weights", "*.experts")
_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT")
"""What changes the code that numba makes."""


@dataclass(frozen=True, slots=True)
class Backend:
    """How models are made.

    Args: kind: "compiled" compiles if it has to; "auto" takes compiled code where it is ready, else numpy. bits: of a
        weight in compiled code: 4, 8 or 32; numpy computes with 32. threads: that may share a pass; 0 for two where
        there are so many processors. folder: where compiled code is kept.
    Raises: UsageError: no such kind or bits.
    """

    kind: str = "auto"
    bits: int = 8
    threads: int = 0
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"unknown kernels {self.kind!r}; choose one of {', '.join(KINDS)}")
        if self.bits not in BITS:
            raise UsageError(f"no kernels for {self.bits} bits; choose one of {', '.join(map(str, BITS))}")

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
            return bool(sizes) and all((place / name).stat().st_size == size for name, size in sizes.items())
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
        place, lock = self._place(self.folder), self.folder / _LOCK
        existing = next(each for each in (place, *place.parents) if os.path.lexists(each))
        able = os.access(existing, os.W_OK | os.X_OK) and existing.is_dir()
        if able and (not os.path.lexists(lock) or os.access(lock, os.W_OK)):
            return ""
        return f"{existing if not able else lock} cannot be written to; set XDG_CACHE_HOME to a folder of yours"

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
            config: the model's shape.
            files: that the weights are read from.
            weights: reads them; called where experts are missing.

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
        """See `kept`. Raises: FileError: as `_experts`."""
        from spark_tui.engine.kernels.arrange import unpacked, with_experts
        from spark_tui.engine.kernels.compiled import CompiledDecoder
        from spark_tui.engine.kernels.prepared import kept

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

        Raises: FileError: they cannot be kept there.
        """
        from spark_tui.engine.kernels.expert_file import SUFFIX, ExpertFile

        if config.experts is None:
            return None
        return ExpertFile(config, self.bits, place.with_suffix(SUFFIX))

    def make(self, config: ModelConfig, weights: Weights, files: Sequence[Path] = ()) -> Model:
        """A model of these weights. Args: weights: by Hugging Face name. files: as of `kept`, for the next time.

        Raises: UsageError: compiled code cannot run here. ModelError: the machine has not the memory for it.
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
        except (ImportError, OSError) as error:  # numba's libraries may not fit where memory is bounded
            if self.kind == "auto":
                return Decoder(config, weights)
            raise ModelError(f'compiled kernels cannot be loaded ({error}); set kernels = "numpy"') from error

    def _compiled(self, config: ModelConfig, weights: Weights, files: Sequence[Path]) -> Model:
        self._use_folder()
        from spark_tui.engine.kernels.arrange import arrange
        from spark_tui.engine.kernels.compiled import CompiledDecoder
        from spark_tui.engine.kernels.prepared import keep

        if self.folder is None or not files:
            arranged = arrange(config, weights, self.bits, self.workers)
            return CompiledDecoder(config, arranged, threads=self.workers)
        place = self._weights(self.folder, files)
        experts, problem = None, ""
        try:
            experts = self._experts(config, place)
        except FileError as error:
            problem = str(error)
        arranged = arrange(config, weights, self.bits, self.workers, experts, problem)
        if not problem:
            keep(arranged, place)
        return CompiledDecoder(config, arranged, threads=self.workers)

    def _weights(self, folder: Path, files: Sequence[Path]) -> Path:
        """Where the weights of these files are kept: by all that they come out of, and what that is made with."""
        facts = [_fingerprint().encode(), _arithmetic(), str(self.bits).encode(), *map(_identity, files)]
        return weights_folder(folder) / f"{hashlib.sha256(b'|'.join(facts)).hexdigest()[:16]}.weights"

    def load_passes(self) -> None:
        """Load what numba wants for a first pass, 200 modules in 0.3 s, where code is compiled already."""
        if self.kind == "numpy" or not self.is_ready or why_not_compiled():
            return
        self._compile_passes()

    def build(self) -> None:
        """Compile and keep what comes of it; while another process does so, wait for that.

        Raises: UsageError: it cannot be kept.
        """
        if self.problem or self.folder is None:
            raise UsageError(f'compiled kernels cannot be kept: {self.problem}, or kernels = "numpy"')
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

        Args: place: of the code.
        """
        if processors() == 1:
            self._compile_passes()
            return
        from spark_tui.engine.kernels.second_process import second_process

        with second_process(place) as wait:
            self._compile_passes(wait)

    def _compile_passes(self, wait: Callable[[], object] = lambda: None) -> None:
        """Args: wait: see `compile_passes`."""
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
    """Where weights are kept as compiled code takes them. Args: folder: of a backend."""
    return folder.absolute() / "weights"


def _identity(file: Path) -> bytes:
    """What tells a file from any other, and from itself once it is written to."""
    with suppress(OSError):
        found = file.stat()
        small = file.read_bytes() if found.st_size <= _SMALL else b""
        return f"{file.resolve()} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}".encode() + small
    return b""


@cache
def _arithmetic() -> bytes:
    """What weights are worked out with, beside the kernels."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"|".join([version("numpy").encode(), *(file.read_bytes() for file in sources)])).digest()


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
        return frozenset(name.removeprefix("+") for name in told.split(",") if not name.startswith("-"))
    from llvmlite.binding import get_host_cpu_features

    return frozenset(name for name, there in get_host_cpu_features().items() if there)


@cache
def _fingerprint() -> str:
    """What compiled code depends on; numba itself looks at no more than the file of the function that is called."""
    sources = sorted((Path(__file__).parent / "kernels").glob("*.py"))
    facts = [file.read_bytes() for file in sources]
    facts += [f"{file} {file.stat().st_mtime_ns}".encode() for file in sources]  # numba goes by these
    facts += [f"{name}={os.environ.get(name)}".encode() for name in _SETTINGS]
    facts += [sys.version.encode(), version("numba").encode(), platform.machine().encode(), _processor()]
    return hashlib.sha256(b"\0".join(facts)).hexdigest()[:16]


def _processor() -> bytes:
    known = processor.facts()
    if not known:
        return platform.processor().encode()
    told = (known.get(name, "") for name in ("model name", "flags", "CPU part", "Features"))
    return "|".join(told).encode()
