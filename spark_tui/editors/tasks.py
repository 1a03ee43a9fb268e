"""A task in an editor: its plan and steps as they come, what an agent asks, and its review."""

import asyncio
from typing import Any

from acp import helpers

from spark_tui.editors.editor import NO, YES, Editor
from spark_tui.errors import SparkError
from spark_tui.safe_text import visible
from spark_tui.tasks.background_task import BackgroundTask
from spark_tui.tasks.preview import words_of_question
from spark_tui.tasks.views import AT_WORK, TaskView

_EVERY_SECONDS = 0.25


class ShownTask:
    """A task as an editor shows it. Mutable.

    Args:
        editor: Shows the task.
        task: The task, at work.
        call_id: The name of its tool call.
    """

    def __init__(self, editor: Editor, task: BackgroundTask, call_id: str) -> None:
        self._editor = editor
        self._task = task
        self._call_id = call_id
        self._plan: tuple[Any, ...] = ()
        self._warned = set[str]()

    async def follow(self) -> None:
        """Show the task until its end; if the user cancels, stop the task."""
        task = self._task
        await self._editor.update(
            helpers.start_tool_call(
                self._call_id, visible(task.view.words), kind="other", status="in_progress"
            )
        )
        seen = -1
        try:
            while task.state in AT_WORK:
                # `changes` counts the task's changes: nothing is sent while it stays the same.
                if task.changes != seen:
                    seen = task.changes
                    await self._show("in_progress")
                await self._answer()
                await asyncio.sleep(_EVERY_SECONDS)
        except asyncio.CancelledError:
            task.stop()
            raise
        finally:
            await self._show("completed" if task.state == "done" else "failed")

    async def _show(self, status: str) -> None:
        view = self._task.view
        await self._warn()
        await self._show_plan(view)
        try:
            text = await asyncio.to_thread(self._task.growing)
        except SparkError:  # the work tree is gone
            text = ""
        words = view.message or view.last_words
        shown = visible("\n\n".join(filter(None, [words, text])), keep="\n\t")
        await self._editor.update(
            helpers.update_tool_call(
                self._call_id,
                title=visible(f"Step {view.step}: {view.words}"),
                status=status,
                content=[helpers.tool_content(helpers.text_block(shown))],
            )
        )

    async def _warn(self) -> None:
        """Say once what the user has to know of the commands of the task."""
        for warning in self._task.warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                await self._editor.say(visible(f"Note: {warning}."))

    async def _show_plan(self, view: TaskView) -> None:
        entries = []
        for number, item in enumerate(view.plan):
            status = "pending"
            if number < view.ticked:
                status = "completed"
            elif number == view.ticked:
                status = "in_progress"
            entries.append(helpers.plan_entry(visible(item), status=status))
        plan = tuple(entries)
        if plan != self._plan:
            self._plan = plan
            await self._editor.update(helpers.update_plan(plan))

    async def _answer(self) -> None:
        """Pass a question of the task's agent on to the user."""
        question = self._task.question
        if question is None:
            return
        title = words_of_question(question)
        answer = await self._editor.ask(self._call_id, title, [YES, NO])
        self._task.answer(question.number, allow=answer == YES.id)
