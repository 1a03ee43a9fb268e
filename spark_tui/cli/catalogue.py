"""Lists the models on the hub that spark knows, and fetches one for `spark model add NAME`.

A download lies in the cache until it is complete and checked, so that a broken one goes on where it
stopped.
"""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path

from spark_tui.config import cache_dir
from spark_tui.errors import FileError, SparkError, Transient, UsageError

_FILE = Path(__file__).parent.parent / "models" / "catalogue.json"
_SHA256_DIGITS = 64
_UNREACHABLE = "cannot reach the hub; check the network, or name a local file"
_WEIGHT_BYTES = {32: 4.0, 8: 1.0, 4: 0.5625}
"""Bits of a weight -> the bytes it takes, its scale among them."""
_USUAL_BITS = 8
_CONTEXT = 0.5
"""Bytes that context and room to work take, for each parameter that a token goes through."""
_IDLE_SHARE = 0.25
"""Share of the idle experts that memory should have room for: the next tokens want some."""
_DISK_LEFT = 2 << 30
"""Bytes on the disk that are left to others."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A model on the hub.

    Attributes:
        name: The name by which `spark model add` fetches it.
        repository: Its repository on the hub.
        file: The file of the repository.
        megabytes: The size of that file, about.
        parameters: The number of its parameters.
        licence: The licence of the model.
        active: Parameters of a mixture of experts that one token goes through; None for all.
        format: The edit format: "rewrite", "search_replace", or "auto", which goes by its size.
        bits: Bits of a weight that this model is packed with, whatever the settings say; 0: theirs.
        size: The bytes of the only file that counts as this model; 0: any file of the hub does.
        sha256: The SHA-256 of that file.
    """

    name: str
    repository: str
    file: str
    megabytes: int
    parameters: float
    licence: str
    active: float | None = None
    format: str = "auto"
    bits: int = 0
    size: int = 0
    sha256: str = ""

    @property
    def download(self) -> str:
        """The size, the source and the licence, to be read before the model is fetched."""
        return f"{self.megabytes:,} MB from {self.repository}, {self.licence}"

    def memory(self, bits: int) -> float:
        """Estimate the bytes that the model takes while it runs.

        Args:
            bits: Bits of a weight: 4, 8 or 32.
        """
        return self.parameters * _WEIGHT_BYTES[bits] + self._active * _CONTEXT

    def least_memory(self, bits: int) -> float:
        """Estimate the bytes with which it runs when idle experts are read from disk."""
        idle = self.parameters - self._active
        return self.memory(bits) - (1 - _IDLE_SHARE) * idle * _WEIGHT_BYTES[bits]

    def disk(self, bits: int) -> float:
        """Estimate the bytes on disk of the model and of its experts, packed."""
        packed = 0.0
        if self.active is not None:  # only the experts of a mixture are packed into a file
            packed = self.parameters * _WEIGHT_BYTES[bits]
        return self.megabytes * 1e6 + packed + _DISK_LEFT

    def speed(self, bits: int, bandwidth: float) -> float:
        """Estimate the tokens a second it writes.

        Every weight that a token goes through is read from memory once, which takes longer than
        computing with it.

        Args:
            bits: Bits of a weight.
            bandwidth: Bytes a second read from memory.
        """
        return bandwidth / (self._active * _WEIGHT_BYTES[bits])

    @property
    def _active(self) -> float:
        return self.parameters if self.active is None else self.active


@dataclass(frozen=True, slots=True)
class Prospect:
    """An estimate of how a model would run on this machine.

    Attributes:
        bits: Bits of a weight.
        memory: Bytes that the model takes with such weights.
        fits: Whether these bytes are free; None where the system does not tell.
        fits_in: The most bits with which the model fits; 0 for none.
        tokens_per_second: The speed with the bits of `fits_in`, else with `bits`.
        from_disk: Whether memory holds only some of the experts; the others are read from disk when
            tokens need them.
    """

    bits: int
    memory: float
    fits: bool | None
    fits_in: int
    tokens_per_second: float
    from_disk: bool = False

    @classmethod
    def of(
        cls,
        model: Listed,
        bits: int,
        free: int | None,
        bandwidth: float,
        free_disk: int = 0,
    ) -> "Prospect":
        """Foresee how a model runs.

        Args:
            model: A model of the catalogue.
            bits: Bits of a weight, as in the settings.
            free: Free bytes of memory; None where the system does not tell.
            bandwidth: Bytes of memory read in a second.
            free_disk: Free bytes on the disk with the cache.
        """
        bits = model.bits or bits
        memory = model.memory(bits)
        if free is None:
            return cls(bits, memory, None, bits, model.speed(bits, bandwidth))
        fits_in = 0
        # the most bits with which it fits, at most those of the settings
        for fewer_bits in sorted(_WEIGHT_BYTES, reverse=True):
            if fewer_bits <= bits and _least_memory(model, fewer_bits, free_disk) <= free:
                fits_in = fewer_bits
                break
        from_disk = memory > free and fits_in == bits
        if from_disk:
            memory = _least_memory(model, bits, free_disk)
        speed = model.speed(fits_in or bits, bandwidth)
        return cls(bits, memory, memory <= free, fits_in, speed, from_disk)

    @property
    def summary(self) -> str:
        """The prospect in words."""
        takes = f"takes about {self.memory / 1e9:.1f} GB of memory with {self.bits}-bit weights"
        digits = 1 if self.tokens_per_second < 10 else 0
        speed = f"{self.tokens_per_second:.{digits}f} tokens/s"
        if self.from_disk:
            return f"{takes}, fits, more experts read from disk, at most {speed}"
        if self.fits is None:
            return f"{takes}, about {speed}"
        if self.fits:
            return f"{takes}, fits, about {speed}"
        if self.fits_in:
            smaller = f"fits with bits = {self.fits_in} in config.toml"
            return f"{takes}, more than is free; {smaller}, about {speed}"
        return f"{takes}, more than is free here"


