"""Every name that may be the wrong one, and the other names that stand where it could."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

from spark_tui.editing.code import Function, parameters, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.mistaken import (
    Slip,
    attribute_place,
    edits_of,
    name_place,
    suggested,
    told_names,
    undefined,
)
from spark_tui.editing.codemods.bugs.near_misses import (
    arguments_gathered,
    field_slips,
    looked_up,
    parameters_missed,
    types_mistaken,
)
from spark_tui.editing.codemods.bugs.opposites import opposites, opposites_said, other_number
from spark_tui.editing.codemods.bugs.put_in_place import put_in_place
from spark_tui.editing.codemods.bugs.raised_wrongly import raised_wrongly
from spark_tui.editing.snippet import Snippet

_SUBCLASS = re.compile(r"\bsub-?class|\binherit|\bderived?\b|\bplain [A-Z]|\bbase class", re.IGNORECASE)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.expr)
_UNPACKED = (ast.Tuple, ast.List, ast.Starred, ast.NamedExpr)
_RECEIVERS = frozenset(["self", "cls", "_"])
_BUILTINS = frozenset(dir(builtins))
_CONFUSED = """
append extend insert add appendleft|add update append|remove discard pop popleft|popleft pop|min max|any all
startswith endswith|lower upper title|items keys values|find rfind index|read readline readlines
write writelines|ceil floor round|sorted reversed|int float str|encode decode|dumps dump|loads load
get pop setdefault|isfile isdir exists|debug info warning error|strip lstrip rstrip|sum len
fromtimestamp utcfromtimestamp|now utcnow today|join split rsplit|rsplit split|partition rpartition
digest hexdigest|match fullmatch search|search match findall|findall finditer search|put put_nowait
get_nowait get|__enter__ __exit__|append appendleft|removeprefix lstrip|removesuffix rstrip|scalar scalars
first one all|time monotonic|union intersection difference|substitute safe_substitute|done result|isSet is_set
isAlive is_alive|warn warning|assertEquals assertEqual|iteritems items|readfp read_file|iter reversed
reversed iter|choice choices sample|randint randrange|copy deepcopy|mkdir makedirs|rmdir rmtree|remove unlink
rename replace|copy copytree|copy copy2|basename dirname|abspath realpath|quote quote_plus|unquote unquote_plus
urlparse urlsplit|parse_qs parse_qsl|b64encode urlsafe_b64encode|b64decode urlsafe_b64decode|md5 sha1 sha256
load safe_load|create_task ensure_future|Lock RLock|gmtime localtime|isdigit isdecimal isnumeric|isalpha isalnum
group groups groupdict|seconds total_seconds|zip zip_longest|map starmap|defaultdict Counter|Empty Full
wraps update_wrapper|cached_property property|staticmethod classmethod|lru_cache cache|tuple list
islice takewhile|takewhile dropwhile|chain chain.from_iterable|exit _exit|getLogger getChild|put append
acquire release|set_result set_exception
isoweekday weekday|add_done_callback add_reader|fromordinal toordinal|dedent indent|bisect_left bisect_right
heappush heappushpop|strftime strptime|monotonic perf_counter|read_text read_bytes|write_text write_bytes
mean median|apply map|notify notify_all|get_running_loop get_event_loop new_event_loop
""".replace("\n", "|")
_GONE = {
    "unicode": ("str",), "basestring": ("str",), "long": ("int",), "xrange": ("range",), "raw_input": ("input",),
    "unichr": ("chr",),
}  # fmt: skip
"""Builtins of Python 2 with what took their place."""
_GROUPS = [group.split() for group in _CONFUSED.split("|")]
_ALIKE: dict[str, tuple[str, ...]] = {
    word: tuple(dict.fromkeys(other for group in _GROUPS if word in group for other in group if other != word))
    for word in {word for group in _GROUPS for word in group}
}


@dataclass(frozen=True, slots=True)
class _Use:
    """A name as it is used; `values` are the names of values that could stand there."""

    node: ast.Name
    parent: ast.AST
    values: tuple[str, ...]

    @property
    def called(self) -> bool:
        """Whether the name is that of a function in a call."""
        return isinstance(self.parent, ast.Call) and self.parent.func is self.node


@dataclass(slots=True)
class _Found:
    """What a region names: uses, method calls, and what is called by which receiver."""

    uses: list[_Use] = field(default_factory=list)
    calls: list[tuple[ast.Attribute, str]] = field(default_factory=list)
    defined: dict[str, None] = field(default_factory=dict)
    methods: dict[str, None] = field(default_factory=dict)


class FixName(Codemod):
    """A variable, a function, a class or a called method that should be another one of the region."""

    kind: ClassVar[str] = "fix_name"
    repairs: ClassVar[bool] = True

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One use changed. An error message says which name is wrong, and may say the right one."""
        slips = chain(raised_wrongly(before, request.instruction), name_slips(before, request.instruction))
        if not undefined(request.instruction):
            words = request.instruction
            slips = chain(
                slips,
                field_slips(before),
                parameters_missed(before),
                types_mistaken(before, words),
                put_in_place(before, words),
                looked_up(before, words),
                arguments_gathered(before, words),
            )
        return edits_of(before, request, slips)


