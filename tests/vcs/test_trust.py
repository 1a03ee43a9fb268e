"""What makes a repository restricted, what trust is worth, and what takes it away again."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_tui.errors import FileError, RepoError
from spark_tui.vcs.policy import PROJECT_CONFIG, Trust
from spark_tui.vcs.repository import Repository
from tests.vcs.repos import git, hook, make_repo, write_files

USUAL = {
    "core.fsmonitor": "true",
    "core.autocrlf": "input",
    "remote.origin.url": "git@example.org:a/b.git",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "remote.origin.promisor": "true",
    "remote.origin.partialCloneFilter": "blob:none",
    "branch.main.remote": "origin",
    "branch.main.vscode-merge-base": "origin/main",
    "submodule.lib.url": "https://example.org/lib.git",
    "submodule.lib.update": "rebase",
    "user.email": "me@example.org",
    "pull.rebase": "true",
    "merge.conflictStyle": "diff3",
    "diff.algorithm": "histogram",
    "http.https://example.org/.extraHeader": "AUTHORIZATION: basic x",
    "index.skipHash": "false",
    "lfs.https://example.org/x.access": "basic",
}
UNUSUAL = {
    "core.fsmonitor": "./watch",
    "core.hooksPath": "hooks",
    "core.sshCommand": "ssh -i key",
    "core.editor": "./edit",
    "core.pager": "./page",
    "core.askPass": "./ask",
    "core.gitProxy": "./proxy",
    "core.alternateRefsCommand": "./refs",
    "core.attributesFile": "attributes",
    "alias.st": "!./st",
    "filter.x.clean": "./clean",
    "filter.x.process": "./process",
    "diff.x.textconv": "./text",
    "diff.x.command": "./diff",
    "diff.external": "./diff",
    "merge.x.driver": "./merge",
    "hook.lint.command": "./lint",
    "hook.lint.event": "pre-commit",
    "credential.helper": "!./steal",
    "credential.https://example.org.helper": "!./steal",
    "gpg.program": "./gpg",
    "gpg.ssh.defaultKeyCommand": "./key",
    "interactive.diffFilter": "./filter",
    "sequence.editor": "./edit",
    "pager.log": "./page",
    "trailer.sign.command": "./sign",
    "trailer.sign.cmd": "./sign",
    "sendemail.sendmailCmd": "./send",
    "browser.x.cmd": "./browse",
    "web.browser": "x",
    "man.x.cmd": "./man",
    "difftool.x.cmd": "./tool",
    "mergetool.x.path": "./tool",
    "guitool.x.cmd": "./tool",
    "instaweb.httpd": "./serve",
    "init.templateDir": "template",
    "uploadpack.packObjectsHook": "./pack",
    "remote.origin.url": "ext::./run %S",
    "remote.origin.uploadpack": "./pack",
    "remote.origin.receivepack": "./pack",
    "remote.origin.vcs": "evil",
    "submodule.lib.update": "!./run",
    "submodule.lib.url": "-u./run",
    "url.ext::sh.insteadOf": "https:",
    "protocol.ext.allow": "always",
    "include.path": "nowhere",
    "includeIf.gitdir:/.path": "nowhere",
    "safe.directory": "*",
    "imap.tunnel": "./tunnel",
    "gc.recentObjectsHook": "./recent",
    "tar.x.command": "./pack",
    "diff..command": "./nameless",
    "merge..driver": "./nameless",
}


@pytest.fixture
def trust(repo: Repository, state_dir: Path) -> Trust:
    return Trust(repo, state_dir)


def _configure(root: Path, settings: Mapping[str, str]) -> None:
    lines = ""
    for key, value in settings.items():
        section, _, rest = key.partition(".")
        middle, dot, variable = rest.rpartition(".")
        lines += f'[{section} "{middle}"]' if dot else f"[{section}]"
        lines += f'\n\t{variable} = "{value}"\n'
    with (root / ".git" / "config").open("a") as config:
        config.write(lines)


def _as_git_lists(key: str) -> str:
    section, _, rest = key.partition(".")
    middle, dot, variable = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{variable.lower()}"


def test_an_ordinary_clone_is_not_restricted_and_not_trusted(root: Path, trust: Trust) -> None:
    _configure(root, USUAL)
    hook(root).rename(root / ".git" / "hooks" / "pre-commit.sample")
    hook(root, "commit-msg").chmod(0o644)

    assert (trust.restricted, trust.programs, trust.trusted) == ((), (), False)
    trust.require("staging")


def test_each_setting_that_could_run_something_restricts(root: Path, trust: Trust) -> None:
    _configure(root, UNUSUAL)

    assert set(trust.restricted) == {
        f"{_as_git_lists(key)} = {value}" for key, value in UNUSUAL.items()
    }
    with pytest.raises(
        RepoError,
        match=r"staging waits: this repository could run programs .*\(.* and \d+ more\); .*",
    ):
        trust.require("staging")


def test_settings_of_included_files_and_of_the_work_tree_count(root: Path, trust: Trust) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "config", "--worktree", "core.editor", "./edit")
    (root / ".git" / "more").write_text("[core]\n\tpager = ./page\n")
    git(root, "config", "include.path", "more")

    assert set(trust.restricted) == {
        "core.editor = ./edit",
        "core.pager = ./page",
        "include.path = more",
    }


def test_hooks_restrict_wherever_the_repository_keeps_them(root: Path, trust: Trust) -> None:
    hook(root)
    assert [*trust.restricted] == ["hook pre-commit"]

    git(root, "config", "core.hooksPath", "own")
    write_files(root, {"own/commit-msg": b"#!/bin/sh\n"})
    (root / "own" / "commit-msg").chmod(0o755)
    assert [*trust.restricted] == ["core.hookspath = own", "hook commit-msg"]


def test_a_path_in_the_users_settings_that_leads_into_the_repository_is_a_strangers(
    root: Path, trust: Trust, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("in/.githooks", str(tmp_path / "own")):
        folder = root / name.removeprefix("in/")
        folder.mkdir()
        (folder / "pre-commit").write_bytes(b"#!/bin/sh\n")
        (folder / "pre-commit").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[core]\n\thooksPath = .githooks\n")
    assert trust.restricted == ("hook pre-commit",)

    (tmp_path / ".gitconfig").write_text("[core]\n\thooksPath = ~/own\n")
    assert not trust.restricted


def test_hooks_of_the_repository_restrict_its_linked_work_trees(
    root: Path, tmp_path: Path, state_dir: Path
) -> None:
    hook(root)
    git(root, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))

    assert Trust(Repository.discover(tmp_path / "linked"), state_dir).restricted == (
        "hook pre-commit",
    )


def test_trust_lasts_until_it_is_revoked(
    root: Path, repo: Repository, trust: Trust, state_dir: Path
) -> None:
    git(root, "config", "core.editor", "./edit")
    hook(root)
    trust.grant()
    git(root, "config", "branch.x.remote", "origin")
    again = Trust(repo, state_dir)

    assert (again.restricted, again.trusted) == ((), True)
    assert again.programs == ("core.editor = ./edit", "hook pre-commit")
    again.revoke()
    again.revoke()
    assert (len(trust.restricted), trust.trusted) == (2, False)


def test_what_changed_since_is_named(root: Path, trust: Trust) -> None:
    git(root, "config", "core.editor", "./edit")
    hook(root)
    trust.grant()
    hook(root, script="evil")
    git(root, "config", "core.editor", "./other")
    git(root, "config", "core.pager", "./page")

    assert trust.restricted == (
        "core.editor = ./other (changed since you trusted it)",
        "core.pager = ./page (new since you trusted it)",
        "hook pre-commit (changed since you trusted it)",
    )
    assert not trust.trusted


def test_what_changes_between_looking_and_trusting_is_not_trusted(root: Path, trust: Trust) -> None:
    git(root, "config", "core.editor", "./edit")
    seen = trust.look()
    git(root, "config", "core.editor", "./evil")
    trust.grant(seen)

    assert trust.restricted == ("core.editor = ./evil (changed since you trusted it)",)


def test_fewer_programs_than_were_trusted_stay_trusted(root: Path, trust: Trust) -> None:
    trusted = hook(root)
    trust.grant()
    trusted.unlink()

    assert (trust.restricted, trust.trusted) == ((), True)


def test_a_changed_project_configuration_is_not_trusted_but_restricts_nothing(
    root: Path, trust: Trust
) -> None:
    write_files(root, {PROJECT_CONFIG: b"seed = 1\n"})
    assert (trust.restricted, trust.trusted) == ((), False)
    trust.grant()
    assert trust.trusted

    write_files(root, {PROJECT_CONFIG: b"seed = 2\n"})
    assert (trust.restricted, trust.trusted) == ((), False)


def test_another_repository_in_the_same_place_is_trusted_no_further(
    root: Path, trust: Trust
) -> None:
    hook(root)
    trust.grant()
    shutil.rmtree(root)
    make_repo(root, {})
    hook(root, "pre-commit", "other")

    assert len(trust.restricted) == 1


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"version": 2, "trusted": {}}', b"[" * 100_000, b"\xff"]
)
def test_a_damaged_record_is_no_trust(trust: Trust, state_dir: Path, damage: bytes) -> None:
    trust.grant()
    (place,) = (state_dir / "trust").iterdir()
    place.write_bytes(damage)

    assert not trust.trusted


def test_the_record_is_the_user_s_alone_and_holds_no_value(
    root: Path, trust: Trust, state_dir: Path
) -> None:
    git(root, "config", "sendemail.smtpPass", "hunter2")
    assert trust.restricted == ("sendemail.smtppass = ...",)
    trust.grant()
    (place,) = (state_dir / "trust").iterdir()

    assert place.stat().st_mode & 0o777 == 0o600
    assert b"hunter2" not in place.read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_restricted_unless_called_safe(
    root: Path, trust: Trust, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    os.chown(root, 4321, -1)
    assert [*trust.restricted] == ["it belongs to another user (4321)"]

    (tmp_path / "config").write_text(f"[safe]\n\tdirectory = {root}\n")
    assert [*trust.restricted] == []


def test_a_state_folder_that_cannot_be_written_is_one_clear_line(
    repo: Repository, tmp_path: Path
) -> None:
    (tmp_path / "state").write_bytes(b"")

    with pytest.raises(FileError, match="cannot keep the trust"):
        Trust(repo, tmp_path / "state").grant()


def test_a_hook_that_is_a_pipe_holds_nothing_up(root: Path, trust: Trust) -> None:
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    os.mkfifo(root / ".git" / "hooks" / "pre-commit", 0o755)
    (root / ".git" / "hooks" / "pre-commit").chmod(0o755)

    assert trust.restricted == ("hook pre-commit",)
