"""Whether an edit makes what cannot be meant: code that does nothing, a comment changed for code, another value."""

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import StringIO

from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.editing.trees import parse
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_COMMENTS = re.compile(
    r"(?i)\b(?:comment\w*|remarks?|notes?|noqa|pragma|todos?|fixmes?|xxx|typos?|misspel\w*|spell\w*"
    r"|grammar|word(?:s|ing)?|texts?|docs?|document\w*|describ\w*|explain\w*|explanations?|sentences?|capital\w*"
    r"|says?|stale|outdated|head(?:er|ing)s?"
    r"|licen[sc]e|copyright|shebang|encoding|coding|blanks?|spac\w+|indent\w*|lines?|align\w*|wrap\w*"
    r"|move|ignore|mypy|type)\b"
    r"|#"
)
_SWAPPED = re.compile(
    r"(?i)\b(?:replace|change|swap|turn|rename)\b.+\b(?:with|by|to|into|for)\b"
    r"|\b(?:instead of|rather than|should be|is wrong)\b|->|=>|\u2192|^s/"
)
_SCALARS = frozenset(["str", "int", "float", "bool", "bytes", "complex", "object"])
_RETURN = re.compile(
    r"(?i)^\W*(?:please |just |also |then |it should |should |must )*(?:return|give back) `?(?P<value>.+?)`?"
    r"(?: (?:instead|here|please|at the end|in the end|too))*[\s.!]*$"
)
_RETURN_IF = re.compile(
    rf"(?i)\b(?:return|give back) `?(?P<value>{SIGNED}|'[^']*'|\"[^\"]*\"|True|False|\[\]|\{{\}}|\(\))`?"
    r"(?: (?:if|when|unless|for|on|in case)\b|[\s.!]*$)"
)
_MADE = (ast.BinOp, ast.Call, ast.Attribute, ast.Subscript)
_EMPTY = re.compile(
    r"(?i)\b(?:if|when|in case|for|on)\b.*\b(?:nothing|empty|none|null|missing|no (?!longer|more)\w+)\b(?! else)"
)
_ABSENT = re.compile(r"(?i)empty|missing|none|null|no_|not")
_NOT = re.compile(r"(?i)\b(?:not|n't|unless|isn't|non-?empty)\b")
_KEYWORD = re.compile(
    r"(?:^|(?i:\b(?:add|pass|set|use|with|give|put|specify|want|needs?|and|,)) (?:it |the |an? )*)`?"
    rf"(?P<name>[^\W\d]\w*)=(?P<value>'[^']*'|\"[^\"]*\"|{SIGNED}|True|False|None)(?![\w=])"
)
_PERCENT = re.compile(r"(?<![\w.])(?P<number>\d+(?:\.\d+)?) ?(?:%|percent\b|per cent\b)(?!\w)")
_PASSED = re.compile(
    r"(?i)^\W*(?:please )?(?:pass|forward|hand) (?:on |along |through )?(?:the |our |its |self\.)?"
    r"`?(?P<name>[^\W\d]\w*)`?"
    r"(?: (?:on|along|through|too|as well|argument|parameter|setting|here))*\W*$"
)
_STATUS = re.compile(r"(?i)\b(?:status|respond|http|answer with|code)\b.*\b(?P<number>[1-5]\d\d)\b")
_UNBOUND = re.compile(r"(?i)UnboundLocalError|referenced before assignment|not associated with a value")
_INDEX = re.compile(r"(?i)\bIndexError\b|index out of range")
_OPENS = ("open", "io.open", "os.fdopen", "fdopen")
_BYTES = re.compile(r"[rwax+t]*b[rwax+]*")
_KEY_MISSING = re.compile(
    r"(?i)\bkeys? (?:is|are|was) (?:missing|absent|unknown|not (?:there|found|in))|\bmissing keys?\b"
)
_FAILS_EMPTY = re.compile(
    r"(?i)\b(?:crash\w*|fail\w*|breaks?|blows? up|dies|throws?|errors?)\b.*\b(?:empty|blank|no \w+|nothing)\b"
)
_ASKED = {"is_dir": "os.path.isdir", "is_file": "os.path.isfile", "exists": "os.path.exists"}
_PAUSE = re.compile(
    r"(?i)\b(?:sleep|pause|poll)\b|\b(?:wait|check|look|try|ask|retry)\b.*\b(?:every|each|between|for)\b"
    r".*(?:\b|\d)(?:ms|s|sec|seconds?|milliseconds?|minutes?)\b"
)


