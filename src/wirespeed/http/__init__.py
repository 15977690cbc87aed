"""The load engine: requests over HTTP/1.1, and what became of each.

From the wire upwards, each module knowing only those before it:

- ``target``: a URL and requests, parsed once, rendered to bytes
- ``answer``: where an answer ends (no I/O, no clock)
- ``recording``: rows of integer nanoseconds; ``outcomes``: failures and tallies
- ``connection``: the hot path: send, time, record
- ``dialing``: addresses, sockets, TLS handshakes; ``scheme``: whether TLS would have been right
- ``lanes``: places for one request at a time, reconnecting
- ``closed``, ``open``: when requests are sent; ``schedule`` and ``alarm`` say when they are due
- ``health``: how busy the generator was itself
- ``engine``: one run in one process; ``processes``: in several
- ``turns``: many short runs over kept connections, for comparisons
- ``search``: the highest rate that meets an ``objective``
- ``summary``: the document of a run
"""
