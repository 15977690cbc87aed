"""Functions of an edited file, made anew inside the module that is already running.

An edited function gets its module's own globals, its original's defaults and its original's cells, so that it
meets the same objects; only its code is another. Where its parameters change, Python evaluates them again, as
an import would. Names that the edit adds are put into the module once and stay.

What lives here: from a running function to the edited one. It must never know what calls them.
"""

from __future__ import annotations
import __future__

import ast
import os
import tokenize
import types
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from .source_changes import FunctionChange, FunctionNode, ModuleChanges, NotInProcess, compare_sources
from .tracebacks import last_line

Globals = Dict[str, Any]
Place = Tuple[str, int]
"""Name and first line of a code object."""

_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_OF_ANNOTATIONS = ("__annotations__", "__annotate__", "__conditional_annotations__")

_added: Dict[Tuple[int, str], str] = {}
"""The statements that bound names which edits added, by module and name."""


class EditedFile:
    """One edited text; ``replace`` makes its functions. Raises NotInProcess where it cannot be done."""

    def __init__(self, file: str, text: str) -> None:
        self.file = os.path.realpath(file)
        self._text = text
        self._modules: Dict[int, _EditedModule] = {}
        self._reached: Set[Place] = set()
        """Places, before, of the functions that were made anew."""

    def replace(self, function: types.FunctionType) -> Optional[EditedFunction]:
        """None for a function that is not of this file, or not changed."""
        if os.path.realpath(function.__code__.co_filename) != self.file:
            return None
        change = self._module(function).change_of(function)
        if change is None or not change.parts:
            return None
        if not change.parts & {"body", "parameters"}:
            return EditedFunction(change, None)
        self._reached.add(_place(change.before))
        return EditedFunction(change, self._module(function).made_anew(function, change))

    def _module(self, function: types.FunctionType) -> _EditedModule:
        namespace = function.__globals__
        if id(namespace) not in self._modules:
            self._modules[id(namespace)] = _EditedModule(namespace, function.__code__.co_filename, self._text)
        return self._modules[id(namespace)]

    @property
    def name(self) -> str:
        return os.path.basename(self.file)

    @property
    def is_known(self) -> bool:
        """Whether any function that was asked about is of this file."""
        return bool(self._modules)

    def changes(self) -> List[FunctionChange]:
        """The innermost changed functions, of the module as any of those that were asked about knows it."""
        return next((module.changes.changed for module in self._modules.values()), [])

    def is_reached(self, change: FunctionChange) -> bool:
        """Whether it was made anew, by itself or inside a function around it."""
        return any(
            _place(around.before) in self._reached and _is_inside(change.before, around.before)
            for module in self._modules.values()
            for around in module.changes.functions
        )


class EditedFunction:
    """``function`` is None where nothing of it changes that runs: only decorators or return annotation."""

    def __init__(self, change: FunctionChange, function: Optional[types.FunctionType]) -> None:
        self.change = change
        self.function = function


class _EditedModule:
    def __init__(self, namespace: Globals, filename: str, text: str) -> None:
        self._namespace = namespace
        self._filename = filename
        before = loaded_text(namespace, filename)
        self.changes: ModuleChanges = compare_sources(before, text)
        self._before = _code_by_place(_compiled(before, filename))
        whole = _compiled(text, filename)
        self._after = _code_by_place(whole)
        self._futures = whole.co_flags & _FUTURES
        self._is_prepared = False

    def change_of(self, function: types.FunctionType) -> Optional[FunctionChange]:
        """What becomes of a running function. Raises NotInProcess where it is not what its file says."""
        code = function.__code__
        if (id(self._namespace), code.co_name) in _added and self._namespace[code.co_name] is function:
            return None
        same = [place for place, codes in self._before.items() for each in codes if _is_same(each, code)]
        if not same:
            raise NotInProcess(f"{function.__qualname__} as it runs is not what its file says now")
        exact = (code.co_name, code.co_firstlineno)
        places = [exact] if exact in same else same
        found = [each for each in self.changes.functions if _place(each.before) in places]
        if len(places) > 1 and any(each.parts for each in found):
            raise NotInProcess(f"there are several functions like {function.__qualname__}")
        return next(iter(found), None)

    def made_anew(self, function: types.FunctionType, change: FunctionChange) -> types.FunctionType:
        if not self._is_prepared:
            _add_names(self._namespace, self.changes.added, self._filename, self._futures)
            self._is_prepared = True
        if "parameters" in change.parts:
            return self._evaluated(change)
        return _with_code(function, self._code_of(change))

    def _code_of(self, change: FunctionChange) -> types.CodeType:
        codes = self._after.get(_place(change.after), [])
        if len(codes) != 1:
            raise NotInProcess(f"{change.qualname} stands on one line with another function of its name")
        return codes[0]

    def _evaluated(self, change: FunctionChange) -> types.FunctionType:
        """The definition run again, without its decorators, for its parameters' defaults and annotations."""
        if "." in change.qualname:
            raise NotInProcess(f"the parameters of {change.qualname} change, and it is inside something else")
        name = change.after.name
        scratch = _run([_undecorated(change.after)], self._namespace, self._filename, self._futures)
        made: types.FunctionType = scratch[name]
        return made


