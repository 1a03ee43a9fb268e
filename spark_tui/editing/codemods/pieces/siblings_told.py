"""A function, method or exception told by its name that is to stand for the one most like it: "should be fullmatch"."""

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache

from spark_tui.editing.code import MAX_WIDTH, Position, end_of, splice, start_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.checks.misspelt import error_respelt
from spark_tui.editing.codemods.common.expression_places import all_or_each, places_meant
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings

_FAMILIES = """
match fullmatch search findall finditer | lower upper casefold title capitalize swapcase | strip lstrip rstrip
removeprefix lstrip strip | removesuffix rstrip strip | split rsplit partition rpartition splitlines
find rfind index rindex count | remove discard pop | append appendleft extend add insert update | popleft pop popitem
startswith endswith | debug info warning warn error critical exception log | keys values items | fromkeys
isdigit isdecimal isnumeric isalpha isalnum isidentifier | time monotonic perf_counter process_time time_ns monotonic_ns
int float round floor ceil trunc Decimal | list tuple set frozenset sorted deque reversed | str repr ascii format
dict OrderedDict defaultdict Counter MappingProxyType | any all sum max min len | range xrange enumerate count
read_text read_bytes read | write_text write_bytes write writelines | utcnow now today utcfromtimestamp fromtimestamp
getattr hasattr | load loads safe_load full_load | dump dumps safe_dump | run call check_call check_output Popen
acquire release | copy deepcopy | get pop setdefault get_nowait | put put_nowait | wait join | all gather
randint randrange choice choices random uniform sample token_hex token_urlsafe | exists is_file is_dir isfile isdir
quote quote_plus | unquote unquote_plus | b64encode urlsafe_b64encode | b64decode urlsafe_b64decode
md5 sha1 sha256 sha512 blake2b | encode decode hex | glob rglob iterdir listdir walk | unlink remove rmdir rmtree
mkdir makedirs | rename replace move | realpath abspath normpath resolve absolute | map imap starmap | zip zip_longest
lru_cache cache cached_property property | uuid1 uuid4 | isoformat strftime | seconds total_seconds | timestamp mktime
ensure_future create_task | get_event_loop get_running_loop new_event_loop | fetchone fetchall fetchmany
print debug | assertEqual assertEquals assertIs | Lock RLock | Thread Process | namedtuple NamedTuple | staticmethod
classmethod staticmethod | chain from_iterable | first one scalar | filter filterfalse | sub subn replace
json orjson ujson | commit rollback flush | select poll | title capitalize | send sendall | type isinstance
"""
_GROUPS = [frozenset(group.split()) for line in _FAMILIES.strip().splitlines() for group in line.split("|")]
_KNOWN = frozenset(name for group in _GROUPS for name in group)
_TOLD = re.compile(
    r"""(?<![\w.`'"-])[`'"]?\.?(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<call>\(\))?[`'"]?(?![\w(.-]\w|\w|\()"""
)
_CUE_BEFORE = re.compile(
    r"\b(?:use|uses|using|be|becomes?|calls?|prefer|switch to|go for|make (?:it|that|this|taht)|into|should|must"
    r"|shall|as|is|plain|just|simply|only|built-?in|lower-?case|at|worth|raise .{1,30} to|of|want|thats|that's)"
    r"(?: an?| the)? $",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:^|[:;.\n]) ?$")
_CUE_AFTER = re.compile(
    r"\W*(?:instead|rather|does|will do|would do|reads|suffices|has done|level|exists|not\b|fits"
    r"|(?:is|are) (?:enough|better|safer|faster|simpler|fine|what|all we|plenty|the))",
    re.IGNORECASE,
)
_ENGLISH = frozenset(
    """
    match search find index count title strip split remove pop append add insert update debug info warning error log
    critical exception keys values items time int float round floor list tuple set str format dict any all sum max min
    range read write now today run call acquire release copy get put wait join gather choice choices sample exists
    quote encode decode rename replace move resolve absolute map zip cache property seconds timestamp print filter first
    one select poll send type commit flush chain load dump warn lower upper capitalize random uniform walk stop len
    Lock Thread Process Counter Decimal hex scalar
    """.split()  # noqa: SIM905 - one word a line would be longer
)
_TYPES = frozenset(["list", "dict", "set", "tuple", "frozenset", "type"])
_AGAINST = re.compile(
    r"(?:\binstead of|\brather than|\bno|\bwithout|\bnot|\bdrop|\bremove|\blose|\bwhy|\bavoid|\bfrom|\bin|\bon)"
    r"(?: an?| the| that| this)?\s*$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:also|too|as well|besides|additionally|rename\w*|inline|docstring)\b| (?:->|=>|\u2192) ", re.IGNORECASE
)
_MOST = 6


def sibling_edits(before: Snippet, request: Request, known: Collection[str] = ()) -> Iterator[list[str]]:
    """The lines after a name that is told took the place of the one of its kind, where it stands and everywhere.

    Args: known: the names of which is told already what they take the place of.
    """
    if _OTHER.search(request.instruction):
        return
    count = 0
    for name in _names_told(before, request.instruction):
        if name in known:
            continue
        uses = places_meant(before, request, list(_uses(before, name)))
        for group in all_or_each(uses, request.instruction):
            lines = _changed(before, group, name)
            if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines):
                yield lines
                count += 1
            if count >= _MOST:
                return


