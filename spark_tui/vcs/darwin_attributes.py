"""Extended attributes and access lists of macOS, through the C library.

Python's `os` has these calls on Linux alone.

Source: flistxattr(2), fgetxattr(2), fsetxattr(2), fremovexattr(2), acl(3) of macOS.
"""

import ctypes
import errno
import os
from collections.abc import Callable
from ctypes import c_char_p, c_int, c_size_t, c_ssize_t, c_uint32, c_void_p
from typing import Any

ACCESS_LIST = "access list"
"""The name under which the access list of a file, as text, stands among its attributes."""

_OF_THE_SYSTEM = frozenset({"com.apple.provenance", "com.apple.macl"})
"""Attributes that only the kernel gives to files, or takes from them."""
# Source: getxattr(2); <sys/acl.h>: ACL_TYPE_EXTENDED.
_NO_OPTIONS = 0
_FROM_THE_FIRST_BYTE = 0
_ACL_TYPE_EXTENDED = 0x100

_library = ctypes.CDLL(None, use_errno=True)


def read(file: int) -> dict[str, bytes]:
    """The attributes of an open file by name, with its access list.

    Raises:
        OSError.
    """
    list_names = _function("flistxattr", c_ssize_t, c_int, c_void_p, c_size_t, c_int)

    def fill(buffer: Any, size: int) -> int:
        return int(list_names(file, buffer, size, _NO_OPTIONS))

    names = [os.fsdecode(name) for name in _read_buffer(fill).split(b"\0")[:-1]]
    attributes = {name: _value(file, name) for name in names if name not in _OF_THE_SYSTEM}
    access_list = _read_access_list(file)
    if access_list:
        attributes[ACCESS_LIST] = access_list
    return attributes


def write(file: int, name: str, value: bytes) -> None:
    """Set an attribute of an open file.

    Raises:
        OSError.
    """
    if name == ACCESS_LIST:
        _write_access_list(file, value)
        return
    arguments = c_int, c_char_p, c_void_p, c_size_t, c_uint32, c_int
    set_value = _function("fsetxattr", c_int, *arguments)
    encoded = os.fsencode(name)
    _check_result(set_value(file, encoded, value, len(value), _FROM_THE_FIRST_BYTE, _NO_OPTIONS))


def remove(file: int, name: str) -> None:
    """Take an attribute from an open file.

    Raises:
        OSError.
    """
    if name == ACCESS_LIST:
        _write_access_list(file, b"!#acl 1\n")  # one without entries
        return
    drop = _function("fremovexattr", c_int, c_int, c_char_p, c_int)
    _check_result(drop(file, os.fsencode(name), _NO_OPTIONS))


def _value(file: int, name: str) -> bytes:
    """The value of an attribute of an open file."""
    arguments = c_int, c_char_p, c_void_p, c_size_t, c_uint32, c_int
    get_value = _function("fgetxattr", c_ssize_t, *arguments)
    encoded = os.fsencode(name)

    def fill(buffer: Any, size: int) -> int:
        return int(get_value(file, encoded, buffer, size, _FROM_THE_FIRST_BYTE, _NO_OPTIONS))

    return _read_buffer(fill)


def _read_access_list(file: int) -> bytes:
    """The access list of an open file as text; empty where file or file system has none."""
    get = _function("acl_get_fd_np", c_void_p, c_int, c_int)
    to_text = _function("acl_to_text", c_void_p, c_void_p, c_void_p)
    free = _function("acl_free", c_int, c_void_p)
    # NULL stands for no list, or no such thing on this file system.
    access_list = get(file, _ACL_TYPE_EXTENDED)
    if not access_list:
        return b""
    try:
        text = to_text(access_list, None)
        if not text:
            raise _last_error()
        try:
            return ctypes.string_at(text)
        finally:
            free(text)
    finally:
        free(access_list)


def _write_access_list(file: int, text: bytes) -> None:
    """Set the access list of an open file."""
    from_text = _function("acl_from_text", c_void_p, c_char_p)
    put = _function("acl_set_fd_np", c_int, c_int, c_void_p, c_int)
    free = _function("acl_free", c_int, c_void_p)
    access_list = from_text(text)
    if not access_list:
        raise _last_error()
    try:
        _check_result(put(file, access_list, _ACL_TYPE_EXTENDED))
    finally:
        free(access_list)


def _read_buffer(fill: Callable[[Any, int], int]) -> bytes:
    """The bytes that a call writes into a buffer.

    Args:
        fill: Takes a buffer and its size, and returns how many bytes it wrote; with None for a
            buffer, how many there are.
    """
    while True:
        size = _check_result(fill(None, 0))
        if size == 0:
            return b""
        buffer = ctypes.create_string_buffer(size)
        try:
            written = _check_result(fill(buffer, size))
            return buffer.raw[:written]
        except OSError as e:
            # ERANGE: the value has grown since its size was asked for, so ask again.
            if e.errno != errno.ERANGE:
                raise


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of the C library with the types of its result and arguments declared."""
    function = getattr(_library, name)
    function.restype = result
    function.argtypes = arguments
    return function  # type: ignore[no-any-return]


def _check_result(result: int) -> int:
    """Return a call's result, unless the result means that the call failed.

    Raises:
        OSError: The call failed.
    """
    if result < 0:
        raise _last_error()
    return result


def _last_error() -> OSError:
    """The error that the last call of the C library left."""
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code))
