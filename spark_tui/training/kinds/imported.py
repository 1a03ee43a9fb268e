"""New imports (those at the top of a module are in spark_tui.editing.codemods.add_import)."""

from random import Random

from spark_tui.editing.codemods.add_import import bound, top_block
from spark_tui.training.kinds import pools

__all__ = ["bound", "member", "module", "new_import", "top_block"]

_MODULES = (
    "os re sys json time math random logging itertools functools collections subprocess shutil tempfile threading copy"
    " hashlib datetime pathlib argparse csv socket string struct types uuid warnings contextlib traceback enum io glob"
    " asyncio dataclasses decimal operator inspect textwrap typing urllib pickle base64 secrets queue signal platform"
    " numpy pandas requests yaml click attr torch pytest numpy"
)
_MEMBERS = (
    "collections:defaultdict collections:Counter collections:OrderedDict collections:deque functools:partial"
    " functools:wraps functools:lru_cache itertools:chain pathlib:Path datetime:datetime datetime:timedelta"
    " typing:Any typing:Optional typing:Iterable typing:Callable dataclasses:dataclass dataclasses:field"
    " contextlib:contextmanager contextlib:suppress copy:deepcopy enum:Enum decimal:Decimal uuid:uuid4"
    " collections.abc:Mapping collections.abc:Iterator concurrent.futures:ThreadPoolExecutor unittest.mock:patch"
    " threading:Lock urllib.parse:urljoin urllib.parse:quote abc:ABC textwrap:dedent time:sleep os.path:join"
)


def module(rng: Random) -> str:
    """A module to import, now and then one nobody has heard of."""
    if rng.random() < 0.65:
        return rng.choice(_MODULES.split())
    return rng.choice([pools.noun(rng), f"{pools.noun(rng)}.{pools.noun(rng)}", f"{pools.noun(rng)}_{pools.noun(rng)}"])


def member(rng: Random) -> tuple[str, str]:
    """A module and a name to import from it."""
    if rng.random() < 0.55:
        source, _, name = rng.choice(_MEMBERS.split()).partition(":")
        return source, name
    name = rng.choice([pools.class_name(rng), pools.function_name(rng).lstrip("_")])
    source = rng.choice([module(rng), f".{pools.noun(rng)}", f"{pools.noun(rng)}.{pools.noun(rng)}"])
    return source, name


def new_import(rng: Random) -> tuple[str, str]:
    """An import as (the name it binds, the line)."""
    if rng.random() < 0.55:
        name = module(rng)
        return name, f"import {name}"
    source, name = member(rng)
    return name, f"from {source} import {name}"
