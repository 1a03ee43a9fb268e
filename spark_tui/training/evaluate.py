"""Measures a model on frozen cases: real functions of packages it never saw, known and unknown phrasings.

Decoding is what a turn does: greedy, masked by the grammar of the format, on the shipped engine. Nothing but
the model's own script decides an answer here; the checks that a turn adds are not counted in its favour.
"""

import ast
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.format import (
    END,
    NO_EDIT,
    Frame,
    encode_pieces,
    render_region,
    render_request,
)
from spark_tui.editing.guide import Guide
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.script import LineOp, ScriptError, apply_script
from spark_tui.editing.streaming import PieceDecoder
from spark_tui.engine.cache import KVCache
from spark_tui.engine.generate import Step, generate
from spark_tui.engine.library import LoadedModel
from spark_tui.engine.sampling import greedy
from spark_tui.training.examples import Example, Group, read_groups

CASES = Path(__file__).with_name("eval_cases.jsonl.gz")
MAX_TOKENS = 400
_RATES = ("exact_match", "ast_match", "parse_rate", "abstained", "precision_when_answering")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model wrote for one request: `after` is None when its script was cut short or does not apply."""

    kind: str | None
    ops: tuple[LineOp, ...]
    after: tuple[str, ...] | None

    @property
    def abstained(self) -> bool:
        """Whether the model said that there is nothing to do, or wrote an empty script."""
        return self.kind == NO_EDIT or (self.after is not None and not self.ops)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case and how its answer compares."""

    kind: str
    held_out: bool
    exact: bool
    same_tree: bool
    parses: bool
    abstained: bool


class Answerer:
    """Asks a model for scripts, one region after another; the region's keys and values are kept between requests."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded = loaded
        self.cache = KVCache(loaded.config, loaded.config.max_position_embeddings)
        self.stop = frozenset({loaded.tokenizer.special(END.name)})

    def ask(self, before: Sequence[str], instruction: str, selected: tuple[int, int] | None = None) -> Answer:
        """The greedy answer to one request. Raises: ModelError: the region does not fit into the context."""
        tokenizer = self.loaded.tokenizer
        frame = Frame.of(before)
        prompt = [*render_region(before, frame), *render_request(instruction, frame, selected)]
        parser, decoder = ScriptParser(frame), PieceDecoder(tokenizer)
        config = self.loaded.config
        request = Request(instruction, selected)
        guide = Guide(tokenizer, config.vocab_size, frame, before, request, free_words=config.free_words)
        written: list[int] = []
        steps = generate(
            self.loaded.model,
            self.cache,
            encode_pieces(prompt, tokenizer),
            sampler=greedy(),
            max_tokens=MAX_TOKENS,
            stop_ids=self.stop,
            mask=lambda: guide.mask(parser, written),
        )
        try:
            for step in steps:
                if isinstance(step, Step):
                    written.append(step.token_id)
                    for piece in decoder.feed(step.token_id):
                        for _ in parser.feed(piece):
                            pass
        except ScriptError:  # nothing was allowed to follow: the script stays unfinished
            steps.close()
        return _answer(before, parser, frame)


def _answer(before: Sequence[str], parser: ScriptParser, frame: Frame) -> Answer:
    ops = tuple(parser.ops)
    if not parser.finished:
        return Answer(parser.kind, ops, None)
    try:
        return Answer(parser.kind, ops, tuple(apply_script(before, ops, unit=frame.layout.unit)))
    except ScriptError:
        return Answer(parser.kind, ops, None)


def outcomes(
    answerer: Answerer, groups: Iterable[Group], progress: Callable[[int], None] | None = None
) -> Iterator[Outcome]:
    """Ask every request of every group. `progress` is told how many are done."""
    done = 0
    for group in groups:
        for example in group.examples:
            yield compare(group.before, example, answerer.ask(group.before, example.instruction, example.selected))
            done += 1
            if progress is not None:
                progress(done)


def compare(before: Sequence[str], example: Example, answer: Answer) -> Outcome:
    """Hold an answer against the reference."""
    wanted = tuple(apply_script(before, example.ops, unit=Frame.of(before).layout.unit))
    tree = _tree(answer.after) if answer.after is not None else None
    exact = answer.after == wanted and (answer.abstained or example.kind != NO_EDIT)
    return Outcome(
        kind=example.kind,
        held_out=example.held_out,
        exact=exact,
        same_tree=exact or (tree is not None and tree == _tree(wanted)),
        parses=tree is not None,
        abstained=answer.abstained,
    )


def _tree(lines: Sequence[str]) -> str | None:
    try:
        return ast.dump(ast.parse(textwrap.dedent("\n".join(lines))))
    except (SyntaxError, ValueError, RecursionError):
        return None


def report(model: str, found: Sequence[Outcome]) -> dict[str, object]:
    """The object `spark train eval --json` prints."""
    known = [one for one in found if not one.held_out]
    unknown = [one for one in found if one.held_out]
    return {
        "model": model,
        **_summary(found),
        "kinds": _by_kind(found),
        "splits": {
            "seen_phrasing": {**_summary(known), "kinds": _by_kind(known)},
            "held_out_phrasing": {**_summary(unknown), "kinds": _by_kind(unknown)},
        },
    }


def _summary(found: Sequence[Outcome]) -> dict[str, float]:
    answered = [one for one in found if not one.abstained]
    return {
        "cases": len(found),
        "exact_match": _share(one.exact for one in found),
        "ast_match": _share(one.same_tree for one in found),
        "parse_rate": _share(one.parses for one in found),
        "abstained": _share(one.abstained for one in found),
        "precision_when_answering": _share(one.exact for one in answered),
    }


def _by_kind(found: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    kinds = sorted({one.kind for one in found})
    return {kind: _of_kind([one for one in found if one.kind == kind]) for kind in kinds}


def _of_kind(found: Sequence[Outcome]) -> dict[str, float]:
    return {"cases": len(found), "exact_match": _share(one.exact for one in found)}


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return round(sum(counted) / len(counted), 4) if counted else 0.0


def as_text(result: dict[str, Any]) -> str:
    """The report as a table for people."""
    lines = [f"{result['model']}: {result['cases']} cases"]
    lines += [f"  {name:26} {result[name]:7.1%}" for name in _RATES]
    known, unknown = result["splits"]["seen_phrasing"], result["splits"]["held_out_phrasing"]
    lines.append(f"  {'exact by kind':26} {'seen':>7} {'held out':>9}")
    lines.append(f"  {'(all)':26} {known['exact_match']:7.1%} {unknown['exact_match']:9.1%}")
    for kind in result["kinds"]:
        pair = [split["kinds"].get(kind, {}).get("exact_match", 0.0) for split in (known, unknown)]
        lines.append(f"  {kind:26} {pair[0]:7.1%} {pair[1]:9.1%}")
    return "\n".join(lines) + "\n"


def frozen_cases(limit: int | None = None) -> list[Group]:
    """The cases shipped with spark; `limit`: only the first that many groups."""
    groups = list(read_groups(CASES))
    return groups[:limit]
