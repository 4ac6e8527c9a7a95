"""Text and Graphviz forms of a tile graph."""

from __future__ import annotations

from typing import Any

from .constants import constant_text, unnamed
from .graph import Node, Operand, Region, TileGraph
from .values import Value


class _Names:
    """Readable, unique names of values in order of appearance."""

    def __init__(self) -> None:
        self._of: dict[Value, str] = {}
        self._used: dict[str, int] = {}

    def __call__(self, operand: Operand) -> str:
        if not isinstance(operand, Value):
            return repr(unnamed(operand))
        name = self._of.get(operand)
        if name is None:
            base = operand.name or "t"
            count = self._used.get(base, 0)
            self._used[base] = count + 1
            name = f"%{base}" if count == 0 and operand.name else f"%{base}.{count}"
            self._of[operand] = name
        return name


def _attr(value: Any, names: _Names) -> str:
    if isinstance(value, Value):
        return names(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_attr(item, names) for item in value) + "]"
    return str(getattr(value, "name", None) or unnamed(value))


def _head(node: Node, names: _Names) -> str:
    arguments = [names(operand) for operand in node.operands]
    arguments += [f"{key}={_attr(value, names)}" for key, value in node.attrs.items()]
    text = f"{node.op}({', '.join(arguments)})"
    if node.results:
        text = f"{', '.join(names(result) for result in node.results)} = {text}"
        text += " : " + ", ".join(str(result.type) for result in node.results)
    return text


def print_graph(graph: TileGraph) -> str:
    """The graph as indented text, one node a line, with the Python line behind it."""
    names = _Names()
    params = ", ".join(f"{names(param)}: {param.type}" for param in graph.params)
    lines = [f"kernel {graph.name}({params})"]
    lines += [f"  const {name} = {constant_text(value)}" for name, value in graph.constants.items()]

    def show(region: Region, depth: int) -> None:
        pad = "  " * depth
        for node in region.nodes:
            where = f"  # {node.span.line}" if node.span else ""
            lines.append(pad + _head(node, names) + where)
            for label, inner in zip(("then", "else") if node.op == "if" else ("do", "while"), node.regions):
                carried = ", ".join(names(param) for param in inner.params)
                lines.append(f"{pad}{label}({carried}):" if carried else f"{pad}{label}:")
                show(inner, depth + 1)
                if inner.yields:
                    lines.append(pad + "  yield " + ", ".join(names(value) for value in inner.yields))

    show(graph.body, 1)
    return "\n".join(lines) + "\n"


def print_dot(graph: TileGraph) -> str:
    """The graph in Graphviz' language: one box per node, one cluster per region."""
    names = _Names()
    makers: dict[Value, str] = {}
    lines = [f'digraph "{graph.name}" {{', "  node [shape=box, fontname=monospace];"]
    edges: list[str] = []
    counter = 0

    def escape(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"')

    for param in graph.params:
        lines.append(f'  p{len(makers)} [shape=ellipse, label="{escape(names(param))}: {param.type}"];')
        makers[param] = f"p{len(makers)}"

    def show(region: Region, indent: str) -> None:
        nonlocal counter
        for node in region.nodes:
            ident = f"n{counter}"
            counter += 1
            lines.append(f'{indent}{ident} [label="{escape(_head(node, names))}"];')
            for operand in node.operands:
                if isinstance(operand, Value) and operand in makers:
                    edges.append(f"  {makers[operand]} -> {ident};")
            for position, inner in enumerate(node.regions):
                for param in inner.params:
                    makers[param] = ident
                lines.append(f"{indent}subgraph cluster_{ident}_{position} {{")
                show(inner, indent + "  ")
                lines.append(f"{indent}}}")
                edges.extend(
                    f"  {makers[value]} -> {ident} [style=dashed];"
                    for value in inner.yields
                    if isinstance(value, Value) and value in makers
                )
            for result in node.results:
                makers[result] = ident

    show(graph.body, "  ")
    return "\n".join(lines + edges + ["}"]) + "\n"
