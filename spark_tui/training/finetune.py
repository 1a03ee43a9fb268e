"""Teaches a pretrained decoder to edit; a run by steps resumes exactly from its checkpoint.

A run is a folder: run.json says what is computed, checkpoint.pt where it is, log.jsonl how it went;
beside them lies the adapter.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spark_tui.errors import UsageError
from spark_tui.training.adapter_files import read_any_adapter, write_adapter_files
from spark_tui.training.batching import Batch, BatchOrder, Mixture, plan_batches, split_batch
from spark_tui.training.building import say
from spark_tui.training.decoder import Decoder, Inputs, Kernels, to_device
from spark_tui.training.loss import cross_entropy
from spark_tui.training.low_rank import Adapter, AdapterLayout
from spark_tui.training.packed_rows import PackedRows
from spark_tui.training.progress import Budget, Loss, Report
from spark_tui.training.recipe import Recipe
from spark_tui.training.rows import ANSWER, CONTEXT, WORDS

RUN_FILE, CHECKPOINT_FILE, LOG_FILE = "run.json", "checkpoint.pt", "log.jsonl"
_KINDS = 3
_LEAST_MICRO_TOKENS = 1024
_MOST_DIFFERENCE = 0.05
"""Of compiled functions from plain ones, as a share; bfloat16 alone makes some."""
_MOST_STEPS = 1 << 32
"""Steps of a run, each with a seed of its own for what it drops out."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """The tokens of a batch whose loss counts, on the device.

    Attributes:
        sources: (N,), where their prediction lies among the hidden states of the batch.
        targets: (N,), the tokens themselves.
        kinds: (N,), see `Row`.
        weights: (N,), float32.
    """

    sources: Tensor
    targets: Tensor
    kinds: Tensor
    weights: Tensor

    @classmethod
    def of(cls, batch: Batch, share: NDArray[np.float32], device: torch.device) -> "_Scored":
        """Find the tokens.

        Args:
            batch: The batch that holds them.
            share: The weight of a token, by its kind.
            device: Where they are put.
        """
        kinds = batch.kinds.reshape(-1)
        places = np.flatnonzero(kinds != CONTEXT)
        return cls(
            to_device(places - 1, device),
            to_device(batch.tokens.reshape(-1)[places], device),
            to_device(kinds[places].astype(np.int64), device),
            to_device(share[kinds[places]], device),
        )


class Tuner:
    """A run in a folder, which goes on from its checkpoint if there is one. Mutable."""

    def __init__(
        self,
        folder: Path,
        model: Decoder,
        recipe: Recipe,
        mixture: Mixture,
        budget: Budget,
        *,
        base: str,
        start: Path | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            folder: Made where it does not exist.
            model: The base.
            recipe: What is computed; it may not change when a run goes on.
            mixture: The rows to train on.
            budget: When the run ends.
            base: The name of what is adapted.
            start: An adapter to begin from.

        Raises:
            UsageError: The folder holds another run, or the adapter does not fit.
            ModelError: The adapter is damaged or of another model.
        """
        self.folder, self.model, self.recipe, self.budget = folder, model, recipe, budget
        self.base, self.is_stopping = base, False
        self.layout = AdapterLayout(model.config, recipe.rank, recipe.first_layer, recipe.scale)
        flat = self.layout.initial(recipe.seed)
        if start is not None:
            self._fill(flat, start)
        self.flat = flat.to(model.device).requires_grad_()
        self.adam = torch.optim.AdamW(
            [self.flat],
            lr=recipe.rate,
            betas=(recipe.beta1, recipe.beta2),
            weight_decay=recipe.weight_decay,
            fused=True if model.device.type == "cuda" else None,
        )
        self.order = BatchOrder(mixture, recipe.seed, recipe.micro_tokens)
        self.step_number = self.tokens = 0
        self._earlier_seconds = 0.0
        self._began: float | None = None
        self._micro_tokens = recipe.micro_tokens
        self._forget_recent()
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()

    @property
    def seconds(self) -> float:
        """Seconds since the first step."""
        if self._began is None:
            return self._earlier_seconds
        return self._earlier_seconds + time.monotonic() - self._began

    @property
    def done(self) -> float:
        """The share of the run that is over, from 0 to 1."""
        return self.budget.done(self.seconds, self.step_number)

    def step(self) -> None:
        """Train on the next batches. The host does not wait for the results of a GPU."""
        if self._began is None:
            self._began = self._reported_at = time.monotonic()
        done = self.done
        torch.manual_seed(self.recipe.seed * _MOST_STEPS + self.step_number)
        batches = self.order.next_step(self.recipe.batch_tokens)
        counts = self._counts(batches)
        sums = self._gradient_with_fallbacks(batches, counts)
        norm = self._clip()
        self.adam.param_groups[0]["lr"] = self.recipe.rate_at(done)
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        self.step_number += 1
        self.tokens += int(counts.sum())
        self._recent_sums += sums
        self._recent_counts += counts
        self._last_norm = norm

    def _counts(self, batches: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Count the tokens of each kind."""
        rows = self.order.mixture.rows
        kinds = [rows[int(number)].kinds for batch in batches for number in batch]
        return np.bincount(np.concatenate(kinds), minlength=_KINDS).astype(np.int64)

    def _gradient_with_fallbacks(
        self,
        batches: Sequence[NDArray[np.int64]],
        counts: NDArray[np.int64],
    ) -> Tensor:
        """Compute a gradient, in smaller batches or without compiled functions where need be."""
        while True:
            try:
                return self._gradient(batches, counts)
            except torch.cuda.OutOfMemoryError:
                if self._micro_tokens // 2 < _LEAST_MICRO_TOKENS:
                    raise
                self._micro_tokens //= 2
                say(f"out of memory: going on with {self._micro_tokens} tokens at once")
            except RuntimeError as error:
                if self.model.kernels == Kernels():
                    raise
                self.model.kernels = Kernels()
                say(f"going on without compiled functions: {_first_line(error)}")
            self.flat.grad = None
            if self.model.device.type == "cuda":
                torch.cuda.empty_cache()

    def _gradient(self, batches: Sequence[NDArray[np.int64]], counts: NDArray[np.int64]) -> Tensor:
        """Add up the gradient of a step, and return the sum of the losses of each kind."""
        sums = torch.zeros(_KINDS, device=self.model.device)
        share = np.zeros(_KINDS, np.float32)
        share[ANSWER] = 1 / max(1, counts[ANSWER])
        share[WORDS] = self.recipe.words_weight / max(1, counts[WORDS])
        rows = self.order.mixture.rows
        for numbers in batches:
            for part in split_batch(numbers, rows.sizes, self._micro_tokens):
                adapter = self.layout.adapter(self.flat, self.model.dtype, self.recipe.dropout)
                total, losses, kinds = self._loss(rows, part, share, adapter)
                total.backward()
                sums.index_add_(0, kinds, losses)
        return sums

    def _loss(
        self,
        rows: PackedRows,
        numbers: NDArray[np.int64],
        share: NDArray[np.float32],
        adapter: Adapter,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the weighted loss of some rows, and the loss and the kind of each token."""
        batch = Batch.of([rows[int(number)] for number in numbers])
        scored = _Scored.of(batch, share, self.model.device)
        hidden = self.model.hidden(Inputs.of(batch, self.model.device), adapter)
        sources = hidden.index_select(0, scored.sources)
        total, losses = cross_entropy(sources, self.model.table, scored.targets, scored.weights)
        return total, losses, scored.kinds

    def _clip(self) -> Tensor:
        """Shorten the gradient, drop one that is not finite, and return its norm before."""
        gradient = self.flat.grad
        assert gradient is not None
        norm = torch.linalg.vector_norm(gradient)
        factor = (self.recipe.clip / (norm + 1e-6)).clamp(max=1.0)
        gradient.mul_(factor)
        gradient.masked_fill_(~torch.isfinite(norm), 0.0)
        return norm

    def evaluate(self, rows: PackedRows) -> Loss:
        """Return the mean losses of rows that are not trained on, of those before it is stopped."""
        self._wait()
        began = time.monotonic()
        sums = torch.zeros(_KINDS, dtype=torch.float64, device=self.model.device)
        counts = np.zeros(_KINDS, np.int64)
        share = np.zeros(_KINDS, np.float32)
        with torch.no_grad():
            adapter = self.layout.adapter(self.flat, self.model.dtype)
            for numbers in plan_batches(rows.sizes, np.arange(len(rows)), self._micro_tokens):
                if self.is_stopping:
                    break
                _, losses, kinds = self._loss(rows, numbers, share, adapter)
                sums.index_add_(0, kinds, losses.double())
                counts += self._counts_of(rows, numbers)
        loss = Loss.of(sums.tolist(), counts.tolist())
        self._reported_at += time.monotonic() - began
        return loss

    def _wait(self) -> None:
        """Wait for the GPU."""
        if self.model.device.type == "cuda":
            torch.cuda.synchronize()

    @staticmethod
    def _counts_of(rows: PackedRows, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        kinds = np.concatenate([rows[int(number)].kinds for number in numbers])
        return np.bincount(kinds, minlength=_KINDS).astype(np.int64)

    @property
    def is_reported(self) -> bool:
        """Whether there was no step since the last report."""
        return not self._recent_counts.any()

    def report(self) -> Report:
        """Sum up the steps since the last report, and log it; waits for the GPU."""
        loss = Loss.of(self._recent_sums.tolist(), self._recent_counts.tolist())
        norm = float(self._last_norm)
        now = time.monotonic()
        is_cuda = self.model.device.type == "cuda"
        report = Report(
            step=self.step_number,
            number_of_pass=self.order.number + 1,
            done=self.done,
            rate=self.recipe.rate_at(self.done),
            loss=loss,
            norm=norm,
            tokens=self.tokens,
            seconds=self.seconds,
            speed=int(self._recent_counts.sum()) / max(now - self._reported_at, 1e-9),
            memory=torch.cuda.max_memory_allocated() if is_cuda else 0,
        )
        self._forget_recent()
        self.log(asdict(report))
        return report

    def _forget_recent(self) -> None:
        self._recent_sums = torch.zeros(_KINDS, device=self.model.device)
        self._recent_counts = np.zeros(_KINDS, np.int64)
        self._last_norm = torch.zeros(())
        self._reported_at = time.monotonic()

    def log(self, record: dict[str, Any]) -> None:
        """Write a record into the log."""
        with (self.folder / LOG_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def compile_kernels(self) -> None:
        """Compile the small functions, and keep them if they agree with the plain ones."""
        rows = self.order.mixture.rows
        numbers = plan_batches(rows.sizes, np.arange(min(8, len(rows))), self._micro_tokens)[0]
        began = time.monotonic()
        try:
            difference = self._difference_of_compiled(rows, numbers)
        except Exception as error:  # noqa: BLE001 - whatever a compiler fails with, plain ones do
            say(f"not compiled: {_first_line(error)}")
            difference = None
        if difference is None or not difference < _MOST_DIFFERENCE:
            self.model.kernels = Kernels()
        if difference is not None:
            seconds = time.monotonic() - began
            say(f"compiled in {seconds:.1f} s; they differ from the plain ones by {difference:.5f}")
        self.flat.grad = None

    def _difference_of_compiled(self, rows: PackedRows, numbers: NDArray[np.int64]) -> float:
        """Return how far hidden states are from those of plain functions, as a share."""
        inputs = Inputs.of(Batch.of([rows[int(n)] for n in numbers]), self.model.device)
        with torch.no_grad():
            plain = self.model.hidden(inputs, self.layout.adapter(self.flat, self.model.dtype))
        self.model.kernels = Kernels.compiled()
        adapter = self.layout.adapter(self.flat, self.model.dtype)
        with torch.no_grad():
            self.model.hidden(inputs, adapter)
        hidden = self.model.hidden(inputs, adapter)
        hidden.float().square().mean().backward()
        difference = (hidden.detach().float() - plain.float()).norm() / plain.float().norm()
        return float(difference)

    def write_adapter(self) -> Path:
        """Write the adapter into the folder.

        Returns:
            The file in 8 bits.
        """
        pairs = self.layout.pairs(self.flat)
        return write_adapter_files(self.folder, self.model.config, pairs, self.recipe, self.base)

    def save(self) -> None:
        """Write a checkpoint; the old one stays until the new one is whole."""
        state = {
            "flat": self.flat.detach(),
            "adam": self.adam.state_dict(),
            "step": self.step_number,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "place": (self.order.number, self.order.place),
        }
        unfinished = self.folder / f"{CHECKPOINT_FILE}.part"
        torch.save(state, unfinished)
        unfinished.replace(self.folder / CHECKPOINT_FILE)

    def _description(self) -> dict[str, Any]:
        """What may not change when a run goes on."""
        rows = self.order.mixture.rows
        data = {"rows": len(rows), "tokens": len(rows.tokens)}
        description = asdict(self.recipe) | {"base": self.base, "data": data}
        description.pop("compile")
        return description

    def _resume(self) -> None:
        """Go on where the run stopped; more steps or time may be asked for, nothing else.

        Raises:
            UsageError: The folder holds another run.
        """
        path, description = self.folder / CHECKPOINT_FILE, self._description()
        if not path.is_file():
            (self.folder / RUN_FILE).write_text(json.dumps(description, indent=2) + "\n", "utf-8")
            return
        begun = json.loads((self.folder / RUN_FILE).read_text("utf-8"))
        changed = [name for name in description if description[name] != begun.get(name)]
        if changed:
            names = ", ".join(changed)
            advice = "give the same, or another --out"
            raise UsageError(f"{self.folder} began with another {names}: {advice}")
        state = torch.load(path, map_location=self.model.device, weights_only=True)
        with torch.no_grad():
            self.flat.copy_(state["flat"])
        self.adam.load_state_dict(state["adam"])
        self.step_number, self.tokens = state["step"], state["tokens"]
        self._earlier_seconds = state["seconds"]
        self.order.number, self.order.place = state["place"]

    def _fill(self, flat: Tensor, path: Path) -> None:
        pairs, scale = read_any_adapter(path, self.model.config)
        self.layout.fill(flat, path, pairs, scale)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"
