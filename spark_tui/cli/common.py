"""What several commands begin with: settings, the repository, a session."""

import argparse
import codecs
import io
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.config import Settings, added_models, cache_dir, load_settings, state_dir
from spark_tui.errors import FileError, ModelError, Problems, RepoError, UsageError
from spark_tui.resources import models_dir

if TYPE_CHECKING:
    from spark_tui.engine.backend import Backend
    from spark_tui.session.session import Session
    from spark_tui.session.telemetry import Telemetry
    from spark_tui.vcs.batches import Batches

CANNOT_EDIT = (
    "cannot edit: it was not trained to (`spark train`) and has no chat template; it "
    "is for measuring only"
)
_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """-m, --model."""
    parser.add_argument(
        "-m", "--model", help="a model's name (`spark model list`) or a model folder"
    )


def add_pace_argument(parser: argparse.ArgumentParser) -> None:
    """--pace."""
    words = (
        "show tokens no faster than this: wse3, wse2, h200, h100, a100 (simulated, for "
        "this model), DEVICE:MODEL, N"
    )
    parser.add_argument(
        "--pace",
        metavar="PACE",
        help=f"{words} tokens a second (0.1 to 1,000,000), or real (default)",
    )


def settings_of(
    args: argparse.Namespace,
    *,
    in_full: bool = False,
    tell: Callable[[str], object] | None = None,
) -> Settings:
    """The settings with the flags in force, and the project's where it is trusted.

    Args:
        in_full: See whether there are such a model and such a pace, too.
        tell: Hears that a project is not trusted; None: the user does.

    Raises:
        UsageError: All that is wrong.
    """
    flags = {
        key: value for key, value in vars(args).items() if key in Settings.__dataclass_fields__
    }
    problems = Problems()
    settings = load_settings(
        flags,
        project=trusted_project(Path(args.folder), tell=tell or notice),
        problems=problems,
    )
    if in_full or problems.found:
        _refuse_wrong(settings, problems)
    return settings


def _refuse_wrong(settings: Settings, problems: Problems) -> None:
    """Refuse settings that are wrong, all of them at once and with where they stand.

    Keys and theme, which take long to look at, are left to the screen where nothing else is wrong,
    and to nobody where there is no screen.

    Args:
        problems: Those that were found already.

    Raises:
        UsageError.
    """
    with problems.collected():
        check_pace(settings)
    if not problems.lacks_file:
        with problems.collected():
            _check_model(settings)
    if problems.found:
        from spark_tui.tui.app import check_look

        check_look(settings, problems)
    problems.tell()


def check_pace(settings: Settings) -> None:
    """Refuse what is no pace.

    Raises:
        UsageError: It, and where it stands.
    """
    if settings.pace == "real":
        return
    from spark_tui.session import pace

    try:
        pace.check_pace(settings.pace)
    except UsageError as e:
        raise UsageError(f"{settings.sources.get('pace', 'pace')}: {e}") from e


def _check_model(settings: Settings) -> None:
    if (
        settings.model in settings.models
        or (models_dir() / settings.model).is_dir()
        or Path(settings.model).exists()
    ):
        return
    from spark_tui.engine.loader import find_model

    try:
        find_model(settings.model)
    except UsageError as e:
        where = settings.sources.get("model", "model")
        raise UsageError(f"{where}: {e}", e.detail) from e


def _check_others(settings: Settings) -> None:
    """Refuse a name of another model that nothing has.

    Raises:
        UsageError: It, and where it stands.
    """
    from spark_tui.engine.loader import find_model

    named = {settings.sources.get("deep", "deep"): settings.deep}
    named |= {f"[models.{name}] fallback": each.fallback for name, each in settings.models.items()}
    for where, name in named.items():
        if not name or name in settings.models:
            continue
        try:
            find_model(str(added_models().get(name, name)))
        except UsageError as e:
            raise UsageError(f"{where}: {e}", e.detail) from e


def trusted_project(folder: Path, *, tell: Callable[[str], object] = str) -> Path | None:
    """The configuration of the repository a folder lies in, when the user trusts it.

    Args:
        tell: Hears where not.
    """
    start = folder.absolute()
    top = next((each for each in (start, *start.parents) if (each / ".git").exists()), start)
    if not (place := top / ".spark" / "config.toml").exists():
        return None
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository

    try:
        if Trust(Repository.discover(folder), state_dir()).trusted:
            return place
    except (RepoError, FileError):
        return None  # whoever opens the repository says why
    tell(f"{place} is not read until you trust this repository; see `spark trust`")
    return None


def notice(words: str) -> None:
    """Say on stderr what the user should know."""
    output.say(f"spark: {words}")


