"""Which GETs act, by name alone: better to leave out one too many, which the user can name, than to restart
a job.

A path acts when its last segment is a verb of action, alone (``/jobs/restart``) or before its object
(``/cache/clear-all``), unless what follows is a property of that action (``/jobs/run-history``). Words that
are also common nouns (``/run/{run_id}`` is a run) count only at the very end of a path.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = _words(
    """
    abort activate add approve authorise authorize cancel clear confirm create deactivate delete deploy
    destroy disable disconnect enable erase execute flush generate install invalidate invoke kill logoff
    logout migrate pause publish purge reboot rebuild recalculate refresh regenerate reindex reject reload
    remove rename requeue rerun restart restore retry revoke rollback save send shutdown signout subscribe
    terminate trigger truncate uninstall unsubscribe upload verify wipe
    """
)

NOUNS_TOO = _words("callback commit import process reset resume run start stop sync update")

PROPERTIES = _words(
    """
    at by config configuration count counts date details duration history id ids info interval limit limits
    list mode name options page point policy progress rate ratio reason report reports result results
    schedule settings state stats status summary time times timestamp type types url urls version versions
    window
    """
)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def acting_word(path: str) -> str | None:
    """The word by which a path template says that calling it does something; None where it says nothing."""
    segments = [segment for segment in path.split("/") if segment]
    literal = [segment for segment in segments if "{" not in segment]
    words = [word.lower() for word in _WORD.findall(literal[-1])] if literal else []
    if not words or (len(words) > 1 and words[-1] in PROPERTIES):
        return None
    counts = words[0] in VERBS or (words[0] in NOUNS_TOO and "{" not in segments[-1])
    return words[0] if counts else None