def name_slips(before: Snippet, instruction: str = "") -> Iterator[Slip]:
    """Every use of a name, and of a called method, with what else it could be."""
    missing, wanted = undefined(instruction), suggested(instruction)
    found = _read(before)
    told = (wanted,) if wanted else told_names(instruction)
    groups = _groups(found)
    for use in found.uses:
        old = use.node.id
        if old in _RECEIVERS or (missing and old != missing):
            continue
        place = name_place(before, use.node)
        near = (*_GONE.get(old, ()), *opposites_said(old, instruction), *_own_class(use, instruction))
        others = told if wanted else (*near, *_others(use, groups, missing == old), *told)
        others = tuple(one for one in dict.fromkeys(others) if one not in _RECEIVERS and one not in _beside(use))
        if place:
            yield from (Slip(*place, one, (old, one)) for one in others if one != old)
    if not missing:
        yield from _method_slips(before, found, told if not wanted else ())


def _read(before: Snippet) -> _Found:
    found = _Found()
    waiting: list[tuple[ast.AST, ast.AST, tuple[str, ...]]] = [(before.tree, before.tree, _stored(before.tree))]
    while waiting:
        node, parent, values = waiting.pop()
        match node:
            case ast.Name(ctx=ast.Load() | ast.Store()):
                found.uses.append(_Use(node, parent, values))
            case ast.Call(func=ast.Attribute() as method):
                found.calls.append((method, text_of(before, method.value)))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                (found.methods if isinstance(parent, ast.ClassDef) else found.defined)[node.name] = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            own = [arg.arg for arg in parameters(_as_function(node))]
            values = (*own, *(_stored(node) if not isinstance(node, ast.Lambda) else ()), *values)
        elif isinstance(node, _COMPREHENSIONS):
            targets = [name for one in node.generators for name in ast.walk(one.target)]
            values = (*(one.id for one in targets if isinstance(one, ast.Name)), *values)
        waiting.extend((child, node, values) for child in reversed(list(ast.iter_child_nodes(node))))
    return found


def _as_function(node: Function | ast.Lambda) -> Function:
    return node  # type: ignore[return-value]  # both have the `args` that are read


def _stored(scope: ast.AST) -> tuple[str, ...]:
    """The variables that get a value in a scope itself."""
    names: dict[str, None] = {}
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = None
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names[node.name] = None
        if isinstance(node, _UNPACKED) or not isinstance(node, _OPAQUE):
            waiting.extend(ast.iter_child_nodes(node))
    return tuple(names)


