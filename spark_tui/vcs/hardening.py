"""What git is told so that nothing a repository names is run, and which settings run nothing; starts nothing itself.

Source: git-config(1), githooks(5), gitattributes(5) of git 2.39 to 2.55.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

GLOBAL_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")

SETTINGS = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null", "core.pager=cat",
    "core.editor=false", "core.sshCommand=false", "core.askPass=", "core.gitProxy=", "core.alternateRefsCommand=",
    "credential.helper=", "protocol.allow=never", "diff.external=", "interactive.diffFilter=", "sequence.editor=false",
    "uploadpack.packObjectsHook=", "init.templateDir=", "gpg.program=false", "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=", "gpg.x509.program=false", "commit.gpgSign=false", "log.showSignature=false",
    "submodule.recurse=false", "help.autoCorrect=never", "safe.bareRepository=explicit", "gc.auto=0",
    "gc.recentObjectsHook=", "maintenance.auto=false", "core.protectHFS=true", "core.protectNTFS=true",
    "apply.whitespace=nowarn", "apply.ignoreWhitespace=no", "color.ui=false", "diff.noprefix=false",
    "diff.mnemonicPrefix=false", "diff.renames=false",
    # Git's ownership check keeps a stranger's configuration from running programs; here none of it can.
    "safe.directory=*",
)  # fmt: skip

_ENVIRONMENT = {
    "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false", "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false", "GIT_SSH_COMMAND": "false", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
}  # fmt: skip
_IDENTITY = tuple(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE"))
_KEPT = ("HOME", "XDG_CONFIG_HOME", "EMAIL", *_IDENTITY)
_USERS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Where the user says their own configuration is."""

_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")
_OPTIONS = dict.fromkeys(("diff", "diff-tree", "diff-index", "diff-files", "log", "show"), _DIFF)

_PERSONAL = frozenset(
    {f"{who}.{what}" for who in ("user", "author", "committer") for what in ("name", "email")}
    | {"user.useconfigonly", "core.excludesfile"}
)
"""What is taken from the user's own configuration where the repository's does not say."""

