"""The memory and the processor of this machine, as far as the system tells."""

import ctypes
import os
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path

from spark_tui.engine.config import ModelConfig
from spark_tui.errors import ModelError

if sys.platform != "win32":
    import resource
if sys.platform != "linux":
    import psutil

_ROOT = Path("/")
_GIGABYTE = 1e9
ADVICE = "free some memory or name a smaller model"
"""The advice where memory is short."""
_NOTHING = 1 << 20
"""Bytes that come and go from one look to the next."""
_CGROUP_FILES = {
    2: ("memory.max", "memory.current"),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes"),
}
"""Version -> the files with the most bytes a group may take and those it takes."""


MAX_CONTEXT = 131_072
"""Tokens of context, for models that could read more."""
_SHARE = 0.5
"""The share of the memory left that a context may take."""


def fitting_context(config: ModelConfig) -> int:
    """Return the tokens of context to set aside: all the model can read that memory allows."""
    fitting = _SHARE * (available_bytes() or inf) / cache_bytes(config, 1)
    return max(1, int(min(config.max_position_embeddings, MAX_CONTEXT, fitting)))


def cache_bytes(config: ModelConfig, tokens: int, item_bytes: float = 4.0) -> int:
    """Return the bytes of the keys and values of a context.

    Args:
        config: The model's shape.
        tokens: The length of the context.
        item_bytes: The bytes of a number, 4 as float32.
    """
    return int(2 * config.n_layers * config.n_kv_heads * config.head_dim * item_bytes * tokens)


def peak_bytes() -> int | None:
    """Return the most memory that this process has held at once; None where no system tells."""
    if sys.platform == "win32":
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def require_cache(config: ModelConfig, tokens: int, item_bytes: float = 4.0) -> None:
    """Refuse a context that does not fit into the memory left.

    Args:
        config: The model's shape.
        tokens: The length of the context.
        item_bytes: The bytes of a number, 4 as float32.

    Raises:
        ModelError: The context does not fit; the message names both sizes and the longest context
            that fits.
    """
    needed = cache_bytes(config, tokens, item_bytes)
    available = available_bytes()
    if available is not None and needed > available:
        fitting = available // max(1, cache_bytes(config, 1, item_bytes))
        advice = f"ask for at most {fitting:,} tokens" if fitting else ADVICE
        raise _refused(f"a context of {tokens:,} tokens", needed, available, advice)


def require(needed: int, purpose: str, advice: str = ADVICE) -> None:
    """Refuse what does not fit into the memory left.

    Args:
        needed: The bytes needed.
        purpose: The start of the message.
        advice: The end of the message.

    Raises:
        ModelError: It does not fit.
    """
    available = available_bytes()
    if available is not None and needed > available:
        own = _own_limit(_ROOT)
        if advice == ADVICE and own and own[0] - available < _NOTHING:
            advice = "raise `ulimit -v` or name a smaller model"
        raise _refused(purpose, needed, available, advice)


def _refused(purpose: str, needed: int, available: int, advice: str) -> ModelError:
    return ModelError(
        f"{purpose} takes {_shown(needed)} of memory and {_shown(available)} is left; {advice}"
    )


def available_bytes(root: Path = _ROOT) -> int | None:
    """Return the bytes of memory this process can still take.

    The machine bounds them, the groups the process runs in, and its own limit.

    Args:
        root: The folder of /proc and /sys.

    Returns:
        None where the system does not tell.
    """
    amounts = [*_machine(root), *_groups(root), *_own_limit(root)]
    if not amounts:
        return None
    return max(0, min(amounts))


def _machine(root: Path) -> Iterator[int]:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
            return
    if root != _ROOT:
        return
    if sys.platform == "linux":
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    else:
        yield psutil.virtual_memory().available


def _own_limit(root: Path) -> list[int]:
    """Return the bytes that `ulimit -v` leaves this process."""
    pages = _lines(root / "proc/self/statm")
    if sys.platform != "win32" and pages and root == _ROOT:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            return [limit - int(pages[0].split()[0]) * os.sysconf("SC_PAGE_SIZE")]
    return []


def _groups(root: Path) -> Iterator[int]:
    """Yield the bytes that each control group around this process leaves it."""
    mount = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            yield from _left(mount / "memory", path, 1)
        elif not controllers:
            yield from _left(mount, path, 2)


def _left(mount: Path, path: str, version: int) -> Iterator[int]:
    """Yield the bytes that a group and those around it leave.

    Inside a container the path may be that of the host, and only the mount be there.
    """
    parts = Path(path.lstrip("/")).parts
    limit_name, usage_name = _CGROUP_FILES[version]
    for count in range(len(parts), -1, -1):
        group = mount.joinpath(*parts[:count])
        limit = _number(group / limit_name)
        usage = _number(group / usage_name)
        if limit is not None and usage is not None:
            yield limit - usage + _reclaimable(group)


def _reclaimable(group: Path) -> int:
    """Return the bytes of cached files that count as used, but are given back on demand."""
    amounts = {}
    for line in _lines(group / "memory.stat"):
        name, _, amount = line.partition(" ")
        if amount:
            amounts[name] = amount
    return int(amounts.get("total_inactive_file", amounts.get("inactive_file", 0)))


def _number(file: Path) -> int | None:
    """Return the whole number a file holds; None for no file, or for "max"."""
    lines = _lines(file)
    if not lines or not lines[0].isdecimal():
        return None
    return int(lines[0])


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []


def _shown(size: int) -> str:
    return f"{size / _GIGABYTE:,.2f} GB"


_SYSCTL_OF_FEATURE = {
    "asimd": "hw.optional.AdvSIMD",
    "asimddp": "hw.optional.arm.FEAT_DotProd",
    "i8mm": "hw.optional.arm.FEAT_I8MM",
    "bf16": "hw.optional.arm.FEAT_BF16",
    "avx2": "hw.optional.avx2_0",
    "avx512f": "hw.optional.avx512f",
}
"""Name of a feature on Linux -> its name on macOS."""


def facts() -> dict[str, str]:
    """Return what is known of the first processor, by the names that Linux has for it.

    On macOS these are `model name` and `flags`; elsewhere nothing is known.
    """
    known: dict[str, str] = {}
    if sys.platform == "linux":
        known = _from_proc(Path("/proc/cpuinfo"))
    elif sys.platform == "darwin":
        flags = [name for name, key in _SYSCTL_OF_FEATURE.items() if any(_sysctl(key))]
        model = _sysctl("machdep.cpu.brand_string").rstrip(b"\0").decode("utf-8", "replace")
        known = {"model name": model, "flags": " ".join(flags)}
    return {name: value for name, value in known.items() if value}


def _from_proc(file: Path) -> dict[str, str]:
    try:
        first = file.read_text("utf-8").split("\n\n")[0]
    except OSError:
        return {}
    entries = {}
    for line in first.splitlines():
        key, _, value = line.partition(":")
        entries[key.strip()] = value.strip()
    return entries


def _sysctl(name: str) -> bytes:
    """Ask the kernel of macOS for a value; b"" where it knows no such name.

    Source:
        sysctlbyname(3).
    """
    ask = getattr(ctypes.CDLL(None), "sysctlbyname", None)
    if ask is None:
        return b""
    size = ctypes.c_size_t(256)
    value = ctypes.create_string_buffer(size.value)
    if ask(name.encode("ascii"), value, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        return b""
    return value.raw[: size.value]
