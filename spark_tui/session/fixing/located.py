"""Looking for the fix of a bug where a failing command points, when the words point nowhere."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from time import monotonic

from spark_tui.context.blamed import blamed
from spark_tui.context.regions import Region
from spark_tui.context.tested import is_test
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained, SparkError, Unclear
from spark_tui.session.answers import Asked
from spark_tui.session.events import Event, Trying
from spark_tui.session.fixing.failing import MOST_TRIES, asks_for_repair, nowhere, only_says_broken
from spark_tui.session.fixing.outcome import Place, own_reason
from spark_tui.session.fixing.repairs import MOST_AGAIN, RepairSearch
from spark_tui.session.fixing.trial import Command, Run, Trial
from spark_tui.session.prompt import prompt_ids
from spark_tui.session.quoted_turn import quotes
from spark_tui.session.session import Session
from spark_tui.session.turn import Request, Turn

_LIKELY = -14.0
"""What is likelier than this is tried before another place is looked at."""


def begin(session: Session, request: Request, command: Command | None) -> Generator[Event, None, Turn]:
    """The turn that a request asks for; with a command, where it is about a bug and tells no place, at the likeliest.

    Raises: as `Session.begin`; Abstained: no place is told, and nothing was found that makes the command pass.
    """
    if quotes(session.loaded):
        return session.begin(request, command=command)
    own, problem = _told(session, request)
    if command is None or (own and not _may_be_elsewhere(own, request)) or not asks_for_repair(request.instruction):
        return session.begin(request, command=command)
    run = yield from _first_run(command)
    command = replace(command, budget=max(command.budget - run.seconds, command.budget / 2), first=run)
    files = session.repo.files()
    among = request.among or ((request.path,) if request.path else ())
    places = blamed(run.output, files, session.repo.read, among, _tests_named(request)) if run.status != 0 else ()
    if not places and own is None:
        raise _unplaced(command, request, problem)
    if not places:
        return session.begin(request, command=command)
    if len(places) == 1:
        return session.begin(_at(request, places[0]), command=command)
    with ExitStack() as opened:
        search = _Search(session, request, command, places, opened)
        yield from search.run()
        if search.best is None:
            raise Abstained(nowhere(command.line, search.tried, search.looked_at or places[:1]))
        turn = session.begin(_at(request, search.best.region), command=command)
        turn.mended = search.best.search
        return turn


def _at(request: Request, region: Region) -> Request:
    return replace(request, path=region.path, symbol=region.symbol, among=())


def _told(session: Session, request: Request) -> tuple[Region | None, Unclear | None]:
    """The place that a request tells, or why it tells none."""
    try:
        return session.mentions.find(request), None
    except Unclear as e:
        return None, e


def _may_be_elsewhere(region: Region, request: Request) -> bool:
    """Whether a place was only guessed, or is the test that fails."""
    if request.lines or request.symbol:
        return False
    return only_says_broken(request.instruction) or is_test(region.path, region.symbol)


def _tests_named(request: Request) -> Sequence[str]:
    """The tests that the words name."""
    return [name for name in re.findall(r"\b[Tt]est\w+", request.instruction) if name not in ("tests", "testing")]


def _first_run(command: Command) -> Generator[Trying, None, Run]:
    """How a command ends without an edit."""
    with closing(Trial(command, "", Text.from_bytes(b"", ""))) as trial:
        yield from trial.run_unedited(Trying())
        assert trial.first
        return trial.first


def _unplaced(command: Command, request: Request, problem: Unclear | None) -> SparkError:
    """What to say where neither the words nor the command tell a place."""
    run, line = command.first, command.line
    if run is not None and run.status == 0:
        return Abstained(f"`{line}` passes as it is, so that nothing shows a bug; say what is wrong, and where")
    if run is not None and run.status and (reason := own_reason(run.status, run.output, Place("", 0, -1))):
        return Abstained(f"`{line}` fails before any edit, and no small edit can help: {reason}")
    if problem and not only_says_broken(request.instruction):
        return problem
    says = "names no function here" if run and run.output.strip() else "puts out nothing"
    return Abstained(f"`{line}` fails and {says}, so that nothing tells what to mend; say where with --at PATH::NAME")


@dataclass(slots=True)
class _Opened:
    """A place whose changes are known, with the search among them."""

    region: Region
    search: RepairSearch


class _Search:
    """Tries the changes at several places, the likeliest of all first. Mutable.

    Places are opened one after the other, each only when what is likely at those before was tried.
    """

    def __init__(
        self, session: Session, request: Request, command: Command, places: Sequence[Region], opened: ExitStack
    ) -> None:
        self.best: _Opened | None = None
        self.tried = 0
        self.looked_at: list[Region] = []
        """Where any change was tried."""
        self._session, self._request, self._command = session, request, command
        self._places, self._opened = places, opened
        self._end = monotonic() + command.budget
        self._most = MOST_TRIES

    def run(self) -> Iterator[Trying]:
        """Look until one is found that passes for a good reason, none is left, or the budget is spent."""
        opened = list[_Opened]()
        for number, place in enumerate(self._places, 1):
            opened.append((yield from self._open(place)))
            yield from self._try_all(opened, _LIKELY if number < len(self._places) else float("-inf"))
            if self._is_over:
                return

    def _open(self, place: Region) -> Generator[Trying, None, _Opened]:
        session = self._session
        base = Text.from_bytes(session.repo.read(place.path), place.path)
        trial = self._opened.enter_context(closing(Trial(self._command, place.path, base)))
        words = self._request.instruction
        asked = Asked(words, place, base.lines[place.start_line - 1 : place.end_line], base.lines)
        loaded, cache = session.ready()
        search = RepairSearch(base, asked, trial)
        ids = prompt_ids(loaded, place, base, words, cache.capacity)
        yield from search.weigh(loaded, cache, ids)
        return _Opened(place, search)

    def _try_all(self, opened: Sequence[_Opened], least: float) -> Iterator[Trying]:
        """Try what is likelier than `least`, the likeliest first."""
        while not self._is_over:
            one = max(opened, key=lambda each: each.search.next_likelihood)
            if one.search.next_likelihood <= least:
                return
            had, before = one.search.found, one.search.tried
            yield from one.search.try_next(self._end - monotonic())
            self.tried += one.search.tried - before
            if one.search.tried > before == 0:
                self.looked_at.append(one.region)
            if one.search.found is not had and (self.best is None or not one.search.doubtful):
                self.best = one
                self._most = min(self._most, self.tried + MOST_AGAIN)

    @property
    def _is_over(self) -> bool:
        sure = self.best is not None and not self.best.search.doubtful
        return sure or self.tried >= self._most or monotonic() >= self._end
