"""One module a suite, each with a ``SUITE``. Nothing lists them: a new file here is a new suite."""
