"""What is installed, and what to do about what is missing."""

from collections.abc import Callable, Sequence

from spark_tui.tui.screens.browse import Browser, Words


class DoctorScreen(Browser[str, None]):
    """The findings, one a line; the whole of the chosen one below. Args: look: makes the findings, in a thread."""

    HEADLINE = "Doctor"
    NOTHING = "Nothing was found."
    KEYS = (("Up Down", "choose"), ("Esc", "close"))

    def __init__(self, look: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._look = look

    def read(self) -> Sequence[str]:
        """See `Browser`."""
        return self._look()

    def describe(self, item: str) -> Sequence[Words]:
        """See `Browser`."""
        return [(item, "error" if item.startswith("FAIL") else "warning" if item.startswith("note") else "text")]

    def patch(self, item: str) -> str:
        """See `Browser`."""
        return "\n".join(part.strip() for part in item.split(";"))
