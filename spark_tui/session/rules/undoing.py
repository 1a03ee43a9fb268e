"""Whether an edit does the opposite of a command or something beside it: prints no more, adds another method."""

import ast
import re
from collections import Counter
from collections.abc import Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE, calls, does_not, word_set
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_POLITE = r"(?i)^\W*(?:please |also |just |then |now )*"
_DONE = re.compile(_POLITE + r"(?P<verb>print|log|save|send|write|commit|notify|call|check|sleep|wait) (?!\+)[\w'\"]")
_LESS = re.compile(
    r"(?i)\b(?:instead|rather|only|once|not|no|without|remove|drop|less|nothing|into|in one|a single"
    r"|together|outside|out|unreachable|go)\b|->"
)
_NOT_ALL = re.compile(
    r"(?i)^\W*(?:please )?(?:don'?t|do not|never|stop) (?P<verb>[a-z]+?)(?:ing)? "
    r"(?:the |any |an? )?(?P<what>-?\d+|None|zero|empty|blank|negative|hidden|duplicates?|missing)\b"
)
_METHOD = re.compile(
    _POLITE + r"add an? [`'\"]?(?P<name>(?!static|class|new|helper|private|special|abstract|second|simple)\w+)[`'\"]?"
    r"(?:\(\))? (?:method|function)\W*$"
)
_CAPPED = re.compile(
    _POLITE + r"(?:(?:cap|clamp)\b|\w+(?: \w+)? (?:should|must|may) (?:be at (?:most|least)|(?:never|not) exceed) \d)"
)
_EARLY_FOR = re.compile(_POLITE + r"return early (?:for|on|when|if) .*?(?P<number>-?\b\d+)\b")
_KEYWORDS = re.compile(
    _POLITE + r"(?:support|accept|take|allow|pass)(?: \w+)? (?:keyword arg\w*|kwargs|\*\*kwargs)(?: too| as well)?\W*$"
)
_COMPREHENSION = re.compile(_POLITE + r"use an? (?P<sort>list|dict|set) comprehension\b")
_WITH_KEY = re.compile(_POLITE + r"use (?:max|min|sorted|sort|groupby)(?:\(\))? with (?:an? )?key\b")
_USE = re.compile(_POLITE + r"use (?:the )?[`'\"]?(?P<name>[a-z]+)(?:\(\))?[`'\"]?\W*$")
_FORMS = {"list": ast.ListComp, "dict": ast.DictComp, "set": ast.SetComp}
_PURE = frozenset(
    """range sorted len sum zip map filter enumerate reversed max min any all list set tuple dict abs round int str
    float isinstance""".split()  # noqa: SIM905
)


def undoing(words: str, code: Code, after: Sequence[str]) -> str:
    """What an edit does against or beside a command, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _called_less(words: str, code: Code, new: Snippet) -> str:
    """A call gone that is to be made otherwise."""
    told = _DONE.match(words)
    if told is None or _LESS.search(words):
        return ""
    verb = told["verb"].lower()
    had, has = (Counter(calls(nodes))[verb] for nodes in (code.nodes, new.nodes))
    return f"the edit that was found takes {verb} away; {OTHERWISE}" if has < had else ""


def _all_gone(words: str, code: Code, new: Snippet) -> str:
    """A call gone altogether that is only not to be made for some values."""
    told = _NOT_ALL.match(words)
    if told is None:
        return ""
    gone = [line for line in code.text.split("\n") if line not in new.lines and told["verb"] in line]
    more = len(new.lines) >= len(code.text.split("\n"))
    unsaid = gone and not more and not any(told["what"] in line for line in gone)
    return f"the edit that was found takes {told['verb']} away altogether; say on what condition" if unsaid else ""


def _other_method(words: str, code: Code, new: Snippet) -> str:
    """A method of another name than the one that is to be added."""
    told = _METHOD.match(words)
    if told is None:
        return ""
    had, has = ({one.name for one in nodes if isinstance(one, Function)} for nodes in (code.nodes, new.nodes))
    stem = told["name"].lower()[:3]
    return does_not(f"add {told['name']}") if has - had and not any(stem in one.lower() for one in has - had) else ""


def _caps_nothing(words: str, code: Code, new: Snippet) -> str:
    """Another value where values are to be held below one, and nothing that holds them there."""
    if not _CAPPED.match(words) or "default" in words or "maxlen" in "".join(new.lines):
        return ""
    had, has = ({ast.dump(one) for one in nodes if _bounds(one)} for nodes in (code.nodes, new.nodes))
    return f"the edit that was found caps nothing; {OTHERWISE}" if had == has else ""


def _bounds(node: ast.AST) -> bool:
    """Whether a piece of code holds a value within bounds, or can be such a bound."""
    match node:
        case ast.Compare() | ast.Slice() | ast.Call(func=ast.Name(id="min" | "max" | "range" | "islice")):
            return True
    return isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)


def _other_case(words: str, code: Code, new: Snippet) -> str:
    """A return for another case than the number told."""
    told = _EARLY_FOR.match(words)
    if told is None:
        return ""
    had, has = (len(re.findall(rf"\b{told['number']}\b", text)) for text in (code.text, "\n".join(new.lines)))
    return "" if has > had else does_not(f"look for {told['number']}")


def _no_keywords(words: str, code: Code, new: Snippet) -> str:
    """No keyword arguments taken or passed on, where they are to be."""
    if not _KEYWORDS.match(words):
        return ""
    had, has = (text.count("**") for text in (code.text, "\n".join(new.lines)))
    return "" if has > had else does_not("take keyword arguments")


def _no_comprehension(words: str, code: Code, new: Snippet) -> str:
    """No comprehension of the sort that is to be used."""
    told = _COMPREHENSION.match(words)
    if told is None:
        return ""
    form = _FORMS[told["sort"].lower()]
    had, has = (sum(isinstance(one, form) for one in nodes) for nodes in (code.nodes, new.nodes))
    return "" if has > had else does_not(f"make a {told['sort']} comprehension")


def _keyless(words: str, code: Code, new: Snippet) -> str:
    """No key, where something is to be done with one."""
    if not _WITH_KEY.match(words):
        return ""
    had, has = (len(re.findall(r"\bkey=", text)) for text in (code.text, "\n".join(new.lines)))
    return "" if has > had or (has and has == had) else does_not("give a key; say which")


def _for_nothing(words: str, _: Code, new: Snippet) -> str:
    """A function newly called for what it gives back, and nothing done with that."""
    told = _USE.match(words)
    if told is None or told["name"] not in _PURE:
        return ""
    dropped = [one.value for one in new.nodes if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    unused = [one for one in dropped if isinstance(one.func, ast.Name) and one.func.id == told["name"]]
    return f"the edit that was found does nothing with {told['name']}; {OTHERWISE}" if unused else ""


def _tests_in_test(words: str, code: Code, new: Snippet) -> str:
    """A new branch in a test that is to expect something else."""
    if not re.match(_POLITE + r"expect\b", words) or "test" not in word_set(code.text.replace("_", " ")):
        return ""
    had, has = (sum(isinstance(one, ast.If) for one in nodes) for nodes in (code.nodes, new.nodes))
    return "the edit that was found expects nothing; say which value is to be which" if has > had else ""


_RULES: tuple[Rule, ...] = (
    _called_less, _all_gone, _other_method, _caps_nothing, _other_case, _no_keywords, _no_comprehension,
    _keyless, _for_nothing, _tests_in_test,
)  # fmt: skip
