"""`spark train tune`: trains an adapter that teaches a pretrained decoder to edit.

`run_tuning` loads what a run needs, trains for its budget and writes the adapter. `Tuner` is the
run. A run is a folder: run.json says what is computed, checkpoint.pt how far the run is, log.jsonl
how it went; beside them lies the adapter. A run whose budget is in steps resumes exactly from its
checkpoint.

`ChunkedCrossEntropy` computes the loss through a large frozen vocabulary without the logits of all
tokens in memory.
"""

import argparse
import json
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from spark_tui.engine.config import ModelConfig
from spark_tui.errors import UsageError
from spark_tui.training.adapters import read_any_adapter, write_adapter_files, write_pieces
from spark_tui.training.batches import (
    BatchOrder,
    PackedRows,
    PaddedBatch,
    WeightedRows,
    load_rows,
    plan_batches,
    split_batch,
)
from spark_tui.training.dataset import say
from spark_tui.training.decoder import (
    Inputs,
    Kernels,
    RandomWeights,
    TorchDecoder,
    read_frozen,
    to_device,
)
from spark_tui.training.low_rank import Adapter, AdapterLayout
from spark_tui.training.recipe import Recipe, entry_types, read_recipe
from spark_tui.training.rows import ANSWER, CONTEXT, WORDS

_CHUNK = 2048
"""Tokens whose logits are in memory at once."""


