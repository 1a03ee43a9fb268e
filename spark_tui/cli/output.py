"""Prints for commands: text made safe to show, errors, tables, and JSON for programs."""

import errno
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, TextIO

from spark_tui.errors import Abstained, Conflict, FileError, Interrupted, Mistakes, SparkError
from spark_tui.safe_text import visible

_LAYOUT = "\n\t"


def prepare() -> None:
    """Make the standard streams take any text, whatever the locale, and replace closed ones."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _replace_closed_streams() -> None:
    """Open the null device for closed streams, so that no file of ours gets their numbers.

    A write to a closed stdout still fails, because the null device is open for reading there; what
    goes to a closed stderr is lost.
    """
    # In order: `open` gives the lowest free number, which is the one that was found closed.
    for number, access in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - they stay open to the end
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def say(line: str) -> None:
    """Print one line for people, on stderr."""
    _tell(f"{visible(line)}\n")


def rewrite(line: str) -> None:
    """Replace the last line of stderr, which is a terminal."""
    _tell(f"\r\x1b[K{visible(line)}")


def _tell(text: str) -> None:
    """Write to stderr; where that fails, the work goes on without a word."""
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)


def forget(stream: TextIO) -> None:
    """Drop what a standard stream still holds.

    The interpreter flushes the stream at exit, which would fail.
    """
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush() -> None:
    """Flush both streams where that still works."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()


def is_hang_up(error: Exception) -> bool:
    """Whether an error only says that the terminal was closed."""
    return error.args[:1] == (errno.EIO,) and any(_hung_up(number) for number in range(3))


def _hung_up(number: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        os.ttyname(number)
    except OSError as e:
        return e.errno == errno.EIO
    return False


def show_line(line: str) -> None:
    """Print one line for people, on stdout.

    Raises:
        FileError: The line cannot be written.
    """
    _put(f"{visible(line)}\n")


def show_words(line: str) -> None:
    """Print a line of prose on stdout, broken between words where the terminal ends.

    Raises:
        FileError: The line cannot be written.
    """
    _put(f"{_broken(visible(line))}\n")


def _broken(words: str) -> str:
    """Break words where the terminal would, but between words; spaces at the end stay."""
    if not sys.stdout.isatty():
        return words
    text = words.rstrip(" ")
    # `wrap` would drop the space behind a question, where the answer is typed
    trailing = words[len(text) :]
    width = get_terminal_size().columns - 1
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + trailing


def ask(question: str) -> str | None:
    """Ask a question on stdout.

    Returns:
        The line that answers it; None at the end of stdin.

    Raises:
        FileError: The question cannot be written.
    """
    show_question(question)
    line = sys.stdin.readline()
    if not (line.endswith("\n") and sys.stdin.isatty()):
        _put("\n")  # no key press ended the line of the question
    return line.rstrip("\n") if line else None


def show_question(question: str) -> None:
    """Print a question on stdout; the answer is typed on the same line.

    Raises:
        FileError: The question cannot be written.
    """
    _put(_broken(visible(question)))


def show_part(text: str) -> None:
    """Print text on stdout that goes on where the last one stopped.

    Raises:
        FileError: The text cannot be written.
    """
    _put(visible(text, keep=_LAYOUT))


def show(text: str) -> None:
    """Print lines for people, on stdout.

    Raises:
        FileError: The lines cannot be written.
    """
    _put(f"{visible(text, keep=_LAYOUT)}\n")


def show_json(value: Mapping[str, Any]) -> None:
    """Print one object for programs, on one line of stdout.

    Raises:
        FileError: The object cannot be written.
    """
    _put(f"{_as_json(value)}\n")


def show_patch(patch: bytes) -> None:
    """Print a patch on stdout: its exact bytes for a program, nothing hidden for a terminal.

    Raises:
        FileError: The patch cannot be written.
    """
    if sys.stdout.isatty() or not isinstance(sys.stdout, io.TextIOWrapper):
        show(patch.decode("utf-8", "surrogateescape").removesuffix("\n"))
        return
    with _writing():
        sys.stdout.buffer.write(patch)


def _put(text: str) -> None:
    with _writing():
        print(text, end="")


@contextmanager
def _writing() -> Iterator[None]:
    """Flush stdout before and after a write.

    Raises:
        BrokenPipeError: Nobody reads stdout any more.
        FileError: Stdout cannot be written.
    """
    try:
        # First what the text layer still holds: `show_patch` writes bytes below that layer.
        sys.stdout.flush()
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as e:
        forget(sys.stdout)
        problem = "stdout is closed" if e.errno == errno.EBADF else e.strerror
        raise FileError(f"cannot write: {problem}; free some space or write elsewhere") from e


def _as_json(value: Mapping[str, Any]) -> str:
    """Return JSON in printable ASCII."""
    # json escapes control characters below space, but not DEL
    return json.dumps(value).replace("\x7f", "\\u007f")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the caller is a program, read off arguments that may not even parse."""
    if "--json" in arguments:
        return True
    for kind in ("json", "stream-json"):
        if f"--format={kind}" in arguments or ("--format", kind) in pairwise(arguments):
            return True
    return False


def fail(error: SparkError, *, as_json: bool) -> int:
    """Say on stderr what went wrong.

    Returns:
        The exit code.
    """
    message = on_one_line(error)
    if as_json:
        body = {
            "version": 1,
            "status": status(error),
            "message": message,
            "exit_code": error.exit_code,
        }
        if error.detail:
            body["detail"] = error.detail
        _tell(f"{_as_json(body)}\n")
        return error.exit_code
    messages: Sequence[str] = [message]
    if isinstance(error, Mistakes):
        messages = error.each
    for line in messages:
        say(f"spark: {' '.join(line.split())}")
    if error.detail:  # both versions of a conflict, or what to paste
        _tell(f"{visible(error.detail, keep=_LAYOUT)}\n")
    return error.exit_code


def on_one_line(error: SparkError) -> str:
    """Return the message of an error on one line."""
    return " ".join(str(error).split())


def status(error: SparkError) -> str:
    """Return the name of an error in JSON."""
    names: dict[type[SparkError], str] = {
        Abstained: "abstained",
        Conflict: "conflict",
        Interrupted: "interrupted",
    }
    return names.get(type(error), "error")


def table(body: Mapping[str, Any]) -> list[str]:
    """Return an object as lines of at most 79 columns: a name and its value on each.

    The entries of a nested object go below its name; entries without a value are left out.
    """
    rows = list(_rows(body, ""))
    width = max(len(name) for name, _ in rows) + 1
    lines = []
    for name, words in rows:
        lines += wrap(
            f"{name:<{width}}{words}",
            width=79,
            subsequent_indent=" " * width,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def _rows(body: Mapping[str, Any], indent: str) -> Iterator[tuple[str, str]]:
    for key, value in body.items():
        name = indent + key.replace("_", " ")
        if isinstance(value, Mapping):
            yield name, ""
            yield from _rows(value, f"{indent}  ")
        elif value is not None:
            yield name, _words(value)


def _words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(_words, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(part)}" for name, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        is_whole = value >= 1000 or value == int(value)
        return f"{value:,.0f}" if is_whole else f"{value:.4g}"
    return str(value)
