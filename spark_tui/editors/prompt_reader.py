"""The way from the parts of a prompt to words with mentions, as a user of the screen types them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from spark_tui.editors.attachments import show_attachments
from spark_tui.editors.blocks import PromptPart, join_parts
from spark_tui.editors.buffers import OpenFiles
from spark_tui.editors.editor import Editor
from spark_tui.editors.uris import Target
from spark_tui.errors import UsageError
from spark_tui.mentions import mention
from spark_tui.safe_text import visible
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder
from spark_tui.vcs.policy import holds_secrets


class PromptReader:
    """Reads the prompts of a session.

    Args:
        editor: Told which parts are left out.
        session: The session of the repository.
        files: The files as the editor has them.
        finder: Reads the words later, and has to know odd names of files and what is attached.
    """

    def __init__(
        self, editor: Editor, session: Session, files: OpenFiles, finder: TargetFinder
    ) -> None:
        self._editor = editor
        self._session = session
        self._files = files
        self._finder = finder

    async def read(self, parts: Sequence[PromptPart]) -> str:
        """The words of a prompt, with mentions of the places that it names.

        The finder is given the text that is attached.

        Raises:
            UsageError: The prompt has no words, or names a file outside the repository.
        """
        self._finder.attached = ""
        paths = dict[Target, str]()
        read = list[PromptPart]()
        for part in map(self._judged, parts):
            if part.left_out:
                await self._editor.think(f"left out: {part.left_out}")
                continue
            read.append(part)
            if part.target is not None:
                paths[part.target] = self._path_of(part.target)
        await self._files.look(paths.values())
        named = {}
        for target, path in paths.items():
            named[target] = path, await asyncio.to_thread(self._mention, target, path)
        words = join_parts(read, named)
        if not words:
            raise UsageError("the prompt has no words; say what to change")
        shown = show_attachments([part.attachment for part in read if part.attachment])
        for note in shown.notes:
            await self._editor.think(note)
        self._finder.attached = shown.text
        return words

    def _judged(self, part: PromptPart) -> PromptPart:
        """A part with its file, where that is here, or else with the text that came with it."""
        if part.attachment is None:
            return part
        if part.target is not None:
            with suppress(UsageError):
                self._path_of(part.target)
                return PromptPart(target=part.target)
        if holds_secrets(part.attachment.name):
            return PromptPart(left_out=f"{part.attachment.name} may hold secrets")
        return PromptPart(attachment=part.attachment)

    def _path_of(self, target: Target) -> str:
        """The path of a file within the repository.

        Raises:
            UsageError: The file is outside the repository, or does not exist.
        """
        if "\0" in target.path:
            raise UsageError("a path has no zero bytes")
        root = self._session.repo.root
        path = self._session.repo.resolve(target.path)
        if not (root / path).is_file():
            raise UsageError(f"there is no file {target.path}; save it first")
        return path

    def _mention(self, target: Target, path: str) -> str:
        """The mention of a place.

        Raises:
            FileError: The file cannot be read.
        """
        name = visible(path)
        # A name with odd characters is mentioned by its marks; the finder maps these back.
        if name != path:
            self._finder.odd_names = {**self._finder.odd_names, name: path}
        functions = {each.name for each in self._session.mentions.functions(path)}
        if target.symbol in functions:
            return mention(path, symbol=target.symbol)
        if target.lines is None:
            return mention(path)
        # The editor may count lines that the file does not have, such as one behind the last.
        count_of_lines = max(1, self._session.repo.read(path).count(b"\n") + 1)
        first, last = (min(line, count_of_lines) for line in target.lines)
        return mention(path, lines=(first, last))
