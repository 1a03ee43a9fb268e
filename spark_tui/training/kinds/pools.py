"""Random names, values and types to tell a model in an instruction, so that it learns to copy rather than to guess."""

from random import Random


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NOUNS = _split("""
account action address agent alias amount answer area array attempt author backend balance batch block body bound
branch budget buffer bundle button byte cache callback card category channel chunk city client clock cluster code
color column command comment company config connection content context cookie cost count country cursor customer data
date day deadline delay delta depth device digest direction document domain draft driver edge email encoding engine
entry epoch error event example expiry factor feature field file filter flag folder font force format frame function
gate graph group guard handler hash header height hint history hook host icon image index info input instance interval
invoice item job key kind label language layer layout length level limit line link list locale lock logger loop margin
mask matrix member memory message method metric mode model module month name node note number object offset option
order origin output owner package page parent part password path pattern payload payment peer phase player plugin
point policy pool port position prefix price priority process product profile progress prompt proxy query queue quota
range rate ratio reader reason record region registry report request resource response result retry role root route
row rule sample scale schema score scope search section seed segment sensor separator series server service session
setting shape shard signal size slot sort source space span spec speed stack stage start state status step storage
store stream string strategy style subject suffix summary symbol table tag target task team template tenant text theme
thread threshold ticket time timeout timer title token tolerance topic total trace track transport tree trigger type
unit update url user value variable vendor vector verbosity version view volume weight widget width window word worker
writer year zone
""")
_MODIFIERS = _split("""
active allow auto base best cached current custom debug default dry enable extra fast final first force global has
ignore include initial inner input is keep last left local main max min new next old only outer output parent parsed
pending preserve previous primary public quiet raw recursive remote right safe show skip source strict target temp
total trusted use user valid verbose with
""")
_VERBS = _split("""
apply build check clean close collect compute convert copy count create decode delete dispatch dump emit encode ensure
fetch filter find flush format generate get handle init iter list load log lookup make merge normalize open parse
prepare print process publish push read refresh register remove render replace reset resolve retry run save scan
select send serialize set sort split start stop store submit sync tokenize track transform unpack update upload
validate visit wait walk wrap write
""")
_BUILTIN_TYPES = _split("str int float bool bytes list dict set tuple object complex frozenset bytearray type")
_BARE_TYPES = _split("""
Any Path Decimal datetime date timedelta UUID Callable Iterable Iterator Mapping Sequence Hashable Self Namespace
Generator Exception BaseException Logger Pattern TextIO BinaryIO IO Response Request Connection Session Counter
pathlib.Path datetime.datetime argparse.Namespace np.ndarray pd.DataFrame logging.Logger re.Pattern decimal.Decimal
collections.OrderedDict uuid.UUID typing.Any io.BytesIO socket.socket asyncio.Task ast.AST torch.Tensor
""")
_WORDS = _split("""
failed missing invalid unexpected could not find unable to open no such done ready started finished skipping unknown
empty value input file user request connection closed timeout expired retrying please try again later not allowed
already exists ok warning loading saved cannot be negative hello world default name path too long short required
""")


def noun(rng: Random) -> str:
    """A plain word such as `offset`."""
    return rng.choice(_NOUNS)


def variable_name(rng: Random) -> str:
    """A variable, parameter or attribute name such as `limit`, `max_rows`, `is_active`, `n`."""
    roll = rng.random()
    if roll < 0.4:
        return noun(rng)
    if roll < 0.7:
        return f"{rng.choice(_MODIFIERS)}_{noun(rng)}"
    if roll < 0.88:
        return f"{noun(rng)}_{noun(rng)}"
    if roll < 0.95:
        return rng.choice(["n", "k", "x", "y", "fn", "ctx", "cfg", "opts", "idx", "num", "tmp", "val", "buf", "ref"])
    return f"{noun(rng)}{rng.choice(['s', '2', '_id', '_ms', '_count', '_name', '_fn'])}"


def function_name(rng: Random) -> str:
    """A function name such as `load_rows`, now and then private."""
    name = rng.choice(_VERBS) if rng.random() < 0.15 else f"{rng.choice(_VERBS)}_{variable_name(rng)}"
    return f"_{name}" if rng.random() < 0.1 else name


def class_name(rng: Random) -> str:
    """A class name such as `RetryPolicy`."""
    parts = [noun(rng) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
    return "".join(part.capitalize() for part in parts)


def number(rng: Random) -> str:
    """A number as source: mostly small, some round, some with a fraction, few hexadecimal."""
    roll = rng.random()
    if roll < 0.35:
        return str(rng.randrange(0, 21))
    if roll < 0.55:
        return str(rng.choice([1, 2, 5, 10, 12, 15, 16, 25, 32, 64, 75]) * 10 ** rng.randrange(0, 4))
    if roll < 0.75:
        return str(rng.randrange(0, 10 ** rng.randrange(2, 6)))
    if roll < 0.92:
        return f"{rng.choice([0, 0, 0, 1, 2, 3, 10])}.{rng.choice(['5', '1', '25', '0', '01', '05', '75', '9', '001'])}"
    return rng.choice([f"{rng.randrange(16, 4096):#x}", f"-{rng.randrange(1, 20)}", f"1e-{rng.randrange(2, 10)}"])


def plain_text(rng: Random) -> str:
    """What a string holds: words, a name, a path; never a quote, a backslash or a brace."""
    roll = rng.random()
    if roll < 0.45:
        return " ".join(rng.choice(_WORDS) for _ in range(rng.randrange(1, 6)))
    if roll < 0.75:
        return variable_name(rng)
    if roll < 0.85:
        return f"{noun(rng)}{rng.choice(['.txt', '.json', '.log', '-' + noun(rng), '/' + noun(rng), ': '])}"
    return rng.choice(
        ["utf-8", "utf8", "ascii", "latin-1", "r", "w", "rb", "GET", "POST", "%Y-%m-%d", ",", ";", "-", "_"]
    )


def string(rng: Random, quote: str = "'") -> str:
    """A string literal."""
    return quote + plain_text(rng) + quote


def value(rng: Random, quote: str = "'") -> str:
    """A default value as source: None, a flag, a number, a string, a name, an empty container."""
    roll = rng.random()
    if roll < 0.2:
        return "None"
    if roll < 0.4:
        return rng.choice(["True", "False"])
    if roll < 0.65:
        return number(rng)
    if roll < 0.85:
        return string(rng, quote)
    if roll < 0.93:
        return rng.choice(
            [variable_name(rng).upper(), f"{class_name(rng)}.{noun(rng).upper()}", f"{noun(rng)}.{noun(rng)}"]
        )
    return rng.choice(["()", "''", "0", "1", "-1", "b''", "object()", "sys.maxsize", "math.inf", "frozenset()"])


def simple_type(rng: Random) -> str:
    """A type without brackets, often a class nobody has heard of."""
    roll = rng.random()
    if roll < 0.45:
        return rng.choice(_BUILTIN_TYPES[:5] if rng.random() < 0.7 else _BUILTIN_TYPES)
    return rng.choice(_BARE_TYPES) if roll < 0.75 else class_name(rng)
