"""Trains the embedded model; resumes exactly from its last checkpoint.

With one worker a resumed run repeats an uninterrupted one bit for bit (with more, up to the order of additions).
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from spark_tui.engine.config import ModelConfig
from spark_tui.training.network import Network, initialise
from spark_tui.training.optimizer import Muon
from spark_tui.training.packing import LOSS_WEIGHTS, REGION, UNSEEN, Batch, Batches, Packed
from spark_tui.training.team import Team


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a training run computes."""

    model: ModelConfig
    first_tags: tuple[int, int]
    words: tuple[int, ...] = ()
    steps: int = 4000
    row_length: int = 512
    rows: int = 4
    microbatches: int = 4
    muon_rate: float = 0.015
    adam_rate: float = 2e-3
    rates: float = 1.0
    decay: float = 0.1
    warmup: int = 100
    cooldown: float = 0.4
    language_share: float = 0.1
    language_steps: int = 800
    clip: float = 1.0
    average: float = 0.998
    seed: int = 0

    def rate(self, step: int) -> float:
        """The learning-rate factor: warm-up, constant, then linear to zero over the last `cooldown` of the steps."""
        rising = min(1.0, (step + 1) / self.warmup)
        falling = (self.steps - step) / max(1.0, self.cooldown * self.steps)
        return self.rates * max(0.0, min(rising, falling, 1.0))


