"""Expressions."""

from __future__ import annotations

import ast
import difflib
import operator
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, NoReturn

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..graph.values import LocalTensor, PlainValue, Value
from ..ops import scalars
from ..ops.typing import describe
from . import builtins, calls, control
from .scopes import Scope, UnknownAttributeError

if TYPE_CHECKING:
    from .walker import Walker

BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.MatMult: operator.matmul,
}
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def apply_binary(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Apply an operator; NumPy scalars beside run-time values count as the numbers they hold."""
    if isinstance(left, np.generic) and isinstance(right, Value):
        left = left.item()
    return function(left, right)


# Conditions


def condition(walker: Walker, node: ast.expr) -> Any:
    """Truth of an expression: a Python bool, or an int1 scalar at run time."""
    if isinstance(node, ast.BoolOp):
        return _bool_condition(walker, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value = condition(walker, node.operand)
        walker.node = node
        return scalars.logical_not(value) if isinstance(value, Value) else not value
    value = walker.expression(node)
    walker.node = node
    return builtins.truth(value)


def _bool_condition(walker: Walker, node: ast.BoolOp) -> Any:
    is_and = isinstance(node.op, ast.And)
    combine = scalars.logical_and if is_and else scalars.logical_or
    result: Any = is_and
    for operand in node.values:
        value = condition(walker, operand)
        if not isinstance(value, Value):
            if bool(value) is not is_and:
                return bool(value)  # decides the whole expression
            continue
        walker.node = node
        result = combine(result, value) if isinstance(result, Value) else value
    return result


# Handlers


def _constant(walker: Walker, node: ast.Constant) -> Any:
    return node.value


def _name(walker: Walker, node: ast.Name) -> Any:
    walker.node = node
    return walker.load(node.id)


def _attribute(walker: Walker, node: ast.Attribute) -> Any:
    value = walker.expression(node.value)
    walker.node = node
    try:
        return getattr(value, node.attr)
    except AttributeError as error:
        if isinstance(value, (Value, types.ModuleType)):
            raise _unknown_attribute(value, node.attr, str(error)) from error
        raise


def _unknown_attribute(value: Any, name: str, message: str) -> UnknownAttributeError:
    """What to raise when a run-time value or a module has no attribute ``name``."""
    holder = value
    if isinstance(value, Value):
        message, holder = f"{describe(value)} has no attribute {name!r}", type(value)
    public = [known for known in dir(holder) if not known.startswith("_") and callable(getattr(holder, known))]
    near = difflib.get_close_matches(name, public, n=1)
    remedy = f"did you mean {near[0]!r}?" if near else ""
    if isinstance(value, PlainValue) and not near:
        remedy = f"it has {', '.join(public)}"
    return UnknownAttributeError(message, remedy=remedy)


def _binary(walker: Walker, node: ast.BinOp) -> Any:
    left = walker.expression(node.left)
    right = walker.expression(node.right)
    walker.node = node
    return apply_binary(BINARY[type(node.op)], left, right)


def _unary(walker: Walker, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.Not):
        return condition(walker, node)
    value = walker.expression(node.operand)
    walker.node = node
    return _UNARY[type(node.op)](value)


def _bool_op(walker: Walker, node: ast.BoolOp) -> Any:
    """``and``/``or`` as a value: Python's operand where it is known, else the operand chosen at run time."""
    return _bool_value(walker, node, 0)


def _bool_value(walker: Walker, node: ast.BoolOp, position: int) -> Any:
    value = walker.expression(node.values[position])
    if position == len(node.values) - 1:
        return value
    walker.node = node.values[position]
    is_and = isinstance(node.op, ast.And)
    truth = builtins.truth(value)
    if not isinstance(truth, Value):
        return _bool_value(walker, node, position + 1) if bool(truth) is is_and else value
    kind = "'and'" if is_and else "'or'"
    if value.dtype.is_bool():
        other = _bool_value(walker, node, position + 1)
        walker.node = node
        if isinstance(other, bool) or (isinstance(other, PlainValue) and other.dtype.is_bool()):
            return (scalars.logical_and if is_and else scalars.logical_or)(value, other)
        ways = (lambda: other), (lambda: value)
    else:
        ways = (lambda: _bool_value(walker, node, position + 1)), (lambda: value)
    return choose(walker, truth, ways if is_and else ways[::-1], node, kind)


def choose(walker: Walker, test: Value, ways: Any, node: ast.AST, what: str) -> Any:
    """One of two expressions, selected at run time."""
    walker.runtime_depth += 1
    try:
        return control.branch(walker, test, ways, node, what, span=walker.builder.span)
    finally:
        walker.runtime_depth -= 1


def _if_exp(walker: Walker, node: ast.IfExp) -> Any:
    test = condition(walker, node.test)
    if not isinstance(test, Value):
        return walker.expression(node.body if test else node.orelse)

    def way(side: ast.expr) -> Callable[[], Any]:
        return lambda: walker.expression(side)

    walker.node = node
    return choose(walker, test, (way(node.body), way(node.orelse)), node, "conditional expression")


def _compare(walker: Walker, node: ast.Compare) -> Any:
    left = walker.expression(node.left)
    result: Any = True
    for position, (op, comparator) in enumerate(zip(node.ops, node.comparators)):
        right = walker.expression(comparator)
        walker.node = node
        outcome = _compare_one(op, left, right)
        if len(node.ops) == 1:
            return outcome
        truth = builtins.truth(outcome)
        if not isinstance(truth, Value):
            if not truth:
                return outcome
        else:
            result = scalars.logical_and(result, truth) if isinstance(result, Value) else truth
        if position == len(node.ops) - 1 and not isinstance(result, Value):
            return outcome
        left = right
    return result


def _compare_one(op: ast.cmpop, left: Any, right: Any) -> Any:
    if isinstance(op, (ast.In, ast.NotIn)):
        found = builtins.contains(right, left)
        if isinstance(op, ast.In):
            return found
        return scalars.logical_not(found) if isinstance(found, Value) else not found
    if isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(left, Value) != isinstance(right, Value):
        other = right if isinstance(left, Value) else left
        if not scalars.is_number(other):
            return isinstance(op, ast.NotEq)  # a run-time number never equals None, a string, a list ...
    return apply_binary(_COMPARE[type(op)], left, right)


def _call(walker: Walker, node: ast.Call) -> Any:
    return call_with(walker, node, walker.expression(node.func))


def call_with(walker: Walker, node: ast.Call, function: Any) -> Any:
    """Evaluate the arguments of a call and call ``function``."""
    args: list[Any] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            args.extend(builtins.iterate(walker.expression(argument.value)))
        else:
            args.append(walker.expression(argument))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = walker.expression(keyword.value)
        walker.node = node
        for name, item in {keyword.arg: value}.items() if keyword.arg is not None else dict(value).items():
            if name in kwargs:
                raise TypeError(f"keyword argument {name!r} is given twice")
            kwargs[name] = item
    walker.node = node
    result = calls.call(walker, function, args, kwargs)
    walker.node = node
    return result


def _items(walker: Walker, nodes: list[ast.expr]) -> list[Any]:
    items: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items.extend(builtins.iterate(walker.expression(node.value)))
        else:
            items.append(walker.expression(node))
    return items


def _list(walker: Walker, node: ast.List) -> Any:
    return _items(walker, node.elts)


def _tuple(walker: Walker, node: ast.Tuple) -> Any:
    return tuple(_items(walker, node.elts))


def _set(walker: Walker, node: ast.Set) -> Any:
    return set(_items(walker, node.elts))


def _dict(walker: Walker, node: ast.Dict) -> Any:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        if key is None:
            result.update(walker.expression(value))
        else:
            name = walker.expression(key)
            result[name] = walker.expression(value)
    return result


def _subscript(walker: Walker, node: ast.Subscript) -> Any:
    holder = walker.expression(node.value)
    index = walker.expression(node.slice)
    walker.node = node
    check_index(holder, index)
    return holder[index]


def check_index(holder: Any, index: Any) -> None:
    """Raise a helpful TypeError where Python's would be cryptic."""
    if isinstance(holder, LocalTensor) and not hasattr(holder, "__getitem__"):
        raise TypeError("a tile has no subscript; use asctile.copy to take a part of it")
    if isinstance(index, Value) and isinstance(holder, (list, tuple, dict, str)):
        raise TypeError(
            f"a {type(holder).__name__} is indexed at compile time, but this index is a {index.kind_name} known only "
            "at run time; loop with asctile.static_range, or choose with 'if'"
        )


def _slice(walker: Walker, node: ast.Slice) -> Any:
    parts = (None if part is None else walker.expression(part) for part in (node.lower, node.upper, node.step))
    return slice(*parts)


def _index(walker: Walker, node: Any) -> Any:
    return walker.expression(node.value)  # Python 3.8 form, still built by some tools


def _named_expr(walker: Walker, node: ast.NamedExpr) -> Any:
    value = walker.expression(node.value)
    inner = walker.frame.scope
    assert isinstance(node.target, ast.Name)
    scope = inner
    while scope.parent is not None and isinstance(scope, ComprehensionScope):
        scope = scope.parent
    walker.frame.scope = scope
    try:
        walker.store(node.target.id, value)
    finally:
        walker.frame.scope = inner
    return value


def _joined_str(walker: Walker, node: ast.JoinedStr) -> str:
    return "".join(str(walker.expression(part)) for part in node.values)


_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def _formatted_value(walker: Walker, node: ast.FormattedValue) -> str:
    value = walker.expression(node.value)
    if node.conversion in _CONVERSIONS:
        value = _CONVERSIONS[node.conversion](value)
    spec = "" if node.format_spec is None else walker.expression(node.format_spec)
    walker.node = node
    if isinstance(value, Value):
        return str(value)
    return format(value, spec)


class ComprehensionScope(Scope):
    """Scope of a comprehension: its targets are local to it, walrus targets are not."""

    __slots__ = ()


def _generate(walker: Walker, generators: list[ast.comprehension], position: int = 0) -> Iterator[None]:
    """Bind the targets of a comprehension to one combination after the other."""
    if position == len(generators):
        yield
        return
    generator = generators[position]
    if generator.is_async:
        raise UnsupportedSyntaxError("'async for' is not supported in a kernel", remedy="use for")
    iterable = walker.expression(generator.iter)
    walker.node = generator.iter
    for item in builtins.iterate(iterable):
        walker.assign(generator.target, item)
        passed = True
        for test in generator.ifs:
            outcome = condition(walker, test)
            if isinstance(outcome, Value):
                walker.node = test
                raise UnsupportedSyntaxError(
                    "a comprehension cannot leave out items at run time",
                    remedy="use asctile.where, or a for loop with if",
                )
            if not outcome:
                passed = False
                break
        if passed:
            yield from _generate(walker, generators, position + 1)


def _comprehend(walker: Walker, node: Any, evaluate: Callable[[], Any]) -> list[Any]:
    outer = walker.frame.scope
    walker.frame.scope = ComprehensionScope({}, outer)
    try:
        return [evaluate() for _ in _generate(walker, node.generators)]
    finally:
        walker.frame.scope = outer


def _list_comp(walker: Walker, node: ast.ListComp) -> Any:
    return _comprehend(walker, node, lambda: walker.expression(node.elt))


def _set_comp(walker: Walker, node: ast.SetComp) -> Any:
    return set(_comprehend(walker, node, lambda: walker.expression(node.elt)))


def _generator(walker: Walker, node: ast.GeneratorExp) -> Any:
    return iter(_comprehend(walker, node, lambda: walker.expression(node.elt)))


def _dict_comp(walker: Walker, node: ast.DictComp) -> Any:
    return dict(_comprehend(walker, node, lambda: (walker.expression(node.key), walker.expression(node.value))))


def _lambda(walker: Walker, node: ast.Lambda) -> Any:
    return calls.nested_function(walker, node)


def refuse(node: ast.AST) -> NoReturn:
    """Raise for an expression that has no meaning in a kernel."""
    words = {"Yield": "'yield'", "YieldFrom": "'yield from'", "Await": "'await'", "Starred": "a starred expression"}
    what = words.get(type(node).__name__, type(node).__name__)
    raise UnsupportedSyntaxError(f"{what} is not supported in a kernel", remedy="return a list or a tuple instead")


HANDLERS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_op,
    ast.IfExp: _if_exp,
    ast.Compare: _compare,
    ast.Call: _call,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.NamedExpr: _named_expr,
    ast.JoinedStr: _joined_str,
    ast.FormattedValue: _formatted_value,
    ast.ListComp: _list_comp,
    ast.SetComp: _set_comp,
    ast.GeneratorExp: _generator,
    ast.DictComp: _dict_comp,
    ast.Lambda: _lambda,
}
