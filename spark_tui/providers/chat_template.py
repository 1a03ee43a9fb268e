"""A chat model's own template: messages as the text, and the tokens, that it was trained to go on
from.

Rendered as `transformers` does it, in jinja2's sandbox and a process with limits: a template comes
with a model, and may do nothing but write, and that not for long. See `template_process`. Source:
huggingface.co/docs/transformers, chat templating; ggml docs/gguf.md.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from spark_tui.engine.config import damaged, read_model_file
from spark_tui.engine.gguf import GgufFile
from spark_tui.engine.tokenizer import Tokenizer
from spark_tui.errors import ModelError

_CONFIG = "tokenizer_config.json"
_ALONE = "chat_template.jinja"
_MOST_BYTES = 16 << 20
_LONGEST = 1 << 20
"""Characters of a template that is rendered; those of known models have some ten thousand."""
_PATIENCE_S = 20.0
"""For a template that waits and computes nothing; one that computes is ended sooner."""
_PROGRAM = Path(__file__).with_name("template_process.py")
_SPECIALS = ("bos_token", "eos_token", "pad_token", "unk_token")
_MARK = re.compile("\ue000\\d+\ue001")
"""Stands for the content of a message while a template is rendered."""


@dataclass(frozen=True)
class ChatTemplate:
    """A template.

    `place`: where it comes from, for messages. `specials`: texts of tokens, by what they are for.
    """

    source: str
    place: Path
    specials: Mapping[str, str] = field(default_factory=dict)
    now: Callable[[], datetime] = field(default=datetime.now, compare=False)
    _rendered: dict[str, str | ModelError] = field(
        default_factory=dict,
        init=False,
        compare=False,
        repr=False,
    )
    """Texts, or errors, by their messages, few: `tokens` puts marks in place of contents."""

    @classmethod
    def of_folder(cls, folder: Path) -> "ChatTemplate | None":
        """That of a model folder; None where there is none.

        Raises:
            ModelError: A file is damaged.
        """
        path = folder / _CONFIG
        entries: dict[str, Any] = {}
        if path.is_file():
            try:
                entries = dict(json.loads(read_model_file(path, limit=_MOST_BYTES)))
            except (ValueError, TypeError) as e:
                raise damaged(path, f"not JSON ({e})") from e
        source = _chosen(entries.get("chat_template"))
        if (alone := folder / _ALONE).is_file():
            path = alone
            source = read_model_file(alone, limit=_MOST_BYTES).decode("utf-8", "replace")
        specials = {name: text for name in _SPECIALS if (text := _text(entries.get(name)))}
        return cls(source, path, specials) if source else None

    @classmethod
    def of_gguf(cls, file: GgufFile) -> "ChatTemplate | None":
        """That of a GGUF file; None where there is none."""
        tokens = file.metadata.get("tokenizer.ggml.tokens")
        ids = {name: file.metadata.get(f"tokenizer.ggml.{name}_id") for name in _SPECIALS}
        known = {name: number for name, number in ids.items() if isinstance(number, int)}
        texts = tokens if isinstance(tokens, list) else []
        specials = {
            name: texts[number] for name, number in known.items() if 0 <= number < len(texts)
        }
        source = file.metadata.get("tokenizer.chat_template")
        return cls(source, file.path, specials) if isinstance(source, str) and source else None

    def render(
        self,
        messages: Sequence[Mapping[str, str]],
        opening: str = "",
        *,
        thinking: bool | None = None,
    ) -> str:
        """The text before an answer.

        Args:
            messages: What was said so far.
            opening: How the answer begins.
            thinking: Whether the model is to think first, as far as the template can be told; None
                leaves that to the template.

        Raises:
            ModelError: The template does not take such messages, or is none.
        """
        key = json.dumps([messages, self.now().date().isoformat(), thinking])
        if key not in self._rendered:
            try:
                self._rendered[key] = self._run(messages, thinking)
            except ModelError as e:
                self._rendered[key] = e
        text = self._rendered[key]
        if isinstance(text, ModelError):
            raise text.with_traceback(None)
        return text + opening

    def _run(self, messages: Sequence[Mapping[str, str]], thinking: bool | None) -> str:
        """Render messages in a process of its own.

        Raises:
            ModelError: As of `render`.
        """
        asked = {
            "path": sys.path,
            "source": self.source,
            "messages": messages,
            "specials": dict(self.specials),
            "more": {} if thinking is None else {"enable_thinking": thinking},
            "now": self.now().isoformat(),
        }
        if len(self.source) > _LONGEST:
            raise self._unusable(f"it has {len(self.source):,} characters")
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                input=json.dumps(asked).encode(),
                capture_output=True,
                timeout=_PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise self._unusable("it does not end") from None
        except OSError as e:
            raise self._unusable(f"no process can be started: {e.strerror or e}") from e
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "surrogatepass")
        if done.returncode < 0:
            raise self._unusable("it does not end, or takes too much memory")
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise self._unusable(words[-1] if words else "it fails")

    def _unusable(self, why: str) -> ModelError:
        what = f"{self.place}: its chat template cannot be used ({why})"
        return ModelError(f"{what}; name another model")

    def tokens(
        self,
        messages: Sequence[Mapping[str, str]],
        tokenizer: Tokenizer,
        opening: str = "",
        *,
        thinking: bool | None = None,
    ) -> list[int]:
        """The tokens of `render`, where only the template writes special tokens: messages are
        spelled as text.
        """
        marks = [f"\ue000{number}\ue001" for number in range(len(messages) + 1)]
        contents = dict(
            zip(marks, [*(message["content"] for message in messages), opening], strict=True)
        )
        hidden = [
            {**message, "content": mark} for message, mark in zip(messages, marks, strict=False)
        ]
        try:
            text = self.render(hidden, marks[-1], thinking=thinking)
        except ModelError:
            if len(hidden) < 2 or hidden[0]["role"] != "system":
                raise
            system, first, *rest = hidden  # some models know no other beginning than the user's
            first = {**first, "content": f"{system['content']}\n\n{first['content']}"}
            text = self.render([first, *rest], marks[-1], thinking=thinking)
        ids: list[int] = []
        for number, part in enumerate(re.split(_special(tokenizer), text)):
            ids += (
                [tokenizer.special(part)]
                if number % 2
                else tokenizer.encode(
                    _MARK.sub(lambda found: contents.get(found[0], found[0]), part)
                )
            )
        return ids

    def ends(self, tokenizer: Tokenizer) -> tuple[int, ...]:
        """The tokens that end an answer: what ends a text, and what a message of the template
        ends with.
        """
        names = {self.specials.get("eos_token", ""), "<|endoftext|>"}
        probe = self.render(
            [{"role": "user", "content": "\ue000"}, {"role": "assistant", "content": "\ue001"}]
        )
        if found := re.match(rf"\s*({_special(tokenizer)})", probe.partition("\ue001")[2]):
            names.add(found[1])
        return tuple(
            sorted({number for name in names if (number := tokenizer.find(name)) is not None})
        )


def _special(tokenizer: Tokenizer) -> str:
    """What finds a special token, as a group."""
    return (
        f"({'|'.join(map(re.escape, sorted(tokenizer.specials, key=len, reverse=True))) or '(?!)'})"
    )


def _chosen(source: Any) -> str:
    """The template of a configuration, which may hold several by name."""
    if isinstance(source, list):
        named = {
            each["name"]: each["template"]
            for each in source
            if isinstance(each, dict) and len(each) > 1
        }
        source = named.get("default")
    return source if isinstance(source, str) else ""


def _text(token: Any) -> str:
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""
