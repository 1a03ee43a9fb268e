"""Many clients at once: nothing is mixed, nobody is left behind, and no cache grows."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx2

from spark_tui.serve.client_engine import MOST_CLIENTS
from spark_tui.serve.turn_order import Limits
from tests.serve.conftest import Server, StartServer

CLIENTS = 9
ASK = {"model": "model", "max_tokens": 40, "temperature": 0}


def text_for(server: Server, client: str, prompt: str) -> str:
    """What a client is answered, over a connection of its own."""
    transport = httpx2.HTTPTransport(uds=str(server.path))
    with httpx2.Client(transport=transport, base_url="http://spark", timeout=120) as connection:
        answer = connection.post(
            "/v1/completions", json={**ASK, "prompt": prompt}, headers={"X-Spark-Client": client}
        )
    text: str = answer.json()["choices"][0]["text"]
    return text


def cut_off(server: Server) -> None:
    """Ask for a stream, and hang up after its first bytes."""
    body = json.dumps({**ASK, "prompt": "x = ", "max_tokens": 2000, "stream": True}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.path))
        connection.sendall(head.encode() + body)
        assert connection.recv(200).startswith(b"HTTP/1.1 200")


def test_answers_to_many_clients_at_once_are_those_to_each_alone(
    start_scripted: StartServer,
) -> None:
    server = start_scripted({}, limits=Limits(running=3))
    prompts = [f"def name_{number}(value):\n    return" for number in range(CLIENTS)]
    alone = [text_for(server, "alone", prompt) for prompt in prompts]
    assert len(set(alone)) > 1
    with ThreadPoolExecutor(CLIENTS + 2) as pool:
        hang_ups = [pool.submit(cut_off, server) for _ in range(2)]
        answers = []
        for _ in range(3):
            for number, prompt in enumerate(prompts):
                answers.append(pool.submit(text_for, server, f"client{number}", prompt))
        texts = [answer.result() for answer in answers]
        for hang_up in hang_ups:
            hang_up.result()
    assert texts == alone * 3
    health = server.get("/health").json()
    while health["running"]:
        health = server.get("/health").json()
    assert health["waiting"] == 0
    assert server.service.engines.clients <= MOST_CLIENTS
    assert server.get("/health").json()["status"] == "ok"
