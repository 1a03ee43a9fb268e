"""The network that weighs the edits a request could mean against one another, while it is trained."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from spark_tui.editing.ranking import Ranking
from spark_tui.training.ranking import Field

_UNITS, _OF_KIND = 64, 8
"""Units of the network, and numbers that tell kinds from one another."""
_NETWORKS, _EPOCHS, _BATCH, _DROPPED = 3, 30, 32, 0.3
_DIRECT_RATE, _DIRECT_DECAY, _RATE, _DECAY = 0.01, 0.01, 0.002, 0.05


class Network(nn.Module):
    """A `Ranking` whose numbers are standardised and whose kinds are told apart by a few numbers each."""

    def __init__(self, numbers: int, kinds: int) -> None:
        super().__init__()
        self.direct, self.own = nn.Linear(numbers, 1, bias=False), nn.Embedding(kinds, 1)
        self.of_kind = nn.Embedding(kinds, _OF_KIND)
        self.inputs, self.outputs = nn.Linear(numbers - 1 + _OF_KIND, _UNITS), nn.Linear(_UNITS, 1)
        self.dropout = nn.Dropout(_DROPPED)
        nn.init.zeros_(self.direct.weight)
        nn.init.zeros_(self.own.weight)
        nn.init.normal_(self.of_kind.weight, 0, 0.3)

    def forward(self, known: Tensor, kinds: Tensor) -> Tensor:
        """What speaks for each edit. Args: known: (N, F). kinds: (N,). Returns: (N,)."""
        units = nn.functional.silu(self.inputs(torch.cat([known[:, 1:], self.of_kind(kinds)], 1)))
        worths: Tensor = self.direct(known) + self.own(kinds) + self.outputs(self.dropout(units))
        return worths[:, 0]


def fitted(fields: Sequence[Field], names: Sequence[str]) -> Ranking:
    """What counts how much, all the right edits of a request counted as one. Deterministic. Args: names: of kinds.

    Several networks, each begun elsewhere, count as one together: they err less than any of them.
    """
    every = np.concatenate([one.known for one in fields])
    mean, spread = every.mean(0), every.std(0) + np.float32(0.01)
    del every
    return joined(
        [folded(_trained(fields, len(names), mean, spread, seed), mean, spread, names) for seed in range(_NETWORKS)]
    )


def _trained(
    fields: Sequence[Field], kinds: int, mean: npt.NDArray[np.float32], spread: npt.NDArray[np.float32], seed: int
) -> Network:
    torch.manual_seed(seed)
    network = Network(len(mean), kinds)
    direct = {*network.direct.parameters(), *network.own.parameters()}
    optimizer = torch.optim.AdamW([
        {"params": list(direct), "lr": _DIRECT_RATE, "weight_decay": _DIRECT_DECAY},
        {"params": [one for one in network.parameters() if one not in direct], "lr": _RATE, "weight_decay": _DECAY},
    ])  # fmt: skip
    steps = _EPOCHS * -(-len(fields) // _BATCH)
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    rng = np.random.default_rng(seed)
    for _ in range(_EPOCHS):
        order = rng.permutation(len(fields))
        for start in range(0, len(order), _BATCH):
            loss = _loss(network, [fields[at] for at in order[start : start + _BATCH]], mean, spread)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            falling.step()
    return network


def _loss(
    network: Network, fields: Sequence[Field], mean: npt.NDArray[np.float32], spread: npt.NDArray[np.float32]
) -> Tensor:
    known = torch.from_numpy((np.concatenate([one.known for one in fields]) - mean) / spread)
    worths = network(known, torch.from_numpy(np.concatenate([one.kinds for one in fields])))
    parts = zip(worths.split([len(one.kinds) for one in fields]), fields, strict=True)
    lost = [part.logsumexp(0) - part[torch.from_numpy(one.right)].logsumexp(0) for part, one in parts]
    return torch.stack(lost).mean()


def folded(
    network: Network, mean: npt.NDArray[np.float32], spread: npt.NDArray[np.float32], names: Sequence[str]
) -> Ranking:
    """The same for numbers as they are: what standardises them and tells kinds apart goes into the weights."""
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    direct, inputs = weights["direct.weight"][0] / spread, weights["inputs.weight"][:, : len(mean) - 1] / spread[1:]
    of_kinds = weights["of_kind.weight"] @ weights["inputs.weight"][:, len(mean) - 1 :].T
    still = weights["inputs.bias"] - inputs @ mean[1:] + of_kinds
    kinds = dict(zip(names, np.concatenate([weights["own.weight"], still], 1), strict=True))
    return Ranking(float(direct[0]), direct[1:], inputs.T, kinds, weights["outputs.weight"][0])


def joined(rankings: Sequence[Ranking]) -> Ranking:
    """The mean of several rankings of the same numbers and kinds, as one that has the units of all."""
    own = {
        kind: np.concatenate([
            np.mean([one.kinds[kind][:1] for one in rankings], 0), *(one.kinds[kind][1:] for one in rankings)
        ])
        for kind in rankings[0].kinds
    }  # fmt: skip
    return Ranking(
        float(np.mean([one.model for one in rankings])),
        np.mean([one.direct for one in rankings], 0, dtype=np.float32),
        np.concatenate([one.inputs for one in rankings], 1),
        own,
        np.concatenate([one.outputs / len(rankings) for one in rankings]).astype(np.float32),
    )
