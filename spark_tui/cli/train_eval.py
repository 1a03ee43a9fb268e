"""`spark train eval` and `calibrate`: run a turn for each case, and judge what the turn shows."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from math import exp
from operator import mul
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
from spark_tui.session.second_model import SecondModel
from spark_tui.session.turn import Request, Turn
from spark_tui.training.evaluate import Judged, Lines, fitted, judge, report, threshold
from spark_tui.training.references import ReferenceCase, read_cases
from spark_tui.training.rows import as_cases, read_regions

CANDIDATES = 4
_EVERY = 20


def evaluate(
    args: argparse.Namespace,
    loaded: LoadedModel,
    calibration: Calibration,
    second: SecondModel | None = None,
) -> int:
    """Print how often the model is right on cases.

    Args:
        args: The arguments of `spark train eval`.
        loaded: The model.
        calibration: How far to trust its probabilities.
        second: Judges its answers where it is not sure; None: nobody does.
    """
    result = report(loaded.name, _judged(args, loaded, calibration, second), calibration.sure)
    if args.json:
        output.show_json(result)
    else:
        output.show("\n".join(table(result)))
    return 0


def calibrate(args: argparse.Namespace, loaded: LoadedModel) -> int:
    """Write answering.json into the model's folder.

    Raises:
        FileError: The file cannot be written.
    """
    known = Calibration.read(loaded.path) or Calibration()
    conversation = known.conversation or args.conversation
    verdicts = _judged(args, loaded, Calibration(conversation=conversation))
    right = [verdict.right[0] for verdict in verdicts]
    weights = fitted([verdict.traits for verdict in verdicts], right)
    sure = threshold(_held_out_chances(verdicts), right, args.precision)
    calibration = Calibration(weights, sure, conversation, known.done, known.next_edit)
    calibration.write(loaded.path)
    facts = {"requests": len(verdicts), "right": sum(right), **asdict(calibration)}
    output.say(json.dumps(facts))
    return 0


def _held_out_chances(verdicts: Sequence[Judged]) -> list[float]:
    """Return the chance of each request by weights that were fitted without it.

    The weights for each half are fitted to the other one: weights that have seen a request would
    make the model look too sure.
    """
    chances = [0.0] * len(verdicts)
    for first in (0, 1):
        fitting = verdicts[first::2]
        traits_seen = [verdict.traits for verdict in fitting]
        weights = fitted(traits_seen, [verdict.right[0] for verdict in fitting])
        for number in range(1 - first, len(verdicts), 2):
            terms = map(mul, weights, verdicts[number].traits)
            chances[number] = 1 / (1 + exp(-sum(terms)))
    return chances


def _judged(
    args: argparse.Namespace,
    loaded: LoadedModel,
    calibration: Calibration,
    second: SecondModel | None = None,
) -> list[Judged]:
    cases: list[ReferenceCase] = []
    for file in args.cases:
        cases += _cases(file, args.packages)
    model = _ListeningModel(loaded, calibration)
    verdicts: list[Judged] = []
    for verdict in judge(cases, partial(_answer, model=model, second=second)):
        verdicts.append(verdict)
        if len(verdicts) % _EVERY == 0:
            output.say(f"{len(verdicts)}/{len(cases)}")
    return verdicts


def _cases(file: Path, packages: Path) -> list[ReferenceCase]:
    try:
        return list(as_cases(read_regions([file])))
    except UsageError:
        return read_cases([file], packages)


def _answer(
    case: ReferenceCase, model: "_ListeningModel", second: SecondModel | None
) -> tuple[list[Lines], tuple[float, ...], float]:
    """Run one turn about the lines of a case.

    Returns:
        The lines that the turn shows, then those of its variations; the traits of the answer; the
            confidence of the turn, which is at least that of a sure one where two models agree on
            one that is likely enough.
    """
    lines = "".join(line + "\n" for line in case.before)
    base = Text.from_bytes(lines.encode(), case.path)
    region = Region(case.path, 1, len(base.lines), None, case.selected, "")
    request = Request(case.instruction, case.path, earlier=case.earlier, previous=case.previous)
    turn = Turn("", request, region, base, model)
    turn.second = second
    for _ in (*turn.events(), *turn.vary(CANDIDATES)):
        pass
    files = [turn.candidates.own.file if turn.candidates.own else base]
    for variation in turn.variations:
        if variation.file not in files:
            files.append(variation.file)
    results = [tuple(turn.page.within(file)) for file in files[:CANDIDATES]]
    chance = turn.confidence or 0.0
    if turn.candidates.are_agreed and chance >= model.agreed:
        chance = max(chance, model.sure)
    return results, model.last_traits, chance


class _ListeningModel(SparkModel):
    """Remembers the traits that the latest chance was computed from."""

    last_traits: tuple[float, ...] = (1.0, *[0.0] * 7)

    def __init__(self, loaded: LoadedModel, calibration: Calibration) -> None:
        super().__init__(loaded)
        self._calibration = calibration

    def chance(self, answers: Sequence[AnswerFinished], kind: EditKind = EditKind.PLAIN) -> float:
        """See `Provider`."""
        self.last_traits = traits(answers, kind)
        return super().chance(answers, kind)
