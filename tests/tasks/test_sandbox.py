"""What a command of a task reads, writes, reaches and sees; each by a command that tries."""

import os
import platform
import shlex
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from spark_tui.config import state_dir
from spark_tui.tasks.sandbox import CommandRun, Sandbox
from spark_tui.tasks.socket_filter import filter_for, has_filter
from spark_tui.tasks.surroundings import emptied_folders, tool_folders
from tests.fakes import returned
from tests.tasks.scripts import FILES, break_bubblewrap
from tests.vcs.repos import git, make_repo

SECRET = "hidden-0123456789"
SECONDS = 30.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the user's, where programs keep keys."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def sandbox(tmp_path: Path, home: Path) -> Sandbox:
    """A sandbox of a work tree without git."""
    root = tmp_path / "state" / "tasks" / "one"
    root.mkdir(parents=True)
    return Sandbox(root, root.with_name("scratch"))


@pytest.fixture
def confined(sandbox: Sandbox) -> Sandbox:
    """The sandbox, where bubblewrap and the filter of sockets work."""
    if not sandbox.is_confined:
        pytest.skip("needs bubblewrap (bwrap) that works here")
    return sandbox


@pytest.fixture
def unconfined(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """The sandbox on a machine without bubblewrap."""
    break_bubblewrap(tmp_path / "broken", monkeypatch)
    assert not sandbox.is_confined
    return sandbox


def run(sandbox: Sandbox, line: str) -> CommandRun:
    return returned(sandbox.run(line, SECONDS))


def run_python(sandbox: Sandbox, code: str) -> CommandRun:
    return run(sandbox, shlex.join([sys.executable, "-c", code]))


@pytest.fixture(params=["stream in the work tree", "datagram in the work tree", "abstract"])
def address(
    request: pytest.FixtureRequest,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[int, str]]:
    """A unix socket that somebody listens to: its type, and its address in the work tree."""
    where, kind = "s", socket.SOCK_STREAM
    if request.param == "abstract":
        where = f"\0{tmp_path.name}"
    if request.param.startswith("datagram"):
        kind = socket.SOCK_DGRAM
    monkeypatch.chdir(tmp_path / "state/tasks/one")  # a whole path may be too long for an address
    with closing(socket.socket(socket.AF_UNIX, kind)) as listener:
        listener.bind(where)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        yield kind, where


def connecting(kind: int, address: str) -> str:
    """A program that connects to an address."""
    return f"import socket; socket.socket(socket.AF_UNIX, {kind}).connect({address!r})"


def test_a_confined_command_connects_to_no_unix_socket(
    address: tuple[int, str], confined: Sandbox
) -> None:
    assert "not permitted" in run_python(confined, connecting(*address)).output


def test_an_unconfined_command_connects_to_unix_sockets(
    address: tuple[int, str], unconfined: Sandbox
) -> None:
    assert run_python(unconfined, connecting(*address)).status == 0


@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW", "SOCK_DGRAM | socket.SOCK_CLOEXEC"])
def test_no_pair_of_sockets_sends_to_a_path(confined: Sandbox, kind: str) -> None:
    made = run_python(confined, f"import socket; socket.socketpair(type=socket.{kind})")
    assert "not permitted" in made.output


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_ALG"])
def test_no_socket_of_another_family_is_opened(confined: Sandbox, family: str) -> None:
    made = run_python(confined, f"import socket; socket.socket(socket.{family})")
    assert "not permitted" in made.output


def test_confined_programs_talk_to_their_children_and_to_themselves(confined: Sandbox) -> None:
    code = """
import asyncio, socket
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    one, other = socket.socketpair(type=kind)
    one.send(b"x")
    assert other.recv(1) == b"x"
with ProcessPoolExecutor(2, get_context("fork")) as pool:
    assert list(pool.map(abs, [-1])) == [1]
async def start():
    return await (await asyncio.create_subprocess_exec("true")).wait()
assert asyncio.run(start()) == 0
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), 5).close()
"""
    assert run_python(confined, code) == CommandRun(0, "")


@pytest.mark.parametrize(
    "name",
    [
        ".netrc",
        ".git-credentials",
        ".npmrc",
        ".config/gh/hosts.yml",
        ".local/share/keyrings/login.keyring",
        ".local/share/uv/credentials/credentials.toml",
        ".cargo/credentials.toml",
        ".bash_history",
        "notes.txt",
    ],
)
def test_a_confined_command_reads_nothing_of_the_home_folder(
    confined: Sandbox, home: Path, name: str
) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(SECRET)
    (home / ".cargo/bin").mkdir(parents=True, exist_ok=True)
    seen = run(confined, f"cat {home}/{name}; find ~ -type f -exec cat {{}} +")
    assert SECRET not in seen.output


def test_a_path_that_names_the_home_folder_does_not_show_it(
    confined: Sandbox, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "notes.txt").write_text(SECRET)
    (home / "pyvenv.cfg").touch()
    (home / "bin").mkdir()
    (home / "link").symlink_to(home.parent)
    for name in ("VIRTUAL_ENV", "JAVA_HOME", "NVM_DIR"):
        monkeypatch.setenv(name, str(home / "link" / "home"))
    monkeypatch.setenv("PATH", f"{home}:{home}/bin:{home}/link:{home}/..:{os.environ['PATH']}")
    seen = Sandbox(home.parent / "other", home.parent / "scratch")
    (home.parent / "other").mkdir()
    assert SECRET not in run(seen, f"cat {home}/notes.txt {home}/link/home/notes.txt").output


def test_a_confined_command_runs_the_tools_of_the_home_folder_and_of_the_path(
    confined: Sandbox, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [home / ".cargo/bin", home / "repo/.venv/bin", tmp_path / "tools"]
    for number, place in enumerate(places):
        place.mkdir(parents=True)
        (place / f"tool{number}").write_text(f"#!/bin/sh\necho tool {number}\n")
        (place / f"tool{number}").chmod(0o755)
    (home / "repo/.venv/pyvenv.cfg").touch()
    (home / "repo/.venv/lib").mkdir()
    (home / "repo/.env").write_text(SECRET)
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, places), os.environ["PATH"]]))
    root = home.parent / "state" / "tasks" / "one"
    seen = Sandbox(root, root.with_name("scratch"))
    tools = run(seen, f"tool0; tool1; tool2; ls {home}/repo/.venv; ls -A {home}/repo")
    assert tools.output.split("\n") == [
        "tool 0",
        "tool 1",
        "tool 2",
        "bin",
        "lib",
        "pyvenv.cfg",
        ".venv",
    ]
    written = run(seen, f"touch {home}/.cargo/bin/new {tmp_path}/tools/new")
    assert (written.status, (home / ".cargo/bin/new").exists()) == (1, False)


