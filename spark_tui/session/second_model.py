"""The second model, which judges the answers of the first one.

It reads the region and the words once, and finds out how likely it would have written each answer.
It is loaded when it is first asked: whoever is always sure never waits for it.
"""

from collections.abc import Callable, Generator, Sequence

from spark_tui.editing.formats.quoted import QuotedRequest
from spark_tui.errors import UsageError
from spark_tui.providers.base import Judge
from spark_tui.providers.registry import ProviderHost


class SecondModel:
    """A model of this process that judges answers.

    Args:
        name: What to call the model.
        host: Gives the host of the model.
    """

    def __init__(self, name: str, host: Callable[[], ProviderHost]) -> None:
        self.name = name
        self._host = host

    def weigh(
        self, request: QuotedRequest, results: Sequence[Sequence[str]]
    ) -> Generator[None, None, Sequence[float]]:
        """See `Judge.weigh`.

        Raises:
            ModelError: The model cannot be used.
            UsageError: It is no chat model, or the region is too long for it.
        """
        judge = self._host().answerer
        if not isinstance(judge, Judge):
            raise UsageError(
                f"{self.name} only edits; name a chat model of this process with judge"
            )
        return (yield from judge.weigh(request, results))
