"""Which settings of a repository are usual and run nothing; all others need the user's trust."""

from collections.abc import Collection, Mapping

from spark_tui.vcs.hardening import Setting

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
            return _is_plain(setting.value)
    return False


def _is_plain(url: str) -> bool:
    """Whether a URL names no helper program, as `ext::` does, and is no option."""
    return "::" not in url.partition("/")[0] and not url.startswith("-")
