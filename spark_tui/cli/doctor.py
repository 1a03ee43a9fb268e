"""`spark doctor`: what is installed, whether it works, and what to do where it does not."""

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from spark_tui import __version__
from spark_tui.cli import output
from spark_tui.cli.common import (
    CANNOT_EDIT,
    backend_of,
    can_edit,
    check_pace,
    quotes,
    trusted_project,
)
from spark_tui.config import (
    ABILITIES,
    Endpoint,
    Settings,
    cache_dir,
    config_dir,
    load_settings,
    state_dir,
)
from spark_tui.errors import ModelError, Problems, SparkError
from spark_tui.own_folders import remedy, trouble_in
from spark_tui.resources import themes_dir

if TYPE_CHECKING:
    from spark_tui.providers.probe import Probed
    from spark_tui.vcs.repository import Repository

_MOST_DETAILS = 8
_INDENT = 19
"""Columns before what is found."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Args:
        needed: Spark cannot work without it.
        advice: What to do when it is not ok.
        details: What the repository could run, where that is more than one thing.
    """

    name: str
    ok: bool
    value: str
    advice: str = ""
    needed: bool = False
    details: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark doctor`."""
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument(
        "-m",
        "--model",
        help="look at this model; of an endpoint, ask what it takes, with a token each",
    )
    parser.add_argument(
        "--keys",
        action="store_true",
        help='print every action and its keys, as in [keys] of config.toml; "" unbinds an action',
    )


def run(args: argparse.Namespace) -> int:
    """Look at everything.

    Returns:
        1 when something needed is missing.
    """
    if args.keys:
        return _show_keys(Path(args.folder), as_json=args.json)
    findings = list(findings_of(Path(args.folder), args.model))
    asked, table = _endpoint(Path(args.folder), args.model)
    findings += asked
    if args.json:
        told: dict[str, Any] = {"version": 1, "findings": [asdict(each) for each in findings]}
        output.show_json(told | ({"abilities": table} if table else {}))
    else:
        for each in findings:
            for line in lines_of(each):
                output.show_line(line)
        for line in ability_lines(table):
            output.show_line(line)
    return int(any(each.needed and not each.ok for each in findings))


def _show_keys(folder: Path, *, as_json: bool) -> int:
    """Print every action with its keys; of the user's own, those that can be.

    Returns:
        1 when others cannot be.
    """
    from spark_tui.tui.app import keymap
    from spark_tui.tui.keymap import written

    problems = Problems()
    keys = keymap(load_settings(project=trusted_project(folder), problems=problems), problems)
    table = {action: " ".join(map(written, keys.keys(action))) for action in keys.does}
    if as_json:
        output.show_json({"version": 1, "keys": table, "problems": problems.found})
        return int(bool(problems.found))
    for action, pressed in table.items():
        may = ' (can be "")' if action in keys.optional else ""
        output.show_line(f"{action:<18} = {json.dumps(pressed):<15} # {keys.does[action]}{may}")
    for problem in problems.found:
        output.say(f"spark: {problem}")
    return int(bool(problems.found))


def lines_of(finding: Finding) -> list[str]:
    """A finding as lines: one, and below it the first of its details."""
    if finding.ok:
        sign = "ok  "
    elif finding.needed:
        sign = "FAIL"
    else:
        sign = "note"
    advice = f"; {finding.advice}" if finding.advice and not finding.ok else ""
    details = finding.details[:_MOST_DETAILS]
    more = len(finding.details) - _MOST_DETAILS
    rest = [f"and {more} more: `spark trust`"] if more > 0 else []
    below = [f"{'':<{_INDENT}}{each}" for each in (*details, *rest)]
    return [f"{sign}  {finding.name:<12} {finding.value}{advice}", *below]


def ability_lines(table: Mapping[str, bool | None]) -> list[str]:
    """What an endpoint takes, as a table: name, yes, no or unknown, and what it brings."""
    words = {True: "yes", False: "no", None: "unknown"}
    return [f"  {name:<24}{words[taken]:<9}{ABILITIES[name]}" for name, taken in table.items()]


def _endpoint(folder: Path, name: str | None) -> tuple[list[Finding], Mapping[str, bool | None]]:
    """Ask an endpoint what it takes, where one is named.

    Returns:
        Findings and its abilities.
    """
    settings, _ = _settings(folder, name)
    endpoint = settings.models.get(name or "")
    if endpoint is None:
        return [], {}
    from spark_tui.providers.openai_client import Server

    server = Server(endpoint, folder=cache_dir() / "endpoints")
    output.say(f"spark: asking {endpoint.name} what it takes, a token each")
    try:
        probed = server.probe()
    except SparkError as e:
        return [Finding("endpoint", ok=False, value=str(e), needed=True)], {}
    finally:
        server.close()
    table = server.abilities.table()
    taken = sum(each is True for each in table.values())
    value = f"{endpoint.name} takes {taken} of {len(table)} things that it was asked for"
    findings = [Finding("endpoint", ok=True, value=value), *_context(endpoint, probed)]
    return [*findings, *_missed(endpoint, table)], table


def _missed(endpoint: Endpoint, table: Mapping[str, bool | None]) -> Iterator[Finding]:
    """Say what is missed without the abilities that a server lacks; nothing of those that do not
    matter to its settings.
    """

    def missed(value: str, *names: str) -> Iterator[Finding]:
        if not any(table[name] for name in names):
            yield Finding("missed", ok=False, value=value)

    if endpoint.format == "quoting":
        return  # such a model is asked over /completions, about which the table says nothing
    yield from missed(
        "no log-probabilities: an edit is shown as unsure unless its file is parsed", "logprobs"
    )
    yield from missed(
        "no going on: an answer that broke off goes on from its last whole line",
        "continue_final_message",
        "prefix",
        "prefill",
    )
    if endpoint.format == "search_replace":
        yield from missed(
            "no grammar: a block may search for lines that no file has, and is then left out",
            "grammar",
            "structured_outputs",
            "guided_grammar",
        )
    if endpoint.thinking != "on":
        yield from missed(
            f'no say in how long it thinks: thinking = "{endpoint.thinking}" does nothing',
            "reasoning_effort",
            "enable_thinking",
        )


def _context(endpoint: Endpoint, probed: "Probed") -> Iterator[Finding]:
    """Whether a server reads as many tokens as the settings say; nothing where it does not tell."""
    if probed.abilities.get("num_ctx") and endpoint.abilities.get("num_ctx") is not False:
        value = f"Ollama is asked to read {endpoint.context} tokens with every request"
        yield Finding("context", ok=True, value=value)
        return
    reads = probed.context
    if reads is None and not probed.ollama:
        return
    here = f"context = {reads or 4096} in [models.{endpoint.name}]"
    there = f"set OLLAMA_CONTEXT_LENGTH={endpoint.context} for Ollama" if probed.ollama else ""
    advice = f"{there or 'start the server with more'}, or say {here}"
    if reads is None:
        value = "Ollama does not tell how many tokens it reads, 4096 where nothing else is set"
        yield Finding("context", ok=False, value=value, advice=advice)
        return
    value = f"{endpoint.name} reads {reads} tokens, the settings say {endpoint.context}"
    yield Finding("context", reads >= endpoint.context, value, advice)


def findings_of(folder: Path, model: str | None = None) -> Iterator[Finding]:
    """Everything spark depends on, in the order in which it is needed.

    Args:
        folder: Whose repository to look at.
        model: Its name, where it is not the settings' own.
    """
    from spark_tui.tui.themes import read_themes

    yield Finding(
        "spark", ok=True, value=f"{__version__} in {Path(__file__).resolve().parent.parent}"
    )
    yield Finding(
        "python", ok=True, value=f"{platform.python_version()} on {platform.platform(terse=True)}"
    )
    settings, problems = _settings(folder, model)
    for problem in problems.found:
        yield Finding("settings", ok=False, value=problem, needed=True)
    if not problems.found:
        yield Finding(
            "settings",
            ok=True,
            value=f"model {settings.model}, theme {settings.theme}",
            needed=True,
        )
    broken = read_themes([themes_dir(), config_dir() / "themes"]).broken
    others = (problem for name, problem in broken.items() if name != settings.theme)
    yield from (Finding("theme", ok=False, value=each, advice="it is skipped") for each in others)
    yield _git()
    if not problems.lacks_file:  # the file may define the model
        yield _tried("model", lambda: _model(settings), needed=True)
    yield _tried("arithmetic", _arithmetic, needed=True)
    yield _tried("kernels", lambda: _kernels(settings), needed=True)
    yield _tried("weights", lambda: _weights(settings))
    yield _tried("repository", lambda: _repository(folder))
    yield from _files(folder)
    yield from _trust(folder)
    yield from _standing(folder, settings)
    yield _state()
    yield _terminal()
    yield _extra("torch", "train", "`spark train`")
    yield _extra("llama-cpp-python", "bench", "a peer in `spark bench`")


def _tried(name: str, look: Callable[[], str], *, needed: bool = False) -> Finding:
    try:
        return Finding(name, ok=True, value=look(), needed=needed)
    except SparkError as e:
        return Finding(name, ok=False, value=str(e), needed=needed)


def _settings(folder: Path, model: str | None = None) -> tuple[Settings, Problems]:
    """Those that can be used, and all that is wrong with the others."""
    from spark_tui.tui.app import check_look

    problems = Problems()
    flags = {"model": model}
    settings = load_settings(flags, project=trusted_project(folder), problems=problems)
    with problems.collected():
        check_pace(settings)
    check_look(settings, problems)
    return settings, problems


def _git() -> Finding:
    from spark_tui.vcs.git import MINIMUM_VERSION, git_version

    least = ".".join(map(str, MINIMUM_VERSION))
    try:
        found = git_version()
    except SparkError as e:
        return Finding("git", ok=False, value=str(e), needed=True)
    return Finding(
        "git", found >= MINIMUM_VERSION, ".".join(map(str, found)), f"install git {least} or newer"
    )


def _model(settings: Settings) -> str:
    if endpoint := settings.models.get(settings.model):
        return f"{endpoint.name}: {endpoint.model} at {endpoint.base_url}{_key(endpoint.key_env)}"
    from spark_tui.engine.loader import find_model, load

    loaded = load(find_model(settings.model), backend_of(settings))
    if not can_edit(loaded.path):
        raise ModelError(f"{loaded.name} {CANNOT_EDIT}; name another model, see `spark model list`")
    words = [f"{loaded.name}, {loaded.bytes / 1e6:.0f} MB in memory"]
    if experts := getattr(loaded.model, "experts", ""):
        words.append(experts)
    return ", ".join([*words, f"loaded in {loaded.load_seconds * 1000:.0f} ms"])


def _key(variable: str) -> str:
    if not variable:
        return ""
    return f", with the key in ${variable}" + (
        "" if os.environ.get(variable) else ", which is not set"
    )


def _arithmetic() -> str:
    import numpy as np

    config = cast("dict[str, Any]", np.show_config(mode="dicts"))
    blas = config["Build Dependencies"]["blas"]
    return (
        f"numpy {np.__version__} float32, {blas.get('name', 'unknown BLAS')} "
        f"{blas.get('version', '')}"
    ).strip()


def _kernels(settings: Settings) -> str:
    from spark_tui.engine.backend import instructions, why_not_compiled

    backend = backend_of(settings)
    if settings.kernels == "numpy":
        return "numpy, as the settings say"
    if reason := why_not_compiled():
        return f"numpy: compiled code cannot run here, {reason}"
    with_ = f", {instructions()}" if settings.bits < 32 else ""
    shape = f"{settings.bits}-bit weights{with_}, {backend.workers} threads"
    if not backend.is_ready and backend.problem:
        return f"numpy: compiled code cannot be kept, {backend.problem}"
    state = "compiled" if backend.is_ready else "not compiled yet; the first edit waits for it"
    return f"{state} ({shape})"


def _weights(settings: Settings) -> str:
    """What is kept so that models start sooner; it can be removed at any time."""
    files = backend_of(settings).weights_kept
    if not files:
        return "none cached for compiled code yet; the first start of a large model does it"
    size = sum(_bytes_on_disk(file) for file in files)
    count = len({file.stem for file in files})
    many = "1 model" if count == 1 else f"{count} models"
    return f"{many} cached for compiled code, {size / 1e6:,.1f} MB in {files[0].parent}"


def _bytes_on_disk(file: Path) -> int:
    """What a file takes; one with experts may be mostly a hole."""
    found = file.stat()
    return min(found.st_size, 512 * getattr(found, "st_blocks", found.st_size))


def _repository(folder: Path) -> str:
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(folder)
    repo.check_head()
    head = repo.head
    commit = f"commit {head[:10]}" if head else "no commits yet"
    return f"{repo.root}, {f'branch {repo.branch}' if repo.branch else 'detached HEAD'}, {commit}"


def _files(folder: Path) -> Iterator[Finding]:
    """What the file system of a work tree lacks, and what follows; nothing without a repository.

    It is tried out in git's own folder, where no editor looks, unless that is on another device.
    """
    from spark_tui.vcs.file_system import examine
    from spark_tui.vcs.repository import Repository

    try:
        repo = Repository.discover(folder)
        is_near = repo.git_dir.stat().st_dev == repo.root.stat().st_dev
        found = examine(repo.git_dir if is_near else repo.root)
    except SparkError:
        return
    except OSError as e:
        advice = "see the owner and permissions of the repository"
        yield Finding("files", ok=False, value=f"cannot be tried out: {e.strerror}", advice=advice)
        return
    yield _ability(
        "exchange",
        found.exchanges,
        "two files are swapped in one step",
        "this file system cannot swap two files in one step",
        "save nothing in an editor while spark writes",
    )
    yield _ability(
        "open files",
        found.leases,
        "the system says whether a program has a file open for writing",
        "the system does not say whether a program has a file open for writing",
        "save in your editor before you accept",
    )
    yield _ability(
        "attributes",
        found.attributes,
        "extended attributes and access lists are kept",
        "files have no extended attributes and access lists here",
        "tags and access lists of a file that is copied here are lost",
    )
    yield _names(repo)


def _ability(name: str, has: bool, can: str, cannot: str, advice: str) -> Finding:
    """Say whether a file system has an ability.

    Args:
        can, cannot: The words for either case.
    """
    if has:
        return Finding(name, ok=True, value=can)
    return Finding(name, ok=False, value=cannot, advice=advice)


def _names(repo: "Repository") -> Finding:
    """Whether case tells names apart, and whether git knows."""
    if not repo.ignores_case:
        return Finding("names", ok=True, value="case tells names apart")
    if repo.is_set("core.ignorecase"):
        return Finding("names", ok=True, value="case does not tell names apart, as git knows")
    value = "case does not tell names apart, which git does not know"
    return Finding("names", ok=False, value=value, advice="`git config core.ignorecase true`")


def _trust(folder: Path) -> Iterator[Finding]:
    """What the repository could run; nothing where there is none."""
    from spark_tui.vcs.policy import PROJECT_CONFIG, Trust
    from spark_tui.vcs.repository import Repository

    try:
        repo = Repository.discover(folder)
        trust = Trust(repo, state_dir())
        trusted = trust.trusted
        reasons = trust.restricted
    except SparkError:
        return
    if not trusted and (repo.root / PROJECT_CONFIG).exists():
        unread = [f"{PROJECT_CONFIG} is not read"]
    else:
        unread = []
    known = "trusted" if trusted else "no hooks, no settings that run programs"
    if reasons:
        advice = "staging, commits and --check wait for `spark trust`"
    else:
        advice = "`spark trust` reads it"
    found = (*reasons, *unread)
    if len(found) > 1:
        known = f"{len(found)} things to look at"
    yield Finding(
        "trust",
        not found,
        found[0] if len(found) == 1 else known,
        advice,
        details=found[1:] and found,
    )


def _standing(folder: Path, settings: Settings) -> Iterator[Finding]:
    """Standing instructions, which a model that only edits does not take; nothing where there
    are none.
    """
    from spark_tui.session.ask import standing_instructions
    from spark_tui.vcs.repository import Repository

    try:
        found = standing_instructions(Repository.discover(folder), folder)
    except SparkError:
        return
    takes = settings.model in settings.models or _is_chat(settings.model)
    advice = f"{settings.model} reads no standing instructions; put them in the prompt"
    if found.files:
        value = ", ".join(found.files) + (", cut" if found.cut else "")
        yield Finding("AGENTS.md", ok=takes, value=value, advice="" if takes else advice)


def _is_chat(name: str) -> bool:
    """Whether a model can be told more than a request."""
    from spark_tui.engine.loader import find_model

    try:
        return not quotes(find_model(name))
    except SparkError:
        return False


def _state() -> Finding:
    """Whether there can be something in its folder; what permissions say is not all of it."""
    folder = state_dir()
    existing = next(each for each in (folder, *folder.parents) if os.access(each, os.F_OK))
    try:
        TemporaryDirectory(dir=existing).cleanup()
        if trouble := trouble_in(folder):
            raise trouble
    except OSError as e:
        advice = remedy(e, folder, "XDG_STATE_HOME")
        return Finding(
            "state", ok=False, value=f"{folder}: {e.strerror}", advice=advice, needed=True
        )
    return Finding("state", ok=True, value=str(folder), needed=True)


def _terminal() -> Finding:
    size = shutil.get_terminal_size()
    colours = os.environ.get("COLORTERM") or "no COLORTERM"
    encoding = getattr(
        sys.__stdout__, "encoding", "no encoding"
    )  # sys.stdout is the screen's while that is open
    value = (
        f"{os.environ.get('TERM', 'no TERM')}, {colours}, {size.columns}x{size.lines}, {encoding}"
    )
    return Finding(
        "terminal", size.columns >= 80 and size.lines >= 24, value, "spark needs 80x24 or more"
    )


def _extra(package: str, extra: str, purpose: str) -> Finding:
    try:
        return Finding(package, ok=True, value=version(package))
    except PackageNotFoundError:
        advice = f"for {purpose}: pip install 'spark-tui[{extra}]'"
        return Finding(package, ok=False, value="not installed", advice=advice)
