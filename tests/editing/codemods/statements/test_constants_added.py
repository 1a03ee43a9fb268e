"""Constants and fields that are told by their names, beside their like."""

import pytest

from spark_tui.editing.codemods.add_statement import AddStatement
from tests.editing.codemods.table import afters

KINDS = """
class Kind(Enum):
    CSV = "csv"
    JSON = "json"
    XML = "xml"
""".strip()
FIELDS = """
class Reply:
    name: str
    body: str | None = None
""".strip()


@pytest.mark.parametrize(
    ("instruction", "above", "line"),
    [
        ("add ORC", "    XML", 'ORC = "orc"'),
        ("add tsv after json", "    XML", 'TSV = "tsv"'),
        ("we need a `YAML` kind too, after XML", "", 'YAML = "yaml"'),
        ('add TEXT, "plain text", before JSON', "    JSON", 'TEXT = "plain text"'),
    ],
)
def test_a_constant_is_made_from_its_name_like_the_others(instruction: str, above: str, line: str) -> None:
    wanted = KINDS.replace(above, f"    {line}\n{above}") if above else f"{KINDS}\n    {line}"
    assert wanted in afters(AddStatement(), KINDS, instruction)


def test_a_number_goes_on_where_the_others_count() -> None:
    before = "class State:\n    FIRST = 0\n    LATER = 1"
    assert f"{before}\n    DONE = 2" in afters(AddStatement(), before, "add DONE, next value")
    assert f"{before}\n    DONE = 9" in afters(AddStatement(), before, "add DONE = 9")


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        ("add is_last: bool at the end", "is_last: bool"),
        ("needs an optional port too, int, None by default", "port: int | None = None"),
        ("an optional description field", "description: str | None = None"),
        ("add encoding right after body, same type", "encoding: str | None = None"),
    ],
)
def test_a_field_gets_the_type_and_the_default_told(instruction: str, line: str) -> None:
    assert f"{FIELDS}\n    {line}" in afters(AddStatement(), FIELDS, instruction)
