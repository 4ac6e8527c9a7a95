"""What the front end's tests share: tracing, and running graphs of scalars against Python itself."""

from __future__ import annotations

import builtins
import itertools
import types
from collections.abc import Sequence
from typing import Any, Optional

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.frontend.walker import trace
from pyasc_transpile.graph.graph import Node, Region, TileGraph
from pyasc_transpile.graph.printer import print_graph
from pyasc_transpile.graph.values import Value
from pyasc_transpile.ops.scalars import SCALAR_OPERATIONS


def graph_of(kernel: Kernel, signature: str) -> TileGraph:
    return trace(kernel, parse_signature(kernel, signature))


def text_of(kernel: Kernel, signature: str) -> str:
    return print_graph(graph_of(kernel, signature))


Stores = list[tuple[int, Any]]


def evaluate(graph: TileGraph, arguments: dict[str, Any]) -> Stores:
    """Run a graph of scalars; returns what it stores, in order."""
    values: dict[Value, Any] = {param: arguments.get(param.name) for param in graph.params}
    stores: Stores = []

    def of(operand: Any) -> Any:
        return values[operand] if isinstance(operand, Value) else operand

    def typed(value: Any, result: Value) -> Any:
        return bool(value) if result.dtype.is_bool() else float(value) if result.dtype.is_float() else int(value)

    def bind(results: Sequence[Value], contents: Sequence[Any]) -> None:
        values.update([(result, typed(content, result)) for result, content in zip(results, contents)])

    def loop(node: Node, indices: Optional[builtins.range], carried: Sequence[Any]) -> Sequence[Any]:
        body = node.regions[0]
        for index in itertools.count() if indices is None else indices:
            bind(body.params, carried if indices is None else [index, *carried])
            if len(node.regions) > 1 and not run(node.regions[1])[0]:
                break
            carried = run(body)
        return carried

    def run(region: Region) -> list[Any]:
        for node in region.nodes:
            operands = [of(operand) for operand in node.operands]
            if node.op == "if":
                results = run(node.regions[0] if operands[0] else node.regions[1])
                values.update((r, typed(v, r)) for r, v in zip(node.results, results))
            elif node.op == "for":
                bind(node.results, loop(node, builtins.range(*operands[:3]), operands[3:]))
            elif node.op == "while":
                bind(node.results, loop(node, None, operands))
            elif node.op == "global_tensor":
                values[node.result] = None
            elif node.op == "store_scalar":
                stores.append((operands[2], operands[0]))
            elif node.op == "load_scalar":
                values[node.result] = typed(3 * operands[1] + 1, node.result)
            elif node.op == "scalar.cast":
                values[node.result] = typed(operands[0], node.result)
            else:
                operation = SCALAR_OPERATIONS[node.op[len("scalar.") :]]
                values[node.result] = typed(operation.meaning(*operands), node.result)
        return [of(value) for value in region.yields]

    run(graph.body)
    return stores


class _Language(types.ModuleType):
    """The language as plain Python, for scalars."""

    __name__ = "plain"

    def __init__(self, stores: Stores) -> None:
        super().__init__("plain")
        self.stores = stores
        self.static_range = builtins.range
        self.ConstExpr = list

    def global_tensor(self, base: Any, shape: Any) -> Any:
        return None

    def range(self, *args: int, **options: Any) -> Any:
        return builtins.range(*args)

    def copy_in(self, tensor: Any, offsets: list[int]) -> Any:
        return 3 * offsets[0] + 1

    def copy_out(self, value: Any, tensor: Any, offsets: list[int]) -> None:
        self.stores.append((offsets[0], value))


def run_python(kernel: Kernel, arguments: dict[str, Any]) -> Stores:
    """Run the function behind a kernel in plain Python; returns what it stores, in order."""
    stores: Stores = []
    plain = _Language(stores)

    module: dict[str, Any] = {**kernel.function.__globals__, "asctile": plain}

    def rebuilt(function: types.FunctionType) -> types.FunctionType:
        copy = types.FunctionType(function.__code__, module, None, function.__defaults__, function.__closure__)
        copy.__kwdefaults__ = function.__kwdefaults__
        return copy

    for name, value in list(module.items()):
        if isinstance(value, Kernel):
            module[name] = rebuilt(value.function)
        elif isinstance(value, types.FunctionType) and value.__module__ == kernel.__module__:
            module[name] = rebuilt(value)
    rebuilt(kernel.function)(**arguments)
    return stores