def senseless(words: str, code: Code, after: Sequence[str]) -> str:
    """What cannot be meant by an edit, in a sentence, or "". Args: after: the lines of `code` with it."""
    one = first_told(_RULES, words, code, after)
    return f"the edit that was found {one}; say it in other words" if one else ""


def _does_nothing(_: str, code: Code, new: Snippet) -> str:
    """A statement that only names something, a function called in its own call, a type that holds no other."""
    has, had = Counter(_idle(new.nodes)), Counter(_idle(code.nodes))
    more = has.total() > had.total()
    return f"leaves {next(iter(has - had))}, which does nothing or cannot work" if more else ""


def _idle(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Name() | ast.Attribute() | ast.Compare() | ast.BinOp() as value):
                yield ast.unparse(value)
            case ast.Subscript(value=ast.Name(id=name)) if name in _SCALARS and isinstance(node.ctx, ast.Load):
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(attr=outer), args=[ast.Call(func=ast.Name(id=inner))]) if outer == inner:
                yield ast.unparse(node)


def _in_comments(words: str, code: Code, new: Snippet) -> str:
    """Comments alone that say something else, where the words do not speak of what is written there."""
    old_comments, comments = _comments(code.text), _comments("\n".join(new.lines))
    gone, came = list((old_comments - comments).elements()), list((comments - old_comments).elements())
    if not (gone and came) or _COMMENTS.search(words) or not code.parsed:
        return ""
    if ast.dump(code.parsed.tree) != ast.dump(new.tree) or _selects_comments(code):
        return ""
    pieces = set(re.findall(r"\w+", " ".join(gone))) - set(re.findall(r"\w+", " ".join(came)))
    bare = _code_words(code)
    meant = _SWAPPED.search(words) and not any(one in bare for one in pieces)
    return "" if meant else "changes a comment only, which the words do not speak of"


def _comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(StringIO(text + "\n").readline)
    try:
        return Counter(one.string for one in tokens if one.type == tokenize.COMMENT)
    except (tokenize.TokenError, IndentationError):
        return Counter()


def _selects_comments(code: Code) -> bool:
    lines = code.text.split("\n")
    return bool(code.selected) and all(
        lines[row].lstrip().startswith("#") for row in code.selected or () if lines[row:]
    )


def _code_words(code: Code) -> set[str]:
    """The words of the lines outside their comments."""
    text = code.text
    for comment in _comments(text):
        text = text.replace(comment, " ")
    return set(re.findall(r"\w+", text))


def _returns_another(words: str, code: Code, new: Snippet) -> str:
    """Another value returned than the code that is told to be."""
    told = _RETURN_IF.search(words) or _RETURN.match(words)
    value = told["value"].strip("`") if told else ""
    if not is_expression(value):
        return ""
    tree = parse(value, mode="eval").body
    wanted, more = ast.unparse(tree), _returned(new.nodes) - _returned(code.nodes)
    fixed = all(one in ("", "None", "True", "False") or one[0] in "'\"-0123456789" for one in more)
    tells = isinstance(tree, _MADE) or (fixed and not isinstance(tree, ast.Name))  # "return early" is no name
    if more and tells and not any(wanted in one for one in more):
        return f"returns {next(iter(more)) or 'nothing'}, and not {value}"
    return ""


