"""Processes that compute the gradients of one step together.

The microbatches of a step lie in a queue and each process takes the next free one, so that a core that is busy with
something else slows a step instead of stalling it. Weights and gradients are in shared memory.
"""

import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.multiprocessing as mp
from torch import Tensor, nn

from spark_tui.training.packing import Batch

Loss = Callable[[int, int, Batch], tuple[Tensor, float]]
"""(step, number of the microbatch, microbatch) to its summed loss and the weight it is summed over."""


class Team:
    """The processes that compute one step's gradients together; the one that makes it is one of them.

    Args: network: its weights and gradients move to shared memory. loss: of one microbatch. size: how many
        processes, each with one thread and, where there are enough, a core.
    """

    def __init__(self, network: nn.Module, loss: Loss, size: int) -> None:
        network.share_memory()
        for parameter in network.parameters():
            parameter.grad = torch.zeros_like(parameter).share_memory_()
        self.network, self.loss = network, loss
        context = mp.get_context("fork")
        self.next = context.Value("i", 0)
        self.lock = context.Lock()
        self.sums = torch.zeros(2, dtype=torch.float64).share_memory_()
        self.pipes: list[Any] = []
        self.processes: list[Any] = []
        self.cores = sorted(os.sched_getaffinity(0))
        self._own_core(0, size)
        for rank in range(1, size):
            ours, theirs = context.Pipe()
            process = context.Process(target=self._serve, args=(rank, size, theirs), daemon=True)
            process.start()
            self.pipes.append(ours)
            self.processes.append(process)

    def gradients(self, batches: Sequence[Batch], step: int) -> tuple[float, float]:
        """Leave the summed gradients in the network; returns the loss and the weight it is summed over."""
        self.next.value = 0
        self.sums.zero_()
        for parameter in self.network.parameters():
            assert parameter.grad is not None
            parameter.grad.zero_()
        for pipe in self.pipes:
            pipe.send((batches, step))
        self._work(batches, step)
        for pipe in self.pipes:
            pipe.recv()
        loss, weight = self.sums.tolist()
        return loss, max(weight, 1.0)

    def stop(self) -> None:
        """End the other processes."""
        for pipe in self.pipes:
            pipe.send(None)
        for process in self.processes:
            process.join()
        os.sched_setaffinity(0, self.cores)

    def _serve(self, rank: int, size: int, pipe: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        torch.set_num_threads(1)
        self._own_core(rank, size)
        while (task := pipe.recv()) is not None:
            self._work(*task)
            pipe.send(True)

    def _work(self, batches: Sequence[Batch], step: int) -> None:
        parameters = list(self.network.parameters())
        shared = [parameter.grad for parameter in parameters]
        while (number := self._take()) < len(batches):
            for parameter in parameters:
                parameter.grad = None
            loss, weight = self.loss(step, number, batches[number])
            loss.backward()
            with self.lock, torch.no_grad():
                for total, parameter in zip(shared, parameters, strict=True):
                    total.add_(parameter.grad)
                self.sums += torch.tensor([float(loss), weight], dtype=torch.float64)
        for total, parameter in zip(shared, parameters, strict=True):
            parameter.grad = total

    def _take(self) -> int:
        with self.next.get_lock():
            number: int = self.next.value
            self.next.value += 1
        return number

    def _own_core(self, rank: int, size: int) -> None:
        if size > 1 and len(self.cores) >= size:
            os.sched_setaffinity(0, {self.cores[rank]})
