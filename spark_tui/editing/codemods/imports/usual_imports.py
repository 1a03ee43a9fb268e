"""Where well-known names are imported from."""

import sys
from functools import lru_cache

_MEMBERS = """
types: TracebackType ModuleType FunctionType MethodType CodeType FrameType GenericAlias
typing: List Dict Tuple Type NoReturn Annotated Self TypeAlias ParamSpec IO TextIO BinaryIO AnyStr NewType
typing: get_type_hints runtime_checkable TypeGuard Never Concatenate
collections.abc: AsyncGenerator Coroutine Collection Container ItemsView KeysView MutableSequence MutableSet ByteString
functools: update_wrapper partialmethod cmp_to_key singledispatchmethod
itertools: starmap takewhile dropwhile tee accumulate compress filterfalse combinations_with_replacement
urllib.parse: unquote urlsplit urlunsplit urlunparse parse_qs parse_qsl
weakref: WeakKeyDictionary WeakValueDictionary WeakSet
contextvars: ContextVar
http: HTTPStatus
queue: Queue Empty Full
threading: Event Condition Timer Semaphore
concurrent.futures: Future
inspect: signature isawaitable iscoroutinefunction isclass
warnings: warn
datetime: tzinfo
zoneinfo: ZoneInfo
numbers: Number
enum: IntFlag unique
logging: getLogger
asyncio: CancelledError
operator: methodcaller
traceback: format_exc print_exc
random: randint choice shuffle
os.path: basename dirname
email.utils: formatdate parsedate_to_datetime
html: escape unescape
struct: pack unpack
collections: defaultdict Counter OrderedDict deque namedtuple ChainMap
functools: partial wraps lru_cache cache cached_property reduce total_ordering singledispatch
itertools: chain islice groupby product zip_longest permutations combinations count cycle pairwise repeat
pathlib: Path PurePath PurePosixPath
datetime: datetime timedelta timezone date
typing: Any Optional Union TypeVar Generic Protocol Literal Final ClassVar NamedTuple TypedDict TYPE_CHECKING
typing: cast overload NotRequired Required Unpack override assert_never
collections.abc: Callable Iterable Iterator Sequence Mapping MutableMapping Generator Awaitable Hashable AsyncIterator
dataclasses: dataclass field asdict astuple replace is_dataclass
contextlib: contextmanager suppress closing ExitStack redirect_stdout asynccontextmanager nullcontext
copy: deepcopy
enum: Enum IntEnum Flag auto StrEnum
decimal: Decimal
fractions: Fraction
uuid: uuid4 UUID
concurrent.futures: ThreadPoolExecutor ProcessPoolExecutor as_completed
unittest.mock: Mock MagicMock patch
threading: Thread Lock RLock
multiprocessing: Pool
urllib.parse: urljoin urlparse quote urlencode
urllib.request: urlopen
abc: ABC abstractmethod
textwrap: dedent
time: sleep perf_counter monotonic
collections.abc: Set
io: StringIO BytesIO
pprint: pprint
subprocess: Popen PIPE CalledProcessError
json: JSONDecodeError
tempfile: TemporaryDirectory NamedTemporaryFile
types: SimpleNamespace MappingProxyType
argparse: ArgumentParser
operator: itemgetter attrgetter
string: Template
bisect: bisect_left bisect_right
shutil: copyfile rmtree
math: sqrt ceil floor
"""
_ALIASES = "numpy:np pandas:pd tensorflow:tf matplotlib.pyplot:plt seaborn:sns datetime:dt polars:pl networkx:nx"
_OTHERS = frozenset(
    ["numpy", "pandas", "requests", "yaml", "click", "attr", "attrs", "torch", "pytest", "rich", "httpx"]
)
_INSIDE = frozenset(
    """concurrent.futures email.message email.utils http.client http.server importlib.metadata importlib.resources
    importlib.util logging.config logging.handlers matplotlib.pyplot multiprocessing.pool unittest.mock urllib.error
    urllib.parse urllib.request xml.dom.minidom xml.etree.ElementTree""".split()  # noqa: SIM905
)
"""Modules that the import of what they are in does not bring."""


def _table() -> dict[str, str]:
    table = {}
    for line in _MEMBERS.strip().splitlines():
        source, _, names = line.partition(":")
        table.update({name: f"from {source} import {name}" for name in names.split()})
    for pair in _ALIASES.split():
        module, _, alias = pair.partition(":")
        table[alias] = f"import {module} as {alias}"
    return table


_USUAL = _table()


def usual_import(name: str) -> str | None:
    """The line that imports a well-known name or module, or None."""
    return _USUAL.get(name) or (f"import {name}" if is_module(name) else None)


@lru_cache(maxsize=512)
def usual_members(module: str) -> tuple[str, ...]:
    """The well-known names of a module."""
    return tuple(name for name, line in _USUAL.items() if line.startswith(f"from {module} import "))


def dotted_modules(package: str) -> tuple[str, ...]:
    """The modules in a package that want an import of their own."""
    return tuple(sorted(module for module in _INSIDE if module.startswith(f"{package}.")))


def is_module(name: str) -> bool:
    """Whether a name is a module of the standard library or a well-known package."""
    return name in sys.stdlib_module_names or name in _OTHERS
