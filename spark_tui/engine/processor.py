"""What the processor of this machine is, as far as the system tells: /proc/cpuinfo on Linux, sysctl on macOS."""

import ctypes
import sys
from pathlib import Path

_SYSCTL_OF_FEATURE = {
    "asimd": "hw.optional.AdvSIMD",
    "asimddp": "hw.optional.arm.FEAT_DotProd",
    "i8mm": "hw.optional.arm.FEAT_I8MM",
    "bf16": "hw.optional.arm.FEAT_BF16",
    "avx2": "hw.optional.avx2_0",
    "avx512f": "hw.optional.avx512f",
}
"""What Linux calls a feature -> what macOS calls it."""


def facts() -> dict[str, str]:
    """What is known of the first processor, by the names that Linux has for it; nothing where nothing is told.

    On macOS these are `model name` and `flags`.
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
    entries = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in entries}


def _sysctl(name: str) -> bytes:
    """What the kernel of macOS tells under a name; nothing where it knows no such name. Source: sysctlbyname(3)."""
    ask = getattr(ctypes.CDLL(None), "sysctlbyname", None)
    if ask is None:
        return b""
    size = ctypes.c_size_t(256)
    value = ctypes.create_string_buffer(size.value)
    if ask(name.encode("ascii"), value, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        return b""
    return value.raw[: size.value]
