"""Renames a name in all Python files of a repository, as jedi infers its uses.

jedi reads the files of one repository and nothing else; nothing is run and nothing is imported.
Left alone, jedi changes the `sys.path` of the whole process while it looks for modules, so that
another thread's import could find a file of the repository, and imports compiled modules to inspect
them. `Unrun` and `_Finder` prevent both.

Two uses are of the same name if they lead to the same definitions, directly or through other uses:
a name that gets a value several times in one scope, a method and the methods that override it. A
use that leads nowhere, such as an attribute of something of unknown type, stays as it is and is
reported.
"""

import ast
import re  # noqa: TID251 - reads source code
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

import jedi
from jedi import parser_utils, settings
from jedi.api.classes import Name
from jedi.api.environment import InterpreterEnvironment
from jedi.file_io import KnownContentFileIO
from jedi.inference.compiled.access import create_access_path
from jedi.inference.compiled.subprocess import InferenceStateSameProcess
from jedi.inference.compiled.subprocess.functions import ImplicitNSInfo
from parso import cache, split_lines

from spark_tui.context.search_index import MOST_BYTES
from spark_tui.editing.identifiers import uses
from spark_tui.editing.syntax import read_tree
from spark_tui.errors import UsageError
from spark_tui.small_files import read_small


class Unrun(InterpreterEnvironment):
    """A Python of which only the built-ins are known here; jedi has its own stubs of the rest.

    Args:
        root: The top of the repository, beyond which no module is read.
    """

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def get_inference_state_subprocess(self, inference_state: Any) -> "_Finder":
        """The finder of modules, in this process."""
        finder = _Finder(inference_state)
        finder.root = self._root
        return finder

    def get_sys_path(self) -> list[str]:
        """The import path: empty."""
        return []


class _Finder(InferenceStateSameProcess):
    """Finds source files by their names alone; a link that leads out of the root finds nothing.

    For a module that is not there, jedi expects (None, None).
    """

    root: Path

    def get_module_info(
        self,
        *,
        string: str,
        full_name: str = "",
        path: list[str] | None = None,
        sys_path: list[str] | None = None,
        is_global_search: bool = True,
    ) -> tuple[Any, bool | None]:
        """Return the file of a module, and whether the module is a package.

        Args:
            string: The last part of the module's name.
            full_name: The whole name of the module.
            path: The folders to look in.
            sys_path: The folders to look in where `path` is None.
            is_global_search: Not used here.
        """
        # Only top-level modules have no `path`; a built-in one has no file to read.
        if path is None:
            if string in sys.builtin_module_names:
                return None, False
            path = sys_path
        namespace = []
        for folder in path or ():
            package = Path(folder, string)
            # a package goes before a module of the same name, as for Python's own import
            for file, is_package in (
                (package / "__init__.py", True),
                (package.with_name(f"{string}.py"), False),
            ):
                if (data := self._read(file)) is not None:
                    return KnownContentFileIO(file, data), is_package
            if package.is_dir():
                namespace.append(str(package))
        if namespace:
            return ImplicitNSInfo(full_name or string, namespace), True
        return None, None

    def _read(self, file: Path) -> bytes | None:
        """The bytes of a source file; None where there is none, or a large one."""
        try:
            if not file.resolve(strict=True).is_relative_to(self.root):
                return None
            return read_small(file, MOST_BYTES)
        except (OSError, RuntimeError):  # a link to itself is a RuntimeError
            return None

    def load_module(self, *, dotted_name: str, sys_path: list[str]) -> Any:
        """A built-in module; no other is imported."""
        if dotted_name not in sys.builtin_module_names:
            return None
        return create_access_path(self._inference_state_weakref(), import_module(dotted_name))


def _value(literal: str) -> object:
    """The value of a literal; Python's parser is for one thread at a time."""
    tree = read_tree(literal)
    if tree and isinstance(tree.body[0], ast.Expr):
        return ast.literal_eval(tree.body[0].value)
    return ""


