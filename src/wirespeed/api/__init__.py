"""What the commands measure, as functions that return the documents: see ``docs/python-api.md``.

``wirespeed`` itself re-exports these names and imports them only when one is used.
"""

import wirespeed
from wirespeed.errors import (
    MeasurementInvalid,
    RecordNotSaved,
    SubjectDied,
    SubjectError,
    SubjectHung,
    UsageError,
    WirespeedError,
)
from wirespeed.experiment.events import Event, Listener
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.guard import Guard
from wirespeed.model.load import Load
from wirespeed.model.request import Request

from .advising import advise
from .comparing import compare
from .guarding import guard
from .loading import LoadListener, load

__all__ = [
    "Advice",
    "Comparison",
    "Event",
    "Guard",
    "Listener",
    "Load",
    "LoadListener",
    "MeasurementInvalid",
    "RecordNotSaved",
    "Request",
    "SubjectDied",
    "SubjectError",
    "SubjectHung",
    "UsageError",
    "WirespeedError",
    "advise",
    "compare",
    "guard",
    "load",
]

# The package that guards has the name of the function, and importing it has made it an attribute.
wirespeed.guard = guard
