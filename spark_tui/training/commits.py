"""`spark train commits`: small changes of public repositories as requests, by reference.

A commit whose message says what was done, and whose change lies in one region of one file, is a
request with its answer. No code and no message of others is kept; a file of references holds a JSON
object a line:

    repository, commit, path, first (1-based), count, hash: the region, before the commit

The words are made of the message again (see `messages`), what the region becomes is read from the
commit.
"""

import argparse
import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from spark_tui.errors import UsageError
from spark_tui.training.building import SHIPPED, say
from spark_tui.training.changes import (
    MOST_OF_REPOSITORY,
    Reference,
    Request,
    cut_region,
    find_requests,
    split_lines,
    without_commonplaces,
)
from spark_tui.training.leaks import leaks
from spark_tui.training.messages import words_of
from spark_tui.training.repositories import (
    Clone,
    clone_in,
    clones_in,
    contents,
    is_permissive,
    subjects,
)

COMMITS = "commits.jsonl.gz"
HELD_REPOSITORIES = 15
"""One repository in so many goes to a file of its own."""


def add_arguments(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `commits`."""
    parser = commands.add_parser("commits", help="find commits of public repositories for requests")
    folder = "holds a clone of each repository, called owner+name"
    parser.add_argument("clones", type=Path, metavar="CLONES_DIR", help=folder)
    out = "to write (default: %(default)s)"
    parser.add_argument("--out", type=Path, default=Path(COMMITS), help=out)
    parser.add_argument(
        "--most",
        type=int,
        default=MOST_OF_REPOSITORY,
        metavar="N",
        help="requests of a repository (default: %(default)s)",
    )
    likelier = "keep the commits whose words a model finds likelier with their change than without"
    parser.add_argument("--keep-likelier", action="store_true", help=likelier)
    model = "that model, by name or folder (default: the shipped one)"
    parser.add_argument("-m", "--model", help=model)


def run(args: argparse.Namespace, keeps: Callable[[Request], bool] | None = None) -> int:
    """Run `commits`: write the references to the requests in clones.

    Args:
        args: Of the command line.
        keeps: Chooses requests; without it all are kept.

    Raises:
        UsageError: The folder of clones cannot be read.
    """
    requests: list[Request] = []
    for clone in clones_in(args.clones):
        if not is_permissive(clone):
            say(f"{clone.name}: left out, it has no permissive license")
            continue
        found = find_requests(clone, args.most)
        chosen = [request for request in found if keeps is None or keeps(request)]
        say(f"{clone.name}: {len(chosen)} requests")
        requests += chosen
    references = [request.reference for request in without_commonplaces(requests)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(map(_json_line, map(asdict, references)))
    args.out.write_bytes(gzip.compress(text.encode(), mtime=0))
    say(f"{args.out}: {len(references)} references")
    return 0


def write_requests(args: argparse.Namespace) -> int:
    """Run `data --commits`: write requests with their code, those of held repositories apart.

    Raises:
        UsageError: A file of references cannot be read.
    """
    paths: list[Path] = args.references or [SHIPPED / COMMITS]
    references = chain.from_iterable(map(read_references, paths))
    parts: dict[str, list[Request]] = {"commits": [], "commits.held": []}
    for request in resolve(references, args.commits):
        name = "commits.held" if is_held(request.reference.repository) else "commits"
        if not leaks([*request.before, *request.after]):
            parts[name].append(request)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    for name, requests in parts.items():
        path = args.out.with_suffix(f".{name}{args.out.suffix}")
        with path.open("w", encoding="utf-8") as file:
            file.writelines(map(_json_line, map(as_row, requests)))
        say(f"{path}: {len(requests)} requests")
    return 0


def is_held(repository: str) -> bool:
    """Whether the requests of a repository are kept from training, to measure what it teaches."""
    return zlib.crc32(repository.lower().encode()) % HELD_REPOSITORIES == 0


def as_row(request: Request) -> dict[str, Any]:
    """Make the line of a file of requests (see `rows`)."""
    asked = {"words": request.words, "after": "\n".join(request.after)}
    code = "\n".join(request.before)
    return {"path": request.reference.path, "code": code, "requests": [asked]}


def _json_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def read_references(path: Path) -> list[Reference]:
    """Read the references of a file, gzipped where its name ends in .gz.

    Raises:
        UsageError: The file cannot be read or holds something else.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
        return [Reference(**json.loads(line)) for line in text.split("\n") if line.strip()]
    except (OSError, EOFError, ValueError, TypeError) as e:
        advice = "make it with `spark train commits`"
        raise UsageError(f"{path} holds no references to commits ({e}); {advice}") from e


def resolve(references: Iterable[Reference], clones: Path) -> Iterator[Request]:
    """Read the requests of references, repository by repository; say which are missing.

    Args:
        references: In any order.
        clones: The folder of clones.
    """
    by_repository: dict[str, list[Reference]] = {}
    for reference in references:
        by_repository.setdefault(reference.repository, []).append(reference)
    for repository, group in by_repository.items():
        clone = clone_in(clones, repository)
        if clone is None:
            say(f"{repository}: {len(group)} requests left out, there is no clone")
            continue
        requests = [request for request in _read_requests(clone, group) if request is not None]
        yield from requests
        missing = len(group) - len(requests)
        if missing:
            say(f"{repository}: {missing} requests left out, the clone holds no such lines")


def _read_requests(clone: Clone, references: Sequence[Reference]) -> Iterator[Request | None]:
    messages = subjects(clone, (reference.commit for reference in references))
    names = ((f"{one.commit}^:{one.path}", f"{one.commit}:{one.path}") for one in references)
    files = contents(clone, chain.from_iterable(names))
    for reference in references:
        before, after = split_lines(next(files)), split_lines(next(files))
        words = words_of(messages.get(reference.commit, ""), reference.commit)
        yield cut_region(reference, words, before, after)
