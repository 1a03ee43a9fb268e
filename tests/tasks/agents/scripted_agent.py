"""An agent that does what a test says: `python scripted_agent.py SCENE [ARGUMENT ...]`.

It speaks the Agent Client Protocol in plain JSON, and knows nothing of spark. A scene is a function
below; it plays one turn, and what it returns is how the turn stops.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MENDED = "def area(w, h):\n    return w * h\n"
ARGUMENTS = sys.argv[2:]


def put(line: bytes) -> None:
    """Write a line, whatever it holds."""
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def send(body: dict[str, Any]) -> None:
    put(json.dumps({"jsonrpc": "2.0"} | body).encode())


def take() -> dict[str, Any]:
    """The next message; the end of the input is the end of the agent."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


class Turn:
    """One turn.

    Attributes:
        text: What the agent was told.
        number: From 1.
        session: What the session is called.
    """

    def __init__(self, session: str, text: str, number: int) -> None:
        self.session = session
        self.text = text
        self.number = number
        self.is_cancelled = False
        self._last = 1000

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the client, and wait for its answer."""
        self._last += 1
        body = {"sessionId": self.session} | params
        send({"id": self._last, "method": method, "params": body})
        while True:
            message = take()
            if message.get("method") == "session/cancel":
                self.is_cancelled = True
            elif message.get("id") == self._last:
                return message

    def update(self, update: str, /, **facts: Any) -> None:
        body = {"sessionId": self.session, "update": {"sessionUpdate": update} | facts}
        send({"method": "session/update", "params": body})

    def say(self, text: str) -> None:
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def call(self, name: str, /, **facts: Any) -> None:
        self.update("tool_call", toolCallId=name, **facts)

    def end_call(self, name: str, /, status: str = "completed", **facts: Any) -> None:
        self.update("tool_call_update", toolCallId=name, status=status, **facts)

    def path(self, name: str) -> str:
        return f"{Path.cwd()}/{name}"

    def write(self, name: str, text: str) -> dict[str, Any]:
        return self.ask("fs/write_text_file", path=self.path(name), content=text)


def right(turn: Turn) -> str:
    """Mends the area through the client, and tells all about it."""
    entries = [
        {"content": "look", "priority": "high", "status": "completed"},
        {"content": "mend", "priority": "high", "status": "in_progress"},
    ]
    turn.update("plan", entries=entries)
    turn.update("agent_thought_chunk", content={"type": "text", "text": "let me think"})
    turn.say("I look ")
    turn.say("first.\n")
    turn.call("r", title="read area.py", kind="read", status="in_progress")
    shown = turn.ask("fs/read_text_file", path=turn.path("shapes/area.py"), line=2, limit=1)
    assert shown["result"]["content"] == "    return w + h\n", shown
    turn.end_call("r")
    turn.call("w", title="edit area.py", kind="edit", status="pending")
    diff = {
        "type": "diff",
        "path": turn.path("shapes/area.py"),
        "oldText": "def area(w, h):\n    return w + h\n",
        "newText": MENDED,
    }
    turn.update("tool_call_update", toolCallId="w", status="in_progress", content=[diff])
    turn.write("shapes/area.py", MENDED)
    turn.end_call("w")
    turn.update("usage_update", used=10, size=1000, cost={"amount": 0.25, "currency": "USD"})
    turn.say("It is mended.")
    return "end_turn"


def shows(turn: Turn) -> str:
    """Comes to the middle of an edit, tells so, and waits to be cancelled."""
    entries = [
        {"content": "look", "priority": "high", "status": "completed"},
        {"content": "mend", "priority": "high", "status": "in_progress"},
    ]
    turn.update("plan", entries=entries)
    turn.say("I look first.\n")
    diff = {
        "type": "diff",
        "path": turn.path("shapes/area.py"),
        "oldText": "def area(w, h):\n    return w + h\n",
        "newText": MENDED,
    }
    turn.call("w", title="edit area.py", kind="edit", status="in_progress", content=[diff])
    while take().get("method") != "session/cancel":
        pass
    return "cancelled"


def alone(turn: Turn) -> str:
    """Changes files without a word to the client."""
    Path("shapes/area.py").write_text(MENDED)
    Path("docs").mkdir()
    Path("docs/area.md").write_text("# Area\n")
    Path("report.py").unlink()
    return "end_turn"


def twice(turn: Turn) -> str:
    """Makes it worse in the first turn, and right in the second one."""
    text = MENDED if turn.number > 1 else MENDED.replace("*", "-")
    turn.write("shapes/area.py", text)
    turn.say(turn.text)
    return "end_turn"


def stubborn(turn: Turn) -> str:
    """Never mends it."""
    return "end_turn"


def refuses(turn: Turn) -> str:
    turn.write("shapes/area.py", MENDED)
    return "refusal"


def dies(turn: Turn) -> str:
    """Ends in mid-step where it begins anew; else it does the rest."""
    if "earlier attempt" in turn.text or "interrupted" in turn.text:
        turn.say(f"areas: {Path('shapes/area.py').read_text()!r}")
        turn.write("new.txt", "new\n")
        return "end_turn"
    turn.call("w", title="edit area.py", kind="edit", status="in_progress")
    turn.write("shapes/area.py", MENDED)
    sys.stderr.write("\x1b[31mout of \x07luck\n")
    sys.stderr.flush()
    os._exit(3)


def waits(turn: Turn) -> str:
    """Changes a file, tells so, and waits to be cancelled."""
    turn.write("shapes/area.py", MENDED)
    turn.call("w", title="waiting", kind="execute", status="in_progress")
    while take().get("method") != "session/cancel":
        pass
    Path("cancelled.txt").write_text("cancelled\n")
    return "cancelled"


def heeds(turn: Turn) -> str:
    """Goes the wrong way until it is told another one."""
    if turn.number > 1:
        turn.say(turn.text)
        turn.write("shapes/area.py", MENDED)
        return "end_turn"
    turn.write("wrong.txt", "wrong\n")
    turn.say("I go the wrong way.")
    while take().get("method") != "session/cancel":
        pass
    turn.say("I stop.")
    return "cancelled"


def hangs(turn: Turn) -> str:
    """Starts a daemon, and never answers anything again, nor ends."""
    code = "import sys, time; open(sys.argv[1], 'w', 1).write('alive'); time.sleep(600)"
    command = [sys.executable, "-c", code, ARGUMENTS[0]]
    subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    turn.call("w", title="hanging", kind="execute", status="in_progress")
    while True:
        time.sleep(600)


def floods(turn: Turn) -> str:
    """Says very much, on all its pipes, and then does the work."""
    for _ in range(3000):
        turn.say("x" * 1000)
        sys.stderr.write("e" * 1000)
    turn.call("w", title="t" * 5000, kind="edit", status="in_progress")
    for number in range(300):
        entries = [{"content": "y" * 999, "priority": "low", "status": "pending"}] * 3
        turn.update("plan", entries=entries)
        turn.update("tool_call", toolCallId=f"c{number}", title="call", kind="read")
    turn.write("shapes/area.py", MENDED)
    return "end_turn"


def endless(turn: Turn) -> str:
    """Sends one message that never ends."""
    piece = b"x" * (1 << 20)
    while True:
        sys.stdout.buffer.write(piece)


def lies(turn: Turn) -> str:
    """Reads and writes at each of the arguments, and tells what came of it."""
    outcomes = {}
    for name in ARGUMENTS:
        path = name if name.startswith("/") else turn.path(name)
        written = turn.ask("fs/write_text_file", path=path, content="harm\n")
        read = turn.ask("fs/read_text_file", path=path)
        outcomes[name] = ["error" in written, read.get("result", {}).get("content")]
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(outcomes))
    return "end_turn"


OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Once", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def asks(turn: Turn) -> str:
    """Asks for what the arguments say, and tells what it may do."""
    answers = list[str]()
    for argument in ARGUMENTS:
        question = json.loads(argument)
        call = {"toolCallId": f"c{len(answers)}"} | question
        for place in call.get("locations", []):
            place["path"] = place["path"].replace("ROOT", str(Path.cwd()))
        turn.update("tool_call", **{"title": "it"} | call)
        asked = {"toolCallId": call["toolCallId"]}
        answer = turn.ask("session/request_permission", toolCall=asked, options=OPTIONS)
        answers.append(answer["result"]["outcome"].get("optionId", "cancelled"))
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(answers))
    return "end_turn"


def asks_at_length(turn: Turn) -> str:
    """Asks for one large edit at each of the arguments, and tells what it may do."""
    answers = []
    for name in ARGUMENTS:
        diffs = [{"type": "diff", "path": name, "newText": "x" * 300_000}] * 5
        call = {"toolCallId": name, "title": "it", "kind": "edit", "content": diffs}
        answer = turn.ask("session/request_permission", toolCall=call, options=OPTIONS)
        answers.append(answer["result"]["outcome"]["optionId"])
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(answers))
    return "end_turn"


def runs(turn: Turn) -> str:
    """Runs the arguments in terminals, and tells what came of them."""
    outcomes = list[Any]()
    for line in ARGUMENTS:
        words = json.loads(line) if line.startswith("[") else [line]
        created = turn.ask("terminal/create", command=words[0], args=words[1:])
        if "error" in created:
            outcomes.append(created["error"]["message"])
            continue
        name = created["result"]["terminalId"]
        ended = turn.ask("terminal/wait_for_exit", terminalId=name)["result"]
        shown = turn.ask("terminal/output", terminalId=name)["result"]
        turn.ask("terminal/release", terminalId=name)
        gone = turn.ask("terminal/output", terminalId=name)
        assert "error" in gone
        outcomes.append([ended, shown["output"]])
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(outcomes))
    return "end_turn"


def malformed(turn: Turn) -> str:
    """Sends much that is no message, and then does the work."""
    put(b"Welcome to the agent!")
    put(b"\xff\xfe{")
    put(b"[1, 2]")
    put(b"[" * 100_000)
    put(b'{"jsonrpc": "2.0", "method": "session/update", "params": 7}')
    put(b'{"jsonrpc": "2.0", "id": {}, "method": "fs/read_text_file", "params": {"a": []}}')
    put(b'{"jsonrpc": "2.0", "id": 99999, "result": {"stopReason": "end_turn"}}')
    turn.update("no_such_update", content=3)
    turn.update("usage_update", used=1, size=1, cost={"amount": 1e999, "currency": "USD"})
    turn.update("agent_message_chunk", content={"type": "text", "text": 5})
    turn.say("half \ud800 and \x00 and \x1b[2J")
    turn.call("w\ud800", title="\x1b]0;title\x07", kind="nonsense", status=[])
    turn.end_call("w\ud800", content=[{"type": "diff"}, 3], locations=[7])
    unknown = turn.ask("no/such_method")
    assert unknown["error"]["code"] == -32601
    wrong = turn.ask("fs/write_text_file", path=["a"], content=None)
    assert wrong["error"]["code"] == -32602
    turn.write("shapes/area.py", MENDED)
    return "end_turn"


def garbage(turn: Turn) -> str:
    while True:
        put(b"\x1b[31mgarbage")


def sees(turn: Turn) -> str:
    """Tells its environment and where it is."""
    turn.say(json.dumps(dict(os.environ) | {"CWD": str(Path.cwd())}))
    turn.write("shapes/area.py", MENDED)
    return "end_turn"


def reaches(turn: Turn) -> str:
    """Writes to each of the arguments by itself, and tells where that was refused."""
    refused = []
    for name in ARGUMENTS:
        try:
            Path(name).write_text("harm\n")
        except OSError:
            refused.append(name)
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(refused))
    return "end_turn"


def nonsense(turn: Turn) -> Any:
    """Does the work, and stops for the reason of the argument."""
    turn.write("shapes/area.py", MENDED)
    return json.loads(ARGUMENTS[0])


def asks_newly(turn: Turn) -> str:
    """Asks in words that no version of the protocol has, and tells what it may do."""
    answers = list[str]()
    newer = [{"optionId": "new", "name": "For an hour", "kind": "allow_for_a_while"}]
    for kind, options in (
        ("read", newer + OPTIONS),
        ("read", newer),
        ("dream", newer + OPTIONS),
        ("dream", newer),
    ):
        place = {"path": str(Path.cwd() / "report.py")}
        name = f"c{len(answers)}"
        call = {"toolCallId": name, "title": "it", "kind": kind, "locations": [place]}
        answer = turn.ask("session/request_permission", toolCall=call, options=options)
        answers.append(answer["result"]["outcome"].get("optionId", "cancelled"))
    turn.write("shapes/area.py", MENDED)
    turn.say(json.dumps(answers))
    return "end_turn"


def main() -> None:
    scene = sys.argv[1]
    play: Callable[[Turn], Any] | None = globals().get(scene)
    if scene == "silent":
        time.sleep(600)
    number = 0
    while True:
        message = take()
        name = message.get("id")
        match message.get("method"):
            case "initialize":
                version = int(ARGUMENTS[0]) if scene == "version" else 1
                info = {"name": "scripted", "title": "A Script", "version": "1.0"}
                able = {"loadSession": scene in {"dies", "waits"} and "forgets" not in ARGUMENTS}
                body = {"protocolVersion": version, "agentCapabilities": able, "agentInfo": info}
                if scene == "alone":
                    body = {"protocolVersion": 1, "agentCapabilities": None, "authMethods": None}
                send({"id": name, "result": body})
            case "session/new" if scene == "login":
                send({"id": name, "error": {"code": -32000, "message": "Authentication required"}})
            case "session/new":
                send({"id": name, "result": {"sessionId": f"s{os.getpid()}"}})
            case "session/load" if "lost" in ARGUMENTS:
                send({"id": name, "error": {"code": -32002, "message": "no such session"}})
            case "session/load":
                session = message["params"]["sessionId"]
                Turn(session, "", 0).say("what was said before")
                send({"id": name, "result": {}})
            case "session/prompt":
                number += 1
                params = message["params"]
                turn = Turn(params["sessionId"], params["prompt"][0]["text"], number)
                assert play is not None
                usage = {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10}
                body = {"stopReason": play(turn), "usage": usage}
                send({"id": name, "result": body})


main()
