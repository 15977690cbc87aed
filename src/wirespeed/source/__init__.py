"""Edits to the user's files: a measured change of a route, written down where the route is.

Everything but ``values`` loads LibCST, which takes a while: import the rest where it is needed.
"""

from .values import CallAt, Diff, FunctionAt, ModuleFacts, NoEdit, Refused, RouteChange, TypeSource

__all__ = ["CallAt", "Diff", "FunctionAt", "ModuleFacts", "NoEdit", "Refused", "RouteChange", "TypeSource"]
