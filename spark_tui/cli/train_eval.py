"""`spark train eval` and `calibrate`: every case is a turn about its lines; what it would show
is what is judged.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from math import exp
from pathlib import Path

from spark_tui.cli import output
from spark_tui.cli.output import table
from spark_tui.context.regions import Region
from spark_tui.editing.text import Text
from spark_tui.engine.loader import LoadedModel
from spark_tui.errors import UsageError
from spark_tui.providers.base import AnswerFinished, EditKind
from spark_tui.providers.calibration import Calibration, traits
from spark_tui.providers.spark_model import SparkModel
from spark_tui.session.turn import Request, Turn
from spark_tui.training.evaluate import Judged, Lines, fitted, judge, report, threshold
from spark_tui.training.references import Case, read_cases
from spark_tui.training.rows import as_cases, read_regions

CANDIDATES = 4
_EVERY = 20


def evaluate(args: argparse.Namespace, loaded: LoadedModel, calibration: Calibration) -> int:
    """Print how right the model is on cases written by hand, or on written requests."""
    result = report(loaded.name, _judged(args, loaded, calibration), calibration.sure)
    output.show_json(result) if args.json else output.show("\n".join(table(result)))
    return 0


def calibrate(args: argparse.Namespace, loaded: LoadedModel) -> int:
    """Write answering.json into the model's folder."""
    known = Calibration.read(loaded.path) or Calibration()
    conversation = known.conversation or args.conversation
    found = _judged(args, loaded, Calibration(conversation=conversation))
    right = [one.right[0] for one in found]
    half = [number % 2 == 0 for number in range(len(found))]
    chances = [0.0] * len(found)
    for side in (True, False):  # what is sure is decided by weights that have not seen the request
        seen = [number for number, other in enumerate(half) if other == side]
        weights = fitted(
            [found[number].traits for number in seen], [right[number] for number in seen]
        )
        for number, other in enumerate(half):
            if other != side:
                logit = sum(
                    weight * trait
                    for weight, trait in zip(weights, found[number].traits, strict=True)
                )
                chances[number] = 1 / (1 + exp(-logit))
    weights = fitted([one.traits for one in found], right)
    sure = threshold(chances, right, args.precision)
    made = Calibration(weights, sure, conversation, known.done)
    made.write(loaded.path)
    output.say(json.dumps({"requests": len(found), "right": sum(right), **asdict(made)}))
    return 0


def _judged(
    args: argparse.Namespace, loaded: LoadedModel, calibration: Calibration
) -> list[Judged]:
    cases = [case for file in args.cases for case in _cases(file, args.packages)]
    found: list[Judged] = []
    for one in judge(cases, partial(_asked, embedded=_Heard(loaded, calibration))):
        found.append(one)
        if len(found) % _EVERY == 0:
            output.say(f"{len(found)}/{len(cases)}")
    return found


def _cases(file: Path, packages: Path) -> list[Case]:
    try:
        return list(as_cases(read_regions([file])))
    except UsageError:
        return read_cases([file], packages)


def _asked(case: Case, embedded: "_Heard") -> tuple[list[Lines], tuple[float, ...], float]:
    """One turn about the lines of a case: what it shows, then what is a Tab away."""
    base = Text.from_bytes("".join(line + "\n" for line in case.before).encode(), case.path)
    region = Region(case.path, 1, len(base.lines), None, case.selected, "")
    request = Request(case.instruction, case.path, earlier=case.earlier, previous=case.previous)
    turn = Turn("", request, region, base, embedded)
    for _ in (*turn.events(), *turn.vary(CANDIDATES)):
        pass
    shown = turn.candidates.own.file if turn.candidates.own else base
    results = dict.fromkeys((shown, *(each.file for each in turn.variations)))
    return (
        [tuple(turn.page.within(file)) for file in results][:CANDIDATES],
        embedded.heard,
        turn.confidence or 0.0,
    )


class _Heard(SparkModel):
    """Remembers what the latest chance was made of."""

    heard: tuple[float, ...] = (1.0, *[0.0] * 7)

    def __init__(self, loaded: LoadedModel, calibration: Calibration) -> None:
        super().__init__(loaded)
        self._calibration = calibration

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Provider`."""
        self.heard = traits(answers, kind)
        return super().chance(answers, kind)
