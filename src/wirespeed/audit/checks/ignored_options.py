"""Options that the tool never read, and runs that look like it."""

from __future__ import annotations

from wirespeed.model.audit import ToolRun

from ._check import Check, Examined, Missing, NotApplicable, finder

NAME = "ignored-options"
PAGE = """\
# ignored-options: options that the tool never read

hey stops reading its command at the URL. In `hey URL -n 1000 -c 40` both options are ignored without a
word, and 200 requests run on 50 connections, as by default.

**Formula**: where the command stands above the output, whatever follows the URL; else exactly 200 answers,
hey's default.

**Severity**: misleading where the command shows it; a note where only the count of 200 does.

**What to do**: put the URL last, and measure again.
"""
HEYS_DEFAULT = 200
_found = finder(NAME)


def examine(run: ToolRun) -> Examined:
    if run.tool != "hey":
        return NotApplicable()
    if run.asked.ignored:
        return [
            _found(
                "misleading",
                f"hey ignored `{' '.join(run.asked.ignored)}`: it reads no options after the URL, "
                "and ran with its defaults.",
                "Put the URL last, and measure again.",
                answered=run.answered,
            )
        ]
    if run.target is not None or run.asked.requests is not None:
        return []
    attempts = (run.answered or 0) + sum((run.unanswered or {}).values())
    if attempts != HEYS_DEFAULT:
        return Missing("the command that ran")
    return [
        _found(
            "note",
            "200 requests are hey's default: options that stand after the URL are ignored, so perhaps more "
            "were asked for.",
            "Look at the command, or say what it asked for with --requests.",
            answered=run.answered,
        )
    ]


CHECK = Check(NAME, "Did the tool read the options it was given?", PAGE, examine)
