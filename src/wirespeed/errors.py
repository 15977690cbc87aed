"""Everything that can go wrong, named by whose fault it is; each error says what to do next."""

from __future__ import annotations


class WirespeedError(Exception):
    """Root of all errors that wirespeed raises on purpose.

    ``advice`` is one sentence on what to do next; ``exit_code`` is what a command ends with.
    """

    exit_code = 4

    def __init__(self, message: str, *, advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class UsageError(WirespeedError):
    """The caller asked for something that cannot be: a wrong import string, option or file."""

    exit_code = 2


class SubjectError(WirespeedError):
    """The app under study failed: it did not import, start, answer or stay alive."""

    exit_code = 3

    def __init__(
        self, message: str, *, advice: str | None = None, app_traceback: str | None = None, output: str = ""
    ) -> None:
        super().__init__(message, advice=advice)
        self.app_traceback = app_traceback
        self.output = output


class SubjectHung(SubjectError):
    """The app did not finish something before its deadline; ``during`` names what.

    ``app_traceback`` is where it was waiting, where that could be told.
    """

    def __init__(
        self,
        message: str,
        *,
        during: str,
        advice: str | None = None,
        app_traceback: str | None = None,
        output: str = "",
    ) -> None:
        super().__init__(message, advice=advice, app_traceback=app_traceback, output=output)
        self.during = during


class SubjectDied(SubjectError):
    """The app's process ended by itself (``os._exit``, a signal, a crash in C) ``during`` something."""

    def __init__(self, message: str, *, during: str, advice: str | None = None, output: str = "") -> None:
        super().__init__(message, advice=advice, output=output)
        self.during = during


class AgentFailed(WirespeedError):
    """wirespeed's own code inside the app's process failed; the traceback is for a bug report."""

    def __init__(self, message: str, *, traceback: str | None = None) -> None:
        super().__init__(message, advice="This is a mistake in wirespeed, not in the app: please report it.")
        self.traceback = traceback


class MeasurementInvalid(WirespeedError):
    """Something was measured, but it supports no verdict."""

    exit_code = 4


class RecordNotSaved(WirespeedError):
    """The evidence could not be written anywhere; what was measured stands, so callers warn and go on."""


class Interrupted(WirespeedError):
    """The user pressed Ctrl-C; what was measured so far is saved."""

    exit_code = 130
