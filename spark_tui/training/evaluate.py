"""Evaluation of a model over cases.

How right answers are on requests written by hand, by kind and language; and what their
probabilities are worth.

Whether the words of a request describe its change, as a model has it: are they likelier with it?

What is compared is the words behind the lines that change and behind the name of the file alone.
These prompts are short, since the whole region would tell little more and cost ten times as much.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from spark_tui.editing.formats.quoted import region_pieces, write_quoted
from spark_tui.engine.generate import score
from spark_tui.engine.loader import LoadedModel
from spark_tui.training.commits import CommitRequest
from spark_tui.training.references import Case, is_right

Lines = tuple[str, ...]
Traits = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The different results of one request, the one shown first.

    `traits`: what the confidence is made of.
    """

    case: Case
    results: tuple[Lines, ...]
    traits: Traits
    chance: float
    milliseconds: float

    @property
    def right(self) -> tuple[bool, ...]:
        """Of each result, whether it is one of those accepted."""
        return tuple(
            is_right(self.case, None if lines == self.case.before else lines)
            for lines in self.results
        )


Ask = Callable[[Case], tuple[Sequence[Lines], Traits, float]]
"""A case -> the different results of its answers, the one shown first; its traits, and its
chance to be right.
"""


def judge(cases: Iterable[Case], ask: Ask) -> Iterator[Judged]:
    """Ask every case once."""
    for case in cases:
        began = time.perf_counter()
        results, traits, chance = ask(case)
        yield Judged(case, tuple(results), traits, chance, 1000 * (time.perf_counter() - began))


def report(model: str, found: Sequence[Judged], sure: float) -> dict[str, Any]:
    """The object that `spark train eval --json` prints.

    Args:
        sure: The chance from which an answer counts as sure.
    """
    return {
        "model": model,
        **_figures(found, sure),
        "milliseconds": round(statistics.median(one.milliseconds for one in found)),
        "languages": _by(
            lambda one: PurePath(one.case.path).suffix or PurePath(one.case.path).name, found, sure
        ),
        "kinds": _by(lambda one: one.case.kind, found, sure),
    }


def _by(
    group: Callable[[Judged], str], found: Sequence[Judged], sure: float
) -> dict[str, dict[str, float]]:
    """The figures of each group that has a name, apart."""
    names = sorted({group(one) for one in found} - {""})
    return {name: _figures([one for one in found if group(one) == name], sure) for name in names}


def _figures(found: Sequence[Judged], sure: float) -> dict[str, float]:
    edits = [one for one in found if one.case.accept]
    certain = [one for one in found if one.chance >= sure]
    return {
        "cases": len(found),
        "right_first": _share(one.right[0] for one in edits),
        "right_top4": _share(any(one.right) for one in edits),
        "right_bugs": _share(one.right[0] for one in edits if one.case.bug),
        "no_edit_left_alone": _share(one.right[0] for one in found if not one.case.accept),
        "edits_answered_none": _share(one.results[0] == one.case.before for one in edits),
        "answered_sure": _share(one.chance >= sure for one in found),
        "right_when_sure": _share(one.right[0] for one in certain),
        "wrong_shown": _share(one.chance >= sure and not one.right[0] for one in found),
    }


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return round(sum(counted) / len(counted), 4) if counted else 0.0


def fitted(traits: Sequence[Traits], right: Sequence[bool], *, ridge: float = 1.0) -> Traits:
    """Logistic weights by Newton's method; `ridge` keeps those of a few hundred requests small."""
    x = np.array(traits, np.float64)
    y = np.array(right, np.float64)
    weights = np.zeros(x.shape[1])
    penalty = ridge * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (chance - y) + penalty @ weights
        curve = (x * (chance * (1 - chance))[:, None]).T @ x + penalty + 1e-9 * np.eye(x.shape[1])
        weights -= np.linalg.solve(curve, slope)
    return tuple(float(round(weight, 4)) for weight in weights)


def threshold(chances: Sequence[float], right: Sequence[bool], precision: float) -> float:
    """The lowest chance from which at least `precision` of the answers are right; 1 where there
    is none.
    """
    best = 1.0
    for least in sorted(set(chances), reverse=True):
        taken = [ok for chance, ok in zip(chances, right, strict=True) if chance >= least]
        if sum(taken) >= precision * len(taken):
            best = least
    return best


Likelihood = Callable[[str, str], float]
"""A prompt and what goes on from it -> the log-probability of the latter."""
_CAPACITY = 2048
"""Tokens of a prompt and its words; a longer one is not scored."""


def likelihood_of(loaded: LoadedModel) -> Likelihood:
    """Make the likelihood that a model gives to a text."""
    cache = loaded.model.new_cache(min(_CAPACITY, loaded.config.max_position_embeddings))

    def likelihood(prompt: str, text: str) -> float:
        tokens = loaded.tokenizer.encode(prompt)
        ((_, logarithm),) = score(loaded.model, cache, tokens, [loaded.tokenizer.encode(text)])
        return logarithm

    return likelihood


def describes_change(request: CommitRequest, likelihood: Likelihood) -> bool:
    """Whether the words are likelier behind the script of the change than without it."""
    script = write_quoted(request.before, request.after)
    path = request.reference.path
    text = request.words + "\n"
    return likelihood(_prompt(path, script), text) > likelihood(_prompt(path, ()), text)


def _prompt(path: str, lines: Sequence[str]) -> str:
    return "".join([*region_pieces(path, lines), "### Request\n"])
