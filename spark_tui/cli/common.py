"""The common parts of commands: flags, settings, stdin, trust, signals, and a session.

`open_session` is the center: it goes from settings to a repository and the model that answers.
"""

import argparse
import codecs
import io
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from threading import Lock
from typing import TYPE_CHECKING, Any

from spark_tui.cli import output
from spark_tui.config import (
    Endpoint,
    Settings,
    added_models,
    cache_dir,
    load_settings,
    state_dir,
)
from spark_tui.errors import (
    ConsentMissing,
    FileError,
    ModelError,
    Problems,
    RepoError,
    SparkError,
    UsageError,
)
from spark_tui.resources import models_dir

if TYPE_CHECKING:
    from spark_tui.engine.backend import Backend
    from spark_tui.providers.registry import Far, LoadedModel, LoadFrom, Models
    from spark_tui.providers.served_client import FoundServer
    from spark_tui.session.session import Session
    from spark_tui.session.telemetry import Telemetry
    from spark_tui.session.turn_store import SessionStore
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

CANNOT_EDIT = (
    "cannot edit: it was not trained to (`spark train`) and has no chat template; it "
    "is for measuring only"
)
_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def add_model_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--model`."""
    parser.add_argument(
        "-m", "--model", help="a model's name (`spark model list`) or a model folder"
    )


def add_no_serve_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--no-serve`."""
    parser.add_argument(
        "--no-serve", action="store_true", help="use no engine of `spark serve`, if one runs"
    )


def add_pace_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--pace`."""
    words = (
        "show tokens no faster than this: wse3, wse2, h200, h100, a100 (simulated, for "
        "this model), DEVICE:MODEL, N"
    )
    parser.add_argument(
        "--pace",
        metavar="PACE",
        help=f"{words} tokens a second (0.1 to 1,000,000), or real (default)",
    )


@contextmanager
def advising_to_allow() -> Iterator[None]:
    """Name the flag that consents where a request would send what may hold secrets.

    Raises:
        UsageError: It would; the message has the flag.
    """
    try:
        yield
    except ConsentMissing as e:
        allowed = " ".join(f"--allow {quote(path)}" for path in e.paths)
        raise UsageError(f"{e}; {allowed} permits it") from e


def notice(words: str) -> None:
    """Say on stderr what the user should know."""
    output.say(f"spark: {words}")


def settings_of(
    args: argparse.Namespace,
    *,
    in_full: bool = False,
    tell: Callable[[str], object] = notice,
) -> Settings:
    """Read the settings, with the flags in force, and the project's where it is trusted.

    Args:
        args: The arguments of a command.
        in_full: Also check that the model and the pace exist.
        tell: Hears that a project is not trusted.

    Raises:
        UsageError: All that is wrong.
    """
    flags = {}
    for name, value in vars(args).items():
        if name in Settings.__dataclass_fields__:
            flags[name] = value
    problems = Problems()
    project = trusted_project(Path(args.folder), tell=tell)
    settings = load_settings(flags, project=project, problems=problems)
    if in_full or problems.found:
        _refuse_wrong(settings, problems)
    return settings


