"""What a model writes for the demo's function, token by token, with none drafted."""

from codecs import getincrementaldecoder
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.demo import PLACE, PROJECT
from spark_tui.resources import examples_dir

if TYPE_CHECKING:
    from spark_tui.answering.seam import Answer
    from spark_tui.editing.quoting import Request
    from spark_tui.engine.library import LoadedModel


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote. Args: prompt: tokens read. text: of it. message: what came of it.

    edits: whether that is an edit, or was left unfinished because no more tokens were wanted.
    """

    prompt: int
    tokens: tuple[int, ...]
    text: str
    message: str
    edits: bool


def write(loaded: "LoadedModel", instruction: str, most: int | None, *, live: bool) -> Written:
    """Answer the demo's request. Args: most: stop after so many tokens. live: show the text as it comes.

    Raises: UsageError: the instruction is too long, or a PE has no room left.
    """
    from spark_tui.answering.embedded import Embedded, calibration_of
    from spark_tui.answering.rewrite import Rewriter
    from spark_tui.answering.seam import Answer, Ask, Wrote

    kind, request = Embedded if calibration_of(loaded) else Rewriter, _request(instruction)
    answerer = kind(loaded, speculate=False)
    prompt = len(answerer.prompt(request))
    if live:
        output.show_line(f"reading a prompt of {prompt} tokens")
    tokens: list[int] = []
    text, answer, shown = b"", None, getincrementaldecoder("utf-8")("replace")
    with closing(answerer.write(Ask(request)).write()) as items:
        for item in items:
            if isinstance(item, Wrote):
                tokens.append(item.token)
                text += item.piece
                if live:
                    output.show_part(shown.decode(item.piece))
            answer = item if isinstance(item, Answer) else None
            if len(tokens) == most:
                break
    if live and not text.endswith(b"\n"):
        output.show("")
    message, edits = _told(answer, request, len(tokens))
    return Written(prompt, tuple(tokens), text.decode("utf-8", "replace"), message, edits)


def _told(answer: "Answer | None", request: "Request", count: int) -> tuple[str, bool]:
    """What came of it, in words, and whether that is no failure."""
    if answer is None:
        return f"stopped after {count} tokens", True
    if not answer.finished:
        return f"no end after {count} tokens", False
    if answer.declined or answer.lines == request.lines:
        return "no edit found for this", False
    return f"an edit of these {len(request.lines)} lines", True


def _request(instruction: str) -> "Request":
    from spark_tui.context.source import Source
    from spark_tui.editing.quoting import Request

    path, name = PLACE.split("::")
    source = Source(path, (examples_dir() / PROJECT / path).read_bytes())
    (symbol,) = source.named((name,))
    return Request(path, tuple(source.lines[symbol.start_line - 1 : symbol.end_line]), instruction)
