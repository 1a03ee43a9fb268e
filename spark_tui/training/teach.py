"""`spark train base|round|rows|tune|pack|calibrate`: makes a base and teaches it to edit."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError
from spark_tui.training.dataset import say
from spark_tui.training.recipe import entry_types

if TYPE_CHECKING:
    from spark_tui.training.batches import PackedRows

_DEFAULT = "(default: %(default)s)"


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the subcommands."""
    help_ = "make a folder to train of a GGUF file or a model folder"
    base = commands.add_parser("base", help=help_)
    base.add_argument("source", type=Path)
    base.add_argument("--out", type=Path, required=True)
    base.add_argument("--vocabulary", type=int, help="tokens to keep (default: all)")
    rounding = commands.add_parser(
        "round", help="make a base of four bits of one in half precision"
    )
    rounding.add_argument("base", type=Path)
    rounding.add_argument(
        "--data",
        type=Path,
        nargs="+",
        default=[],
        help="files of requests, whose code is measured",
    )
    rounding.add_argument("--rows", type=int, default=50, help=f"regions measured {_DEFAULT}")
    rounding.add_argument(
        "--importance",
        type=Path,
        help="the measured importance: read if it exists, else written",
    )
    rounding.add_argument("--out", type=Path, required=True)
    rows = commands.add_parser("rows", help="write requests as one compact file of token rows")
    rows.add_argument("model", type=Path, help="the folder with the tokenizer")
    rows.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of written requests")
    rows.add_argument("--out", type=Path, required=True, metavar="ROWS.npz")
    rows.add_argument(
        "--no-redirects",
        action="store_true",
        help="add no requests that correct others, as is right for what is held out",
    )
    _add_tune(commands)
    pack = commands.add_parser("pack", help="put a trained adapter into a model folder, in 8 bits")
    pack.add_argument(
        "adapters",
        type=_weighted_path,
        nargs="+",
        metavar="ADAPTER[=WEIGHT]",
        help="a file, or a folder of a run or of pieces; of several, the mean of their changes",
    )
    pack.add_argument("model", type=Path, help="their base; adapter.gguf is written there")
    pack.add_argument("--rank", type=int, help="of the mean (default: the largest of theirs)")
    help_ = "learn how far to trust the probabilities of a model that edits"
    calibrate = commands.add_parser("calibrate", help=help_)
    help_ = "its folder; answering.json is written there"
    calibrate.add_argument("-m", "--model", required=True, help=help_)
    help_ = "cases, or files of written requests"
    calibrate.add_argument("--cases", type=Path, nargs="+", required=True, help=help_)
    help_ = "the model was taught to read the last accepted edit"
    calibrate.add_argument("--conversation", action="store_true", help=help_)
    help_ = f"asked of what is called sure {_DEFAULT}"
    calibrate.add_argument("--precision", type=float, default=0.85, help=help_)


