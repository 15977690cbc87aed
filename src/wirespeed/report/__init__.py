"""The view of a saved document, and its renderers."""

from .dry_run import dry_run_view
from .terminal import make_console, print_advice, print_dry_run
from .text import clean
from .view import advice_view

__all__ = ["advice_view", "clean", "dry_run_view", "make_console", "print_advice", "print_dry_run"]
