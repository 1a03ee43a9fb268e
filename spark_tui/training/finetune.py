"""Teaches a pretrained decoder to edit; resumes exactly from its last checkpoint.

A run is a folder: recipe.json, checkpoint.pt, log.jsonl, and the adapter at every evaluation.
"""

import json
import math
import time
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from spark_tui.engine.adapters import CONFIG_FILE, DOWN, PREFIX, UP, read_adapter
from spark_tui.engine.config import ModelConfig
from spark_tui.errors import UsageError
from spark_tui.training.batching import Batch
from spark_tui.training.decoder import Decoder, Lora
from spark_tui.training.rows import Row

_BUCKET = 256
"""Rows sorted by length together, so that a batch holds little padding."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a run computes. `rate` rises over `warmup` steps and falls over the last `decay`."""

    base: str
    lora: Lora
    steps: int
    rate: float = 4e-4
    warmup: int = 40
    decay: float = 0.3
    weight_decay: float = 0.0
    batch_tokens: int = 4096
    longest: int = 1200
    clip: float = 1.0
    seed: int = 0

    def rate_at(self, step: int) -> float:
        """The learning rate of a step."""
        falling = (self.steps - step) / max(1.0, self.decay * self.steps)
        return self.rate * max(0.0, min((step + 1) / self.warmup, falling, 1.0))


def batches(rows: Sequence[Row], recipe: Recipe, epoch: int) -> list[list[int]]:
    """The rows of each step of an epoch; the same recipe and epoch give the same ones."""
    rng = np.random.default_rng((recipe.seed, epoch))
    order = rng.permutation(len(rows))
    found: list[list[int]] = []
    for start in range(0, len(order), _BUCKET):
        batch: list[int] = []
        for at in sorted(map(int, order[start : start + _BUCKET]), key=lambda at: len(rows[at].tokens)):
            if batch and (len(batch) + 1) * len(rows[at].tokens) > recipe.batch_tokens:
                found.append(batch)
                batch = []
            batch.append(at)
        found.append(batch)
    return [found[at] for at in rng.permutation(len(found))]


