"""`spark train ...`: from packages to a shipped model.

data  builds the requests that were written, with the code they are about, from the packages they name
fetch downloads the packages that cases are about
base, round, tune, calibrate  teach a pretrained model to edit
generate  reads installed packages, writes groups-*.jsonl.gz (requests), tokenizer.json, train-*.npz and sources.json
run   trains on them, resuming from its folder, and exports a Hugging Face folder
rank  learns to choose among the edits that could be meant
habits  counts how usual code is
sayings learns which words people have for what an edit does
remarks learns to tell a request from what is only said of the code
eval  measures a model on the frozen cases
"""

import argparse
import json
import signal
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_tui.errors import UsageError
from spark_tui.marks import visible
from spark_tui.training import building, generating, teach

if TYPE_CHECKING:
    from spark_tui.training.evaluate import Ask
    from spark_tui.training.repairing import Repair

CONTEXT = 2048


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    commands = parser.add_subparsers(
        dest="train_command",
        required=True,
        metavar="data|fetch|base|round|tune|calibrate|generate|run|rank|habits|sayings|remarks|eval",
    )
    teach.add_arguments(commands)
    building.add_arguments(commands)
    generating.add_arguments(commands)
    run = commands.add_parser("run", help="train; resumes when the folder holds a checkpoint, also on other data")
    run.add_argument("--data", type=Path, default=Path("runs/data"))
    run.add_argument("--out", type=Path, default=Path("runs/spark-s"), help="checkpoint, log and model/ go here")
    run.add_argument("--steps", type=int, default=4000)
    run.add_argument("--stop-after", type=int, help="end after so many steps; the next run goes on from there")
    run.add_argument("--workers", type=int, default=1, help="processes that share each step")
    run.add_argument("--row-length", type=int, default=512, help="tokens a row")
    run.add_argument("--rows", type=int, default=2, help="rows a microbatch")
    run.add_argument("--microbatches", type=int, default=4, help="microbatches a step")
    run.add_argument("--layers", type=int, default=6)
    run.add_argument("--width", type=int, default=256)
    run.add_argument("--rate", type=float, default=1.0, help="of the learning rates (default: %(default)s)")
    run.add_argument("--start", type=Path, metavar="MODEL", help="begin from this model folder's weights")
    run.add_argument(
        "--min-confidence", type=float, default=0.65, help="written into the model: what it shows no answer below"
    )
    run.add_argument("--seed", type=int, default=0)
    rank = commands.add_parser("rank", help="learn what counts how much in the choice among edits, for a trained model")
    rank.add_argument("-m", "--model", help="a model's folder; its weights of words are written anew")
    rank.add_argument(
        "--cases",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.jsonl",
        help="cases written by hand to fit to, too",
    )
    rank.add_argument(
        "--generated",
        type=Path,
        metavar="GROUPS.jsonl.gz",
        help="what `spark train generate` wrote, to fit to two requests of each region, too",
    )
    habits = commands.add_parser(
        "habits", help="count how usual code is, for the choice among edits; `rank` comes after"
    )
    habits.add_argument("--site", type=Path, action="append", required=True, help="a site-packages folder (repeatable)")
    habits.add_argument("--out", type=Path, help="the file to write (default: the shipped one)")
    sayings = commands.add_parser(
        "sayings", help="learn which words people have for what an edit does; `rank` comes after"
    )
    sayings.add_argument("--out", type=Path, help="the file to write (default: the shipped one)")
    remarks = commands.add_parser("remarks", help="learn to tell a request from what is only said of the code")
    remarks.add_argument("--out", type=Path, help="the file to write (default: the shipped one)")
    evaluation = commands.add_parser("eval", help="measure a model on the frozen held-out cases")
    evaluation.add_argument("-m", "--model", help="a model's name or folder (default: the shipped one)")
    evaluation.add_argument(
        "--groups", type=int, help="only about so many regions, or bugs with --check (60), spread evenly"
    )
    evaluation.add_argument(
        "--cases", type=Path, action="append", metavar="FILE.jsonl", help="cases written by hand instead (repeatable)"
    )
    evaluation.add_argument("--bold", action="store_true", help="show answers below the model's min_confidence, too")
    evaluation.add_argument(
        "--check", action="store_true", help="how many bugs are put right when a command accepts the right code only"
    )
    evaluation.add_argument(
        "--budget", type=float, metavar="SECONDS", help="with --check: how long to look for a fix (as in `spark exec`)"
    )
    evaluation.add_argument("--json", action="store_true")


def run(args: argparse.Namespace) -> int:
    """Run one of these; returns the exit code. (The others need the whole program: `rank`, `evaluate`.)"""
    return {
        "base": teach.make_base,
        "round": teach.round_base,
        "tune": teach.tune,
        "data": building.run,
        "fetch": building.run,
        "generate": generating.run,
        "run": _run,
        "habits": _habits,
        "sayings": _sayings,
        "remarks": _remarks,
    }[args.train_command](args)


