"""What the user asks for (`Request`), and what a provider reads of it (`ask_of`)."""

from dataclasses import dataclass

from spark_tui.context.regions import Region
from spark_tui.context.resolver import Focus
from spark_tui.editing.formats import quoted
from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.formats.surroundings import NOWHERE, Surroundings
from spark_tui.editing.line_diff import is_document
from spark_tui.editing.multi_file import apart
from spark_tui.editing.text import Text
from spark_tui.errors import UsageError
from spark_tui.providers.base import GenerationRequest
from spark_tui.providers.conversation import Exchange

MOST_CHARACTERS = 10_000
"""Characters of an instruction; enough for one of several steps."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asks for, and where.

    All paths are relative to the repository's root. Without `lines` and `symbol` the region is
    found, in the files of `among` where there are any.

    Attributes:
        lines: 1-based first and last line.
        symbol: A qualified name.
        among: The files to look in.
        earlier: The words that these correct, the oldest first.
        focus: Where the user is.
        keep: The side of conflicts to keep, given by a command.
        become: The new lines of the region, given by a command.
        around: A map of the repository, for a model that reads one.
        rename: The new name, given by a command; the old one is the instruction, else the symbol.
        previous: The last accepted edit, which these words may go on from.
        before: The conversation so far, for a model that reads one.
        news: What happened since its last exchange.
        attached: Text that is shown to the model behind the words, and read by nothing else.
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
    attached: str = ""

    @property
    def shown_words(self) -> str:
        """The words as a model reads them, with what is attached."""
        return with_attached(self.instruction, self.attached)


def with_attached(instruction: str, attached: str) -> str:
    """An instruction, or a question, with the text that is attached to it."""
    return f"{instruction}\n\n{attached}" if attached else instruction


def ask_of(request: Request, region: Region, base: Text, begun: str = "") -> GenerationRequest:
    """What an answerer is asked: the words as typed, and the lines.

    Of several files, all lines are shown.
    """
    several = is_document(base.raw)
    lead = apart(base)[region.path] if several else base
    lines = lead.lines[region.start_line - 1 : region.end_line]
    chosen = region.selected
    selected = lines[chosen[0] : chosen[1] + 1] if chosen else ()
    if several:
        # All lines are shown, so the place itself is told by selecting its lines.
        selected = selected or (lines if len(lines) < len(lead.lines) else ())
        lines = base.lines
    # A model that reads the conversation finds the last edit there.
    previous = None if request.before else request.previous
    surroundings = NOWHERE if several else _surroundings(region, base)
    asked = quoted.QuotedRequest(
        region.path, tuple(lines), request.shown_words, tuple(selected), request.earlier, previous
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
        surroundings,
    )


def _surroundings(region: Region, base: Text) -> Surroundings:
    """What stands around a region of one file."""
    chosen = region.selected
    return Surroundings(
        region.path,
        base.lines[: region.start_line - 1],
        base.lines[region.end_line :],
        range(chosen[0], chosen[1] + 1) if chosen else None,
    )


def too_long(instruction: str) -> str:
    """The refusal of an instruction that is too long, or ""."""
    if len(instruction) <= MOST_CHARACTERS:
        return ""
    return (
        f"the instruction has {len(instruction):,} characters, the limit is "
        f"{MOST_CHARACTERS:,}; shorten it"
    )


def refuse_too_long(instruction: str) -> None:
    """Refuse an instruction that is too long.

    Raises:
        UsageError: It has more than `MOST_CHARACTERS` characters.
    """
    if words := too_long(instruction):
        raise UsageError(words)