def _returned(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(ast.unparse(one.value) if one.value else "" for one in nodes if isinstance(one, ast.Return))


def _returns_closed(words: str, code: Code, new: Snippet) -> str:
    """What reads an open file, returned where that is closed, or after a loop has read it to its end."""
    told = _RETURN.match(words)
    if told is None:
        return ""
    had = {ast.unparse(one) for one in code.nodes if isinstance(one, ast.Return)}
    for function in (one for one in new.nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)):
        for at, last in enumerate(function.body):
            if isinstance(last, ast.Return) and last.value and ast.unparse(last) not in had:
                names = {one.id for one in ast.walk(last.value) if isinstance(one, ast.Name)}
                if open_one := names & set(_readers(function.body[:at])):
                    return f"returns {min(open_one)} where its file is closed already"
    return ""


def _readers(body: Sequence[ast.stmt]) -> Iterator[str]:
    """What `with` opens and what is made of that by a reader, which is of no use behind it."""
    for statement in body:
        if not isinstance(statement, ast.With | ast.AsyncWith):
            continue
        opened = {
            item.optional_vars.id
            for item in statement.items
            if isinstance(item.optional_vars, ast.Name) and "open" in ast.unparse(item.context_expr)
        }
        yield from opened
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Name(id=file), *_]) as call) if (
                    file in opened and "reader" in (dotted(call.func) or "").lower()
                ):
                    yield name


def _turned_round(words: str, code: Code, new: Snippet) -> str:
    """What is to be returned where there is nothing, returned where there is something."""
    if not (_RETURN_IF.search(words) and _EMPTY.search(words)) or _NOT.search(words):
        return ""
    had = {ast.unparse(one.test) for one in code.nodes if isinstance(one, ast.If)}
    for node in new.nodes:
        match node:
            case ast.If(test=test, body=[ast.Return()]) if ast.unparse(test) not in had:
                named = isinstance(test, ast.Name) and not _ABSENT.search(test.id)
                if named or (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot)):
                    return f"returns where {ast.unparse(test)}, which is the other way round"
    return ""


def _another_keyword(words: str, code: Code, new: Snippet) -> str:
    """A keyword with its value that is told, of which nothing comes or goes."""
    told = [(one["name"], one["value"]) for one in _KEYWORD.finditer(words)]
    old = code.text.split("\n")
    changed = "\n".join(
        [*(line for line in new.lines if line not in old), *(line for line in old if line not in new.lines)]
    )
    missed = [f"{name}={value}" for name, value in told if name not in changed and value not in changed]
    return f"does not give {missed[0]}" if missed and len(missed) == len(told) else ""


def _another_share(words: str, code: Code, new: Snippet) -> str:
    """A percentage that is told, in the place of a share of one: 21 for 0.19."""
    told = _PERCENT.search(words)
    if told is None:
        return ""
    old, numbers = _numbers(code.nodes), _numbers(new.nodes)
    gone, came = list((old - numbers).elements()), list((numbers - old).elements())
    share = any("." in one and 0 < abs(float(one)) < 1 for one in gone)
    return f"puts {told['number']} where a share of one stood" if share and told["number"] in came else ""


