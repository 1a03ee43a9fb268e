"""Extended attributes of open files, on Linux and on macOS; elsewhere files have none."""

import os
import sys

from spark_tui.vcs import darwin_attributes


def read(file: int) -> dict[str, bytes]:
    """The attributes of an open file by name, access lists among them.

    Raises:
        OSError.
    """
    attributes: dict[str, bytes] = {}
    if sys.platform == "linux":
        attributes = {name: os.getxattr(file, name) for name in os.listxattr(file)}
    elif sys.platform == "darwin":
        attributes = darwin_attributes.read(file)
    return attributes


def write(file: int, name: str, value: bytes) -> None:
    """Set an attribute of an open file.

    Raises:
        OSError.
    """
    if sys.platform == "linux":
        os.setxattr(file, name, value)
    elif sys.platform == "darwin":
        darwin_attributes.write(file, name, value)


def remove(file: int, name: str) -> None:
    """Take an attribute from an open file.

    Raises:
        OSError.
    """
    if sys.platform == "linux":
        os.removexattr(file, name)
    elif sys.platform == "darwin":
        darwin_attributes.remove(file, name)
