"""Whether a command that fails can be made to pass by small changes of a place, and what is said where it cannot."""

import ast
from collections.abc import Generator, Iterable, Sequence

from spark_tui.context.source import Region
from spark_tui.editing.snippet import Snippet
from spark_tui.session.answers import where
from spark_tui.session.events import Trying
from spark_tui.session.fixing.trial import Trial
from spark_tui.session.page import Page

_STOP = "__import__('os')._exit(97)"
"""Ends the process, whoever catches what."""
_ADVICE = "say what is wrong, or where with --at PATH::NAME"


def hopeless(trial: Trial, page: Page) -> Generator[Trying, None, str]:
    """Why no change of a place need be tried, once the command failed on the file as it is; "" where one may do."""
    line, region = trial.command.line, page.region
    if reason := trial.own_reason(region):
        return f"`{line}` fails before any edit, and no edit of {where(region)} can help: {reason}"
    if trial.unfinished and (yield from is_indifferent(trial, page, Trying())):
        return (
            f"`{line}` did not finish in {trial.unfinished:.3g} s without an edit, and it is not this code that holds "
            "it up; name a smaller part of the tests, or give it a larger --budget"
        )
    return ""


def is_indifferent(trial: Trial, page: Page, trying: Trying) -> Generator[Trying, None, bool]:
    """Whether the command does the same when a function ends the process at once: then it never comes there."""
    stub = _stopping(page.lines)
    if stub is None or trial.left <= 0:
        return False
    return (yield from trial.same(page.file(stub), trying))


def passes_already(trial: Trial | None) -> str:
    """That there may be nothing to fix, where the command passes without an edit; or ""."""
    return f"; `{trial.command.line}` passes as it is" if trial and trial.passed_before else ""


def unreached(line: str, region: Region) -> str:
    """The command never comes to the place."""
    return (
        f"`{line}` fails in the same way whatever the code of {where(region)} does, which it never comes to; "
        "name the place where it fails, or a command that runs this one"
    )


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
        more = f"`--budget {trial.budget_for(min(total, most))}` would do for all of them, or "
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


def _stopping(lines: Sequence[str]) -> list[str] | None:
    """The lines of a function with one more that ends the process where its body begins; None for anything else."""
    snippet = Snippet(tuple(lines))
    body = snippet.tree.body if snippet.is_python else []
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = body[0].body[0]
    indent, at = snippet.margin + " " * first.col_offset, first.lineno - 1
    if lines[at].expandtabs(1)[: len(indent)].strip() or not lines[at].strip():
        return None
    return [*lines[:at], lines[at][: len(indent)] + _STOP, *lines[at:]]