def _refuse_wrong(settings: Settings, problems: Problems) -> None:
    """Refuse settings that are wrong, all of them at once and with where they stand.

    Keys and theme take long to check. Where nothing else is wrong they are left to the screen, and
    a command without a screen does not check them.

    Args:
        problems: The problems that were found already.

    Raises:
        UsageError: All that is wrong.
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
    """Refuse a setting that is no pace.

    Raises:
        UsageError: The setting, and where it stands.
    """
    if settings.pace == "real":
        return
    from spark_tui.session import pace

    try:
        pace.check_pace(settings.pace)
    except UsageError as e:
        raise UsageError(f"{settings.sources.get('pace', 'pace')}: {e}") from e


def _check_model(settings: Settings) -> None:
    """Refuse a model that does not exist; the common cases need no import of the engine."""
    is_endpoint = settings.model in settings.models
    is_shipped = (models_dir() / settings.model).is_dir()
    if is_endpoint or is_shipped or Path(settings.model).exists():
        return
    from spark_tui.engine.loader import find_model

    try:
        find_model(settings.model)
    except UsageError as e:
        where = settings.sources.get("model", "model")
        raise UsageError(f"{where}: {e}", e.detail) from e


def _check_others(settings: Settings) -> None:
    """Refuse the name of another model that does not exist.

    Raises:
        UsageError: The name, and where it stands.
    """
    from spark_tui.providers.registry import SECOND_MODEL

    names = {settings.sources.get("deep", "deep"): settings.deep}
    if settings.judge != SECOND_MODEL:  # which is asked where it is there, and not missed
        names[settings.sources.get("judge", "judge")] = settings.judge
    for endpoint in settings.models.values():
        names[f"[models.{endpoint.name}] fallback"] = endpoint.fallback
    for where, name in names.items():
        if not name or name in settings.models:
            continue
        from spark_tui.engine.loader import find_model

        try:
            find_model(str(added_models().get(name, name)))
        except UsageError as e:
            raise UsageError(f"{where}: {e}", e.detail) from e


def trusted_project(folder: Path, *, tell: Callable[[str], object] = str) -> Path | None:
    """Return the configuration of the repository around a folder, when the user trusts it.

    Args:
        folder: A folder in a work tree, or anywhere.
        tell: Called with a sentence where there is a configuration that is not trusted.
    """
    config = _repository_root(folder) / ".spark" / "config.toml"
    if not config.exists():
        return None
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository

    try:
        if Trust(Repository.discover(folder), state_dir()).trusted:
            return config
    except (RepoError, FileError):
        return None  # whoever opens the repository says why
    tell(f"{config} is not read until you trust this repository; see `spark trust`")
    return None


def _repository_root(folder: Path) -> Path:
    """Return the folder with `.git` above a folder, without git, which takes long to start."""
    start = folder.absolute()
    for root in (start, *start.parents):
        if (root / ".git").exists():
            return root
    return start


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
    encoding = _encoding_of(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as e:
        byte = f"byte 0x{e.object[e.start]:02x} at {e.start}"
        raise UsageError(f"stdin is not {encoding.upper()} ({byte}); send the text as UTF-8") from e
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _encoding_of(data: bytes) -> str:
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    return "utf-8"


def backend_of(settings: Settings) -> "Backend":
    """Return the arithmetic of models, as the settings choose it.

    Raises:
        UsageError: The settings name kernels that do not exist.
    """
    from spark_tui.cli.catalogue import catalogue
    from spark_tui.engine.backend import Backend

    listed = catalogue()
    own_bits = {}
    for name, path in added_models().items():
        if name in listed and listed[name].bits:
            own_bits[path] = listed[name].bits
    return Backend(
        settings.kernels, settings.bits, folder=cache_dir() / "kernels", own_bits=own_bits
    )


def ready_backend(settings: Settings, say: Callable[[str], None] = notice) -> "Backend":
    """Return the arithmetic of models, compiled first if need be.

    Numpy would compute with whole weights instead of rounded ones, and an edit whose confidence is
    near the threshold could fall on its other side.

    Args:
        settings: Choose the kernels and the bits of a weight.
        say: Called before code is compiled.
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
    serve: bool = False,
    talks: bool = False,
    is_late: bool = False,
    repo: "Repository | None" = None,
    shared: "LoadedModels | None" = None,
    tell: Callable[[str], None] = notice,
) -> "Session":
    """Find the repository, then load the model, unless an endpoint or a server answers.

    Args:
        folder: A folder of the work tree.
        settings: Name the model.
        once: Prepare the session for a single turn, and keep nothing of it.
        serve: Use the engine of `spark serve`, if one runs that gives the same answers.
        talks: The session is for questions, which a chat model of the server answers, too.
        is_late: Look for the model, and load it, only once a turn needs it.
        repo: The repository of the folder; None to look for it.
        shared: The models of several sessions, each loaded once and only once a turn needs it.
        tell: Called when code must be compiled first.

    Raises:
        RepoError, UsageError, ModelError: There is no such repository or model.
    """
    from spark_tui.providers.registry import SECOND_MODEL
    from spark_tui.session.session import Session
    from spark_tui.vcs.repository import Repository

    # Who answers: an endpoint, a server of this machine, or a model of this process, which may be
    # looked for and loaded only once a turn needs it.
    endpoint = settings.models.get(settings.model)
    repo = repo or Repository.discover(folder)
    path: Path | None = None
    server: FoundServer | None = None
    if serve and not endpoint:
        path, server = _find_served(settings, talks=talks, is_late=is_late)
    elif not is_late:
        path = _find_own(settings)
    is_awaited = is_late or (shared is not None and not (endpoint or server))
    is_needed_now = not (endpoint or server or is_awaited)
    # A model that is loaded later has its kernels compiled then.
    backend: Backend | Callable[[], Backend] = partial(backend_of, settings)
    if is_needed_now:
        backend = ready_backend(settings, tell)
    models = _models_of(settings, backend)
    if shared is not None:
        models = replace(models, share=shared.load)

    def load() -> "LoadedModel":
        found = path or _find_own(settings)
        return models.share(found, models.load_from)

    sessions = None if once else sessions_of(repo)
    session = Session(
        repo,
        load() if is_needed_now else load,
        state_dir(),
        journal_bytes=settings.journal_megabytes << 20,
        sessions=sessions,
        models=models,
        remote=_remote_of(endpoint),
        folder=folder,
        deep=settings.deep,
        judge=models.second_model if settings.judge == SECOND_MODEL else settings.judge,
        next_edit_model=settings.next_edit_model,
        telemetry=telemetry_of(settings),
        model_name=_short_name(settings) if is_awaited else "",
        types=settings.types,
        is_for_one_edit=once,
    )
    # The session has a model of its own in any case; a server only goes before it.
    if path and server:
        _serve_from(server, session, path, notice if once else session.notices.append)
    if once and not is_late:
        session.prepare()
    if once:
        for words in session.take_notices():
            notice(words)
    return session


