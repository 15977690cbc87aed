"""What an edited module changes: which functions, and what it needs that was not there before.

Lives here: the comparison of two texts as syntax trees, pure. It must never know what the functions are for.
The idea: a function that differs can be compiled anew and run beside the old one; a name that is new can be
put beside the old ones; for anything else the module would have to be imported again.
"""

from __future__ import annotations

import ast
from difflib import SequenceMatcher
from typing import Any, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_MAY_BE_ADDED = (*_DEFINITIONS, ast.Assign, ast.AnnAssign)


class NotInProcess(Exception):
    """The edit cannot be tried beside the original in one process; says why, as the end of a sentence."""


class FunctionChange(NamedTuple):
    """A function before and after; ``parts`` of ``decorators``, ``parameters``, ``returns`` and ``body``."""

    qualname: str
    before: FunctionNode
    after: FunctionNode
    parts: FrozenSet[str]

    def is_same(self, other: FunctionChange) -> bool:
        """Whether both are about one function of one module."""
        return (self.qualname, self.before.lineno) == (other.qualname, other.before.lineno)


class ModuleChanges(NamedTuple):
    changed: List[FunctionChange]
    """The innermost functions that differ."""
    functions: List[FunctionChange]
    """Every function that is there before and after, whatever its ``parts``."""
    added: List[ast.stmt]
    """Imports first, then definitions and assignments in their order."""


class _Elsewhere(NamedTuple):
    """A difference that belongs to no function."""

    what: str


_Difference = Union[FunctionChange, _Elsewhere]


def compare_sources(before: str, after: str) -> ModuleChanges:
    """Raises NotInProcess where more differs than functions and new names, and SyntaxError."""
    old, new = ast.parse(before), ast.parse(after)
    comparison = _Comparison()
    imports, statements = _new_imports(old, new), []
    pairs: List[Tuple[ast.AST, ast.AST]] = []
    for pair in _aligned(_without_imports(old.body), _without_imports(new.body)):
        if pair[0] is None and isinstance(pair[1], _MAY_BE_ADDED):
            statements.append(pair[1])
        elif pair[0] is None or pair[1] is None:
            raise NotInProcess(f"{_named(pair[0] or pair[1])} changes, at the level of the module")
        else:
            pairs.append((pair[0], pair[1]))
    differences = [each for pair in pairs for each in comparison.of(*pair, scope="")]
    for each in differences:
        if isinstance(each, _Elsewhere):
            raise NotInProcess(f"{each.what} changes, outside of any function")
    changed = [each for each in differences if isinstance(each, FunctionChange)]
    return ModuleChanges(changed, comparison.functions, [*imports, *statements])


class _Comparison:
    """Compares nodes, and keeps every pair of functions that it passes."""

    def __init__(self) -> None:
        self.functions: List[FunctionChange] = []

    def of(self, before: Any, after: Any, scope: str) -> Iterator[_Difference]:
        """Where two nodes of one place differ, as far in as a function can be named for it."""
        if isinstance(before, _FUNCTIONS) and isinstance(after, _FUNCTIONS):
            yield from self._of_functions(before, after, scope)
        elif type(before) is not type(after) or _head(before) != _head(after):
            yield _Elsewhere(_named(before))
        else:
            inner = f"{scope}{before.name}." if isinstance(before, ast.ClassDef) else scope
            yield from self._of_blocks(before, after, inner)

    def _of_functions(self, before: FunctionNode, after: FunctionNode, scope: str) -> Iterator[_Difference]:
        qualname = scope + before.name
        inside = list(self._of_blocks(before, after, f"{qualname}.<locals>."))
        parts = _differing_parts(before, after)
        if any(isinstance(each, _Elsewhere) for each in inside):
            parts = parts | {"body"}
        touched = parts | ({"body"} if inside else set())
        self.functions.append(FunctionChange(qualname, before, after, frozenset(touched)))
        if parts:
            yield FunctionChange(qualname, before, after, frozenset(touched))
        else:
            yield from inside

    def _of_blocks(self, before: ast.AST, after: ast.AST, scope: str) -> Iterator[_Difference]:
        for (_, left), (_, right) in zip(_blocks(before), _blocks(after)):
            for old, new in _aligned(left, right):
                if old is None or new is None:
                    yield _Elsewhere(_named(before))
                else:
                    yield from self.of(old, new, scope)


def _differing_parts(before: FunctionNode, after: FunctionNode) -> FrozenSet[str]:
    compared = {
        "decorators": (before.decorator_list, after.decorator_list),
        "parameters": (before.args, after.args),
        "returns": (before.returns, after.returns),
        "body": (type(before), type(after)),
    }
    return frozenset(part for part, (old, new) in compared.items() if _dump(old) != _dump(new))


def _aligned(before: Sequence[Any], after: Sequence[Any]) -> Iterator[Tuple[Optional[Any], Optional[Any]]]:
    """Statements that stand for each other; None stands for what is there on one side only."""
    matcher = SequenceMatcher(None, [_key(each) for each in before], [_key(each) for each in after], False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        old, new = before[i1:i2], after[j1:j2]
        if kind == "equal" or len(old) == len(new):
            yield from zip(old, new)
        else:
            yield from ((each, None) for each in old)
            yield from ((None, each) for each in new)


def _key(node: ast.AST) -> Tuple[str, str]:
    """By name for what has one, so that a definition whose inside changed is still the same one."""
    if isinstance(node, _DEFINITIONS):
        return ("class" if isinstance(node, ast.ClassDef) else "function", node.name)
    return ("statement", _dump(node))


def _blocks(node: ast.AST) -> List[Tuple[str, List[Any]]]:
    """The statements inside a node, by field; handlers and cases are nodes with blocks of their own."""
    found = ((name, value) for name, value in ast.iter_fields(node) if isinstance(value, list))
    return [(name, value) for name, value in found if name in _BLOCK_FIELDS]


_BLOCK_FIELDS = ("body", "orelse", "finalbody", "handlers", "cases")


def _head(node: ast.AST) -> List[Tuple[str, str]]:
    """A node without the statements inside it."""
    return [(name, _dump(value)) for name, value in ast.iter_fields(node) if name not in _BLOCK_FIELDS]


def _dump(value: Any) -> str:
    if isinstance(value, ast.AST):
        return ast.dump(value)
    return repr([_dump(each) for each in value]) if isinstance(value, list) else repr(value)


def _named(node: Any) -> str:
    name = getattr(node, "name", None)
    return str(name) if isinstance(name, str) else f"line {getattr(node, 'lineno', 1)}"


# -- imports and other names ---------------------------------------------------------------------------------


def _without_imports(body: Sequence[ast.stmt]) -> List[ast.stmt]:
    return [each for each in body if not isinstance(each, _IMPORTS) and not _is_docstring(each)]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _new_imports(before: ast.Module, after: ast.Module) -> List[ast.stmt]:
    """One statement for each name; an import that is gone leaves its name behind, which harms nobody."""
    old = {_dump(each) for each in _single_imports(before)}
    new = [each for each in _single_imports(after) if _dump(each) not in old]
    known = {_dump(each) for each in _single_imports(after)}
    for each in (*new, *(gone for gone in _single_imports(before) if _dump(gone) not in known)):
        if isinstance(each, ast.ImportFrom) and each.module == "__future__":
            raise NotInProcess("an import from __future__ changes, which all of the module is compiled by")
    return new


def _single_imports(module: ast.Module) -> Iterator[ast.stmt]:
    for node in module.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield ast.copy_location(ast.Import([alias]), node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield ast.copy_location(ast.ImportFrom(node.module, [alias], node.level), node)
