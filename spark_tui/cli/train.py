"""`spark train`: hands over to the training room, which needs the extra `train`."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from spark_tui.errors import UsageError

if TYPE_CHECKING:
    from spark_tui.session.asking import Asker


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the training room declares."""
    from spark_tui.training import commands

    commands.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run data, run or eval. Raises: UsageError: it needs a library that is not installed."""
    from spark_tui.config import cache_dir
    from spark_tui.training import commands

    args.packages = cache_dir() / "packages"
    try:
        return _with_model(args) if args.train_command in {"rank", "eval", "calibrate"} else commands.run(args)
    except ModuleNotFoundError as e:
        if e.name is None or e.name.partition(".")[0] != "torch":
            raise
        raise UsageError("training needs PyTorch, which is not installed: pip install 'spark-tui[train]'") from e


def _with_model(args: argparse.Namespace) -> int:
    """Measure what a turn answers, or learn what counts how much in its choice."""
    from spark_tui.answering.calibration import Calibration
    from spark_tui.cli.start import measured_backend, notice
    from spark_tui.config import load_settings
    from spark_tui.engine.blas import use_one_blas_thread
    from spark_tui.engine.library import find_model, load
    from spark_tui.session.asking import Asker
    from spark_tui.training import commands

    use_one_blas_thread()
    loaded = load(find_model(args.model), measured_backend(load_settings(), notice))
    calibration = Calibration.read(loaded.path)
    if args.train_command == "calibrate" or calibration is not None:
        from spark_tui.cli.train_quoting import calibrate, evaluate

        return (calibrate if args.train_command == "calibrate" else evaluate)(
            args, loaded, calibration or Calibration()
        )
    if args.train_command == "rank":
        commands.rank(args, loaded.path, Asker(loaded).kinds)
    else:
        _evaluate(args, loaded.name, Asker(loaded, cautious=not args.bold))
    return 0


def _evaluate(args: argparse.Namespace, model: str, asker: "Asker") -> None:
    from spark_tui.session.fixing.trial import BUDGET_SECONDS
    from spark_tui.training import commands

    if not args.check:
        if args.budget is not None:
            raise UsageError("--budget is for the search with --check; add --check")
        return commands.evaluate(args, model, asker.ask)
    budget = BUDGET_SECONDS if args.budget is None else args.budget
    return commands.evaluate_repairs(args, model, asker.ask, partial(asker.repair, budget=budget), budget)
