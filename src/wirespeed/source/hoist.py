"""Making once, at module level, what a function makes on every call: a TypeAdapter or a model.

Only what depends on nothing but names of the module, bound once and above the function, can move.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

import libcst as cst

from .bindings import Binding, bindings_of, look_up, names_bound_around
from .edit import Edit, Placed, Replace
from .meaning import meaning
from .names import names_used
from .names_at import NamesAt
from .spot import FileEdit, Spot
from .syntax import parsed
from .tree import Tree
from .values import Refused
from .walking import Ancestors, call_name, names_in, own_nodes, scopes_of, walk

_SUFFIX = {
    "pydantic.TypeAdapter": "adapter",
    "pydantic.type_adapter.TypeAdapter": "adapter",
    "pydantic.create_model": "model",
    "pydantic.main.create_model": "model",
}
_CLIENTS = frozenset(
    {"httpx.AsyncClient", "httpx.Client", "aiohttp.ClientSession", "requests.Session", "requests.session"}
)
_PURE = frozenset({"pydantic", "pydantic_core", "typing", "typing_extensions", "annotated_types", "builtins"})
_Placed = tuple[cst.CSTNode, Ancestors]


def hoist(spot: Spot) -> Iterator[FileEdit]:
    """For the call or class that begins on the line. Raises Refused where it depends on the call around."""
    tree = spot.tree
    found = list(_on_line(tree, spot.line))
    for node, ancestors in found:
        if isinstance(node, cst.ClassDef):
            yield spot.path, _hoist_class(tree, node, ancestors)
            return
    calls = [(node, ancestors) for node, ancestors in found if isinstance(node, cst.Call)]
    kinds = [meaning(tree, node.func, scopes_of(ancestors, node)) or "" for node, ancestors in calls]
    for (node, ancestors), kind in zip(calls, kinds, strict=True):
        if kind in _SUFFIX:
            yield spot.path, _hoist_call(spot, node, ancestors, _SUFFIX[kind])
            return
    for kind in kinds:
        if kind in _CLIENTS:
            raise Refused(
                f"a shared {kind} belongs to an event loop and must be closed: "
                "make it in the app's lifespan, yield it as state, and take it from request.state"
            )
    raise Refused(f"no TypeAdapter or model is made on line {spot.line}")


def _on_line(tree: Tree, line: int) -> Iterator[_Placed]:
    """Calls and classes that begin there, then those calls that reach over it, the innermost first."""
    around = list[_Placed]()
    for node, ancestors in walk(tree.module):
        if isinstance(node, cst.ClassDef) and line in tree.header_lines(node):
            yield node, ancestors
        elif isinstance(node, cst.Call):
            span = tree.span(node)
            first, last = tree.line_number(span.start), tree.line_number(span.end)
            if first == line:
                yield node, ancestors
            elif first < line <= last:
                around.insert(0, (node, ancestors))
    yield from around


def _hoist_call(spot: Spot, call: cst.Call, ancestors: Ancestors, suffix: str) -> Edit:
    tree = spot.tree
    function = _function_of(call, ancestors)
    above, room = tree.top(ancestors[1])
    _refuse_impure(tree, call, ancestors)
    _refuse_unknown_above(tree, call, ancestors, above)
    local = _local_name(call, ancestors) if suffix == "adapter" else None
    name = spot.free_in_module(f"_{function.name.value.strip('_')}_{(local or suffix).strip('_')}")
    text = _dedented(tree, tree.source(call), tree.span(call).start)
    placed = Placed(above, name, f"{name} = {text}", room)
    renamed = _without_variable(tree, call, ancestors, name)
    replaced = renamed or (Replace(*tree.span(call), name),)
    return Edit(tree.text, replaced=replaced, placed=(placed,))


def _hoist_class(tree: Tree, node: cst.ClassDef, ancestors: Ancestors) -> Edit:
    _function_of(node, ancestors)
    name, block = node.name.value, ancestors[-1]
    above, room = tree.top(ancestors[1])
    if node.decorators:
        raise Refused(f"{name} is decorated")
    if not isinstance(block, cst.IndentedBlock) or len(block.body) < 2:
        raise Refused(f"nothing else stands where {name} is defined")
    if name in {binding.name for binding in bindings_of(tree, tree.module)}:
        raise Refused(f"the module has another {name}")
    _refuse_unknown_above(tree, node, ancestors, above)
    start, end = tree.top(node)[0], tree.span(node).end
    end += len(tree.text[end:]) - len(re.sub(r"\A(?:[ \t]*\r?\n)+", "", tree.text[end:]))
    text = _dedented(tree, tree.text[start:end].rstrip(), tree.begin(node))
    return Edit(
        tree.text, replaced=(Replace(start, end),), placed=(Placed(above, name, text.lstrip(), room),)
    )


def _function_of(node: cst.CSTNode, ancestors: Ancestors) -> cst.FunctionDef:
    scopes = scopes_of(ancestors, node)
    if not scopes or not isinstance(scopes[-1], cst.FunctionDef):
        raise Refused("it is made once already, where no function is called")
    return scopes[-1]


def _refuse_impure(tree: Tree, call: cst.Call, ancestors: Ancestors) -> None:
    """Arguments must come to the same whenever they are evaluated."""
    scope = scopes_of(ancestors, call)
    for node in own_nodes(call):
        if isinstance(node, cst.Await | cst.Yield | cst.NamedExpr | cst.Lambda):
            raise Refused("what it is made from depends on the call")
        if isinstance(node, cst.Call) and node is not call:
            called = meaning(tree, node.func, scope) or ""
            if called.partition(".")[0] not in _PURE:
                raise Refused(f"what {call_name(node)} gives may differ from call to call")


def _refuse_unknown_above(
    tree: Tree, node: cst.Call | cst.ClassDef, ancestors: Ancestors, above: int
) -> None:
    """Every name must be the module's, bound once, and before it is used there."""
    if hidden := _known_inside(tree, node, ancestors):
        raise Refused(f"{min(hidden)} is known only inside the function")
    inside = (
        {binding.name for binding in bindings_of(tree, node)} if isinstance(node, cst.ClassDef) else set()
    )
    names = NamesAt(tree, _top_definition(ancestors), (), above)
    for name in sorted(names_used(node) - inside):
        if isinstance(node, cst.ClassDef) and not _is_module_name(tree, name):
            continue
        names.check_name(name, above)
        _refuse_rebound(tree, name)
    _refuse_late_texts(tree, node, above)


