"""The only place that starts git, with everything a repository could have run switched off.

Three parts stand here:

- the command line and the environment that keep git from running what a repository names,
- `is_harmless`, which knows the settings that run nothing; others need the user's trust,
- `run_git`, which starts git, waits for an answer and leaves no process behind.

Nothing here knows spark's work: callers name the git directory, the arguments and the bytes to feed
in.

Source: git-config(1), githooks(5), gitattributes(5) of git 2.39 to 2.55.
"""

import atexit
import os
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path

from spark_tui import system
from spark_tui.errors import RepoError, SparkError
from spark_tui.vcs.disk_errors import in_words

# No pager; no lock on the index that would hold up the user's own git; a path is a name, never a
# pattern; an object is what its hash says.
GLOBAL_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "--no-replace-objects",
)

SETTINGS = (
    # Settings that name a program, or that make git start one, with a value that runs nothing.
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "diff.external=",
    "interactive.diffFilter=",
    "sequence.editor=false",
    "uploadpack.packObjectsHook=",
    "init.templateDir=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.x509.program=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "submodule.recurse=false",
    "help.autoCorrect=never",
    # A folder of the work tree may be a bare repository, with a configuration of its own.
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "gc.recentObjectsHook=",
    "maintenance.auto=false",
    # A name that is `.git` on macOS or Windows is refused here, too.
    "core.protectHFS=true",
    "core.protectNTFS=true",
    # What spark reads of git, and what git makes of a patch, is the same for every user.
    "apply.whitespace=nowarn",
    "apply.ignoreWhitespace=no",
    "color.ui=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.renames=false",
    # Git's ownership check keeps a stranger's configuration from running programs. None of these
    # programs runs here, and `Trust` asks about the owner.
    "safe.directory=*",
)

