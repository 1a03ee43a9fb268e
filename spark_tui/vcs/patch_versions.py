"""Whether a patch begins with a version of the file that it names, or with one of another file.

With `diff.relative` git names files from a folder on, not from the root: a patch of `pkg/a` reads
like one of `a`. The `index` lines, which name the versions that a patch was made of, tell them
apart where the files differ.
"""

from collections.abc import Mapping

from spark_tui.errors import SparkError, UsageError
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import LISTING_SECONDS, Repository

_UNCLEAR = (
    "this patch names {}, but begins with a version of {}; make it with "
    "`git diff --no-relative --src-prefix=a/ --dst-prefix=b/`"
)


def refuse_version_of_another(
    repo: Repository, versions: Mapping[str, str], committed: Mapping[str, str]
) -> None:
    """Refuse a patch that may mean another file whose path ends as the one that it names.

    Args:
        versions: The versions that the patch begins with, by path: abbreviated names of blobs.
        committed: The blobs of the last commit, by path.

    Raises:
        UsageError: A file never had its version, and another one has it.
    """
    by_name: dict[str, list[str]] = {}
    for path in committed:
        by_name.setdefault(_name_of(path), []).append(path)
    for path, version in versions.items():
        if path not in committed or committed[path].startswith(version):
            continue
        for other in by_name[_name_of(path)]:
            is_alike = other.endswith(f"/{path}") or path.endswith(f"/{other}")
            blob = committed[other]
            if is_alike and blob.startswith(version) and not _had(repo, path, blob):
                raise UsageError(_UNCLEAR.format(path, other))


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _had(repo: Repository, path: str, blob: str) -> bool:
    """Whether a file had a version at any time; no where git does not find out in time."""
    args = ["log", "--max-count=1", "--format=%H", f"--find-object={blob}", "HEAD", "--", path]
    try:
        return bool(run_git(args, git_dir=repo.git_dir, most_seconds=LISTING_SECONDS))
    except SparkError:
        return False
