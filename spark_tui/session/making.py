"""Makes the turns of a session: from a request and its place to a turn, another one with other words, and a branch.

What nobody can edit is refused before a model reads it; of conflicts that are settled it is said what is left to do.
"""

from collections.abc import Generator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial

from spark_tui.answering.host import Host
from spark_tui.answering.known import Known, one_side
from spark_tui.answering.seam import Ability, Answerer, Talker
from spark_tui.context.conflicts import torn_region
from spark_tui.context.source import Region
from spark_tui.editing import quoting
from spark_tui.editing.documents import joined
from spark_tui.editing.headings import is_document, sections
from spark_tui.editing.markers import Torn, torn
from spark_tui.editing.text import Text
from spark_tui.editing.trees import is_large, parse_error
from spark_tui.errors import Abstained, NotText
from spark_tui.session.again import AgainTurn
from spark_tui.session.conversation import Conversation
from spark_tui.session.elsewhere import elsewhere
from spark_tui.session.fixing.trial import Command
from spark_tui.session.place_lookup import PlaceLookup, RankedPlace
from spark_tui.session.request import Request, ask_of
from spark_tui.session.turn import Turn
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.underway import conflicted, under_way, unmerged_files


@dataclass(frozen=True, slots=True)
class Ahead:
    """What can be read before a request is sent. Args: base: the file it is about."""

    request: quoting.Request
    base: Text


class Maker:
    """Args: host: has the model. conversation: tells a chat model what was said before; None: nothing."""

    def __init__(self, repo: Repository, host: Host, conversation: Conversation | None = None) -> None:
        self._repo, self.host, self.conversation = repo, host, conversation
        self.mentions = PlaceLookup(repo, self.fits, lambda: Ability.FILES in host.answerer.can)
        """What a request can point at."""

    @property
    def answerer(self) -> Answerer:
        """What answers the next turn."""
        return self.host.ready()

    def prepare(self) -> None:
        """Load what the first turn would otherwise wait for."""
        self.host.answerer.prompt(quoting.Request("", (), ""))

    def fits(self, lines: Sequence[str]) -> bool:
        """Whether the model has room for lines, words and an answer."""
        return self.host.answerer.has_room(lines)

    def place(self, request: Request) -> Region:
        """The place to edit. Raises: as `places`."""
        return self.places(request)[0].region

    def places(self, request: Request) -> tuple[RankedPlace, ...]:
        """The places that a request may be about, the likeliest first; one where the request names a place.

        Raises:
            UsageError: There is no conflict to settle, or there are some in several files.
            SparkError: As `PlaceLookup.find`.
        """
        if not request.keep:
            region = self.mentions.find(request)
            ranked = self.mentions.ranked(request)
            return ranked if ranked and ranked[0].region == region else (RankedPlace(region, 0.0),)
        paths = (request.path,) if request.path else conflicted(self._repo)
        region = torn_region(paths, self._repo.read, request.lines, request.symbol)
        return (RankedPlace(region, 0.0),)

    def base(self, request: Request, region: Region) -> Text:
        """The file of a place; where the model edits several, all that the request names, the place's first.

        Raises: FileError: one cannot be read as text. UsageError: one has an odd name.
        """
        lone = self.read(region.path)
        if request.keep or request.become is not None or Ability.FILES not in self.host.ready().can:
            return lone
        refuse_uneditable(region, lone)
        files = {region.path: lone}
        for path, by_name in (dict.fromkeys(request.among, True) | self.mentions.told(request.instruction)).items():
            with nullcontext() if by_name else suppress(NotText):  # pictures of a folder are not asked about
                files.setdefault(path, self.read(path))
        return joined(files)

    def read(self, path: str) -> Text:
        """A file of the repository. Raises: FileError: it cannot be read as text."""
        return Text.from_bytes(self._repo.read(path), path)

    def look_ahead(self, request: Request, region: Region, base: Text) -> Ahead | None:
        """What can be read already of a request that is still being written. Raises: UsageError, Abstained."""
        if Ability.READ_AHEAD not in self.host.answerer.can:
            return None
        refuse_uneditable(region, base)
        return Ahead(ask_of(request, region, base).request, base)

    def read_ahead(self, ahead: Ahead) -> Generator[None, None, None]:
        """Read it; at any item it may end."""
        return _reading(self.answerer, ahead)

    def turn(self, number: str, request: Request, region: Region, base: Text, command: Command | None) -> Turn:
        """A turn. Raises: Abstained: nothing can be edited there. UsageError: as `Turn`."""
        if request.keep:
            turn = Turn(number, request, region, base, Known(partial(one_side, side=request.keep)), command)
            turn.elsewhere = partial(settled_then, self._repo, region, base)
            return turn
        if not is_document(base.raw):
            refuse_uneditable(region, base)
        if (become := request.become) is not None:
            return self._told(Turn(number, request, region, base, Known(lambda _: become), command))
        request = self._after(replace(request, around=self._around(request, region, base)))
        return self._told(Turn(number, request, region, base, self.answerer, command))

    def _after(self, request: Request) -> Request:
        """The request behind what was said before, where the model reads a conversation."""
        if self.conversation is None or not isinstance(self.answerer, Talker):
            return replace(request, before=(), news="")
        before, news = self.conversation.so_far()
        return replace(request, before=before, news=news)

    def _around(self, request: Request, region: Region, base: Text) -> str:
        """A map of what is not shown, where the model reads one."""
        lines = ask_of(request, region, base).request.lines
        files = {each.path: lines[each.start : each.stop] for each in sections(lines)} or {region.path: lines}
        return self.mentions.map(request.instruction, files, self.answerer.map_room)

    def again(self, number: str, turn: Turn, hunk_id: str, request: Request) -> Turn:
        """One that writes a hunk of another one anew. Raises: UsageError: no such hunk is open, or as `Turn`."""
        return self._told(AgainTurn(number, self._after(request), self.answerer, turn, hunk_id))

    def branch(self, number: str, turn: Turn, begun: str) -> Turn:
        """One for the same words whose answer begins so. Raises: UsageError: nothing begins so, or as `Turn`."""
        other = Turn(number, turn.request, turn.region, turn.base, self.answerer, turn.command, begun=begun)
        return self._told(other)

    def _told(self, turn: Turn) -> Turn:
        turn.writers = (self.host.in_use,)
        if not is_document(turn.base.raw):
            turn.elsewhere = partial(elsewhere, self._repo, turn.region.path, turn.base)
        return turn


