"""Where an instruction leads, and every way in which a turn begins there.

An instruction leads to the place it names, else to where the last turn was, else to what its words
are about. A turn begins with words, a redirect, the sides of a conflict, a new name, or a failure.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from spark_tui.config import Settings
from spark_tui.context.resolver import Focus
from spark_tui.errors import Abstained, Interrupted, SparkError, Unclear, UsageError
from spark_tui.mentions import names_place, read_request
from spark_tui.session.ask import QuestionFile, Spoken
from spark_tui.session.change_review import ReviewSource
from spark_tui.session.events import Event, Held, Status
from spark_tui.session.hunk_items import HunkLike
from spark_tui.session.locator import Region, names
from spark_tui.session.open_reviews import LeftOpen
from spark_tui.session.repair import locate
from spark_tui.session.repair.sandbox import TrialCommand
from spark_tui.session.request import refuse_too_long, too_long
from spark_tui.session.session import Session, earlier_words
from spark_tui.session.suggestions import Suggestion
from spark_tui.session.turn import Request, Turn
from spark_tui.session.turn_state import place


class TargetFinder:
    """Finds the place an instruction is about, after a turn or before the first, and begins turns.

    Every method may wait for the disk, or for the engine. `turn` may change, or be None, at any
    moment.

    Args:
        settings: How tokens are chosen, and how many there may be.
    """

    def __init__(self, session: Session, settings: Settings) -> None:
        self.session = session
        self.settings = settings
        self.turn: Turn | None = None
        self._sampling: dict[str, Any] = {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        }
        self.odd_names: Mapping[str, str] = {}
        """Files whose names hold odd characters, by the names that are shown and can be written."""
        self.attached = ""
        """Text that the model of the next turn reads behind the words; leads to no place."""
        self.refused = ""
        """Why what was written when the last look ahead was taken would be refused where it
        leads, or "".
        """
        self._looked_for: object = None
        """What the last look ahead was for."""
        self.weighed = False
        """Whether the model has weighed what the last look ahead found."""
        self._earlier = LeftOpen()

    @property
    def ahead(self) -> str:
        """Where the last look ahead saw that the instruction leads, or ""."""
        region = None if self.refused else self.session.mentions.ahead
        return in_words(region) if region else ""

    @property
    def can_move(self) -> bool:
        """Whether the words of the turn may go to another place: it is over and undecided."""
        turn = self.turn
        return turn is not None and turn.status is not Status.RUNNING and not turn.file.touched

    @property
    def guessed(self) -> bool:
        """Whether the turn's place was guessed, the model is unsure, and nothing is decided."""
        turn = self.turn
        if turn is None or turn.status is not Status.UNSURE or turn.file.touched or turn.command:
            return False
        is_named = turn.request.path and not turn.request.earlier
        return not (is_named or names(turn.request.instruction, turn.region))

    def places(self, written: str) -> tuple[Region, ...]:
        """The places that an instruction may be about, the likeliest first."""
        return self.session.mentions.places(self._request(written, self.turn))

    def file_named(self, name: str) -> str | None:
        """The file that a name as it is written means, if any."""
        if self.is_file(name):
            return self.session.mentions.spelling(name)
        return self.odd_names.get(name)

    def is_file(self, path: str) -> bool:
        """Whether there is such a file in the work tree."""
        try:
            return (self.session.repo.root / path).is_file()
        except (OSError, ValueError):  # a name too long for any file, say
            return False

    def look_ahead(self, written: str) -> Any:
        """What the engine can read before a turn begins, by the words so far.

        Falsy as long as the words tell no place.
        """
        self._looked_for = None
        self.weighed = False
        aim = self._aim(written)
        try:
            found = self.session.look_ahead(self._request(written, self.turn))
            self.refused = ""
        except SparkError as e:
            # Words that name nothing yet are no mistake, and a text that is too long has its own
            # message.
            unclear = isinstance(e, Unclear) and not self.names_place(written)
            found = None
            self.refused = "" if unclear or too_long(written) else str(e)
        except Exception:  # noqa: BLE001 - the turn will trip over it, too, and say so
            found = None
            self.refused = ""
        self._looked_for = aim
        return found

    def weigh(self, written: str) -> Generator[None, None, None]:
        """Have the model say where an instruction leads; see `session.locator`."""
        yield from self.session.weigh(self._request(written, self.turn))
        self.weighed = True

    def has_looked(self, written: str) -> bool:
        """Whether the last look ahead was for these words, at what is here now."""
        return self._looked_for == self._aim(written)

    def _aim(self, written: str) -> object:
        """Everything that tells where an instruction leads, except the files."""
        turn = self.turn
        return written, turn, turn and (turn.review.base, turn.file.touched)

    def names_place(self, instruction: str) -> bool:
        """Whether an instruction names a place, even one that does not exist."""
        return names_place(instruction, self.file_named)

    def begin(
        self, instruction: str, hurries: Callable[[], bool] = bool
    ) -> Generator[Held, None, Turn]:
        """Make a turn where the instruction says, else where the last turn was.

        The model weighs the places first; the generator waits at each item, and may be closed
        there. Words that may correct the last turn redirect it, even if the turn has ended, as
        long as nothing of it was decided.

        Args:
            hurries: Whether to go on without the places that are not weighed yet.

        Raises:
            SparkError.
        """
        turn = self.turn
        request = self._request(instruction, turn)
        yield from self._weigh(request, hurries)
        is_open = turn is not None and not (turn.file.touched or turn.is_change)
        # Words that name their place begin something new; a correction has no need to.
        if turn and is_open and request.path is None and self._is_at(turn, request):
            return self._redirect(turn, instruction, request)
        return self.session.begin(request)

    def begin_request(
        self, request: Request, command: TrialCommand | None = None
    ) -> Generator[Event, None, Turn]:
        """Make the turn of a request; as `begin`, but without regard to the last turn.

        Args:
            command: What the answers have to pass.

        Raises:
            As `locate.begin`.
        """
        if command is None and not request.keep:
            yield from self._weigh(request, bool)
        return (yield from locate.begin(self.session, request, command))

    def _weigh(self, request: Request, hurries: Callable[[], bool]) -> Generator[Held, None, None]:
        for _ in self.session.weigh(request):
            yield Held("")
            if hurries():
                return

    def _is_at(self, turn: Turn, request: Request) -> bool:
        """Whether a request is about the lines of a turn, so may correct it."""
        try:
            region = self.session.mentions.find(request)
        except SparkError:
            return False
        return start_of(region) == start_of(turn.region)

    def answer(self, question: str) -> Spoken:
        """What a chat model says to a question about what it names, or the lines in view.

        Raises:
            As `Questions`.
        """
        request = self._request(question)
        shown = self._shown(question)
        return self.session.asking.answer(request.instruction, shown, attached=request.attached)

    def take(self, question: str, block: Sequence[str]) -> Turn:
        """A turn that puts code from the answer to a question where the code belongs.

        Raises:
            As `Questions.take`.
        """
        return self.session.begin(self.session.asking.take(block, self._shown(question)))

    def _shown(self, question: str) -> tuple[QuestionFile, ...]:
        region = self.turn.region if self.turn else None
        return QuestionFile.named_in(self._request(question), self.session.mentions, region)

    def keep(self, side: str, where: str) -> Turn:
        """A turn that settles conflicts.

        Args:
            where: Names a file, unless one alone has some.

        Raises:
            SparkError.
        """
        request = self._request(where) if where else Request("")
        return self.session.begin(replace(request, instruction=f"keep {side}", keep=side))

    def rename(self, what: str, watch: Callable[[str], None]) -> Turn:
        """A turn that renames.

        Args:
            what: The new name, behind a place or an old name.

        Raises:
            SparkError.
        """
        request = self._request(what, self.turn)
        region = self.turn.region if self.turn else None
        *old, new = request.instruction.split()
        if region and not (old or request.path):
            request = replace(request, path=region.path, symbol=region.symbol)
        if len(old) > 1 or not (old or request.symbol):
            raise UsageError("say the new name, or the old and the new one, as in: /rename old new")
        return self.session.rename(replace(request, instruction="".join(old), rename=new), watch)

    def redirect(self, instruction: str, turn: Turn | None = None) -> Turn:
        """A turn with other words about the lines, or the hunk, of a turn.

        If the words name another place, the turn is about that place.

        Raises:
            SparkError.
        """
        turn = turn or self.turn
        assert turn is not None
        refuse_too_long(instruction)
        return self._redirect(turn, instruction, self._request(instruction, turn))

    def _redirect(self, turn: Turn, instruction: str, request: Request) -> Turn:
        """As `redirect`, with the request that the instruction makes."""
        earlier = self._earlier.last  # read once: the interface's thread may change it meanwhile
        # The turn rewrites one hunk: other words are about that hunk of the review behind it.
        if turn.asked_at is not None and earlier:
            if self.names_place(instruction):
                raise UsageError(
                    "only one hunk is being rewritten here; drop that first, then name "
                    "another place"
                )
            return self.session.ask_again(earlier.turn, turn.asked, instruction)
        region = self.session.mentions.find(request)
        if start_of(region) != start_of(turn.region):
            return self.session.begin(replace(request, earlier=earlier_words(turn)))
        # A place that the words name has no others beside it.
        places = () if request.path else self.session.mentions.ranked(request)
        attached = request.attached
        return self.session.redirect(turn, request.instruction, places, attached=attached)

    def fix(self, line: str, instruction: str, stopped: Callable[[], bool]) -> Turn:
        """A turn whose edit makes a command pass, tried out in a copy of the tracked files.

        The turn begins where the command's failure leads, else where the last turn was.

        Raises:
            Interrupted: The user stopped looking for the place.
            SparkError: There is none, or nothing may run here.
        """
        command = self.session.command(line)
        with closing(locate.begin(self.session, self._request(instruction), command)) as events:
            try:
                while True:
                    next(events)
                    if stopped():
                        raise Interrupted(
                            f"stopped looking for where `{line}` fails; nothing was written"
                        )
            except StopIteration as found:
                turn: Turn = found.value
                return turn
            except Abstained:
                if self.turn is None:
                    raise
                # Neither words nor failure lead anywhere, so this is about the lines of the last
                # turn.
                return self.session.begin(self._request(instruction, self.turn), command=command)
            except Unclear as e:
                why = "what fails here is not in them, as `git add` would have it"
                raise UsageError(f"`{line}` passes in a copy of the tracked files: {why}") from e

    def ask_again(self, hunk: HunkLike, instruction: str) -> Turn:
        """A turn with other words about one hunk.

        Raises:
            SparkError.
        """
        assert self.turn is not None
        return self.session.ask_again(self.turn, hunk.id, instruction)

    def review(self, source: ReviewSource) -> Turn:
        """A turn that reviews a change which no model made.

        Raises:
            SparkError.
        """
        request = Request(f"review {source.name}", **self._sampling)
        return self.session.begin_review(source, request)

    def suggestions(self, where: str) -> Generator[Suggestion | None, None, None]:
        """Requests that would work where words lead, or where the user is; see `suggest`.

        Raises:
            SparkError.
        """
        return self.session.suggestions(self._request(where, self.turn))

    def _request(self, instruction: str, turn: Turn | None = None) -> Request:
        """The request that an instruction makes.

        The request is about the place that the instruction names (the end of a path will do), else
        about the place of an earlier turn.
        """
        file_meant = self.session.mentions.file_ending
        fields = read_request(instruction, lambda name: self.file_named(name) or file_meant(name))
        previous = self.session.previous
        request = Request(**fields, **self._sampling, previous=previous, attached=self.attached)
        if turn is None or turn.is_change or request.path is not None:
            return request
        region = turn.region
        grown = len(turn.review.base.lines) - len(turn.base.lines)
        # What was accepted has moved the end; where it deleted the whole region, a line is left.
        lines = region.start_line, max(region.start_line, region.end_line + grown)
        # Words after a turn that found no edit correct nothing.
        earlier = () if turn.status is Status.ABSTAINED else earlier_words(turn)
        return replace(request, focus=Focus(str(region.path), lines, region.symbol, earlier))


def in_words(region: Region) -> str:
    """A region in the words of the screen."""
    return place(region.path, region.start_line, region.end_line, region.symbol)


def start_of(region: Region) -> tuple[str, str | int]:
    """The function that a region is, or the line that it begins at, and its file."""
    if region.symbol and not region.twin:
        return region.path, region.symbol
    return region.path, region.start_line
