"""Bodies as they were before compression."""

from __future__ import annotations

import gzip
import importlib
import zlib
from typing import Any, Callable, Mapping

Decoder = Callable[[bytes], bytes]


class UndecodedError(Exception):
    """The body stays as it was sent; the message says why."""


def decode(body: bytes, codings: str) -> bytes:
    """``body`` without the ``codings`` of a Content-Encoding header. Raises ``UndecodedError``."""
    names = [name.strip().lower() for name in codings.split(",") if name.strip()]
    for name in reversed(names):
        # Answers to HEAD and 304s name the coding of a body they do not have.
        if name == "identity" or not body:
            continue
        decoder = _decoder(name)
        try:
            body = decoder(body)
        except Exception as error:  # each library has errors of its own
            raise UndecodedError(f"the body is not valid {name}: {error}") from error
    return body


def _decoder(coding: str) -> Decoder:
    if coding in ("gzip", "x-gzip"):
        return gzip.decompress
    if coding == "deflate":
        return _inflate
    for module, decoder_of in _LIBRARIES.get(coding, ()):
        try:
            return decoder_of(importlib.import_module(module))
        except ImportError:
            continue
    raise UndecodedError(f"nothing here decodes {coding}")


def _inflate(body: bytes) -> bytes:
    """With the zlib header that RFC 9110 asks for, or without, as some servers send it."""
    try:
        return zlib.decompress(body)
    except zlib.error:
        return zlib.decompress(body, -zlib.MAX_WBITS)


def _whole(library: Any) -> Decoder:
    return library.decompress  # type: ignore[no-any-return]


def _streamed(library: Any) -> Decoder:
    """zstandard's own ``decompress`` refuses what was compressed as a stream, as every middleware does."""
    return library.ZstdDecompressor().decompressobj().decompress  # type: ignore[no-any-return]


_LIBRARIES: Mapping[str, tuple[tuple[str, Callable[[Any], Decoder]], ...]] = {
    "br": (("brotli", _whole), ("brotlicffi", _whole)),
    "zstd": (("compression.zstd", _whole), ("zstandard", _streamed)),
}
