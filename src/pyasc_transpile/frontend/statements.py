"""Statements."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any, Callable, NoReturn

from ..errors import UnsupportedSyntaxError
from ..graph.values import Value
from . import builtins, calls, control, expressions, looping, matching
from .control import Signal
from .escapes import Outcome
from .scopes import UndefinedNameError

if TYPE_CHECKING:
    from .walker import Walker

IN_PLACE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.MatMult: operator.imatmul,
}


def assign(walker: Walker, target: ast.expr, value: Any) -> None:
    """Assign ``value`` to a name, attribute, item, or a tuple of targets."""
    if isinstance(target, ast.Name):
        walker.store(target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(walker, target, value)
    elif isinstance(target, ast.Attribute):
        holder = walker.expression(target.value)
        walker.node = target
        _refuse_change(holder, f"attribute {target.attr!r}")
        setattr(holder, target.attr, value)
    elif isinstance(target, ast.Subscript):
        holder = walker.expression(target.value)
        index = walker.expression(target.slice)
        walker.node = target
        _set_item(holder, index, value)
    else:
        walker.node = target
        refuse(walker, target)


def _set_item(holder: Any, index: Any, value: Any) -> None:
    _refuse_change(holder, "items")
    expressions.check_index(holder, index)
    holder[index] = value


def _refuse_change(holder: Any, what: str) -> None:
    if isinstance(holder, Value):
        raise TypeError(f"{what} of a {holder.kind_name} cannot be assigned; make a new one, or use asctile.copy_out")


def _unpack(walker: Walker, target: Any, value: Any) -> None:
    walker.node = target
    items = list(builtins.iterate(value))
    stars = [position for position, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
    count = len(target.elts)
    if not stars:
        if len(items) != count:
            many = "too many values" if len(items) > count else "not enough values"
            raise ValueError(f"{many} to unpack (expected {count}, got {len(items)})")
        for element, item in zip(target.elts, items):
            assign(walker, element, item)
        return
    star = stars[0]
    after = count - star - 1
    if len(items) < count - 1:
        raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
    middle = items[star : len(items) - after]
    for element, item in zip(target.elts, [*items[:star], middle, *items[len(items) - after :]]):
        assign(walker, element.value if isinstance(element, ast.Starred) else element, item)


def _expr(walker: Walker, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        walker.expression(node.value)


def _assign(walker: Walker, node: ast.Assign) -> None:
    value = walker.expression(node.value)
    for target in node.targets:
        assign(walker, target, value)


def _ann_assign(walker: Walker, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(walker, node.target, walker.expression(node.value))


def _aug_assign(walker: Walker, node: ast.AugAssign) -> None:
    function = IN_PLACE[type(node.op)]
    target = node.target
    if isinstance(target, ast.Name):
        walker.node = target
        old = walker.load(target.id)
        value = walker.expression(node.value)
        walker.node = node
        walker.store(target.id, expressions.apply_binary(function, old, value))
        return
    holder = walker.expression(target.value)
    if isinstance(target, ast.Attribute):
        old = getattr(holder, target.attr)
        value = walker.expression(node.value)
        walker.node = node
        _refuse_change(holder, f"attribute {target.attr!r}")
        setattr(holder, target.attr, expressions.apply_binary(function, old, value))
    else:
        index = walker.expression(target.slice)
        walker.node = target
        expressions.check_index(holder, index)
        old = holder[index]
        value = walker.expression(node.value)
        walker.node = node
        _set_item(holder, index, expressions.apply_binary(function, old, value))


def _if(walker: Walker, node: ast.If) -> Outcome:
    condition = expressions.condition(walker, node.test)
    if not isinstance(condition, Value):
        return walker.block(node.body if condition else node.orelse)
    span = walker.builder.span

    def way(body: list[ast.stmt]) -> Callable[[], None]:
        def walk() -> None:
            walker.block(body)  # nothing in it leaves: see Walker.block
            walker.node = node

        return walk

    walker.runtime_depth += 1
    try:
        control.branch(walker, condition, (way(node.body), way(node.orelse)), node, span=span)
    finally:
        walker.runtime_depth -= 1
    return None


def _return(walker: Walker, node: ast.Return) -> Signal:
    value = None if node.value is None else walker.expression(node.value)
    return Signal("return", node, value)


def _break(walker: Walker, node: ast.Break) -> Signal:
    return Signal("break", node)


def _continue(walker: Walker, node: ast.Continue) -> Signal:
    return Signal("continue", node)


def _with(walker: Walker, node: ast.With) -> Outcome:
    return _with_items(walker, node, 0)


def _with_items(walker: Walker, node: ast.With, position: int) -> Outcome:
    if position == len(node.items):
        return walker.block(node.body)
    item = node.items[position]
    manager = walker.expression(item.context_expr)
    walker.node = item.context_expr
    outcome: Outcome = None
    with manager as value:
        if item.optional_vars is not None:
            assign(walker, item.optional_vars, value)
        outcome = _with_items(walker, node, position + 1)
    return outcome


def _assert(walker: Walker, node: ast.Assert) -> None:
    test = expressions.condition(walker, node.test)
    if not isinstance(test, Value):
        if test:
            return
        message = None if node.msg is None else walker.expression(node.msg)
        if not walker.runtime_depth:
            walker.node = node.test
            raise AssertionError("the assertion is false" if message is None else str(message))
    else:
        message = None if node.msg is None else walker.expression(node.msg)
    walker.node = node
    builtins.device_assert(test, message)


def _delete(walker: Walker, node: ast.Delete) -> None:
    for target in node.targets:
        _delete_one(walker, target)


def _delete_one(walker: Walker, target: ast.expr) -> None:
    walker.node = target
    if isinstance(target, ast.Name):
        names = walker.frame.scope.names
        if target.id not in names:
            raise UndefinedNameError(f"name {target.id!r} is not defined")
        del names[target.id]
    elif isinstance(target, ast.Attribute):
        delattr(walker.expression(target.value), target.attr)
    elif isinstance(target, ast.Subscript):
        holder = walker.expression(target.value)
        del holder[walker.expression(target.slice)]
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            _delete_one(walker, element)


def _function(walker: Walker, node: ast.FunctionDef) -> None:
    function: Any = calls.nested_function(walker, node)
    for decorator in reversed(node.decorator_list):
        function = calls.call(walker, walker.expression(decorator), [function], {})
    walker.store(node.name, function)


def _pass(walker: Walker, node: ast.stmt) -> None:
    return None


def _raise(walker: Walker, node: ast.Raise) -> None:
    what = "" if node.exc is None else f": {ast.unparse(node.exc)}"
    raise UnsupportedSyntaxError(
        f"'raise' is reached while the kernel is translated{what}",
        remedy="guard it with a compile-time condition, or check with assert or asctile.static_assert",
    )


_REFUSED: dict[str, tuple[str, str]] = {
    "Try": ("'try' is not supported in a kernel", "check with a compile-time 'if' instead"),
    "TryStar": ("'try' is not supported in a kernel", "check with a compile-time 'if' instead"),
    "Import": ("'import' is not supported in a kernel", "import at the top of the module"),
    "ImportFrom": ("'import' is not supported in a kernel", "import at the top of the module"),
    "ClassDef": ("a class cannot be defined in a kernel", "define it at the top of the module"),
    "Global": ("'global' is not supported in a kernel", "pass the value as an argument and return the new one"),
    "Nonlocal": ("'nonlocal' is not supported in a kernel", "return the new value from the inner function"),
    "AsyncFunctionDef": ("'async def' is not supported in a kernel", "use def"),
    "AsyncFor": ("'async for' is not supported in a kernel", "use for"),
    "AsyncWith": ("'async with' is not supported in a kernel", "use with"),
}


def refuse(walker: Walker, node: ast.AST) -> NoReturn:
    """Raise for a statement that has no meaning in a kernel."""
    message, remedy = _REFUSED.get(
        type(node).__name__, (f"{type(node).__name__} is not supported in a kernel", "write it in another way")
    )
    raise UnsupportedSyntaxError(message, span=walker.span(node), remedy=remedy)


HANDLERS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: _aug_assign,
    ast.If: _if,
    ast.For: looping.for_statement,
    ast.While: looping.while_statement,
    ast.Return: _return,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.With: _with,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.FunctionDef: _function,
    ast.Pass: _pass,
    ast.Raise: _raise,
    **matching.HANDLERS,
}
