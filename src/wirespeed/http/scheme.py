"""Noticing that a server speaks TLS although the URL says http://.

To requests in the clear such servers answer 400, an alert, or nothing: whatever it is, it looks like a broken
server. So where nothing better has come, a handshake is tried, and its success says what is wrong.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from wirespeed.errors import SubjectError
from wirespeed.http.dialing import Address, speaks_tls
from wirespeed.http.outcomes import Failure
from wirespeed.http.target import Origin

_IN_VAIN: Final[Set[int | Failure]] = {
    400,
    Failure.PROTOCOL,
    Failure.TRUNCATED,
    Failure.RESET,
    Failure.STALE,
    Failure.TIMEOUT,
}
"""How requests in the clear end at such servers. (Some know both protocols, and answer 400.)"""


def are_in_vain(outcomes: Set[int | Failure]) -> bool:
    """Whether statuses and failures are such that it is worth asking."""
    return bool(outcomes) and outcomes <= _IN_VAIN


async def require_plain(origin: Origin, address: Address) -> None:
    """Raise ``SubjectError`` where requests that were in vain went in the clear to a port for TLS."""
    if origin.tls is None and address.is_tcp and await speaks_tls(address, origin.host):
        raise SubjectError(
            f"{origin.authority} speaks TLS, which {origin.scheme}:// does not",
            advice=f"Try https://{origin.authority}.",
        )