# jedi calls `literal_eval` by this name; its parser cache goes into spark's folder of caches.
parser_utils.literal_eval = _value
settings.cache_directory = str(Path(settings.cache_directory).with_name("spark") / "jedi")


_BOM = "\ufeff"
_MOST_KEPT = 2_000_000
"""Characters of the files whose trees are cached; a tree takes a hundred times as many bytes."""
_AT = "at"
_SCOPE = "scope"
_MEMBER = "member"
Key = tuple[object, ...]
"""The place of a definition; or the scope, or the class, that it is in."""


@dataclass(frozen=True, slots=True)
class NameUse:
    """A use of a name, at an offset of a file, in a line (1-based).

    Attributes:
        keys: What the use leads to; empty where that is unknown.
        bases: The classes that the class inherits from whose member is defined here.
        scope: The lines (1-based) of the scope of a definition.
        beside: The other members of its class.
    """

    path: str
    start: int
    line: int
    keys: frozenset[Key]
    bases: frozenset[Key] = frozenset()
    scope: tuple[int, int] | None = None
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Renamed:
    """The result of a renaming.

    Attributes:
        files: The files that change, with their new contents.
        unknown: Uses of the name that may be meant, too.
        unread: Files that hold the name and are nested too deeply to be read.
    """

    files: Mapping[str, str]
    unknown: tuple[NameUse, ...]
    unread: tuple[str, ...] = ()


