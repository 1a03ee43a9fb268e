"""`spark bench canary`: replays the user's own last turns with a new model and the one in use.

A turn counts as accepted where the model makes of the file exactly what the user accepted. The
turns stay on this machine, but for an endpoint that the user has configured and names here.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median

from spark_tui.cli.bench.suite import SHARE, Bench, Figure, percentile, row
from spark_tui.cli.common import open_batches, open_session, settings_of
from spark_tui.config import state_dir
from spark_tui.errors import SparkError, UsageError
from spark_tui.session.replay import PastTurn, Replay, past_turns, replay
from spark_tui.session.session import Session
from spark_tui.session.turn_factory import TurnFactory
from spark_tui.session.turn_store import SessionStore

_SHARES = ("min_accept", "min_applied", "min_checked", "max_loss")
_THRESHOLDS = (*_SHARES, "max_ttft", "min_speed")
_P95 = 0.95
_ENOUGH = 10
"""The fewest turns to judge a model by."""
_USUAL = {"min_accept": 0.5, "min_applied": 0.9, "min_checked": 0.9}
"""The thresholds that are looked at where none is named."""
_USUAL_LOSS = 0.05
"""The one for `max_loss`, where two models are compared."""


@dataclass(frozen=True, slots=True)
class _Metric:
    """A figure of all replays of a model.

    Attributes:
        name: The name of the metric.
        unit: The unit of the values.
        of: Returns the value of a replay; None where nothing was measured.
        sums_up: Returns one value for those of all replays.
    """

    name: str
    unit: str
    of: Callable[[Replay], float | None]
    sums_up: Callable[[Sequence[float]], float]

    def values(self, replays: Sequence[Replay]) -> list[float]:
        """The values that were measured."""
        values = map(self.of, replays)
        return [value for value in values if value is not None]

    def figure(self, replays: Sequence[Replay]) -> float | None:
        """The value for all replays; None where nothing was measured."""
        values = self.values(replays)
        return self.sums_up(values) if values else None


def _p95(values: Sequence[float]) -> float:
    return percentile(values, _P95)


_ACCEPTED = _Metric("accepted_share", SHARE, lambda each: float(each.is_accepted), fmean)
_APPLIED = _Metric("applied_share", SHARE, lambda each: float(each.applies), fmean)
_CHECKED = _Metric("checked_share", SHARE, lambda each: float(each.is_sound), fmean)
_TTFT = _Metric("ttft_milliseconds", "ms", lambda each: each.ttft_ms or None, median)
_TTFT_P95 = _Metric("ttft_p95_milliseconds", "ms", lambda each: each.ttft_ms or None, _p95)
_SPEED = _Metric("tokens_per_second", "tok/s", lambda each: each.tokens_per_second or None, median)
_METRICS = (_ACCEPTED, _APPLIED, _CHECKED, _TTFT, _TTFT_P95, _SPEED)
_LEAST = {"min_accept": _ACCEPTED, "min_applied": _APPLIED, "min_checked": _CHECKED}
_LEAST_SPEED = {"min_speed": _SPEED}
_MOST = {"max_ttft": _TTFT}


def measure(bench: Bench) -> Generator[Figure, None, None]:
    """Replay the turns, then yield a row for each metric and note the thresholds that are missed.

    Raises:
        UsageError: A threshold is none, or a model is not known.
        SparkError: There is no turn to replay.
        Transient: An endpoint fails.
    """
    args = bench.args
    _check_thresholds(vars(args))
    settings = replace(settings_of(args), types=False)  # the other files are no longer as they were
    batches = open_batches(args)
    sessions = SessionStore(state_dir() / "sessions" / batches.name).list()
    turns = past_turns(sessions, batches, args.turns)
    if not turns:
        raise SparkError(
            "there is no turn to replay: none of yours in this repository was accepted, is still "
            "in force and was kept"
        )
    with closing(open_session(Path(args.folder), settings, once=True)) as session:
        new = session.host.in_use
        makers = [session.maker]
        if args.against:
            makers.append(_maker_of(session, args.against))
        for maker in makers:
            maker.host.ready()  # which refuses a model that nobody knows before anything is sent
        names = " and ".join(filter(None, (new, args.against)))
        bench.say(f"{len(turns)} of your own turns, replayed by {names}")
        replays = _replays(turns, makers)
    yield from _rows(f"{len(turns)} turns of yours by {new}", replays, args.against)
    bench.failed.extend(_missed(vars(args), replays))
    if len(turns) < _ENOUGH:
        bench.say(f"warning: fewer than {_ENOUGH} turns ({len(turns)}) are too few to judge by")
    if all(getattr(args, name) is None for name in _THRESHOLDS):
        bench.say(_under_usual(vars(args), replays))


def _check_thresholds(given: dict[str, float | None]) -> None:
    """Refuse thresholds that are none.

    Raises:
        UsageError: A threshold is none.
    """
    for name in _THRESHOLDS:
        value = given[name]
        option = f"--{name.replace('_', '-')}"
        if value is None:
            continue
        if not value >= 0:
            raise UsageError(f"{option} {value:g}: choose a number from 0")
        if name in _SHARES and value > 1:
            raise UsageError(f"{option} {value:g}: choose a share from 0 to 1")
    if given["max_loss"] is not None and not given["against"]:
        raise UsageError("--max-loss compares two models; name the other one with --against")


def _maker_of(session: Session, name: str) -> TurnFactory:
    """The factory of the turns of a model."""
    if name == session.host.in_use:
        return session.maker
    return session.succession.maker(name)


def _replays(turns: Sequence[PastTurn], makers: Sequence[TurnFactory]) -> list[list[Replay]]:
    """The replays of each model; the models take turns."""
    replays: list[list[Replay]] = [[] for _ in makers]
    # The models take turns, so that both meet the same machine.
    for turn in turns:
        for made, maker in zip(replays, makers, strict=True):
            made.append(replay(turn, maker))
    return replays


def _rows(
    case: str, replays: Sequence[Sequence[Replay]], peer_name: str | None
) -> Generator[Figure, None, None]:
    """A row for each metric that was measured."""
    for metric in _METRICS:
        values = metric.values(replays[0])
        if not values:
            continue
        figure = row(metric.name, case, metric.unit, values, ours=metric.sums_up(values))
        peer = metric.figure(replays[1]) if peer_name else None
        if peer is not None:
            ratio = _ratio(figure.ours, peer, less_is_better=metric.unit == "ms")
            figure = replace(figure, peer_name=peer_name, peer=round(peer, 3), ratio=ratio)
        yield figure


def _ratio(ours: float, peer: float, *, less_is_better: bool) -> float | None:
    """Return how many times better our figure is; None where the other one is 0."""
    better, worse = (peer, ours) if less_is_better else (ours, peer)
    return round(better / worse, 3) if worse else None


def _under_usual(given: dict[str, float | None], replays: Sequence[Sequence[Replay]]) -> str:
    """A line that no threshold was named, and which of the usual ones would be missed."""
    usual = given | _USUAL
    if given["against"]:
        usual["max_loss"] = _USUAL_LOSS
    missed = "; ".join(words.replace(" is missed", "") for words in _missed(usual, replays))
    if missed:
        return f"no threshold was named; the usual ones would fail: {missed}"
    return "no threshold was named; the usual ones would pass"


def _missed(given: dict[str, float | None], replays: Sequence[Sequence[Replay]]) -> list[str]:
    """The thresholds that the new model does not keep to, a sentence each."""
    missed = []
    for name, metric in (_LEAST | _LEAST_SPEED | _MOST).items():
        threshold = given[name]
        figure = metric.figure(replays[0])
        if threshold is None:
            continue
        option = f"--{name.replace('_', '-')} {threshold:g}"
        if figure is None:
            missed.append(f"{metric.name} was not measured; {option} asks for it")
            continue
        # a threshold is the least of most figures, and the most of times
        is_kept = figure >= threshold
        if name in _MOST:
            is_kept = figure <= threshold
        if not is_kept:
            missed.append(f"{metric.name} is {figure:.3g}; {option} is missed")
    allowed = given["max_loss"]
    if allowed is not None:
        old = _ACCEPTED.figure(replays[1]) or 0.0
        new = _ACCEPTED.figure(replays[0]) or 0.0
        if old - new > allowed:
            loss = f"{_ACCEPTED.name} fell from {old:.3g} to {new:.3g}"
            missed.append(f"{loss}; --max-loss {allowed:g} is missed")
    return missed
