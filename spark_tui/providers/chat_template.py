"""Renders a chat model's own template, which turns messages into the prompt of its training.

Templates are rendered as `transformers` does, but a template comes with a model and is not trusted:
jinja2's sandbox and a process with limits (see `template_process`) let it do nothing but write, and
that not for long. Sources: huggingface.co/docs/transformers, chat templating; ggml docs/gguf.md.
"""

import json
import re  # noqa: TID251 - reads names and settings
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
"""The file that has nothing but a template, and takes precedence over the configuration's."""
_MOST_BYTES = 16 << 20
"""Bytes of either file."""
_LONGEST = 1 << 20
"""Characters of a template that is rendered; templates of known models have some ten thousand."""
_PATIENCE_S = 20.0
"""Seconds for a template that waits; the process itself ends a template that computes sooner."""
_PROGRAM = Path(__file__).with_name("template_process.py")
_SPECIALS = ("bos_token", "eos_token", "pad_token", "unk_token")
_MARK = re.compile("\ue000\\d+\ue001")
"""Takes the place of a message's content while a template is rendered."""


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template.

    Attributes:
        source: The template, in jinja2's language.
        place: The file that the template comes from, for errors.
        specials: The texts of special tokens, by their purpose.
        now: Tells the time, for templates that write the date.
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
    """Rendered texts, or errors, by their messages; few, since `tokens` hides the contents."""

    @classmethod
    def of_folder(cls, folder: Path) -> "ChatTemplate | None":
        """Read the template of a model folder; None where the folder has none.

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
        alone = folder / _ALONE
        if alone.is_file():
            path = alone
            source = read_model_file(alone, limit=_MOST_BYTES).decode("utf-8", "replace")
        if not source:
            return None
        specials = {name: text for name in _SPECIALS if (text := _text(entries.get(name)))}
        return cls(source, path, specials)

    @classmethod
    def of_gguf(cls, file: GgufFile) -> "ChatTemplate | None":
        """Read the template of a GGUF file; None where the file has none."""
        source = file.metadata.get("tokenizer.chat_template")
        if not isinstance(source, str) or not source:
            return None
        tokens = file.metadata.get("tokenizer.ggml.tokens")
        texts = tokens if isinstance(tokens, list) else []
        specials: dict[str, str] = {}
        for name in _SPECIALS:
            number = file.metadata.get(f"tokenizer.ggml.{name}_id")
            if isinstance(number, int) and 0 <= number < len(texts):
                specials[name] = texts[number]
        return cls(source, file.path, specials)

    def render(
        self,
        messages: Sequence[Mapping[str, str]],
        opening: str = "",
        *,
        thinking: bool | None = None,
    ) -> str:
        """Render the prompt: the text before an answer.

        Args:
            messages: The conversation.
            opening: The beginning of the answer, behind the prompt.
            thinking: Whether the model is to think first, as far as the template supports that;
                None leaves the choice to the template.

        Raises:
            ModelError: The template does not accept such messages, or is no template.
        """
        # the date is a part of the key, since some templates write it
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
        more = {} if thinking is None else {"enable_thinking": thinking}
        request = {
            "path": sys.path,
            "source": self.source,
            "messages": messages,
            "specials": dict(self.specials),
            "more": more,
            "now": self.now().isoformat(),
        }
        if len(self.source) > _LONGEST:
            raise self._unusable(f"it has {len(self.source):,} characters")
        try:
            done = subprocess.run(
                # Isolated: no variable of the environment and no file of the current folder adds
                # code. The process takes its path from the request instead.
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                input=json.dumps(request).encode(),
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
        # ended by a signal: it crossed a limit of the process
        if done.returncode < 0:
            raise self._unusable("it does not end, or takes too much memory")
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1] if words else "it fails"
        raise self._unusable(reason)

    def _unusable(self, why: str) -> ModelError:
        """Make the error of a template that cannot be rendered."""
        problem = f"{self.place}: its chat template cannot be used ({why})"
        return ModelError(f"{problem}; name another model")

    def tokens(
        self,
        messages: Sequence[Mapping[str, str]],
        tokenizer: Tokenizer,
        opening: str = "",
        *,
        thinking: bool | None = None,
    ) -> list[int]:
        """Return the tokens of a prompt; special tokens come from nothing but the template.

        A special token that is spelled out in a message stays text. For that, the template is
        rendered with a mark in place of every content, and each text between special tokens gets
        its contents back before the text is tokenized.

        Args:
            messages: As of `render`.
            tokenizer: The tokenizer of the model.
            opening: As of `render`.
            thinking: As of `render`.

        Raises:
            ModelError: As of `render`.
        """
        # Characters of Unicode's private use area, which no template and hardly a message holds.
        marks = [f"\ue000{number}\ue001" for number in range(len(messages) + 1)]
        texts = [*(message["content"] for message in messages), opening]
        contents = dict(zip(marks, texts, strict=True))
        hidden = [
            {**message, "content": mark} for message, mark in zip(messages, marks, strict=False)
        ]
        # The template never sees the contents, so it cannot trim or escape them either; a special
        # token in `text` is one that the template wrote.
        text = self._render_any(hidden, marks[-1], thinking)

        def content_of(mark: re.Match[str]) -> str:
            return contents.get(mark[0], mark[0])

        ids: list[int] = []
        for number, part in enumerate(re.split(tokenizer.special_pattern, text)):
            if number % 2:  # a special token: the group of the pattern
                ids.append(tokenizer.special(part))
            else:
                ids += tokenizer.encode(_MARK.sub(content_of, part))
        return ids

    def _render_any(
        self, messages: Sequence[Mapping[str, str]], opening: str, thinking: bool | None
    ) -> str:
        """Render messages, as `render`, with a template that may accept no system message.

        The user's first message takes the words of the system then.
        """
        try:
            return self.render(messages, opening, thinking=thinking)
        except ModelError:
            if len(messages) < 2 or messages[0]["role"] != "system":
                raise
            system, first, *rest = messages
            merged = {**first, "content": f"{system['content']}\n\n{first['content']}"}
            return self.render([merged, *rest], opening, thinking=thinking)

    def ends(self, tokenizer: Tokenizer) -> tuple[int, ...]:
        """Return the tokens that end an answer.

        These are the tokens that end a text, and the token behind an assistant's message in the
        template.
        """
        names = {self.specials.get("eos_token", ""), "<|endoftext|>"}
        # What the template writes behind an assistant's message ends the answer.
        probe = self.render(
            [{"role": "user", "content": "\ue000"}, {"role": "assistant", "content": "\ue001"}]
        )
        behind = probe.partition("\ue001")[2]
        if match := re.match(rf"\s*{tokenizer.special_pattern}", behind):
            names.add(match[1])
        ids = {number for name in names if (number := tokenizer.find(name)) is not None}
        return tuple(sorted(ids))


def _chosen(source: Any) -> str:
    """Return the template of a configuration, which may hold several by name."""
    if isinstance(source, list):
        named = {
            entry["name"]: entry["template"]
            for entry in source
            if isinstance(entry, dict) and len(entry) > 1
        }
        source = named.get("default")
    return source if isinstance(source, str) else ""


def _text(token: Any) -> str:
    """Return the text of a special token, which a configuration may wrap in an object."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else ""