def _add_tune(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `tune`."""
    help_ = "teach a base to edit; goes on where the folder holds a checkpoint"
    tune = commands.add_parser("tune", help=help_)
    tune.add_argument("--base", type=Path, required=True, help="a folder of `base` or `round`")
    tune.add_argument(
        "--data",
        type=_weighted_path,
        nargs="+",
        required=True,
        metavar="FILE[=WEIGHT]",
        help="of requests, or of rows; 2: twice a pass, 0.5: another half of it each pass",
    )
    tune.add_argument(
        "--held",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE",
        help="whose loss is reported",
    )
    tune.add_argument("--out", type=Path, required=True, help="checkpoint, log and adapter go here")
    tune.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help=_DEFAULT)
    tune.add_argument("--start", type=Path, metavar="ADAPTER", help="begin from this one")
    budget = tune.add_mutually_exclusive_group(required=True)
    budget.add_argument("--seconds", type=float, help="of training, from the first step on")
    budget.add_argument("--steps", type=int, help="0: only the losses that are held out")
    tune.add_argument("--every", type=float, metavar="SECONDS", help="between two evaluations")
    tune.add_argument("--pieces", type=float, metavar="MIB", help="write the adapter in pieces")
    tune.add_argument("--random", action="store_true", help="weights that mean nothing, as a trial")
    tune.add_argument("--recipe", type=Path, metavar="TOML", help="in place of the shipped one")
    overrides = tune.add_argument_group("entries of the recipe, in place of those in the file")
    for name, kind in entry_types().items():
        flag = f"--{name.replace('_', '-')}"
        if kind is bool:
            overrides.add_argument(flag, action=argparse.BooleanOptionalAction, default=None)
        else:
            overrides.add_argument(flag, type=kind)


def _weighted_path(text: str) -> tuple[Path, float]:
    """Split FILE=WEIGHT; the weight is 1 where none is given."""
    # the last one, since a path may hold another
    path, mark, weight = text.rpartition("=")
    if not mark:
        return Path(text), 1.0
    value = float(weight)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"the weight of {path} must be more than 0")
    return Path(path), value


def make_base(args: argparse.Namespace) -> int:
    """`spark train base`."""
    from spark_tui.training.base_model import write_base

    write_base(args.source, args.out, vocabulary=args.vocabulary)
    return 0


def round_base(args: argparse.Namespace) -> int:
    """`spark train round`."""
    from safetensors.torch import load_file, save_file

    from spark_tui.training.quantization import importance_of, write_rounded

    if args.importance and args.importance.is_file():
        importance = load_file(args.importance)
    elif args.data:
        rows = _regions(args.base, args.data)
        # evenly over the rows, which are ordered by file
        chosen = range(0, len(rows), max(1, len(rows) // args.rows))
        importance = importance_of(args.base, [rows[number] for number in chosen])
        if args.importance:
            save_file(importance, args.importance)
    else:
        advice = "name request files with --data, or what was measured with --importance"
        raise UsageError(f"nothing to measure; {advice}")
    for part in write_rounded(args.base, importance, args.out):
        say(f"{part}: {part.stat().st_size / 1e6:.0f} MB")
    return 0


def write_rows(args: argparse.Namespace) -> int:
    """`spark train rows`."""
    from spark_tui.training.batches import pack_requests

    rows, summary = pack_requests(args.model, args.files, redirects=not args.no_redirects)
    rows.write(args.out)
    say(f"{args.out}: {summary}, {args.out.stat().st_size / 1e6:.1f} MB")
    return 0


def tune(args: argparse.Namespace) -> int:
    """`spark train tune`."""
    from spark_tui.training.finetune import run_tuning

    return run_tuning(args)


def pack(args: argparse.Namespace) -> int:
    """`spark train pack`: writes a single adapter as it is, and the mean of several."""
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.export import write_adapter
    from spark_tui.engine.lora import GGUF_FILE
    from spark_tui.training.adapters import WeightedAdapter, mean_of_adapters, read_any_adapter

    config = ModelConfig.read(args.model)
    path = args.model / GGUF_FILE
    adapters = list[WeightedAdapter]()
    for source, weight in args.adapters:
        pairs, scale = read_any_adapter(source, config)
        adapters.append(WeightedAdapter(pairs, scale, weight))
    if len(adapters) == 1 and args.rank is None:
        pairs = adapters[0].pairs
        scale = adapters[0].scale
        rank = adapters[0].rank
    else:
        mean = mean_of_adapters(adapters, args.rank)
        pairs = mean.pairs
        scale = mean.scale
        rank = mean.rank
        say(f"rank {rank}: {mean.lost:.2%} of the squared change is lost")
    # files hold alpha, and readers divide it by the rank
    write_adapter(path, config, pairs, scale * rank)
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def _regions(base: Path, files: list[Path]) -> "PackedRows":
    from spark_tui.training.batches import pack_requests

    return pack_requests(base, files, redirects=False)[0]
