"""The loader of a session's model: it loads in the background while the user types."""

import asyncio
from contextlib import suppress
from threading import Thread

from spark_tui.editors.editor import Editor
from spark_tui.session.session import Session


class ModelLoader:
    """Loads the model of a session. Mutable; one event loop.

    Args:
        editor: Told when a prompt has to wait.
        session: The session whose model is loaded.
    """

    def __init__(self, editor: Editor, session: Session) -> None:
        self._editor = editor
        self._session = session
        self._outcome: asyncio.Future[Exception | None] | None = None
        """The result of the last try: its error, or None if the model is loaded."""

    def begin(self) -> "asyncio.Future[Exception | None]":
        """Load the model, in a thread of its own."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[Exception | None] = loop.create_future()
        self._outcome = outcome

        def settle(problem: Exception | None) -> None:
            if not outcome.done():
                outcome.set_result(problem)

        def load() -> None:
            problem: Exception | None = None
            try:
                self._session.prepare()
            except Exception as e:  # noqa: BLE001 - the first prompt tells
                problem = e
            with suppress(RuntimeError):  # the event loop has ended
                loop.call_soon_threadsafe(settle, problem)

        Thread(target=load, name="spark-acp-load", daemon=True).start()
        return outcome

    async def loaded(self) -> None:
        """Wait until the model is loaded; after a failure, the next call tries again.

        Raises:
            Exception: The model cannot be loaded.
        """
        outcome = self._outcome or self.begin()
        if not outcome.done():
            await self._editor.think("loading the model\n")
        # A cancelled prompt must not cancel the loading, for which other prompts wait, too.
        problem = await asyncio.shield(outcome)
        if problem is not None:
            self._outcome = None
            raise problem
