"""The parts of an editor's prompt: words and places, joined to words with mentions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spark_tui.editors.uris import Target, read_uri
from spark_tui.mentions import mentions_in


class PromptPart(NamedTuple):
    """A part of a prompt: words, a place, or the reason why a part is not read (`left_out`)."""

    words: str = ""
    target: Target | None = None
    left_out: str = ""


def read_blocks(blocks: Iterable[Any]) -> tuple[PromptPart, ...]:
    """Read the blocks of a prompt.

    Args:
        blocks: Content blocks of `acp.schema`.
    """
    return tuple(map(_read_block, blocks))


def _read_block(block: Any) -> PromptPart:
    if block.type == "text":
        return PromptPart(words=block.text)
    if block.type not in {"resource", "resource_link"}:
        return PromptPart(left_out=f"{block.type} is not read")
    # The text of an embedded resource is not used: its file is read as the editor has it.
    uri = block.resource.uri if block.type == "resource" else block.uri
    target = read_uri(uri)
    if target is None:
        return PromptPart(left_out=f"{uri} is no file here")
    if target.is_folder:
        return PromptPart(left_out=f"{target.path} is a folder: name a file")
    return PromptPart(target=target)


def join_parts(parts: Sequence[PromptPart], mentions: Mapping[Target, tuple[str, str]]) -> str:
    """Join the words of a prompt, with a mention in the place of each file.

    A file that the words mention already, or that the prompt has twice, is mentioned once.

    Args:
        parts: The parts of the prompt.
        mentions: For each target, the path of its file from the root, and its mention.
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
    """Yield pieces of a text, and a space between two pieces that have none there."""
    before = ""
    for piece in pieces:
        if before and not before[-1].isspace() and not piece[0].isspace():
            yield " "
        yield piece
        before = piece
