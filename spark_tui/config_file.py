"""Keeps the theme that the user chose in config.toml, and leaves every other byte of that as it was."""

import os
import re
import tomllib
from codecs import BOM_UTF8
from pathlib import Path

from spark_tui.config import lines_of
from spark_tui.errors import FileError, UsageError

_VALUE = re.compile(r"""(?<==)(\s*)("[^"\\]*"|'[^']*')(?=\s*(?:#.*)?$)""", re.MULTILINE)


def save_theme(path: Path, name: str) -> None:
    """Make this the theme. Args: path: of config.toml; there may be none.

    Raises: FileError: it cannot be written. UsageError: it is written in a way that only its author should change. In
        both cases the file is as it was.
    """
    place = path.resolve()
    try:
        data = place.read_bytes() if place.exists() else b""
        mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
        before = data.removeprefix(mark).decode()
        after = _with_theme(before, name)
        if tomllib.loads(after) != tomllib.loads(before) | {"theme": name}:
            raise UsageError(f"{path}: change theme there by hand")
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, mark + after.encode())
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        raise UsageError(f"{path}: change theme there by hand: {e}") from e
    except (OSError, UnicodeDecodeError) as e:
        raise FileError(f"cannot write {path}: {getattr(e, 'strerror', None) or e}; the theme was not saved") from e


def _with_theme(text: str, name: str) -> str:
    """A text of TOML with another theme: in the line that it has, or above all tables."""
    lines, at = text.split("\n"), lines_of(text).get("theme")
    if at is None:
        return f'theme = "{name}"\n{text}'
    lines[at - 1] = _VALUE.sub(rf'\g<1>"{name}"', lines[at - 1])
    return "\n".join(lines)


def _replace(path: Path, data: bytes) -> None:
    """Write a file in one step, with the permissions it has."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