def test_a_confined_command_writes_where_it_may_and_nowhere_else(
    confined: Sandbox, home: Path, tmp_path: Path
) -> None:
    line = f"touch made $TMPDIR/made {home}/made {tmp_path}/made /tmp/made; touch /usr/made"
    assert run(confined, line).status == 1
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("made"))
    assert made == ["state/tasks/one/made", "state/tasks/scratch/made"]
    assert not Path("/usr/made").exists()


@pytest.mark.parametrize(
    "line",
    ["umount -l {home}", "mount -o remount,rw,bind /", "umount /tmp", "mount -t tmpfs x /mnt"],
)
def test_a_confined_command_cannot_take_the_sandbox_down(
    confined: Sandbox, home: Path, line: str
) -> None:
    # Root would keep its capabilities.
    assert run(confined, line.replace("{home}", str(home))).status not in (0, 127)


def test_a_confined_command_reads_the_history_that_its_repository_borrows(
    confined: Sandbox, home: Path
) -> None:
    repo = make_repo(home / "repo", FILES)
    root = home.parent / "borrowing"
    git(home, "clone", "-q", "--shared", str(repo), str(root))
    head = git(repo, "rev-parse", "HEAD").decode()
    seen = Sandbox(root, home.parent / "scratch", (), root / ".git")
    assert head.strip() in run(seen, "git log -p").output
    assert run(seen, "git commit --allow-empty -m x").status != 0


