"""A chat model's own template: messages as the text, and the tokens, that it was trained to go on from.

Rendered as `transformers` does it, in jinja2's sandbox: a template comes with a model, and may do nothing but write.
Source: huggingface.co/docs/transformers, chat templating; ggml docs/gguf.md.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from spark_tui.engine.files import damaged, read_model_file
from spark_tui.engine.gguf import GgufFile
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_CONFIG, _ALONE = "tokenizer_config.json", "chat_template.jinja"
_MOST_BYTES = 16 << 20
_SPECIALS = ("bos_token", "eos_token", "pad_token", "unk_token")
_MARK = re.compile("\ue000\\d+\ue001")
"""Stands for the content of a message while a template is rendered."""


@dataclass(frozen=True)
class ChatTemplate:
    """A template. `place`: where it comes from, for messages. `specials`: texts of tokens, by what they are for."""

    source: str
    place: Path
    specials: Mapping[str, str] = field(default_factory=dict)
    now: Callable[[], datetime] = field(default=datetime.now, compare=False)

    @classmethod
    def of_folder(cls, folder: Path) -> "ChatTemplate | None":
        """That of a model folder; None where there is none. Raises: ModelError: a file is damaged."""
        path = folder / _CONFIG
        entries: dict[str, Any] = {}
        if path.is_file():
            try:
                entries = dict(json.loads(read_model_file(path, limit=_MOST_BYTES)))
            except (ValueError, TypeError) as e:
                raise damaged(path, f"not JSON ({e})") from e
        source = _chosen(entries.get("chat_template"))
        if (alone := folder / _ALONE).is_file():
            path, source = alone, read_model_file(alone, limit=_MOST_BYTES).decode("utf-8", "replace")
        specials = {name: text for name in _SPECIALS if (text := _text(entries.get(name)))}
        return cls(source, path, specials) if source else None

    @classmethod
    def of_gguf(cls, file: GgufFile) -> "ChatTemplate | None":
        """That of a GGUF file; None where there is none."""
        tokens = file.metadata.get("tokenizer.ggml.tokens")
        ids = {name: file.metadata.get(f"tokenizer.ggml.{name}_id") for name in _SPECIALS}
        known = {name: number for name, number in ids.items() if isinstance(number, int)}
        texts = tokens if isinstance(tokens, list) else []
        specials = {name: texts[number] for name, number in known.items() if 0 <= number < len(texts)}
        source = file.metadata.get("tokenizer.chat_template")
        return cls(source, file.path, specials) if isinstance(source, str) and source else None

    def render(self, messages: Sequence[Mapping[str, str]], opening: str = "") -> str:
        """The text before an answer. Args: opening: how the answer begins.

        Raises: ModelError: the template does not take such messages, or is none.
        """
        import jinja2  # noqa: PLC0415 - it takes a while, and most never need it

        try:
            template = _environment(self.now).from_string(self.source)
            text = template.render(
                messages=messages, tools=None, documents=None, add_generation_prompt=True, **self.specials
            )
        except (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as e:
            words = " ".join(str(e).split())[:200]
            raise ModelError(f"{self.place}: its chat template cannot be used ({words}); name another model") from None
        return text + opening

    def tokens(self, messages: Sequence[Mapping[str, str]], tokenizer: Tokenizer, opening: str = "") -> list[int]:
        """The tokens of `render`, where only the template writes special tokens: messages are spelled as text."""
        marks = [f"\ue000{number}\ue001" for number in range(len(messages) + 1)]
        contents = dict(zip(marks, [*(message["content"] for message in messages), opening], strict=True))
        hidden = [{**message, "content": mark} for message, mark in zip(messages, marks, strict=False)]
        try:
            text = self.render(hidden, marks[-1])
        except ModelError:
            if len(hidden) < 2 or hidden[0]["role"] != "system":
                raise
            system, first, *rest = hidden  # some models know no other beginning than the user's
            first = {**first, "content": f"{system['content']}\n\n{first['content']}"}
            text = self.render([first, *rest], marks[-1])
        ids: list[int] = []
        for number, part in enumerate(re.split(_special(tokenizer), text)):
            ids += (
                [tokenizer.special(part)]
                if number % 2
                else tokenizer.encode(_MARK.sub(lambda found: contents.get(found[0], found[0]), part))
            )
        return ids

    def ends(self, tokenizer: Tokenizer) -> tuple[int, ...]:
        """The tokens that end an answer: what ends a text, and what a message of the template ends with."""
        names = {self.specials.get("eos_token", ""), "<|endoftext|>"}
        probe = self.render([{"role": "user", "content": "\ue000"}, {"role": "assistant", "content": "\ue001"}])
        if found := re.match(rf"\s*({_special(tokenizer)})", probe.partition("\ue001")[2]):
            names.add(found[1])
        return tuple(sorted({number for name in names if (number := tokenizer.find(name)) is not None}))


def _special(tokenizer: Tokenizer) -> str:
    """What finds a special token, as a group."""
    return f"({'|'.join(map(re.escape, sorted(tokenizer.specials, key=len, reverse=True))) or '(?!)'})"


def _chosen(source: Any) -> str:
    """The template of a configuration, which may hold several by name."""
    if isinstance(source, list):
        named = {each["name"]: each["template"] for each in source if isinstance(each, dict) and len(each) > 1}
        source = named.get("default")
    return source if isinstance(source, str) else ""


def _text(token: Any) -> str:
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""


def _environment(now: Callable[[], datetime]) -> "ImmutableSandboxedEnvironment":
    from jinja2 import TemplateError, nodes  # noqa: PLC0415 - see `render`
    from jinja2.ext import Extension, loopcontrols  # noqa: PLC0415
    from jinja2.parser import Parser  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    class Generation(Extension):
        """`{% generation %}`, which marks what an assistant wrote, and changes nothing here."""

        tags = {"generation"}  # noqa: RUF012 - as jinja2 has it

        def parse(self, parser: Parser) -> nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    def refuse(message: str) -> NoReturn:
        raise TemplateError(message)

    def tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **given: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **given)

    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = lambda pattern: now().strftime(pattern)
    return made
