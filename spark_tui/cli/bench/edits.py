"""The edits that are measured: frozen evaluation cases, of packages that no model was trained on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from spark_tui.context.regions import Region
from spark_tui.editing.checks import run_checks
from spark_tui.editing.format import END, FIXED_MARKS, NO_EDIT, Frame, encode_pieces, render_region, render_request
from spark_tui.editing.script import ScriptError
from spark_tui.editing.streaming import Draft, PieceDecoder
from spark_tui.editing.text import Text
from spark_tui.engine.cache import KVCache
from spark_tui.engine.library import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.session.asking import stage
from spark_tui.session.events import Prefill, Token
from spark_tui.session.guiding import forget, guided
from spark_tui.session.prefetch import read_ahead
from spark_tui.session.prompt import beginning
from spark_tui.session.turn import Request, Turn

if TYPE_CHECKING:
    from spark_tui.training.examples import Example

MOST_TOKENS = 256
"""Of one script that nothing but the model bounds."""


class Known(Enum):
    """What is known of a request before Enter, and read: the region while words are typed, then these, too."""

    NOTHING = 0
    REGION = 1
    WORDS = 2


@dataclass(frozen=True, slots=True)
class Edit:
    """One request about lines of a file. `prompt`: what a model reads for it."""

    instruction: str
    base: Text
    region: Region
    prompt: tuple[int, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The region's lines."""
        return self.base.lines[self.region.start_line - 1 : self.region.end_line]

    def read(self, loaded: LoadedModel) -> tuple[int, ...]:
        """The `prompt`, worked out anew."""
        return prompt_of(loaded, self.lines, self.instruction, self.region.selected)

    def typed(self, loaded: LoadedModel, known: Known = Known.REGION) -> list[int]:
        """What of the prompt is known, and read, before Enter."""
        words = f"{self.instruction} " if known is Known.WORDS else ""
        return beginning(loaded, self.region, self.base, words, loaded.config.max_position_embeddings)

    def turn(self, loaded: LoadedModel, cache: KVCache, *, speculate: bool = True) -> Turn:
        """A turn that answers it."""
        request = Request(self.instruction, self.region.path)
        return Turn("bench", request, self.region, self.base, loaded, cache, speculate=speculate)


@dataclass(frozen=True, slots=True)
class Written:
    """The tokens a turn wrote in all its attempts, and the passes for them, those for the prompt left out."""

    tokens: tuple[int, ...]
    passes: int


def check_reads_edits(loaded: LoadedModel) -> None:
    """Stop at once with a model that cannot be asked for edits. Raises: UsageError: it lacks the format's marks."""
    if not reads_edits(loaded):
        raise UsageError(f"{loaded.name} is not made for spark's edit format; name one that is: `spark model list`")


def reads_edits(loaded: LoadedModel) -> bool:
    """Whether a model's tokenizer has every mark of the edit format."""
    return all(loaded.tokenizer.find(mark.name) is not None for mark in FIXED_MARKS)


def held_out(loaded: LoadedModel, count: int) -> list[Edit]:
    """So many frozen cases, spread evenly, whose prompts and answers fit the model. Raises: UsageError: too few."""
    from spark_tui.training.evaluate import frozen_cases

    cases = [(group.before, one) for group in frozen_cases() for one in group.examples if one.kind != NO_EDIT]
    step = max(1, len(cases) // max(1, count))
    in_turn = [case for start in range(step) for case in cases[start::step]]
    edits = list(islice(_fitting(loaded, in_turn), count))
    if len(edits) < count:
        raise UsageError(f"--edits {count}: there are only {len(edits)} that {loaded.name} can read")
    return edits


def _fitting(loaded: LoadedModel, cases: "Sequence[tuple[Sequence[str], Example]]") -> Iterator[Edit]:
    for lines, example in cases:
        base, region = stage(lines, example.selected)
        prompt = prompt_of(loaded, lines, example.instruction, example.selected)
        if len(prompt) + MOST_TOKENS <= loaded.config.max_position_embeddings:
            yield Edit(example.instruction, base, region, prompt)


def prompt_of(
    loaded: LoadedModel, lines: Sequence[str], instruction: str, selected: tuple[int, int] | None = None
) -> tuple[int, ...]:
    """The ids a model reads for a request, as a turn asks it."""
    frame = Frame.of(lines)
    pieces = [*render_region(lines, frame), *render_request(instruction, frame, selected)]
    return tuple(encode_pieces(pieces, loaded.tokenizer))


def write(edit: Edit, loaded: LoadedModel, cache: KVCache, *, speculate: bool = True) -> Written:
    """Answer with what is cached, from the request to the checked patch."""
    turn = edit.turn(loaded, cache, speculate=speculate)
    events = list(turn.events())
    tokens = tuple(event.token_id for event in events if isinstance(event, Token))
    reading = sum(isinstance(event, Prefill) for event in events)
    return Written(tokens, max(0, turn.timing.forward_passes - reading))


def prepare(edit: Edit, loaded: LoadedModel, cache: KVCache, known: Known) -> None:
    """Cache nothing, or what the program has read of a request, and worked out about it, before Enter."""
    cache.trim(0)
    forget()
    if known is Known.NOTHING:
        return
    guide = guided(loaded, edit.instruction, edit.region, edit.base) if known is Known.WORDS else None
    for _ in read_ahead(loaded, cache, edit.typed(loaded, known), guide, edit.base):
        pass


def first_script(tokens: Sequence[int], loaded: LoadedModel) -> tuple[int, ...]:
    """The tokens of the first script among those of all attempts of a turn."""
    end = loaded.tokenizer.special(END.name)
    return tuple(tokens[: tokens.index(end) + 1] if end in tokens else tokens)


def read_and_check(edit: Edit, tokens: Sequence[int], loaded: LoadedModel) -> bool:
    """What is left to do once a script is written: parse it, apply it, check the file. Returns: whether all is well."""
    start, stop, lines = edit.region.start_line - 1, edit.region.end_line, edit.lines
    draft, pieces = Draft(lines, Frame.of(lines)), PieceDecoder(loaded.tokenizer)
    try:
        for token in tokens:
            for piece in pieces.feed(token):
                draft.feed(piece)
    except ScriptError:
        return False
    proposed = edit.base.replace_lines(start, stop, draft.closed_lines)
    return all(check.ok for check in run_checks(edit.base, proposed, edit.region.path))
