"""`spark train`: hands over to the training room, which needs the extra `train`."""

import argparse

from spark_tui.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the training room declares."""
    from spark_tui.training import commands

    commands.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run data, run or eval. Raises: UsageError: it needs a library that is not installed."""
    from spark_tui.engine.blas import use_one_blas_thread
    from spark_tui.training import commands

    if args.train_command == "eval":
        use_one_blas_thread()
    try:
        return commands.run(args)
    except ModuleNotFoundError as e:
        if e.name is None or e.name.partition(".")[0] != "torch":
            raise
        raise UsageError("training needs PyTorch, which is not installed: pip install 'spark-tui[train]'") from e