_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The encodings that byte order marks tell; UTF-32's begins with UTF-16's, so that one is first."""


def read_stdin() -> str:
    """Read all text of stdin: UTF-8, or the encoding of the byte order mark before the text.

    Raises:
        UsageError: The bytes are no text in that encoding.
    """
    if not isinstance(sys.stdin, io.TextIOWrapper) or sys.stdin.isatty():
        return sys.stdin.read()
    data: bytes = sys.stdin.buffer.read()
    encodings = (encoding for mark, encoding in _MARKS.items() if data.startswith(mark))
    encoding = next(encodings, "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as e:
        byte = f"byte 0x{e.object[e.start]:02x} at {e.start}"
        raise UsageError(f"stdin is not {encoding.upper()} ({byte}); send the text as UTF-8") from e
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def backend_of(settings: Settings) -> "Backend":
    """What models compute with.

    Raises:
        UsageError: Nothing that there is.
    """
    from spark_tui.engine.backend import Backend

    return Backend(settings.kernels, settings.bits, folder=cache_dir() / "kernels")


def ready_backend(settings: Settings, say: Callable[[str], None] = notice) -> "Backend":
    """What models compute with, code compiled first if need be.

    Args:
        say: Hears of that.

    Numpy would compute with whole weights, so that an edit near the line between shown and not fell
    to its other side.
    """
    from spark_tui.engine.backend import COMPILING

    backend = backend_of(settings)
    if backend.may_be_built:
        say(COMPILING)
        backend.build()
    return backend


def open_session(
    folder: Path,
    settings: Settings,
    *,
    once: bool = False,
    tell: Callable[[str], None] = notice,
) -> "Session":
    """Find the repository, then load the model, unless an endpoint answers.

    Args:
        once: For a single turn, for which the session is prepared and after which nothing of it is
            kept.
        tell: Hears that code is compiled first.

    Raises:
        RepoError, UsageError, ModelError.
    """
    from spark_tui.engine.loader import find_model
    from spark_tui.providers.quoting_provider import remote_of
    from spark_tui.providers.registry import Models
    from spark_tui.session.session import Session
    from spark_tui.session.turn_store import SessionStore
    from spark_tui.vcs.journal import JournalName
    from spark_tui.vcs.repository import Repository

    _check_others(settings)
    endpoint = settings.models.get(settings.model)
    path = find_model(None if endpoint else settings.model)
    repo = Repository.discover(folder)
    _refuse_unable(path)
    name = JournalName(repo, state_dir() / "journals").name
    backend = backend_of(settings) if endpoint else ready_backend(settings, tell)
    from spark_tui.cli.catalogue import catalogue

    formats = {name: each.format for name, each in catalogue().items()}
    known = cache_dir() / "endpoints"
    models = Models(
        backend,
        added_models(),
        settings.models,
        _refuse_unable,
        settings.local_format,
        formats,
        known,
        settings.local_thinking,
    )
    session = Session(
        repo,
        partial(models.load_from, path) if endpoint else models.load_from(path),
        state_dir(),
        journal_bytes=settings.journal_megabytes << 20,
        sessions=None if once else SessionStore(state_dir() / "sessions" / name, tell=notice),
        models=models,
        remote=remote_of(endpoint, added_models(), known) if endpoint else None,
        folder=folder,
        deep=settings.deep,
        telemetry=telemetry_of(settings),
    )
    if once:
        session.prepare()
        for words in session.take_notices():
            notice(words)
    return session


def telemetry_of(settings: Settings) -> "Telemetry":
    """What notes the figures of turns, if the user wants that."""
    from spark_tui.session.telemetry import Telemetry

    return Telemetry(state_dir() if settings.telemetry else None)


def _refuse_unable(path: Path) -> None:
    from spark_tui.engine.loader import model_name

    if not can_edit(path):
        raise ModelError(
            f"{model_name(path)} {CANNOT_EDIT}; name another model, see `spark model list`"
        )


def open_batches(args: argparse.Namespace) -> "Batches":
    """The journal's operations for a repository, without a model.

    Raises:
        RepoError, UsageError.
    """
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

    most_bytes = settings_of(args).journal_megabytes << 20
    batches = Batches(
        Repository.discover(Path(args.folder)), state_dir(), tell=notice, most_bytes=most_bytes
    )
    if batches.older is not None:
        notice(
            f"this repository has no journal yet; {batches.older} belongs to another, perhaps "
            f"one it is a copy of"
        )
    batches.recover_at_start()
    return batches


def can_edit(path: Path) -> bool:
    """Whether a model was taught to edit, or can be told what to do.

    Raises:
        ModelError: A file is damaged.
    """
    from spark_tui.providers.chat_model import template_of

    return quotes(path) or template_of(path) is not None


def quotes(path: Path) -> bool:
    """Whether a model was taught spark's own edit format.

    Raises:
        ModelError: What says so is damaged.
    """
    from spark_tui.providers.calibration import Calibration

    return path.is_dir() and Calibration.read(path) is not None


@contextmanager
def ended_once() -> Iterator[None]:
    """Let the first signal that ends programs raise KeyboardInterrupt; those after it leave
    cleaning up undisturbed.
    """
    before = {
        each: handler for each in _SIGNALS if (handler := signal.getsignal(each)) != signal.SIG_IGN
    }

    def end(*_: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    for each in before:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
