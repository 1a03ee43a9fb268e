"""The words that ask for an argument of a well known function: "stacklevel 2", "utf-8", "split only once"."""

import re
from collections.abc import Iterator

from spark_tui.editing.numbers import NUMBER
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_NUMBER = rf"(?<![\d.])(?P<value>{NUMBER}|\d+(?=s\b))"
_LOGS = "debug info warning error critical exception log"
TAKES = {
    "encoding": "open read_text write_text read write NamedTemporaryFile FileHandler run Popen check_output fdopen",
    "errors": "open decode encode read_text write_text",
    "stacklevel": f"warn warn_explicit {_LOGS}",
    "timeout": "wait join result acquire urlopen request run communicate connect recv create_connection poll select"
    " wait_for call check_call check_output",
    "strict": "zip",
    "exc_info": _LOGS,
    "reverse": "sorted sort",
    "exist_ok": "mkdir makedirs touch copytree",
    "missing_ok": "unlink",
    "parents": "mkdir",
    "maxlen": "deque",
    "indent": "dump dumps",
    "sort_keys": "dump dumps",
    "ensure_ascii": "dump dumps",
    "check": "run",
    "flush": "print",
    "file": "print print_exc",
    "daemon": "Thread Process",
    "return_exceptions": "gather",
    "newline": "open",
    "maxsize": "lru_cache Queue",
}
"""The functions that take a keyword, by their last names."""

_BAD_BYTES = r"(?= bad| invalid| undecod| broken| errors?|$|[.,?])"
_KEYWORDS = {
    rf"\bstack ?level(?: of| to|=)? ?{_NUMBER}|\bpoints? (?:at|to) (?:the|its|our) callers?": ("stacklevel", "2"),
    r"\b(?P<text>utf[-_ ]?8|latin[-_ ]?1|ascii|cp1252)\b": ("encoding", ""),
    rf"\b(?P<text>replace|ignore|surrogateescape|backslashreplace)\b{_BAD_BYTES}": ("errors", ""),
    rf"(?:\btime-?out|\bat most|\blonger than|\bg(?:ive|vie) it|\bwait\w*)\D{{0,20}}{_NUMBER}": ("timeout", ""),
    r"\bstrict(?:ly)?\b|\blengths? (?:differ|must)": ("strict", "True"),
    r"\btracebacks?\b|\bexc_info\b|\bstack ?trace": ("exc_info", "True"),
    r"\bdescending|\breverse\b|\b(?:newest|latest|largest|biggest|highest|longest|last) first": ("reverse", "True"),
    r"\bexists? already|\balready (?:exists|there)|\bexist_ok": ("exist_ok", "True"),
    r"\b(?:missing|already gone|isn't there|missing_ok)\b": ("missing_ok", "True"),
    r"\bparents?\b": ("parents", "True"),
    rf"\bmaxlen\D{{0,5}}{_NUMBER}": ("maxlen", ""),
    rf"\bindent\w*\D{{0,6}}{_NUMBER}": ("indent", ""),
    r"\bsort\w* (?:the )?keys|\bkeys sorted": ("sort_keys", "True"),
    r"\bumlauts?|\bunicode|\bnon-ascii|\bensure_ascii": ("ensure_ascii", "False"),
    r"\bcheck\b|\bfail(?:s|ed|ing)?\b|\bexit (?:code|status)": ("check", "True"),
    r"\bflush": ("flush", "True"),
    r"\bstderr\b": ("file", "sys.stderr"),
    r"\bdaemon": ("daemon", "True"),
    r"\breturn_exceptions|\bone (?:failure|error)": ("return_exceptions", "True"),
}
POSITIONAL = {
    r"\b(?:only|just|merely) (?:at |on |by |the )*(?:first|last|once)|\b(?:split|cut|replace) (?:it )?once\b"
    r"|\bfirst (?:space|blank|colon|comma|equals|dot|slash|occurrence)\b|\bmaxsplit\b"
    r"|too many values to unpack": ("split rsplit replace", "1"),
    r"\bbase (?P<value>\d+)": ("int", ""),
}
"""The functions that get one argument more behind the others, and that one; "": what is told as `value`."""


def keywords_asked(before: Snippet, instruction: str) -> Iterator[tuple[str, str]]:
    """The keywords that words ask for, each with the source of its value."""
    for words, (name, plain) in _KEYWORDS.items():
        match = re.search(words, instruction, re.IGNORECASE)
        if match is None:
            continue
        told = match.groupdict()
        text, value = told.get("text"), told.get("value") or plain
        if text:
            value = quote(before, re.sub(r"[_ ]", "-", text.lower()))
        if value == "True" and re.search(r"\bFalse\b|\b(?:may|can) differ|\bnot strict", instruction):
            value = "False"
        if value:
            yield name, value
