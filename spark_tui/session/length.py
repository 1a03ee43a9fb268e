"""How much is read as an instruction."""

from spark_tui.errors import UsageError

MOST_CHARACTERS = 10_000
"""Of an instruction; of several steps, say."""


def too_long(instruction: str) -> str:
    """What to say of more characters than are read as an instruction, or ""."""
    if len(instruction) <= MOST_CHARACTERS:
        return ""
    return f"the instruction has {len(instruction):,} characters and at most {MOST_CHARACTERS:,} are read; say less"


def refuse_too_long(instruction: str) -> None:
    """Raises: UsageError: more characters than are read as an instruction."""
    if words := too_long(instruction):
        raise UsageError(words)
