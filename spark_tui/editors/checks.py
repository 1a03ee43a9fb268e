"""The user's check command, run after an accept and shown as a tool call."""

import asyncio

from acp import helpers

from spark_tui.editors.editor import NO, YES, Editor
from spark_tui.safe_text import visible
from spark_tui.session.repair.sandbox import last_lines
from spark_tui.session.session import Session
from spark_tui.vcs.policy import Trust

_EVERY_SECONDS = 0.1
_UNTRUSTED = "the check did not run: the repository is not trusted"


async def run_check(editor: Editor, session: Session, call_id: str) -> None:
    """Run the check of a session, if there is one; if the user cancels, stop the command.

    Args:
        editor: Shows the check.
        session: The session with the check.
        call_id: The name of the tool call.

    Raises:
        SparkError: The check cannot run.
    """
    check = session.check
    if not check.line:
        return
    title = visible(check.line)
    await editor.update(
        helpers.start_tool_call(call_id, title, kind="execute", status="in_progress")
    )
    status = "failed"
    output = ""
    try:
        if not await _is_trusted(editor, session, call_id):
            output = _UNTRUSTED
            return
        await asyncio.to_thread(check.begin)
        while check.running:
            await asyncio.sleep(_EVERY_SECONDS)
        output = "\n".join(last_lines(check.output.decode("utf-8", "replace")))
        if check.status == 0:
            status = "completed"
    finally:
        # Ends the command of a cancelled prompt; after a finished one, this only drops its output.
        check.stop()
        text = helpers.text_block(visible(output, keep="\n\t"))
        content = [helpers.tool_content(text)]
        await editor.update(
            helpers.update_tool_call(call_id, status=status, title=title, content=content)
        )


async def _is_trusted(editor: Editor, session: Session, call_id: str) -> bool:
    """Whether the repository may run programs of its own; ask the user if it may not yet.

    Raises:
        SparkError: The trust cannot be saved.
    """
    trust = Trust(session.repo, session.state_dir)
    # Trust is granted to what was there before the question, not to what came meanwhile.
    seen = await asyncio.to_thread(trust.look)
    reasons = await asyncio.to_thread(lambda: trust.restricted)
    if not reasons:
        return True
    title = f"Trust this repository? It could run {'; '.join(reasons)}"
    if await editor.ask(call_id, title, [YES, NO], kind="execute") != YES.id:
        return False
    await asyncio.to_thread(trust.grant, seen)
    return True
