"""What a model writes for the demo's function, one token in each pass."""

from codecs import getincrementaldecoder
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.cli.demo import PLACE, PROJECT
from spark_tui.resources import examples_dir

if TYPE_CHECKING:
    from spark_tui.editing.formats.quoted import QuotedRequest
    from spark_tui.engine.loader import LoadedModel
    from spark_tui.providers.base import AnswerFinished


@dataclass(frozen=True, slots=True)
class DemoEdit:
    """The answer of a model to an instruction for the demo's function.

    Attributes:
        prompt: Tokens of the prompt.
        tokens: Tokens of the answer.
        text: The answer.
        message: What came of it, in words.
        edits: Whether it is an edit, or was cut off because no more tokens were wanted.
    """

    prompt: int
    tokens: tuple[int, ...]
    text: str
    message: str
    edits: bool


def write(loaded: "LoadedModel", instruction: str, most: int | None, *, live: bool) -> DemoEdit:
    """Let a model answer an instruction for the demo's function.

    Args:
        loaded: The model.
        instruction: What to change.
        most: Stop after so many tokens; None for the end of the answer.
        live: Show the text as it comes.

    Raises:
        UsageError: The instruction is too long, or a PE has no room left.
    """
    from spark_tui.providers.base import AnswerFinished, GenerationRequest, TokenGenerated
    from spark_tui.providers.chat_model import Rewriter
    from spark_tui.providers.spark_model import SparkModel, calibration_of

    # No drafts: rejected tokens would go through the mesh, too.
    kind = SparkModel if calibration_of(loaded) else Rewriter
    answerer = kind(loaded, speculate=False)
    request = _request(instruction)
    prompt = len(answerer.prompt(request))
    if live:
        output.show_line(f"reading a prompt of {prompt} tokens")
    tokens: list[int] = []
    text = b""
    answer = None
    decoder = getincrementaldecoder("utf-8")("replace")
    with closing(answerer.write(GenerationRequest(request)).write()) as items:
        for item in items:
            if isinstance(item, TokenGenerated):
                tokens.append(item.token)
                text += item.piece
                if live:
                    output.show_part(decoder.decode(item.piece))
            answer = item if isinstance(item, AnswerFinished) else None
            if len(tokens) == most:
                break
    if live and not text.endswith(b"\n"):
        output.show("")
    message, edits = _outcome(answer, request, len(tokens))
    return DemoEdit(prompt, tuple(tokens), text.decode("utf-8", "replace"), message, edits)


def _outcome(
    answer: "AnswerFinished | None", request: "QuotedRequest", count: int
) -> tuple[str, bool]:
    """Return what came of an answer in words, and whether that is no failure."""
    if answer is None:
        return f"stopped after {count} tokens", True
    if not answer.finished:
        return f"no end after {count} tokens", False
    if answer.declined or answer.lines == request.lines:
        return "no edit found for this", False
    return f"an edit of these {len(request.lines)} lines", True


def _request(instruction: str) -> "QuotedRequest":
    from spark_tui.context.regions import Source
    from spark_tui.editing.formats.quoted import QuotedRequest

    path, name = PLACE.split("::")
    source = Source(path, (examples_dir() / PROJECT / path).read_bytes())
    (symbol,) = source.named((name,))
    lines = source.lines[symbol.start_line - 1 : symbol.end_line]
    return QuotedRequest(path, tuple(lines), instruction)
