"""The editor at the other end of a session: updates, questions, reads and writes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from acp import helpers, schema
from acp.exceptions import RequestError
from pydantic import ValidationError

from spark_tui.errors import SparkError
from spark_tui.safe_text import visible

_SHOWN_AS_IT_IS = "\n\t"
_MALFORMED = "its answer is malformed"


class Choice(NamedTuple):
    """An answer that the user can give; `kind` is one of the protocol's kinds of options."""

    id: str
    name: str
    kind: str


YES = Choice("yes", "Yes", "allow_once")
NO = Choice("no", "No", "reject_once")


class Editor:
    """One session of an editor, as spark talks to it.

    Args:
        connection: The `acp.Client` at the other end.
        session_id: The name of the session in the protocol.
        abilities: What the editor can do; None: it can only show.
    """

    def __init__(self, connection: Any, session_id: str, abilities: Any) -> None:
        self._connection = connection
        self.session_id = session_id
        files = abilities.fs if abilities is not None else None
        self.can_read = bool(files is not None and files.read_text_file)
        self.can_write = bool(files is not None and files.write_text_file)

    async def update(self, update: Any) -> None:
        """Send an update of `acp.schema`, unless the editor is gone."""
        with suppress(OSError):
            await self._connection.session_update(self.session_id, update)

    async def say(self, text: str) -> None:
        """Send a paragraph of the answer."""
        if text:
            await self.stream(f"{text}\n\n")

    async def stream(self, text: str) -> None:
        """Send a piece of the answer."""
        shown = visible(text, keep=_SHOWN_AS_IT_IS)
        await self.update(helpers.update_agent_message_text(shown))

    async def think(self, text: str) -> None:
        """Send a line about progress, which is no part of the answer."""
        if text:
            shown = visible(text, keep=_SHOWN_AS_IT_IS)
            await self.update(helpers.update_agent_thought_text(shown))

    async def ask(
        self,
        call_id: str,
        title: str,
        choices: Sequence[Choice],
        *,
        kind: str | None = None,
        content: Sequence[Any] | None = None,
        locations: Sequence[Any] | None = None,
    ) -> str:
        """Ask the user.

        Args:
            call_id: The tool call that the question is about.
            title: The question.
            choices: The possible answers.
            kind: A new kind of the tool call; None to keep its kind.
            content: What the question shows; None: what the tool call shows.
            locations: The places of the content.

        Returns:
            The id of the choice; "" if the user gave no answer.

        Raises:
            SparkError: The editor cannot ask.
        """
        shown = {
            "kind": kind,
            "title": visible(title),
            "status": "pending",
            "content": content,
            "locations": locations,
        }
        # Some editors ignore what a question says of its tool call, and show what they know of it.
        await self.update(helpers.update_tool_call(call_id, **shown))
        call = schema.ToolCallUpdate(tool_call_id=call_id, **shown)
        options = [
            schema.PermissionOption(option_id=choice.id, name=choice.name, kind=choice.kind)
            for choice in choices
        ]
        try:
            answer = await self._connection.request_permission(self.session_id, call, options)
        except ValidationError as e:  # its words are those of a library, not for people
            raise SparkError(f"the editor asks for no permission ({_MALFORMED})") from e
        except (RequestError, ValueError, OSError) as e:
            raise SparkError(f"the editor asks for no permission ({e})") from e
        if answer.outcome.outcome != "selected":
            return ""
        return str(answer.outcome.option_id)

    async def read(self, path: str) -> str | None:
        """The text of a file as the editor has it; None if the editor does not tell.

        Args:
            path: The absolute path of the file.
        """
        if not self.can_read:
            return None
        try:
            answer = await self._connection.read_text_file(self.session_id, path)
        except (
            RequestError,
            ValueError,
            OSError,
        ):  # the editor cannot read the file, or its answer is malformed
            return None
        return str(answer.content)

    async def write(self, path: str, text: str) -> None:
        """Have the editor write a file.

        Args:
            path: The absolute path of the file.
            text: The whole text of the file.

        Raises:
            SparkError: The editor refuses.
        """
        try:
            await self._connection.write_text_file(self.session_id, path, text)
        except ValidationError as e:
            raise SparkError(f"the editor did not write {path}: {_MALFORMED}") from e
        except (RequestError, ValueError, OSError) as e:
            raise SparkError(f"the editor did not write {path}: {e}") from e
