"""A language server for tests: each line with WRONG in it has an error.

What it does wrong itself is the first argument; it writes what it is sent, and its environment,
into the file that is the second one. Knows nothing of spark, whose tests start it as a program.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

MODE = sys.argv[1]
LOG = Path(sys.argv[2])
_VERSION = "0.0.1" if MODE == "old" else "9.9.9"


def log(message: Any) -> None:
    with LOG.open("a") as file:
        file.write(json.dumps(message) + "\n")


def send(message: dict[str, Any]) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}).encode())


def write(body: bytes) -> None:
    sys.stdout.buffer.write(b"content-length: %d\r\nX-Other: 1\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any]:
    size = 0
    while header := sys.stdin.buffer.readline().strip():
        size = int(header.partition(b":")[2])
    if not size:
        sys.exit()
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(size))
    return message


def diagnostics(text: str) -> list[Any]:
    if MODE == "lies":
        return [
            3,
            {"message": "no range", "severity": 1},
            {"range": {"start": {"line": "two"}}, "message": "no number", "severity": 1},
            {"range": {"start": {"line": 10**9}}, "message": "far below", "severity": 1},
            {"range": {"start": {"line": -1}}, "message": "above", "severity": 1},
            {"range": {"start": {"line": 0}}, "message": ["no text"], "severity": 1},
            {"range": {"start": {"line": 0}}, "message": "a hint", "severity": 4},
        ]
    return [
        {
            "range": {"start": {"line": number, "character": 0}},
            "severity": 1,
            "code": "wrong",
            "message": f"{line.strip()} is wrong\n\nand more of it",
        }
        for number, line in enumerate(text.split("\n"))
        if "WRONG" in line
    ]


def misbehave() -> None:
    if MODE == "dies":
        sys.exit(1)
    if MODE == "says no length":
        sys.stdout.buffer.write(b"Hello\r\n\r\n")
    elif MODE == "never ends its header":
        sys.stdout.buffer.write(b"X" * 10_000)
    elif MODE == "says too much":
        sys.stdout.buffer.write(b"Content-Length: 999999999999\r\n\r\n{")
    elif MODE == "says no JSON":
        write(b"{no JSON")
    elif MODE == "says deep JSON":
        write(b"[" * 100_000)
    sys.stdout.buffer.flush()


def initialize(number: Any) -> None:
    capabilities: dict[str, Any] = {}
    if MODE != "publishes":
        capabilities["diagnosticProvider"] = {}
    info = {"name": "fake", "version": _VERSION}
    send({"id": number, "result": {"capabilities": capabilities, "serverInfo": info}})
    send({"id": "own", "method": "workspace/configuration", "params": {"items": [{}]}})
    misbehave()


def show(params: dict[str, Any], texts: dict[str, str]) -> None:
    document = params["textDocument"]
    uri = document["uri"]
    changes = params.get("contentChanges")
    texts[uri] = changes[-1]["text"] if changes else document["text"]
    if MODE == "publishes":
        other = {"uri": "file:///elsewhere.py", "diagnostics": diagnostics("WRONG")}
        own = {"uri": uri, "version": document["version"], "diagnostics": diagnostics(texts[uri])}
        for each in (other, own):
            send({"method": "textDocument/publishDiagnostics", "params": each})


def tell(number: Any, text: str) -> None:
    if MODE == "hangs":
        return
    while MODE == "floods":
        send({"method": "window/logMessage", "params": {"message": "x" * 10_000}})
    if MODE == "refuses" and "WRONG" in text:
        send({"id": number, "error": {"code": -32800, "message": "no"}})
    else:
        send({"id": number, "result": {"kind": "full", "items": diagnostics(text)}})


def main() -> None:
    texts = dict[str, str]()
    log({"pid": os.getpid(), "environment": dict(os.environ)})
    while True:
        message = receive()
        log(message)
        params = message.get("params", {})
        match message.get("method"):
            case "initialize":
                initialize(message["id"])
            case "textDocument/didOpen" | "textDocument/didChange":
                show(params, texts)
            case "textDocument/didClose":
                del texts[params["textDocument"]["uri"]]
            case "textDocument/diagnostic":
                tell(message["id"], texts[params["textDocument"]["uri"]])


if __name__ == "__main__":
    main()
