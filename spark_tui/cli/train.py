"""`spark train`: hands over to the training room, which needs the extra `train`."""

import argparse
from importlib.util import find_spec

from spark_tui.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the training room declares."""
    if find_spec("torch") is None:
        parser.add_argument("rest", nargs=argparse.REMAINDER, help="needs PyTorch: pip install 'spark-tui[train]'")
        return
    from spark_tui.training import commands

    commands.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run data, run or eval. Raises: UsageError: PyTorch is not installed."""
    if find_spec("torch") is None:
        raise UsageError("training needs PyTorch, which is not installed: pip install 'spark-tui[train]'")
    from spark_tui.training import commands

    return int(commands.run(args))
