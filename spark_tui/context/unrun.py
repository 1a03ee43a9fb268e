"""What jedi is told of Python here: the files of one repository and nothing else, of which nothing is ever imported.

By itself jedi looks for modules with the `sys.path` of the whole process changed meanwhile, so that another thread's
import could find a file of the repository, and imports compiled modules to look at them. Neither happens here.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from jedi import parser_utils, settings
from jedi.api.environment import InterpreterEnvironment
from jedi.file_io import KnownContentFileIO
from jedi.inference.compiled.access import create_access_path
from jedi.inference.compiled.subprocess import InferenceStateSameProcess
from jedi.inference.compiled.subprocess.functions import ImplicitNSInfo

from spark_tui.context.index import MOST_BYTES
from spark_tui.editing.trees import read_tree


class Unrun(InterpreterEnvironment):
    """Python, of which only what is built in is known here; of the rest jedi has its own stubs."""

    def get_inference_state_subprocess(self, inference_state: Any) -> "_Finder":
        """What is asked for modules; no process."""
        return _Finder(inference_state)

    def get_sys_path(self) -> list[str]:
        """Nothing is imported from anywhere."""
        return []


class _Finder(InferenceStateSameProcess):
    """Finds source files by their names alone. Where it says (None, None) there is no such module."""

    def get_module_info(
        self, *, string: str, full_name: str = "", path: list[str] | None = None, sys_path: list[str] | None = None,
        is_global_search: bool = True,
    ) -> tuple[Any, bool | None]:  # fmt: skip
        """A module's file, and whether it is a package. Args: string: the last part of its name. path: where."""
        if path is None and string in sys.builtin_module_names:
            return None, False
        folders = [Path(folder, string) for folder in (sys_path if path is None else path) or ()]
        for folder in folders:
            for file, is_package in ((folder / "__init__.py", True), (folder.with_name(f"{string}.py"), False)):
                if file.is_file() and file.stat().st_size <= MOST_BYTES:
                    return KnownContentFileIO(file, file.read_bytes()), is_package
        there = [str(folder) for folder in folders if folder.is_dir()]
        return (ImplicitNSInfo(full_name or string, there), True) if there else (None, None)

    def load_module(self, *, dotted_name: str, sys_path: list[str]) -> Any:
        """A module that is built in; no other is imported."""
        if dotted_name not in sys.builtin_module_names:
            return None
        return create_access_path(self._inference_state_weakref(), import_module(dotted_name))


def _value(literal: str) -> object:
    """A literal's value; Python's parser is for one thread at a time."""
    tree = read_tree(literal)
    return ast.literal_eval(tree.body[0].value) if tree and isinstance(tree.body[0], ast.Expr) else ""


parser_utils.literal_eval = _value
settings.cache_directory = str(Path(settings.cache_directory).with_name("spark") / "jedi")