@dataclass
class Progress:
    """Where a run is: the next step, and the place in the data that goes with it."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0
    log: list[dict[str, float]] = field(default_factory=list)


def batch_loss(network: Network, batch: Batch, language_share: float, rng: np.random.Generator) -> Tensor:
    """The weighted cross-entropy of one microbatch, summed over predicted tokens.

    `language_share`: the part of the region's tokens that are predicted too (weight 0.5), as language modelling.
    """
    weights = LOSS_WEIGHTS[batch.roles]
    if language_share > 0:
        chosen = (batch.roles == REGION) & (rng.random(batch.roles.shape) < language_share)
        weights = np.where(chosen & (batch.positions > 0), 0.5, weights).astype(np.float32)
    weights[:, 0] = 0.0
    rows, columns = np.nonzero(weights)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = network(*(torch.from_numpy(part) for part in (batch.tokens, batch.positions, batch.mask())))
        logits = network.logits(hidden[rows, columns - 1])
    losses = functional.cross_entropy(logits.float(), torch.from_numpy(batch.tokens[rows, columns]), reduction="none")
    return (losses * torch.from_numpy(weights[rows, columns])).sum()


class Trainer:
    """One training run in a folder: recipe.json, checkpoint.pt, log.jsonl.

    Args: folder: created when missing. recipe: of a new run; a resumed run may change `steps`, rates and row
    shapes. packed: the training data. workers: processes, each with one thread and, where there are enough, a core.
    start: weights to begin from instead of fresh ones.
    """

    def __init__(
        self, folder: Path, recipe: Recipe, packed: Packed, *, workers: int = 1, start: dict[str, Tensor] | None = None
    ) -> None:
        torch.set_num_threads(1)
        self.folder, self.recipe, self.packed, self.workers = folder, recipe, packed, workers
        self.network = Network(recipe.model)
        initialise(self.network, recipe.first_tags, seed=recipe.seed)
        if start is not None:
            self.network.load_state_dict(start)
        self.progress = Progress()
        parameters = dict(self.network.named_parameters())
        matrices = {name for name, value in parameters.items() if value.ndim == 2 and "embed" not in name}
        self.muon = Muon([parameters[name] for name in sorted(matrices)], recipe.muon_rate, decay=recipe.decay)
        others = [value for name, value in parameters.items() if name not in matrices]
        self.adam = torch.optim.AdamW(others, lr=recipe.adam_rate, betas=(0.9, 0.95), weight_decay=0.0)
        self.averaged = {name: value.detach().clone() for name, value in parameters.items()}
        self._stream: Iterator[Batch] = iter(())
        self._resume()

    def weights(self) -> dict[str, Tensor]:
        """The averaged weights, the ones to evaluate and ship."""
        return self.averaged

    def run(self, *, stop_after: int | None = None, checkpoint_seconds: float = 180.0) -> Iterator[dict[str, float]]:
        """Train to the end of the recipe (or for `stop_after` steps); yields one record a step.

        A checkpoint is written every `checkpoint_seconds` and at the end, also when the iterator is closed early.
        """
        team = Team(self.network, self._loss, self.workers)
        saved = time.monotonic()
        last = self.recipe.steps if stop_after is None else min(self.recipe.steps, self.progress.step + stop_after)
        try:
            while self.progress.step < last:
                record = self._step(team)
                yield record
                if time.monotonic() - saved > checkpoint_seconds:
                    self.save()
                    saved = time.monotonic()
        finally:
            team.stop()
            self.save()

    def _step(self, team: Team) -> dict[str, float]:
        began = time.monotonic()
        progress, recipe = self.progress, self.recipe
        batches = self._next_batches()
        loss, weight = team.gradients(batches, progress.step)
        self._scale_gradients(1 / weight)
        norm = float(torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip))
        factor = recipe.rate(progress.step)
        for group in self.muon.param_groups:
            group["lr"] = recipe.muon_rate * factor
        for group in self.adam.param_groups:
            group["lr"] = recipe.adam_rate * factor
        self.muon.step()
        self.adam.step()
        keep = min(recipe.average, (progress.step + 1) / (progress.step + 10))
        with torch.no_grad():
            for name, value in self.network.named_parameters():
                self.averaged[name].lerp_(value, 1 - keep)
        progress.step += 1
        progress.tokens += sum(int((batch.groups > 0).sum()) for batch in batches)
        progress.seconds += time.monotonic() - began
        record = {
            "step": progress.step,
            "loss": loss / weight,
            "norm": norm,
            "rate": factor,
            "tokens": progress.tokens,
            "seconds": round(progress.seconds, 1),
        }
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(record) + "\n")
        return record

    def _loss(self, step: int, number: int, batch: Batch) -> tuple[Tensor, float]:
        rng = np.random.default_rng((self.recipe.seed, step, number))
        share = self.recipe.language_share if step < self.recipe.language_steps else 0.0
        return batch_loss(self.network, batch, share, rng), float(LOSS_WEIGHTS[batch.roles].sum())

    def _scale_gradients(self, factor: float) -> None:
        for parameter in self.network.parameters():
            assert parameter.grad is not None
            parameter.grad.mul_(factor)

    def _next_batches(self) -> list[Batch]:
        """The microbatches of the next step; at the end of an epoch, those of the next one's beginning."""
        wanted = self.recipe.microbatches
        found: list[Batch] = list(islice(self._stream, wanted))
        while len(found) < wanted:
            self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0
            self._stream = self._batches().epoch(self.progress.epoch)
            found = list(islice(self._stream, wanted))
            if not found:
                raise ValueError("the training data does not fill one step: generate more, or use smaller rows")
        self.progress.batch += wanted
        return found

    def _batches(self) -> Batches:
        recipe = self.recipe
        return Batches(
            self.packed,
            recipe.row_length,
            recipe.rows,
            recipe.first_tags,
            recipe.seed,
            np.array(recipe.words, np.int64),
        )

    def _rows(self) -> tuple[int, int, int]:
        """What the place within an epoch means something for; when it changes, a new epoch begins."""
        return self.recipe.row_length, self.recipe.rows, len(self.packed.offsets)

    def save(self) -> None:
        """Write the checkpoint beside its old version, then put it in its place."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {
            "network": self.network.state_dict(),
            "averaged": self.averaged,
            "muon": self.muon.state_dict(),
            "adam": self.adam.state_dict(),
            "progress": asdict(self.progress),
            "rows": self._rows(),
        }
        torch.save(state, self.folder / "checkpoint.tmp")
        (self.folder / "checkpoint.tmp").replace(self.folder / "checkpoint.pt")
        (self.folder / "recipe.json").write_text(json.dumps(asdict(self.recipe), indent=2) + "\n")

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "checkpoint.pt"
        if path.exists():
            state = torch.load(path, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.averaged = state["averaged"]
            self.muon.load_state_dict(state["muon"])
            self.adam.load_state_dict(state["adam"])
            self.progress = Progress(**state["progress"])
            if state["rows"] != self._rows():
                self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0
        self._stream = self._batches().epoch(self.progress.epoch)
        for _ in islice(self._stream, self.progress.batch):
            pass


@torch.no_grad()
def forced_accuracy(network: Network, batches: Iterator[Batch]) -> dict[str, float]:
    """The share of requests whose every output token is the likeliest one: greedy exact match, without decoding."""
    right = total = 0
    for batch in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = network(*(torch.from_numpy(part) for part in (batch.tokens, batch.positions, batch.mask())))
            rows, columns = np.nonzero((batch.roles != UNSEEN) & (batch.roles != REGION))
            guesses = network.logits(hidden[rows, columns - 1]).argmax(-1).numpy()
        hit = guesses == batch.tokens[rows, columns]
        where = np.stack([rows, batch.groups[rows, columns], batch.branches[rows, columns]], 1)
        requests, inverse = np.unique(where, axis=0, return_inverse=True)
        misses = np.bincount(inverse.reshape(-1), weights=~hit, minlength=len(requests))
        right, total = right + int((misses == 0).sum()), total + len(requests)
    return {"exact": right / max(total, 1), "requests": float(total)}
