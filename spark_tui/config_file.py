"""Changes one setting in the user's config.toml, and leaves every other byte of it as it was."""

import json
import os
import re
import tomllib
from pathlib import Path

from spark_tui.config import lines_of
from spark_tui.errors import FileError, UsageError

Value = str | int | float | bool

_PARTS = re.compile(r"""(?P<key>[^=]*=\s*)(?P<value>"(?:\\.|[^"\\])*"|'[^']*'|[^\s#"'\[{]+)(?P<rest>\s*(?:\#.*)?)""")


def save_setting(path: Path, key: str, value: Value) -> None:
    """Give a setting another value; comments, order and everything else stay.

    Args: key: of the top level. Raises: FileError: it cannot be written. UsageError: it is written in a way that only
        its author should change. In both cases the file is as it was.
    """
    place = path.resolve()
    try:
        before = place.read_bytes().decode() if place.exists() else ""
        after = changed(before, key, value)
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, after)
    except (OSError, UnicodeDecodeError) as e:
        raise FileError(f"cannot write {path}: {getattr(e, 'strerror', None) or e}; {key} was not saved") from e
    except (UsageError, tomllib.TOMLDecodeError) as e:
        raise UsageError(f"{path}: change {key} there by hand") from e


def changed(text: str, key: str, value: Value) -> str:
    """A TOML text with another value. Raises: UsageError: that cannot be done in one line; TOMLDecodeError."""
    wanted = tomllib.loads(text) | {key: value}
    lines = text.splitlines(keepends=True)
    if key in tomllib.loads(text):
        at = lines_of(text)[key] - 1
        body, end = _split(lines[at])
        match = _PARTS.fullmatch(body)
        if match is None:
            raise UsageError(f"{key} takes several lines")
        lines[at] = f"{match['key']}{_toml(value)}{match['rest']}{end}"
    else:
        lines = _added(lines, f"{key} = {_toml(value)}\n")
    after = "".join(lines)
    if tomllib.loads(after) != wanted:
        raise UsageError(f"{key} is not where it seems to be")
    return after


def _added(lines: list[str], line: str) -> list[str]:
    """With a line behind the last key before the first table."""
    first = next((at for at, each in enumerate(lines) if each.lstrip().startswith("[")), len(lines))
    at = first
    while at and not lines[at - 1].strip():
        at -= 1
    if at and not lines[at - 1].endswith("\n"):
        lines = [*lines[: at - 1], lines[at - 1] + "\n", *lines[at:]]
    gap = ["\n"] if at == first < len(lines) else []
    return [*lines[:at], line, *gap, *lines[at:]]


def _split(line: str) -> tuple[str, str]:
    body = line.rstrip("\r\n")
    return body, line[len(body) :]


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _replace(path: Path, text: str) -> None:
    """Write a file in one step, with the permissions it has."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(text.encode())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
