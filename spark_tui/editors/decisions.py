"""The user's decisions about an edit: asked hunk by hunk as permissions, then carried out."""

import asyncio
from collections.abc import Awaitable, Collection, Sequence
from typing import TypeVar

from acp import schema

from spark_tui.editing.hunks import Hunk
from spark_tui.editors.buffers import OpenFiles
from spark_tui.editors.editor import NO, YES, Choice, Editor
from spark_tui.editors.turns import GrowingEdit, shown_change
from spark_tui.errors import Conflict, SparkError, UsageError
from spark_tui.session.accept import left_broken
from spark_tui.session.leftovers import few
from spark_tui.session.session import Session
from spark_tui.session.turn import Turn
from spark_tui.vcs.atomic_write import FileChange

T = TypeVar("T")
_ACCEPT = Choice("accept", "Accept", "allow_once")
_ACCEPT_REST = Choice("accept_rest", "Accept all", "allow_always")
_REJECT = Choice("reject", "Reject", "reject_once")
_REJECT_REST = Choice("reject_rest", "Reject all", "reject_always")
"""The four answers, each of another kind: editors have a key for a kind.

"All" holds for this edit alone, although the protocol calls its kind "always".
"""
_STAYS = "the edit stays open: /accept asks for it again"
_MOST_NAMES = 3

PATIENCE_SECONDS = 5.0
"""How long the editor may take to answer a write after the user cancels."""
_UNANSWERED = (
    "Stopped before the editor said whether it wrote the edit: look at the file; /accept asks "
    "again for what is not in it."
)


