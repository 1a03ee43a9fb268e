"""The program that renders one chat template; a process of its own, since a template may hang.

`chat_template` starts the program with a JSON object on stdin that has the template. The rendered
text goes to stdout, and an error to stderr. jinja2's sandbox bounds what a template can reach; the
limits of the process bound its memory and time.
"""

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_MEMORY = 512 << 20
"""Bytes of address space."""
_SECONDS = 3
"""Seconds of processor time."""
_MOST_CHARACTERS = 4 << 20
"""Characters of a rendered text."""


def main() -> int:
    """Render the template that stdin holds.

    Returns:
        The exit code.
    """
    request = json.load(sys.stdin.buffer)
    # The path first, since jinja2 comes from there; then the limits, under which even the import of
    # jinja2 runs.
    sys.path[:] = request["path"]
    _set_limits()
    try:
        text = _rendered(request)
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


def _rendered(request: dict[str, Any]) -> str:
    environment = _environment(datetime.fromisoformat(request["now"]))
    return environment.from_string(request["source"]).render(
        messages=request["messages"],
        tools=None,
        documents=None,
        add_generation_prompt=True,
        **request["specials"],
        **request["more"],
    )


def _fail(words: str) -> int:
    """Write an error, and return the exit code."""
    sys.stderr.buffer.write(words.encode("utf-8", "replace"))
    return 1


def _set_limits() -> None:
    """Limit the memory and the time of this process, where the system can."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    limits = (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _SECONDS),
        # a process that is killed leaves no image of its memory on disk
        (resource.RLIMIT_CORE, 0),
    )
    for limit, most in limits:
        try:
            _, hard = resource.getrlimit(limit)
            resource.setrlimit(limit, (most, hard))
        except (OSError, ValueError):
            continue  # a hard limit below `most` holds already, or the system knows no such limit


def _environment(now: datetime) -> "ImmutableSandboxedEnvironment":
    """Make an environment with what `transformers` gives to chat templates."""
    # Imported only after `main` has set the path of the caller.
    from jinja2 import TemplateError, nodes  # noqa: PLC0415
    from jinja2.ext import Extension, loopcontrols  # noqa: PLC0415
    from jinja2.parser import Parser  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    class Generation(Extension):
        """The tag `{% generation %}`, which marks the assistant's text and changes nothing here."""

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

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Generation, loopcontrols],
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = now.strftime
    return environment


if __name__ == "__main__":
    sys.exit(main())
