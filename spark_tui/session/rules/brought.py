"""Whether an edit brings what the words name as what shall come: an operator, a call, a default, a type, a value."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from spark_tui.editing.intents import code_names
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import literal_value, parse
from spark_tui.session.rules.facts import FAULTS, Code, Function, Rule, first_told, parameters

_USED = re.compile(
    r"(?i)^\W*(?:please )?(?:use|call|switch to|do (?:it|this|that) with) (?:an? |the )?`?"
    r"(?:(?P<sign>[-+*/%<>=!&|^:]{1,3})|\.?(?P<name>get|max|min|any|all|sum|join|sorted|zip|enumerate|setdefault|items"
    r"|strip|abs|walrus|with|startswith|endswith|r?partition|splitlines|removeprefix|removesuffix|casefold|isinstance"
    r"|[a-z_]\w*(?:\.[^\W\d]\w*)+))(?:\(\))?`?(?: (?:operator|statement|block|function|method|built-?in))?"
    r"(?=[\s.!]*$|,? (?:here|in|instead|rather|for|to|on|not|where|when|so)\b)"
)
_DEFAULT = re.compile(
    r"(?i)^\W*(?:please )?use `?(?:dict)?\.?get\b.*?\b(?:with (?P<one>\S+) as (?:the |a |its )?default"
    r"|(?:with|default(?:ing)?)(?: (?:an? |the )?default)?(?: value)?(?: of| to)? (?P<two>\S+?))[\s.!]*$"
)
_SORT_BY = re.compile(
    r"(?i)^\W*(?:please )?(?:sort|order) (?:(?!import)\w+ ){0,3}by (?:the |their |its )?[`'\"]?"
    r"(?P<name>[^\W\d]\w*)[`'\"]?(?:,? (?:instead|first|too|please|here|descending|ascending|not \w+))*\W*$"
)
_AUGMENTS = re.compile(
    r"^\W*(?:[Uu]se )?`?(?P<code>(?!use )[\w.]+ ?(?://|[-+*/%|&])= ?[\w.]+?)`?(?: instead| here)?[\s.!]*$"
)
_BOOLEANS = re.compile(
    r"(?i)^\W*(?:please )?(?:use|prefer|switch to) (?:real )?(?:bool(?:ean)?s|true(?: and |/)false)\b"
)
_MEASURES = frozenset(
    """length len size key keys value values count index number name alphabet itself type module kind
    section""".split()  # noqa: SIM905
)
_TYPE = r"[`'\"]?(?P<type>[\w.]+(?:\[[^`'\"]*?\])?)[`'\"]?"
_RETURNS = re.compile(
    rf"(?i:\breturn (?:type|hint|annotation)(?: of| as| to be| is|:)?) {_TYPE}(?=[\s.,!]*$|,| (?:and|in|to)\b)"
)
_HINTED = re.compile(rf"(?i:\b(?:hint|annotation|type)(?: of)?) {_TYPE} (?:to|for|on) [`'\"]?(?P<name>[^\W\d]\w*)")
_AS_WELL = re.compile(
    r"(?i)^\W*(?:please )?(?:treat|count|regard|accept|handle) [`'\"]?(?P<value>-?\w+)[`'\"]? (?:as|like) "
    r"[`'\"]?(?P<branch>\w[\w ]*?)[`'\"]?(?:,? (?:too|as well|also))?\W*$"
)
_STATED = re.compile(
    r"(?i)^\W*(?:please |just )?(?P<verb>print|return|yield|assert) (?:the )?[`'\"]?"
    r"(?P<name>[^\W\d]\w*(?: (?!(?:instead|too|as|at|here|please|only)\b)\w+)?)"
    r"[`'\"]?(?:,? (?:instead|too|as well|at the end|here|please|only))*\W*$"
)


def not_brought(words: str, code: Code, after: Sequence[str]) -> str:
    """What was told to come and does not with an edit, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _used(words: str, code: Code, new: Snippet) -> str:
    told = _USED.search(words)
    if told is None:
        return ""
    what = told["sign"] or (told["name"].rpartition(".")[2] if "." in told["name"] else told["name"].lower())
    came = _uses(new.nodes, new.lines) - _uses(code.nodes, code.text.split("\n"))
    if others := [one for one in came if one != what and told["sign"] and one.endswith("=") and one in _AUGMENTED]:
        return f"the edit that was found uses {others[0]}, too; point at the line that is meant"
    there = told["name"] and "." in told["name"] and any(told["name"] in line for line in _added(code, new))
    return "" if what in came or there else f"the edit that was found does not use {what}; say it in other words"


