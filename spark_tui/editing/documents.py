"""Several files as one text, so that an edit of all of them is one proposal, one diff and one review.

Above the lines of each file stands a heading that names it, below them an end mark (see `headings`). Files that come
into being stand below all others, and one that is not among them is gone. What a heading keeps of its file (a byte
order mark, a last line without an ending) is put back when the files are taken apart.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from spark_tui.editing.headings import END, SIGN, heading_of, is_document, sections
from spark_tui.editing.text import Text, ending_of
from spark_tui.errors import UsageError

_BOM = "\ufeff"
_MARKED, _UNENDED = "b", "n"


class Changed(NamedTuple):
    """A file that differs; None where there is none."""

    path: str
    before: Text | None
    after: Text | None


def joined(files: Mapping[str, Text]) -> Text:
    """Files as one text. Raises: UsageError: an odd name."""
    return Text(tuple(line for path, text in files.items() for line in _section(path, text)))


def _section(path: str, text: Text) -> Iterator[str]:
    if "\n" in path or SIGN in path:
        raise UsageError(f"{path!r} has a name that cannot be edited together with other files; name it alone")
    raw = text.raw
    ending = (ending_of(raw[0]) if raw else "") or "\n"
    marked, unended = bool(raw) and raw[0].startswith(_BOM), bool(raw) and not ending_of(raw[-1])
    yield f"{heading_of(path)}{_MARKED * marked}{_UNENDED * unended}{ending}"
    for number, line in enumerate(raw, 1):
        bare = line.removeprefix(_BOM) if marked and number == 1 else line
        yield bare + ending if unended and number == len(raw) else bare
    yield f"{END}\n"


def apart(text: Text) -> dict[str, Text]:
    """The files that such a text holds, each as its bytes would be read."""
    return {each.path: _file(text.raw[each.start : each.stop]) for each in sections(text.raw)}


def _file(raw: tuple[str, ...]) -> Text:
    flags, lines = raw[0].split(SIGN)[2], list(raw[1:])
    if lines and _MARKED in flags:
        lines[0] = _BOM + lines[0]
    if lines and _UNENDED in flags:
        lines[-1] = lines[-1].removesuffix(ending_of(lines[-1]))
    return Text(tuple(lines))


def changed(before: Text, after: Text, path: str) -> list[Changed]:
    """The files that differ between two versions of a text. Args: path: of a text that is one file's alone."""
    if not is_document(before.raw or after.raw):
        return [Changed(path, before, after)]
    old, new = apart(before), apart(after)
    paths = dict.fromkeys([*old, *new])
    return [Changed(each, old.get(each), new.get(each)) for each in paths if old.get(each) != new.get(each)]
