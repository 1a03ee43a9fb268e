"""Measures planted bugs put right with a command that tells right from wrong, as `spark exec --check` does it.

The command stands for a test suite and is stricter: it accepts the right code only. So what is counted is whether the
search gets there; a real suite may accept more, also what is wrong.
"""

import ast
import hashlib
import shlex
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from spark_tui.training.evaluate import Ask, Lines, reference, repairing, share
from spark_tui.training.examples import Group
from spark_tui.training.handwritten import Case, is_right, tree_of

BUGS = 60
"""About how many are looked at unless told otherwise."""
NO_HINT = "fix this"
MEASURES = (
    "The command accepts the right code only: what is counted is whether the search gets there. "
    "A real test suite may accept more."
)
_SCRIPT = (
    "import ast, hashlib, sys; tree = ast.dump(ast.parse(open(sys.argv[1], 'rb').read())); "
    "seen = hashlib.sha256(tree.encode()).hexdigest(); "
    "print(seen.translate(str.maketrans('0123456789', 'ghijklmnop'))); sys.exit(seen not in sys.argv[2:])"
)
"""As a test does, it says something else of other code: where nothing changes what it says, no search goes on."""


class Repaired(Protocol):
    """What was answered with a command. `lines`: as in `Answer`; `checks`: versions of the file that it was run on."""

    @property
    def lines(self) -> Lines | None: ...  # noqa: D102
    @property
    def checks(self) -> int: ...  # noqa: D102
    @property
    def milliseconds(self) -> float: ...  # noqa: D102


Command = Callable[[str, Sequence[str]], str]
"""A command line that passes when the file of a name has the syntax tree of one of these texts."""
Repair = Callable[[Sequence[str], str, tuple[int, int] | None, Sequence[Lines], Command], Repaired]
"""Asks as `Ask` does, with what is right and a command made of it."""


@dataclass(frozen=True, slots=True)
class Try:
    """What came of one bug with a command. `checks`: runs of it, the first one without an edit left out."""

    right: bool
    checks: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One bug, asked for in three ways."""

    name: str
    no_hint: Try
    own_words: Try
    without_command: bool


def accepts_only(path: str, texts: Sequence[str]) -> str:
    """A command line, of a Python that loads next to nothing; see `Command`."""
    right = (hashlib.sha256(ast.dump(ast.parse(text)).encode()).hexdigest() for text in texts)
    return shlex.join([sys.executable, "-I", "-S", "-c", _SCRIPT, path, *right])


def planted(groups: Iterable[Group]) -> list[Case]:
    """The requests of groups to put a planted bug right, by kind; the case has the name of its kind."""
    kinds = repairing()
    found = [
        Case(one.kind, one.instruction, group.before, one.selected, (reference(group.before, one),), bug=True)
        for group in groups
        for one in group.examples
        if one.kind in kinds
    ]
    return sorted(found, key=lambda case: case.name)


def some(cases: Sequence[Case], most: int) -> list[Case]:
    """About so many of the bugs among cases, spread evenly: those that a syntax tree tells from what is right."""
    bugs = [case for case in cases if case.bug and _told_by_tree(case)]
    return bugs[:: max(1, round(len(bugs) / max(most, 1)))]


def _told_by_tree(case: Case) -> bool:
    right = {tree_of(lines) for lines in case.accept}
    return bool(right) and not right & {None, tree_of(case.before)}


def outcomes(ask: Ask, repair: Repair, cases: Iterable[Case], progress: Callable[[int], None]) -> Iterator[Outcome]:
    """Ask for every case: without a hint, in its own words, and in these without a command.

    `progress` is told how many are done.
    """
    for done, case in enumerate(cases, 1):
        asked = case.instruction, case.selected
        no_hint = _try(case, repair(case.before, NO_HINT, None, case.accept, accepts_only))
        own_words = _try(case, repair(case.before, *asked, case.accept, accepts_only))
        alone = is_right(case, ask(case.before, *asked).lines)
        yield Outcome(case.name, no_hint, own_words, alone)
        progress(done)


def _try(case: Case, answer: Repaired) -> Try:
    return Try(is_right(case, answer.lines), answer.checks, round(answer.milliseconds / 1000, 3))


def report(model: str, found: Sequence[Outcome], budget: float) -> dict[str, Any]:
    """The object `spark train eval --check --json` prints. Args: budget: seconds a search had."""
    return {
        "model": model,
        "measures": MEASURES,
        "cases": len(found),
        "budget_seconds": budget,
        "fix_this": _summary([one.no_hint for one in found]),
        "own_words": _summary([one.own_words for one in found]),
        "own_words_without_command": {"repaired": share(one.without_command for one in found)},
        "bugs": [asdict(one) for one in found],
    }


def _summary(tries: Sequence[Try]) -> dict[str, float]:
    return {
        "repaired": share(one.right for one in tries),
        "median_checks": statistics.median([one.checks for one in tries] or [0]),
        "median_seconds": round(statistics.median([one.seconds for one in tries] or [0.0]), 3),
    }


def as_text(result: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        f"{result['model']}: {result['cases']} planted bugs, each with a command and {result['budget_seconds']:g} s"
    ]
    lines.append(f"  {'':26} {'repaired':>8} {'checks':>7} {'seconds':>8}  (medians)")
    for name, key in (("fix this", "fix_this"), ("in the case's own words", "own_words")):
        row = result[key]
        lines.append(f"  {name:26} {row['repaired']:8.1%} {row['median_checks']:7g} {row['median_seconds']:8.2f}")
    lines.append(f"  {'these without a command':26} {result['own_words_without_command']['repaired']:8.1%}")
    return "\n".join([*lines, result["measures"]]) + "\n"