def _reading(answerer: Answerer, ahead: Ahead) -> Generator[None, None, None]:
    yield from answerer.read_ahead(ahead.request)
    if ahead.request.path.endswith(".py") and not is_large(ahead.base):
        parse_error(ahead.base.to_bytes())  # kept for the checks


def refuse_uneditable(region: Region, base: Text) -> None:
    """Refuse a place where nothing can be edited. Args: base: the file. Raises: Abstained."""
    path, first, last = region.path, region.start_line - 1, region.end_line
    if found := [each for each in torn(base.lines) if each.touches(first, last - 1)]:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        where = f"{path}:{found[0].start + 1}-{found[0].end + 1}{more}"
        what = region.symbol or f"{path}:{first + 1}-{last}"
        raise Abstained(f"{what} has a merge conflict ({where}); resolve it first: /keep ours, theirs or both")
    if path.endswith((".py", ".pyi")) and any("\r" in line for line in base.lines[first:last]):
        why = "line ends to Python, none to git"
        raise Abstained(f"{path} has CRs without LF in these lines: {why}; convert them first")


def settled_then(repo: Repository, region: Region, base: Text, file: Text) -> str:
    """What git calls the sides, and what is left to do. Args: region: the conflicts. file: with them settled."""
    first = next(each for each in torn(base.lines) if each.touches(region.start_line - 1, region.end_line - 1))
    work = under_way(repo)
    return "; ".join(filter(None, [_sides(first, work), _left(repo, region.path, file, work)]))


def _sides(conflict: Torn, work: str) -> str:
    told = f"ours is {conflict.ours or 'the upper one'}, theirs is {conflict.theirs or 'the lower one'}"
    return f"{told}, in a rebase your own commit" if work.startswith("a rebase") else told


def _left(repo: Repository, path: str, file: Text, work: str) -> str:
    if left := torn(file.lines):
        return f"{path} has {len(left)} more, from line {left[0].start + 1}"
    if path.endswith(".py") and not is_large(file) and (broken := parse_error(file.to_bytes())):
        return f"{path} does not parse with it ({broken})"
    finish = f", and `git status` how to finish the {work.removeprefix('a ')}" if work else ""
    return f"then `git add {path}` tells git{finish}" if path in unmerged_files(repo) else ""
