"""What goes wrong, in plain words ("the missing file"): which exception that is, and which statements may raise it."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import COMPOUND, SCOPES, dotted

_GONE = r"(?:missing|absent|non-?exist\w*|(?:not|n't) (?:there|exist|found|present)|no such|gone|lacks?)"
_MOST_WORDS = 14
_FILE = r"(?:the |a |that |its |this )?(?:\w+ )?(?:file|path|folder|directory)"
_HANDLE = re.compile(
    r"^(?:(?:please|just|also|could you|can you|it should|this should|must|should|and) )*"
    r"(?:handle|deal with|cope with|tolerate|survive|take care of)\b"
    r"|(?:n't|\bnot|\bnever|\bcannot) (?:crash|fail|die|break|blow up|choke|explode)\w* (?:on|if|when|for|because)\b"
    rf"|\b(?:return|give back|answer)\b.* (?:if|when|in case) {_FILE}\b.*{_GONE}"
    rf"|^(?:if|when|in case) {_FILE}\b.*{_GONE}.*\b(?:return|give back|answer)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:raise|raising|throw|log|print|test|tests|check|guard|default|comment|docstring)\b|\.get\b|\?$"
)
_READING = frozenset(
    ["open", "io.open", "codecs.open", "gzip.open", "Path.open", "pd.read_csv", "pandas.read_csv", "np.load"]
    + [f"os.{name}" for name in ("remove", "unlink", "rename", "replace", "stat", "listdir", "scandir", "rmdir")]
    + ["os.chdir", "os.path.getsize", "os.path.getmtime"]
    + [f"shutil.{name}" for name in ("copy", "copy2", "copyfile", "move", "rmtree")]
)
_PATH_METHODS = frozenset(["read_text", "read_bytes", "unlink", "stat", "rmdir", "iterdir"])
_WRITING = frozenset(["os.mkdir", "os.makedirs", "os.chmod"])
_WRITING_METHODS = frozenset(["write_text", "write_bytes", "mkdir", "touch"])
_FETCHING = frozenset(["get", "post", "put", "patch", "delete", "head", "request"])
_SOCKETS = frozenset(["connect", "sendall", "recv", "create_connection", "urlopen"])
_RUNNING = frozenset(f"subprocess.{name}" for name in ("run", "check_call", "check_output"))


@dataclass(frozen=True, slots=True)
class Trouble:
    """An exception, the words for what goes wrong, and whether an expression may raise it."""

    exception: str
    words: re.Pattern[str]
    raised_by: Callable[[ast.expr], bool]


def troubles_of(node: ast.stmt, words: str | None = None) -> list[str]:
    """The exceptions that a statement may raise by itself; only those that the words tell, if there are words."""
    among = [one for one in _TROUBLES if words is None or one.words.search(words)]
    parts = list(_expressions(node)) if among else []
    return list(dict.fromkeys(one.exception for one in among if any(map(one.raised_by, parts))))


def is_to_be_handled(before: Snippet, words: str) -> bool:
    """Whether the words plainly ask to handle a trouble which a statement may raise, not saying how else."""
    if len(words.split()) > _MOST_WORDS or _OTHERWISE.search(words) or not _HANDLE.search(words):
        return False
    return any(isinstance(node, ast.stmt) and troubles_of(node, words) for node in before.nodes)


def are_told(words: str) -> bool:
    """Whether the words tell any of the troubles."""
    return any(one.words.search(words) for one in _TROUBLES)


def _expressions(node: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that run as part of the statement itself, without those in its inner blocks or lambdas."""
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.expr):
            yield part
        if isinstance(part, ast.Lambda | ast.stmt) and (part is not node or isinstance(part, SCOPES)):
            continue
        if isinstance(part, ast.excepthandler | ast.match_case):
            continue
        hints = {id(part.annotation)} if isinstance(part, ast.AnnAssign) else set()
        keep = (ast.expr, ast.withitem) if isinstance(part, COMPOUND) else (ast.AST,)
        waiting += [one for one in ast.iter_child_nodes(part) if isinstance(one, keep) and id(one) not in hints]


def _called(part: ast.expr) -> tuple[str, str]:
    """The dotted name of what is called and its last part; empty for what is no call or has no name."""
    if not isinstance(part, ast.Call):
        return "", ""
    last = part.func.attr if isinstance(part.func, ast.Attribute) else dotted(part.func) or ""
    return dotted(part.func) or last, last


def _files(part: ast.expr) -> bool:
    name, last = _called(part)
    opens = name in _READING or last in _PATH_METHODS
    return opens and isinstance(part, ast.Call) and not _writes(part)


def _disk(part: ast.expr) -> bool:
    name, last = _called(part)
    return name in _READING | _WRITING or last in _PATH_METHODS | _WRITING_METHODS


def _making(part: ast.expr) -> bool:
    name, last = _called(part)
    return name in _WRITING or last == "mkdir"


def _numbers(part: ast.expr) -> bool:
    return _called(part)[0] in {"int", "float", "Decimal"} and bool(isinstance(part, ast.Call) and part.args)


def _json(part: ast.expr) -> bool:
    name, last = _called(part)
    return name in {"json.loads", "json.load"} or (last == "json" and "." in name)


