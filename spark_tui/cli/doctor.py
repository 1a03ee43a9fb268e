"""`spark doctor` and `spark trust`: tell whether spark works here, and what a repository could run.

`findings_of` makes the checks of this machine, `_endpoint` those of a server (`-m NAME`). As with
every command, a batch that a crash cut short is brought to an end first.
"""

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from spark_tui import __version__, system
from spark_tui.cli import output
from spark_tui.cli.common import (
    CANNOT_EDIT,
    backend_of,
    can_edit,
    check_pace,
    quotes,
    trusted_project,
)
from spark_tui.cli.main import Subcommand
from spark_tui.config import (
    ABILITIES,
    Endpoint,
    Settings,
    added_models,
    cache_dir,
    config_dir,
    load_settings,
    state_dir,
)
from spark_tui.errors import ModelError, Problems, SparkError, UsageError
from spark_tui.own_folders import remedy, trouble_in
from spark_tui.resources import themes_dir

if TYPE_CHECKING:
    from spark_tui.providers.probe import Probed
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository


_MOST_DETAILS = 8
_INDENT = 19
"""Columns before the value of a finding."""
_OLLAMA_CONTEXT = 4096
"""Tokens that Ollama reads where nothing else is set."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check.

    Attributes:
        name: The name of the check.
        ok: Whether all is well.
        value: The result, in words.
        advice: The remedy where all is not well.
        needed: Whether spark cannot work without it.
        details: What the repository could run, where that is more than one thing.
    """

    name: str
    ok: bool
    value: str
    advice: str = ""
    needed: bool = False
    details: tuple[str, ...] = ()


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
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


def run_doctor(args: argparse.Namespace) -> int:
    """Look at everything that spark depends on.

    Returns:
        1 when something needed is missing.
    """
    folder = Path(args.folder)
    if args.keys:
        return _show_keys(folder, as_json=args.json)
    findings = list(findings_of(folder, args.model))
    endpoint_findings, abilities = _endpoint(folder, args.model)
    findings += endpoint_findings
    if args.json:
        body: dict[str, Any] = {
            "version": 1,
            "findings": [asdict(finding) for finding in findings],
        }
        if abilities:
            body["abilities"] = abilities
        output.show_json(body)
    else:
        for finding in findings:
            for line in lines_of(finding):
                output.show_line(line)
        if any(takes is not None for takes in abilities.values()):
            for line in ability_lines(abilities):
                output.show_line(line)
    return int(any(finding.needed and not finding.ok for finding in findings))


def _show_keys(folder: Path, *, as_json: bool) -> int:
    """Print every action with its keys, the user's own among them.

    Returns:
        1 when keys of the user's own cannot be bound.
    """
    from spark_tui.tui.app import keymap
    from spark_tui.tui.keymap import written

    problems = Problems()
    settings = load_settings(project=trusted_project(folder), problems=problems)
    keys = keymap(settings, problems)
    table = {}
    for action in keys.does:
        table[action] = " ".join(map(written, keys.keys(action)))
    if as_json:
        output.show_json({"version": 1, "keys": table, "problems": problems.found})
        return int(bool(problems.found))
    for action, pressed in table.items():
        may = ' (can be "")' if action in keys.optional else ""
        output.show_line(f"{action:<18} = {json.dumps(pressed):<15} # {keys.does[action]}{may}")
    for problem in problems.found:
        output.say(f"spark: {problem}")
    return int(bool(problems.found))


def lines_of(finding: CheckResult) -> list[str]:
    """Return a finding as lines: the finding, and below it the first of its details."""
    if finding.ok:
        sign = "ok  "
    elif finding.needed:
        sign = "FAIL"
    else:
        sign = "note"
    line = f"{sign}  {finding.name:<12} {finding.value}"
    if finding.advice and not finding.ok:
        line += f"; {finding.advice}"
    lines = [line]
    indent = " " * _INDENT
    for detail in finding.details[:_MOST_DETAILS]:
        lines.append(indent + detail)
    more = len(finding.details) - _MOST_DETAILS
    if more > 0:
        lines.append(f"{indent}and {more} more: `spark trust`")
    return lines