def _names_told(before: Snippet, instruction: str) -> list[str]:
    """The names that are told to be there, those misspelt put right: of errors, and of what has siblings."""
    found: dict[str, None] = {}
    for match in _TOLD.finditer(instruction):
        name, ahead = match["name"], instruction[: match.start()]
        if _AGAINST.search(ahead) or re.match(r"['’]s\b", instruction[match.end() :]):
            continue
        if error := error_respelt(name):
            if not re.match(r":\s*\S|\W{0,3}(?:at|in|when|if|on|for|out|comes|from|of)\b", instruction[match.end() :]):
                found[error] = None
            continue
        if _is_told(before, name, bool(match["call"]), ahead, instruction[match.end() :]):
            found[name + (match["call"] or "")] = None
    if re.search(r"\bbuilt-?ins?\b", instruction):
        found.update(dict.fromkeys(_builtins(before, instruction)))
    for word in re.findall(r"(?<![\w.])[a-z]{6,}(?![\w.(])", instruction):
        found.update(dict.fromkeys(_respelt(word)))
    return list(found)


@lru_cache(maxsize=4096)
def _respelt(word: str) -> tuple[str, ...]:
    """The long name that a word nearly is."""
    if word in _KNOWN:
        return ()
    near = [name for name in _LONG if name[0] == word[0] and abs(len(name) - len(word)) < 3]
    return tuple(get_close_matches(word, near, 1, 0.86))


def _builtins(before: Snippet, instruction: str) -> Iterator[str]:
    """The builtin functions that names of the region, which the words hold, are siblings of."""
    for node in before.nodes:
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id) and node.id in instruction:
            yield from (one for one in _FUNCTIONS if alike(node.id, one) and one in node.id.lower())


_FUNCTIONS = [name for name in dir(builtins) if name.islower() and name.isalpha()]
_LONG = sorted(name for name in _KNOWN if len(name) > 5)


def _is_told(before: Snippet, name: str, called: bool, ahead: str, behind: str) -> bool:
    """Whether a name may be told to be there: no word of prose, or one that the words around it make a name of."""
    root, _, last = name.rpartition(".")
    if root:
        return root.partition(".")[0] in _modules(before) and not any(name in line for line in before.lines)
    if last in _KNOWN and last not in _ENGLISH:
        return True
    if called and last not in _KNOWN and not hasattr(builtins, last):
        return not any(re.search(rf"\b{last}\b", line) for line in before.lines)
    sure = last in _KNOWN or (re.search(r"[A-Z][a-z]+[A-Z]", last) and not any(last in line for line in before.lines))
    alone = _BEGINS.search(ahead) and re.match(r"$|[^\w\s]", behind)
    return bool(sure and (alone or _CUE_BEFORE.search(ahead) or _CUE_AFTER.match(behind)))


def _modules(before: Snippet) -> set[str]:
    """The names that are no variables of the region: modules and classes, as far as one can tell."""
    names = {node.id for node in before.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {node.id for node in before.nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= {node.arg for node in before.nodes if isinstance(node, ast.arg)}
    return (names | set(sys.stdlib_module_names)) - own - {"self", "cls"}


def _uses(before: Snippet, name: str) -> Iterator[ast.expr]:
    """The expressions that a name is a sibling of: what is called or passed by name, raised or caught."""
    last = name.removesuffix("()").rpartition(".")[2]
    if error_respelt(name):
        yield from _errors(before, name)
        return
    hints = in_annotations(before)
    for node in outside_fstrings(before.tree):
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if id(node) in hints and getattr(node, "id", getattr(node, "attr", "")).lower() != last:
            continue
        old = node.attr if isinstance(node, ast.Attribute) else node.id
        path = dotted(node) or ""
        qualified = "." in name and path != name and old == last and path.partition(".")[0] != "self"
        if qualified or (old != last and alike(old, last)):
            yield node


def alike(old: str, new: str) -> bool:
    """Whether two names are of one family, or spelt nearly the same."""
    if any(old in group and new in group for group in _GROUPS):
        return True
    one, other = old.strip("_"), new.strip("_")
    if one.lower() == other.lower():
        return one == other or other in _TYPES or one in _TYPES or other.isupper()
    own = new not in _ENGLISH or (hasattr(builtins, new) and abs(len(one) - len(other)) < 3)
    return own and (one.endswith(other) or other.endswith(one)) and min(len(one), len(other)) > 3


def _errors(before: Snippet, name: str) -> Iterator[ast.expr]:
    """The errors that are raised, else those that are caught."""
    raised = [node.exc for node in before.nodes if isinstance(node, ast.Raise) and node.exc]
    classes = [one.func if isinstance(one, ast.Call) else one for one in raised]
    caught = [node.type for node in before.nodes if isinstance(node, ast.ExceptHandler) and node.type]
    for node in [one for one in classes if _is_error(one)] or caught:
        if dotted(node) not in (None, name):
            yield node


def _is_error(node: ast.expr) -> bool:
    return (dotted(node) or "").rpartition(".")[2][:1].isupper()


def _changed(before: Snippet, nodes: Sequence[ast.expr], name: str) -> list[str]:
    lines = list(before.lines)
    called = {id(one.func) for one in before.nodes if isinstance(one, ast.Call)}
    for node in sorted(nodes, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0), reverse=True):
        text = name.removesuffix("()") if id(node) in called else name
        lines = splice(lines, *_span(before, node, name.removesuffix("()")), text)
    return lines


def _span(before: Snippet, node: ast.expr, name: str) -> tuple[Position, Position]:
    """What of an expression gives way: its last name, or all of it for a function, an error or a path of names."""
    start, end = start_of(before, node), end_of(before, node)
    if isinstance(node, ast.Attribute) and "." not in name and not _stands_alone(name):
        return (end[0], end[1] - len(node.attr)), end
    return start, end


def _stands_alone(name: str) -> bool:
    return (hasattr(builtins, name) and not hasattr(str, name)) or not is_expression(name)
