"""From the parts of a prompt to words with mentions, as they would be typed on the screen."""

import asyncio
from collections.abc import Sequence

from spark_tui.editors.blocks import PromptPart, join_parts
from spark_tui.editors.buffers import OpenFiles
from spark_tui.editors.editor import Editor
from spark_tui.editors.uris import Target
from spark_tui.errors import UsageError
from spark_tui.mentions import mention
from spark_tui.safe_text import visible
from spark_tui.session.session import Session
from spark_tui.session.targets import TargetFinder


class PromptReader:
    """Reads the prompts of a session.

    Args:
        editor: Is told what is left out.
        session: Knows the repository.
        files: The files as the editor has them.
        finder: Reads the words later, and learns of odd names.
    """

    def __init__(
        self, editor: Editor, session: Session, files: OpenFiles, finder: TargetFinder
    ) -> None:
        self._editor = editor
        self._session = session
        self._files = files
        self._finder = finder

    async def read(self, parts: Sequence[PromptPart]) -> str:
        """The words of a prompt, with mentions of what it names.

        Raises:
            UsageError: There are none, or a file is not in the repository.
        """
        for part in parts:
            if part.left_out:
                await self._editor.think(f"left out: {part.left_out}")
        targets = [part.target for part in parts if part.target is not None]
        paths = {target: self._path_of(target) for target in targets}
        await self._files.look(paths.values())
        named = {}
        for target, path in paths.items():
            named[target] = path, await asyncio.to_thread(self._mention, target, path)
        words = join_parts(parts, named)
        if not words:
            raise UsageError("the prompt has no words; say what to change")
        return words

    def _path_of(self, target: Target) -> str:
        """The path of a file within the repository.

        Raises:
            UsageError: It is outside, or there is none.
        """
        if "\0" in target.path:
            raise UsageError("a path has no zero bytes")
        root = self._session.repo.root
        path = self._session.repo.resolve(target.path)
        if not (root / path).is_file():
            raise UsageError(f"there is no file {target.path}; save it first")
        return path

    def _mention(self, target: Target, path: str) -> str:
        """A place as words have it.

        Raises:
            FileError: The file cannot be read.
        """
        name = visible(path)
        if name != path:
            self._finder.odd_names = {**self._finder.odd_names, name: path}
        functions = {each.name for each in self._session.mentions.functions(path)}
        if target.symbol in functions:
            return mention(path, symbol=target.symbol)
        if target.lines is None:
            return mention(path)
        count_of_lines = max(1, self._session.repo.read(path).count(b"\n") + 1)
        first, last = (min(line, count_of_lines) for line in target.lines)
        return mention(path, lines=(first, last))