async def finished(work: Awaitable[T], patience: float | None = None) -> T:
    """Return the result of work; if the user cancels, let the work end before that takes effect.

    Args:
        work: What to do.
        patience: Seconds that the work then has left, as it may wait for the editor; None: as many
            as it takes.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=patience)
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        raise


class Decisions:
    """Asks for decisions about turns and carries them out.

    Args:
        editor: Asks the user.
        session: Writes the accepted hunks.
        files: The files as the editor has them.
    """

    def __init__(self, editor: Editor, session: Session, files: OpenFiles) -> None:
        self._editor = editor
        self._session = session
        self._files = files

    async def decide(self, edit: GrowingEdit) -> bool:
        """Ask about the open hunks of a turn, then write those that were accepted.

        Args:
            edit: The tool call that shows the turn.

        Returns:
            Whether anything was written.

        Raises:
            SparkError: Nothing was written; the edit stays open.
        """
        turn = edit.turn
        assert turn is not None
        try:
            accepted = await self._ask_for_hunks(edit, turn)
            if accepted is None:
                raise UsageError("nothing was decided, and nothing written")
            await self._ask_for_consents(edit, turn, accepted)
            return await finished(self._carry_out(edit, turn, accepted), PATIENCE_SECONDS)
        except SparkError as e:
            await edit.show("failed")
            refusal = SparkError(f"{e}; {_STAYS}")
            refusal.detail = e.detail
            raise refusal from e

    async def _carry_out(self, edit: GrowingEdit, turn: Turn, accepted: Sequence[str]) -> bool:
        """Write the hunks that were accepted, and reject the others.

        Returns:
            Whether anything was written.

        Raises:
            SparkError: Nothing was written.
        """
        words = "Rejected; nothing was written."
        with turn.lock:
            after = turn.review.would_accept(accepted)
        if accepted:
            try:
                words = await self._write(turn, accepted)
            except asyncio.CancelledError:
                await edit.end("failed")
                edit.is_settled = True
                await self._editor.say(_UNANSWERED)
                raise
        # Whatever is open now was not accepted.
        if left := [hunk.id for hunk in turn.hunks]:
            self._session.reject(turn, left)
        if accepted:
            await edit.show_text(after, "completed")
        else:
            # The protocol knows "completed" and "failed" alone: a rejected edit was not made.
            await edit.end("failed")
        edit.is_settled = True
        await self._editor.say(words)
        return bool(accepted)

    async def _ask_for_hunks(self, edit: GrowingEdit, turn: Turn) -> Sequence[str] | None:
        """The ids of the hunks that the user accepts; None if the user gives no answer."""
        hunks = turn.hunks
        # "Accept all" does not cover a hunk with hidden or lookalike text: that is asked for by
        # itself.
        odd = self._session.odd(turn)
        accepted = list[str]()
        takes_rest = False
        for number, hunk in enumerate(hunks, 1):
            why = odd[hunk.id].words if hunk.id in odd else ""
            if takes_rest and not why:
                accepted.append(hunk.id)
                continue
            answer = await self._ask_for_hunk(edit, turn, hunk, (number, len(hunks)), why)
            if not answer:
                return None
            if answer in {_ACCEPT.id, _ACCEPT_REST.id}:
                accepted.append(hunk.id)
            if answer == _REJECT_REST.id:
                break
            takes_rest = takes_rest or answer == _ACCEPT_REST.id
        return accepted

    async def _ask_for_hunk(
        self, edit: GrowingEdit, turn: Turn, hunk: Hunk, place: tuple[int, int], why: str
    ) -> str:
        """Ask about a hunk.

        Args:
            edit: The tool call.
            turn: The turn.
            hunk: The hunk.
            place: The number of the hunk, and the number of all hunks.
            why: What is odd about the hunk; "" for nothing.

        Returns:
            The id of the answer; "" for none.
        """
        with turn.lock:
            base = turn.review.base
            after = turn.review.would_accept([hunk.id])
        shown = shown_change(self._session, turn, base, after)
        number, count = place
        name = ", ".join(self._name_of(location.path) for location in shown.locations)
        which = f"hunk {number} of {count} in {name}" if count > 1 else name
        title = f"Edit {which}, {_size_of([hunk])}"
        if why:
            title = f"{title}: {why}"
        choices = [_ACCEPT, _REJECT]
        if number < count:
            choices = [_ACCEPT, _ACCEPT_REST, _REJECT, _REJECT_REST]
        return await self._editor.ask(
            edit.call_id,
            title,
            choices,
            kind="edit",
            content=shown.content,
            locations=shown.locations,
        )

    def _name_of(self, path: str) -> str:
        return path.removeprefix(f"{self._session.repo.root}/")

    async def _ask_for_consents(
        self, edit: GrowingEdit, turn: Turn, hunk_ids: Collection[str]
    ) -> None:
        """Ask about each file that needs a consent of its own.

        Raises:
            UsageError: The user does not consent.
        """
        if not hunk_ids:
            return
        reasons = await asyncio.to_thread(self._session.concerns, turn, hunk_ids)
        for path, why in reasons.items():
            title = f"Write {path}? It {'; '.join(why)}"
            if await self._editor.ask(edit.call_id, title, [YES, NO]) != YES.id:
                raise UsageError(f"{path} was not allowed; nothing was written")

    async def _write(self, turn: Turn, hunk_ids: Sequence[str]) -> str:
        """Write hunks: through the editor if it has unsaved text, else by the journal.

        Returns:
            The message for the user.

        Raises:
            SparkError: Nothing was written.
        """
        session = self._session
        changes = await asyncio.to_thread(session.changes, turn, hunk_ids)
        unsaved = await self._unsaved_of(changes)
        hunks = [part.hunk for part in turn.parts if part.hunk.id in hunk_ids]
        names = few([change.path for change in changes], _MOST_NAMES)
        warning = await asyncio.to_thread(left_broken, turn, hunk_ids)
        what = f"Accepted {_size_of(hunks)} in {names}"
        if warning:
            what = f"{what}, which breaks the file ({warning})"
        if unsaved is None:
            # However long the disk takes, a cancel leaves no write half noted.
            await finished(asyncio.to_thread(session.accept, turn, hunk_ids, allow=None))
            notes = session.take_notices()
            return "; ".join([f"{what}; /undo takes it back", *notes])
        text = (unsaved.after or b"").decode("utf-8")
        await self._editor.write(str(session.repo.root / unsaved.path), text)
        session.accept_written(turn, hunk_ids)
        return f"{what}, written by the editor, which had unsaved text; its own undo takes it back"

    async def _unsaved_of(self, changes: Sequence[FileChange]) -> FileChange | None:
        """The change of the file that the editor has unsaved; None if all are as on disk.

        Raises:
            Conflict: The text in the editor is no longer the one that the change was made for.
            UsageError: The editor cannot write the change.
        """
        found = None
        for change in changes:
            text = await self._files.unsaved(change.path)
            if text is None:
                continue
            if text != change.before:
                raise Conflict(
                    f"{change.path} was edited in the editor meanwhile, and nothing was written; "
                    f"save it"
                )
            # Several files, or a deleted one, cannot be written in one step through the editor.
            if len(changes) > 1 or change.after is None or not self._editor.can_write:
                raise UsageError(
                    f"{change.path} is not saved in the editor, and nothing was written; save it"
                )
            found = change
        return found


def _size_of(hunks: Sequence[Hunk]) -> str:
    """The numbers of lines that hunks remove and add."""
    out = sum(len(hunk.old) for hunk in hunks)
    put_in = sum(len(hunk.new) for hunk in hunks)
    return f"-{out} +{put_in}"


async def tell_outcome(editor: Editor, turn: Turn) -> None:
    """Say the outcome of a turn that offers no edit."""
    lines = [turn.outcome or turn.message, *turn.unsaid]
    await editor.say("\n".join(filter(None, lines)))
    await editor.say(turn.advice)


async def tell_usage(editor: Editor, session: Session, turn: Turn) -> None:
    """Report how much of the model's context a turn used."""
    timing = turn.timing
    context = session.host_of(turn).known_context
    if context:
        used = timing.prompt_tokens + timing.generated_tokens
        await editor.update(
            schema.UsageUpdate(session_update="usage_update", used=used, size=context)
        )
