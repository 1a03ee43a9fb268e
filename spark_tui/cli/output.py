"""What commands print: text that is safe to show, tables, errors.

What commands print: text with nothing hidden in it, one line an error, JSON for programs.

What an object for programs holds, as a table for people: a name and a value a line.
"""

import errno
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, TextIO

from spark_tui.errors import Abstained, Conflict, FileError, Interrupted, Mistakes, SparkError
from spark_tui.safe_text import visible

_LAYOUT = "\n\t"


def prepare() -> None:
    """Make the standard streams take any text, whatever the locale, and stand in for those that
    are closed.
    """
    _stand_in()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stand_in() -> None:
    """Take the numbers of closed streams, so that no file of ours ever gets what is meant for them.

    What is written to the stand-in of stdout fails as on a closed stream; what goes to that of
    stderr is lost.
    """
    for number, access in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - they stay open to the end
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def say(line: str) -> None:
    """One line for people, on stderr."""
    _tell(f"{visible(line)}\n")


def rewrite(line: str) -> None:
    """Replace the last line of stderr, which is a terminal."""
    _tell(f"\r\x1b[K{visible(line)}")


def _tell(text: str) -> None:
    """Text on stderr; when it cannot be written, there is nobody to tell, and the work goes on."""
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        forget(sys.stderr)


def forget(stream: TextIO) -> None:
    """Nobody reads this standard stream any more: keep the interpreter from failing when it
    flushes it at exit.
    """
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush() -> None:
    """Have everything go out that still can."""
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
    """One line for people, on stdout.

    Raises:
        FileError: It cannot be written.
    """
    _put(f"{visible(line)}\n")


def show_words(line: str) -> None:
    """One line of words for people, on stdout, broken where a terminal would break it, but between
    words.

    Raises:
        FileError: It cannot be written.
    """
    _put(f"{_broken(visible(line))}\n")


def _broken(words: str) -> str:
    """Words as they fit on the terminal, if stdout is one; what comes behind the last one stays."""
    if not sys.stdout.isatty():
        return words
    told = words.rstrip(" ")
    fitting = wrap(
        told, get_terminal_size().columns - 1, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(fitting) + words[len(told) :]


def ask(question: str) -> str | None:
    """A question for people, on stdout.

    Returns:
        The line they answer with; None: there is no more to read.

    Raises:
        FileError: It cannot be written.
    """
    show_question(question)
    line = sys.stdin.readline()
    if not (line.endswith("\n") and sys.stdin.isatty()):
        _put("\n")  # no key press ended the line of the question
    return line.rstrip("\n") if line else None


def show_question(question: str) -> None:
    """A question for people, on stdout; the answer goes behind it.

    Raises:
        FileError: It cannot be written.
    """
    _put(_broken(visible(question)))


def show_part(text: str) -> None:
    """Text for people that goes on where the last one stopped, on stdout.

    Raises:
        FileError: It cannot be written.
    """
    _put(visible(text, keep=_LAYOUT))


def show(text: str) -> None:
    """Lines for people, on stdout.

    Raises:
        FileError: They cannot be written.
    """
    _put(f"{visible(text, keep=_LAYOUT)}\n")


def show_json(value: Mapping[str, Any]) -> None:
    """One object for programs, on one line of stdout.

    Raises:
        FileError: It cannot be written.
    """
    _put(f"{_as_json(value)}\n")


def show_patch(patch: bytes) -> None:
    """A patch on stdout: its exact bytes for a program, nothing hidden for a terminal.

    Raises:
        FileError.
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
    """Have what is written to stdout go out at once.

    Raises:
        BrokenPipeError: Nobody reads it any more; FileError.
    """
    try:
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
    """JSON in ASCII, and of that only what prints."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the caller is a program, read off arguments that may not even parse."""
    formats = {"json", "stream-json"}
    chosen = any(a == "--format" and b in formats for a, b in pairwise(arguments))
    return (
        chosen or "--json" in arguments or any(f"--format={each}" in arguments for each in formats)
    )


def fail(error: SparkError, *, as_json: bool) -> int:
    """Say what went wrong on stderr.

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
        _tell(f"{_as_json(body | _detail(error))}\n")
    else:
        for line in error.each if isinstance(error, Mistakes) else [message]:
            say(f"spark: {' '.join(line.split())}")
        for detail in _detail(error).values():
            _tell(f"{visible(detail, keep=_LAYOUT)}\n")
    return error.exit_code


def _detail(error: SparkError) -> dict[str, str]:
    """The lines below the message: both versions of a conflict, or what to paste."""
    return {"detail": error.detail} if error.detail else {}


def on_one_line(error: SparkError) -> str:
    """What an error says."""
    return " ".join(str(error).split())


def status(error: SparkError) -> str:
    """What an error is called in JSON."""
    names: dict[type[SparkError], str] = {
        Abstained: "abstained",
        Conflict: "conflict",
        Interrupted: "interrupted",
    }
    return names.get(type(error), "error")


def table(body: Mapping[str, Any]) -> list[str]:
    """The lines, within 80 columns; what holds more goes below its name, and what has no value
    is left out.
    """
    rows = list(_rows(body, ""))
    width = max(len(name) for name, _ in rows) + 1
    fill = partial(
        wrap,
        width=79,
        subsequent_indent=" " * width,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line for name, words in rows for line in fill(f"{name:<{width}}{words}")]


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
        return ", ".join(f"{name} {_words(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"
    return str(value)
