"""Finds the next place that wants the change accepted last, and offers the edit there.

Places are found by the lines of the change (`context.likeness`). There the model is asked for the
same change ("remove too"), with the accepted edit as the turn before; it was taught to read that
from conversations. An edit is offered if it passes all checks and the model is sure enough of it;
how sure it must be was measured (`examples/measures/next_edit.py`).

One of Sweep's models, where the settings name one, is asked instead: it reads the change and the
lines, and takes no words.

All of this is work in the background. It uses a cache of its own, and the engine only while nobody
waits for that.
"""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from spark_tui.context.likeness import change_likeness, renames_local
from spark_tui.context.regions import Region
from spark_tui.editing.formats.quoted import PreviousEdit
from spark_tui.editing.formats.sweep import AROUND, RecentChange, Window
from spark_tui.editing.hunks import diff
from spark_tui.editing.text import Text
from spark_tui.providers.base import Ability
from spark_tui.session.candidates import Candidate
from spark_tui.session.events import Event
from spark_tui.session.precedence import HERE, Precedence
from spark_tui.session.request import Request
from spark_tui.session.succession import Succession
from spark_tui.session.turn import Turn
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from spark_tui.providers.registry import ProviderHost
    from spark_tui.providers.sweep_model import SweepModel

MOST_PLACES = 2
"""Places that the model is asked about behind one accept."""
LEAST_LIKENESS = 0.4
"""Places less like the lines of the change are not asked about."""
LEAST_SAME = 0.6
"""Edits less like the accepted one are not offered; see `change_likeness`."""
_MOST_TOKENS = 256

Contents = tuple[str, tuple[str, ...]]
"""A file, and lines of it: a place, wherever its lines have moved to."""


@dataclass(frozen=True, slots=True)
class NextEdit:
    """An edit that nobody has asked for.

    Attributes:
        turn: The turn that wrote it, which has ended.
        events: What the turn reported.
    """

    turn: Turn
    events: tuple[Event, ...]

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of lines that the edit adds and removes."""
        hunks = self.turn.hunks
        return sum(len(hunk.new) for hunk in hunks), sum(len(hunk.old) for hunk in hunks)


@dataclass(slots=True)
class _Chain:
    """A change that is carried from place to place. Mutable.

    Attributes:
        origin: The edit that the user asked for.
        change: Its lines, before and after.
        replaced: The lines that it replaced, or those around what it added.
        known: The places that have the change, or that the model was asked about.
        turns: The turns that made it.
    """

    origin: PreviousEdit
    change: tuple[Sequence[str], Sequence[str]]
    replaced: Sequence[str]
    known: set[Contents] = field(default_factory=set)
    turns: list[Turn] = field(default_factory=list)


class NextEdits:
    """Finds next edits. Mutable; one thread at a time may look.

    Args:
        repo: The repository of the session.
        succession: Has the model that answers first.
        precedence: Gives leave to use the engine.
        sweep: The name of a model of Sweep's that is asked instead; "" for none.
    """

    def __init__(
        self, repo: Repository, succession: Succession, precedence: Precedence, sweep: str = ""
    ) -> None:
        self._repo = repo
        self._succession = succession
        self._precedence = precedence
        self._sweep_name = sweep
        self._sweep: SweepModel | None = None
        self._maker: TurnFactory | None = None
        self._chain: _Chain | None = None

    def find(
        self, turn: Turn, accepted: PreviousEdit, number: str, gives_up: Callable[[], bool]
    ) -> NextEdit | None:
        """Find the next edit after an accepted one; waits for the engine.

        Args:
            turn: The turn whose edit was accepted as a whole.
            accepted: That edit.
            number: Names the turn of the next edit.
            gives_up: Whether to stop at the next token.

        Raises:
            SparkError: The model or the disk fails.
        """
        search = self._search(turn, accepted, number)
        with closing(search):
            while not gives_up():
                with self._precedence.piece(HERE, gives_up):
                    # `piece` may have waited long, and ends its wait when the user goes on.
                    if gives_up():
                        return None
                    try:
                        next(search)
                    except StopIteration as end:
                        found: NextEdit | None = end.value
                        return found
        return None

    def close(self) -> None:
        """Close the connection; to be called when no search runs."""
        if self._maker is not None:
            self._maker.host.close()

    def _search(
        self, turn: Turn, accepted: PreviousEdit, number: str
    ) -> Generator[None, None, NextEdit | None]:
        sweep = self._sweep_model()
        if sweep is None and not _is_measured(self._succession.first):
            return None
        maker = self._beside()
        chain = self._continued(turn, accepted)
        # The model repeats the renaming of a local all too readily where nobody wants it.
        if renames_local(*chain.change):
            return None
        edited = _region_now(turn)
        chain.known.add(_contents(edited, turn.review.base))
        places = yield from maker.mentions.like(chain.replaced, edited)
        asked = 0
        for place in places:
            # The likest places come first, so those that follow are even less like.
            if place.likeness < LEAST_LIKENESS or asked == MOST_PLACES:
                break
            base = maker.read(place.region.path)
            contents = _contents(place.region, base)
            if contents in chain.known:
                continue
            asked += 1
            chain.known.add(contents)
            if sweep is None:
                request = _same_at(place.region, chain)
            else:
                request = yield from _rewritten(sweep, place.region, base, chain)
            found = yield from _tried(maker, chain, number, request, place.region, base)
            if found is not None:
                chain.turns.append(found.turn)
                return found
        return None

    def _beside(self) -> TurnFactory:
        """The factory of turns that nobody waits for; it has a cache and an index of its own."""
        name = self._succession.first.in_use
        if self._maker is None or self._maker.host.in_use != name:
            self.close()
            self._maker = TurnFactory(self._repo, self._succession.host_beside(name))
        return self._maker

    def _sweep_model(self) -> "SweepModel | None":
        """The model of Sweep's that the settings name, if any; its weights are read once."""
        if self._sweep_name and self._sweep is None:
            # Imports the engine.
            from spark_tui.providers.sweep_model import SweepModel  # noqa: PLC0415

            host = self._succession.host_beside(self._sweep_name)
            self._sweep = SweepModel(host.loaded, host.cache)
        return self._sweep

    def _continued(self, turn: Turn, accepted: PreviousEdit) -> _Chain:
        """The chain that an accepted edit goes on with, or begins."""
        # Accepting an edit that was found carries its change on; any other accept begins a new
        # chain.
        if self._chain is None or turn not in self._chain.turns:
            before = turn.page.lines
            after = turn.page.within(turn.review.base)
            replaced = _replaced(turn.base, turn.review.base)
            self._chain = _Chain(accepted, (before, after), replaced)
        return self._chain


