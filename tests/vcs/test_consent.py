from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.errors import FileError, RepoError
from spark_tui.vcs.policy import concerns, holds_secrets
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import make_repo


def test_ordinary_source_needs_no_consent_of_its_own(repo: Repository) -> None:
    for path in (
        "a.py",
        "pkg/b.py",
        "src/confitest.py",
        "my_setup.py",
        "docs/configuration.py",
        "new.py",
    ):
        assert concerns(repo, path) == concerns(repo, path, [path, "other.py"]) == ()


RUNS = {
    ".gitattributes": "git obeys it",
    "sub/.gitmodules": "git obeys it",
    ".GitAttributes": "git obeys it",
    "setup.py": "pip runs it",
    "pkg/pyproject.toml": "pip runs it",
    "requirements-dev.txt": "pip runs it",
    "sitecustomize.py": "Python runs it at every start",
    "tests/conftest.py": "tests run it",
    "noxfile.py": "tests run it",
    ".pre-commit-config.yaml": "checkers run it",
    "Makefile": "building runs it",
    "docker/Dockerfile.dev": "building runs it",
    "web/package.json": "building runs it",
    "docs/conf.py": "the documentation build runs it",
    ".github/workflows/test.yml": "a server runs it at every push",
    ".github/scripts/release.py": "a server runs it at every push",
    ".gitlab-ci.yml": "a server runs it at every push",
    ".envrc": "the shell, an editor or a debugger runs it when the folder is opened",
    ".vscode/tasks.json": "the shell, an editor or a debugger runs it when the folder is opened",
    "sub/.idea/x.xml": "the shell, an editor or a debugger runs it when the folder is opened",
    "AGENTS.md": "assistants obey it",
}


def test_what_runs_by_itself_does(repo: Repository) -> None:
    told = {path: concerns(repo, path) for path in RUNS}
    assert told == {path: (f"decides what runs by itself: {why}",) for path, why in RUNS.items()}


def test_what_may_hold_secrets_does(repo: Repository) -> None:
    for path in [
        ".env",
        ".env.local",
        "prod.env",
        "keys/id_rsa",
        "a.PEM",
        "x.key",
        ".netrc",
        ".pypirc",
        "credentials.py",
    ]:
        assert concerns(repo, path) == ("may hold secrets",)
        assert holds_secrets(path)


def test_an_example_of_an_environment_holds_no_secrets() -> None:
    assert not holds_secrets("sub/.env.example")


def test_what_git_ignores_does_unless_it_is_tracked(root: Path, repo: Repository) -> None:
    (root / ".gitignore").write_text("local_*.py\nbuild/\na.py\n:*.py\n")

    assert concerns(repo, "local_1.py") == ("is ignored by git, which cannot bring it back",)
    assert concerns(repo, "build/x.py") == ("is ignored by git, which cannot bring it back",)
    assert concerns(repo, ":(top)x.py") == ("is ignored by git, which cannot bring it back",)
    assert concerns(repo, "loca?_*.py") == concerns(repo, "a.py") == ()


def test_what_the_user_did_not_name_does(repo: Repository) -> None:
    assert concerns(repo, "pkg/b.py", ["a.py"]) == ("is not among the files you named",)


def test_a_link_counts_as_what_it_leads_to(root: Path, repo: Repository) -> None:
    (root / "conftest.py").write_text("x = 1\n")
    (root / "plain.py").symlink_to("conftest.py")
    (root / "out.py").symlink_to("/etc/hostname")

    assert concerns(repo, "plain.py", ["plain.py"]) == (
        "decides what runs by itself: tests run it",
    )
    with pytest.raises(FileError):
        concerns(repo, "out.py")


@pytest.mark.parametrize(
    ("tracked", "new"),
    [
        ("foo.py", "Foo.py"),
        ("caf\u00e9.py", "cafe\u0301.py"),
        ("pkg/Stra\u00dfe.py", "pkg/STRASSE.py"),
    ],
)
def test_a_new_file_that_only_some_computers_tell_from_another_does(
    tmp_path: Path, tracked: str, new: str
) -> None:
    repo = Repository.discover(make_repo(tmp_path / "work", {tracked: b"x = 1\n"}))

    assert concerns(repo, tracked) == ()
    assert concerns(repo, new) == (
        f"would be {tracked} on a computer that ignores case or how accents are written",
    )
    assert concerns(repo, new, gone=[tracked]) == (), "as of a rename"


def test_several_reasons_are_all_told(root: Path, repo: Repository) -> None:
    (root / ".gitignore").write_text(".env*\n")
    assert len(concerns(repo, ".envrc", ["a.py"])) == 3


def test_a_damaged_repository_is_an_error_and_not_a_consent(root: Path, repo: Repository) -> None:
    (root / ".git" / "index").write_bytes(b"DIRC junk")
    with pytest.raises(RepoError, match="cannot say whether it ignores"):
        concerns(repo, "a.py")


@given(
    st.sampled_from([".envrc", "conftest.py", ".env", "id_rsa"]),
    st.lists(st.sampled_from("ab"), max_size=3),
)
def test_a_folder_above_changes_nothing(name: str, folders: list[str]) -> None:
    assert (
        holds_secrets("/".join([*folders, name]))
        == holds_secrets(name)
        == (name in {".env", "id_rsa"})
    )