HIDDEN = [
    "PGPASSWORD",
    "DATABASE_URL",
    "SSH_AUTH_SOCK",
    "openai_api_key",
    "DBUS_SESSION_BUS_ADDRESS",
    "GITHUB_PAT",
    "PATH_TO_KEY",
    "LC_SECRET",
]
SEEN = ["LANG", "LC_TIME", "TZ", "VIRTUAL_ENV", "CARGO_HOME", "GOPATH", "JAVA_HOME"]


@pytest.mark.parametrize("state", ["confined", "unconfined"])
def test_a_command_sees_the_variables_that_tools_need_and_no_others(
    request: pytest.FixtureRequest,
    sandbox: Sandbox,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: str,
) -> None:
    request.getfixturevalue(state)
    for name in HIDDEN:
        monkeypatch.setenv(name, SECRET)
    for name in SEEN:
        monkeypatch.setenv(name, f"/of/{name}")
    root = home.parent / "state" / "tasks" / "one"
    seen = run(Sandbox(root, root.with_name("scratch"), ["LC_SECRET"]), "env").output
    assert SECRET not in seen
    lines = set(seen.splitlines())
    assert {f"{name}=/of/{name}" for name in SEEN} <= lines
    assert f"HOME={home}" in lines


def test_there_is_a_filter_for_the_machines_that_are_known_and_for_no_other() -> None:
    kinds = {machine: filter_for(machine) for machine in ("x86_64", "aarch64", "riscv64", "i686")}
    assert [bool(kinds[name]) for name in kinds] == [True, True, False, False]
    # Instructions of 8 bytes, of which the last one lets the call pass (SECCOMP_RET_ALLOW).
    for program in filter(None, kinds.values()):
        assert len(program) % 8 == 0
        assert program.endswith((0x7FFF0000).to_bytes(4, sys.byteorder))


