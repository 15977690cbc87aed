"""``--requests-file``: requests that a browser or a shell has sent already. A format is one file in here."""
