"""The network settings of the environment: which host is this machine, which variable is wrong."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_SOCKS = frozenset({"socks5", "socks5h"})
_PORTS = {"http": 80, "https": 443}
_SCHEMES = frozenset({"http", "https"}) | _SOCKS


def is_here(host: str) -> bool:
    """Whether a host is this machine, which no proxy stands before."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def wrong_setting(env: Mapping[str, str], error: Exception) -> str:
    """What to change where no client can be made.

    Args:
        env: The environment.
        error: What making the client raised.

    Returns:
        A clause that names the variable and its value, and what to do about it.
    """
    if isinstance(error, OSError):
        for variable in _CERTIFICATES:
            if value := env.get(variable):
                reason = error.strerror or "no certificates"
                return f"${variable} is {value} ({reason}); set it to your certificates or unset it"
    for variable, value in _proxies(env):
        scheme = _parts(value).scheme
        shown = without_secret(value)
        if scheme not in _SCHEMES:
            known = "http://, https:// or socks5://"
            return f"${variable} is {shown}, which is no proxy; begin it with {known} or unset it"
        if scheme in _SOCKS and isinstance(error, ImportError):
            return f"${variable} is {shown}; run pip install 'spark-tui[socks]' for it or unset it"
        if not _has_address(value):
            return f"${variable} is {shown}, which is no address; set it again or unset it"
    return "look at the proxy and certificate variables of your environment"


def proxy_at(env: Mapping[str, str], host: str, port: int) -> str:
    """The variable that names a proxy at an address, with its value; "" where none does."""
    for variable, value in _proxies(env):
        parts = _parts(value)
        default = _PORTS.get(parts.scheme, 1080)
        if _has_address(value) and (parts.hostname, parts.port or default) == (host, port):
            return f"${variable}, {without_secret(value)}"
    return ""


def without_secret(url: str) -> str:
    """A proxy without the user and the password that may stand in its address."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _proxies(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that name a proxy, with their values; the small spelling wins."""
    for name in _PROXIES:
        for variable in (name, name.upper()):
            if value := env.get(variable):
                yield variable, value
                break


def _parts(value: str) -> SplitResult:
    return urlsplit(value if "://" in value else f"http://{value}")


def _has_address(value: str) -> bool:
    try:
        parts = _parts(value)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
