"""A seccomp filter under which a program opens no socket that leads out of its sandbox.

Neither a read-only disk nor a network namespace keeps a program from connecting to a unix socket
that has a path: tmux, a session bus, an agent with keys. The filter therefore allows sockets of
the network (of which the sandbox has one of its own) and pairs of connected unix sockets, which
programs use to talk to their children. Refused are:

- `socket` of any other family, among them AF_UNIX and AF_VSOCK;
- `socketpair` of datagrams, since such a socket can send to any path;
- io_uring, which opens sockets without a call of `socket`; programs do without where it is missing;
- system calls of another architecture (32-bit programs, x32), whose numbers mean something else.

Source:
    seccomp(2); linux/filter.h, linux/seccomp.h and linux/audit.h; the tables of system calls of
    x86_64 (arch/x86/entry/syscalls/syscall_64.tbl) and aarch64 (asm-generic/unistd.h); unix(7).
"""

import os
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

# Offsets in struct seccomp_data. Arguments have 64 bits, of which the kernel reads the lower 32 for
# an int; both architectures are little-endian.
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_IF_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_IF_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERROR = 0x00050000
_NOT_PERMITTED = _ERROR | 1  # EPERM, as numbered on both architectures
_NO_SUCH_CALL = _ERROR | 38  # ENOSYS

_X32 = 0x40000000
"""The bit of x32's system calls, which share an architecture with x86_64's."""
_IO_URING_SETUP = 425
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_TYPES = 0xF
"""The bits of a socket's type without flags such as SOCK_CLOEXEC."""
_STREAM, _SEQPACKET = 1, 5


class _Machine(NamedTuple):
    """The numbers that differ between architectures."""

    architecture: int
    socket: int
    socketpair: int


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 41, 53),
    "aarch64": _Machine(0xC00000B7, 198, 199),
}


def filter_for(machine: str) -> bytes:
    """The filter for a machine, as `platform.machine` names it; b"" where there is none."""
    numbers = _MACHINES.get(machine)
    if numbers is None:
        return b""
    # Each line is (code, value, lines to skip if true, lines to skip if false).
    lines = [
        (_LOAD, _ARCHITECTURE, 0, 0),
        (_IF_EQUAL, numbers.architecture, 1, 0),
        (_RETURN, _KILL, 0, 0),
        (_LOAD, _NUMBER, 0, 0),
        (_IF_AT_LEAST, _X32, 1, 0),
        (_IF_EQUAL, _IO_URING_SETUP, 0, 1),
        (_RETURN, _NO_SUCH_CALL, 0, 0),
        (_IF_EQUAL, numbers.socket, 2, 0),
        (_IF_EQUAL, numbers.socketpair, 6, 0),
        (_RETURN, _ALLOW, 0, 0),
        # socket
        (_LOAD, _FIRST, 0, 0),
        (_IF_EQUAL, _AF_INET, 8, 0),
        (_IF_EQUAL, _AF_INET6, 7, 0),
        (_IF_EQUAL, _AF_NETLINK, 6, 0),
        (_RETURN, _NOT_PERMITTED, 0, 0),
        # socketpair; no family but AF_UNIX has pairs
        (_LOAD, _SECOND, 0, 0),
        (_AND, _TYPES, 0, 0),
        (_IF_EQUAL, _STREAM, 2, 0),
        (_IF_EQUAL, _SEQPACKET, 1, 0),
        (_RETURN, _NOT_PERMITTED, 0, 0),
        (_RETURN, _ALLOW, 0, 0),
    ]
    return b"".join(
        struct.pack("<HBBI", code, if_true, if_false, value)
        for code, value, if_true, if_false in lines
    )


def has_filter() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in _MACHINES


@contextmanager
def opened_filter() -> Iterator[int]:
    """A descriptor from which bubblewrap reads the filter for this machine."""
    source, sink = os.pipe()
    try:
        os.write(sink, filter_for(platform.machine()))  # a pipe takes far more without waiting
        os.close(sink)
        yield source
    finally:
        os.close(source)