def _numbers(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(str(one.value) for one in nodes if isinstance(one, ast.Constant) and type(one.value) in (int, float))


def _passes_another(words: str, code: Code, new: Snippet) -> str:
    """A fixed value passed under a name that is told, where the code has something of that name."""
    told = _PASSED.match(words)
    name = told["name"] if told else ""
    if not name or not any(name in _own_names(node) for node in ast.walk(code.module or ast.Module([], []))):
        return ""
    more = Counter(_fixed(new.nodes)) - Counter(_fixed(code.nodes))
    return f"passes a fixed value as {name}, and not the {name} that there is" if more[name] else ""


def _own_names(node: ast.AST) -> set[str]:
    match node:
        case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
    return set()


def _fixed(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg and isinstance(node.value, ast.Constant):
            yield node.arg


def _reckons_with_status(words: str, code: Code, new: Snippet) -> str:
    """A status that is told, as a number to reckon with."""
    told = _STATUS.search(words)
    terms = (side for one in new.nodes if isinstance(one, ast.BinOp) for side in (one.left, one.right))
    found = told and any(ast.unparse(one) == told["number"] for one in terms)
    return f"reckons with {told['number']}" if told and found and told["number"] not in code.text else ""


def _counts_no_more(words: str, code: Code, new: Snippet) -> str:
    """A plain assignment where one that adds up lacks what to begin with."""
    had, has = (sum(isinstance(one, ast.AugAssign) for one in nodes) for nodes in (code.nodes, new.nodes))
    return "adds nothing up any more" if has < had and _UNBOUND.search(words) else ""


def _reaches_further(words: str, code: Code, new: Snippet) -> str:
    """Another fixed index that can no less be out of range."""
    if not _INDEX.search(words):
        return ""
    had, has = (Counter(_indices(nodes)) for nodes in (code.nodes, new.nodes))
    gone, came = list((had - has).elements()), list((has - had).elements())
    further = any(_needed(new) >= _needed(old) for old, new in zip(gone, came, strict=False))
    return "needs as many elements" if further and len(new.lines) == len(code.text.split("\n")) else ""


def _indexes_alike(words: str, code: Code, new: Snippet) -> str:
    """Only a comparison changed that is about nothing with an index in it."""
    if not _INDEX.search(words):
        return ""
    had, has = (
        Counter(ast.unparse(one) for one in nodes if isinstance(one, ast.Compare)) for nodes in (code.nodes, new.nodes)
    )
    old = _parts([one for one in code.nodes if isinstance(one, ast.Compare) and ast.unparse(one) in had - has])
    indexed = _parts([one for one in code.nodes if isinstance(one, ast.Subscript)])
    alike = len(had - has) == 1 == len(has - had) and len(new.lines) == len(code.text.split("\n"))
    return "changes a comparison that no index depends on" if alike and not old & indexed else ""


def _parts(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that pieces of code are made of."""
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _fixed_alone(words: str, code: Code, new: Snippet) -> str:
    """Only a literal changed where what is empty makes the code fail."""
    if not _FAILS_EMPTY.search(words) or len(new.lines) != len(code.text.split("\n")):
        return ""
    had, has = (_unfixed(nodes[0]) for nodes in (code.nodes, new.nodes))
    return "changes a fixed value only" if had == has else ""


def _unfixed(tree: ast.AST) -> str:
    """Code whose literals are left out."""
    return re.sub(
        r"Constant\([^()]*\)|(?:List|Tuple|Set)\(elts=\[\](?:, ctx=Load\(\))?\)|Dict\([^()]*\)", "_", ast.dump(tree)
    )


def _indices(nodes: Sequence[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Subscript):
            with suppress(ValueError, TypeError, SyntaxError):
                if type(value := ast.literal_eval(node.slice)) is int:
                    yield value


def _needed(index: int) -> int:
    """How many elements an index takes."""
    return index + 1 if index >= 0 else -index


def _no_pause(words: str, code: Code, new: Snippet) -> str:
    """A default or another number changed where the words tell how long to sleep and the code does."""
    old, came = _pauses(code.nodes), _pauses(new.nodes)
    if (
        not _PAUSE.search(words)
        or not old
        or old != came
        or any(re.search("[a-z]", one.partition("(")[2]) for one in old)
        or _numbers(code.nodes) == _numbers(new.nodes)
    ):
        return ""
    return "leaves the sleep as it is"


def _pauses(nodes: Sequence[ast.AST]) -> list[str]:
    return sorted(ast.unparse(one) for one in nodes if isinstance(one, ast.Call) and _is_pause(one))


def _is_pause(call: ast.Call) -> bool:
    return (dotted(call.func) or "").rpartition(".")[2] == "sleep"


def _asks_a_name(_: str, code: Code, new: Snippet) -> str:
    """A path's method asked of a name that `os.listdir` gives, which is a text."""
    had = {ast.unparse(one) for one in code.nodes if isinstance(one, ast.Call)}
    folders = dict(_listed(new.nodes))
    for node in new.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if name in folders and attr in _ASKED:
                if ast.unparse(node) not in had:
                    path = f"os.path.join({folders[name]}, {name})"
                    return f"calls {attr} on {name}, a text that os.listdir gives, and not {_ASKED[attr]}({path})"
    return ""


def _listed(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that loops give to what is in a folder, with that folder."""
    for node in nodes:
        match node:
            case (
                ast.For(target=ast.Name(id=name), iter=source)
                | ast.comprehension(target=ast.Name(id=name), iter=source)
            ):
                calls = (one for one in ast.walk(source) if isinstance(one, ast.Call))
                listing = next((one for one in calls if dotted(one.func) in ("os.listdir", "listdir")), None)
                if listing:
                    yield name, ast.unparse(listing.args[0]) if listing.args else '"."'


def _encodes_bytes(_: str, code: Code, new: Snippet) -> str:
    """An encoding for a file that is opened for bytes, which Python refuses."""
    more = set(_opened_for_bytes(new.nodes)) - set(_opened_for_bytes(code.nodes))
    return "gives an encoding to what is opened for bytes" if more else ""


def _opened_for_bytes(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and (dotted(node.func) or "").rpartition(".")[2] == "open":
            given = [*node.args, *(one.value for one in node.keywords if one.arg == "mode")]
            texts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if any(one.arg == "encoding" for one in node.keywords) and any(map(_BYTES.fullmatch, texts)):
                yield ast.unparse(node)


def _buffers_text(_: str, code: Code, new: Snippet) -> str:
    """A text in the third place of `open`, which is how much to buffer."""
    more = set(_opened_third(new.nodes)) - set(_opened_third(code.nodes))
    wrong = more and not code.imported_from("codecs", "open")
    return "gives open a text for how much to buffer, its third argument" if wrong else ""


def _opened_third(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Call(func=func, args=[_, _, ast.Constant(value=str()), *_]) if dotted(func) in _OPENS:
                yield ast.unparse(node)


def _missing_is_none(words: str, code: Code, new: Snippet) -> str:
    """A key tested for None where it is said to be missing in what is looked up."""
    if not _KEY_MISSING.search(words):
        return ""
    keys = {one.slice.id for one in code.nodes if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Name)}
    had = {ast.dump(one) for one in code.nodes}
    for node in new.nodes:
        match node:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                if name in keys and ast.dump(node) not in had:
                    return f"tests whether {name} is None, and not whether it is there"
    return ""


def _static_with_self(_: str, code: Code, new: Snippet) -> str:
    """A method made static that goes on to use its instance or its class."""
    had = {one.name for one in _static(code.nodes)}
    for one in _static(new.nodes):
        own = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} & {"self", "cls"}
        if own and one.name not in had:
            return f"makes {one.name} static, which uses {min(own)}"
    return ""


def _static(nodes: Sequence[ast.AST]) -> Iterator[Function]:
    for node in nodes:
        if isinstance(node, Function) and any(dotted(one) == "staticmethod" for one in node.decorator_list):
            yield node


_RULES: tuple[Rule, ...] = (
    _does_nothing, _in_comments, _returns_another, _returns_closed, _turned_round, _another_keyword, _another_share,
    _passes_another, _reckons_with_status, _counts_no_more, _reaches_further, _indexes_alike, _fixed_alone, _no_pause,
    _asks_a_name, _encodes_bytes, _buffers_text, _missing_is_none, _static_with_self,
)  # fmt: skip