def _keys(part: ast.expr) -> bool:
    if not isinstance(part, ast.Subscript) or not isinstance(part.ctx, ast.Load | ast.Del):
        return False
    return not (isinstance(part.slice, ast.Slice | ast.Tuple) or _is_number(part.slice))


def _indices(part: ast.expr) -> bool:
    if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load | ast.Del):
        return _is_number(part.slice)
    return _called(part)[1] in {"pop", "popleft"} and isinstance(part, ast.Call) and len(part.args) < 2


def _is_number(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _divides(part: ast.expr) -> bool:
    if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Div | ast.FloorDiv | ast.Mod):
        return False
    text = isinstance(part.left, ast.Constant | ast.JoinedStr) and isinstance(part.op, ast.Mod)
    return not text and not isinstance(part.right, ast.Constant | ast.JoinedStr)


def _attributes(part: ast.expr) -> bool:
    return _called(part)[0] == "getattr" and isinstance(part, ast.Call) and len(part.args) == 2


def _advances(part: ast.expr) -> bool:
    return _called(part)[0] == "next" and isinstance(part, ast.Call) and len(part.args) == 1


def _requests(part: ast.expr) -> bool:
    name, last = _called(part)
    return name == f"requests.{last}" and last in _FETCHING


def _connects(part: ast.expr) -> bool:
    return _called(part)[1] in _SOCKETS


def _runs(part: ast.expr) -> bool:
    return _called(part)[0] in _RUNNING


def _asks(part: ast.expr) -> bool:
    return _called(part)[0] == "input"


def _decodes(part: ast.expr) -> bool:
    return _called(part)[1] in {"decode", "read_text"}


def _waits(part: ast.expr) -> bool:
    return _called(part)[0] == "asyncio.wait_for"


def _writes(call: ast.Call) -> bool:
    modes = [arg for arg in call.args[1:2] if isinstance(arg, ast.Constant)]
    modes += [k.value for k in call.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
    return any(isinstance(mode.value, str) and set(mode.value) & set("wax") and len(mode.value) < 4 for mode in modes)


_FAILS = r"(?:\(\))? (?:may|might|can|could|will|sometimes)?\b ?(?:fails?|crash\w*|chokes?|blows? up|explodes?)"
_LATE = r"\btime[sd]?[ -]?outs?\b|timing out|takes? too long|too slow|hangs?\b"
_OFFLINE = r"connection|connect\b|network|offline|unreachable|\bserver (?:is|being) (?:down|away)|no internet"


def _trouble(exception: str, words: str, raised_by: Callable[[ast.expr], bool]) -> Trouble:
    return Trouble(exception, re.compile(words, re.IGNORECASE), raised_by)


_TROUBLES = (
    _trouble("json.JSONDecodeError", r"\bjson\b(?!\(|\.\w)", _json),
    _trouble("PermissionError", r"permi(?:ssion|tted)|access denied|denied access|not allowed to|n't readable", _disk),
    _trouble("FileExistsError", r"(?:already|does|directory|folder|file) exists?\b|already there|existing", _making),
    _trouble("UnicodeDecodeError", r"\butf-?8\b|encod\w+|undecodable|decod\w+|not text\b", _decodes),
    _trouble(
        "FileNotFoundError",
        rf"^(?!.*(?:permission|permitted|denied|already)).*(?:\bfiles?\b(?!\(|\.\w)"
        rf"|\b(?:path|folder|directory)\b.*{_GONE}|{_GONE}.*\b(?:path|folder|directory)\b|\bopen{_FAILS})",
        _files,
    ),
    _trouble(
        "KeyError",
        rf"\bkeys?\b(?!\(|\.\w)|{_GONE}.*\b(?:entry|environment|dict\w*)\b|\b(?:entry|environment|env)\b.*{_GONE}"
        r"|(?:not|n't) in the (?:dict\w*|mapping|table)|unknown (?:keys?|names?|entry)",
        _keys,
    ),
    _trouble(
        "ValueError",
        rf"\bnumbers?\b|numeric|\bdigits?\b|\bintegers?\b|\b(?:int|float){_FAILS}|not an? (?:int|float)\b",
        _numbers,
    ),
    _trouble("ZeroDivisionError", r"\bdivi\w+|\bzero (?:denominator|count|total)|denominator", _divides),
    _trouble("IndexError", r"\bind(?:ex|ices)\b|out of range|too short|too few|\bempty\b|not enough", _indices),
    _trouble("StopIteration", rf"iterator|exhausted|nothing (?:left|more)|\bnext{_FAILS}|no more|runs? out", _advances),
    _trouble("AttributeError", r"\battributes?\b", _attributes),
    _trouble("requests.Timeout", _LATE, _requests),
    _trouble("asyncio.TimeoutError", _LATE, _waits),
    _trouble("subprocess.TimeoutExpired", _LATE, _runs),
    _trouble("TimeoutError", _LATE, _connects),
    _trouble("requests.ConnectionError", _OFFLINE, _requests),
    _trouble("OSError", _OFFLINE, _connects),
    _trouble("subprocess.CalledProcessError", r"\bcommand\b|exit (?:code|status)|non-?zero", _runs),
    _trouble("EOFError", r"end of (?:the )?(?:input|file)|ctrl-?d\b|no (?:more )?input|\beof\b", _asks),
)
