"""Other tools' outputs: one reader a format, one set of checks, nothing about where the text came from.

Everything here is pure, and takes its text for hostile: it may be cut off, binary, or made to mislead.
"""
