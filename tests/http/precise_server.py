"""Answers after exactly 5 ms; if asked to stall, what comes in one second of ten waits for the end of it.

Run as a script, it takes ``steady`` or ``stalling``, and prints its port. A process of its own, so that the
load generator does not wait for its interpreter.
"""

import socket
import sys
import threading
import time

DELAY_S = 0.005
PERIOD_S, STALL_FROM_S, STALL_UNTIL_S = 10.0, 5.0, 6.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def main() -> None:
    stalls = sys.argv[1] == "stalling"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1024)
        print(listener.getsockname()[1], flush=True)
        started: list[float] = []
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection, started, stalls), daemon=True).start()


def serve(connection: socket.socket, started: list[float], stalls: bool) -> None:
    with connection:
        while connection.recv(65536):
            now = time.perf_counter()
            started.append(now) if not started else None
            due = now + DELAY_S
            since = (now - started[0]) % PERIOD_S
            if stalls and STALL_FROM_S <= since < STALL_UNTIL_S:
                due = now + STALL_UNTIL_S - since
            wait_until(due)
            connection.sendall(ANSWER)


def wait_until(moment: float) -> None:
    """Asleep but for the last half millisecond: sleeping alone ends late."""
    time.sleep(max(0.0, moment - time.perf_counter() - 0.0005))
    while time.perf_counter() < moment:
        pass


if __name__ == "__main__":
    main()
