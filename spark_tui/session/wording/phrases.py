"""A phrase that wishes for nothing: "extract of vanilla", names in a row, "a constant drizzle", "wrap it up"."""

import builtins
import re
from collections.abc import Collection

from spark_tui.context.wording import is_filler
from spark_tui.editing.intents import stem
from spark_tui.editing.sayings import is_said_of_code, stems_in
from spark_tui.session.wording.step_words import VERBS, WEAK

_OF = re.compile(r"\W*(?P<verb>[A-Za-z]+) of (?:an? |the |my |your )?[a-z]+\W*")
"""What to do, said as a noun."""
_NAMED = re.compile(
    r"(?:an?|the|An?|The)(?: (?!(?:param|arg|flag|option|attribute|field|import|module)[a-z]*\b)[a-z]+){1,3}"
    r" (?P<last>[a-z]+)\W*"
)
"""A thing by its name; of a new parameter or the like it may be any."""
_SAYS = frozenset("is are was were isn't has needs lacks can will should must may goes looks please here".split())  # noqa: SIM905
_WRAP = re.compile(r"(?i)\W*(?:please )?(?P<verb>wrap|surround|enclose) (?P<what>it|this|that)(?: up)?(?: please)?\W*")
_ROW = 3
"""So many names in a row are a pair of no sort."""


def phrase(words: str, names: Collection[str]) -> str:
    """That words are a phrase without a wish, in a sentence, or "". Args: names: those of the lines it is about."""
    said = words.strip(" \t\n.!?").split()
    if found := _WRAP.fullmatch(words):
        return f"{found['verb'].lower()} {found['what']} in what? Say it, as in “wrap it in a try that catches OSError”"
    of = _OF.fullmatch(words)
    if (of and of["verb"].lower() in VERBS | WEAK) or (len(said) >= _ROW and all(_is_name(one, names) for one in said)):
        return "what is to be done here? Say it with a verb, as in “rename total to amount”"
    odd = _NAMED.fullmatch(words)
    if odd and not _SAYS.intersection(said) and not _is_known(odd["last"], names):
        return f"what is {odd['last']} here? Say what to do with a verb, as in “rename total to amount”"
    return ""


def _is_name(word: str, names: Collection[str]) -> bool:
    """Whether a word is a name of the code and no word that tells what to do."""
    known = word in names or hasattr(builtins, word)
    return word.isidentifier() and known and not is_filler(word) and word.lower() not in VERBS | WEAK


def _is_known(word: str, names: Collection[str]) -> bool:
    return is_filler(word) or is_said_of_code(word) or stem(word) in stems_in(names)
