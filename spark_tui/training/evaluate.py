"""Measures how often a model is right, and fits how far its probabilities can be trusted.

`describes_change` has a model judge whether the words of a request describe its change: they do
where they are likelier behind the script of the change than behind the name of the file alone.
These prompts are short, because the whole region would tell little more and cost ten times as much.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from spark_tui.editing.formats.quoted import region_pieces, write_quoted
from spark_tui.engine.loader import LoadedModel
from spark_tui.engine.scoring import score
from spark_tui.training.commits import CommitRequest
from spark_tui.training.references import ReferenceCase, is_right

Lines = tuple[str, ...]
Traits = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of one request.

    Attributes:
        case: The request and its right answers.
        results: The different results, the one shown first.
        traits: The numbers that the confidence is computed from.
        chance: The chance that the first result is right.
        milliseconds: The time of the turn.
    """

    case: ReferenceCase
    results: tuple[Lines, ...]
    traits: Traits
    chance: float
    milliseconds: float

    @property
    def right(self) -> tuple[bool, ...]:
        """Whether each result is one of those accepted."""
        return tuple(map(self._is_right, self.results))

    def _is_right(self, lines: Lines) -> bool:
        # lines that stay as they were are no edit
        if lines == self.case.before:
            return is_right(self.case, None)
        return is_right(self.case, lines)


Ask = Callable[[ReferenceCase], tuple[Sequence[Lines], Traits, float]]
"""A case -> its different results, the one shown first; its traits; its chance to be right."""


def judge(cases: Iterable[ReferenceCase], ask: Ask) -> Iterator[Judged]:
    """Ask every case once."""
    for case in cases:
        began = time.perf_counter()
        results, traits, chance = ask(case)
        yield Judged(case, tuple(results), traits, chance, 1000 * (time.perf_counter() - began))


def report(model: str, judged: Sequence[Judged], sure: float) -> dict[str, Any]:
    """Return the object that `spark train eval --json` prints.

    Args:
        model: The name of the model.
        judged: The results of all cases.
        sure: The chance from which an answer counts as sure.
    """
    return {
        "model": model,
        **_figures(judged, sure),
        "milliseconds": round(statistics.median(result.milliseconds for result in judged)),
        "languages": _by(_language, judged, sure),
        "kinds": _by(lambda result: result.case.kind, judged, sure),
    }


def _language(result: Judged) -> str:
    path = PurePath(result.case.path)
    return path.suffix or path.name


def _by(
    group_of: Callable[[Judged], str], judged: Sequence[Judged], sure: float
) -> dict[str, dict[str, float]]:
    """Return the figures of each group that has a name."""
    groups: dict[str, list[Judged]] = {}
    for result in judged:
        groups.setdefault(group_of(result), []).append(result)
    return {name: _figures(groups[name], sure) for name in sorted(groups) if name}


def _figures(judged: Sequence[Judged], sure: float) -> dict[str, float]:
    edits = [result for result in judged if result.case.accept]
    bugs = [result for result in edits if result.case.bug]
    no_edits = [result for result in judged if not result.case.accept]
    certain = [result for result in judged if result.chance >= sure]
    return {
        "cases": len(judged),
        "right_first": _share(edits, _is_right),
        "right_top4": _share(edits, lambda result: any(result.right)),
        "right_bugs": _share(bugs, _is_right),
        "no_edit_left_alone": _share(no_edits, _is_right),
        "edits_answered_none": _share(
            edits, lambda result: result.results[0] == result.case.before
        ),
        "answered_sure": _share(judged, lambda result: result.chance >= sure),
        "right_when_sure": _share(certain, _is_right),
        "wrong_shown": _share(
            judged, lambda result: result.chance >= sure and not _is_right(result)
        ),
    }


def _is_right(result: Judged) -> bool:
    return result.right[0]


def _share(judged: Sequence[Judged], counts: Callable[[Judged], bool]) -> float:
    if not judged:
        return 0.0
    return round(sum(map(counts, judged)) / len(judged), 4)


def fitted(traits: Sequence[Traits], right: Sequence[bool], *, ridge: float = 1.0) -> Traits:
    """Fit logistic weights by Newton's method.

    Args:
        traits: (N, K), the first of each is 1.
        right: (N,).
        ridge: Keeps the weights of a few hundred requests small, except for the first one.

    Returns:
        (K,).
    """
    x = np.array(traits, np.float64)
    y = np.array(right, np.float64)
    weights = np.zeros(x.shape[1])
    penalty = ridge * np.eye(x.shape[1])
    # the constant stays free, so that the mean chance is the share that is right
    penalty[0, 0] = 0.0
    # Newton's steps for a logistic regression (iteratively reweighted least squares). The loss is
    # convex: far fewer than 50 steps converge.
    for _ in range(50):
        # clipped, since exp of a large number overflows
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (chance - y) + penalty @ weights
        weighted = x * (chance * (1 - chance))[:, None]
        # The last term keeps the matrix invertible where a trait is constant.
        curve = weighted.T @ x + penalty + 1e-9 * np.eye(x.shape[1])
        weights -= np.linalg.solve(curve, slope)
    return tuple(float(round(weight, 4)) for weight in weights)


def threshold(chances: Sequence[float], right: Sequence[bool], precision: float) -> float:
    """Return the lowest chance from which at least `precision` of the answers are right.

    Returns:
        1 where there is none.
    """
    best = 1.0
    # From the surest down: a lower threshold may hold again where a higher one did not.
    for least in sorted(set(chances), reverse=True):
        taken = [ok for chance, ok in zip(chances, right, strict=True) if chance >= least]
        if sum(taken) >= precision * len(taken):
            best = least
    return best


Likelihood = Callable[[str, str], float]
"""A prompt and a text behind it -> the log-probability of the text."""
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
