"""What commands print: text with nothing hidden in it, one line an error, JSON for programs."""

import io
import json
import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, TextIO

from spark_tui.errors import Abstained, Conflict, Interrupted, SparkError

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def prepare() -> None:
    """Make the standard streams take any text, whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def visible(text: str, *, keep: str = "") -> str:
    """Text with control, invisible and undecodable characters shown as escapes; those in `keep` stay."""
    return "".join(char if char in keep or not _hidden(char) else _escape(char) for char in text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN


def _escape(char: str) -> str:
    return (
        char.encode("unicode_escape").decode() if not "\udc80" <= char <= "\udcff" else f"\\x{ord(char) - 0xDC00:02x}"
    )


def say(line: str) -> None:
    """One line for people, on stderr."""
    _tell(visible(line))


def _tell(line: str) -> None:
    """A line on stderr; when it cannot be written, there is nobody to tell, and the work goes on."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)


def forget(stream: TextIO) -> None:
    """Nobody reads this standard stream any more: keep the interpreter from failing when it flushes it at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_line(line: str) -> None:
    """One line for people, on stdout."""
    print(visible(line))


def show(text: str) -> None:
    """Lines for people, on stdout."""
    print(visible(text, keep="\n\t"))


def show_json(value: Mapping[str, Any]) -> None:
    """One object for programs, on one line of stdout."""
    print(json.dumps(value), flush=True)


def show_patch(patch: bytes) -> None:
    """A patch on stdout: its exact bytes for a program, nothing hidden for a terminal."""
    if sys.stdout.isatty() or not isinstance(sys.stdout, io.TextIOWrapper):
        show(patch.decode("utf-8", "surrogateescape").removesuffix("\n"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(patch)
    sys.stdout.buffer.flush()


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the caller is a program, read off arguments that may not even parse."""
    formats = {"json", "stream-json"}
    chosen = any(a == "--format" and b in formats for a, b in pairwise(arguments))
    return chosen or "--json" in arguments or any(f"--format={each}" in arguments for each in formats)


def fail(error: SparkError, *, as_json: bool) -> int:
    """Say what went wrong on stderr. Returns: the exit code."""
    message = " ".join(str(error).split())
    if as_json:
        body = {"version": 1, "status": _status(error), "message": message, "exit_code": error.exit_code}
        _tell(json.dumps(body))
    else:
        say(f"spark: {message}")
    return error.exit_code


def _status(error: SparkError) -> str:
    names: dict[type[SparkError], str] = {Abstained: "abstained", Conflict: "conflict", Interrupted: "interrupted"}
    return names.get(type(error), "error")
