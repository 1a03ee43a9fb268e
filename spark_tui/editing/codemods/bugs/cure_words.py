"""Words for what goes wrong with a value, and the forms it may get against that."""

import re
from typing import NamedTuple


class Cure(NamedTuple):
    """A sort of value, the words for a trouble with it, and what helps; "{}" stands for the value."""

    sort: str
    trouble: re.Pattern[str]
    forms: tuple[str, ...]


def told(words: str, more: str = "") -> re.Pattern[str]:
    """A pattern of words: `*` for any ending, `_` for a blank; with more that is no word."""
    either = "|".join(words.split()).replace("*", r"\w*").replace("_", " ")
    return re.compile(rf"\b(?:{either})\b" + (f"|{more}" if more else ""), re.IGNORECASE)


def _cure(sort: str, trouble: re.Pattern[str], *forms: str) -> Cure:
    return Cure(sort, trouble, tuple(form if "{}" in form else f"{{}}{form}" for form in forms))


_SHARED = (
    "copy copies copied shar* leak* mutat* append* modif* change* changing alias* overwr* affect* touch* caller*"
    " same_list same_dict same_object pollut* empties in_place cleared clears"
)
_USED_UP = (
    "generator* iterator* exhaust* consum* second_time second_pass lazy lazily snapshot once gone unhashable during"
)
_ORDER = "order* alphabet* sort* random* determinis* stable unstable shuffled differs? every_run"
_REPEATED = (
    "duplicat* twice only_once just_once several_times many_times again once_each unique doubl* distinct once_is"
)
_CASE = "case cases caps capital* upper* lower* alphabetic* mixed spell*"
_PLACES = "inside folder directory directories parent search_path beside next_to"
CURES = (
    _cure("text", told("trailing at_the_end line_break* line_end* newline*", r"\\[nr]|[\"'][^\"']*\w +[\"']"),
          ".rstrip()", ".strip()"),
    _cure("text", told("leading at_the_start at_the_beginning indent* in_front", r"(?:^|\W)[\"'] +\w[^'\"]*[\"']"),
          ".lstrip()", ".strip()"),
    _cure("text", told("blanks? spaces? white*space pad* strip* trim* newline typed_in pasted?"), ".strip()"),
    _cure("text", told(_CASE, r"(?-i:\.[A-Z]{2,}\b|^[A-Z]{3,}\b|[\"'][A-Z_]{2,}[\"'])"),
          ".lower()", ".upper()", ".casefold()"),
    _cure("text", told("bytes encod* hashing", "bytes-like|not 'str'"), ".encode()", '.encode("utf-8")'),
    _cure("text", told("bytes decod* mojibake", r"\bb['\"]"), ".decode()", '.decode("utf-8")'),
    _cure("text", told("hyphens? dash dashes underscores?", r"(?-i:\b[a-z]+[-_][A-Z]+\b)"),
          '.replace("-", "_")', '.replace("_", "-")'),
    _cure("many", told(_SHARED), "list({})", ".copy()", "dict({})", "[:]", "copy.deepcopy({})", "copy.copy({})",
          "tuple({})",
          "set({})", "deepcopy({})", "copy({})", "None if {} is None else list({})",
          "list({}) if {} is not None else None"),
    _cure("many", told(_USED_UP, "changed size"), "list({})", "tuple({})"),
    _cure("many", told("flat* nested lists_of lists_in tuple_found list_found", r"\[\["),
          "chain.from_iterable({})", "itertools.chain.from_iterable({})"),
    _cure("many", told(_ORDER), "sorted({})"),
    _cure("many", told("backwards? oldest newest latest wrong_way revers* innermost outermost"),
          "reversed({})", "{}[::-1]"),
    _cure("many", told(_REPEATED), "set({})", "list(dict.fromkeys({}))", "dict.fromkeys({})", "map(set, {})"),
    _cure("many", told("se?arched slow* membership look*ups? quadratic hash* frozen* immutable"),
          "frozenset({})", "set({})", "tuple({})"),
    _cure("many", told("expected_str_instance must_be_str ints?"), "map(str, {})"),
    _cure("many", told("too_many_values not_enough_values transpos* columns?"), "zip(*{})"),
    _cure("many", told("escap* special* meta* regex* pattern* dots? plus literal*"), "map(re.escape, {})"),
    _cure("number", told("negative minus sign past next below underflow", r"(?<![\w.-])-\d"),
          "abs({})", "max(0, {})", "max({}, 0)", "max({}, 1)"),
    _cure("number", told("digits? decimals? rounded rounding fraction* float*", r"\d\.\d{4,}"),
          "round({})", "round({}, 2)", "int({})", "math.ceil({})"),
    _cure("path", told("home tilde", "~"), ".expanduser()", "os.path.expanduser({})"),
    _cure("path", told(_PLACES, r"\.py/"), ".parent", "os.path.dirname({})"),
    _cure("path", told("symlink* relative cwd working_dir* absolute chdir cd"),
          ".resolve()", "os.path.abspath({})", ".absolute()"),
    _cure("path", told("PosixPath Path_objects? pathlib"), "str({})", "Path({})", "os.fspath({})"),
    _cure("any", told("escap* special* meta* regex* pattern* dots? parenthes* literal*"), "re.escape({})"),
    _cure("any", told("html escap* xss markup", r"<\w+|&\w+;"), "html.escape({})", "escape({})"),
    _cure("any", told("url* percent* quoted? quoting", "%20"), "quote({})", "urllib.parse.quote({})"),
    _cure("any", told("shell inject*"), "shlex.quote({})"),
    _cure("any", told("str strings? json serializ*"), "str({})"),
    _cure("any", told("empty_string empty_text empty_list empty_value blank not_None as_None", r"(?<!\w)(?:\"\"|'')"),
          " or None", ' or ""', " or ()", " or []"),
    _cure("any", told("not_supported_between as_text strings? numeric* as_numbers? str", r"[\"']\d+[\"']"),
          "int({})", "float({})"),
    _cure("any", told("truth* true false bool*"), "bool({})"),
    _cure("any", told("single characters? letters? str one_string a_string plain_string", "left: '"),
          "({},) if isinstance({}, str) else {}", "[{}] if isinstance({}, str) else {}", "[{}]", "({},)"),
    _cure("any", told("tuples? pairs? only_the_first only_the_last the_first_one the_first_element the_last_one"),
          "[0]", "[1]", "[-1]", "tuple({})"),
    _cure("any", told("too_many one_too extra at_the_end without_the_first without_the_last"), "[:-1]", "[1:]"),
    _cure("any", told("class classes types? qualname"), ".__name__", "type({})"),
    _cure("any", told("tz* time_?zones? naive aware"), ".replace(tzinfo=None)", ".astimezone()"),
    _cure("any", told("seconds? timedelta* duration*"), ".total_seconds()", "int({})"),
)  # fmt: skip