_AUGMENTED = frozenset(["+=", "-=", "*=", "/=", "//=", "%=", "**=", "|=", "&=", "^=", ">>=", "<<="])


def _uses(nodes: Sequence[ast.AST], lines: Sequence[str]) -> Counter[str]:
    """How often code has its names and signs."""
    found = Counter(re.findall(r"(?<![-+*/%<>=!&|^:])[-+*/%<>=!&|^:]{1,3}(?![-+*/%<>=!&|^:])", "\n".join(lines)))
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found[name] += 1
            case ast.NamedExpr():
                found["walrus"] += 1
            case ast.With() | ast.AsyncWith():
                found["with"] += 1
    return found


def _sorted_by(words: str, code: Code, new: Snippet) -> str:
    """What is to be sorted by, where that comes nowhere."""
    told = _SORT_BY.search(words)
    if told is None or told["name"].lower() in _MEASURES or any(told["name"] in line for line in _added(code, new)):
        return ""
    return f"the edit that was found does not sort by {told['name']}; say it with the key, as in “key=lambda x: ...”"


def _added(code: Code, new: Snippet) -> list[str]:
    known = {line.strip() for line in code.text.split("\n")}
    return [line for line in new.lines if line.strip() not in known]


def _raised(words: str, code: Code, new: Snippet) -> str:
    """A statement like `i += 1` that is told by itself, where none such comes."""
    told = _AUGMENTS.match(words)
    came = (re.sub(r"\s", "", line) for line in _added(code, new))
    wanted = re.sub(r"\s", "", told["code"]) if told else ""
    return f"the edit that was found does not bring {told['code']}; say where" if told and wanted not in came else ""


def _stated(words: str, code: Code, new: Snippet) -> str:
    """A statement of a name that the code has, such as "return the new id", where what comes does not say it."""
    told = _STATED.match(words)
    name = re.sub(r"\s", "_", told["name"]) if told else ""
    if told is None or not re.search(rf"\b{name}\b", code.text):
        return ""
    verb = told["verb"].lower()
    came = any(re.search(rf"\b{verb}\b.*\b{name}\b", line) for line in _added(code, new))
    return "" if came else f"the edit that was found does not {verb} {name}; say it in other words"


def _booleans(words: str, code: Code, new: Snippet) -> str:
    """Booleans that are told and do not come."""
    came = re.search(r"\b(?:True|False|bool)\b", "\n".join(_added(code, new)))
    return "" if came or not _BOOLEANS.match(words) else "the edit that was found brings no booleans; say what is one"


def _got_where_there(_: str, code: Code, new: Snippet) -> str:
    """A get of what is known to be there, below the test that tells it."""
    known = {ast.dump(one) for one in code.nodes if isinstance(one, ast.Call)}
    for node in new.nodes:
        match node:
            case ast.If(test=ast.Compare(left=key, ops=[ast.In()], comparators=[owner]), body=body):
                get = f"{ast.unparse(owner)}.get({ast.unparse(key)})"
                inside = [one for line in body for one in ast.walk(line) if isinstance(one, ast.Call)]
                if any(ast.unparse(one) == get and ast.dump(one) not in known for one in inside):
                    return f"{get} is of no use where {ast.unparse(key)} is there; say which line is meant"
    return ""


