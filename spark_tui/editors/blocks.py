"""What a prompt of an editor says: its words, with the places it names as mentions among them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spark_tui.editors.uris import Target, read_uri
from spark_tui.mentions import mentions_in


class PromptPart(NamedTuple):
    """A part of a prompt: words, a place, or what spark does not read (`left_out`)."""

    words: str = ""
    target: Target | None = None
    left_out: str = ""


def read_blocks(blocks: Iterable[Any]) -> tuple[PromptPart, ...]:
    """The parts of a prompt.

    Args:
        blocks: Content blocks of `acp.schema`.
    """
    return tuple(map(_read_block, blocks))


def _read_block(block: Any) -> PromptPart:
    if block.type == "text":
        return PromptPart(words=block.text)
    if block.type not in {"resource", "resource_link"}:
        return PromptPart(left_out=f"{block.type} is not read")
    uri = block.resource.uri if block.type == "resource" else block.uri
    target = read_uri(uri)
    if target is None:
        return PromptPart(left_out=f"{uri} is no file here")
    if target.is_folder:
        return PromptPart(left_out=f"{target.path} is a folder: name a file")
    return PromptPart(target=target)


def join_parts(parts: Sequence[PromptPart], mentions: Mapping[Target, tuple[str, str]]) -> str:
    """The words of a prompt, with a mention in the place of each file.

    A file that the words mention already, or that stands twice, is mentioned once.

    Args:
        mentions: For each target the path of its file, from the root, and the mention of it.
    """
    known = set[str]()
    for part in parts:
        known |= {mention.path.removeprefix("./") for mention in mentions_in(part.words)}
    pieces = list[str]()
    for part in parts:
        if part.target is None:
            pieces += filter(None, [part.words])
            continue
        path, mention = mentions[part.target]
        if path not in known:
            known.add(path)
            pieces.append(mention)
    return "".join(_spaced(pieces)).strip()


def _spaced(pieces: Iterable[str]) -> Iterator[str]:
    """Pieces of a text, with a space between two where neither has any."""
    before = ""
    for piece in pieces:
        if before and not before[-1].isspace() and not piece[0].isspace():
            yield " "
        yield piece
        before = piece
