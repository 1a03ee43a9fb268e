"""The machine: how much memory this process can still take, and which processor it runs on.

Models and contexts are refused before they are allocated. Without that, the system would end the
process, or a neighbor, with no message.
"""

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
"""Bytes by which two looks at the same figure may differ."""
_CGROUP_FILES = {
    2: ("memory.max", "memory.current"),
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes"),
}
"""Version of control groups -> the files with the limit of a group and its present use, in bytes.

Source: cgroups(7); Documentation/admin-guide/cgroup-v2.rst of Linux.
"""


MAX_CONTEXT = 131_072
"""The most tokens of a context, also for models that could read more."""
_SHARE = 0.5
"""The share of the available memory that a context may take."""


def fitting_context(config: ModelConfig) -> int:
    """Return the tokens of context to set aside: as many as the model reads and memory allows."""
    fitting = _SHARE * (available_bytes() or inf) / cache_bytes(config, 1)
    return max(1, int(min(config.max_position_embeddings, MAX_CONTEXT, fitting)))


def cache_bytes(config: ModelConfig, tokens: int, item_bytes: float = 4.0) -> int:
    """Return the bytes of the keys and values of a context.

    Args:
        config: The model's shape.
        tokens: The length of the context.
        item_bytes: The bytes of a number, 4 as float32.
    """
    # 2: a key and a value for each token, layer and head.
    return int(2 * config.n_layers * config.n_kv_heads * config.head_dim * item_bytes * tokens)


def peak_bytes() -> int | None:
    """Return the most memory that this process has held at once; None where no system tells."""
    peak = None
    if sys.platform != "win32":
        # macOS counts bytes, Linux kibibytes: getrusage(2)
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return peak


def require_cache(config: ModelConfig, tokens: int, item_bytes: float = 4.0) -> None:
    """Refuse a context that does not fit into the available memory.

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
    """Refuse something that does not fit into the available memory.

    Args:
        needed: The bytes needed.
        purpose: The start of the message.
        advice: The end of the message.

    Raises:
        ModelError: The bytes needed do not fit.
    """
    available = available_bytes()
    if available is not None and needed > available:
        # Where this process's own limit is the tightest, freeing memory elsewhere would not help.
        own = _own_limit(_ROOT)
        if advice == ADVICE and own and own[0] - available < _NOTHING:
            advice = "raise `ulimit -v` or name a smaller model"
        raise _refused(purpose, needed, available, advice)


def _refused(purpose: str, needed: int, available: int, advice: str) -> ModelError:
    return ModelError(
        f"{purpose} takes {_shown(needed)} of memory and {_shown(available)} is left; {advice}"
    )


def available_bytes(root: Path = _ROOT) -> int | None:
    """Return the bytes of memory that this process can still take.

    Three bounds apply: the machine's memory, the control groups around the process, and the
    process's own limit. The tightest one counts.

    Args:
        root: The folder of /proc and /sys.

    Returns:
        None if the system gives no figure.
    """
    amounts = [*_machine(root), *_groups(root), *_own_limit(root)]
    if not amounts:
        return None
    return max(0, min(amounts))


def _machine(root: Path) -> Iterator[int]:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024  # the file has KiB
            return
    # Without /proc, ask in other ways; a test's own root must not give figures of this machine.
    if root != _ROOT:
        return
    if sys.platform == "linux":
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    else:
        yield psutil.virtual_memory().available


def _own_limit(root: Path) -> list[int]:
    """Return the bytes that `ulimit -v` leaves this process; nothing without a limit."""
    pages = _lines(root / "proc/self/statm")
    if sys.platform != "win32" and pages and root == _ROOT:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            # The first number of statm is the size of the address space, in pages: proc(5).
            return [limit - int(pages[0].split()[0]) * os.sysconf("SC_PAGE_SIZE")]
    return []


def _groups(root: Path) -> Iterator[int]:
    """Yield the bytes that each control group around this process leaves to it."""
    mount = root / "sys/fs/cgroup"
    # Lines are number:controllers:path. Version 1 has a tree for each controller, version 2 a
    # single one, whose line names no controllers.
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            yield from _left(mount / "memory", path, 1)
        elif not controllers:
            yield from _left(mount, path, 2)


def _left(mount: Path, path: str, version: int) -> Iterator[int]:
    """Yield the bytes that a group leaves, and the groups around it.

    A container may see the path that the host uses, although only the mount itself exists inside.
    So groups without files are passed over, up to the mount.
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
    """Return the bytes of cached files, which count as used but are given back on demand."""
    amounts = {}
    for line in _lines(group / "memory.stat"):
        name, _, amount = line.partition(" ")
        if amount:
            amounts[name] = amount
    # In version 1 only the "total" includes the groups inside; version 2 always includes them.
    return int(amounts.get("total_inactive_file", amounts.get("inactive_file", 0)))


def _number(file: Path) -> int | None:
    """Return the whole number in a file; None for no file, or for "max", which means no limit."""
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
    """Return facts about the first processor, by the names of /proc/cpuinfo on Linux.

    On macOS these are `model name` and `flags`; on other systems the result is empty.
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
    """Ask the kernel of macOS for a value; b"" if the kernel does not know the name.

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
