"""Muon for the matrices, AdamW for everything else.

Source: Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks".
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.optim import Optimizer


class Muon(Optimizer):
    """Momentum whose update is made orthogonal by Newton-Schulz iterations; for 2-D weights only."""

    def __init__(self, params: Iterable[nn.Parameter], lr: float, momentum: float = 0.95, decay: float = 0.1) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """One update; matrices of one shape are orthogonalised together."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[nn.Parameter]] = {}
            for parameter in group["params"]:
                by_shape.setdefault(parameter.shape, []).append(parameter)
            for parameters in by_shape.values():
                self._update(parameters, group["lr"], group["momentum"], group["decay"])

    def _update(self, parameters: list[nn.Parameter], lr: float, momentum: float, decay: float) -> None:
        directions = []
        for parameter in parameters:
            assert parameter.grad is not None
            state = self.state[parameter]
            if not state:
                state["momentum"] = torch.zeros_like(parameter)
            buffer = state["momentum"].lerp_(parameter.grad, 1 - momentum)
            directions.append(parameter.grad.lerp(buffer, momentum))
        updates = orthogonalise(torch.stack(directions))
        rows, columns = parameters[0].shape
        scale = max(1.0, rows / columns) ** 0.5
        for parameter, update in zip(parameters, updates, strict=True):
            parameter.mul_(1 - lr * decay).add_(update.to(parameter.dtype), alpha=-lr * scale)


def orthogonalise(matrices: Tensor, steps: int = 5) -> Tensor:
    """Bring the singular values of (N, R, C) matrices near 1 by a quintic Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.bfloat16()
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.transpose(1, 2) if tall else x
