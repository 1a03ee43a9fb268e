"""Whether a command that fails can be made to pass by small changes of a place, and what is said where it cannot."""

from collections.abc import Iterable

from spark_tui.context.source import Region
from spark_tui.session.answers import where
from spark_tui.session.fixing.trial import Trial

_ADVICE = "say what is wrong, or where with --at PATH::NAME"


def hopeless(trial: Trial, region: Region) -> str:
    """Why no change of a place need be tried, once the command failed on the file as it is; "" where one may do."""
    reason = trial.own_reason(region)
    line = trial.command.line
    return f"`{line}` fails before any edit, and no edit of {where(region)} can help: {reason}" if reason else ""


def passes_already(trial: Trial | None) -> str:
    """That there may be nothing to fix, where the command passes without an edit; or ""."""
    return f"; `{trial.command.line}` passes as it is" if trial and trial.passed_before else ""


def tried_all(trial: Trial, tried: int, total: int, region: Region, *, most: int) -> str:
    """No small change of a place made the command pass. Args: most: runs that a search makes."""
    line, place = trial.command.line, where(region)
    fails = f"did not finish in {trial.unfinished:.3g} s" if trial.unfinished else "still fails"
    if tried >= total:
        some = "the only small change" if total == 1 else f"all {total} small changes"
        return f"tried {some} in {place}, and `{line}` {fails}; {_ADVICE}"
    allowed, more = "", "that is as many as it runs; "
    if tried < most:
        allowed = f" ({trial.command.budget:g} s allowed no more, at {trial.run_seconds:.1f} s a run)"
        budget = max(10, -(-int(trial.run_seconds * (min(total, most) + 1)) // 10) * 10)
        more = f"`--budget {budget}` would do for all of them, or "
    return (
        f"tried {tried} of {total} small changes in {place}{allowed}, and `{line}` {fails}; "
        f"{more}select the lines with --at PATH:L1-L2"
    )


def nowhere(line: str, tried: int, places: Iterable[Region]) -> str:
    """No small change at any of several places made the command pass."""
    names = ", ".join(f"{one.path}::{one.symbol}" if one.symbol else where(one) for one in places)
    return (
        f"tried {tried} small changes in what the failure of `{line}` leads to ({names}), and it still fails; {_ADVICE}"
    )
