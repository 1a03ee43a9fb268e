"""Several statements that become fewer: a try as a get, a loop as an update, steps of one value as one expression.

Each rule lists its places only where the words speak of its like. Comments on lines of their own stay above.
"""

import re
from collections.abc import Iterator
from itertools import islice

from spark_tui.editing.code import MAX_WIDTH
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.broken_lines import broken
from spark_tui.editing.codemods.folding.fold_branches import BRANCHES
from spark_tui.editing.codemods.folding.fold_choices import CHOICES
from spark_tui.editing.codemods.folding.fold_defaults import DEFAULTS
from spark_tui.editing.codemods.folding.fold_literals import LITERALS
from spark_tui.editing.codemods.folding.fold_loops import LOOPS
from spark_tui.editing.codemods.folding.fold_sources import New, Rule, ToldRule
from spark_tui.editing.codemods.folding.fold_steps import STEPS
from spark_tui.editing.codemods.folding.fold_targets import TARGETS
from spark_tui.editing.codemods.folding.fold_tries import TRIES
from spark_tui.editing.codemods.folding.fold_turns import TURNS
from spark_tui.editing.codemods.folding.fold_values import VALUES
from spark_tui.editing.codemods.folding.fold_walruses import WALRUSES
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, places

_MOST = 12
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(words, re.IGNORECASE), rule) for words, rule in (*TRIES, *BRANCHES, *LOOPS, *STEPS, *VALUES)
)
_TOLD: tuple[tuple[re.Pattern[str], ToldRule], ...] = tuple(
    (re.compile(words, re.IGNORECASE), rule)
    for words, rule in (*WALRUSES, *TARGETS, *DEFAULTS, *LITERALS, *CHOICES, *TURNS)
)


def folds(before: Snippet, request: Request) -> Iterator[Ops]:
    """The edits of every rule that the words speak of: each place alone, and all of them where there are several."""
    words = request.instruction
    rules = [rule for cue, rule in _RULES if cue.search(words)]
    told = [rule for cue, rule in _TOLD if cue.search(words)]
    found = places(before) if rules or told else []
    made = (lines for rule in rules for lines in _of_rule(before, found, rule))
    more = (lines for rule in told for lines in _of_rule(before, found, lambda *place, r=rule: r(*place, words)))
    yield from (between(before, lines) for lines in islice(filter(parses, made), _MOST))
    yield from (between(before, lines) for lines in islice(filter(parses, more), _MOST))


def _of_rule(before: Snippet, found: list[Place], rule: Rule) -> Iterator[list[str]]:
    firsts: list[tuple[Place, New]] = []
    for place in found:
        for at, new in enumerate(rule(before, place)):
            if lines := _written(before, list(before.lines), place, new):
                yield lines
                below = not firsts or firsts[-1][1][1] < new[0]
                firsts += [(place, new)] if at == 0 and below else []
    if len(firsts) > 1:
        lines = list(before.lines)
        for place, new in reversed(firsts):
            lines = _written(before, lines, place, new)
        yield lines


def _written(before: Snippet, lines: list[str], place: Place, new: New) -> list[str]:
    """The lines with those of a statement replaced, as deep as it is; none where one is too long."""
    first, last, fresh = new
    rows = [row for row in range(first, last + 1) if before.lines[row].lstrip().startswith("#")]
    kept = [before.lines[row].strip() for row in rows if before.lines[row].strip() not in map(str.strip, fresh)]
    deep = [f"{place.indent}{line}" if line else line for line in (*kept, *fresh)]
    deep = [made for line in deep for made in ([line] if line in before.lines else broken(line, before.layout.unit))]
    if any(len(line) > MAX_WIDTH and line not in before.lines for line in deep):
        return []
    return [*lines[:first], *deep, *lines[last + 1 :]]