class Rename:
    """A name that becomes another one.

    Args:
        root: The root of the repository.
        modules: The paths of its Python files.
        files: The contents of the files that hold the name.
    """

    def __init__(
        self, root: Path, modules: Sequence[str], files: Mapping[str, str], old: str, new: str
    ) -> None:
        self._root = root
        self._files = files
        self._old = old
        self._new = new
        tops = sorted({str(root / top) for top in _tops(modules)})
        self._project = jedi.Project(root, sys_path=[], added_sys_path=tops)

    def find(self, path: str, start: int, watch: Callable[[str], None]) -> Renamed:
        """Rename what stands at an offset of a file.

        Args:
            path: The file.
            start: The offset.
            watch: Called with a line about the next file; its exceptions end the search.

        Raises:
            UsageError: The name is not all defined here, the new name is in use where it would be,
                or the file is nested too deeply to be read.
        """
        name_uses = list[NameUse]()
        known = frozenset[Key]()
        unread = list[str]()
        # The file of the place comes first: it tells what the name is.
        order = sorted(self._files, key=lambda file: file != path)
        try:
            read = 0
            for number, file in enumerate(order, 1):
                watch(f"looking for {self._old} in {file}, file {number} of {len(self._files)}")
                try:
                    name_uses += list(self._uses(file))
                except RecursionError as e:
                    if file == path:
                        raise UsageError(_too_deep(path)) from e
                    unread.append(file)
                read += len(self._files[file])
                # parso keeps trees for minutes, so those of a large repository would add up.
                if read > _MOST_KEPT:
                    cache.parser_cache.clear()
                    read = 0
                known = known or _keys_at(name_uses, start)
                if not known:
                    raise UsageError(
                        f"what {self._old} is cannot be told there; name a place where it is "
                        f"defined"
                    )
        finally:
            cache.parser_cache.clear()
        meant = _joined(name_uses, known)
        self._refuse(meant)
        changed = {}
        for file in sorted({use.path for use in meant}):
            changed[file] = self._substituted(file, meant)
        unknown = tuple(use for use in name_uses if not use.keys)
        return Renamed(changed, unknown, tuple(unread))

    def _uses(self, path: str) -> Iterator[NameUse]:
        text = self._files[path]
        bare = text.removeprefix(_BOM)
        starts = _starts(bare, len(text) - len(bare))
        script = jedi.Script(
            bare, path=self._root / path, project=self._project, environment=Unrun(self._root)
        )
        for name in script.get_names(all_scopes=True, references=True):
            if name.name == self._old:
                yield self._use(path, name, starts)

    def _use(self, path: str, name: Name, starts: Sequence[int]) -> NameUse:
        # Definitions that the use leads to; more keys below join the uses that belong together.
        keys = set(map(_position, name.goto(follow_imports=True)))
        owner = _class_of(name)
        bases = set[Key]()
        scope = None
        beside = frozenset[str]()
        if owner:
            # Assignments to one attribute, wherever they are in a class, share the key of the
            # class.
            keys |= {_position(name), (_MEMBER, *_position(owner))}
            for base in _inherited(owner):
                bases.add((_MEMBER, *_position(base)))
                # The member overrides one of a library: `_refuse` finds this key, which is not of
                # here.
                if self._is_foreign(base) and self._old in _members(base):
                    keys.add(_position(base))
            beside = frozenset(_members(owner))
        elif name.is_definition() or _node(name).parent.type in {"global_stmt", "nonlocal_stmt"}:
            around = name.parent()
            # Assignments to one variable share the key of their scope.
            keys |= {_position(name), (_SCOPE, *_position(around))}
            # the definition of a module reaches over the whole file
            scope = 1, len(starts)
            if around.type != "module":
                scope = (
                    around.get_definition_start_position()[0],
                    around.get_definition_end_position()[0],
                )
        start = starts[name.line - 1] + name.column
        return NameUse(path, start, name.line, frozenset(keys), frozenset(bases), scope, beside)

    def _is_foreign(self, name: Name) -> bool:
        return name.module_path is None or not name.module_path.is_relative_to(self._root)

    def _refuse(self, meant: Iterable[NameUse]) -> None:
        """Refuse a name that is not all defined here, and a new name that is taken."""
        for use in meant:
            if not all(map(self._is_here, use.keys)):
                place = f"{self._old} in {use.path}:{use.line}"
                raise UsageError(f"{place} is defined outside this repository; it keeps its name")
            taken = self._taken(use)
            if self._new in use.beside:
                taken = use.line
            if taken:
                raise UsageError(
                    f"{self._new} is in use in {use.path}:{taken} already; choose another name"
                )

    def _is_here(self, key: Key) -> bool:
        """Whether a key is no place outside of this repository."""
        kind, where, *_ = key
        return kind != _AT or (isinstance(where, Path) and where.is_relative_to(self._root))

    def _taken(self, use: NameUse) -> int | None:
        """Return the first line in the scope of a definition where the new name stands."""
        if use.scope is None or self._new not in self._files[use.path]:
            return None
        first, last = use.scope
        # Any use of the new name in the scope would mean the renamed thing afterwards, or hide it.
        text = "".join(split_lines(self._files[use.path], keepends=True)[first - 1 : last])
        for other in uses(text):
            if other.name == self._new:
                return first + text.count("\n", 0, other.start)
        return None

    def _substituted(self, path: str, meant: Iterable[NameUse]) -> str:
        """A file with the new name, also in strings that others read as code."""
        text = self._files[path]
        here = [use for use in meant if use.path == path]
        starts = {use.start for use in here}
        # Only names of a module are exported by `__all__` or written in annotations.
        if any(use.scope and use.scope[0] == 1 for use in here):
            starts |= set(_in_strings(text, self._old))
        # From the end, so that the starts before stay right.
        for start in sorted(starts, reverse=True):
            text = text[:start] + self._new + text[start + len(self._old) :]
        return text


def _too_deep(path: str) -> str:
    return f"{path} is nested too deeply to be read for its names; ask for the renaming in words"