def loaded_text(namespace: Mapping[str, Any], filename: str) -> str:
    """A module's source, as its own loader reads it. Raises NotInProcess where it cannot be read."""
    loader: Any = namespace.get("__loader__")
    try:
        if hasattr(loader, "get_source"):
            text: Optional[str] = loader.get_source(namespace["__name__"])
            if text is not None:
                return text
        with tokenize.open(filename) as file:
            return file.read()
    # A loader may be anybody's.
    except Exception as error:
        raise NotInProcess(
            f"the source of {os.path.basename(filename)} cannot be read: {last_line(error)}"
        ) from error


def _with_code(original: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    """The original with other code: same globals, defaults, annotations, attributes and cells."""
    cells = dict(zip(original.__code__.co_freevars, original.__closure__ or ()))
    missing = [name for name in code.co_freevars if name not in cells]
    if missing:
        raise NotInProcess(f"{original.__qualname__} would need {missing[0]} of the function around it")
    made = types.FunctionType(
        code,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )
    made.__kwdefaults__ = original.__kwdefaults__
    made.__annotations__ = original.__annotations__
    made.__qualname__ = original.__qualname__
    made.__module__ = original.__module__
    made.__dict__.update(original.__dict__)
    return made


def _undecorated(node: FunctionNode) -> FunctionNode:
    copied = type(node)(**{**dict(ast.iter_fields(node)), "decorator_list": []})
    return ast.copy_location(copied, node)


# -- names that the edit adds --------------------------------------------------------------------------------


def _add_names(namespace: Globals, statements: Sequence[ast.stmt], filename: str, futures: int) -> None:
    """Run what is new; all of it, or nothing. A name that is taken already must mean the same."""
    put: List[Tuple[int, str]] = []
    try:
        for statement in statements:
            made_by = ast.dump(statement)
            if all(_added.get((id(namespace), name)) == made_by for name in _bound(statement)):
                continue
            for name, value in _run([statement], namespace, filename, futures).items():
                if name in namespace and namespace[name] is not value:
                    raise NotInProcess(f"the module has another {name} already")
                if name not in namespace:
                    namespace[name] = value
                    _added[(id(namespace), name)] = made_by
                    put.append((id(namespace), name))
    except BaseException as error:
        for key in put:
            del _added[key], namespace[key[1]]
        if isinstance(error, NotInProcess) or not isinstance(error, Exception):
            raise
        raise NotInProcess(f"what the edit adds to the module fails: {last_line(error)}") from error


def _run(statements: List[Any], namespace: Globals, filename: str, futures: int) -> Dict[str, Any]:
    """The names that the statements bind, as the module would see them; the module itself is left alone."""
    tree = ast.Module(body=statements, type_ignores=[])
    bound: Dict[str, Any] = {}
    exec(compile(tree, filename, "exec", flags=futures, dont_inherit=True), namespace, bound)
    return {name: value for name, value in bound.items() if name not in _OF_ANNOTATIONS}


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names a statement binds at its own level."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


# -- code objects --------------------------------------------------------------------------------------------


def _compiled(text: str, filename: str) -> types.CodeType:
    code: types.CodeType = compile(text, filename, "exec", dont_inherit=True)
    return code


def _code_by_place(module: types.CodeType) -> Dict[Place, List[types.CodeType]]:
    found: Dict[Place, List[types.CodeType]] = {}
    waiting = [module]
    while waiting:
        for constant in waiting.pop().co_consts:
            if isinstance(constant, types.CodeType):
                found.setdefault((constant.co_name, constant.co_firstlineno), []).append(constant)
                waiting.append(constant)
    return found


def _place(node: FunctionNode) -> Place:
    """As the node's code object has it: it begins with the first decorator."""
    return (node.name, min(each.lineno for each in (node, *node.decorator_list)))


def _is_inside(node: FunctionNode, around: FunctionNode) -> bool:
    return any(each is node for each in ast.walk(around))


def _is_same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand in their files."""
    if one.co_name != other.co_name or _signature(one) != _signature(other):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _is_same(*pair)
        if isinstance(pair[0], types.CodeType) and isinstance(pair[1], types.CodeType)
        # A constant may be NaN, which equals nothing.
        else type(pair[0]) is type(pair[1]) and (pair[0] == pair[1] or repr(pair[0]) == repr(pair[1]))
        for pair in zip(one.co_consts, other.co_consts)
    )


def _signature(code: types.CodeType) -> Tuple[Any, ...]:
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
    )
