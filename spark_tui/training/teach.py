"""`spark train base|round|tune|calibrate`: a pretrained model becomes a base, and the base is taught to edit."""

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError
from spark_tui.training.building import say

if TYPE_CHECKING:
    from spark_tui.training.rows import Row

_EVERY = 10
_DEFAULT = "(default: %(default)s)"
_LONGEST = 1600
"""Tokens of a region with all that is asked about it; requests that do not fit are left out."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the subcommands."""
    base = commands.add_parser("base", help="make a model folder to train from a GGUF file or a model folder")
    base.add_argument("source", type=Path)
    base.add_argument("--out", type=Path, required=True)
    base.add_argument("--vocabulary", type=int, help="tokens to keep (default: all)")
    rounding = commands.add_parser("round", help="make a base of four bits out of one that `spark train base` wrote")
    rounding.add_argument("base", type=Path)
    rounding.add_argument("--data", type=Path, nargs="+", default=[], help="files of requests, whose code is measured")
    rounding.add_argument("--rows", type=int, default=50, help=f"regions that are measured {_DEFAULT}")
    rounding.add_argument("--importance", type=Path, help="the measured importance: read if it exists, else written")
    rounding.add_argument("--out", type=Path, required=True)
    tune = commands.add_parser("tune", help="teach a base to edit; resumes when the folder holds a checkpoint")
    tune.add_argument("--base", type=Path, required=True, help="a folder that `spark train base` wrote")
    tune.add_argument("--data", type=Path, nargs="+", required=True, help="files of written requests")
    tune.add_argument("--held", type=Path, nargs="*", default=[], help="files whose loss is reported now and then")
    tune.add_argument("--out", type=Path, required=True, help="checkpoint, log and adapters go here")
    tune.add_argument("--lora", type=int, default=32, metavar="RANK", help=f"0: the weights themselves {_DEFAULT}")
    tune.add_argument("--first", type=int, default=8, metavar="LAYER", help=f"layers below stay as they are {_DEFAULT}")
    tune.add_argument("--start", type=Path, metavar="ADAPTER", help="begin from this one, .safetensors or .gguf")
    tune.add_argument("--steps", type=int, default=500)
    tune.add_argument("--rate", type=float, default=5e-4)
    tune.add_argument("--decay", type=float, default=0.3, help=f"share of steps where the rate falls {_DEFAULT}")
    tune.add_argument("--batch-tokens", type=int, default=2048)
    tune.add_argument("--every", type=int, default=60, metavar="STEPS", help=f"between two adapters kept {_DEFAULT}")
    tune.add_argument("--seed", type=int, default=0)
    pack = commands.add_parser("pack", help="put a trained adapter into a model folder, rounded to 8 bits")
    pack.add_argument("adapters", type=Path, nargs="+", metavar="ADAPTER", help="of a run; of several: their mean")
    pack.add_argument("model", type=Path, help="the folder of its base; adapter.gguf is written there")
    calibrate = commands.add_parser("calibrate", help="learn how far to trust the probabilities of a model that edits")
    calibrate.add_argument("-m", "--model", required=True, help="its folder; answering.json is written there")
    calibrate.add_argument("--cases", type=Path, nargs="+", required=True, help="cases, or files of written requests")
    calibrate.add_argument(
        "--conversation", action="store_true", help="the model was taught to read the last accepted edit"
    )
    calibrate.add_argument("--precision", type=float, default=0.85, help=f"asked of what is called sure {_DEFAULT}")


def make_base(args: argparse.Namespace) -> int:
    """`spark train base`."""
    from spark_tui.training.bases import write_base

    write_base(args.source, args.out, vocabulary=args.vocabulary)
    return 0


def round_base(args: argparse.Namespace) -> int:
    """`spark train round`."""
    from safetensors.torch import load_file, save_file

    from spark_tui.training.rounding import importance_of, write_rounded

    if args.importance and args.importance.is_file():
        importance = load_file(args.importance)
    elif args.data:
        rows = _rows(args.base, args.data)
        importance = importance_of(args.base, rows[:: max(1, len(rows) // args.rows)])
        if args.importance:
            save_file(importance, args.importance)
    else:
        raise UsageError("nothing to measure; name request files with --data, or what was measured with --importance")
    for part in write_rounded(args.base, importance, args.out):
        say(f"{part}: {part.stat().st_size / 1e6:.0f} MB")
    return 0


def pack(args: argparse.Namespace) -> int:
    """`spark train pack`: of several adapters the mean, in half precision, as a run writes its own."""
    import numpy as np

    from spark_tui.engine.adapters import GGUF_FILE, read_adapter
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.gguf_write import write_adapter
    from spark_tui.engine.weights import expected_shapes

    config, path = ModelConfig.read(args.model), args.model / GGUF_FILE
    read = [read_adapter(each, expected_shapes(config), config) for each in args.adapters]
    pairs, scale = read[0]
    shapes = [{name: (down.shape, up.shape) for name, (down, up) in each.items()} for each, _ in read]
    if any(each != shapes[0] for each in shapes) or any(other != scale for _, other in read):
        raise UsageError("these adapters differ in rank, scale or layers; name those of one recipe")
    if len(read) > 1:
        for name in pairs:
            means = (np.mean([each[name][side] for each, _ in read], axis=0) for side in (0, 1))
            down, up = (mean.astype(np.float16).astype(np.float32) for mean in means)
            pairs[name] = down, up
    write_adapter(path, config, pairs, scale * max(len(down) for down, _ in pairs.values()))
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def tune(args: argparse.Namespace) -> int:
    """`spark train tune`."""
    import torch

    from spark_tui.engine.adapters import WEIGHTS_FILE
    from spark_tui.training.decoder import Lora
    from spark_tui.training.finetune import Recipe, Tuner

    torch.set_num_threads(1)
    rows, held = _rows(args.base, args.data), _rows(args.base, args.held)
    if not rows:
        raise UsageError("no requests to train on in these files; make them with `spark train data`")
    recipe = Recipe(
        args.base.name, Lora(args.lora, args.first), args.steps,
        rate=args.rate, decay=args.decay, batch_tokens=args.batch_tokens, longest=_LONGEST, seed=args.seed,
    )  # fmt: skip
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tuner = Tuner(args.out, args.base, recipe, rows, start=args.start)
    for record in tuner.run():
        if tuner.step % _EVERY == 0:
            left = (args.steps - tuner.step) * record["seconds"] / tuner.step / 60
            speed = record["tokens"] / record["seconds"]
            say(f"{tuner.step}/{args.steps}  loss {record['loss']:.3f}  {speed:.0f} tokens/s  {left:.0f} min left")
        if tuner.step % args.every == 0 or tuner.step == args.steps:
            tuner.save_adapter(args.out / f"step-{tuner.step}.safetensors")
            tuner.save_adapter(args.out / WEIGHTS_FILE)
            loss = {"held_out": round(tuner.held_out_loss(held), 4)} if held else {}
            say(json.dumps({"step": tuner.step, "tokens": tuner.tokens, **loss}))
    return 0


def _rows(base: Path, files: list[Path]) -> "list[Row]":
    from spark_tui.engine.tokenizer import Tokenizer
    from spark_tui.training.bases import SPECIALS
    from spark_tui.training.rows import make_row, read_regions

    tokenizer = Tokenizer.read(base)
    end = tokenizer.special(SPECIALS[0])
    found = (make_row(region, tokenizer.encode, end, longest=_LONGEST) for region in read_regions(files))
    return [row for row in found if row is not None]