# A driver cannot be unset, only replaced: by nothing where git takes that for none, else by what changes nothing.
_OFF: Mapping[str, Mapping[str, str]] = {
    "filter": {"clean": "", "smudge": "", "process": "", "required": "false"},
    "diff": {"command": "false", "textconv": "cat", "cachetextconv": "false", "trustexitcode": "false"},
    "merge": {"driver": "false"},
    "hook": {"enabled": "false", "command": "true", "event": ""},
    "remote": {"uploadpack": "false", "receivepack": "false", "vcs": ""},
    "credential": {"helper": ""},
    "trailer": {"command": "true", "cmd": "true"},
    "submodule": {"update": "none"},
    "tar": {"command": "false"},
}
_ALWAYS = {"filter": ("process", "required"), "hook": ("enabled",)}


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of configuration as git reads it.

    Args: scope: system, global, local, worktree or command. key: section and variable in lower case. value: "" also
        where none is written.
    """

    scope: str
    key: str
    value: str

    @property
    def of_repository(self) -> bool:
        """Whether it comes with the repository, rather than from its user."""
        return self.scope in {"local", "worktree"}

    @property
    def parts(self) -> tuple[str, str | None, str]:
        """Section, subsection (None when there is none, which is not the empty one) and variable."""
        section, _, rest = self.key.partition(".")
        middle, dot, variable = rest.rpartition(".")
        return section, middle if dot else None, variable


def parse_settings(listed: bytes) -> tuple[Setting, ...]:
    """What `git config --list -z --show-scope` wrote, in its order: a later line wins."""
    fields = os.fsdecode(listed).split("\0")[:-1]
    return tuple(
        Setting(scope, *(line.split("\n", 1) if "\n" in line else (line, "")))
        for scope, line in zip(fields[::2], fields[1::2], strict=False)
    )


def command_of(git: str, args: Sequence[str]) -> list[str]:
    """The command line. Args: git: the program. args: the subcommand and its arguments."""
    settings = (part for setting in SETTINGS for part in ("-c", setting))
    return [git, *GLOBAL_OPTIONS, *settings, args[0], *_OPTIONS.get(args[0], ()), *args[1:]]


def environment_of(user: Mapping[str, str], path: str, ceiling: str) -> dict[str, str]:
    """The environment git gets, made from nothing.

    Args: user: the environment of spark. path: for PATH. ceiling: the folder git does not look in for a repository.
    """
    kept = {name: user[name] for name in _KEPT if name in user}
    return {"HOME": "/", **kept, **_ENVIRONMENT, "PATH": path, "GIT_CEILING_DIRECTORIES": ceiling}


def reading_users(environment: Mapping[str, str], user: Mapping[str, str]) -> dict[str, str]:
    """The same for `git config`, which runs nothing: with the user's own configuration and the system's."""
    shut = {name: value for name, value in environment.items() if name not in _USERS}
    return shut | {name: user[name] for name in _USERS if name in user}


def trusting(user: Mapping[str, str]) -> dict[str, str]:
    """The environment in a repository whose programs may run: the user's, without what leads to another repository."""
    own = {name: value for name, value in user.items() if not name.startswith("GIT_") or name in (*_KEPT, *_USERS)}
    return own | {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false", "GIT_SEQUENCE_EDITOR": "false"}


def overriding(settings: Iterable[Setting]) -> dict[str, str]:
    """Variables that switch off the programs a repository names, and bring in who the user is."""
    known = tuple(settings)
    said = {each.key for each in known if each.of_repository}
    own = {each.key: each.value for each in known if each.scope in {"system", "global"} and each.key in _PERSONAL}
    pairs = [*_switched_off(known), *((key, value) for key, value in own.items() if key not in said)]
    count = {"GIT_CONFIG_COUNT": str(len(pairs))}
    keys = {f"GIT_CONFIG_KEY_{at}": key for at, (key, _) in enumerate(pairs)}
    return count | keys | {f"GIT_CONFIG_VALUE_{at}": value for at, (_, value) in enumerate(pairs)}


def _switched_off(settings: Sequence[Setting]) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    for each in (setting for setting in settings if setting.of_repository):
        section, name, variable = each.parts
        values = _OFF.get(section, {})
        if variable in values and name is not None:
            found |= {f"{section}.{name}.{key}": values[key] for key in (variable, *_ALWAYS.get(section, ()))}
        elif section in {"pager", "alias"}:
            found[each.key] = "false"
    yield from found.items()


_SECTIONS = frozenset({
    "advice", "apply", "author", "blame", "branch", "checkout", "clone", "color", "column", "commit", "committer",
    "feature", "fetch", "format", "fsck", "gc", "grep", "gui", "http", "i18n", "index", "log", "maintenance",
    "pack", "pull", "push", "rebase", "receive", "rerere", "revert", "sparse", "splitindex", "stash", "status",
    "tag", "transfer", "user", "versionsort", "worktree",
})  # fmt: skip
"""Sections without a setting that holds a program, up to git 2.55, but for those in _PROGRAMS."""

_VARIABLES: Mapping[str, Collection[str]] = {
    "core": {
        "abbrev", "autocrlf", "bare", "bigfilethreshold", "checkstat", "commentchar", "commentstring",
        "commitgraph", "compression", "eol", "filemode", "fscache", "fsync", "fsyncmethod", "hidedotfiles",
        "ignorecase", "logallrefupdates", "longpaths", "loosecompression", "multipackindex",
        "precomposeunicode", "preloadindex", "protecthfs", "protectntfs", "quotepath",
        "repositoryformatversion", "safecrlf", "sharedrepository", "sparsecheckout", "sparsecheckoutcone",
        "splitindex", "symlinks", "trustctime", "untrackedcache", "whitespace", "worktree",
    },
    "extensions": {
        "compatobjectformat", "noop", "noop-v1", "objectformat", "partialclone", "preciousobjects",
        "refstorage", "relativeworktrees", "worktreeconfig",
    },
    "gpg": {"format", "mintrustlevel"},
    "lfs": {"repositoryformatversion", "access", "locksverify"},
    "remote": {
        "fetch", "gh-resolved", "mirror", "partialclonefilter", "promisor", "prune", "prunetags", "push",
        "pushdefault", "skipdefaultupdate", "skipfetchall", "tagopt",
    },
    "submodule": {
        "active", "alternateerrorstrategy", "alternatelocation", "branch", "fetchjobs",
        "fetchrecursesubmodules", "ignore", "propagatebranches", "recurse", "shallow",
    },
}  # fmt: skip
"""Of other sections, what runs nothing; core.worktree is looked at when the repository is opened."""

_TOOLS = frozenset({"external", "tool", "guitool"})
_PROGRAMS = frozenset({"gc.recentobjectshook"})
_UPDATES = frozenset({"checkout", "rebase", "merge", "none"})
_BOOLEANS = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0", ""})


def is_harmless(setting: Setting) -> bool:
    """Whether a setting can run nothing, and points git to nothing that could."""
    section, name, variable = setting.parts
    if section in {"diff", "merge"}:
        return name is None and variable not in _TOOLS
    if setting.key in _PROGRAMS:
        return False
    return section in _SECTIONS or variable in _VARIABLES.get(section, ()) or _has_harmless_value(setting)


def _has_harmless_value(setting: Setting) -> bool:
    section, _, variable = setting.parts
    match section, variable:
        case "core", "fsmonitor":
            return setting.value.lower() in _BOOLEANS
        case "submodule", "update":
            return setting.value in _UPDATES
        case ("remote", "url" | "pushurl") | ("submodule", "url"):
            return "::" not in setting.value.partition("/")[0] and not setting.value.startswith(
                "-"
            )  # no helper, option
    return False