def _default(words: str, _: Code, new: Snippet) -> str:
    told = _DEFAULT.search(words) if "default" in words else None
    if told is None:
        return ""
    value = (told["one"] or told["two"]).strip("`")
    try:
        literal_value(value)
        wanted = ast.dump(parse(value, mode="eval").body)
    except FAULTS:
        return ""
    calls = [one for one in new.nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
    gets = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "get"]
    given = value == "None" or any(ast.dump(part) == wanted for one in gets for part in one.args[1:])
    return "" if given else f"the edit that was found leaves out the default {value}; say it in other words"


def _types(words: str, _: Code, new: Snippet) -> str:
    """A return type or the type of a parameter that is told, where another one comes or none."""
    functions = [one for one in new.nodes if isinstance(one, Function)]
    if len(functions) != 1:
        return ""
    returns, hinted = _RETURNS.search(words), _HINTED.search(words)
    given = {one.arg: one.annotation for one in parameters(functions[0])}
    wanted = [("return type", returns["type"], functions[0].returns)] if returns else []
    if hinted and hinted["name"] in given:
        wanted.append((f"type of {hinted['name']}", hinted["type"], given[hinted["name"]]))
    for what, told, has in wanted:
        if _is_type(told) and (has is None or ast.unparse(has) != ast.unparse(parse(told, mode="eval"))):
            return f"the edit that was found does not give the {what} {told}; ask for one thing at a time"
    return ""


def _is_type(told: str) -> bool:
    root = told.partition("[")[0]
    return isinstance(getattr(builtins, root, None), type) or told == "None"


def _as_well(words: str, code: Code, new: Snippet) -> str:
    """A value taken in elsewhere than where the outcome is that it shall have."""
    told = _AS_WELL.search(words)
    if told is None:
        return ""
    value, branch = told["value"].lower(), told["branch"].lower()
    if not any(branch == outcome for _, outcome in _outcomes(code.nodes)):
        return ""
    there = any(value in test and branch == outcome for test, outcome in _outcomes(new.nodes))
    return (
        ""
        if there
        else f"the edit that was found does not make {told['value']} {told['branch']}; say it in other words"
    )


def _outcomes(nodes: Sequence[ast.AST]) -> Iterator[tuple[set[str], str]]:
    """The values that branches test, with each text that they give back or set."""
    for node in nodes:
        if isinstance(node, ast.If):
            tested = {str(one.value).lower() for one in ast.walk(node.test) if isinstance(one, ast.Constant)}
            for line in node.body:
                if isinstance(line, ast.Return | ast.Assign) and isinstance(line.value, ast.Constant):
                    yield tested, str(line.value.value).lower()


def _imports(words: str, code: Code, new: Snippet) -> str:
    """A name that comes with an edit and that the file lacks, where nobody spoke of it."""
    if code.module is None or not code.imports:
        return ""
    had = {one.id for one in ast.walk(code.module) if isinstance(one, ast.Name)} | set(code.imported)
    there = {
        one.asname or one.name
        for node in new.nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for one in node.names
    }
    told = code_names(words)
    for node in new.nodes:
        known = not isinstance(node, ast.Name) or node.id in had | there | told or hasattr(builtins, node.id)
        if isinstance(node, ast.Name) and not known and node.id in _USUAL and not re.search(rf"\b{node.id}\b", words):
            return f"{node.id} is not imported in {code.path}; add the import first"
    return ""


_USUAL = frozenset(
    """Path defaultdict Counter OrderedDict deque namedtuple suppress contextmanager partial reduce wraps lru_cache
    cache chain groupby accumulate dataclass field itemgetter attrgetter json os re math itertools functools contextlib
    collections operator pathlib""".split()  # noqa: SIM905
)
_RULES: tuple[Rule, ...] = (
    _used,
    _raised,
    _stated,
    _booleans,
    _got_where_there,
    _sorted_by,
    _default,
    _types,
    _as_well,
    _imports,
)
