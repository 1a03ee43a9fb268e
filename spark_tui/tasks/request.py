"""Read what is typed after `/task` or `/plan`: options, then the words of the task."""

import io
import shlex
from dataclasses import dataclass

from spark_tui.errors import UsageError

CHECK = "--check"
MODEL = "-m"
SHARE = "--share"
OPTIONS = {
    CHECK: "a command that must pass at the end",
    MODEL: "the model that works on it",
    SHARE: "a path that git ignores and its commands read",
}
_END = "--"


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """What a task is to be.

    Attributes:
        words: As the user wrote them; `@NAME` at their beginning names an agent.
        check: The command that must pass at the end; "" for none.
        model: The name of the model; "" for the one that answers questions.
        shared: The paths that the user shares with the task, as they are written.
    """

    words: str
    check: str = ""
    model: str = ""
    shared: tuple[str, ...] = ()


def read_request(text: str) -> TaskRequest:
    """Read the options in front of the words of a task, as a shell reads them.

    `--` ends the options; the words behind them stay as they are. Of an option that comes again the
    last one counts, but each path is shared.

    Raises:
        UsageError: There is no such option, or nothing behind it.
    """
    values = dict.fromkeys(OPTIONS, "")
    shared = list[str]()
    words = text.strip()
    while words.startswith("-"):
        option, words = _first_word(words)
        if option == _END:
            break
        if option not in values:
            known = ", ".join(OPTIONS)
            raise UsageError(
                f"a task takes no {option}, only {known}; -- stands before words that begin so"
            )
        values[option], words = _first_word(words)
        if not values[option]:
            raise UsageError(f"{option} needs {OPTIONS[option]} behind it")
        if option == SHARE:
            shared.append(values[option])
    return TaskRequest(words, values[CHECK], values[MODEL], tuple(shared))


def _first_word(text: str) -> tuple[str, str]:
    """The first word as a shell reads it, and the text behind it.

    Raises:
        UsageError: The word begins with a quote that does not end.
    """
    # The lexer reads character by character, so the stream keeps what follows the word as typed.
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""  # `#` is a character like others
    try:
        word = lexer.get_token() or ""
    except ValueError as e:
        raise UsageError(f"a quote does not end in {text}") from e
    return word, stream.read().strip()