def ability_lines(abilities: Mapping[str, bool | None]) -> list[str]:
    """Return a table of what an endpoint takes: the name, yes, no or unknown, and its meaning."""
    words = {True: "yes", False: "no", None: "unknown"}
    lines = []
    for name, takes in abilities.items():
        lines.append(f"  {name:<24}{words[takes]:<9}{ABILITIES[name]}")
    return lines


def _endpoint(
    folder: Path, name: str | None
) -> tuple[list[CheckResult], Mapping[str, bool | None]]:
    """Ask an endpoint what it takes, where the user names one.

    Returns:
        Findings, and the abilities of the endpoint, as far as they are known.
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
        failed = CheckResult("endpoint", ok=False, value=str(e), needed=True)
        return [failed], server.abilities.table()
    finally:
        server.close()
    abilities = server.abilities.table()
    count = list(abilities.values()).count(True)
    value = f"{endpoint.name} takes {count} of {len(abilities)} things that it was asked for"
    findings = [CheckResult("endpoint", ok=True, value=value), *_context(endpoint, probed)]
    return [*findings, *_missed(endpoint, abilities)], abilities


def _missed(endpoint: Endpoint, abilities: Mapping[str, bool | None]) -> Iterator[CheckResult]:
    """Say what is missed without the abilities that a server lacks.

    Abilities that do not matter to the endpoint's settings are left out.
    """

    def missed(value: str, *names: str) -> Iterator[CheckResult]:
        if not any(abilities[name] for name in names):
            yield CheckResult("missed", ok=False, value=value)

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


def _context(endpoint: Endpoint, probed: "Probed") -> Iterator[CheckResult]:
    """Compare the tokens that a server reads with the settings, where the server tells them."""
    if probed.abilities.get("num_ctx") and endpoint.abilities.get("num_ctx") is not False:
        value = f"Ollama is asked to read {endpoint.context} tokens with every request"
        yield CheckResult("context", ok=True, value=value)
        return
    reads = probed.context
    if reads is None and not probed.ollama:
        return
    advice = "start the server with more"
    if probed.ollama:
        advice = f"set OLLAMA_CONTEXT_LENGTH={endpoint.context} for Ollama"
    advice += f", or say context = {reads or _OLLAMA_CONTEXT} in [models.{endpoint.name}]"
    if reads is None:
        value = (
            f"Ollama does not tell how many tokens it reads, {_OLLAMA_CONTEXT} where nothing else "
            f"is set"
        )
        yield CheckResult("context", ok=False, value=value, advice=advice)
        return
    value = f"{endpoint.name} reads {reads} tokens, the settings say {endpoint.context}"
    yield CheckResult("context", reads >= endpoint.context, value, advice)


def findings_of(folder: Path, model: str | None = None) -> Iterator[CheckResult]:
    """Check everything that spark depends on, in the order of need.

    Args:
        folder: A folder of the repository to look at.
        model: The name of a model to check instead of the one in the settings.
    """
    package = Path(__file__).resolve().parent.parent
    yield CheckResult("spark", ok=True, value=f"{__version__} in {package}")
    python = f"{platform.python_version()} on {system.describe_machine()}"
    yield CheckResult("python", ok=True, value=python)
    settings, problems = _settings(folder, model)
    for problem in problems.found:
        yield CheckResult("settings", ok=False, value=problem, needed=True)
    if not problems.found:
        value = f"model {settings.model}, theme {settings.theme}"
        yield CheckResult("settings", ok=True, value=value, needed=True)
    yield from _themes(settings)
    yield _git(folder)
    if not problems.lacks_file:  # the file may define the model
        yield _tried("model", lambda: _model(settings), needed=True)
    yield _tried("arithmetic", _arithmetic, needed=True)
    yield _tried("kernels", lambda: _kernels(settings), needed=True)
    yield _tried("weights", lambda: _weights(settings))
    yield _second_model()
    yield _tried("repository", lambda: _repository(folder))
    yield from _journal(folder)
    yield from _files(folder)
    yield from _trust(folder)
    yield from _types(folder, settings)
    yield from _standing(folder, settings)
    yield _state()
    yield _server(settings)
    yield _terminal()
    yield _extra("torch", "train", "`spark train`")
    yield _extra("llama-cpp-python", "bench", "a peer in `spark bench`")
    yield _extra("agent-client-protocol", "agents", "`spark acp` and `spark task @NAME`")
    yield from _agents(folder, settings)
    yield _tried_commands()


def _themes(settings: Settings) -> Iterator[CheckResult]:
    """Name the themes that cannot be read; the one in use is among the settings."""
    from spark_tui.tui.themes import read_themes

    broken = read_themes([themes_dir(), config_dir() / "themes"]).broken
    for name, problem in broken.items():
        if name != settings.theme:
            yield CheckResult("theme", ok=False, value=problem, advice="it is skipped")


def _tried(name: str, look: Callable[[], str], *, needed: bool = False) -> CheckResult:
    try:
        return CheckResult(name, ok=True, value=look(), needed=needed)
    except SparkError as e:
        return CheckResult(name, ok=False, value=str(e), needed=needed)


def _settings(folder: Path, model: str | None = None) -> tuple[Settings, Problems]:
    """Return the settings that can be used, and all that is wrong with the others."""
    from spark_tui.tui.app import check_look

    problems = Problems()
    flags = {"model": model}
    settings = load_settings(flags, project=trusted_project(folder), problems=problems)
    with problems.collected():
        check_pace(settings)
    check_look(settings, problems)
    return settings, problems


def _git(folder: Path) -> CheckResult:
    from spark_tui.vcs.git import MINIMUM_VERSION, git_version
    from spark_tui.vcs.repository import take_no_programs_around

    take_no_programs_around(folder)
    try:
        installed = git_version()
    except SparkError as e:
        return CheckResult("git", ok=False, value=str(e), needed=True)
    value = ".".join(map(str, installed))
    least = ".".join(map(str, MINIMUM_VERSION))
    return CheckResult("git", installed >= MINIMUM_VERSION, value, f"install git {least} or newer")


def _model(settings: Settings) -> str:
    if endpoint := settings.models.get(settings.model):
        return f"{endpoint.name}: {endpoint.model} at {endpoint.base_url}{_key(endpoint.key_env)}"
    from spark_tui.engine.loader import find_model, load

    loaded = load(find_model(settings.model), backend_of(settings))
    if not can_edit(loaded.path):
        raise ModelError(f"{loaded.name} {CANNOT_EDIT}; name another model, see `spark model list`")
    parts = [f"{loaded.name}, {loaded.bytes / 1e6:.0f} MB in memory"]
    experts = getattr(loaded.model, "experts", "")  # only a mixture has some
    if experts:
        parts.append(experts)
    parts.append(f"loaded in {loaded.load_seconds * 1000:.0f} ms")
    return ", ".join(parts)


def _key(variable: str) -> str:
    if not variable:
        return ""
    if os.environ.get(variable):
        return f", with the key in ${variable}"
    return f", with the key in ${variable}, which is not set"


def _arithmetic() -> str:
    import numpy as np

    config = cast("dict[str, Any]", np.show_config(mode="dicts"))
    blas = config["Build Dependencies"]["blas"]
    name = blas.get("name", "unknown BLAS")
    return f"numpy {np.__version__} float32, {name} {blas.get('version', '')}".strip()


def _kernels(settings: Settings) -> str:
    from spark_tui.engine.backend import instructions, why_not_compiled

    backend = backend_of(settings)
    if settings.kernels == "numpy":
        return "numpy, as the settings say"
    if reason := why_not_compiled():
        return f"numpy: compiled code cannot run here, {reason}"
    if not backend.is_ready and backend.problem:
        return f"numpy: compiled code cannot be kept, {backend.problem}"
    parts = [f"{settings.bits}-bit weights"]
    if settings.bits < 32:  # float32 goes through BLAS, whichever instructions there are
        parts.append(instructions())
    parts.append(f"{backend.workers} threads")
    state = "compiled" if backend.is_ready else "not compiled yet; the first edit waits for it"
    return f"{state} ({', '.join(parts)})"


def _weights(settings: Settings) -> str:
    """Measure the cache of packed weights, which can be removed at any time."""
    files = backend_of(settings).weights_kept
    if not files:
        return "none cached for compiled code yet; the first start of a large model does it"
    megabytes = sum(map(_bytes_on_disk, files)) / 1e6
    count = len({file.stem for file in files})
    models = "1 model" if count == 1 else f"{count} models"
    return f"{models} cached for compiled code, {megabytes:,.1f} MB in {files[0].parent}"


def _second_model() -> CheckResult:
    """Say whether the second model is there, or could be added."""
    from spark_tui.providers.registry import SECOND_MODEL, Models

    name = "second model"
    added = added_models()
    if Models(added=added).second_model:
        return CheckResult(name, ok=True, value=f"{SECOND_MODEL}, added, fits in memory")
    if SECOND_MODEL in added:
        value = f"{SECOND_MODEL} takes more memory than is free"
        return CheckResult(name, ok=False, value=value, advice="close other programs")
    value = f"none; `spark model add {SECOND_MODEL}` adds one, 1.1 GB"
    return CheckResult(name, ok=True, value=value)


def _bytes_on_disk(file: Path) -> int:
    """Return the bytes a file takes on disk; a file of experts may be mostly a hole."""
    status = file.stat()
    blocks: int | None = getattr(status, "st_blocks", None)  # Windows does not tell
    if blocks is None:
        return status.st_size
    return min(status.st_size, 512 * blocks)  # POSIX counts blocks of 512 bytes


def _repository(folder: Path) -> str:
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(folder)
    repo.check_head()
    head = repo.head
    branch = f"branch {repo.branch}" if repo.branch else "detached HEAD"
    commit = f"commit {head[:10]}" if head else "no commits yet"
    return f"{repo.root}, {branch}, {commit}"


def _journal(folder: Path) -> Iterator[CheckResult]:
    """Say how a batch ended that a crash cut short, or why the batch stays half done."""
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

    messages: list[str] = []
    try:
        batches = Batches(Repository.discover(folder), state_dir(), tell=messages.append)
        batches.recover_at_start()
    # `_repository` has said why, here and in the checks below
    except SparkError:
        return
    for words in messages:
        stays = words == batches.half_done
        yield CheckResult("journal", ok=False, value=words, needed=stays)


def _files(folder: Path) -> Iterator[CheckResult]:
    """Say what the file system of a work tree lacks, and what follows from that.

    The file system is tried out in git's own folder, where no editor looks, unless that folder is
    on another device.
    """
    from spark_tui.vcs.file_system import examine
    from spark_tui.vcs.repository import Repository

    try:
        repo = Repository.discover(folder)
        folder = repo.root
        if repo.git_dir.stat().st_dev == repo.root.stat().st_dev:
            folder = repo.git_dir
        abilities = examine(folder)
    except SparkError:
        return
    except OSError as e:
        advice = "see the owner and permissions of the repository"
        yield CheckResult(
            "files", ok=False, value=f"cannot be tried out: {e.strerror}", advice=advice
        )
        return
    yield _ability(
        "exchange",
        abilities.exchanges,
        "two files are swapped in one step",
        "this file system cannot swap two files in one step",
        "save nothing in an editor while spark writes",
    )
    yield _ability(
        "open files",
        abilities.leases,
        "the system says whether a program has a file open for writing",
        "the system does not say whether a program has a file open for writing",
        "save in your editor before you accept",
    )
    yield _ability(
        "attributes",
        abilities.attributes,
        "extended attributes and access lists are kept",
        "files have no extended attributes and access lists here",
        "tags and access lists of a file that is copied here are lost",
    )
    yield _names(repo)


def _ability(name: str, has: bool, can: str, cannot: str, advice: str) -> CheckResult:
    """Say whether a file system has an ability.

    Args:
        name: The name of the check.
        has: Whether the file system has the ability.
        can: The words for a file system that has it.
        cannot: The words for one that has not.
        advice: What to do without the ability.
    """
    if has:
        return CheckResult(name, ok=True, value=can)
    return CheckResult(name, ok=False, value=cannot, advice=advice)


def _names(repo: "Repository") -> CheckResult:
    """Say whether case tells names apart, and whether git knows."""
    if not repo.ignores_case:
        return CheckResult("names", ok=True, value="case tells names apart")
    if repo.is_set("core.ignorecase"):
        return CheckResult("names", ok=True, value="case does not tell names apart, as git knows")
    value = "case does not tell names apart, which git does not know"
    return CheckResult("names", ok=False, value=value, advice="`git config core.ignorecase true`")


def _trust(folder: Path) -> Iterator[CheckResult]:
    """Say what the repository could run; nothing where there is no repository."""
    from spark_tui.vcs.policy import PROJECT_CONFIG, Trust
    from spark_tui.vcs.repository import Repository

    try:
        repo = Repository.discover(folder)
        trust = Trust(repo, state_dir())
        trusted = trust.trusted
        reasons = trust.restricted
    except SparkError:
        return
    advice = "`spark trust` reads it"
    if reasons:
        advice = "staging, commits and --check wait for `spark trust`"
    doubts = [*reasons]
    if not trusted and (repo.root / PROJECT_CONFIG).exists():
        doubts.append(f"{PROJECT_CONFIG} is not read")
    if len(doubts) > 1:
        value = f"{len(doubts)} things to look at"
        details = tuple(doubts)
        yield CheckResult("trust", ok=False, value=value, advice=advice, details=details)
    elif doubts:
        yield CheckResult("trust", ok=False, value=doubts[0], advice=advice)
    else:
        value = "trusted" if trusted else "no hooks, no settings that run programs"
        yield CheckResult("trust", ok=True, value=value, advice=advice)


def _types(folder: Path, settings: Settings) -> Iterator[CheckResult]:
    """Say which language servers are installed, and whether they check edits here."""
    from spark_tui.session.language_servers.catalog import KINDS, TY, find_program, languages_of
    from spark_tui.session.language_servers.trial_run import find_problem
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository

    if not settings.types:
        yield CheckResult("types", ok=True, value="not checked, as the settings say")
        return
    try:
        repo = Repository.discover(folder)
        is_trusted = Trust(repo, state_dir()).trusted
    except SparkError:
        return
    found = False
    for kind in KINDS:
        program = find_program(kind, repo.root)
        if not program:
            continue
        found = True
        if problem := find_problem(kind, program, repo.root):
            value = f"{program} {problem}"
            yield CheckResult("types", ok=False, value=value, advice=kind.remedy)
            continue
        value = f"{program} checks edits of {languages_of(kind)}"
        # Some servers run build scripts or plugins of the repository.
        is_used = is_trusted or not kind.runs_code
        if not is_used:
            value = f"{program} is not asked: it may run what this repository holds"
        yield CheckResult("types", is_used, value, "`spark trust` allows that")
    if not found:
        advice = f"for Python: pip install 'spark-tui[checks]' brings {TY.program}"
        value = "no language server is installed"
        yield CheckResult("types", ok=False, value=value, advice=advice)


def _standing(folder: Path, settings: Settings) -> Iterator[CheckResult]:
    """Name the files of standing instructions, which a model that only edits does not take."""
    from spark_tui.session.ask import standing_instructions
    from spark_tui.vcs.repository import Repository

    try:
        instructions = standing_instructions(Repository.discover(folder), folder)
    except SparkError:
        return
    if not instructions.files:
        return
    value = ", ".join(instructions.files)
    if instructions.cut:
        value += ", cut"
    if settings.model in settings.models or _is_chat(settings.model):
        yield CheckResult("AGENTS.md", ok=True, value=value)
        return
    advice = f"{settings.model} reads no standing instructions; put them in the prompt"
    yield CheckResult("AGENTS.md", ok=False, value=value, advice=advice)


def _is_chat(name: str) -> bool:
    """Whether a model takes instructions beside a request."""
    from spark_tui.engine.loader import find_model

    try:
        return not quotes(find_model(name))
    except SparkError:
        return False


def _state() -> CheckResult:
    """Try out whether files can be written in the state folder: permissions do not tell all."""
    folder = state_dir()
    existing = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
    try:
        TemporaryDirectory(dir=existing).cleanup()
        if trouble := trouble_in(folder):
            raise trouble
    except OSError as e:
        value = f"{folder}: {e.strerror}"
        advice = remedy(e, folder, "XDG_STATE_HOME")
        return CheckResult("state", ok=False, value=value, advice=advice, needed=True)
    return CheckResult("state", ok=True, value=str(folder), needed=True)


def _server(settings: Settings) -> CheckResult:
    """Say whether `spark serve` runs, and whether commands here use its engine."""
    from spark_tui.engine.loader import find_model
    from spark_tui.providers.serve_socket import is_ours, socket_path
    from spark_tui.providers.served_client import ask_server, engine_id

    path = socket_path()
    if path is None:
        return CheckResult("serve", ok=True, value="none wanted, SPARK_SERVE is empty")
    body = None
    # a socket that somebody else could have put there is not spoken to
    if is_ours(path):
        body = ask_server(path, "GET", "/health")
    if body is None:
        return CheckResult("serve", ok=True, value=f"no server at {path}")
    value = f"{body.get('model')} at {path}, version {body.get('version')}"
    try:
        is_same = body.get("engine") == engine_id(find_model(settings.model), settings)
    except SparkError:
        is_same = False
    advice = "another version, model or setting: commands run their own; start the server again"
    return CheckResult("serve", is_same, value, "" if is_same else advice)


def _terminal() -> CheckResult:
    size = shutil.get_terminal_size()
    term = os.environ.get("TERM", "no TERM")
    colors = os.environ.get("COLORTERM") or "no COLORTERM"
    # While the screen is open, sys.stdout is its own.
    encoding = getattr(sys.__stdout__, "encoding", "no encoding")
    value = f"{term}, {colors}, {size.columns}x{size.lines}, {encoding}"
    is_large = size.columns >= 80 and size.lines >= 24
    return CheckResult("terminal", is_large, value, "spark needs 80x24 or more")


def _agents(folder: Path, settings: Settings) -> Iterator[CheckResult]:
    """Say of every agent whether its program can be started."""
    from spark_tui.tasks.agents.registry import find_program
    from spark_tui.vcs.repository import Repository

    root = folder.resolve()
    with suppress(SparkError):
        root = Repository.discover(folder).root
    for agent in settings.agents.values():
        yield _tried(f"@{agent.name}", partial(find_program, agent, root))


def _tried_commands() -> CheckResult:
    """Say where the commands of a task run, and what they can do there."""
    from spark_tui.tasks.sandbox import UNCONFINED, Sandbox
    from spark_tui.vcs.temporary_folder import TemporaryFolder

    with closing(TemporaryFolder("doctor")) as made:
        (made.path / "tree").mkdir()
        sandbox = Sandbox(made.path / "tree", made.path / "scratch")
        details = [f"{what:<8} {words}" for what, words in sandbox.describe().items()]
    value = "the commands of a task run in bubblewrap" if sandbox.is_confined else UNCONFINED
    return CheckResult("commands", ok=sandbox.is_confined, value=value, details=tuple(details))


def _extra(package: str, extra: str, purpose: str) -> CheckResult:
    try:
        return CheckResult(package, ok=True, value=version(package))
    except PackageNotFoundError:
        advice = f"for {purpose}: pip install 'spark-tui[{extra}]'"
        return CheckResult(package, ok=False, value="not installed", advice=advice)


def add_trust_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark trust`."""
    parser.add_argument("--yes", action="store_true", help="trust it without asking")
    parser.add_argument("--revoke", action="store_true", help="trust it no longer")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one object; only --yes and --revoke change anything",
    )