def _known_inside(tree: Tree, node: cst.Call | cst.ClassDef, ancestors: Ancestors) -> set[str]:
    """The names in it that something between it and the module binds."""
    local = names_bound_around(tree, scopes_of(ancestors, node)) | _bound_between(ancestors)
    if isinstance(node, cst.Call):
        return set(names_used(node) & local)
    own, hidden = tree.span(node), set[str]()
    for name, inside in walk(node, ancestors):
        if not isinstance(name, cst.Name) or name.value not in local or _is_word_only(name, inside[-1]):
            continue
        bound = look_up(tree, name.value, scopes_of(inside, name))
        if not any(own.start <= each.offset < own.end for each in bound):
            hidden.add(name.value)
    return hidden


def _top_definition(ancestors: Ancestors) -> cst.FunctionDef | cst.ClassDef:
    return next(node for node in ancestors if isinstance(node, cst.FunctionDef | cst.ClassDef))


def _is_module_name(tree: Tree, name: str) -> bool:
    return any(binding.name == name for binding in bindings_of(tree, tree.module))


def _bound_between(ancestors: Ancestors) -> frozenset[str]:
    """By lambdas and comprehensions around."""
    comprehensions = (node for node in ancestors if isinstance(node, cst.BaseComp))
    lambdas = (node.params for node in ancestors if isinstance(node, cst.Lambda))
    return names_in([*lambdas, *(node.for_in.target for node in comprehensions)])


