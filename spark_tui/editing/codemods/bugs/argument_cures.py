"""Words for what goes wrong at a call, and the arguments that help, by the function that is called."""

import re
from typing import NamedTuple

from spark_tui.editing.codemods.bugs.cure_words import told


class ArgumentCure(NamedTuple):
    """The last names of functions, the words for a trouble with them, and the arguments that help."""

    functions: re.Pattern[str]
    trouble: re.Pattern[str]
    arguments: tuple[str, ...]


def _cure(functions: str, words: str, *arguments: str, more: str = "") -> ArgumentCure:
    return ArgumentCure(re.compile("|".join(functions.split())), told(words, more), arguments)


_UTC = "utc naive aware local time_?zones? tz* hours?_off hours?_late hours?_early offset"
_CASE = "case cases capital* upper* lower* alphabet*"
_ORDER = (
    "order* sort* first last newest latest longest short* backwards? wrong_way before never_found as_a_whole prefix*"
    " largest biggest highest descending top"
)
_LINES = "lines? newlines? dot span* breaks? begin* start*"
_LETTERS = "umlaut* unicode* encod* decod* cp1252 ascii charmap utf* accent*"
_FOREIGN = r"[^\x00-\x7f]"
_EXISTS = "exist* already there missing gone again twice second"
_QUIET = "fail* errors? exit* silent* swallow* unnoticed goes?_on ignor* status"
_SHARED = "immutable fro?zen* freez* hash* chang* mutat* assign* read-?only"
_MATCHING = "compile match search fullmatch sub findall split finditer"
_COLUMN = r"\w*(?:Field|Column) mapped_column"
_STUCK = "hang* forever time-?out* never_returns? stuck block*"
ARGUMENT_CURES = (
    _cure("now fromtimestamp", _UTC, "timezone.utc", "tz=timezone.utc", "datetime.timezone.utc",
          "tz=datetime.timezone.utc",
          "dt.timezone.utc", "datetime.UTC"),
    _cure("replace datetime combine", _UTC, "tzinfo=timezone.utc", "tzinfo=None", "tzinfo=datetime.timezone.utc"),
    _cure("isoformat", "micro* seconds? milli* fraction* precision", 'timespec="seconds"', 'timespec="milliseconds"'),
    _cure("sort sorted min max", _CASE, "key=str.lower", "key=str.casefold"),
    _cure("sort sorted min max", "len* long* short*", "key=len"),
    _cure("sort sorted", "not_supported_between second values? first", "key=str", "key=itemgetter(1)",
          "key=itemgetter(0)"),
    _cure("sort sorted nlargest", _ORDER, "reverse=True"),
    _cure("zip", "len* short* silent* strict* drop* miss* truncat* cut", "strict=True"),
    _cure(_MATCHING, _CASE, "re.IGNORECASE", "re.I", "flags=re.IGNORECASE"),
    _cure(_MATCHING, _LINES, "re.DOTALL", "re.MULTILINE", "flags=re.DOTALL", "flags=re.MULTILINE"),
    _cure("sub replace", "first only once all every twice", "1", "count=1"),
    _cure("split rsplit", "first only once more_than unpack* another contains? inside with_an?", "1", "maxsplit=1"),
    _cure("dumps?", "serializ* datetime path object_of_type decimal", "default=str"),
    _cure("dumps?", _LETTERS, "ensure_ascii=False", more=_FOREIGN),
    _cure("dumps?", "order* sort* diff* stable determin* random*", "sort_keys=True"),
    _cure("open read_text write_text fdopen NamedTemporaryFile", _LETTERS, 'encoding="utf-8"', more=_FOREIGN),
    _cure("open", "blank empty_lines? empty_rows? csv every_other", 'newline=""'),
    _cure("decode encode open", f"{_LETTERS} invalid broken", 'errors="replace"', '"replace"', 'errors="ignore"',
          '"utf-8"'),
    _cure("run Popen check_output", "bytes str text", "text=True"),
    _cure("run", "output stdout None captur*", "capture_output=True"),
    _cure("run", _QUIET, "check=True"),
    _cure("mkdir makedirs", _EXISTS, "exist_ok=True"),
    _cure("mkdir", "parents? missing no_such not_found nested deep*", "parents=True", "parents=True, exist_ok=True"),
    _cure("unlink", _EXISTS, "missing_ok=True"),
    _cure("rmtree", f"{_EXISTS} {_QUIET}", "ignore_errors=True"),
    _cure("copytree", _EXISTS, "dirs_exist_ok=True"),
    _cure("next pop get getattr", "StopIteration KeyError attribut* missing lacks? empty none absent unknown no",
          "None",
          "False", "()", "0", '""', "[]", "{}"),
    _cure("max min", "empty no none nothing ValueError", "default=0", "default=None"),
    _cure("print", "late buffer* only_at_the_end flush* appear* immediat*", "flush=True"),
    _cure("print", "stderr piped? piping stdout", "file=sys.stderr"),
    _cure("print", "empty_lines? newlines? blank_lines? double same_line", 'end=""'),
    _cure("warn", "line caller point* where our_own place source", "stacklevel=2", "stacklevel=3"),
    _cure("warn", "category deprecat* UserWarning kind type", "DeprecationWarning", "DeprecationWarning, stacklevel=2"),
    _cure("enumerate", "from one zero first off_by number* 1", "1", "start=1"),
    _cure("Thread Process Timer", "exit* hang* daemon* end* terminat* Ctrl*", "daemon=True"),
    _cure("gather", "fail* exception* cancel* others? one", "return_exceptions=True"),
    _cure("i?glob", "sub* recurs* nested", "recursive=True"),
    _cure("get post put delete request urlopen connect create_connection wait join acquire communicate", _STUCK,
          "timeout=10", "timeout=30", "timeout=timeout", "timeout=self.timeout", "timeout=5"),
    _cure("splitlines", "line_ends? line_breaks? newlines? keep*", "keepends=True", "True"),
    _cure(_COLUMN, "unique twice duplicat* same key id_column", "unique=True", "primary_key=True"),
    _cure(_COLUMN, "null* none optional empty required", "null=True", "nullable=True", "nullable=False", "blank=True"),
    _cure(_COLUMN, "slow* index* look* search*", "index=True", "db_index=True"),
    _cure("dataclass define attrs", _SHARED, "frozen=True"),
    _cure("dataclass", "order* sort* compar* less_than", "order=True"),
    _cure("dataclass", "slots? memory typo*", "slots=True"),
    _cure("dataclass", "keyword* position* by_name non-default", "kw_only=True"),
    _cure("dataclass", "equal* identity hash*", "eq=False", "unsafe_hash=True"),
    _cure("field", "repr secret* print* show* password", "repr=False"),
    _cure("field", "compar* equal* hash*", "compare=False"),
    _cure("add_argument", "required None must", "required=True"),
    _cure("add_argument", "int* number* str", "type=int"),
    _cure("lru_cache", "memory unbound* grow* all", "maxsize=None"),
)  # fmt: skip
