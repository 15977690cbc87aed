"""An answer that is kept as a whole. (Those of a run are only counted and timed.)"""

from __future__ import annotations

from wirespeed.http.answer import AnswerReader, HeadAnswerReader, ProtocolViolation
from wirespeed.http.connection import Call
from wirespeed.http.target import PreparedRequest

LONGEST_BODY_BYTES = 64 * 1024 * 1024


class KeptAnswer(AnswerReader):
    """Headers and body as they came, the body's chunks put together and its content coding left on."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()

    def feed(self, piece: bytes) -> bool:
        complete = super().feed(piece)
        if len(self.body) > LONGEST_BODY_BYTES:
            raise ProtocolViolation("the body is too long to keep")
        return complete

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self.headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        self.body += body

    def _forget_headers(self) -> None:
        super()._forget_headers()
        self.headers.clear()


class KeptHeadAnswer(KeptAnswer, HeadAnswerReader):
    """An answer to HEAD."""

    def on_body(self, body: bytes) -> None:
        HeadAnswerReader.on_body(self, body)


def kept_answer(request: PreparedRequest) -> tuple[Call, list[KeptAnswer]]:
    """A call to be sent once, and the list that its answer will stand in, at the end.

    (Where a request is sent again, because the server had closed the connection, the list has an empty one
    before it.)
    """
    answers: list[KeptAnswer] = []
    kind = KeptHeadAnswer if request.is_head else KeptAnswer

    def read() -> KeptAnswer:
        answers.append(kind())
        return answers[-1]

    call = Call(request)
    call.reader = read
    return call, answers
