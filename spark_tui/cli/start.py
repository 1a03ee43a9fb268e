"""What several commands begin with: settings, the repository, a session."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.config import Settings, load_settings, state_dir

if TYPE_CHECKING:
    from spark_tui.session.session import Session
    from spark_tui.vcs.batches import Batches


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """-m, --model."""
    parser.add_argument("-m", "--model", help="a model's name (`spark model list`) or a model folder")


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings with the flags in force. Raises: UsageError."""
    known = Settings.__dataclass_fields__
    return load_settings({key: value for key, value in vars(args).items() if key in known})


def open_session(folder: Path, settings: Settings) -> "Session":
    """Find the repository, then load the model. Raises: RepoError, UsageError, ModelError."""
    from spark_tui.engine.blas import use_one_blas_thread

    use_one_blas_thread()
    from spark_tui.engine.library import find_model, load
    from spark_tui.session.session import Session
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(folder)
    session = Session(repo, load(find_model(settings.model)), state_dir())
    session.prepare()
    return session


def open_batches(args: argparse.Namespace) -> "Batches":
    """The journal's operations for a repository, without a model. Raises: RepoError."""
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

    return Batches(Repository.discover(Path(args.folder)), state_dir())