class ChunkedCrossEntropy(torch.autograd.Function):
    """Weighted cross-entropy, whose gradient is made on the way forward, chunk by chunk.

    `apply` takes hidden states (N, D), the frozen table (V, D), targets (N,) and the weight of each
    target (N,), float32. It returns the weighted sum, and the loss of each target (N,), which has
    no gradient.
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
            # loss = logsumexp(logits) - logit of the target; (chunk, V) in float32 is freed each
            # round
            logits = functional.linear(hidden[chunk], table).float()
            total = logits.logsumexp(-1, keepdim=True)
            losses[chunk] = (total - logits.gather(1, target)).squeeze(1)
            if gradient is not None:
                # Its slope is softmax(logits) - 1 at the target. All in place: a second (chunk, V)
                # would double the memory.
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
        # `forward` weighted the slopes already; `slope` is what comes from behind the sum
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


@dataclass(frozen=True, slots=True)
class TrainingBudget:
    """When a run ends: after some seconds from its first step on, or after some steps."""

    seconds: float | None = None
    steps: int | None = None

    def done(self, seconds: float, step: int) -> float:
        """Return the share of the run that is over, from 0 to 1."""
        shares = [0.0]
        if self.seconds is not None:
            shares.append(_share(seconds, self.seconds))
        if self.steps is not None:
            shares.append(_share(step, self.steps))
        return min(1.0, max(shares))


def _share(part: float, whole: float) -> float:
    """Return a part as a share of the whole; 1 where the whole is nothing."""
    return part / whole if whole else 1.0


@dataclass(frozen=True, slots=True)
class Loss:
    """Mean losses a token."""

    answer: float
    words: float

    @classmethod
    def of(cls, sums: Sequence[float], counts: Sequence[int]) -> "Loss":
        """Divide what was added up, by the kind of token."""
        means = [total / max(count, 1) for total, count in zip(sums, counts, strict=True)]
        return cls(means[ANSWER], means[WORDS])

    def __str__(self) -> str:
        return f"answer {self.answer:.4f}  words {self.words:.4f}"


@dataclass(frozen=True, slots=True)
class Report:
    """The progress of a run since the last report.

    Attributes:
        rate: The learning rate of the next step.
        norm: The norm of the last step's gradient, before it was clipped.
        speed: Tokens a second, without the padding.
        memory: Bytes on the GPU at most, 0 without one.
    """

    step: int
    number_of_pass: int
    done: float
    rate: float
    loss: Loss
    norm: float
    tokens: int
    seconds: float
    speed: float
    memory: int

    def __str__(self) -> str:
        memory = f"  {self.memory / 2**30:.1f} GiB" if self.memory else ""
        return (
            f"step {self.step}  pass {self.number_of_pass}  {self.done:.1%}  rate {self.rate:.2e}"
            f"  {self.loss}  norm {self.norm:.3f}  {self.speed:.0f} tokens/s{memory}"
        )


RUN_FILE = "run.json"
CHECKPOINT_FILE = "checkpoint.pt"
LOG_FILE = "log.jsonl"
_KINDS = 3
"""The kinds of tokens in `rows`: context, answer, words."""
_LEAST_MICRO_TOKENS = 1024
"""Tokens of the smallest batch that is tried where the memory of a device runs out."""
_MOST_DIFFERENCE = 0.05
"""The share by which compiled functions may differ from plain ones; bfloat16 alone makes some."""
_MOST_STEPS = 1 << 32
"""Steps of a run, each with a seed of its own for what it drops out."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """The tokens of a batch whose loss counts, on the device.

    Attributes:
        sources: (N,), where their prediction lies among the hidden states of the batch.
        targets: (N,), the tokens themselves.
        kinds: (N,), see `TokenRow`.
        weights: (N,), float32.
    """

    sources: Tensor
    targets: Tensor
    kinds: Tensor
    weights: Tensor

    @classmethod
    def of(cls, batch: PaddedBatch, share: NDArray[np.float32], device: torch.device) -> "_Scored":
        """Find the tokens.

        Args:
            batch: The batch that holds them.
            share: The weight of a token, by its kind.
            device: Where they are put.
        """
        kinds = batch.kinds.reshape(-1)
        places = np.flatnonzero(kinds != CONTEXT)
        return cls(
            # the hidden state of the token before predicts a token; no row and no request begins
            # with a token that counts
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
        model: TorchDecoder,
        recipe: Recipe,
        mixture: WeightedRows,
        budget: TrainingBudget,
        *,
        base: str,
        start: Path | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            folder: The folder of the run, which is made where it does not exist.
            model: The base.
            recipe: The recipe, which may not change when a run goes on.
            mixture: The rows to train on.
            budget: When the run ends.
            base: The name of what is adapted.
            start: An adapter to begin from.

        Raises:
            UsageError: The folder holds another run, or the adapter does not fit.
            ModelError: The adapter is damaged or of another model.
        """
        self.folder = folder
        self.model = model
        self.recipe = recipe
        self.budget = budget
        self.base = base
        self.is_stopping = False
        self.layout = AdapterLayout(model.config, recipe.rank, recipe.first_layer, recipe.scale)
        flat = self.layout.initial(recipe.seed)
        if start is not None:
            self._fill(flat, start)
        self.flat = flat.to(model.device).requires_grad_()
        # None: as torch thinks best; its fused kernels for a CPU are not in every release.
        fused = True if model.device.type == "cuda" else None
        self.adam = torch.optim.AdamW(
            [self.flat],
            lr=recipe.rate,
            betas=(recipe.beta1, recipe.beta2),
            weight_decay=recipe.weight_decay,
            fused=fused,
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
        # A seed for each step, not for the run: a run that resumes drops out the same.
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
        kinds = [rows[int(number)].kinds for number in chain.from_iterable(batches)]
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
            # what the failed attempt has added so far
            self.flat.grad = None
            if self.model.device.type == "cuda":
                torch.cuda.empty_cache()

    def _gradient(self, batches: Sequence[NDArray[np.int64]], counts: NDArray[np.int64]) -> Tensor:
        """Add up the gradient of a step, and return the sum of the losses of each kind."""
        sums = torch.zeros(_KINDS, device=self.model.device)
        # By the tokens of the whole step, so that the gradient does not depend on how it is cut.
        share = np.zeros(_KINDS, np.float32)
        # The loss is the mean over answers, plus the weighted mean over words.
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
        batch = PaddedBatch.of([rows[int(number)] for number in numbers])
        scored = _Scored.of(batch, share, self.model.device)
        hidden = self.model.hidden(Inputs.of(batch, self.model.device), adapter)
        sources = hidden.index_select(0, scored.sources)
        total, losses = cross_entropy(sources, self.model.table, scored.targets, scored.weights)
        return total, losses, scored.kinds

    def _clip(self) -> Tensor:
        """Shorten the gradient, drop one that is not finite, and return its norm before."""
        gradient = self.flat.grad
        assert gradient is not None
        # All on the device: asking for the norm here would wait for it at every step.
        norm = torch.linalg.vector_norm(gradient)
        # 1e-6 keeps a gradient of zeros from dividing by zero
        factor = (self.recipe.clip / (norm + 1e-6)).clamp(max=1.0)
        gradient.mul_(factor)
        # A step of zeros in place of one that would fill the adapter with NaN.
        gradient.masked_fill_(~torch.isfinite(norm), 0.0)
        return norm

    def evaluate(self, rows: PackedRows) -> Loss:
        """Return the mean losses of held-out rows; of the first ones where the run is stopped."""
        # what is still queued on the GPU is training, and no part of the time below
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
        # the time of an evaluation is no time of training, by which the speed is reckoned
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
        memory = 0
        if self.model.device.type == "cuda":
            memory = torch.cuda.max_memory_allocated()
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
            memory=memory,
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
        inputs = Inputs.of(PaddedBatch.of([rows[int(n)] for n in numbers]), self.model.device)
        with torch.no_grad():
            plain = self.model.hidden(inputs, self.layout.adapter(self.flat, self.model.dtype))
        self.model.kernels = Kernels.compiled()
        adapter = self.layout.adapter(self.flat, self.model.dtype)
        # Both ways compile, without and with gradients, before the clock of the run starts.
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
        """Return what may not change when a run goes on."""
        rows = self.order.mixture.rows
        data = {"rows": len(rows), "tokens": len(rows.tokens)}
        description = asdict(self.recipe) | {"base": self.base, "data": data}
        description.pop("compile")  # changes how a run computes, not what
        return description

    def _resume(self) -> None:
        """Go on where the run stopped; more steps or time may be asked for, nothing else.

        Raises:
            UsageError: The folder holds another run.
        """
        path = self.folder / CHECKPOINT_FILE
        description = self._description()
        if not path.is_file():
            (self.folder / RUN_FILE).write_text(json.dumps(description, indent=2) + "\n", "utf-8")
            return
        begun = json.loads((self.folder / RUN_FILE).read_text("utf-8"))
        # Only what changes the result is compared; the budget is not part of the description.
        changed = [name for name in description if description[name] != begun.get(name)]
        if changed:
            names = ", ".join(changed)
            advice = "give the same, or another --out"
            raise UsageError(f"{self.folder} began with another {names}: {advice}")
        # weights alone: what else a pickle may hold could run code
        state = torch.load(path, map_location=self.model.device, weights_only=True)
        with torch.no_grad():
            self.flat.copy_(state["flat"])
        self.adam.load_state_dict(state["adam"])
        self.step_number = state["step"]
        self.tokens = state["tokens"]
        self._earlier_seconds = state["seconds"]
        self.order.number, self.order.place = state["place"]

    def _fill(self, flat: Tensor, path: Path) -> None:
        pairs, scale = read_any_adapter(path, self.model.config)
        self.layout.fill(flat, path, pairs, scale)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"


_REPORT_SECONDS = 10.0
"""Seconds between two lines of progress."""
_SAVE_SECONDS = 300.0
"""Seconds between two checkpoints: a run that is killed loses no more."""
_FIRST_REPORTS = (3, 10)
"""Steps whose report does not wait, so that a run that goes wrong is seen early."""
_LAST_EVALUATION = 0.95
"""Share of a run after which only that at its end is worth the time."""
_TERMINATED = 143
"""The exit code that a shell gives to a program that SIGTERM ended: 128 + 15."""


def run_tuning(args: argparse.Namespace) -> int:
    """Run `spark train tune`; returns its exit code."""
    device = _device(args.device)
    torch.set_num_threads(1)
    recipe = read_recipe(args.recipe, _overrides(args))
    mixture = _read_mixture(args.data, args.base)
    held = {path.name: load_rows(path, args.base, redirects=False) for path in args.held}
    config = ModelConfig.read(args.base)
    _check_vocabulary([mixture.rows, *held.values()], config)
    say(f"{len(mixture.rows)} rows, {len(mixture.rows.tokens)} tokens; {_device_name(device)}")
    if args.random:
        model = TorchDecoder(config, RandomWeights(config, device), device)
    else:
        model = TorchDecoder(config, read_frozen(args.base, config), device)
    budget = TrainingBudget(args.seconds, args.steps)
    base = args.base.resolve().name
    start = args.start
    tuner = Tuner(args.out, model, recipe, mixture, budget, base=base, start=start)
    with _SignalsStop(tuner):
        _train(tuner, held, args.every)
    _write(tuner, args.pieces)
    return _TERMINATED if tuner.is_stopping else 0


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise UsageError("there is no CUDA device here; give --device cpu")
    if name == "cuda":
        # TF32 for what is left in float32; products in bfloat16 are added up in float32.
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    return torch.device(name)


def _device_name(device: torch.device) -> str:
    name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
    return f"{name}, PyTorch {torch.__version__}"


def _overrides(args: argparse.Namespace) -> dict[str, object]:
    """Return the entries of the recipe that flags were given for."""
    given = {name: getattr(args, name) for name in entry_types()}
    return {name: value for name, value in given.items() if value is not None}


def _read_mixture(files: list[tuple[Path, float]], base: Path) -> WeightedRows:
    parts = [(load_rows(path, base, redirects=True), weight) for path, weight in files]
    mixture = WeightedRows(parts)
    if not any(round(len(rows) * weight) for rows, weight in parts):
        advice = "make them with `spark train data`"
        raise UsageError(f"no requests to train on in these files; {advice}")
    return mixture


def _check_vocabulary(parts: list[PackedRows], config: ModelConfig) -> None:
    largest = max(int(rows.tokens.max(initial=0)) for rows in parts)
    if largest >= config.vocab_size:
        raise UsageError(
            f"the rows hold token {largest}, but the base knows {config.vocab_size}:"
            " they were made with the tokenizer of another model"
        )


class _SignalsStop:
    """Lets the first SIGTERM or Ctrl-C end a run in order; the second one acts as ever."""

    def __init__(self, tuner: Tuner) -> None:
        self._tuner = tuner
        self._earlier: dict[int, object] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._earlier[number] = signal.signal(number, self._stop)

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._tuner.is_stopping = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._earlier.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # what `signal` returned
        self._earlier.clear()


def _train(tuner: Tuner, held: Mapping[str, PackedRows], every: float | None) -> None:
    """Train to the end of the budget; what there is is saved, however it ends."""
    if tuner.recipe.compile and tuner.model.device.type == "cuda":
        tuner.compile_kernels()
    _evaluate(tuner, held, "start")
    if tuner.done >= 1:
        return
    # Until the budget is spent or a signal comes: a step, and what is due by the clock.
    reported = evaluated = saved = time.monotonic()
    try:
        while tuner.done < 1 and not tuner.is_stopping:
            tuner.step()
            now = time.monotonic()
            if tuner.step_number in _FIRST_REPORTS or now - reported > _REPORT_SECONDS:
                say(str(tuner.report()))
                reported = now
            is_due = every is not None and now - evaluated > every
            if is_due and tuner.done < _LAST_EVALUATION:
                _evaluate(tuner, held, f"step {tuner.step_number}")
                evaluated = now
            if now - saved > _SAVE_SECONDS:
                tuner.save()
                saved = now
        if not tuner.is_reported:
            say(str(tuner.report()))
    except Exception:
        say(f"broke off at step {tuner.step_number}; what was learned so far is written")
        tuner.write_adapter()
        raise
    finally:
        tuner.save()
    _evaluate(tuner, held, "end")


def _evaluate(tuner: Tuner, held: Mapping[str, PackedRows], moment: str) -> None:
    for name, rows in held.items():
        began = time.monotonic()
        loss = tuner.evaluate(rows)
        if tuner.is_stopping:
            return  # this is the loss of some rows only
        say(f"held out, {moment}: {name}  {loss}  ({time.monotonic() - began:.1f} s)")
        record = {"held": name, "step": tuner.step_number, "tokens": tuner.tokens}
        tuner.log(record | {"answer": loss.answer, "words": loss.words})


def _write(tuner: Tuner, megabytes: float | None) -> None:
    path = tuner.write_adapter()
    size = path.stat().st_size / 1e6
    say(f"{path}: {size:.1f} MB, {tuner.tokens} tokens in {tuner.seconds:.0f} s")
    if megabytes is not None:
        for piece in write_pieces(path, int(megabytes * 2**20)):
            say(f"{piece}: {piece.stat().st_size / 1e6:.1f} MB")
