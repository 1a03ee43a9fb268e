"""Whether a repair is asked for and can be found, and what is said where none was."""

import ast
import re
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from functools import cache
from math import exp

from spark_tui.context.source import Region
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.guide import Leaning
from spark_tui.editing.snippet import Snippet
from spark_tui.session.answers import DOUBT, Asked
from spark_tui.session.attempts import Attempt
from spark_tui.session.events import Trying
from spark_tui.session.fixing.fixes_weighed import FixesWeighed
from spark_tui.session.fixing.held_thinly import THIN, held_thinly
from spark_tui.session.fixing.outcome import TOKEN
from spark_tui.session.fixing.trial import Trial

MOST_TRIES = 200
"""Runs of the command in one search."""
_STOP = "__import__('os')._exit(97)"
"""Ends the process, whoever catches what."""
_LIKELY = 0.5
"""How probable it must be, by the words, that a repair is meant: a symptom need not say that it is one."""
_ASKING = re.compile(
    r"\b(fix\w*|repair\w*|debug|correct|bugs?|wrong|broken|breaks?|fail\w*|pass|passes|work|works|error|mistake)\b"
    r"|(Error|Exception)\b",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(?:always|never|instead of|rather than|doesn't|does not|isn't|is not|aren't|are not|can't|cannot|twice|only"
    r"|lost|missing|repeats?|returns|gives|raises|shows|prints|ignores|forgets|skips|crashes|hangs|no effect"
    r"|too \w+)\b",
    re.IGNORECASE,
)
_EDITING = re.compile(
    r"\W*(?:please )?(?:add|annotate|change|convert|create|declare|define|delete|document|drop|extract|give|inline"
    r"|insert|introduce|log|make|mark|merge|move|raise|remove|rename|replace|return|reword|rewrite|set|simplify|sort|split|turn"
    r"|type|use|wrap|write|do|don't|never|only)\b",
    re.IGNORECASE,
)
"""How words begin that tell an edit rather than what goes wrong."""
_EMPTY = frozenset(
    """
    a again all an and any are bug bugs buggy broken by can code contains correct correctly could debug do
    does doesn don error errors fail failing fails failure failures find fix fixed function get getting good
    green has have here i in incorrect is issue issues it make me mend method mistake mistakes must my need
    needs not now of off on one pass passes passing please problem problems repair rid right run so solve some
    something somewhere suite t test tests that the them there these think this to up want was with work
    working works wrong you
    """.split()  # noqa: SIM905 - a list of one word a line would be longer than the module
)
"""Words that tell that something is wrong at most, and nothing of what."""
_WORD = re.compile(r"[a-z]+")


def asks_for_repair(instruction: str, leaning: Leaning | None = None) -> bool:
    """Whether an instruction is about something that goes wrong. Args: leaning: the kinds that its words speak for."""
    if _ASKING.search(instruction) or (_SYMPTOM.search(instruction) and not _EDITING.match(instruction)):
        return True
    words = leaning.words if leaning else {}
    return sum(exp(words[kind]) for kind in repair_kinds() & words.keys()) > _LIKELY


@cache
def repair_kinds() -> frozenset[str]:
    """The kinds whose edits could be the fix of a bug."""
    return frozenset(kind for kind, codemod in codemods().items() if codemod.repairs)


def hopeless(trial: Trial, asked: Asked) -> Generator[Trying, None, str]:
    """Why no repair need be looked for, once the command ran on the file as it is; "" where one may be found."""
    line, region = trial.command.line, asked.region
    if trial.passed_before:
        return nothing_shown(line, asked) if only_says_broken(asked.words) else ""
    if reason := trial.own_reason(region.start_line, region.end_line):
        return f"`{line}` fails before any edit, and no edit of {asked.where} can help: {reason}"
    if trial.unfinished and (yield from indifferent(trial, asked, Trying())):
        return _unfinished(trial)
    return ""


def nothing_shown(line: str, asked: Asked) -> str:
    """The command passes, and the words do not tell an edit."""
    return (
        f"`{line}` passes as it is, so that nothing shows a bug in {asked.where}; name a command that fails, "
        "or say what the code should be instead"
    )


def indifferent(trial: Trial, asked: Asked, trying: Trying) -> Generator[Trying, None, bool]:
    """Whether the command does the same when a function ends the process at once: then it never comes there."""
    stub = _stopping(asked.lines)
    if stub is None or trial.left <= 0:
        return False
    region = asked.region
    return (yield from trial.same(trial.base.replace_lines(region.start_line - 1, region.end_line, stub), trying))


def unshown(trial: Trial, kind: str | None, after: Sequence[str], asked: Asked) -> str:
    """That an edit mends nothing: the command passes, and the words do not tell what it brings; or ""."""
    if (
        not trial.passed_before
        or not (kind in repair_kinds() or only_says_broken(asked.words))
        or is_told(asked, after)
    ):
        return ""
    return nothing_shown(trial.command.line, asked)


def is_doubtful(trial: Trial, before: Sequence[str], answer: Attempt) -> bool:
    """Whether an edit that passes may well do so for no good reason, so that it hardly is what was meant."""
    weighed = FixesWeighed(Snippet(tuple(before)), said=trial.first.output if trial.first else "")
    return weighed.is_doubtful(answer.writing.closed_lines)


def doubt(trial: Trial, asked: Asked, answer: Attempt) -> str:
    """What is said of an edit that makes a command pass and may well do so by chance, which the words do not tell."""
    after = answer.writing.closed_lines
    if trial.passed_before is not False or is_told(asked, after):
        return ""
    if is_doubtful(trial, asked.lines, answer):
        return DOUBT
    said = trial.first.output if trial.first else ""
    return THIN if only_says_broken(asked.words) and held_thinly(asked.lines, after, said) else ""


def passes_already(trial: Trial, problem: str) -> str:
    """There may be nothing to fix. Args: problem: what is said already."""
    told = f"`{trial.command.line}` passes as it is"
    return f"; {told}" if trial.passed_before and told not in problem else ""


def unrepaired(trial: Trial, tried: int, total: int, asked: Asked, *, unreached: bool) -> str:
    """No small change made the command pass. Args: unreached: the command never comes to the lines."""
    line = trial.command.line
    if unreached:
        return (
            f"`{line}` fails in the same way whatever the code of {asked.where} does, which it never comes to; "
            "name the place where it fails, or a command that runs this one"
        )
    if not total:
        return f"`{line}` fails, and there is nothing small to try in {asked.where}; {asked.advice}"
    fails = (
        "still fails" if not trial.unfinished else f"did not finish, without an edit not in {trial.unfinished:.3g} s"
    )
    if tried < total:
        if tried >= MOST_TRIES:
            allowed, more = "", "that is as many as it runs; "
        else:
            allowed = f" ({trial.command.budget:g} s allowed no more, at {trial.run_seconds:.1f} s a run)"
            more = f"`--budget {trial.budget_for(min(total, MOST_TRIES))}` would do for all of them, or "
        return (
            f"tried {tried} of {total} small changes in {asked.where}{allowed}, and `{line}` {fails}; "
            f"{more}select the lines with --at PATH:L1-L2"
        )
    some = "the only small change" if total == 1 else f"all {total} small changes"
    return f"tried {some} in {asked.where}, and `{line}` {fails}; {asked.advice}"


def nowhere(line: str, tried: int, places: Iterable[Region]) -> str:
    """No small change at any of several places made the command pass."""
    names = ", ".join(f"{one.path}::{one.symbol}" for one in places)
    return (
        f"tried {tried} small changes in what the failure of `{line}` leads to ({names}), and it still fails; "
        "say what is wrong, or where with --at PATH::NAME"
    )


def _unfinished(trial: Trial) -> str:
    return (
        f"`{trial.command.line}` did not finish in {trial.unfinished:.3g} s without an edit, and it is not this code "
        "that holds it up; name a smaller part of the tests, or give it a larger --budget"
    )


def only_says_broken(words: str) -> bool:
    """Whether words tell that something is wrong at most, and nothing of what."""
    return set(_WORD.findall(words.lower())) <= _EMPTY


def is_told(asked: Asked, after: Sequence[str]) -> bool:
    """Whether the words hold anything of what an edit brings, or, where it brings nothing, of what it takes away."""
    before, now = _tokens(asked.lines), _tokens(after)
    return bool(set(now - before or before - now) & set(TOKEN.findall(asked.words)))


def _tokens(lines: Iterable[str]) -> Counter[str]:
    return Counter(token for line in lines for token in TOKEN.findall(line))


def _stopping(lines: Sequence[str]) -> list[str] | None:
    """The lines of a function with one more that ends the process where its body begins; None for anything else."""
    snippet = Snippet(tuple(lines))
    try:
        body = snippet.tree.body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    first = body[0].body[0]
    indent = snippet.margin + " " * first.col_offset
    at = first.lineno - 1
    if lines[at].expandtabs(1)[: len(indent)].strip() or not lines[at].strip():
        return None
    return [*lines[:at], lines[at][: len(indent)] + _STOP, *lines[at:]]
