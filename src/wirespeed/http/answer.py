"""Reading one HTTP/1.1 answer from bytes that arrive in pieces of any size.

Lives here: where an answer ends, and whether it broke the rules. This file must never know sockets or clocks.

httptools' parser takes heads and chunks apart. It knows nothing of the request, so what depends on that is
decided here: answers to HEAD have no body; answers with 1xx precede the real one; and the end of the stream
ends an answer that tells no length (RFC 9112 section 6.3), and truncates every other.

A server's answers to one request mostly begin with the same head, byte for byte. A ``KnownHead`` is what such
a head was found to mean, so that the next one need only be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

LONGEST_HEAD_BYTES = 256 * 1024
_LONGEST_KNOWN_HEAD_BYTES = 8 * 1024
_END_OF_HEAD = b"\r\n\r\n"
_NO_CONTENT = (204, 304)
_KNOWN_VERSIONS = ("1.1", "1.0")


class ProtocolViolation(Exception):
    """What came is not an answer, or does not end where it says."""


@dataclass(frozen=True, slots=True)
class KnownHead:
    """A head that was parsed, of an answer that tells its length and leaves its connection open."""

    head: bytes
    answer_bytes: int
    """Head and body."""
    status: int


NO_KNOWN_HEAD = KnownHead(b"\0", 0, 0)
"""Begins no answer."""


class AnswerReader:
    """One answer. Feed it until ``feed`` returns True; if the stream ends first, ask ``ends_with_stream``."""

    _has_body = True

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._first: bytes | None = None
        self._complete = False
        self._violation: str | None = None
        self._content_length: int | None = None
        self._transfer_coded = self._chunked = False
        self._connection: set[bytes] = set()
        self.received_bytes = 0
        self.status = 0
        """0 until the head is complete."""
        self.keep_alive = False
        """Whether the connection can carry another request after this answer."""
        self.ends_with_stream = False
        """Whether the answer goes on until the connection is closed."""

    def feed(self, piece: bytes) -> bool:
        """Read on; True once the answer is complete. Raises ``ProtocolViolation``."""
        if self._first is None:
            self._first = piece[:_LONGEST_KNOWN_HEAD_BYTES]
        self.received_bytes += len(piece)
        try:
            self._parser.feed_data(piece)
        except (HttpParserError, HttpParserUpgrade) as error:
            raise ProtocolViolation(str(error)) from error
        if self._violation is not None:
            raise ProtocolViolation(self._violation)
        if not self.status and self.received_bytes > LONGEST_HEAD_BYTES:
            raise ProtocolViolation("the head has no end")
        return self._complete

    def known_head(self) -> KnownHead | None:
        """What the head of this complete answer means, if it came in one piece and tells all there is to
        know.
        """
        first = self._first or b""
        head_bytes = first.find(_END_OF_HEAD) + len(_END_OF_HEAD)
        if head_bytes < len(_END_OF_HEAD) or not self.keep_alive or self._chunked:
            return None
        body_bytes = self._content_length if self._has_body and self.status not in _NO_CONTENT else 0
        # Unequal where a 1xx answer came first.
        if head_bytes + (body_bytes or 0) != self.received_bytes:
            return None
        return KnownHead(first[:head_bytes], self.received_bytes, self.status)

    # What httptools calls while it parses. An exception here would come back wrapped, so violations are
    # noted.

    def on_message_begin(self) -> None:
        if self._complete:
            self._violation = "more than one answer"

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"content-length":
                self._content_length = int(value)
            case b"transfer-encoding":
                self._transfer_coded = True
                self._chunked = value.lower().rpartition(b",")[2].strip() == b"chunked"
            case b"connection":
                self._connection = {token.strip() for token in value.lower().split(b",")}

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        version = self._parser.get_http_version()
        if status == 101 or version not in _KNOWN_VERSIONS:
            self._violation = f"HTTP/{version} {status}, which was not asked for"
        elif status < 200:
            self._forget_headers()
        else:
            self._take_head(status, version)

    def on_message_complete(self) -> None:
        self._complete = self.status != 0

    def _take_head(self, status: int, version: str) -> None:
        self.status = status
        has_body = self._has_body and status not in _NO_CONTENT
        tells_length = self._chunked or (self._content_length is not None and not self._transfer_coded)
        self.ends_with_stream = has_body and not tells_length
        asked_to_keep = version == "1.1" or b"keep-alive" in self._connection
        self.keep_alive = asked_to_keep and b"close" not in self._connection and not self.ends_with_stream
        self._complete = not has_body

    def _forget_headers(self) -> None:
        self._content_length = None
        self._transfer_coded = self._chunked = False
        self._connection = set()


class HeadAnswerReader(AnswerReader):
    """An answer to HEAD: its headers may speak of a body, but none may follow."""

    _has_body = False

    def on_body(self, body: bytes) -> None:
        self._violation = "a body in the answer to HEAD"
