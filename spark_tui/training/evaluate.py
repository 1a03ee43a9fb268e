"""Measures answers on frozen cases: real functions of packages never seen in training, known and unknown phrasings.

It knows neither model nor program: whoever measures passes a function that answers. What counts is what a user would
be shown, checks and abstentions included; the first attempt alone is reported beside it.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame
from spark_tui.editing.linediff import line_changes
from spark_tui.editing.script import apply_script
from spark_tui.training.examples import Example, Group, read_groups
from spark_tui.training.handwritten import Case, is_right, tree_of

CASES = Path(__file__).with_name("eval_cases.jsonl.gz")
Lines = tuple[str, ...]


class Answer(Protocol):
    """What was answered to one request.

    `lines`: the region after the edit, None without one; `first`: the same of the first attempt, sound or not.
    """

    @property
    def kind(self) -> str | None: ...  # noqa: D102
    @property
    def lines(self) -> Lines | None: ...  # noqa: D102
    @property
    def first(self) -> Lines | None: ...  # noqa: D102
    @property
    def confidence(self) -> float: ...  # noqa: D102
    @property
    def milliseconds(self) -> float: ...  # noqa: D102


Ask = Callable[[Sequence[str], str, tuple[int, int] | None], Answer]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case and how its answer compares. `extra`: lines changed beyond those of the reference."""

    kind: str
    held_out: bool
    exact: bool
    same_tree: bool
    parses: bool
    answered: bool
    extra: int
    first_exact: bool
    first_parses: bool
    confidence: float
    milliseconds: float


def outcomes(ask: Ask, groups: Iterable[Group], progress: Callable[[int], None] | None = None) -> Iterator[Outcome]:
    """Ask every request of every group. `progress` is told how many are done."""
    done = 0
    for group in groups:
        for example in group.examples:
            yield compare(group.before, example, ask(group.before, example.instruction, example.selected))
            done += 1
            if progress is not None:
                progress(done)


def compare(before: Sequence[str], example: Example, answer: Answer) -> Outcome:
    """Hold an answer against the reference."""
    wanted = reference(before, example)
    after = answer.lines or tuple(before)
    first = answer.first or tuple(before)
    tree = tree_of(after)
    return Outcome(
        kind=example.kind,
        held_out=example.held_out,
        exact=after == wanted,
        same_tree=after == wanted or (tree is not None and tree == tree_of(wanted)),
        parses=tree is not None,
        answered=answer.lines is not None,
        extra=max(0, _changed(before, after) - _changed(before, wanted)) if answer.lines is not None else 0,
        first_exact=first == wanted,
        first_parses=tree_of(first) is not None,
        confidence=answer.confidence,
        milliseconds=answer.milliseconds,
    )


def reference(before: Sequence[str], example: Example) -> Lines:
    """The lines that are right."""
    return tuple(apply_script(before, example.ops, unit=Frame.of(before).layout.unit))


def _changed(before: Sequence[str], after: Sequence[str]) -> int:
    """Lines that an edit takes away or adds."""
    return sum(max(old_stop - old, new_stop - new) for old, old_stop, new, new_stop in line_changes(before, after))


def report(model: str, found: Sequence[Outcome]) -> dict[str, Any]:
    """The object `spark train eval --json` prints."""
    known = [one for one in found if not one.held_out]
    unknown = [one for one in found if one.held_out]
    times = [one.milliseconds for one in found]
    return {
        "model": model,
        **_summary(found),
        "milliseconds": {"median": _rounded(statistics.median(times)), "p95": _rounded(_quantile(times, 0.95))},
        "bugs": _of_kind([one for one in found if one.kind in repairing()]),
        "kinds": _by_kind(found),
        "splits": {
            "seen_phrasing": {**_summary(known), "kinds": _by_kind(known)},
            "held_out_phrasing": {**_summary(unknown), "kinds": _by_kind(unknown)},
        },
    }


def repairing() -> set[str]:
    """The kinds that put a planted bug right."""
    return {kind for kind, codemod in codemods().items() if codemod.repairs}


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _summary(found: Sequence[Outcome]) -> dict[str, float]:
    edits = [one for one in found if one.kind != NO_EDIT]
    answered = [one for one in found if one.answered]
    return {
        "cases": len(found),
        "exact_match": share(one.exact for one in found),
        "ast_match": share(one.same_tree for one in found),
        "parse_rate": share(one.parses for one in found),
        "abstained": share(not one.answered for one in found),
        "coverage": share(one.answered for one in edits),
        "precision_when_answering": share(one.exact for one in answered),
        "no_edit_left_alone": share(not one.answered for one in found if one.kind == NO_EDIT),
        "extra_lines": _rounded(sum(one.extra for one in answered) / max(len(answered), 1)),
        "first_attempt_exact_match": share(one.first_exact for one in found),
        "first_attempt_parse_rate": share(one.first_parses for one in found),
    }