def _refuse_rebound(tree: Tree, name: str) -> None:
    bound = [each for each in bindings_of(tree, tree.module) if each.name == name and not each.for_checkers]
    rebinds = any(
        isinstance(node, cst.Global) and name in names_in([node]) for node, _ in _globals(tree, name)
    )
    if len({_origin(each) for each in bound}) > 1 or rebinds:
        raise Refused(f"{name} is bound more than once in the file")


def _globals(tree: Tree, name: str) -> Iterator[_Placed]:
    return walk(tree.module) if "global " in tree.text and name in tree.text else iter(())


def _origin(binding: Binding) -> object:
    return binding.imported or binding.module or binding.offset


def _refuse_late_texts(tree: Tree, node: cst.CSTNode, above: int) -> None:
    """A type named in a string must be there by then, too."""
    late = {each.name for each in bindings_of(tree, tree.module) if each.offset >= above}
    typed = [each for each, _ in walk(node) if isinstance(each, cst.Annotation | cst.Arg)]
    for inner in (found for each in typed for found, _ in walk(each)):
        text = inner.evaluated_value if isinstance(inner, cst.SimpleString) else ""
        if named := late & set(re.findall(r"\w+", text) if isinstance(text, str) else ()):
            raise Refused(f"{min(named)} is bound further down in the file")


def _local_name(call: cst.Call, ancestors: Ancestors) -> str | None:
    assign = ancestors[-1]
    if isinstance(assign, cst.Assign) and assign.value is call and len(assign.targets) == 1:
        target = assign.targets[0].target
        return target.value if isinstance(target, cst.Name) else None
    return None


def _without_variable(
    tree: Tree, call: cst.Call, ancestors: Ancestors, name: str
) -> tuple[Replace, ...] | None:
    """Where a variable holds the result and nothing else: its uses renamed, and its line gone."""
    local = _local_name(call, ancestors)
    line, block = ancestors[-2], ancestors[-3]
    if local is None or not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
        return None
    if not isinstance(block, cst.IndentedBlock) or len(block.body) < 2 or line.trailing_whitespace.comment:
        return None
    function = scopes_of(ancestors, call)[-1]
    target = ancestors[-1].children[0].children[0]
    uses = []
    for node, inside in walk(function, ancestors[: ancestors.index(function)]):
        if not isinstance(node, cst.Name) or node.value != local or node is target:
            continue
        if _is_word_only(node, inside[-1]):
            continue
        bound = look_up(tree, local, scopes_of(inside, node))
        if [each.offset for each in bound] != [tree.span(target).start] or _rebinds(node, inside):
            return None
        uses.append(Replace(*tree.span(node), name))
    return (Replace(tree.begin(line), tree.span(line).end), *uses)


def _is_word_only(node: cst.Name, parent: cst.CSTNode) -> bool:
    """``x.adapter``, ``f(adapter=…)`` and ``adapter: int``."""
    if isinstance(parent, cst.Attribute):
        return parent.attr is node
    if isinstance(parent, cst.AnnAssign):
        return parent.target is node and parent.value is None
    return isinstance(parent, cst.Arg) and parent.keyword is node


def _rebinds(node: cst.Name, ancestors: Ancestors) -> bool:
    """As the target or parameter of a comprehension, a lambda, a ``del``, a ``nonlocal``."""
    rebinding = (cst.Param, cst.CompFor, cst.Del, cst.NameItem, cst.Lambda)
    return isinstance(ancestors[-1], rebinding) and node is not getattr(ancestors[-1], "iter", None)


def _dedented(tree: Tree, text: str, at: int) -> str:
    """A text of several lines without the indent of the line it begins on, if it then still says the same."""
    indent, plain = tree.indent_of(at), text.replace("\r\n", "\n")
    dedented = plain.replace(f"\n{indent}", "\n")
    if dedented.startswith(indent) and indent:
        plain, dedented = textwrap.dedent(plain), dedented.removeprefix(indent)
    try:
        return dedented if ast.dump(parsed(dedented)) == ast.dump(parsed(plain)) else plain
    except SyntaxError:
        raise Refused("its text cannot be moved to another indent") from None