def _say(text: str) -> None:
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def _run(args: argparse.Namespace) -> int:
    from spark_tui.editing.intents import FILE_NAME
    from spark_tui.engine.config import ModelConfig
    from spark_tui.engine.tokenizer import Tokenizer
    from spark_tui.training.intents import fit_intents
    from spark_tui.training.network import export, load_weights
    from spark_tui.training.packing import Packed
    from spark_tui.training.trainer import Recipe, Trainer
    from spark_tui.training.vocabulary import mark_ids, swappable

    shards = sorted(args.data.glob("train-*.npz"))
    if not shards:
        raise UsageError(f"no training data in {args.data}: run `spark train generate --out {args.data}` first")
    tokenizer, packed = Tokenizer.read(args.data), Packed.load(shards)
    config = ModelConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=args.width,
        n_layers=args.layers,
        n_heads=args.width // 64,
        n_kv_heads=1,
        head_dim=64,
        intermediate_size=args.width * 11 // 4,
        rope_theta=10_000.0,
        rms_norm_eps=1e-6,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        free_words=tuple(json.loads((args.data / "free_words.json").read_text())),
        min_confidence=args.min_confidence,
    )
    recipe = Recipe(
        config,
        mark_ids(tokenizer),
        tuple(swappable(tokenizer, tokenizer.vocab_size, config.free_words)),
        steps=args.steps,
        row_length=args.row_length,
        rows=args.rows,
        microbatches=args.microbatches,
        rates=args.rate,
        seed=args.seed,
    )
    start = load_weights(args.start) if args.start else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    trainer = Trainer(args.out, recipe, packed, workers=args.workers, start=start)
    for record in trainer.run(stop_after=args.stop_after):
        if record["step"] % 20 == 0:
            _say(json.dumps(record))
    export(trainer.weights(), config, args.out / "model")
    (args.out / "model" / "tokenizer.json").write_bytes((args.data / "tokenizer.json").read_bytes())
    (args.out / "model" / FILE_NAME).write_bytes(fit_intents().to_bytes())
    _say(f"model written to {args.out / 'model'}; try `spark train eval --model {args.out / 'model'}`")
    return 0


def _habits(args: argparse.Namespace) -> int:
    from spark_tui.editing.habits import FILE
    from spark_tui.training import corpus
    from spark_tui.training.habits import count_habits, write_habits

    found = [corpus.standard_library(Path(sysconfig.get_paths()["stdlib"]))]
    found += [package for site in args.site for package in corpus.packages(site)]
    words, seen = count_habits(source.path for source in corpus.sources(found))
    write_habits(args.out or FILE, words, seen)
    names = ", ".join(package.name for package in found)
    _say(f"{args.out or FILE}: {len(words)} tokens, {len(seen)} of up to three behind one another, from {names}")
    return 0


def _sayings(args: argparse.Namespace) -> int:
    from spark_tui.editing.sayings import FILE
    from spark_tui.training.sayings import fit_sayings, write_sayings

    found = fit_sayings()
    write_sayings(args.out or FILE, found)
    _say(f"{args.out or FILE}: {len(found.words)} words for {len(found.marks)} marks of edits")
    return 0


def _remarks(args: argparse.Namespace) -> int:
    from spark_tui.editing.remarks import FILE
    from spark_tui.training.remarks import fit_remarks

    found = fit_remarks()
    (args.out or FILE).write_bytes(found.to_bytes())
    _say(f"{args.out or FILE}: {len(found.places)} traits")
    return 0


def rank(args: argparse.Namespace, folder: Path, kinds: "Callable[..., Mapping[str, float]]") -> None:
    """Fit the ranking of a model folder. Args: kinds: what the model alone thinks of kinds, their names given first."""
    from spark_tui.editing.intents import FILE_NAME, Intents
    from spark_tui.training.examples import read_groups
    from spark_tui.training.handwritten import read_cases
    from spark_tui.training.ranking import fit_ranking

    path = folder / FILE_NAME
    intents = Intents.from_bytes(path.read_bytes())
    generated = read_groups(args.generated) if args.generated else ()
    found = fit_ranking(intents, partial(kinds, intents.kinds), read_cases(args.cases, args.packages), generated)
    path.write_bytes(replace(intents, ranking=found).to_bytes())
    _say(f"{path}: {len(found.direct)} numbers of an edit, {len(found.outputs)} units, {len(found.kinds)} kinds")


def evaluate(args: argparse.Namespace, model: str, ask: "Ask") -> None:
    """Print how an answering function does, on the frozen cases or on those written by hand."""
    from spark_tui.training import baselines, evaluate
    from spark_tui.training.handwritten import read_cases

    if args.cases:
        result = evaluate.by_hand(model, ask, read_cases(args.cases, args.packages))
    else:
        groups = evaluate.frozen_cases(args.groups)
        total = sum(len(group.examples) for group in groups)
        progress = partial(_count, total)
        result = evaluate.report(model, list(evaluate.outcomes(ask, groups, progress)))
        simple = {"copy": baselines.copy, "by_words": baselines.by_words}
        result["baselines"] = {name: evaluate.baseline(answer, groups) for name, answer in simple.items()}
    _print(args, result, evaluate.as_text)


def evaluate_repairs(args: argparse.Namespace, model: str, ask: "Ask", repair: "Repair", budget: float) -> None:
    """Print how many bugs are put right with a command. Args: budget: seconds that `repair` has for one."""
    from spark_tui.training import repairing
    from spark_tui.training.evaluate import frozen_cases
    from spark_tui.training.handwritten import read_cases

    cases = read_cases(args.cases, args.packages) if args.cases else repairing.planted(frozen_cases())
    bugs = repairing.some(cases, repairing.BUGS if args.groups is None else args.groups)
    progress = partial(_count, len(bugs), every=10)
    result = repairing.report(model, list(repairing.outcomes(ask, repair, bugs, progress)), budget)
    _print(args, result, repairing.as_text)


def _print(args: argparse.Namespace, result: dict[str, Any], as_text: Callable[[dict[str, Any]], str]) -> None:
    shown = json.dumps(result, indent=2) + "\n" if args.json else as_text(result)
    sys.stdout.write(visible(shown, keep="\n\t"))


def _count(total: int, done: int, every: int = 50) -> None:
    if done % every == 0:
        _say(f"{done}/{total}")