def _least_memory(model: Listed, bits: int, free_disk: int) -> float:
    """Estimate the bytes of memory a model needs, given how much fits on the disk."""
    if model.disk(bits) <= free_disk:
        return model.least_memory(bits)
    return model.memory(bits)


@cache
def catalogue() -> Mapping[str, Listed]:
    """Return all models that can be fetched, by name."""
    entries = json.loads(_FILE.read_text("utf-8"))
    return {entry["name"]: Listed(**entry) for entry in entries}


def fetched(model: Listed, tell: Callable[[str], object]) -> Path:
    """Fetch the file of a model, and check it against the hub's SHA-256; `forget` deletes it.

    Args:
        model: A model of the catalogue.
        tell: Called with a sentence before the download; the hub's client shows a progress bar.

    Raises:
        Transient: The hub cannot be reached, or the file arrived damaged.
        UsageError: The hub has no such file any more, or wants an account.
        FileError: The file cannot be written.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_download, hf_hub_url

    unreachable = (
        errors.FileMetadataError,
        errors.LocalEntryNotFoundError,
        errors.OfflineModeIsEnabled,
    )
    folder = _folder(model)
    memory = model.memory(_USUAL_BITS) / 1e9
    tell(f"fetching {model.file}: {model.download}; takes about {memory:.1f} GB of memory")
    try:
        on_hub = get_hf_file_metadata(hf_hub_url(model.repository, model.file))
        # The hub's ETag of a large file is its SHA-256; other ETags are shorter and tell nothing.
        etag = on_hub.etag or ""
        digest = etag if len(etag) == _SHA256_DIGITS else model.sha256
        if model.size and (on_hub.size, digest) != (model.size, model.sha256):
            raise UsageError(
                f"the hub has another {model.file} now; `spark model add {model.name} FILE` takes "
                f"the one with SHA-256 {model.sha256}"
            )
        path = Path(hf_hub_download(model.repository, model.file, local_dir=folder))
        if digest and _sha256(path) != digest:
            forget(model)
            raise Transient(f"{model.file} arrived damaged; try again")
    except errors.HfHubHTTPError as e:
        raise _refused(model, e.response.status_code) from e
    except (errors.HTTPError, *unreachable) as e:  # type: ignore[attr-defined]
        raise Transient(_UNREACHABLE) from e
    except OSError as e:
        raise FileError(
            f"{folder} cannot be written ({e.strerror or e}); free some space, then try again"
        ) from e
    return path


def check_pinned(model: Listed, file: Path) -> None:
    """Refuse a file that is not the only one that counts as a model.

    Raises:
        UsageError: It is another file, or none.
    """
    if not file.is_file():
        raise UsageError(f"{file} is no file; {model.name} is one, {model.file}")
    if file.stat().st_size != model.size or _sha256(file) != model.sha256:
        raise UsageError(
            f"{file} is not {model.file} as {model.repository} has it ({model.size:,} bytes, "
            f"SHA-256 {model.sha256}); give another file, or another --name"
        )


def require_room(model: Listed, folder: Path) -> None:
    """Refuse a model for which memory or disk is too small, before anything is fetched.

    Args:
        model: A model that is packed with bits of its own.
        folder: The folder where it will be, or a folder above.

    Raises:
        ModelError: Memory is too small.
        FileError: The disk is too full.
    """
    from spark_tui.engine.kernels.cached_files import SPARE
    from spark_tui.engine.machine import require

    require(int(model.memory(model.bits)), f"{model.name} with {model.bits}-bit weights")
    # Packed weights are only kept where the disk has room for more than them.
    packed = SPARE * model.parameters * _WEIGHT_BYTES[model.bits]
    needed = model.size + packed - fetched_bytes(model)
    free = free_bytes(folder)
    if free is not None and free < needed:
        raise FileError(
            f"{model.name} takes {needed / 1e9:.1f} GB of disk to fetch and pack, and "
            f"{free / 1e9:.1f} GB are free in {folder}; free some space, then try again"
        )


def free_bytes(folder: Path) -> int | None:
    """Return the free bytes where a folder is, or will be; None where the system does not tell."""
    # the folder itself may not be made yet
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        return shutil.disk_usage(existing).free
    except OSError:
        return None


def fetched_bytes(model: Listed) -> int:
    """Count the bytes of a download that broke off, or is not used yet."""
    return sum(file.stat().st_size for file in _folder(model).rglob("*") if file.is_file())


def forget(model: Listed) -> None:
    """Delete what was fetched of a model."""
    shutil.rmtree(_folder(model), ignore_errors=True)


def _folder(model: Listed) -> Path:
    return cache_dir() / "downloads" / model.name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _refused(model: Listed, status: int) -> SparkError:
    if status in {401, 403, 404}:
        file = f"{model.repository}/{model.file}"
        return UsageError(
            f"the hub refuses {file} ({status}); download it yourself and name the file"
        )
    return Transient(f"the hub answers with {status}; try again later")


def named(name: str) -> Listed | None:
    """Return the model that a name means.

    A file or folder of this name comes first, unless only one file in the world counts as the
    model.
    """
    pinned = pinned_model(name)
    if pinned is None and Path(name).exists():
        return None
    return pinned or catalogue().get(name.lower())  # reads a choice of a few


def pinned_model(name: str) -> Listed | None:
    """Return the model of a name where only one file counts as this model."""
    listed = catalogue().get(name)
    return listed if listed and listed.size else None
