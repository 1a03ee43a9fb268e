"""`spark train generate`: requests of the generator's kinds on the standard library and installed packages."""

import argparse
import json
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from spark_tui.marks import visible

if TYPE_CHECKING:
    from spark_tui.editing.snippet import Snippet
    from spark_tui.training.corpus import Found
    from spark_tui.training.data import Weights

MOST_PER_PACKAGE = 8000
WRITTEN_SHARD = 900
"""The number of the first file of requests written one by one, behind those of the generator."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `generate`."""
    data = commands.add_parser("generate", help="make training data from the standard library and installed packages")
    data.add_argument("--out", type=Path, default=Path("runs/data"), help="folder to write (default: %(default)s)")
    data.add_argument(
        "--site", type=Path, action="append", help="a site-packages folder (repeatable; default: this Python's)"
    )
    data.add_argument(
        "--snippets", type=int, default=60_000, help="how many pieces of code to use (default: %(default)s)"
    )
    data.add_argument("--longest", type=int, default=60, help="lines of the longest piece (default: %(default)s)")
    data.add_argument("--shard", type=int, default=10_000, help="pieces of code a file (default: %(default)s)")
    data.add_argument("--processes", type=int, default=2)
    data.add_argument(
        "--written", type=int, default=1, help="how often the requests written one by one go in (default: %(default)s)"
    )
    data.add_argument("--seed", type=int, default=0)
    data.add_argument(
        "--tokenizer", type=Path, help="keep this model folder's tokenizer (new kinds take its spare marks)"
    )
    data.add_argument(
        "--cases",
        type=int,
        metavar="N",
        help="instead write N evaluation cases a kind and split, from held-out packages",
    )


def _say(text: str) -> None:
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def run(args: argparse.Namespace) -> int:
    """Write the data, or with --cases those for evaluation."""
    from spark_tui.training import corpus
    from spark_tui.training.data import balanced_weights, groups
    from spark_tui.training.examples import write_groups
    from spark_tui.training.leaks import leaks

    sites = args.site or [Path(sysconfig.get_paths()["purelib"])]
    found = [corpus.standard_library(Path(sysconfig.get_paths()["stdlib"]))]
    found += [package for site in sites for package in corpus.packages(site)]
    args.out.mkdir(parents=True, exist_ok=True)
    held_out = list(corpus.snippets(corpus.sources(found, held_out=True)))
    if args.cases:
        return _cases(args, [one.snippet for one in held_out])
    kept_back = frozenset(one.hash for one in held_out)
    pool = [one for one in corpus.snippets(corpus.sources(found), without=kept_back) if not leaks(one.snippet.lines)]
    used = {one.package for one in pool}
    report = [asdict(package) | {"folders": [folder.name for folder in package.folders]} for package in found]
    (args.out / "sources.json").write_text(
        json.dumps({"packages": report, "modules": sorted(used)}, indent=1, default=str)
    )
    Random(args.seed).shuffle(pool)
    chosen = list(islice(_spread(pool, args.longest), args.snippets))
    weights = balanced_weights(chosen[:500])
    _say(f"{len(pool)} pieces of code from {len(found)} packages, {len(chosen)} used; {len(held_out)} held out")
    for shard, first in enumerate(range(0, len(chosen), args.shard)):
        part = chosen[first : first + args.shard]
        path = args.out / f"groups-{shard:03}.jsonl.gz"
        count = write_groups(path, groups(part, seed=args.seed, processes=args.processes, first=first, weights=weights))
        _say(f"{path}: {count} groups")
        _pack(args, path, shard)
    for number in range(args.written):
        _write_written(args, weights, number)
    return 0


def _write_written(args: argparse.Namespace, weights: "Weights", number: int) -> None:
    """What was written one by one, each region with what the generator asks about it besides."""
    from spark_tui.training.data import with_more
    from spark_tui.training.examples import write_groups
    from spark_tui.training.written import written

    path = args.out / f"groups-written-{number}.jsonl.gz"
    rng = Random(f"{args.seed}:{number}")
    count = write_groups(path, (with_more(group, rng, weights) for group in written()))
    _say(f"{path}: {count} groups")
    _pack(args, path, WRITTEN_SHARD + number)


def _spread(pool: "Iterable[Found]", longest: int) -> "Iterator[Snippet]":
    """The pieces that are short enough, of each package at most MOST_PER_PACKAGE."""
    counts: Counter[str] = Counter()
    for one in pool:
        if len(one.snippet.lines) <= longest and counts[one.package] < MOST_PER_PACKAGE:
            counts[one.package] += 1
            yield one.snippet


def _pack(args: argparse.Namespace, path: Path, shard: int) -> None:
    from spark_tui.engine.tokenizer import Tokenizer
    from spark_tui.training.examples import read_groups
    from spark_tui.training.idiom import free_words
    from spark_tui.training.packing import pack

    if shard == 0:
        _make_tokenizer(args, path)
        (args.out / "free_words.json").write_text(json.dumps(free_words(read_groups(path))))
    packed = pack(read_groups(path), Tokenizer.read(args.out), seed=args.seed + shard)
    target = args.out / f"train-{shard:03}.npz"
    packed.save(target)
    _say(f"{target}: {len(packed.offsets) - 1} groups, {len(packed.tokens)} tokens")


def _make_tokenizer(args: argparse.Namespace, groups: Path) -> None:
    from tokenizers import Tokenizer

    from spark_tui.training.kinds.registry import KIND_NAMES
    from spark_tui.training.vocabulary import save_tokenizer, train_tokenizer, with_kinds

    if args.tokenizer:
        tokenizer = with_kinds(Tokenizer.from_file(str(args.tokenizer / "tokenizer.json")), KIND_NAMES)
    else:
        tokenizer = train_tokenizer(_texts(groups), KIND_NAMES)
    save_tokenizer(tokenizer, args.out)


def _texts(path: Path) -> Iterator[str]:
    from spark_tui.training.examples import read_groups

    for group in read_groups(path):
        yield from (line.strip() for line in group.before)
        yield from (example.instruction for example in group.examples)


def _cases(args: argparse.Namespace, snippets: "list[Snippet]") -> int:
    """Write eval_cases.jsonl.gz: for each kind and split, up to `--cases` requests, one or two a region.

    And eval_ngrams.npy: what gives away a copy of code that is held out.
    """
    from spark_tui.training.cases import choose_cases
    from spark_tui.training.examples import write_groups
    from spark_tui.training.leaks import write_list

    count = write_groups(args.out / "eval_cases.jsonl.gz", choose_cases(snippets, args.cases, seed=args.seed))
    hashes = write_list((snippet.lines for snippet in snippets), args.out / "eval_ngrams.npy")
    _say(f"{args.out / 'eval_cases.jsonl.gz'}: {count} regions; {hashes} hashes of held-out code")
    return 0
