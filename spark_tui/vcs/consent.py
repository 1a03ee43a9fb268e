"""Why writing to a file needs its own approval: what "accept all" never includes. Facts only, nobody is asked."""

import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase

from spark_tui.errors import RepoError
from spark_tui.vcs.git import GitFailure, run_git
from spark_tui.vcs.paths import file_mode, real_path
from spark_tui.vcs.repository import Repository
from spark_tui.vcs.spelling import folded

_RUNS = {
    "git obeys it": ".gitattributes .gitmodules .gitignore .gitconfig .lfsconfig",
    "pip runs it": "setup.py setup.cfg pyproject.toml hatch_build.py requirements*.txt constraints*.txt pipfile",
    "Python runs it at every start": "sitecustomize.py usercustomize.py *.pth pyvenv.cfg",
    "tests run it": "conftest.py noxfile.py tox.ini toxfile.py pytest.ini .coveragerc",
    "checkers run it": ".pre-commit-config.yaml .pre-commit-hooks.yaml .pylintrc pylintrc mypy.ini .mypy.ini",
    "building runs it": (
        "makefile gnumakefile *.mk justfile taskfile.y*ml meson.build sconstruct wscript dodo.py fabfile.py tasks.py"
        " dockerfile* containerfile* *compose*.y*ml package.json .npmrc .yarnrc*"
    ),
    "the documentation build runs it": "docs/conf.py doc/conf.py docs/source/conf.py .readthedocs.y*ml",
    "a server runs it at every push": (
        ".github/* .gitlab/* .gitlab-ci.yml .circleci/* .buildkite/* .ci/* .woodpecker* .travis.yml .drone.yml"
        " jenkinsfile azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml .forgejo/* .gitea/*"
    ),
    "the shell, an editor or a debugger runs it when the folder is opened": (
        ".envrc .vscode/* .idea/* .fleet/* .zed/* .devcontainer/* *.code-workspace .dir-locals.el .exrc .vimrc .nvimrc"
        " .nvim.lua .pdbrc .gdbinit .lldbinit .tool-versions mise.toml .mise.toml .husky/* .githooks/*"
    ),
    "assistants obey it": "agents.md claude.md gemini.md .cursorrules .cursor/* .claude/* .spark/*",
}
"""Patterns of names in lower case; one with a slash is a path from the root, or a folder anywhere."""

_SECRET = (
    ".env .env.* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk id_rsa* id_dsa* id_ecdsa* id_ed25519*"
    " .netrc _netrc .pypirc .npmrc .pgpass .my.cnf .htpasswd .git-credentials credentials* secrets.* *.tfvars *.tfstate"
    " client_secret*.json service-account*.json .aws/* .ssh/* .gnupg/* .kube/* .docker/*"
)
_HARMLESS = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist"})


def concerns(repo: Repository, path: str, asked: Collection[str] = ()) -> tuple[str, ...]:
    """Why writing to a file needs its own approval; nothing for ordinary source files.

    Args: path: relative to the root; where it leads to through symbolic links counts, too. asked: the files the user
        named, if any. Returns: reasons in words that follow the path.
    Raises: RepoError: git cannot say whether it ignores the file. FileError: the path leads out.
    """
    paths = tuple(dict.fromkeys((path, real_path(repo.root, path))))
    return tuple(dict.fromkeys(reason for each in paths for reason in _reasons(repo, each, path, asked)))


def holds_secrets(path: str) -> bool:
    """Whether a file is, by its name, one for secrets: what is in it is nobody's business."""
    return path.rsplit("/", 1)[-1].lower() not in _HARMLESS and _matches(path, _SECRET)


def _reasons(repo: Repository, path: str, named: str, asked: Collection[str]) -> Iterator[str]:
    yield from (f"decides what runs by itself: {what}" for what, patterns in _RUNS.items() if _matches(path, patterns))
    if holds_secrets(path):
        yield "may hold secrets"
    if is_ignored(repo, path):
        yield "is ignored by git, which cannot bring it back"
    if asked and named not in asked:
        yield "is not among the files you named"
    if twin := _twin(repo, path):
        yield f"would be {twin} on a computer that ignores case or how accents are written"


def _matches(path: str, patterns: str) -> bool:
    lower = path.lower()
    name = lower.rsplit("/", 1)[-1]
    return any(_fits(lower, name, pattern) for pattern in patterns.split())


def _fits(path: str, name: str, pattern: str) -> bool:
    if pattern.endswith("/*"):
        return fnmatchcase(f"/{path}", f"*/{pattern}")
    return fnmatchcase(path if "/" in pattern else name, pattern)


def is_ignored(repo: Repository, path: str) -> bool:
    """Whether git ignores a file that it does not track. Raises: RepoError: it cannot say."""
    # check-ignore knows no literal paths; behind "./" nothing in a path means anything else than itself.
    args = ["--no-literal-pathspecs", "check-ignore", "-q", "--", f"./{path}"]
    try:
        run_git(args, git_dir=repo.git_dir, work_tree=repo.root)
    except GitFailure as e:
        if e.status != 1:
            raise RepoError(f"git cannot say whether it ignores {path}: {e.detail}") from e
        return False
    return True


def _twin(repo: Repository, path: str) -> str | None:
    """The tracked file that a new one cannot stand beside everywhere."""
    if file_mode(repo.root, path) is not None:
        return None
    listed = run_git(["ls-files", "-z"], git_dir=repo.git_dir, work_tree=repo.root).split(b"\0")
    wanted = folded(path)
    tracked = map(os.fsdecode, listed)
    return next((each for each in tracked if each != path and folded(each) == wanted), None)
