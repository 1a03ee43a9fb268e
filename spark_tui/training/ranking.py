"""Learns what counts how much when all the edits that a request could mean are held against one another.

On requests that neither the model nor the weights of words were trained on: those written one by one and kept back, the
wishes, each weighed with the words of the others, and cases written by hand.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from spark_tui.editing.codemods.base import Ops, Request, applied, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT, Frame
from spark_tui.editing.intents import Intents
from spark_tui.editing.ranking import Ranking
from spark_tui.editing.sayings import Sayings, shipped
from spark_tui.editing.script import apply_script
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.standing import Standings
from spark_tui.training.documented import KIND, only_documents
from spark_tui.training.examples import Group
from spark_tui.training.handwritten import Case, is_right, tree_of
from spark_tui.training.intents import fit_intents
from spark_tui.training.sayings import fit_sayings
from spark_tui.training.written import FOLDS, fold_of, wished, written

KindLogprobs = Callable[[Sequence[str], str, tuple[int, int] | None], Mapping[str, float]]
"""What a model alone thinks of every kind, for lines, an instruction, and the 0-based lines selected."""
Words = tuple[Intents, Sayings]
"""What words speak for kinds, and for edits."""

_MOST = 40
"""Edits of a kind that are looked at."""
_LEAST_MODEL = -12.0
_CASES_WEIGHT, _OF_GENERATED = 3, 2
_SIGNS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Field:
    """The edits that one request could mean. Each (N, ...): what is known of it, its kind's number, if it is right.

    What the model thinks of its kind comes first in what is known.
    """

    known: npt.NDArray[np.float32]
    kinds: npt.NDArray[np.int64]
    right: npt.NDArray[np.bool_]


def fit_ranking(
    intents: Intents, kind_logprobs: KindLogprobs, cases: Sequence[Case], generated: Iterable[Group] = ()
) -> Ranking:
    """The weights for a model and its words. Deterministic; takes half an hour.

    Args: cases: those written by hand. generated: what the generator asks, so that its words are still understood.
    """
    from spark_tui.training.choosing import fitted  # noqa: PLC0415 - torch: the rest of this room does without it

    every = intents, shipped()
    folds = [(fit_intents(without=fold), fit_sayings(without=fold)) for fold in range(FOLDS)]
    asked: list[tuple[Case, str | None, Words]] = []
    asked += [(case, kind, every) for group in written(kept_back=True) for case, kind in cases_of(group)]
    asked += [(case, kind, folds[fold_of(group)]) for group in wished() for case, kind in cases_of(group)]
    asked += [(case, kind, every) for group in generated for case, kind in islice(cases_of(group), _OF_GENERATED)]
    asked += _CASES_WEIGHT * [(case, None, every) for case in cases if tree_of(case.before)]
    fields = [field_of(case, kind, words, kind_logprobs) for case, kind, words in asked]
    return fitted([one for one in fields if one.right.any()], intents.kinds)


def cases_of(group: Group) -> Iterator[tuple[Case, str]]:
    """What was asked about some lines, each with the kind wanted; nothing where they do not parse."""
    unit = Frame.of(group.before).layout.unit
    for one in group.examples if tree_of(group.before) else ():
        accept = () if one.kind == NO_EDIT else (tuple(apply_script(group.before, one.ops, unit=unit)),)
        yield Case("", one.instruction, group.before, one.selected, accept, bug=False), one.kind


def field_of(case: Case, kind: str | None, words: Words, kind_logprobs: KindLogprobs) -> Field:
    """All that a request could mean, each edit with what is known of it. Args: kind: the one wanted, if it is known."""
    request = Request(case.instruction, case.selected)
    intents, sayings = words
    before, standings = Snippet(case.before), Standings(case.before, request, sayings)
    model = kind_logprobs(case.before, case.instruction, case.selected)
    said = intents.logprobs(case.instruction, case.before)
    known, kinds, right = list[npt.NDArray[np.float32]](), list[int](), list[bool]()
    for number, name in enumerate(intents.kinds):
        rows, good = _candidates(case, before, standings, name, float(said[number]), name == kind)
        known.append(np.insert(rows, 0, max(model[name], _LEAST_MODEL), axis=1))
        kinds += [number] * len(good)
        right += good
    return Field(np.concatenate(known), np.array(kinds), np.array(right))


def _candidates(
    case: Case, before: Snippet, standings: Standings, name: str, said: float, wanted: bool
) -> tuple[npt.NDArray[np.float32], list[bool]]:
    """What is known of each edit of a kind, and whether it is right. Args: said: what the words speak for the kind."""
    if name == NO_EDIT:
        return standings.nothing(name, said), [not case.accept]
    codemod = codemods().get(name)
    edits = listed(codemod, before, Request(case.instruction, case.selected)) if codemod else None
    documents = name == KIND and any(only_documents(case.before, lines) for lines in case.accept)
    if edits is None:
        return standings.unlisted(name, said), [wanted or documents]
    good = list(map(partial(_is_right, case, before, {_letters(lines) for lines in case.accept}), edits))
    if documents:
        good = [one or only_documents(case.before, applied(before, ops)) for one, ops in zip(good, edits, strict=True)]
    kept = [rank for rank in range(len(edits)) if rank < _MOST or good[rank]]
    return standings.listed(name, said, edits)[kept], [good[rank] for rank in kept]


def _is_right(case: Case, before: Snippet, wanted: set[str], ops: Ops) -> bool:
    after = applied(before, ops)
    return _letters(after) in wanted and is_right(case, after)


def _letters(lines: Iterable[str]) -> str:
    """What all ways to lay out the same code share: far faster to compare than their trees."""
    return _SIGNS.sub("", "".join(lines))
