"""The parts of an editor's prompt: words and places, joined to words with mentions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from spark_tui.editors.attachments import Attachment, label_of
from spark_tui.editors.uris import Target, read_uri
from spark_tui.mentions import mentions_in


class PromptPart(NamedTuple):
    """A part of a prompt.

    Attributes:
        words: What the user typed; "" for none.
        target: The place that the part names.
        attachment: The text that came with the part; counts where the target is no file here.
        left_out: The reason why the part is not read; "" for none.
    """

    words: str = ""
    target: Target | None = None
    attachment: Attachment | None = None
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
    uri = block.resource.uri if block.type == "resource" else block.uri
    target = read_uri(uri)
    attachment = _read_attachment(block, target.path if target else uri)
    if target is not None and not target.is_folder:
        return PromptPart(target=target, attachment=attachment)
    if attachment is not None:
        return PromptPart(attachment=attachment)
    if target is None:
        return PromptPart(left_out=f"{uri} is no file here")
    return PromptPart(left_out=f"{target.path} is a folder: name a file")


def _read_attachment(block: Any, name: str) -> Attachment | None:
    """The text that is embedded in a block; None for a link, bytes, or an empty text."""
    if block.type != "resource":
        return None
    text = getattr(block.resource, "text", "")
    return Attachment(name, text) if text.strip() else None


def join_parts(parts: Sequence[PromptPart], mentions: Mapping[Target, tuple[str, str]]) -> str:
    """Join the words of a prompt, with a mention in the place of each file.

    A file that the words mention already, or that the prompt has twice, is mentioned once. A text
    that is attached has its label between words, and is not named before or behind them.

    Args:
        parts: The parts of the prompt; those with an attachment are attached.
        mentions: For each target that is a file here, its path from the root, and its mention.
    """
    known = set[str]()
    for part in parts:
        known |= {mention.path.removeprefix("./") for mention in mentions_in(part.words)}
    pieces = list[str]()
    labels = list[str]()
    number = 0
    has_words = False
    for part in parts:
        if part.attachment is not None:
            number += 1
            labels.append(label_of(number))
        elif part.target is not None:
            path, mention = mentions[part.target]
            if path not in known:
                known.add(path)
                pieces.append(mention)
        elif part.words:
            if has_words and part.words.strip():
                pieces += labels
            labels.clear()
            has_words = has_words or bool(part.words.strip())
            pieces.append(part.words)
    return "".join(_spaced(pieces)).strip()


def _spaced(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces of a text, and a space between two pieces that have none there."""
    before = ""
    for piece in pieces:
        if before and not before[-1].isspace() and not piece[0].isspace():
            yield " "
        yield piece
        before = piece
