"""The network that weighs edits: it learns what goes only together, and weighs the same once folded."""

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

from spark_tui.editing.ranking import FloatArray, Ranking  # noqa: E402
from spark_tui.training.choosing import Network, fitted, folded, joined  # noqa: E402
from spark_tui.training.ranking import Field  # noqa: E402

NAMES = ("rename", "delete_line")


def fields(count: int, seed: int) -> list[Field]:
    """Of eight edits, one is right: where the second number and the third are of one sign, of the first kind only."""
    rng, found = np.random.default_rng(seed), list[Field]()
    while len(found) < count:
        known = rng.normal(size=(8, 4)).astype(np.float32)
        kinds = rng.integers(0, 2, 8)
        right = (known[:, 1] * known[:, 2] > 0.5) & (kinds == 0)
        if right.sum() == 1:
            found.append(Field(known, kinds, right))
    return found


def worths(ranking: Ranking, known: FloatArray, kinds: npt.NDArray[np.int64]) -> FloatArray:
    rows = zip(known, kinds, strict=True)
    told: FloatArray = np.array([ranking.worths(NAMES[kind], row[None, 1:])[0] for row, kind in rows])
    return told + np.float32(ranking.model) * known[:, 0]


def test_it_learns_what_counts_only_together() -> None:
    ranking = fitted(fields(600, seed=1), NAMES)
    unseen = fields(200, seed=2)
    assert np.mean([one.right[worths(ranking, one.known, one.kinds).argmax()] for one in unseen]) > 0.7


def test_folded_it_weighs_edits_as_before_but_for_what_is_the_same_for_all() -> None:
    torch.manual_seed(3)
    network, rng = Network(5, 2).eval(), np.random.default_rng(3)
    torch.nn.init.normal_(network.direct.weight)
    mean, spread = rng.normal(size=5).astype(np.float32), rng.uniform(0.1, 2, 5).astype(np.float32)
    known, kinds = rng.normal(size=(9, 5)).astype(np.float32), rng.integers(0, 2, 9)
    with torch.no_grad():
        before = network(torch.from_numpy((known - mean) / spread), torch.from_numpy(kinds)).numpy()
    ranking = folded(network, mean, spread, NAMES)
    after = worths(ranking, known, kinds)
    assert np.allclose(before - before[0], after - after[0], atol=1e-4)


def test_joined_they_weigh_as_they_do_in_the_mean() -> None:
    rng, rankings = np.random.default_rng(5), list[Ranking]()
    known, kinds = rng.normal(size=(9, 5)).astype(np.float32), rng.integers(0, 2, 9)
    for units in (2, 3):
        numbers = [rng.normal(size=size).astype(np.float32) for size in (4, (4, units), 1 + units, 1 + units, units)]
        direct, inputs, one, other, outputs = numbers
        rankings.append(Ranking(float(units), direct, inputs, dict(zip(NAMES, (one, other), strict=True)), outputs))
    mean = np.mean([worths(each, known, kinds) for each in rankings], 0)
    assert np.allclose(worths(joined(rankings), known, kinds), mean, atol=1e-4)
