"""Names of Python and its libraries that are easily taken for one another, and words that are opposites."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

_NAMES = """
append extend insert add appendleft|add update append|remove discard pop popleft|popleft pop|min max|any all
startswith endswith|lower upper title|items keys values|find rfind index|read readline readlines|write writelines
ceil floor round|sorted reversed|int float str|encode decode|dumps dump|loads load|get pop setdefault
isfile isdir exists|debug info warning error|strip lstrip rstrip|sum len|fromtimestamp utcfromtimestamp
now utcnow today|join split rsplit|rsplit split|partition rpartition|digest hexdigest|match fullmatch search
search match findall|findall finditer search|put put_nowait|get_nowait get|__enter__ __exit__|append appendleft
removeprefix lstrip|removesuffix rstrip|scalar scalars|first one all|time monotonic|union intersection difference
substitute safe_substitute|done result|isSet is_set|isAlive is_alive|warn warning|assertEquals assertEqual
iteritems items|readfp read_file|iter reversed|reversed iter|choice choices sample|randint randrange|copy deepcopy
mkdir makedirs|rmdir rmtree|remove unlink|rename replace|copy copytree|copy copy2|basename dirname|abspath realpath
quote quote_plus|unquote unquote_plus|urlparse urlsplit|parse_qs parse_qsl|b64encode urlsafe_b64encode
b64decode urlsafe_b64decode|md5 sha1 sha256|load safe_load|create_task ensure_future|Lock RLock|gmtime localtime
isdigit isdecimal isnumeric|isalpha isalnum|group groups groupdict|seconds total_seconds|zip zip_longest|map starmap
defaultdict Counter|Empty Full|wraps update_wrapper|cached_property property|staticmethod classmethod
lru_cache cache|tuple list|islice takewhile|takewhile dropwhile|chain chain.from_iterable|exit _exit
getLogger getChild|put append|acquire release|set_result set_exception|isoweekday weekday
add_done_callback add_reader|fromordinal toordinal|dedent indent|bisect_left bisect_right|heappush heappushpop
strftime strptime|monotonic perf_counter|read_text read_bytes|write_text write_bytes|mean median|apply map
notify notify_all|get_running_loop get_event_loop new_event_loop
IndexError KeyError LookupError|TypeError ValueError AttributeError|OSError IOError FileNotFoundError
list tuple dict set|str bytes|int float str|set frozenset
unicode str|basestring str|long int|xrange range|raw_input input|unichr chr
"""
"""What is called, raised or asked for: each may be meant for each of its group."""
_ATTRIBUTES = """
scheme netloc hostname path query fragment port|digest_size block_size|__name__ __qualname__ __module__
__bases__ __mro__ __dict__ __slots__|stem name suffix parent|days seconds microseconds|lineno end_lineno col_offset
st_mtime st_ctime st_atime st_size|year month day|hour minute second microsecond
IGNORECASE MULTILINE DOTALL VERBOSE ASCII|DEBUG INFO WARNING ERROR CRITICAL|SEEK_SET SEEK_CUR SEEK_END
SIGTERM SIGINT SIGKILL SIGHUP|AF_INET AF_INET6 AF_UNIX|SOCK_STREAM SOCK_DGRAM|sep pathsep linesep
ascii_letters ascii_lowercase ascii_uppercase digits|text content|status_code reason
POSITIONAL_ONLY POSITIONAL_OR_KEYWORD KEYWORD_ONLY VAR_POSITIONAL VAR_KEYWORD|FIRST_COMPLETED ALL_COMPLETED
hits misses currsize maxsize|real imag|maxsize maxlen|names attrs|group groups|stdout stderr returncode
exc_info exc_text
"""
_WORDS = """
start end stop|begin end finish|first last|min max|add subtract sub remove|plus minus|pause resume|open close
lock unlock|enter exit|left right|width height|row column col|rows columns cols|before after|prev next previous
previous next|old new|head tail|top bottom|lower upper|encode decode|load dump save|loads dumps|read write
send recv receive|push pop|enable disable|enabled disabled|show hide|include exclude|included excluded
dirname basename|src dst dest|source target destination|parent child|key value|keys values|minimum maximum|asc desc
ascending descending|connect disconnect|register unregister|subscribe unsubscribe|acquire release|quote unquote
escape unescape|pack unpack|compress decompress|serialize deserialize|attach detach|mount unmount|black white
forward backward|up down|horizontal vertical|inner outer|x y|lat lon lng|day month year|hour minute second
hours minutes seconds|days months weeks|floor ceil|prefix suffix|append prepend|lstrip rstrip|lhs rhs|low high
success error failure|ok error|true false|yes no|on off|in out|input output|stdin stdout stderr|request response
req res|sender receiver|from to|local remote|public private|client server|startswith endswith|find rfind
index rindex|union intersection difference|any all|group groups|name qualname|stop start|increment decrement
incr decr|inc dec|ltr rtr|above below|over under|odd even|positive negative|accept reject|allow deny|import export
upload download|install uninstall|insert delete|set unset get|created updated deleted modified|sync async
before_request after_request|setup teardown|primary secondary|get post put delete patch|mean median|sin cos
sunday monday|saturday sunday|hex bin oct|removeprefix removesuffix|bold italic|primary foreign|more less
greater less|gt lt|ge le|gte lte|eq ne|open closed|reader writer|error warning|local global|name value|id name
http https|host port|user password|username password|latitude longitude|args kwargs|started finished|start finish
expected actual|connected disconnected|major minor|instance class|text content|body headers|size count|count total
length count|singular plural|visible hidden|valid invalid|known unknown|required optional|present missing|full empty
default value|index value|index count|raw data|public secret|encrypt decrypt|pre post|weekday isoweekday|early late
short long|single double|access refresh|scheme netloc|digest block|status state|exception status|email name
stem name|type value|forwards backwards|ltr rtl|north south|east west
"""
"""Words within names."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def _table(groups: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in groups.replace("\n", "|").split("|"):
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update((one, None) for one in words if one != word)
    return {word: tuple(others) for word, others in found.items()}


def alike(name: str) -> tuple[str, ...]:
    """What a function, method, type or error may be taken for."""
    return _table(_NAMES).get(name, ())


def attributes_alike(name: str) -> tuple[str, ...]:
    """The attributes of the same sort of object that one may be taken for."""
    return _table(_ATTRIBUTES).get(name, ())


@lru_cache(maxsize=4096)
def opposites(name: str) -> tuple[str, ...]:
    """A name with one of its words turned into its opposite."""
    return tuple(_turned(name))


def _turned(name: str) -> Iterator[str]:
    for match in _PART.finditer(name):
        for other in _table(_WORDS).get(match[0].lower(), ()):
            text = other.upper() if match[0].isupper() else other.title() if match[0][0].isupper() else other
            yield name[: match.start()] + text + name[match.end() :]


def other_number(name: str) -> tuple[str, ...]:
    """A name for one instead of many, or the reverse: `random_elements` for `random_element`."""
    if len(name.strip("_")) < 4:
        return ()
    return (name[:-1],) if name.endswith("s") and not name.endswith("ss") else (f"{name}s",)