def _joined(name_uses: Sequence[NameUse], known: frozenset[Key]) -> list[NameUse]:
    """Return the uses that lead to known definitions, or to what any of those uses leads to."""
    owners = set[Key]()
    for use in name_uses:
        owners.update(key for key in use.keys if key[0] == _MEMBER)
    # A base class counts only if the member is defined there, too; else two classes with one base
    # would be joined by it.
    keys = {use: use.keys | (use.bases & owners) for use in name_uses}
    # To a fixed point: a use may join two definitions, say of a method and of the one it overrides.
    reached = set(known)
    size = 0
    while len(reached) > size:
        size = len(reached)
        for use_keys in keys.values():
            if use_keys & reached:
                reached |= use_keys
    return [use for use in name_uses if keys[use] & reached]


def _keys_at(name_uses: Sequence[NameUse], start: int) -> frozenset[Key]:
    for use in name_uses:
        if use.start == start:
            return use.keys
    return frozenset()


def _tops(modules: Iterable[str]) -> set[str]:
    """The folders that modules are imported from: those above packages and of lone modules."""
    packages = {
        path.removesuffix("/__init__.py") for path in modules if path.endswith("/__init__.py")
    }
    tops = set[str]()
    for path in modules:
        folder = path.rpartition("/")[0]
        while folder in packages:
            folder = folder.rpartition("/")[0]
        tops.add(folder)
    return tops


def _starts(text: str, before: int) -> list[int]:
    """The offset of each line.

    Args:
        before: Characters above the text.
    """
    return list(accumulate(map(len, split_lines(text, keepends=True)[:-1]), initial=before))


def _position(name: Name) -> Key:
    return _AT, name.module_path, name.line, name.column


def _node(name: Name) -> Any:
    """The node of a name in the tree of its file."""
    return name._name.tree_name


def _members(owner: Name) -> set[str]:
    return {name.name for name in owner.defined_names()}


def _class_of(name: Name) -> Name | None:
    """The class whose member a name defines.

    The name stands in the body of the class, or is an attribute of the first argument of a method.
    """
    around = name.parent() if name.is_definition() else None
    if around is None or around.type == "class":
        return around
    # Left is `self.name = ...`: the name is the first trailer behind the method's first parameter.
    node = _node(name).parent
    if node.type != "trailer" or around.type != "function" or node.parent.children[1] is not node:
        return None
    first = next(iter(_node(around).parent.get_params()), None)
    if first and node.parent.children[0].get_code(False) == first.name.value:
        return around.parent()
    return None


def _inherited(owner: Name) -> list[Name]:
    """Return the classes that a class inherits from."""
    inherited = []
    for value in owner._name.infer():
        for base in value.py__mro__():
            name = Name(owner._inference_state, base.name)
            if name != owner:
                inherited.append(name)
    return inherited


def _in_strings(text: str, old: str) -> Iterator[int]:
    """Yield where strings of a module name what it defines: in `__all__`, and in annotations."""
    tree = read_tree(text)
    if tree is None:
        return
    starts = _starts(text, 0)
    lines = split_lines(text)

    def offset(line: int, column: int) -> int:
        """Return the offset of a column, which Python's parser counts in bytes."""
        before = lines[line - 1].encode()[:column].decode()
        return starts[line - 1] + len(before)

    for node in _strings(tree):
        first = offset(node.lineno, node.col_offset)
        last = offset(node.end_lineno or 0, node.end_col_offset or 0)
        for match in re.finditer(rf"\b{re.escape(old)}\b", text[first:last]):
            yield first + match.start()


def _strings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AugAssign(target=ast.Name(id="__all__"), value=value)
            ):
                yield from _constants(value)
            case ast.arg(annotation=note) | ast.AnnAssign(annotation=note) if note:
                yield from _constants(note)
            case ast.FunctionDef(returns=note) | ast.AsyncFunctionDef(returns=note) if note:
                yield from _constants(note)


def _constants(node: ast.AST) -> Iterator[ast.Constant]:
    """The strings in an expression, but for those of `Literal`, which name nothing."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case ast.Constant(value=str()) as constant:
                yield constant
            case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
                pass
            case other:
                waiting += ast.iter_child_nodes(other)
