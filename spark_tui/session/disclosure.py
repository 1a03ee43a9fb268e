"""Which files' text may leave this machine in a request.

A file that may hold secrets is shown to the models of this machine alone: those of this process and
of a `spark serve` of the same user. An endpoint, whatever its address, reads the text of such a
file only where the user named the file and consented. Every request asks `Disclosure` before it is
sent.
"""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from spark_tui.errors import ConsentMissing
from spark_tui.vcs.policy import may_hold_secrets
from spark_tui.vcs.repository import Repository

if TYPE_CHECKING:
    from spark_tui.providers.registry import ProviderHost

_MOST_NAMES = 3


class Disclosure:
    """The consents of a session to show files to models that run elsewhere. Mutable.

    Args:
        repo: Has the files.
        is_overheard: Whether what a model of this machine writes is for others, too, as where a
            server works for its clients.
    """

    def __init__(self, repo: Repository, *, is_overheard: bool = False) -> None:
        self._repo = repo
        self._is_overheard = is_overheard
        self._allowed: frozenset[str] = frozenset()

    def allow(self, paths: Iterable[str]) -> None:
        """Let every model read files; the user was asked, or said so."""
        self._allowed |= frozenset(paths)

    def private(self, paths: Iterable[str]) -> list[str]:
        """The files among some that may hold secrets."""
        return [path for path in paths if may_hold_secrets(self._repo, path)]

    def withheld(self, paths: Iterable[str], host: "ProviderHost") -> list[str]:
        """The files among some whose text the model of a host may not read."""
        if host.remote is None and not self._is_overheard:
            return []
        return [path for path in self.private(paths) if path not in self._allowed]

    def refuse_withheld(self, paths: Collection[str], host: "ProviderHost") -> None:
        """Refuse a request that would show files to a model which may not read them.

        Raises:
            ConsentMissing: There are such files.
        """
        if withheld := self.withheld(paths, host):
            why = ("may hold secrets", f"would be sent to {host.in_use}")
            names = ", ".join(withheld[:_MOST_NAMES])
            raise ConsentMissing(
                f"{names} {' and '.join(why)}, which needs your consent; nothing was sent",
                withheld,
                why,
            )
