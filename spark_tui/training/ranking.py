"""Learns what counts how much when all the edits that a request could mean are held against one another.

On requests that neither the model nor the weights of words were trained on: those written one by one and kept back, and
cases written by hand.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spark_tui.editing.codemods.base import Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.evidence import Evidence, Feature
from spark_tui.editing.format import NO_EDIT, Frame
from spark_tui.editing.intents import Intents
from spark_tui.editing.ranking import Ranking
from spark_tui.editing.script import apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.training.handwritten import Case, is_right, tree_of
from spark_tui.training.written import wished, written

KindLogprobs = Callable[[Sequence[str], str, tuple[int, int] | None], Mapping[str, float]]
"""What a model alone thinks of every kind, for lines, an instruction, and the 0-based lines selected."""

_MOST = 40
"""Edits of a kind that are looked at."""
_LEAST_MODEL, _LEAST_WORDS = -12.0, -10.0
_CASES_WEIGHT = 3
_EPOCHS, _BATCH, _RATE, _DECAY, _KIND_DECAY = 60, 64, 0.02, 1e-3, 1e-2
_SHRUNK = {Feature.LATER: 0.1}
"""Features of large numbers, so that all weights are of one size."""
_SIGNS = re.compile(r"\W+")
_HEAD = 4
"""The columns before the features: model, words, nothing, unlisted."""


@dataclass(frozen=True, slots=True)
class Field:
    """The edits that one request could mean. Each (N, ...): what is known of it, its kind's number, if it is right."""

    known: npt.NDArray[np.float32]
    kinds: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]


def fit_ranking(intents: Intents, kind_logprobs: KindLogprobs, cases: Sequence[Case]) -> Ranking:
    """The weights for a model and its words. Deterministic; takes minutes. Args: cases: those written by hand."""
    fields = [field_of(case, kind, intents, kind_logprobs) for case, kind in kept_back()]
    fields += _CASES_WEIGHT * [field_of(case, None, intents, kind_logprobs) for case in cases if tree_of(case.before)]
    head, features, kinds = _fitted([one for one in fields if one.right.any()], len(intents.kinds))
    shown = dict(zip(Feature, (round(float(value), 3) for value in features), strict=True))
    model, words, nothing, unlisted = (round(float(value), 3) for value in head)
    return Ranking(
        model,
        words,
        nothing,
        unlisted,
        kinds=dict(zip(intents.kinds, (round(float(value), 3) for value in kinds), strict=True)),
        features={feature.value: value * _SHRUNK.get(feature, 1.0) for feature, value in shown.items()},
    )


def kept_back() -> Iterator[tuple[Case, str]]:
    """The requests that were written one by one and kept back from training, each with the kind wanted."""
    for group in (*written(kept_back=True), *wished(kept_back=True)):
        unit = Frame.of(group.before).layout.unit
        if tree_of(group.before) is None:
            continue
        for one in group.examples:
            accept = () if one.kind == NO_EDIT else (tuple(apply_script(group.before, one.ops, unit=unit)),)
            yield Case("", one.instruction, group.before, one.selected, accept, bug=False), one.kind


def field_of(case: Case, kind: str | None, intents: Intents, kind_logprobs: KindLogprobs) -> Field:
    """All that a request could mean, each edit with what is known of it. Args: kind: the one wanted, if it is known."""
    before, evidence = Snippet(case.before), Evidence(case.before, case.instruction)
    model = kind_logprobs(case.before, case.instruction, case.selected)
    words = dict(zip(intents.kinds, intents.logprobs(case.instruction, case.before), strict=True))
    rows, kinds, right = list[list[float]](), list[int](), list[bool]()
    for number, name in enumerate(intents.kinds):
        head = [max(model[name], _LEAST_MODEL), max(words[name], _LEAST_WORDS)]
        for standing, is_right_one in _candidates(case, before, name, kind, evidence):
            rows.append([*head, *standing])
            kinds.append(number)
            right.append(is_right_one)
    return Field(np.array(rows, np.float32), np.array(kinds), np.array(right))


def _candidates(
    case: Case, before: Snippet, name: str, kind: str | None, evidence: Evidence
) -> Iterable[tuple[list[float], bool]]:
    """What is known of each edit of a kind but for model and words, and whether it is right."""
    if name == NO_EDIT:
        return [([1.0, 0.0, *_row(evidence.of(()))], not case.accept)]
    codemod = codemods().get(name)
    edits = listed(codemod, before, Request(case.instruction, case.selected)) if codemod else None
    if edits is None:
        return [([0.0, 1.0, *_row(evidence.of(()))], kind == name)]
    wanted, found = {_letters(lines) for lines in case.accept}, []
    for rank, ops in enumerate(edits):
        after = applied(before, ops)
        good = _letters(after) in wanted and is_right(case, after)
        if rank < _MOST or good:
            found.append(([0.0, 0.0, *_row(evidence.of(ops, rank, len(edits)))], good))
    return found


def _letters(lines: Iterable[str]) -> str:
    """What all ways to lay out the same code share: far faster to compare than their trees."""
    return _SIGNS.sub("", "".join(lines))


def _row(counted: Mapping[str, float]) -> list[float]:
    return [counted.get(feature, 0.0) * _SHRUNK.get(feature, 1.0) for feature in Feature]


def _fitted(fields: Sequence[Field], kinds: int) -> tuple[npt.NDArray[np.float32], ...]:
    """Log-linear weights, all the right edits of a request counted as one. Returns: head, features, kinds."""
    import torch  # noqa: PLC0415 - the rest of this room does without it

    known, numbers, right, there = (torch.from_numpy(part) for part in _stacked(fields))
    weights, own = torch.zeros(known.shape[2]), torch.zeros(kinds)
    weights[0], weights[1] = 0.3, 0.5
    optimizer = torch.optim.Adam([weights.requires_grad_(), own.requires_grad_()])
    rng = np.random.default_rng(0)
    for epoch in range(_EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        order = rng.permutation(len(known))
        for start in range(0, len(order), _BATCH):
            at = order[start : start + _BATCH]
            scores = (known[at] @ weights + own[numbers[at]]).masked_fill(~there[at], -1e9).log_softmax(1)
            loss = -torch.logsumexp(scores.masked_fill(~right[at], -1e9), 1).mean()
            loss = loss + _DECAY * (weights**2).sum() + _KIND_DECAY * (own**2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found = weights.detach().numpy()
    return found[:_HEAD], found[_HEAD:], own.detach().numpy()


def _stacked(fields: Sequence[Field]) -> tuple[npt.NDArray[np.generic], ...]:
    """All fields as arrays (R, N, ...) as long as the longest, and which of their places are filled."""
    most = max(len(one.kinds) for one in fields)
    shape = (len(fields), most)
    known = np.zeros((*shape, fields[0].known.shape[1]), np.float32)
    kinds, right, there = np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    for number, one in enumerate(fields):
        count = len(one.kinds)
        known[number, :count], kinds[number, :count], right[number, :count] = one.known, one.kinds, one.right
        there[number, :count] = True
    return known, kinds, right, there
