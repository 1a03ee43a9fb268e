"""Render one chat template and end: run as a program, by `chat_template`, since a template may
never end.

A JSON object on stdin has the template; the text goes to stdout, and what is wrong to stderr.
jinja2's sandbox bounds what a template reaches, and the limits of the process what it takes.
"""

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_MEMORY = 512 << 20
_SECONDS = 3
_MOST_CHARACTERS = 4 << 20


def main() -> int:
    """Render what stdin asks for.

    Returns:
        The exit code.
    """
    asked = json.load(sys.stdin.buffer)
    sys.path[:] = asked["path"]
    _set_limits()
    try:
        text = _rendered(asked)
        if len(text) > _MOST_CHARACTERS:
            return _fail("it writes too much")
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    except MemoryError:
        return _fail("it takes too much memory")
    except RecursionError:
        return _fail("it is nested too deeply")
    except Exception as e:  # noqa: BLE001 - whatever a template does, it is the template's fault
        return _fail(" ".join(str(e).split())[:200] or type(e).__name__)
    return 0


def _rendered(asked: dict[str, Any]) -> str:
    environment = _environment(datetime.fromisoformat(asked["now"]))
    return environment.from_string(asked["source"]).render(
        messages=asked["messages"],
        tools=None,
        documents=None,
        add_generation_prompt=True,
        **asked["specials"],
        **asked["more"],
    )


def _fail(words: str) -> int:
    sys.stderr.buffer.write(words.encode("utf-8", "replace"))
    return 1


def _set_limits() -> None:
    """Bound memory and time from now on, where the system can."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    limits = (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_CORE, 0),
    )
    for limit, most in limits:
        try:
            _, hard = resource.getrlimit(limit)
            resource.setrlimit(limit, (most, hard))
        except (OSError, ValueError):
            continue


def _environment(now: datetime) -> "ImmutableSandboxedEnvironment":
    # Imported once the path is that of whoever asks.
    from jinja2 import TemplateError, nodes  # noqa: PLC0415
    from jinja2.ext import Extension, loopcontrols  # noqa: PLC0415
    from jinja2.parser import Parser  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    class Generation(Extension):
        """`{% generation %}`, which marks what an assistant wrote, and changes nothing here."""

        tags = {"generation"}  # noqa: RUF012 - as jinja2 has it

        def parse(self, parser: Parser) -> nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    def refuse(message: str) -> NoReturn:
        raise TemplateError(message)

    def tojson(
        value: Any, ensure_ascii: bool = False, indent: int | None = None, **given: Any
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **given)

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Generation, loopcontrols],
    )
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = now.strftime
    return made


if __name__ == "__main__":
    sys.exit(main())
