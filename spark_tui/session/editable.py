"""Whether a turn can do anything in its file at all."""

import re
from collections.abc import Sequence

from spark_tui.context.language import is_foreign, is_wordless
from spark_tui.context.regions import Region
from spark_tui.context.wording import asks_for_nothing, is_no_wish
from spark_tui.editing.brackets import asks_for_syntax, mended
from spark_tui.editing.checks import region_parses
from spark_tui.editing.codemods.plain.plain_faults import fault_told
from spark_tui.editing.markers import odd_marker, torn
from spark_tui.editing.parsing import why_broken
from spark_tui.editing.stretches import is_large
from spark_tui.editing.text import Text, declared_encoding, undecodable
from spark_tui.session import answers
from spark_tui.session.wishless import no_request

_BACK = re.compile(r"(?i)^\W*(?:please )?(?:un-?comment|comment back in)\b")
"""Asks for code back that stands in comments."""
_PYTHON = (".py", ".pyi")
"""How the names of the files end that a model can edit."""


def is_editable(region: Region, base: Text) -> bool:
    """Whether the file is one that the model could edit."""
    return region.path.endswith(_PYTHON) and not why_broken(base, region.start_line - 1, region.end_line)


def why_not(instruction: str, region: Region, base: Text, *, plain: bool = False) -> str:
    """Why an instruction cannot be carried out here, or "".

    Args: base: the file. plain: whether it asks for an edit for certain, "don't use a bare except" say.
    """
    if is_wordless(instruction):
        return answers.no_words()
    if is_no_wish(instruction) or (asks_for_nothing(instruction) and not plain):
        return no_request(fault_told(instruction), instruction)
    if _BACK.match(instruction):
        return answers.no_code_from_comments()
    if why := why_not_here(region, base, instruction):
        return why
    return answers.not_english() if is_foreign(instruction, base.lines) else ""


def why_not_here(region: Region, base: Text, words: str = "") -> str:
    """Why nothing at all can be edited here, or "". Args: base: the file. words: what is asked for."""
    path, first = region.path, region.start_line - 1
    lines = base.lines[first : region.end_line]
    if not path.endswith(_PYTHON):
        return answers.not_python(path)
    if not any(line.strip() for line in lines):
        return answers.nothing_in(path, is_file=not any(line.strip() for line in base.lines))
    error = why_broken(base, first, region.end_line)
    if (error or is_large(base)) and (why := _in_conflict(region, base.lines)):
        return why
    if error and not region_parses(lines).ok and not (asks_for_syntax(words) and mended(lines)):
        return _broken(path, base, error)
    return answers.lone_returns(path) if any("\r" in line for line in lines) else ""


def _in_conflict(region: Region, lines: Sequence[str]) -> str:
    """That the region is part of a conflict: of what it is now, one side may go. Args: lines: of the file."""
    first, last = region.start_line - 1, region.end_line - 1
    found = [each for each in torn(lines) if each.touches(first, last)]
    return answers.in_conflict(region, found) if found else ""


def _broken(path: str, base: Text, error: str) -> str:
    odd = next((number for number, line in enumerate(base.raw, 1) if undecodable(line)), 0)
    if odd and not declared_encoding(base.raw):
        return answers.not_utf8(path, odd, "")
    return answers.does_not_parse(path, error, odd_marker(base.lines))
