"""Where an instruction leads: the place it names, else where the last turn was, else what its words are about."""

from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from spark_tui.context.finding import Focus
from spark_tui.errors import SparkError, Unclear
from spark_tui.places import names_place, read_request
from spark_tui.session.place_lookup import Region
from spark_tui.session.request import too_long
from spark_tui.session.session import Session, earlier_words
from spark_tui.session.suggesting import Suggestion
from spark_tui.session.turn import Request, Turn
from spark_tui.tui.places import in_our_words
from spark_tui.tui.view import place


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen, and how many there may be."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512


class Aiming:
    """Finds places for whoever writes an instruction, after a turn or before the first; may wait for the disk.

    Only what an instruction names verbatim says where it leads. `turn` may be another one, or none, at any moment.
    """

    def __init__(self, session: Session, sampling: Sampling) -> None:
        self.session = session
        self.turn: Turn | None = None
        self._sampling = sampling
        self.odd_names: Mapping[str, str] = {}
        """Files whose names hold odd characters, by the names that are shown and can be written."""
        self.refused = ""
        """Why what was written when the last look ahead was taken would be refused where it leads, or ""."""
        self.new_names: list[str] = []
        """The names in it that stand nowhere here: new ones, or mistyped."""
        self._looked_for: object = None
        """What the last look ahead was for."""

    @property
    def ahead(self) -> str:
        """Where the last look ahead saw that the instruction leads, or ""."""
        region = None if self.refused else self.session.mentions.ahead
        return in_words(region) if region else ""

    def places(self, written: str) -> tuple[Region, ...]:
        """The places that an instruction may be about, the likeliest first."""
        return self.session.mentions.places(self._request_near(written, self.turn))

    def file_named(self, name: str) -> str | None:
        """The file that a name as it is written means, if any."""
        return name if self.is_file(name) else self.odd_names.get(name)

    def is_file(self, path: str) -> bool:
        """Whether there is such a file in the work tree."""
        try:
            return (self.session.repo.root / path).is_file()
        except (OSError, ValueError):  # a name too long for any file, say
            return False

    def look_ahead(self, written: str) -> Any:
        """What can be read before a turn begins, by what is written so far; falsy as long as that tells no place."""
        self._looked_for, aim = None, self._aim(written)
        try:
            found, self.refused = self.session.look_ahead(self._request_near(written, self.turn)), ""
        except SparkError as e:
            unclear = isinstance(e, Unclear) and not self.names_place(written)
            found, self.refused = None, "" if unclear or too_long(written) else in_our_words(str(e))
        except Exception:  # noqa: BLE001 - the turn will trip over it, too, and say so
            found, self.refused = None, ""
        self.new_names = self.session.mentions.new_names(written)
        self._looked_for = aim
        return found

    def has_looked(self, written: str) -> bool:
        """Whether the last look ahead was for these words, at what is here now."""
        return self._looked_for == self._aim(written)

    def _aim(self, written: str) -> object:
        """All that tells where an instruction leads, but for the files."""
        turn = self.turn
        return written, turn, turn and (turn.review.base, turn.file.touched)

    def names_place(self, instruction: str) -> bool:
        """Whether it says where, be that there or not."""
        return names_place(instruction, self.file_named)

    def goes_on(self, turn: Turn, instruction: str) -> bool:
        """Whether an instruction after a turn is about the same lines, and may correct what was asked."""
        try:
            return isinstance(self.redirected(turn, instruction), str)
        except SparkError:
            return False

    def redirected(self, turn: Turn, instruction: str, *, firm: bool = False) -> Request | str:
        """What other words ask for while a turn is there: something elsewhere, or the words for the same lines.

        Args: firm: they redirect it, so that plain words lead nowhere else.

        Raises: SparkError: it is not clear where, or what is named is not there.
        """
        request = self._request_near(instruction, turn, firm=firm)
        found = self.session.mentions.find(request)
        if start_of(found) == start_of(turn.region):
            return request.instruction
        return replace(request, earlier=earlier_words(turn))

    def suggestions(self, where: str) -> Generator[Suggestion | None, None, None]:
        """Requests that would work where words lead, or where the user is; see `suggest`. Raises: SparkError."""
        return self.session.suggestions(self._request_near(where, self.turn))

    def _request(self, instruction: str) -> Request:
        """An instruction with the place it names, if it names one, be it by the end of a path."""
        file_meant = self.session.mentions.file_ending
        said = read_request(instruction, lambda name: self.file_named(name) or file_meant(name))
        return Request(**said, **asdict(self._sampling))

    def _request_near(self, instruction: str, turn: Turn | None, *, firm: bool = False) -> Request:
        """The same, and where the user is: at an earlier turn."""
        request = self._request(instruction)
        if turn is None or request.path is not None:
            return request
        region = turn.region
        grown = len(turn.review.base.lines) - len(turn.base.lines)
        lines = region.start_line, max(region.start_line, region.end_line + grown)
        focus = Focus(str(region.path), lines, region.symbol, firm, turn.file.touched)
        return replace(request, focus=focus)


def in_words(region: Region) -> str:
    """A region as the screen tells it."""
    return place(region.path, region.start_line, region.end_line, region.symbol)


def start_of(region: Region) -> tuple[str, str | int]:
    """The function that a region is, or the line that it begins at, and its file."""
    return region.path, (None if region.twin else region.symbol) or region.start_line
