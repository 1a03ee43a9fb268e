"""Fits log-linear weights, small enough to ship as whole numbers."""

from collections.abc import Sequence

import numpy as np

from spark_tui.editing.intents import Weights

UNIT = 1 / 16
_RATE, _DROPPED, _SMOOTHING = 0.01, 0.3, 0.02


def fit_log_linear(
    rows: Sequence[Sequence[int]],
    targets: Sequence[int],
    shape: tuple[int, int],
    *,
    epochs: int = 5,
    batch: int = 512,
    decay: float = 0.0,
) -> Weights:
    """The weights of features for classes, a third of the features left out at each look. Deterministic.

    Args: rows: the features of each example, 0 first. targets: their classes. shape: how many features and classes.
        decay: how strongly weights are drawn to zero.
    Returns: (features, classes), in UNITs.
    """
    import torch  # noqa: PLC0415 - the rest of this room does without it

    weights = torch.nn.EmbeddingBag(*shape, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    optimizer = torch.optim.Adam(weights.parameters(), weight_decay=decay)
    rng, wanted = np.random.default_rng(0), torch.tensor(targets)
    for epoch in range(epochs):
        order = rng.permutation(len(rows))
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / epochs)
        for start in range(0, len(rows), batch):
            chosen = order[start : start + batch]
            said, starts = list[int](), list[int]()
            for one in chosen:
                starts.append(len(said))
                kept = rng.random(len(rows[one])) >= _DROPPED
                said += [0, *(row for row, keep in zip(rows[one][1:], kept[1:], strict=True) if keep)]
            scores = weights(torch.tensor(said), torch.tensor(starts))
            loss = torch.nn.functional.cross_entropy(scores, wanted[chosen], label_smoothing=_SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found: Weights = (weights.weight.detach() / UNIT).round().clamp(-127, 127).to(torch.int8).numpy()
    return found
