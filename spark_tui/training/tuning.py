"""`spark train tune`: loads what a run needs, trains for its budget, writes the adapter."""

import argparse
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

import torch

from spark_tui.engine.config import ModelConfig
from spark_tui.errors import UsageError
from spark_tui.training.adapter_files import write_pieces
from spark_tui.training.batching import Mixture
from spark_tui.training.building import say
from spark_tui.training.decoder import Decoder, RandomWeights, read_frozen
from spark_tui.training.finetune import Tuner
from spark_tui.training.packed_rows import PackedRows, load_rows
from spark_tui.training.progress import Budget
from spark_tui.training.recipe import entry_types, read_recipe

_REPORT_SECONDS = 10.0
_SAVE_SECONDS = 300.0
_FIRST_REPORTS = (3, 10)
"""Steps whose report does not wait, so that a run that goes wrong is seen early."""
_LAST_EVALUATION = 0.95
"""Share of a run after which only that at its end is worth the time."""
_TERMINATED = 143


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
        model = Decoder(config, RandomWeights(config, device), device)
    else:
        model = Decoder(config, read_frozen(args.base, config), device)
    budget = Budget(args.seconds, args.steps)
    base, start = args.base.resolve().name, args.start
    tuner = Tuner(args.out, model, recipe, mixture, budget, base=base, start=start)
    with _SignalsStop(tuner):
        _train(tuner, held, args.every)
    _write(tuner, args.pieces)
    return _TERMINATED if tuner.is_stopping else 0


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise UsageError("there is no CUDA device here; give --device cpu")
    if name == "cuda":
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


def _read_mixture(files: list[tuple[Path, float]], base: Path) -> Mixture:
    parts = [(load_rows(path, base, redirects=True), weight) for path, weight in files]
    mixture = Mixture(parts)
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