def _by_kind(found: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    kinds = sorted({one.kind for one in found})
    return {kind: _of_kind([one for one in found if one.kind == kind]) for kind in kinds}


def _of_kind(found: Sequence[Outcome]) -> dict[str, float]:
    answered = [one for one in found if one.answered]
    return {
        "cases": len(found),
        "exact_match": share(one.exact for one in found),
        "answered": share(one.answered for one in found),
        "precision_when_answering": share(one.exact for one in answered),
    }


def share(hits: Iterable[bool]) -> float:
    """The share of hits, 0 when there is nothing to count."""
    counted = list(hits)
    return _rounded(sum(counted) / len(counted)) if counted else 0.0


def _rounded(value: float) -> float:
    return round(value, 4)


def baseline(
    answer: Callable[[Sequence[str], str, tuple[int, int] | None], Lines | None], groups: Iterable[Group]
) -> dict[str, float]:
    """How often a function that needs no model is right."""
    right: list[bool] = []
    spoke: list[bool] = []
    for group in groups:
        for example in group.examples:
            after = answer(group.before, example.instruction, example.selected)
            right.append((after or group.before) == reference(group.before, example))
            spoke.append(after is not None)
    precise = [one for one, said in zip(right, spoke, strict=True) if said]
    return {"exact_match": share(right), "answered": share(spoke), "precision_when_answering": share(precise)}


def by_hand(model: str, ask: Ask, cases: Sequence[Case]) -> dict[str, Any]:
    """How answers do on cases written by hand."""
    asked = [(case, ask(case.before, case.instruction, case.selected).lines) for case in cases]
    right = [is_right(case, lines) for case, lines in asked]
    wrong = [lines is not None and not ok for (_, lines), ok in zip(asked, right, strict=True)]
    bugs = [ok for case, ok in zip(cases, right, strict=True) if case.bug]
    edits = [ok for case, ok in zip(cases, right, strict=True) if case.accept]
    return {
        "model": model,
        "cases": len(cases),
        "right": share(right),
        "right_edits": share(edits),
        "right_bugs": share(bugs),
        "answered": share(lines is not None for _, lines in asked),
        "wrong_shown": share(wrong),
        "no_edit_left_alone": share(lines is None for case, lines in asked if not case.accept),
    }


_RATES = (
    "exact_match", "ast_match", "parse_rate", "abstained", "coverage", "precision_when_answering", "no_edit_left_alone",
    "first_attempt_exact_match", "first_attempt_parse_rate",
)  # fmt: skip


def as_text(result: dict[str, Any]) -> str:
    """The report as a table for people."""
    lines = [f"{result['model']}: {result['cases']} cases"]
    if "splits" not in result:
        lines += [f"  {name:26} {value:7.1%}" for name, value in result.items() if isinstance(value, float)]
        return "\n".join(lines) + "\n"
    lines += [f"  {name:26} {result[name]:7.1%}" for name in _RATES]
    lines += [f"  baseline {name:17} {row['exact_match']:7.1%}" for name, row in result.get("baselines", {}).items()]
    lines.append(f"  {'bugs put right':26} {result['bugs']['exact_match']:7.1%}")
    known, unknown = result["splits"]["seen_phrasing"], result["splits"]["held_out_phrasing"]
    lines.append(f"  {'exact by kind':26} {'seen':>7} {'held out':>9}")
    lines.append(f"  {'(all)':26} {known['exact_match']:7.1%} {unknown['exact_match']:9.1%}")
    for kind in result["kinds"]:
        pair = [split["kinds"].get(kind, {}).get("exact_match", 0.0) for split in (known, unknown)]
        lines.append(f"  {kind:26} {pair[0]:7.1%} {pair[1]:9.1%}")
    return "\n".join(lines) + "\n"


def frozen_cases(limit: int | None = None) -> list[Group]:
    """The cases shipped with spark; `limit`: only so many groups, spread evenly."""
    groups = list(read_groups(CASES))
    return groups if limit is None else groups[:: max(1, len(groups) // max(limit, 1))]
