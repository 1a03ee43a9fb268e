"""`spark train`: hands over to the training room, which needs the extra `train`.

The training room knows no session, so the model that `calibrate`, `eval` and `commits` ask is made
here.
"""

import argparse

from spark_tui.config import cache_dir, load_settings
from spark_tui.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the training room declares."""
    from spark_tui.training import commands

    commands.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run a command of the training room.

    Raises:
        UsageError: The command needs a library that is not installed.
    """
    from spark_tui.training import commands

    args.packages = cache_dir() / "packages"
    if args.train_command in {"calibrate", "eval"}:
        return _with_model(args)
    if args.train_command == "commits" and args.keep_likelier:
        return _keep_likelier(args)
    try:
        return commands.run(args)
    except ModuleNotFoundError as e:
        if e.name is None or e.name.partition(".")[0] != "torch":
            raise
        raise UsageError(
            "training needs PyTorch, which is not installed: pip install 'spark-tui[train]'"
        ) from e


def _with_model(args: argparse.Namespace) -> int:
    """Measure what a model answers.

    Raises:
        UsageError: The model has no calibration.
    """
    from spark_tui.cli.common import ready_backend
    from spark_tui.cli.train_eval import calibrate, evaluate
    from spark_tui.config import added_models
    from spark_tui.engine.loader import find_model, load
    from spark_tui.providers.calibration import FILE_NAME, Calibration
    from spark_tui.providers.registry import Models, ProviderHost
    from spark_tui.session.second_model import SecondModel

    backend = ready_backend(load_settings())
    loaded = load(find_model(args.model), backend)
    if args.train_command == "calibrate":
        return calibrate(args, loaded)
    calibration = Calibration.read(loaded.path)
    if calibration is None:
        advice = "which says when it is sure; `spark train calibrate` makes it"
        raise UsageError(f"{loaded.name} has no {FILE_NAME}, {advice}")
    second: SecondModel | None = None
    if args.judge:
        host = ProviderHost(Models(backend, added_models()).load(args.judge))
        second = SecondModel(host.in_use, lambda: host)
    return evaluate(args, loaded, calibration, second)


def _keep_likelier(args: argparse.Namespace) -> int:
    """Find commits whose words a model finds likelier with their change than without."""
    from functools import partial

    from spark_tui.cli.common import ready_backend
    from spark_tui.engine.loader import find_model, load
    from spark_tui.training import commits
    from spark_tui.training.evaluate import describes_change, likelihood_of

    loaded = load(find_model(args.model), ready_backend(load_settings()))
    return commits.run(args, partial(describes_change, likelihood=likelihood_of(loaded)))
