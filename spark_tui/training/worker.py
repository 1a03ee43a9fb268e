"""A second process that works out gradients beside the trainer's, as fast as its core is free.

It reads the weights as they are at that moment (Recht et al. 2011, Hogwild), so neither ever waits for the other; what
it sends is a step of its own, one or two steps late.
"""

import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

import torch
import torch.multiprocessing as mp
from torch import Tensor, nn

from spark_tui.training.batching import Batch

_LOWEST = 19


class Worker:
    """The handle on that process. Args: trained: moves to shared memory. loss: of a batch, through `trained`."""

    def __init__(self, trained: Sequence[nn.Parameter], loss: Callable[[Batch], Tensor]) -> None:
        self.trained, self.loss = trained, loss
        for parameter in trained:
            parameter.share_memory_()
        self.gradients = [torch.zeros_like(parameter).share_memory_() for parameter in trained]
        context = mp.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=self._serve, args=(theirs,), daemon=True)
        self.process.start()

    def give(self, batch: Batch) -> None:
        """Let it begin; one batch at a time."""
        self.pipe.send(batch)

    def ready(self) -> bool:
        """Whether it has finished."""
        return bool(self.pipe.poll())

    def take(self) -> float:
        """Leave its gradients in the parameters; returns its loss. Waits for it where it has not finished."""
        loss: float = self.pipe.recv()
        for parameter, gradient in zip(self.trained, self.gradients, strict=True):
            parameter.grad = gradient.clone()
        return loss

    def close(self) -> None:
        """Give up what it is at."""
        self.process.kill()
        self.process.join()

    def _serve(self, pipe: "Connection[float, Batch]") -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.nice(_LOWEST)
        others = set(range(os.cpu_count() or 1)) - os.sched_getaffinity(0)
        if others:  # the trainer was given cores of its own
            os.sched_setaffinity(0, others)
        while True:
            loss = self.loss(pipe.recv())
            loss.backward()
            for parameter, shared in zip(self.trained, self.gradients, strict=True):
                assert parameter.grad is not None
                shared.copy_(parameter.grad)
                parameter.grad = None
            pipe.send(loss.item())