def _is_measured(host: "ProviderHost") -> bool:
    """Whether the model runs here and the least probability of its next edits was measured."""
    if host.remote:
        return False
    answerer = host.answerer
    return answerer.next_edit > 0 and Ability.PREVIOUS in answerer.can


def _rewritten(
    sweep: "SweepModel", region: Region, base: Text, chain: _Chain
) -> Generator[None, None, Request]:
    """Have a model of Sweep's write the middle of a place anew."""
    # Sweep's models rewrite a window of a few lines, so the middle of the place has to do.
    middle = (region.start_line + region.end_line) // 2
    start = max(region.start_line - 1, middle - 1 - AROUND)
    stop = min(region.end_line, middle + AROUND)
    before, after = map(tuple, chain.change)
    window = tuple(base.lines[start:stop])
    change = RecentChange(chain.origin.path, before, after)
    lines = yield from sweep.rewrite(Window(region.path, window, window), [change])
    above = base.lines[region.start_line - 1 : start]
    below = base.lines[stop : region.end_line]
    return Request(_words(region), region.path, become=(*above, *lines, *below))


def _tried(
    maker: TurnFactory, chain: _Chain, number: str, request: Request, region: Region, base: Text
) -> Generator[None, None, NextEdit | None]:
    """Ask for the same change at a place; None where it is not wanted there.

    Args:
        maker: Makes the turn.
        chain: The change.
        number: Names the turn.
        request: What is asked for.
        region: The place.
        base: Its file.
    """
    turn = maker.create(number, request, region, base, None)
    # Read the prompt pass by pass, with a yield between two for whoever goes first.
    yield from turn.answerer.read_ahead(turn.ask.request)
    events = list[Event]()
    with closing(turn.events()) as running:
        for event in running:
            events.append(event)
            # The first answer decides; further ones would only tell how sure it is.
            if len(turn.candidates) and not _is_wanted(chain, turn, turn.candidates.first):
                return None
            yield
    own = turn.candidates.own
    if own is None or not turn.status.offers or not _is_wanted(chain, turn, own):
        return None
    return NextEdit(turn, tuple(events))


def _is_wanted(chain: _Chain, turn: Turn, answer: Candidate) -> bool:
    """Whether an answer is sound, likely, and the same change."""
    if answer.declined or not answer.sound or answer.file == turn.base:
        return False
    change = turn.page.lines, turn.page.within(answer.file)
    is_likely = math.exp(answer.logprob) >= turn.answerer.next_edit
    return is_likely and change_likeness(*chain.change, change) >= LEAST_SAME


def _same_at(region: Region, chain: _Chain) -> Request:
    """Ask for the same at a place."""
    words = _words(region)
    return Request(words, region.path, max_tokens=_MOST_TOKENS, previous=chain.origin)


def _words(region: Region) -> str:
    """The words that ask for the same at a place, as people say them."""
    name = region.symbol.rpartition(".")[2] if region.symbol else "this"
    return f"{name} too"


def _contents(region: Region, file: Text) -> Contents:
    return region.path, tuple(file.lines[region.start_line - 1 : region.end_line])


def _region_now(turn: Turn) -> Region:
    """The region of a turn in the file with what was accepted."""
    growth = len(turn.review.base.lines) - len(turn.base.lines)
    return replace(turn.region, end_line=turn.region.end_line + growth)


def _replaced(before: Text, after: Text) -> list[str]:
    """The lines that a change replaced; the lines around one that it only added to."""
    lines = list[str]()
    for hunk in diff(before, after):
        around = before.lines[max(0, hunk.start - 1) : hunk.start + 1]
        lines += hunk.old_lines or around
    return [line for line in lines if line.strip()]
