"""What the keys of the review do beyond accepting and rejecting; loaded when wanted, the first paint does not wait."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from spark_tui.tui.screens.host import Host

if TYPE_CHECKING:
    from spark_tui.tui.screens.patch_export import PatchExport
    from spark_tui.tui.screens.shaping import Shaping
    from spark_tui.tui.screens.varying import Varying


class HunkActions:
    """Hunks made fit, answers exchanged and patches given away, for `screen`."""

    def __init__(self, screen: Host) -> None:
        self._screen = screen

    @cached_property
    def shaping(self) -> "Shaping":
        """Hunks cut, lines taken out, texts edited."""
        from spark_tui.tui.screens.shaping import Shaping  # noqa: PLC0415 - see above

        return Shaping(self._screen)

    @cached_property
    def varying(self) -> "Varying":
        """Other answers."""
        from spark_tui.tui.screens.varying import Varying  # noqa: PLC0415 - see above

        return Varying(self._screen)

    @cached_property
    def giving(self) -> "PatchExport":
        """The patch for elsewhere."""
        from spark_tui.tui.screens.patch_export import PatchExport  # noqa: PLC0415 - see above

        return PatchExport(self._screen)

    def do(self, name: str) -> None:
        """Do what a key means, by name; before there is a session, nothing."""
        if self._screen.desk is None:
            self._screen.say("the model is being loaded")
            return
        does: dict[str, Callable[[], None]] = {
            "split": self.shaping.split,
            "toggle": self.shaping.toggle,
            "edit": self.shaping.edit,
            "editor": self.shaping.edit_outside,
            "next": lambda: self.varying.step(1),
            "previous": lambda: self.varying.step(-1),
            "again": self.varying.again,
            "copy": self.giving.copy,
            "save": self.giving.save,
            "file": self._tell_file,
        }
        if name == "edit" and self._screen.looking.fix():
            return
        does[name]()

    def _tell_file(self) -> None:
        """There is no other file to go to: a turn is about one."""
        self._screen.say(f"this turn is about one file, {self._screen.view.path or 'not known yet'}")

    def refuses(self) -> bool:
        """Whether other answers are on their way, any of which may come before a key about a hunk acts; says so."""
        if busy := "varying" in self.__dict__ and self.varying.busy:
            stop = self._screen.keys.key("turn.stop")
            self._screen.say(f"other answers are on their way, so that did nothing; {stop} stops them", look="warning")
        return busy

    def stop(self) -> bool:
        """Stop what runs in the engine for a key. Returns: whether anything did."""
        return "varying" in self.__dict__ and self.varying.stop()
