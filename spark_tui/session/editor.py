"""The user's own editor, on a few lines in a file of its own. Which one it is only the user's environment says."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from spark_tui.editing.text import Text
from spark_tui.errors import SparkError, UsageError


def editor_of(root: Path) -> list[str]:
    """The command that $VISUAL, else $EDITOR, names.

    Raises: UsageError: none is set, there is no such program, or it lies in the repository `root`.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        name, *options = shlex.split(command)
    except ValueError:
        raise UsageError("no editor is set; set EDITOR, for example: export EDITOR=nano") from None
    if (found := shutil.which(name)) is None:
        raise UsageError(f"there is no program {name!r}; set EDITOR to one that there is")
    program = Path(found).absolute()
    if any(place.is_relative_to(root.resolve()) for place in (program, program.resolve())):
        raise UsageError(f"{program} lies in this repository, so it is not started; set EDITOR to another one")
    return [str(program), *options]


def edit_outside(lines: Sequence[str], path: str, root: Path) -> tuple[str, ...]:
    """Let the user edit lines in their editor, which has the terminal until it ends.

    Args: path: of the file they are for: its ending tells the editor what they are. root: of the repository.
    Returns: the lines as they were left. Raises: UsageError: no editor. SparkError: it failed; nothing was changed.
    """
    command = editor_of(root)
    ending = Path(path).suffix
    with TemporaryDirectory(prefix="spark-") as folder:
        file = Path(folder) / f"hunk{ending if re.fullmatch(r'[.][A-Za-z0-9]{1,10}', ending) else '.txt'}"
        file.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
        try:
            status = subprocess.run([*command, str(file)], cwd=folder, check=False).returncode
            if status:
                raise SparkError(f"{Path(command[0]).name} ended with {status}; nothing was changed")
            return Text.from_bytes(file.read_bytes()).lines
        except OSError as e:
            raise SparkError(f"cannot edit with {command[0]}: {e.strerror}; nothing was changed") from e
