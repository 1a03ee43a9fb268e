"""What the user asks for, and what an answerer is asked for it."""

from dataclasses import dataclass

from spark_tui.context.regions import Region
from spark_tui.context.resolver import Focus
from spark_tui.editing.formats import quoted
from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.line_diff import is_document
from spark_tui.editing.multi_file import apart
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.base import GenerationRequest
from spark_tui.providers.conversation import Exchange

MOST_CHARACTERS = 10_000
"""Of an instruction; of several steps, say."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asks for, and where.

    `path`, `among` and others are relative to the repository's root. `lines`: 1-based first and
    last line; `symbol`: a qualified name; without them the region is found, in `among` where that
    names files. `earlier`: words that these correct, the oldest first. `focus`: where the user is.
    `keep`: the side of conflicts that a command says to keep. `become`: the lines that a command
    puts there. `around`: a map of the repository, for a model that reads one. `rename`: what a
    command says that the name which is the instruction, or else the symbol, is called from now on.
    `previous`: the last accepted edit, which these words may go on from. `before`, `news`: the
    conversation that they go on from, and what happened since, for a model that reads one.
    """

    instruction: str
    path: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    among: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    earlier: tuple[str, ...] = ()
    focus: Focus | None = None
    keep: str = ""
    become: tuple[str, ...] | None = None
    around: str = ""
    rename: str = ""
    previous: PreviousEdit | None = None
    before: tuple[Exchange, ...] = ()
    news: str = ""


def ask_of(request: Request, region: Region, base: Text, begun: str = "") -> GenerationRequest:
    """What an answerer is asked: the words as they were typed, and the lines; of several files,
    all of them.
    """
    several = is_document(base.raw)
    lead = apart(base)[region.path] if several else base
    lines = lead.lines[region.start_line - 1 : region.end_line]
    chosen = region.selected
    selected = lines[chosen[0] : chosen[1] + 1] if chosen else ()
    if several:
        selected = selected or (lines if len(lines) < len(lead.lines) else ())
        lines = base.lines
    previous = None if request.before else request.previous
    asked = quoted.QuotedRequest(
        region.path, tuple(lines), request.instruction, tuple(selected), request.earlier, previous
    )
    return GenerationRequest(
        asked,
        begun,
        request.temperature,
        request.seed,
        request.max_tokens,
        request.around,
        request.before,
        request.news,
    )


def too_long(instruction: str) -> str:
    """What to say of more characters than are read as an instruction, or ""."""
    if len(instruction) <= MOST_CHARACTERS:
        return ""
    return (
        f"the instruction has {len(instruction):,} characters, the limit is "
        f"{MOST_CHARACTERS:,}; shorten it"
    )


def refuse_too_long(instruction: str) -> None:
    """Raises:
    UsageError: More characters than are read as an instruction.
    """
    if words := too_long(instruction):
        raise UsageError(words)