def run_trust(args: argparse.Namespace) -> int:
    """Show what the repository could run and trust it, or stop doing so.

    Returns:
        1 when the answer was no.

    Raises:
        UsageError: The options contradict each other, or there is no terminal to ask on.
    """
    if args.yes and args.revoke:
        raise UsageError("--yes and --revoke contradict each other; leave one out")
    from spark_tui.vcs.policy import Trust
    from spark_tui.vcs.repository import Repository

    repo = Repository.discover(Path(args.folder))
    trust = Trust(repo, state_dir())
    if args.revoke:
        trust.revoke()
    # Without --json, `_grant` shows what is trusted before it is.
    elif args.json and args.yes:
        trust.grant()
    if args.json:
        body = {
            "version": 1,
            "repository": str(repo.root),
            "trusted": trust.trusted,
            "programs": trust.programs,
            "restricted": trust.restricted,
            "config": trust.config,
        }
        output.show_json(body)
    elif args.revoke:
        output.show_line(f"{repo.root} is not trusted")
    else:
        return _grant(trust, repo.root, yes=args.yes)
    return 0


def _grant(trust: "Trust", root: Path, *, yes: bool) -> int:
    if trust.trusted:
        output.show_line(f"{root} is trusted; `spark trust --revoke` ends that")
        return 0
    # What is granted is what the user sees, not what stands there once the answer is typed.
    shown = trust.look()
    for line in _trust_lines(trust, root):
        output.show_line(line)
    if not yes and not _user_agrees():
        output.show_line("nothing changed; spark runs none of it")
        return 1
    trust.grant(shown)
    output.show_line(f"{root} is trusted until any of this changes; `spark trust --revoke` ends it")
    return 0


def _trust_lines(trust: "Trust", root: Path) -> list[str]:
    from spark_tui.vcs.policy import PROJECT_CONFIG

    reasons = trust.restricted
    config = trust.config
    lines = [f"{root} has no git hooks or settings to ask about"]
    if reasons:
        lines = [f"{root} could run, or point git to, once you stage, commit or check:"]
    for reason in reasons:
        lines.append(f"  {reason}")
    if config:
        lines.append(f"{PROJECT_CONFIG} would be read; it says:")
    else:
        lines.append(f"a {PROJECT_CONFIG} is asked about once there is one")
    for line in config:
        lines.append(f"  {line}")
    return lines


def _user_agrees() -> bool:
    """Ask on the terminal; the answer is no unless it is plainly yes.

    Raises:
        UsageError: There is no terminal to ask on.
    """
    from spark_tui.cli.keyboard import LineReader, is_yes

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "there is no terminal to ask on; `spark trust --yes` trusts what is listed"
        )
    with LineReader() as keyboard:
        return is_yes(keyboard.decide("trust it? [y/N] "))


COMMANDS = {
    "doctor": Subcommand(add_doctor_arguments, run_doctor),
    "trust": Subcommand(add_trust_arguments, run_trust),
}
