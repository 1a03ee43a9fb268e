"""Makes the turns of a session: from a request and its place to a turn, another one with other words, and a branch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from spark_tui.answering.host import Host
from spark_tui.answering.kept import Kept
from spark_tui.answering.seam import Ability, Answerer
from spark_tui.context.conflicts import torn_region
from spark_tui.context.source import Region
from spark_tui.editing import quoting
from spark_tui.editing.checks import look_ahead
from spark_tui.editing.text import Text
from spark_tui.session.again import AgainTurn
from spark_tui.session.elsewhere import elsewhere
from spark_tui.session.fixing.trial import Command
from spark_tui.session.place_lookup import PlaceLookup
from spark_tui.session.preconditions import refuse_uneditable
from spark_tui.session.request import Request, ask_of
from spark_tui.session.settling import settled_then
from spark_tui.session.turn import Turn
from spark_tui.vcs.conflicted import conflicted
from spark_tui.vcs.repository import Repository


@dataclass(frozen=True, slots=True)
class Ahead:
    """What can be read before a request is sent. Args: base: the file it is about."""

    request: quoting.Request
    base: Text


class Maker:
    """Args: host: has the model."""

    def __init__(self, repo: Repository, host: Host) -> None:
        self._repo, self._host = repo, host
        self.mentions = PlaceLookup(repo, self.fits)
        """What a request can point at."""

    @property
    def answerer(self) -> Answerer:
        """What answers the next turn."""
        return self._host.ready()

    def prepare(self) -> None:
        """Load what the first turn would otherwise wait for."""
        self._host.answerer.prompt(quoting.Request("", (), ""))

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the model has room for lines, words and an answer."""
        return self._host.answerer.has_room(lines)

    def place(self, request: Request) -> Region:
        """The place to edit. Raises: as `PlaceLookup.find`; UsageError: no conflict to settle, or in several files."""
        if not request.keep:
            return self.mentions.find(request)
        paths = (request.path,) if request.path else conflicted(self._repo)
        return torn_region(paths, self._repo.read, request.lines, request.symbol)

    def look_ahead(self, request: Request, region: Region, base: Text) -> Ahead | None:
        """What can be read already of a request that is still being written. Raises: UsageError, Abstained."""
        if Ability.READ_AHEAD not in self._host.answerer.can:
            return None
        refuse_uneditable(region, base)
        return Ahead(ask_of(request, region, base).request, base)

    def read_ahead(self, ahead: Ahead) -> Iterator[None]:
        """Read it; at any item it may end."""
        return _reading(self.answerer, ahead)

    def turn(self, number: str, request: Request, region: Region, base: Text, command: Command | None) -> Turn:
        """A turn. Raises: Abstained: nothing can be edited there. UsageError: as `Turn`."""
        if request.keep:
            turn = Turn(number, request, region, base, Kept(request.keep), command)
            turn.elsewhere = partial(settled_then, self._repo, region, base)
            return turn
        refuse_uneditable(region, base)
        return self._told(Turn(number, request, region, base, self.answerer, command))

    def again(self, number: str, turn: Turn, hunk_id: str, request: Request) -> Turn:
        """One that writes a hunk of another one anew. Raises: UsageError: no such hunk is open, or as `Turn`."""
        other = AgainTurn(number, request, turn.region, turn.base, self.answerer, turn.command)
        self._told(other)
        other.take_over(turn, hunk_id)
        return other

    def branch(self, number: str, turn: Turn, begun: str) -> Turn:
        """One for the same words whose answer begins so. Raises: UsageError: nothing begins so, or as `Turn`."""
        return self._told(
            Turn(number, turn.request, turn.region, turn.base, self.answerer, turn.command, begun=begun)
        )  # fmt: skip

    def _told(self, turn: Turn) -> Turn:
        turn.elsewhere = partial(elsewhere, self._repo, turn.region.path, turn.base)
        return turn


def _reading(answerer: Answerer, ahead: Ahead) -> Iterator[None]:
    yield from answerer.read_ahead(ahead.request)
    look_ahead(ahead.base)