def sessions_of(repo: "Repository") -> "SessionStore":
    """Return the saved sessions of a repository."""
    from spark_tui.session.turn_store import SessionStore
    from spark_tui.vcs.journal import JournalName

    name = JournalName(repo, state_dir() / "journals").name
    return SessionStore(state_dir() / "sessions" / name, tell=notice)


class LoadedModels:
    """Models that several sessions of a process share, each loaded once. Mutable; thread-safe."""

    def __init__(self) -> None:
        self._loading = Lock()
        self._loaded: dict[Path, LoadedModel] = {}

    def load(self, path: Path, load_from: "LoadFrom") -> "LoadedModel":
        """Return a model, which takes a while the first time.

        Args:
            path: The files of the model.
            load_from: Loads it.

        Raises:
            ModelError: The model cannot be used.
        """
        with self._loading:
            if path not in self._loaded:
                self._loaded[path] = load_from(path)
            return self._loaded[path]


def _models_of(settings: Settings, backend: "Backend | Callable[[], Backend]") -> "Models":
    """Return the models that a session can change to."""
    from spark_tui.cli.catalogue import catalogue
    from spark_tui.providers.registry import Models

    return Models(
        backend,
        added_models(),
        settings.models,
        _refuse_unable,
        settings.local_format,
        {listed.name: listed.format for listed in catalogue().values()},
        cache_dir() / "endpoints",
        settings.local_thinking,
    )


def _remote_of(endpoint: Endpoint | None) -> "Far | None":
    """Return the provider of an endpoint, if there is one; the network is imported then."""
    if endpoint is None:
        return None
    from spark_tui.providers.quoting_provider import remote_of

    return remote_of(endpoint, added_models(), cache_dir() / "endpoints")


def _short_name(settings: Settings) -> str:
    """Return the name of the model, which may not exist."""
    from spark_tui.engine.loader import model_name

    return model_name(Path(settings.model))


def _find_own(settings: Settings) -> Path:
    """Find the model of this process: where an endpoint answers, the default one stands by.

    Raises:
        UsageError, ModelError: There is no such model, or the model cannot edit.
    """
    from spark_tui.engine.loader import find_model

    _check_others(settings)
    path = find_model(None if settings.model in settings.models else settings.model)
    _refuse_unable(path)
    return path