def _sort(use: _Use) -> str:
    name = use.node.id
    bare = name.strip("_")
    if len(bare) > 1 and bare.isupper():
        return "constant"
    if bare[:1].isupper():
        return "class"
    if use.called and name not in use.values:
        return "function"
    return "value"


def _groups(found: _Found) -> dict[str, tuple[str, ...]]:
    """The names of each sort; `module` are those that only attributes are taken of, `free` other unknown values."""
    names: dict[str, dict[str, None]] = {one: {} for one in ("constant", "class", "function", "module", "free")}
    for use in found.uses:
        sort = _sort(use)
        if sort == "value" and use.node.id not in use.values and use.node.id not in _BUILTINS:
            sort = "module" if isinstance(use.parent, ast.Attribute) else "free"
        if sort != "value":
            names[sort][use.node.id] = None
    names["function"] |= {one: None for one in found.defined if not one[0].isupper()}
    names["class"] |= {one: None for one in found.defined if one[0].isupper()}
    names["module"] = {one: None for one in names["module"] if one not in names["free"]}
    return {sort: tuple(of_sort) for sort, of_sort in names.items()}


def _others(use: _Use, groups: dict[str, tuple[str, ...]], missing: bool) -> Sequence[str]:
    sort, name = _sort(use), use.node.id
    if sort == "function":
        more = use.values if missing else ()
        return (*_ALIKE.get(name, ()), *groups["function"], *more) if not missing else (*groups["function"], *more)
    if sort != "value":
        lower = use.values if missing else ()
        return (*groups[sort], *lower)
    values = (*use.values, *groups["free"])
    if missing:
        return (*values, *groups["module"], *(groups["function"] if use.called else ()), *groups["constant"])
    if name in groups["module"]:
        return groups["module"]
    if name in _BUILTINS and name not in values:
        return _ALIKE.get(name, ()) if isinstance(use.parent, Function | ast.ClassDef) else ()
    return [one for one in values if not one.strip("_").isupper()] if name in values else ()


def _own_class(use: _Use, instruction: str) -> tuple[str, ...]:
    """What an object of the same class is made by in a method, where subclasses are spoken of."""
    if not (use.called and use.node.id[:1].isupper() and _SUBCLASS.search(instruction)):
        return ()
    receivers = {"self": ("self.__class__", "type(self)"), "cls": ("cls",)}
    return next((made for one, made in receivers.items() if one in use.values), ())


def _beside(use: _Use) -> tuple[str, ...]:
    """Names that make no sense here: `x = x`, `x == x`, `x - x`."""
    match use.parent:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=value)):
            return target, value
        case ast.Compare(left=ast.Name(id=left), comparators=[ast.Name(id=right)]):
            return left, right
        case ast.BinOp(left=ast.Name(id=left), right=ast.Name(id=right)):
            return left, right
    return ()


def _method_slips(before: Snippet, found: _Found, told: tuple[str, ...]) -> Iterator[Slip]:
    by_receiver: dict[str, dict[str, None]] = {}
    for method, receiver in found.calls:
        by_receiver.setdefault(receiver, {})[method.attr] = None
    modules = {use.node.id for use in found.uses if isinstance(use.parent, ast.Attribute)}
    modules -= {name for use in found.uses for name in use.values}
    shared: dict[str, None] = {}
    for receiver, names in by_receiver.items():
        if receiver not in modules and receiver not in _RECEIVERS:
            shared |= names
    for method, receiver in found.calls:
        others = dict.fromkeys(_ALIKE.get(method.attr, ())) | by_receiver[receiver]
        if receiver in _RECEIVERS:
            others |= found.methods
        elif receiver not in modules:
            others |= shared
        others |= dict.fromkeys((*told, *opposites(method.attr), *filter(None, [other_number(method.attr)])))
        place = attribute_place(before, method)
        others = {one: None for one in others if one.startswith("__") == method.attr.startswith("__")}
        if place:
            yield from (Slip(*place, one, (method.attr, one)) for one in others if one != method.attr)
