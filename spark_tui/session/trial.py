"""Trying an edit out: the user's own command, in a copy of the tracked files, never in the work tree."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from spark_tui.editing.checks import Check
from spark_tui.vcs.git import run_git
from spark_tui.vcs.repository import Repository


def try_command(repo: Repository, path: str, content: bytes, command: str) -> Check:
    """Run a command where one file has other content.

    Args: path: relative to the root. content: what the file holds in the copy. command: for the shell.
    Returns: the check "command"; its detail is the exit status and the last line of output when it failed.
    """
    with tempfile.TemporaryDirectory(prefix="spark-check-") as name:
        folder = Path(name)
        _copy_tracked(repo, folder)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        done = subprocess.run(  # noqa: S602 - the command line is the user's own
            command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
    detail = f"`{command}` ended with {done.returncode}" + (f": {lines[-1].strip()}" if lines else "")
    return Check("command", ok=done.returncode == 0, detail=detail if done.returncode else "")


def _copy_tracked(repo: Repository, folder: Path) -> None:
    """Copy every tracked file as it is now; links stay links, what is gone or no file is left out."""
    listed = run_git(["ls-files", "-z", "--cached"], git_dir=repo.git_dir, work_tree=repo.root)
    for name in filter(None, listed.split(b"\0")):
        source, target = repo.root / os.fsdecode(name), folder / os.fsdecode(name)
        if source.is_file() or source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
