"""What the letters of a query are worth where they stand in a name, for one name and for very many at once."""

LETTER, BESIDE, IN_NAME = 16, 10, 4
AT_PART, AT_WORD, AT_CAPITAL = 14, 11, 9
GAP, FURTHER = 3, 1
FIRST = 2
"""How many times the place of the first letter counts."""
WHOLE_NAME = 40
SEPARATORS = "_-. "
LONGEST = 400
"""Characters of a name that are looked at; of a path the last ones."""


def has_capital(query: str) -> bool:
    """Whether capitals are told apart."""
    return query != query.lower()


def lower(text: str) -> str:
    """Small letters, as many as there were: places in one are places in the other."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def names_of(path: str) -> tuple[str, str]:
    """The last part of a path, and the same without what follows its last dot."""
    name = path[path.rfind("/") + 1 :]
    return name, name.rpartition(".")[0]
