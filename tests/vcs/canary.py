"""A repository in which every setting, hook and driver that names a program leaves its name in
a file when it runs.
"""

import os
from pathlib import Path

from tests.vcs.repos import git, make_repo

LINES = b"".join(b"line %d\n" % number for number in range(12))
COMMANDS = (
    "apply",
    "cat-file",
    "commit",
    "config",
    "diff",
    "fetch",
    "hash-object",
    "log",
    "ls-files",
    "rev-parse",
)
"""Subcommands hidden by an alias, and given a pager of their own."""

# Source: git-config(1) of git 2.55, read for every value that is a command, a program or a folder
# of them.
PROGRAMS = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "alias.x",
    *(f"alias.{command}" for command in COMMANDS),
    *(f"pager.{command}" for command in ("status", *COMMANDS)),
    "alias.y.command",
    "browser.x.cmd",
    "browser.x.path",
    "credential.helper",
    "credential.https://example.org.helper",
    "diff.external",
    *(
        f"diff.{driver}.{kind}"
        for driver in ("tracked", "private")
        for kind in ("command", "textconv")
    ),
    *(
        f"filter.{driver}.{kind}"
        for driver in ("tracked", "private")
        for kind in ("clean", "smudge")
    ),
    "filter.lasting.process",
    "merge.tracked.driver",
    "merge.private.driver",
    "difftool.x.cmd",
    "difftool.x.path",
    "mergetool.x.cmd",
    "mergetool.x.path",
    "gc.recentObjectsHook",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "guitool.x.cmd",
    "help.browser",
    "hook.x.command",
    "imap.tunnel",
    "instaweb.browser",
    "instaweb.httpd",
    "interactive.diffFilter",
    "man.x.cmd",
    "man.x.path",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "sendemail.ccCmd",
    "sendemail.headerCmd",
    "sendemail.sendmailCmd",
    "sendemail.smtpServer",
    "sendemail.toCmd",
    "sequence.editor",
    "submodule.sub.update",
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.y.command",
    "uploadpack.packObjectsHook",
    "web.browser",
)
HOOKS = tuple(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit "
    "prepare-commit-msg commit-msg "
    "post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive "
    "post-receive post-update "
    "reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate "
    "fsmonitor-watchman "
    "query-watchman p4-changelist p4-pre-submit post-index-change".split()
)
OTHERS = """
[include]
    path = included
[includeIf "gitdir:/"]
    path = included
[core]
    autocrlf = true
    untrackedCache = true
    attributesFile = .git/info/attributes
[commit]
    gpgSign = true
[tag]
    gpgSign = true
[log]
    showSignature = true
[submodule]
    recurse = true
[gpg]
    format = ssh
[filter "tracked"]
    required = true
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[extensions]
    worktreeConfig = true
    partialClone = origin
[diff]
    tool = x
[merge]
    tool = x
[man]
    viewer = x
"""


def plant(place: Path, canary: Path) -> Path:
    """Make such a repository.

    Args:
        canary: The file that gets a line for each program that runs.

    Returns:
        Its root.
    """
    root = make_repo(place, {"a.py": LINES, "pkg/b.py": LINES, "c.bin": b"\0"})
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    (root / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
    (root / ".gitattributes").write_bytes(
        b"* filter=tracked diff=tracked merge=tracked ident text eol=crlf\n"
    )
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_bytes(
        b"pkg/* filter=private diff=private merge=private\n*.bin filter=lasting\n"
    )
    programs = root / ".git" / "canaries"
    for name in PROGRAMS:
        _sing(programs / name.replace("/", "-"), name, canary)
    for folder in (
        root / ".git" / "hooks",
        root / ".git" / "more-hooks",
        root / ".git" / "template" / "hooks",
    ):
        for name in HOOKS:
            _sing(folder / name, f"hook {name}", canary)
    (root / ".git" / "included").write_text(
        "".join(_line(name, programs) for name in PROGRAMS[::2])
    )
    with (root / ".git" / "config").open("a") as config:
        config.write(OTHERS + _line_of("init.templateDir", f"{root}/.git/template"))
        config.write('[hook "x"]\n' + "".join(f"\tevent = {name}\n" for name in HOOKS))
        config.write(
            _line_of("remote.origin.url", f"ext::{_sing(programs / 'ext', 'ext::', canary)} %S")
        )
        config.write(_line_of("remote.origin.promisor", "true"))
        config.write("".join(_line(name, programs) for name in PROGRAMS[1::2]))
    (root / ".git" / "config.worktree").write_text(
        _line_of("core.hooksPath", f"{root}/.git/more-hooks")
    )
    (root / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (root / ".git" / "objects" / "info" / "alternates").write_text(f"{root}/.git/modules/objects\n")
    canary.unlink(missing_ok=True)
    return root


def sung(canary: Path) -> set[str]:
    """What has run."""
    return set(canary.read_text().splitlines()) if canary.exists() else set()


def _sing(path: Path, name: str, canary: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{name}' >> '{canary}'\n")
    os.chmod(path, 0o755)  # noqa: PTH101
    return path


def _line(name: str, programs: Path) -> str:
    shell = "!" if name.startswith(("alias.", "submodule.")) else ""
    return _line_of(name, f"{shell}{programs / name.replace('/', '-')}")


def _line_of(key: str, value: str) -> str:
    section, _, rest = key.partition(".")
    middle, _, variable = rest.rpartition(".")
    return (
        f'[{section} "{middle}"]' if middle else f"[{section}]"
    ) + f'\n\t{variable} = "{value}"\n'
