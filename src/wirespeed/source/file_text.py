"""From a file's bytes to its text and back, losing nothing: byte order mark, declared encoding, line ends."""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass

from .values import Refused

_BOM = "\ufeff"


@dataclass(frozen=True)
class FileText:
    """``text`` is without the byte order mark; its line ends are those of the file."""

    text: str
    encoding: str
    has_bom: bool

    def full(self, text: str) -> str:
        """``text`` as it stands in the file, byte order mark included."""
        return _BOM + text if self.has_bom else text

    def encode(self, text: str) -> bytes:
        """The file's bytes with ``text`` in it. Raises Refused where its encoding has no bytes for that."""
        try:
            return self.full(text).encode(self.encoding)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise Refused(f"the file is in {self.encoding}, which has no {character!r}") from error


def decode(content: bytes) -> FileText:
    """The file as Python reads it. Raises Refused where Python could not, either."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        has_bom = content.startswith(codecs.BOM_UTF8)
        encoding = "utf-8" if has_bom else encoding
        text = content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise Refused(f"the file cannot be decoded: {error}") from error
    file = FileText(text.removeprefix(_BOM) if has_bom else text, encoding, has_bom)
    if file.encode(file.text) != content:
        # UTF-7 and others have several spellings of one text: untouched lines would not stay to the byte.
        raise Refused(f"the file is in {encoding}, which may spell the same text otherwise")
    return file