def _find_served(
    settings: Settings, *, talks: bool, is_late: bool
) -> "tuple[Path | None, FoundServer | None]":
    """Find the model of this process, and the server that runs it in the same way.

    Args:
        settings: Name the model.
        talks: Whether a question is asked.
        is_late: Whether a model is not missed before a turn needs one.

    Returns:
        The model, or None where none is missed; its server, or None where none runs the model.

    Raises:
        UsageError, ModelError: As of `_find_own`.
    """
    # A model that is shipped is found without the engine, which nobody with a server need import.
    shipped = models_dir() / settings.model
    server = _server_for(shipped, settings, talks=talks)
    if server:
        _check_others(settings)
        _refuse_unable(shipped)
        return shipped, server
    try:
        path = _find_own(settings)
    except SparkError:
        if not is_late:
            raise
        return None, None
    if path != shipped:
        server = _server_for(path, settings, talks=talks)
    return path, server


def _server_for(path: Path, settings: Settings, *, talks: bool) -> "FoundServer | None":
    """Return the server that runs a model as this process would.

    Edits of a chat model are written here: what such a model reads is more than the calls tell.

    Args:
        path: The model.
        settings: The settings, which choose the arithmetic.
        talks: Whether a question is asked.
    """
    from spark_tui.providers.serve_socket import is_ours, socket_path

    place = socket_path()
    if place is None or not is_ours(place) or not path.exists():
        return None
    if not (quotes(path) or talks):
        return None
    from spark_tui.providers.served_client import find_server

    return find_server(place, path, settings)


def _serve_from(
    server: "FoundServer", session: "Session", path: Path, tell: Callable[[str], None]
) -> None:
    """Let a server answer in a session.

    Args:
        server: The server.
        session: The session.
        path: The model of both.
        tell: Hears that the server went away.
    """
    from spark_tui.providers.calibration import Calibration
    from spark_tui.providers.served_client import ServedClient
    from spark_tui.providers.served_model import ServedFacts

    calibration = None
    if path.is_dir():
        calibration = Calibration.read(path)
    facts = ServedFacts(server.model, server.context, calibration or Calibration())
    session.host.serve_from(ServedClient(server.path), facts, tell, talks=calibration is None)


def telemetry_of(settings: Settings) -> "Telemetry":
    """Return the notes of the figures of turns, which are off where the user does not want them."""
    from spark_tui.session.telemetry import Telemetry

    return Telemetry(state_dir() if settings.telemetry else None)


def _refuse_unable(path: Path) -> None:
    if not can_edit(path):
        from spark_tui.engine.loader import model_name

        raise ModelError(
            f"{model_name(path)} {CANNOT_EDIT}; name another model, see `spark model list`"
        )


def open_batches(args: argparse.Namespace) -> "Batches":
    """Open the journal of a repository, without a model.

    Raises:
        RepoError, UsageError: There is no repository, or a setting is wrong.
    """
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(Path(args.folder))
    most_bytes = settings_of(args).journal_megabytes << 20
    batches = Batches(repo, state_dir(), tell=notice, most_bytes=most_bytes)
    if batches.older is not None:
        notice(
            f"this repository has no journal yet; {batches.older} belongs to another, perhaps "
            f"one it is a copy of"
        )
    batches.recover_at_start()
    return batches


def can_edit(path: Path) -> bool:
    """Whether a model was trained to edit, or has a chat template to be asked with.

    Raises:
        ModelError: A file of the model is damaged.
    """
    if quotes(path):
        return True
    from spark_tui.providers.chat_model import template_of

    return template_of(path) is not None


def quotes(path: Path) -> bool:
    """Whether a model was trained for spark's own edit format.

    Raises:
        ModelError: The calibration is damaged.
    """
    from spark_tui.providers.calibration import Calibration

    return path.is_dir() and Calibration.read(path) is not None


@contextmanager
def ended_once() -> Iterator[None]:
    """Let the first signal that ends programs raise KeyboardInterrupt, and ignore later ones.

    A second KeyboardInterrupt would break off the cleanup.
    """
    handlers: dict[int, Any] = {}
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler != signal.SIG_IGN:  # `nohup` asks to ignore it, say
            handlers[number] = handler

    def end(*_: object) -> None:
        for number in handlers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in handlers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