def test_without_a_filter_nothing_is_called_confined(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert (has_filter(), sandbox.is_confined) == (False, False)


ROWS = ["reads", "writes", "reaches", "starts", "sees"]
STATES = ["confined", "unconfined"]


@pytest.fixture(params=STATES)
def either(request: pytest.FixtureRequest) -> Sandbox:
    """The sandbox with bubblewrap, and without."""
    sandbox: Sandbox = request.getfixturevalue(request.param)
    return sandbox


def test_the_table_has_a_row_for_each_thing_that_a_command_does(either: Sandbox) -> None:
    assert list(either.describe()) == ROWS


def test_a_command_reads_what_the_table_says(either: Sandbox, home: Path, tmp_path: Path) -> None:
    reads = either.describe()["reads"]
    state = state_dir() / "trust.json"
    for file in (home / "notes.txt", tmp_path / "notes.txt", state):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    seen = {file: run(either, f"cat {file}").status for file in (home / "notes.txt", state)}
    all_seen = dict.fromkeys(seen, 0 if reads == "what you can read" else 1)
    assert seen == all_seen
    assert run(either, "cat /etc/passwd").status == 0
    emptied = [folder for folder in emptied_folders() if f"{folder}" in reads]
    assert emptied == (emptied_folders() if either.is_confined else [])
    shown = [*tool_folders(os.environ), home.parent / "state"]
    known = " -o ".join(f"-path {path}" for path in shown)
    for folder in emptied:
        left = run(either, f"find {folder} \\( {known} \\) -prune -o -type f -print")
        assert left == CommandRun(0, "")


def test_a_command_writes_what_the_table_says(either: Sandbox, home: Path) -> None:
    writes = either.describe()["writes"]
    run(either, f"touch {home}/made; touch own")
    assert (home / "made").exists() == (writes == "what you can write")
    assert (home.parent / "state/tasks/one/own").exists()


def test_a_command_reaches_what_the_table_says(either: Sandbox) -> None:
    is_all = either.describe()["reaches"] == "the network, your unix sockets and your processes"
    with socket.create_server(("127.0.0.1", 0)) as server:
        call = f"import socket; socket.create_connection({server.getsockname()!r}, 5)"
        assert (run_python(either, call).status == 0) == is_all
    assert (run(either, f"kill -0 {os.getpid()}").status == 0) == is_all
    # That no unix socket is reached, see the first tests.
    assert ("no unix socket" in either.describe()["reaches"]) != is_all


def test_what_a_command_starts_ends_with_it_where_the_table_says_so(
    either: Sandbox, home: Path
) -> None:
    pipe = home.parent / "state/tasks/one/pipe"
    os.mkfifo(pipe)
    # The daemon holds the pipe open for as long as it lives.
    line = "setsid env -i sh -c 'exec 3<>pipe; echo held >&3; sleep 1000' & read -r held <pipe"
    with closing(either.start(line, SECONDS)) as command:
        for _ in command:
            pass
    assert command.result == 0
    starts = either.describe()["starts"]
    assert not ("all end with it" in starts and is_held(pipe))
    capabilities = run(either, "grep CapEff /proc/self/status").output.split()[-1]
    assert not ("without capabilities" in starts and int(capabilities, 16))


def is_held(pipe: Path) -> bool:
    """Whether a process has a pipe open for writing."""
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while os.read(descriptor, 100):
            pass
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def test_a_command_sees_the_variables_of_the_table(either: Sandbox) -> None:
    told = set(either.describe()["sees"].split(", "))
    seen = {line.partition("=")[0] for line in run(either, "env").output.splitlines()}
    # What spark and the shell set themselves.
    own = {"PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE", "SPARK_CHECK", "PWD", "OLDPWD", "SHLVL"}
    assert told <= seen
    assert seen - own - {"_"} <= told


def test_a_state_folder_behind_a_link_is_shown(
    confined: Sandbox, home: Path, tmp_path: Path
) -> None:
    (home / "real/root").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home / "real")
    sandbox = Sandbox(tmp_path / "link/root", tmp_path / "link/scratch")
    assert run(sandbox, "touch made; cd $TMPDIR && pwd") == CommandRun(
        0, f"{tmp_path}/link/scratch"
    )
    assert (home / "real/root/made").exists()


NUMBERS = {"io_uring": 425, "socket of x32": 0x40000000 + 41}


@pytest.mark.parametrize("name", NUMBERS)
def test_calls_that_open_sockets_in_other_ways_are_not_there(confined: Sandbox, name: str) -> None:
    code = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);"
        f"print(libc.syscall({NUMBERS[name]}, 1, 1, 0), ctypes.get_errno())"
    )
    assert run_python(confined, code).output == "-1 38"  # ENOSYS


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs code of 32-bit x86 to run")
def test_a_call_of_another_architecture_ends_the_program(confined: Sandbox) -> None:
    # mov eax, 20 (getpid of i386); int 0x80; ret
    code = (
        "import ctypes, mmap; memory = mmap.mmap(-1, 4096, prot=7);"
        "memory.write(bytes.fromhex('b814000000cd80c3'));"
        "place = ctypes.addressof(ctypes.c_char.from_buffer(memory));"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(place)())"
    )
    assert run_python(confined, code).status == 128 + signal.SIGSYS


def test_a_named_pipe_beside_the_emptied_folders_can_be_written_to(confined: Sandbox) -> None:
    # As the documentation says: neither a read-only disk nor the filter keeps a program from that.
    with TemporaryDirectory(dir=Path(__file__).parent) as place:
        pipe = Path(place) / "pipe"
        if any(pipe.is_relative_to(folder) for folder in emptied_folders()):
            pytest.skip("needs a checkout outside of the home folder")
        os.mkfifo(pipe)
        descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            assert run(confined, f"echo x > {pipe}").status == 0
            assert os.read(descriptor, 2) == b"x\n"
        finally:
            os.close(descriptor)
