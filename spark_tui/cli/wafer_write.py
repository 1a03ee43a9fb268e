"""What a model writes for the demo's function, attempt by attempt, with no token drafted."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_tui.cli import output
from spark_tui.errors import ModelError

if TYPE_CHECKING:
    from spark_tui.engine.cache import KVCache
    from spark_tui.engine.library import LoadedModel
    from spark_tui.engine.model import Model
    from spark_tui.session.turn import Turn


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote.

    Args: tokens: their ids, in the order they were computed. attempts: the scripts, those parts included that an
        attempt shares with an earlier one. answered: which of them is the answer, from 1; 0: none. message: how the
        turn ended. abstained: without an edit that passed its checks.
    """

    tokens: Sequence[int]
    attempts: Sequence[str]
    answered: int
    message: str
    abstained: bool = False


def write(loaded: "LoadedModel", model: "Model", instruction: str, most: int | None, *, live: bool) -> Written:
    """Take a turn on the demo's function. Args: most: stop after so many tokens. live: show the text as it comes.

    Raises: ModelError: the model cannot edit.
    """
    from spark_tui.session.events import Status, Token

    cache = model.new_cache()
    turn = _turn(replace(loaded, model=model), instruction, cache)
    tokens: list[int] = []
    scripts: dict[int, list[int]] = {}
    with closing(turn.events()) as events:
        for event in (each for each in events if isinstance(each, Token)):
            tokens.append(event.token_id)
            last = len(turn.tape) - 1
            number, script = turn.tape[last].attempt, turn.tape.kept(last)
            if live:
                output.show_part(_begun(loaded, scripts, number, script[:-1]) + event.text)
            scripts[number] = script
            if len(tokens) == most:
                break
    if live:
        output.show("")
    if scripts:
        answer = _answered(turn, list(scripts)) or len(scripts)
        _run_forced(turn, replace(loaded, model=model), cache, list(scripts.values())[answer - 1])
    texts = [_text(loaded, script) for script in scripts.values()]
    message = turn.message or f"stopped after {most} tokens"
    return Written(tokens, texts, _answered(turn, list(scripts)), message, turn.status is Status.ABSTAINED)


def _run_forced(turn: "Turn", loaded: "LoadedModel", cache: "KVCache", script: Sequence[int]) -> None:
    """Run what a turn need not: tokens of its answer that were the only ones allowed. The last one has no successor."""
    from spark_tui.session.prompt import prompt_ids

    prompt = prompt_ids(loaded, turn.region, turn.base, turn.words, cache.capacity)
    ids = [*prompt, *script[:-1]]
    known = cache.common_prefix(ids)
    if len(prompt) <= known < len(ids):
        cache.trim(known)
        loaded.model.forward(ids[known:], cache)


def _begun(loaded: "LoadedModel", scripts: dict[int, list[int]], number: int, shared: list[int]) -> str:
    """What stands before the first token of an attempt: its number, and what it has in common with an earlier one."""
    if number in scripts:
        return ""
    return "\n" * bool(scripts) + f"  attempt {len(scripts) + 1:<2}{_text(loaded, shared)}"


def _text(loaded: "LoadedModel", ids: Sequence[int]) -> str:
    pieces = (loaded.tokenizer.piece(token) for token in ids)
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces).decode("utf-8", "replace")


def _answered(turn: "Turn", numbers: Sequence[int]) -> int:
    """Which of the attempts, in the order they were made, is the first that makes the file that is offered."""
    from spark_tui.session.events import Status

    if turn.status is not Status.OK:
        return 0
    ends = {turn.tape[index].attempt: index for index in range(len(turn.tape))}
    same = [turn.tape.file(ends[number]) == turn.best.file for number in numbers]
    return same.index(True) + 1 if True in same else 0


def _turn(loaded: "LoadedModel", instruction: str, cache: "KVCache") -> "Turn":
    from spark_tui.cli.able import CANNOT_EDIT, can_edit
    from spark_tui.cli.demo import PLACE, PROJECT
    from spark_tui.context.regions import find_region
    from spark_tui.editing.text import Text
    from spark_tui.resources import examples_dir
    from spark_tui.session.turn import Request, Turn

    if not can_edit(loaded.path, loaded.tokenizer):
        raise ModelError(f"{loaded.name} {CANNOT_EDIT}; name another model")
    path, symbol = PLACE.split("::")
    text = (examples_dir() / PROJECT / path).read_bytes()
    region = find_region(instruction, (path,), lambda _: text, path=path, symbol=symbol)
    request = Request(instruction, path=path, symbol=symbol)
    return Turn("run", request, region, Text.from_bytes(text, path), loaded, cache, speculate=False)