_ENVIRONMENT = {
    # English messages, since spark tells some errors by their words.
    "LC_ALL": "C",
    # Neither configuration nor attributes of user and system.
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    # No question, no editor, and no network: an object that a partial clone lacks is not fetched.
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
_KEPT = (
    "HOME",
    "XDG_CONFIG_HOME",
    "EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
)
"""Variables that git gets from spark's environment: who the user is, and where their files are."""
_USERS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Variables with which users say where their own configuration is."""

_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")
_OPTIONS = dict.fromkeys(("diff", "diff-tree", "diff-index", "diff-files", "log", "show"), _DIFF)

_PERSONAL = frozenset(
    {
        "user.name",
        "user.email",
        "author.name",
        "author.email",
        "committer.name",
        "committer.email",
        "user.useconfigonly",
        "core.excludesfile",
    }
)
"""Settings that the user's own configuration decides where the repository's has none."""

# A driver cannot be unset, only replaced: by nothing where git takes that for no driver, else by a
# command that changes nothing.
_OFF: Mapping[str, Mapping[str, str]] = {
    "filter": {"clean": "", "smudge": "", "process": "", "required": "false"},
    "diff": {
        "command": "false",
        "textconv": "cat",
        "cachetextconv": "false",
        "trustexitcode": "false",
    },
    "merge": {"driver": "false"},
    "hook": {"enabled": "false", "command": "true", "event": ""},
    "remote": {"uploadpack": "false", "receivepack": "false", "vcs": ""},
    "credential": {"helper": ""},
    "trailer": {"command": "true", "cmd": "true"},
    "submodule": {"update": "none"},
    "tar": {"command": "false"},
}
_ALWAYS = {"filter": ("process", "required"), "hook": ("enabled",)}
"""Variables that are replaced along with any other of their section."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of configuration as git reads it.

    Args:
        scope: System, global, local, worktree or command.
        key: Section and variable in lower case.
        value: "" also where the line has no value.
    """

    scope: str
    key: str
    value: str

    @property
    def of_repository(self) -> bool:
        """Whether the setting comes with the repository, rather than from its user."""
        return self.scope in {"local", "worktree"}

    @property
    def parts(self) -> tuple[str, str | None, str]:
        """Section, subsection and variable.

        The subsection is None where there is none, which differs from the empty subsection.
        """
        section, _, rest = self.key.partition(".")
        subsection, dot, variable = rest.rpartition(".")
        if not dot:
            return section, None, variable
        return section, subsection, variable


def parse_settings(listed: bytes) -> tuple[Setting, ...]:
    """The settings that `git config --list -z --show-scope` wrote, in order: a later line wins."""
    fields = os.fsdecode(listed).split("\0")[:-1]
    settings = []
    for scope, line in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = line.partition("\n")
        settings.append(Setting(scope, key, value))
    return tuple(settings)


def command_of(git: str, args: Sequence[str]) -> list[str]:
    """The command line for a hardened git.

    Args:
        git: The program.
        args: The subcommand and its arguments.
    """
    subcommand = args[0]
    command = [git, *GLOBAL_OPTIONS]
    for setting in SETTINGS:
        command += ["-c", setting]
    return [*command, subcommand, *_OPTIONS.get(subcommand, ()), *args[1:]]


def environment_of(user: Mapping[str, str], path: str, ceiling: str) -> dict[str, str]:
    """The environment of a hardened git, made from nothing.

    Args:
        user: The environment of spark.
        path: The value of PATH.
        ceiling: The folder in which git does not look for a repository.
    """
    kept = {name: user[name] for name in _KEPT if name in user}
    return {"HOME": "/", **kept, **_ENVIRONMENT, "PATH": path, "GIT_CEILING_DIRECTORIES": ceiling}


def reading_users(environment: Mapping[str, str], user: Mapping[str, str]) -> dict[str, str]:
    """The environment for `git config`, which may read the configuration of user and system.

    Reading runs nothing.

    Args:
        environment: As `environment_of` makes it.
        user: The environment of spark.
    """
    own = {name: value for name, value in environment.items() if name not in _USERS}
    return own | {name: user[name] for name in _USERS if name in user}


def trusting(user: Mapping[str, str]) -> dict[str, str]:
    """The environment in a repository whose programs may run.

    This is the user's own, without the variables that lead to another repository.
    """
    own = {
        name: value
        for name, value in user.items()
        if not name.startswith("GIT_") or name in (*_KEPT, *_USERS)
    }
    return own | {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false"}


def overriding(settings: Iterable[Setting]) -> dict[str, str]:
    """Variables that switch off the programs a repository names, and bring in who the user is."""
    known = tuple(settings)
    # GIT_CONFIG_GLOBAL hides the user's own configuration. What says who the user is is passed on
    # here, unless the repository says it.
    set_by_repository = {setting.key for setting in known if setting.of_repository}
    personal: dict[str, str] = {}
    for setting in known:
        if setting.scope in {"system", "global"} and setting.key in _PERSONAL:
            personal[setting.key] = setting.value
    pairs = list(_switched_off(known).items())
    pairs += [(key, value) for key, value in personal.items() if key not in set_by_repository]
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def _switched_off(settings: Sequence[Setting]) -> dict[str, str]:
    """Values, by key, that take the place of the programs a repository names."""
    values: dict[str, str] = {}
    for setting in settings:
        if not setting.of_repository:
            continue
        section, name, variable = setting.parts
        replaced = _OFF.get(section, {})
        if variable in replaced and name is not None:
            for key in (variable, *_ALWAYS.get(section, ())):
                values[f"{section}.{name}.{key}"] = replaced[key]
        elif section in {"pager", "alias"}:
            values[setting.key] = "false"
    return values


_SECTIONS = frozenset(
    {
        "advice",
        "apply",
        "author",
        "blame",
        "branch",
        "checkout",
        "clone",
        "color",
        "column",
        "commit",
        "committer",
        "feature",
        "fetch",
        "format",
        "fsck",
        "gc",
        "grep",
        "gui",
        "http",
        "i18n",
        "index",
        "log",
        "maintenance",
        "pack",
        "pull",
        "push",
        "rebase",
        "receive",
        "rerere",
        "revert",
        "sparse",
        "splitindex",
        "stash",
        "status",
        "tag",
        "transfer",
        "user",
        "versionsort",
        "worktree",
    }
)
"""Sections whose settings name no program, up to git 2.55, except those in _PROGRAMS."""

_VARIABLES: Mapping[str, Collection[str]] = {
    "core": {
        "abbrev",
        "autocrlf",
        "bare",
        "bigfilethreshold",
        "checkstat",
        "commentchar",
        "commentstring",
        "commitgraph",
        "compression",
        "eol",
        "filemode",
        "fscache",
        "fsync",
        "fsyncmethod",
        "hidedotfiles",
        "ignorecase",
        "logallrefupdates",
        "longpaths",
        "loosecompression",
        "multipackindex",
        "precomposeunicode",
        "preloadindex",
        "protecthfs",
        "protectntfs",
        "quotepath",
        "repositoryformatversion",
        "safecrlf",
        "sharedrepository",
        "sparsecheckout",
        "sparsecheckoutcone",
        "splitindex",
        "symlinks",
        "trustctime",
        "untrackedcache",
        "whitespace",
        "worktree",
    },
    "extensions": {
        "compatobjectformat",
        "noop",
        "noop-v1",
        "objectformat",
        "partialclone",
        "preciousobjects",
        "refstorage",
        "relativeworktrees",
        "worktreeconfig",
    },
    "gpg": {"format", "mintrustlevel"},
    "lfs": {"repositoryformatversion", "access", "locksverify"},
    "remote": {
        "fetch",
        "gh-resolved",
        "mirror",
        "partialclonefilter",
        "promisor",
        "prune",
        "prunetags",
        "push",
        "pushdefault",
        "skipdefaultupdate",
        "skipfetchall",
        "tagopt",
    },
    "submodule": {
        "active",
        "alternateerrorstrategy",
        "alternatelocation",
        "branch",
        "fetchjobs",
        "fetchrecursesubmodules",
        "ignore",
        "propagatebranches",
        "recurse",
        "shallow",
    },
}
"""Variables of other sections that run nothing; `Repository.discover` checks core.worktree."""

_TOOLS = frozenset({"external", "tool", "guitool"})
_PROGRAMS = frozenset({"gc.recentobjectshook"})
# Any other value of submodule.NAME.update is `!COMMAND`, and of core.fsmonitor a program.
_UPDATES = frozenset({"checkout", "rebase", "merge", "none"})
_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0", ""})


def is_harmless(setting: Setting) -> bool:
    """Whether a setting can run nothing, and leads git to nothing that could run."""
    section, name, variable = setting.parts
    if section in {"diff", "merge"}:
        return name is None and variable not in _TOOLS
    if setting.key in _PROGRAMS:
        return False
    return (
        section in _SECTIONS
        or variable in _VARIABLES.get(section, ())
        or _has_harmless_value(setting)
    )


def _has_harmless_value(setting: Setting) -> bool:
    """Whether a setting runs nothing with the value it has; other values would."""
    section, _, variable = setting.parts
    match section, variable:
        case "core", "fsmonitor":
            return setting.value.lower() in _BOOLEANS
        case "submodule", "update":
            return setting.value in _UPDATES
        case ("remote", "url" | "pushurl") | ("submodule", "url"):
            # `ext::COMMAND` has git run a helper (gitremote-helpers(7)). A value that begins with
            # "-" could be taken for an option where it becomes an argument.
            names_helper = "::" in setting.value.partition("/")[0]
            is_option = setting.value.startswith("-")
            return not names_helper and not is_option
    return False


MINIMUM_VERSION = (2, 39, 3)
"""The oldest git whose behavior was measured; `spark doctor` warns below it."""

_TIMEOUT_SECONDS = 60.0
"""More than git takes on any repository; callers that wait for less give their own limit."""
_CONFIG_SECONDS = 5.0
"""For listing the configuration, which is a few small files."""
_STARTS = 10
"""How often git is started where a signal interrupts the start each time."""
_END_SECONDS = 2.0
"""How long a git that was killed may take to end."""
_MOST_CONFIG_BYTES = 4 << 20
"""Bytes of configuration: far more than anybody writes by hand."""
_CONFIG_FILES = ("config", "config.worktree", "commondir")
_WORK_TREES: set[Path] = set()
"""The work trees that spark has opened; no program is taken from them."""


class GitFailure(SparkError):
    """Git ended with a status the caller did not allow.

    Args:
        args: git's arguments.
        status: Its exit status.
        output: All that git wrote to stderr; the last line is the detail, or the exit status where
            git wrote nothing.
    """

    def __init__(self, args: Sequence[str], status: int, output: bytes = b"") -> None:
        self.status = status
        self.output = output
        self.detail = _last_line(output) or _describe_status(status)
        # Settings (`-c`, `NAME=VALUE`) may stand before the subcommand.
        subcommand = next(arg for arg in args if not arg.startswith("-") and "=" not in arg)
        super().__init__(f"git {subcommand} failed: {self.detail}")


def _describe_status(status: int) -> str:
    """An exit status in words; a negative one is a signal's number."""
    if status < 0:
        return f"signal {-status} ended it"
    return f"exit status {status}"


class Late(RepoError):
    """Git gave no answer in time."""


def run_git(
    args: Sequence[str],
    *,
    git_dir: Path | None = None,
    work_tree: Path | None = None,
    cwd: Path | None = None,
    index: Path | None = None,
    objects: Path | None = None,
    stdin: bytes = b"",
    most_seconds: float = _TIMEOUT_SECONDS,
    hooks: bool = False,
) -> bytes:
    """Run git, hardened, and return what git wrote to stdout.

    Args:
        args: The subcommand and its arguments.
        git_dir: The repository; without one git looks in `cwd` only, not in the folders above.
        work_tree: Passed on when given.
        cwd: Where to run; default the work tree, else the git directory.
        index: An index file instead of the git directory's own.
        objects: A folder of objects that git reads beside the repository's own.
        stdin: The bytes that git reads.
        most_seconds: How long git may take.
        hooks: Run what the repository and its user configured, as their own git would: only once
            `Trust.require` has passed.

    Raises:
        GitFailure: Exit status other than 0.
        RepoError: There is no git outside the repository, or git hangs.
    """
    folder = cwd or work_tree or git_dir or Path.cwd()
    places = _places(git_dir, work_tree, index)
    if objects is not None:
        places["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(objects)
    with _as_repo_error(folder):
        binary = find_git(folder)
        if hooks:
            environment = trusting(os.environ) | places
            command = [binary, "--no-pager", "--literal-pathspecs", *args]
        else:
            environment = environment_of(os.environ, path_outside(folder), str(folder.parent))
            environment |= places
            environment |= overriding(_settings(binary, environment, folder, git_dir))
            command = command_of(binary, args)
        return _run(command, args, environment, folder, stdin, most_seconds)


@contextmanager
def _as_repo_error(folder: Path) -> Iterator[None]:
    """Turn an error of the system within a `with` into a RepoError."""
    try:
        yield
    except OSError as e:
        raise RepoError(f"cannot run git in {folder}: {in_words(e)}") from e


def settings_of(git_dir: Path) -> tuple[Setting, ...]:
    """The configuration in force, the user's own included, in git's order; reading runs nothing.

    Raises:
        RepoError: The configuration cannot be read, or not in time.
    """
    with _as_repo_error(git_dir):
        environment = environment_of(os.environ, path_outside(git_dir), str(git_dir.parent))
        environment |= _places(git_dir, None, None)
        return _settings(find_git(git_dir), environment, git_dir, git_dir)


def git_version() -> tuple[int, ...]:
    """The version of the git that spark runs, such as (2, 39, 5)."""
    words = run_git(["version"], cwd=Path("/")).decode("ascii", "replace").split()
    if len(words) > 2:
        return tuple(int(part) for part in words[2].split(".") if part.isdigit())
    return ()


def take_no_programs_from(root: Path) -> None:
    """Take no program from this work tree from now on, wherever git is run."""
    _WORK_TREES.add(root.resolve())


def find_git(folder: Path) -> str:
    """The absolute path of the first git on PATH, without the places `path_outside` leaves out.

    Raises:
        RepoError: There is none.
    """
    binary = shutil.which("git", path=path_outside(folder))
    if binary is None:
        raise RepoError("git was not found on PATH; install git 2.39.3 or newer")
    return binary


def path_outside(folder: Path) -> str:
    """PATH without `folder` and without the work trees that spark has opened."""
    return _search_path(
        os.environ.get("PATH", os.defpath),
        # All programs lie below /, so leaving that out would leave none.
        frozenset({folder.resolve(), *_WORK_TREES} - {Path("/")}),
    )


@lru_cache(maxsize=8)  # a bound, since every quarantine is another folder to leave out
def _search_path(entries: str, excluded: frozenset[Path]) -> str:
    """PATH without relative folders and without what lies in excluded ones.

    A repository must not bring programs along.
    """
    outside = []
    for entry in entries.split(os.pathsep):
        if entry.startswith("/"):
            place = Path(entry).resolve()
            if excluded.isdisjoint((place, *place.parents)):
                outside.append(str(Path(entry)))
    return os.pathsep.join(outside)


def _places(git_dir: Path | None, work_tree: Path | None, index: Path | None) -> dict[str, str]:
    """The variables that name a repository to git."""
    named = {"GIT_DIR": git_dir, "GIT_WORK_TREE": work_tree, "GIT_INDEX_FILE": index}
    return {name: str(path) for name, path in named.items() if path is not None}


def _settings(
    binary: str, environment: Mapping[str, str], folder: Path, git_dir: Path | None
) -> tuple[Setting, ...]:
    """The configuration where git is about to run; empty in a private repository."""
    # This saves a start of git for each command in quarantine.
    if git_dir is not None and not any((git_dir / name).exists() for name in _CONFIG_FILES):
        return ()
    args = ["config", "--list", "-z", "--show-scope", "--includes"]
    place = git_dir or folder
    try:
        shown = reading_users(environment, os.environ)
        listed = _run(command_of(binary, args), args, shown, folder, b"", _CONFIG_SECONDS)
    except GitFailure as e:
        raise RepoError(f"git cannot read the configuration of {place}: {e.detail}") from e
    except Late as e:
        raise RepoError(
            f"git's configuration of {place} cannot be read within {_CONFIG_SECONDS:.0f} s; "
            f"check whether it includes "
            "something that is not a file"
        ) from e
    if len(listed) > _MOST_CONFIG_BYTES:
        raise RepoError(
            f"git's configuration of {place} has {len(listed) >> 20} MB; spark reads no more than 4"
        )
    return parse_settings(listed)


_RUNNING: set["subprocess.Popen[bytes]"] = set()
"""The processes of git that run, also on threads that nobody waits for at the end."""
_OWNER = os.getpid()


@atexit.register
def _end_all() -> None:
    """Kill every git that still runs, unless this is a forked child, which has started none."""
    if os.getpid() == _OWNER:
        for process in tuple(_RUNNING):
            system.send(process.pid, system.KILL)


def _run(
    command: Sequence[str],
    args: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    stdin: bytes,
    most_seconds: float,
) -> bytes:
    """Run git in a session of its own, without a terminal to ask on; leave no process behind."""
    process = _start(command, environment, folder)
    _RUNNING.add(process)
    try:
        out, err = process.communicate(stdin, most_seconds)
    except subprocess.TimeoutExpired as e:
        words = f"git {args[0]} gave no answer within {most_seconds:.0f} s"
        raise Late(f"{words}; try it by hand") from e
    finally:
        # Time is up, or Ctrl+C came: nobody waits for this git any more.
        if process.returncode is None:
            _end(process)
        _RUNNING.discard(process)
    if process.returncode:
        raise GitFailure(args, process.returncode, err)
    return out


def _start(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> "subprocess.Popen[bytes]":
    """Start git with pipes; again where a signal interrupted the start, which then left nothing."""
    pipe = subprocess.PIPE
    for attempt in count(1):
        try:
            return subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,  # a group of its own, which `_end` kills as a whole
            )
        except InterruptedError:
            if attempt == _STARTS:
                raise
    raise AssertionError


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all that it started, and close its pipes, even if it does not end."""
    system.send(process.pid, system.KILL)
    try:
        process.communicate(timeout=_END_SECONDS)
    except OSError:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:  # something waits for a file system that is gone
        process.poll()
    finally:
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _last_line(stderr: bytes) -> str:
    """The last line of an output, without `fatal:` or `error:`; "" where there is none."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return ""
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ")
