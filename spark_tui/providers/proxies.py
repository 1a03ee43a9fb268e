"""Reads the proxy and certificate variables of the environment, and words what is wrong with them.

No value is shown with the user and the password that it may hold.
"""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit
from urllib.request import proxy_bypass

_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_SOCKS = frozenset({"socks5", "socks5h"})
_PORTS = {"http": 80, "https": 443}
_SCHEMES = frozenset({"http", "https"}) | _SOCKS


def is_here(host: str) -> bool:
    """Whether a host is this machine, which is reached without any proxy."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # 0.0.0.0 and ::, too: a connection to the unspecified address reaches this machine.
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def wrong_setting(env: Mapping[str, str], error: Exception) -> str:
    """Say which variable of the environment keeps the HTTP client from being made.

    Args:
        env: The environment.
        error: The error of the client's constructor.

    Returns:
        A clause that names the variable, its value, and the remedy.
    """
    if isinstance(error, OSError):
        for variable in _CERTIFICATES:
            if value := env.get(variable):
                reason = error.strerror or "no certificates"
                return f"${variable} is {value} ({reason}); set it to your certificates or unset it"
    for variable, value in _proxies(env):
        if flaw := _proxy_flaw(variable, value):
            return flaw
        if _parts(value).scheme in _SOCKS and isinstance(error, ImportError):
            shown = without_secret(value)
            return f"${variable} is {shown}; run pip install 'spark-tui[socks]' for it or unset it"
    return "look at the proxy and certificate variables of your environment"


def wrong_proxy(env: Mapping[str, str], base_url: str) -> str:
    """Say which variable names a proxy that the HTTP client accepts, but cannot connect to.

    Args:
        env: The environment.
        base_url: The address that is to be reached; other variables than its own do not matter.

    Returns:
        As `wrong_setting`; "" where the address is reached without a proxy, or the proxy is good.
    """
    parts = urlsplit(base_url)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    # reads names and settings
    proxies = {variable.lower(): (variable, value) for variable, value in _proxies(env)}
    proxy = proxies.get(f"{parts.scheme}_proxy") or proxies.get("all_proxy")
    return _proxy_flaw(*proxy) if proxy else ""


def _proxy_flaw(variable: str, value: str) -> str:
    """Say what is wrong with the value of a proxy variable, and the remedy; "" for nothing."""
    shown = f"${variable} is {without_secret(value)}"
    flaw = _address_flaw(value)
    if flaw is None and _parts(value).scheme not in _SCHEMES:
        known = "http://, https:// or socks5://"
        return f"{shown}, which is no proxy; begin it with {known} or unset it"
    if flaw is None:
        return ""
    return f"{shown}, which is no address{flaw}; set it again or unset it"


def proxy_at(env: Mapping[str, str], host: str, port: int) -> str:
    """Find the variable that names a proxy at an address.

    Returns:
        The variable with its value; "" where no variable names such a proxy.
    """
    for variable, value in _proxies(env):
        if _address_flaw(value) is not None:
            continue
        parts = _parts(value)
        # 1080 is the port of SOCKS (RFC 1928)
        default = _PORTS.get(parts.scheme, 1080)
        if (parts.hostname, parts.port or default) == (host, port):
            return f"${variable}, {without_secret(value)}"
    return ""


def without_secret(url: str) -> str:
    """Return the address of a proxy without the user and the password that it may hold."""
    scheme, mark, rest = url.rpartition("://")
    return scheme + mark + rest.rpartition("@")[2]


def _proxies(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that name a proxy, with their values; lower case wins."""
    for name in _PROXIES:
        for variable in (name, name.upper()):
            if value := env.get(variable):
                yield variable, value
                break


def _parts(value: str) -> SplitResult:
    """Split the address of a proxy, which may lack its scheme."""
    if "://" not in value:
        value = f"http://{value}"
    return urlsplit(value)


def _address_flaw(value: str) -> str | None:
    """Say what keeps the value of a proxy variable from being an address.

    Returns:
        A clause behind a colon, "" where the flaw has no name; None for an address.
    """
    try:
        parts = _parts(value)
        place = parts.netloc.rpartition("@")[2]
        if " " in place or not value.isprintable():
            return ": it holds a space"
        host = parts.hostname or ""
        host.encode("idna")
    except ValueError:
        return ""
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        return ": its port is no number from 1 to 65535"
    return None if host else ""
