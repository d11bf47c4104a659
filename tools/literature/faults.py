"""Why an address was not fetched. No message holds a key, a password or what a server answered."""

from __future__ import annotations


class FetchError(Exception):
    """Nothing was fetched.

    Args:
        address: What was asked for, without secrets.
        reason: What happened, to be read after the address.
    """

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{address.partition('?')[0]} {reason}")
        self.address = address
        self.reason = reason


class AddressBlocked(FetchError):
    """The address is on the blocklist; no request was sent to it."""


class AddressRefused(FetchError):
    """The address is not one that may be asked, such as one of a private network; no request was sent to it."""


class ContentRefused(FetchError):
    """The answer is too large, or of a type that is no document."""


class ServerFault(FetchError):
    """The server could not be reached, or gave no answer that can be used.

    Args:
        address: What was asked for, without secrets.
        reason: What happened, to be read after the address.
        passing: Whether the same request may succeed a little later.
        retry_after_s: Seconds that the server asks to wait.
    """

    def __init__(self, address: str, reason: str, *, passing: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(address, reason)
        self.passing = passing
        self.retry_after_s = retry_after_s
