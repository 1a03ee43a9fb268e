"""Python's ways into the system, any of which can be made to fail: once, or from one call on."""

import errno
import fcntl
import io
import os
from collections.abc import Callable
from typing import Any

import pytest

from spark_tui.vcs import disk, extended_attributes

PLACES: dict[Any, tuple[str, ...]] = {
    os: (
        "open",
        "stat",
        "lstat",
        "fstat",
        "write",
        "pwrite",
        "fsync",
        "rename",
        "replace",
        "link",
        "unlink",
        "mkdir",
        "rmdir",
        "ftruncate",
        "fchmod",
        "fchown",
        "utime",
        "scandir",
        "listdir",
        "pipe",
        "readlink",
    ),
    io: ("open",),
    fcntl: ("fcntl", "flock"),
    disk: ("exchange", "move"),
    extended_attributes: ("read", "write", "remove"),
}
"""By module, the functions that end in a system call and that spark reaches by their module."""

_OPENING = {"open", "pipe", "scandir", "listdir"}
_ADDING = {"open", "write", "pwrite", "mkdir", "link", "rename", "replace", "exchange", "move"}
CAN_MEET = {errno.EMFILE: _OPENING, errno.ENOSPC: _ADDING | {"fsync"}}
"""The functions that an error may come from; all, where it does not stand here."""


class SystemCalls:
    """Counts calls in a test's `MonkeyPatch`, and lets some fail.

    Args:
        number: The first call to fail, counted from 0; -1: none.
        code: The error's number.
        lasting: Whether all later calls fail, too.
    """

    def __init__(self, number: int = -1, code: int = 0, *, lasting: bool = False) -> None:
        self.made: list[str] = []
        self._number = number
        self._code = code
        self._lasting = lasting

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Stand between Python and the system until the patch is undone."""
        for module, names in PLACES.items():
            for name in names:
                patch.setattr(module, name, self._wrapped(name, getattr(module, name)))

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if self._code and name not in CAN_MEET.get(self._code, {name}):
                return real(*args, **options)
            at = len(self.made)
            self.made.append(name)
            if at == self._number or (self._lasting and at > self._number >= 0):
                raise OSError(self._code, os.strerror(self._code))
            return real(*args, **options)

        return call
