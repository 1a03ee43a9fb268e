"""Cross-entropy through a large frozen vocabulary, without the logits of all tokens in memory."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

_CHUNK = 2048
"""Tokens whose logits are in memory at once."""


class ChunkedCrossEntropy(torch.autograd.Function):
    """Weighted cross-entropy; its gradient is made on the way forward, chunk by chunk.

    Arguments of `apply`: hidden states (N, D), the frozen table (V, D), targets (N,) and the
    weight of each target (N,), float32. Returns the weighted sum, and the loss of each target (N,),
    which has no gradient.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        table: Tensor,
        targets: Tensor,
        weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """See the class."""
        losses = torch.empty(len(hidden), dtype=torch.float32, device=hidden.device)
        gradient = torch.empty_like(hidden) if ctx.needs_input_grad[0] else None
        for start in range(0, len(hidden), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            target = targets[chunk, None]
            logits = functional.linear(hidden[chunk], table).float()
            total = logits.logsumexp(-1, keepdim=True)
            losses[chunk] = (total - logits.gather(1, target)).squeeze(1)
            if gradient is not None:
                slope = logits.sub_(total).exp_()
                slope.scatter_add_(1, target, torch.full_like(total, -1.0))
                slope.mul_(weights[chunk, None])
                gradient[chunk] = slope.to(hidden.dtype) @ table
        ctx.save_for_backward(gradient)
        ctx.mark_non_differentiable(losses)
        return (losses * weights).sum(), losses

    @staticmethod
    def backward(ctx: Any, slope: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradient that `forward` made."""
        (gradient,) = ctx.saved_tensors
        return gradient * slope, None, None, None


def cross_entropy(
    hidden: Tensor,
    table: Tensor,
    targets: Tensor,
    weights: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return the weighted sum of the losses, and the loss of each target."""
    total, losses = ChunkedCrossEntropy.apply(hidden, table, targets, weights)
    return total, losses
