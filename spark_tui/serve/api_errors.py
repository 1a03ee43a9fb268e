"""Errors in OpenAI's format: one object with message, type, param and code."""

from collections.abc import Mapping
from typing import Any

from spark_tui.errors import (
    ConsentMissing,
    FileError,
    RepoError,
    SparkError,
    Transient,
    UsageError,
)


class ApiError(Exception):
    """A request that is answered with an error.

    Attributes:
        status: The status of HTTP.
        kind: The type of the error, as OpenAI names it.
        param: The wrong parameter; None if there is no single one.
        code: The code by which programs recognize the error; None for no code.
        retry_after: Seconds after which to ask again; None if that does not help.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.param = param
        self.code = code
        self.retry_after = retry_after

    @property
    def body(self) -> dict[str, Any]:
        """The object that is sent."""
        fields = {
            "message": str(self),
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }
        return {"error": fields}

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers to send with the error."""
        if self.retry_after is None:
            return {}
        return {"Retry-After": str(self.retry_after)}


def api_error(error: SparkError) -> ApiError:
    """Return an error of spark's own as one of the interface."""
    if isinstance(error, ConsentMissing):
        return ApiError(403, str(error), param="allow", code="consent_required")
    if isinstance(error, UsageError | RepoError | FileError):
        return ApiError(400, str(error))  # the request names something wrong
    if isinstance(error, Transient):
        return ApiError(503, str(error), kind="server_error", code="transient", retry_after=1)
    return ApiError(500, str(error), kind="server_error")


def wrong(param: str, message: str, code: str | None = None) -> ApiError:
    """Return the error for a parameter that is wrong."""
    return ApiError(400, message, param=param, code=code)
