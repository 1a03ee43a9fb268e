"""Begins turns whose place only a failing command tells: where its failure leads."""

from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from time import monotonic

from spark_tui.context.fault_locations import blamed
from spark_tui.context.regions import Region
from spark_tui.context.search_index import small_files
from spark_tui.context.symbols import is_test
from spark_tui.editing.text import Text
from spark_tui.errors import Abstained
from spark_tui.session.candidates import RegionSplicer
from spark_tui.session.events import Event, TrialProgress
from spark_tui.session.repair.sandbox import Run, Trial, TrialCommand, own_reason
from spark_tui.session.repair.search import RepairSearch, Site
from spark_tui.session.request import Request, ask_of
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn

_SHARE = 0.5
"""The share of the budget left that may go into telling several places apart."""
_MOST_READ = 16 << 20
"""Bytes of the files searched for what a failure leads to."""


def begin(
    session: Session, request: Request, command: TrialCommand | None
) -> Generator[Event, None, Turn]:
    """Begin the turn of a request.

    Where the request tells no place and a command fails, the turn is where the failure leads.

    Raises:
        As `Session.begin`;
        Abstained: No place is told, and the failure leads nowhere.
    """
    if request.keep:
        return session.begin(request, command=command)
    named = _told(session, request)
    if command is None or (named and not _is_failing_test(named, request)):
        return session.begin(request, command=command)
    # Nothing tells the place yet: run the command once on the files as they are.
    with closing(Trial(command, "", Text(()))) as trial:
        yield from trial.run_unedited(TrialProgress())
    run = trial.first
    assert run
    # The turn need not run it again: the result travels with the command.
    command = _known(command, run, run.seconds)
    places = _leading(session, request, named, run) if run.status != 0 else []
    if not places and named is None and run.status != 0:
        raise Abstained(_unplaced(command.line, run))
    if not places:
        return session.begin(request, command=command)
    if len(places) == 1:
        return session.begin(_at(request, places[0]), command=command)
    return (yield from _likeliest(session, request, command, places))


def _told(session: Session, request: Request) -> Region | None:
    """The place that a request names, or where the user is.

    A merely likely place tells no more than a failure does.
    """
    mentions = session.maker.mentions
    return mentions.find(request) if mentions.names_place(request) else None


def _is_failing_test(region: Region, request: Request) -> bool:
    """Whether a place may be the failing test rather than what it tests.

    Nobody chose the place, and the user is not there.
    """
    chosen = request.path or request.lines or request.symbol or request.focus
    return not chosen and is_test(region.path, region.symbol)


def _known(command: TrialCommand, run: Run, seconds: float) -> TrialCommand:
    """The same command some seconds later, with its first run."""
    # However long the search for a place took, at least half of the budget is left.
    return replace(command, budget=max(command.budget - seconds, command.budget / 2), first=run)


def _leading(session: Session, request: Request, named: Region | None, run: Run) -> list[Region]:
    """Where a failure leads, as far as the model has room for it."""
    among = request.among or ((request.path,) if request.path else ())
    tests = (named.symbol.rpartition(".")[2],) if named and named.symbol else ()
    python = session.repo.files(".py")
    withheld = set(session.maker.withheld(python))
    shown = [path for path in python if path not in withheld]
    files = small_files(shown, session.repo.size, _MOST_READ)
    found = blamed(run.output, files, session.repo.read, among, tests)
    places = []
    for region in found:
        lines = session.maker.read(region.path).lines[region.start_line - 1 : region.end_line]
        if session.maker.fits(lines):
            places.append(region)
    return places


def _likeliest(
    session: Session, request: Request, command: TrialCommand, places: list[Region]
) -> Generator[Event, None, Turn]:
    """Begin the turn where a small change makes the command pass; else at the first place."""
    began = monotonic()
    with ExitStack() as opened:
        sites = []
        for region in places:
            base = session.maker.read(region.path)
            trial = opened.enter_context(closing(Trial(command, region.path, base)))
            asked = ask_of(request, region, base).request
            sites.append(Site(RegionSplicer(base, region), asked, trial))
        search = RepairSearch(sites, session.maker.answerer)
        yield from search.run(monotonic, command.budget * _SHARE)
    best = (search.fix.change.site if search.fix else sites[0]).page
    assert command.first
    command = _known(command, command.first, monotonic() - began)
    turn = session.begin(_at(request, best.region), command=command)
    # The search went through the small changes already, so the turn goes on with its result.
    if turn.mender and turn.base == best.base:
        turn.mender.search = search
    return turn


def _at(request: Request, region: Region) -> Request:
    return replace(request, path=region.path, symbol=region.symbol, among=())


def _unplaced(line: str, run: Run) -> str:
    """The refusal where neither the words nor the failure tell a place."""
    if run.status and (reason := own_reason(run.status, run.output)):
        return f"`{line}` fails before any edit, and no small edit can help: {reason}"
    says = "names no function here" if run.output.strip() else "prints nothing"
    return f"`{line}` fails and {says}, so nothing tells what to fix; say where with @PATH::NAME"
