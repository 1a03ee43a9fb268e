"""`python -m spark_tui.training`: as `spark train`, where only what trains is installed."""

import argparse
import sys
from collections.abc import Sequence

from spark_tui.config import cache_dir
from spark_tui.errors import SparkError, UsageError
from spark_tui.training import commands
from spark_tui.training.dataset import say


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command of `spark train` that asks no model; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m spark_tui.training")
    commands.add_arguments(parser)
    args = parser.parse_args(argv)
    args.packages = cache_dir() / "packages"
    try:
        if args.train_command not in commands.COMMANDS:
            raise UsageError(f"run it as `spark train {args.train_command}`: it asks a model")
        return commands.run(args)
    except SparkError as error:
        say(f"error: {error}")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