class Tuner:
    """One run in a folder, from its last checkpoint if there is one. Args: start: an adapter to begin from."""

    def __init__(
        self, folder: Path, base: Path, recipe: Recipe, rows: Sequence[Row], *, start: Path | None = None
    ) -> None:
        torch.manual_seed(recipe.seed)
        self.folder, self.recipe, self.rows = folder, recipe, rows
        self.model = Decoder(ModelConfig.read(base), base, recipe.lora)
        self.trained = self.model.trained()
        self.adam = torch.optim.AdamW(
            self.trained.values(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=recipe.weight_decay
        )
        self.step = self.epoch = self.batch = self.tokens = 0
        self.seconds = 0.0
        self._order: tuple[int, list[list[int]]] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "checkpoint.pt").is_file():
            self._resume()
        elif start is not None:
            self._start(start)
        (folder / "recipe.json").write_text(json.dumps(asdict(recipe), indent=2) + "\n", "utf-8")

    def run(self, *, save_seconds: float = 300.0) -> Generator[dict[str, float], None, None]:
        """Train to the end of the recipe; yields a record a step. Saved from time to time and whenever it is closed."""
        saved = time.monotonic()
        try:
            while self.step < self.recipe.steps:
                yield self._step()
                if time.monotonic() - saved > save_seconds:
                    self.save()
                    saved = time.monotonic()
        finally:
            self.save()

    def _step(self) -> dict[str, float]:
        began = time.monotonic()
        batch = self._next_batch()
        loss = self.loss(batch)
        loss.backward()
        for group in self.adam.param_groups:
            group["lr"] = self.recipe.rate_at(self.step)
        norm = torch.nn.utils.clip_grad_norm_(self.trained.values(), self.recipe.clip)
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        self.step += 1
        self.tokens, self.seconds = self.tokens + batch.size, self.seconds + time.monotonic() - began
        record = {"step": self.step, "loss": loss.item(), "norm": float(norm)}
        record |= {"tokens": self.tokens, "seconds": self.seconds}
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps({name: round(value, 4) for name, value in record.items()}) + "\n")
        return record

    def _next_batch(self) -> Batch:
        if self._order is None or self._order[0] != self.epoch:
            self._order = self.epoch, batches(self.rows, self.recipe, self.epoch)
        epoch = self._order[1]
        batch = Batch.of([self.rows[at] for at in epoch[self.batch]])
        self.batch += 1
        if self.batch == len(epoch):
            self.epoch, self.batch = self.epoch + 1, 0
        return batch

    def loss(self, batch: Batch) -> Tensor:
        """The mean cross-entropy of what is learned in a batch."""
        rows, columns = np.nonzero(batch.learned)
        hidden = self.model(*(torch.from_numpy(part) for part in (batch.tokens, batch.positions, batch.mask())))
        logits = self.model.logits(hidden[rows, columns - 1])
        return functional.cross_entropy(logits, torch.from_numpy(batch.tokens[rows, columns]))

    def held_out_loss(self, rows: Sequence[Row]) -> float:
        """The loss per learned token of rows that are not trained on."""
        total = count = 0.0
        plain = replace(self.recipe, seed=0)
        with torch.no_grad():
            for numbers in batches(rows, plain, 0):
                batch = Batch.of([rows[at] for at in numbers])
                learned = int(batch.learned.sum())
                total, count = total + self.loss(batch).item() * learned, count + learned
        return total / max(count, 1) if math.isfinite(total) else math.inf

    def save_adapter(self, path: Path) -> None:
        """Write what is trained, in half precision, with the names of PEFT, and beside it what PEFT wants to know."""
        new = path.with_suffix(".new")
        save_file({peft_name(name): value.detach().half().contiguous() for name, value in self.trained.items()}, new)
        new.replace(path)
        lora = self.recipe.lora
        if lora.rank:
            told = {"peft_type": "LORA", "base_model_name_or_path": self.recipe.base, "r": lora.rank}
            told |= {"lora_alpha": lora.alpha, "layers_to_transform": list(range(lora.first, len(self.model.layers)))}
            (path.parent / CONFIG_FILE).write_text(json.dumps(told, indent=2) + "\n", "utf-8")

    def save(self) -> None:
        """Write a checkpoint; the old one stays until the new one is whole."""
        state = {
            "trained": {name: value.detach() for name, value in self.trained.items()}, "adam": self.adam.state_dict(),
            "place": (self.step, self.epoch, self.batch, self.tokens, self.seconds),
        }  # fmt: skip
        torch.save(state, self.folder / "checkpoint.new")
        (self.folder / "checkpoint.new").replace(self.folder / "checkpoint.pt")

    def _resume(self) -> None:
        """Go on where the run stopped; more steps may be asked for, nothing else."""
        begun = json.loads((self.folder / "recipe.json").read_text("utf-8"))
        now = json.loads(json.dumps(asdict(replace(self.recipe, steps=begun["steps"]))))
        if other := [name for name in now if now[name] != begun.get(name)]:
            raise UsageError(f"{self.folder} began with another {', '.join(other)}: give the same, or another --out")
        state = torch.load(self.folder / "checkpoint.pt", weights_only=True)
        self._load(state["trained"])
        self.adam.load_state_dict(state["adam"])
        self.step, self.epoch, self.batch, self.tokens, self.seconds = state["place"]

    def _start(self, path: Path) -> None:
        if not self.recipe.lora.rank:
            stored = load_file(path)
            self._load({name: stored[peft_name(name)] for name in self.trained})
            return
        names = [name for name, _ in self.model.matrices()]
        pairs, scale = read_adapter(path, names, self.model.config)
        with torch.no_grad():
            for name, matrix in self.model.matrices():
                if matrix.down is None or matrix.up is None:
                    continue
                if name not in pairs or pairs[name][0].shape != matrix.down.shape or scale != matrix.scale:
                    raise UsageError(f"{path} was trained with another rank, scale or first layer than is asked for")
                matrix.down.copy_(torch.from_numpy(pairs[name][0]))
                matrix.up.copy_(torch.from_numpy(pairs[name][1]))

    def _load(self, values: dict[str, Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in self.trained.items():
                parameter.copy_(values[name])


def peft_name(name: str) -> str:
    """What PEFT calls a parameter of `Decoder`; a weight that is trained whole keeps its Hugging Face name."""
    _, number, _, matrix, part = name.split(".")
    home = "mlp" if matrix in ("gate_proj", "up_proj", "down_proj") else "self_attn"
    full = f"model.layers.{number}.{home}.{matrix}"
    return {"down": f"{PREFIX}{full}{DOWN}", "up": f"{PREFIX}{full}{UP}"}.get(part, f"{full}.weight")
