"""Where an instruction leads: the place it names, else one beside what the last turn was about."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from spark_tui.context.naming import places_at
from spark_tui.errors import Unclear
from spark_tui.places import names_place, read_request
from spark_tui.session.composed import ComposedTurn
from spark_tui.session.mentions import Region
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn
from spark_tui.session.wording.fragments import joined
from spark_tui.session.wording.moving import is_value_in, named_in, points_elsewhere

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are chosen, and how many there may be."""

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512


class Aiming:
    """Finds places for whoever writes an instruction, after a turn or before the first; may wait for the disk.

    `turn` may be another one, or none, at any moment of that.
    """

    def __init__(self, session: Session, sampling: Sampling) -> None:
        self.session = session
        self.turn: Turn | None = None
        self._sampling = sampling
        self.odd_names: Mapping[str, str] = {}
        """Files whose names hold odd characters, by the names that are shown and can be written."""

    def places(self, written: str) -> tuple[Region, ...]:
        """The places that an instruction may be about, the likeliest first."""
        return self.session.mentions.places(Request(**read_request(written, self._file_meant)))

    def _where_said(self, instruction: str, do: Callable[[Request], T]) -> T:
        request = Request(**read_request(instruction, self._file_meant), **asdict(self._sampling))
        turn = self.turn
        try:
            return do(request)
        except Unclear as e:
            if turn is None or not turn.region.path.endswith((".py", ".pyi")) or self._names_place(instruction):
                raise
            nearby = self._place_nearby(turn, instruction, e.places)
            if nearby is None:
                raise
            return do(replace(request, **nearby))

    def _place_nearby(self, turn: Turn, instruction: str, told: Collection[str]) -> dict[str, Any] | None:
        """The function of an earlier turn's file that an instruction names, else where that turn was.

        Args: told: functions that it surely tells; None comes back where they have nothing to do with that turn.
        """
        path, lines = str(turn.region.path), turn.review.base.lines[turn.region.start_line - 1 : _last_line(turn)]
        named = named_in(instruction, self.session.mentions.functions(path), lines)
        if named and (not told or named.name in told):
            return {"path": path, "symbol": named.name}
        own = turn.region.symbol in told or any(is_value_in(name.rpartition(".")[2], lines) for name in told)
        if told and not own:
            return None
        return _same_place(turn)

    def _corrected(self, turn: Turn, words: str) -> str:
        """What a turn is asked for by words that may only correct it; see `joined`."""
        step = len(turn.steps) if isinstance(turn, ComposedTurn) else 1
        return joined(turn.request.instruction, words, step)

    def _names_place(self, instruction: str) -> bool:
        """Whether it says where: at a place, or in another file than the last turn's, be it there or not."""
        turn = self.turn
        if self._names_other_file(turn, instruction) or names_place(instruction, self.file_named):
            return True
        names = places_at(instruction)
        known = self.session.mentions.functions(str(turn.region.path)) if names and turn is not None else ()
        return any(name not in {each.name.rpartition(".")[2] for each in known} for name in names)

    def _names_other_file(self, turn: Turn | None, instruction: str) -> bool:
        if turn is None:
            return False
        path = str(turn.region.path)
        named = self.session.mentions.files_named(instruction)
        return points_elsewhere(instruction, path) or bool(named and path not in named)

    def file_named(self, name: str) -> str | None:
        """The file that a name as it is written means, if any."""
        return name if self.is_file(name) else self.odd_names.get(name)

    def _file_meant(self, name: str) -> str | None:
        """The same, also where the name is only the end of a path; may wait for the disk."""
        return self.file_named(name) or self.session.mentions.file_ending(name)

    def is_file(self, path: str) -> bool:
        """Whether there is such a file in the work tree."""
        try:
            return (self.session.repo.root / path).is_file()
        except (OSError, ValueError):  # a name too long for any file, say
            return False


def _same_place(turn: Turn) -> dict[str, Any]:
    """The place of an earlier turn, as a request names it; lines that were accepted since are part of it."""
    region = turn.region
    if region.symbol is not None:
        return {"path": str(region.path), "symbol": region.symbol}
    return {"path": str(region.path), "lines": (region.start_line, max(region.start_line, _last_line(turn)))}


def _last_line(turn: Turn) -> int:
    """The last line of an earlier turn's place as it is now."""
    return turn.region.end_line + len(turn.review.base.lines) - len(turn.base.lines)
