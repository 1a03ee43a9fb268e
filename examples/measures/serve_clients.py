"""Ten clients of one `spark serve` for ten minutes: fairness, memory, refusals, and nothing mixed.

`python examples/measures/serve_clients.py [--seconds N]`, on Linux. Eight clients
ask one thing after the other, one floods the server from twenty-four threads, and one hangs up in
the middle of every answer. Each answer is compared with the one that the same prompt got alone.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from threading import Event, Lock

import httpx2
from serve_exec import environment, served

MODEL = "spark-m"
PLAIN = 8
FLOOD = 24
"""More requests at once than one client may have."""
PROMPTS = 2
MOST_TOKENS = 12
WARM_UP = 0.1
"""The share of the time that memory may take to settle."""
_SAMPLES = 60
_REFUSALS = (429, 503)


def prompt_of(client: int, number: int) -> str:
    """Return a prompt that no other client sends; all have the same length."""
    return f"def part_{client:02}_{number:02}(rows):\n    total = 0\n    for row in rows:\n"


class Clients:
    """What the clients see. Mutable, under a lock.

    Args:
        socket: The server's socket.
        expected: The answer to each prompt, as it was alone.
    """

    def __init__(self, socket: str, expected: dict[str, str]) -> None:
        self.is_over = Event()
        self.tokens: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self._socket = socket
        self._expected = expected
        self._lock = Lock()

    def connection(self, name: str) -> httpx2.Client:
        """Open connections of a client's own."""
        transport = httpx2.HTTPTransport(uds=self._socket)
        headers = {"X-Spark-Client": name}
        return httpx2.Client(
            transport=transport, base_url="http://spark", timeout=None, headers=headers
        )

    def ask(self, name: str, client: int) -> None:
        """Ask one thing after the other until the time is over."""
        number = 0
        with self.connection(name) as connection:
            while not self.is_over.is_set():
                number += 1
                prompt = prompt_of(client, number % PROMPTS)
                answer = connection.post("/v1/completions", json=body_of(prompt))
                self._note(name, prompt, answer)
                if answer.status_code in _REFUSALS:
                    self.is_over.wait(float(answer.headers.get("Retry-After", "1")))

    def hang_up(self, name: str, client: int) -> None:
        """Hang up after the first piece of every answer, until the time is over."""
        body = {**body_of(prompt_of(client, 0)), "max_tokens": 500, "stream": True}
        with self.connection(name) as connection:
            while not self.is_over.is_set():
                with connection.stream("POST", "/v1/completions", json=body) as answer:
                    next(answer.iter_bytes(), b"")
                with self._lock:
                    self.counts["hung up"] += 1

    def _note(self, name: str, prompt: str, answer: httpx2.Response) -> None:
        with self._lock:
            if self.is_over.is_set():
                return  # what one client still has in the queue is no share of the time
            if answer.status_code in _REFUSALS:
                self.counts["refused"] += 1
                self.counts["refused without Retry-After"] += "Retry-After" not in answer.headers
                return
            body = answer.json()
            self.counts["answers"] += 1
            self.counts["mixed"] += body["choices"][0]["text"] != self._expected[prompt]
            usage = body["usage"]
            known = usage["prompt_tokens_details"]["cached_tokens"]
            self.tokens[name] += usage["total_tokens"] - known


def body_of(prompt: str) -> dict[str, object]:
    """Return a request whose answer is always the same."""
    return {"model": MODEL, "prompt": prompt, "max_tokens": MOST_TOKENS, "temperature": 0}


def memory_of(pid: int) -> float:
    """Megabytes that a process has in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def main() -> None:
    """Run the clients, and print what they saw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        folder = Path(made)
        env = environment(folder)
        with served(folder, env) as server:
            expected: dict[str, str] = {}
            clients = Clients(env["SPARK_SERVE"], expected)
            with clients.connection("alone") as alone:
                for client in range(PLAIN + 2):
                    for number in range(PROMPTS):
                        prompt = prompt_of(client, number)
                        answer = alone.post("/v1/completions", json=body_of(prompt)).json()
                        expected[prompt] = answer["choices"][0]["text"]
            sizes = run(clients, server, args.seconds)
    sys.exit(report(clients, sizes))


def run(clients: Clients, server: int, seconds: float) -> list[float]:
    """Let all clients ask for some time, and return the megabytes of the server meanwhile."""
    work: list[tuple[Callable[[str, int], None], str, int]] = []
    for number in range(PLAIN):
        work.append((clients.ask, f"plain{number}", number))
    work += [(clients.ask, "flood", PLAIN)] * FLOOD
    work.append((clients.hang_up, "cutting", PLAIN + 1))
    sizes: list[float] = []
    with ThreadPoolExecutor(len(work)) as pool:
        running = [pool.submit(*each) for each in work]
        for _ in range(_SAMPLES):
            time.sleep(seconds / _SAMPLES)
            sizes.append(memory_of(server))
        clients.is_over.set()
        for each in running:
            each.result()
    return sizes


def report(clients: Clients, sizes: list[float]) -> int:
    """Print what was seen.

    Returns:
        0 where everything is as it must be.
    """
    plain = [clients.tokens[f"plain{number}"] for number in range(PLAIN)]
    middle = median(plain)
    furthest = max(abs(tokens / middle - 1) for tokens in plain)
    settled = sizes[int(len(sizes) * WARM_UP) :]
    growth = max(settled) / settled[0] - 1
    flood = clients.tokens["flood"] / middle
    counts = clients.counts
    print(f"plain clients: {min(plain)} to {max(plain)} tokens, at most {furthest:.0%} off")
    print(f"the flooding client: x {flood:.2f} of a plain one's tokens")
    print(f"memory: {settled[0]:.0f} MB after warm-up, {growth:+.1%} at most later")
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    is_fair = furthest <= 0.2 and flood <= 1.2
    is_whole = not (counts["mixed"] or counts["refused without Retry-After"])
    return 0 if is_fair and is_whole and growth <= 0.05 else 1


if __name__ == "__main__":
    main()
