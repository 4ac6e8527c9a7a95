"""The tile graph as a drawing: what is computed from what, loops and branches as frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from markupsafe import Markup

from ..graph.constants import unnamed
from ..graph.graph import LOOPS, Node, Operand, Region, TileGraph, walk
from ..graph.types import AddressType, GlobalType, ScalarType, TileType
from ..graph.values import Value
from .layers import Box, Edge, arrange
from .svg import CHARACTER, Drawing, shortened

PAD, HEAD = 14.0, 26.0
WIDEST_BOX = 250.0
MOST_NODES = 350
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "div": "/", "floordiv": "//", "mod": "%"}


def draw_graph(graph: TileGraph) -> Optional[Markup]:
    """The drawing; None if the graph has too many nodes to be seen at once."""
    if sum(1 for node in walk(graph.body) if not _is_scalar(node)) > MOST_NODES:
        return None
    frame = _Reader(graph).region(graph.body, "", None)
    drawing = Drawing("graph")
    width, height = frame.lay_out()
    frame.draw(drawing, 2.0, 2.0)
    return drawing.finish(width + 4, height + 4, f"Tile graph of {graph.name}")


def _is_scalar(node: Node) -> bool:
    """Whether a node only computes numbers or names memory: it is shown as text where it is used."""
    if any(isinstance(value, Value) and isinstance(value.type, TileType) for value in node.operands):
        return False
    plain = (ScalarType, AddressType, GlobalType)
    return bool(node.results) and not node.regions and all(isinstance(value.type, plain) for value in node.results)


@dataclass(eq=False)
class _Item(Box):
    """A node, or a value that enters or leaves a region."""

    style: str = "node"
    lines: list[str] = field(default_factory=list)
    line: Optional[str] = None
    title: str = ""
    frames: list[_Frame] = field(default_factory=list)

    def measure(self) -> None:
        """Set the size from what is inside."""
        if self.frames:
            sizes = [frame.lay_out() for frame in self.frames]
            self.width = sum(width for width, _ in sizes) + PAD * (len(sizes) - 1)
            self.height = max(height for _, height in sizes)
        else:
            longest = max((len(line) for line in self.lines), default=1)
            self.width = min(longest * CHARACTER + 20, WIDEST_BOX)
            self.height = 8 + 15 * len(self.lines)

    def draw(self, drawing: Drawing, x: float, y: float) -> None:
        x, y = x + self.x, y + self.y
        if self.frames:
            for frame in self.frames:
                frame.draw(drawing, x, y)
                x += frame.width + PAD
            return
        round_corners = 12 if self.style == "port" else 4
        drawing.rectangle(
            x, y, self.width, self.height, self.style, title=self.title, line=self.line, round=round_corners
        )
        for at, text in enumerate(self.lines):
            style = "label strong" if at == 0 and self.style != "port" else "label dim" if at else "label"
            shown = shortened(text, self.width - 14)
            drawing.text(x + self.width / 2, y + 16 + 15 * at, shown, style, anchor="middle", line=self.line)


@dataclass(eq=False)
class _Frame:
    """One region with its title."""

    title: str
    line: Optional[str]
    items: list[_Item] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0
    inner: tuple[float, float] = (0.0, 0.0)

    def lay_out(self) -> tuple[float, float]:
        for item in self.items:
            item.measure()
        self.inner = arrange(self.items, self.edges)
        if not self.title:
            self.width, self.height = self.inner
        else:
            least = min(len(self.title) * CHARACTER + 2 * PAD, 420.0)
            self.width = max(self.inner[0] + 2 * PAD, least)
            self.height = self.inner[1] + HEAD + PAD
        return self.width, self.height

    def draw(self, drawing: Drawing, x: float, y: float) -> None:
        if self.title:
            drawing.rectangle(x, y, self.width, self.height, "frame", line=self.line, title=self.title, round=6)
            drawing.text(x + 10, y + 17, shortened(self.title, self.width - 16), "label dim", line=self.line)
            x, y = x + (self.width - self.inner[0]) / 2, y + HEAD
        for edge in self.edges:
            drawing.curve([(x + at, y + below) for at, below in edge.points()], "edge")
        for item in self.items:
            item.draw(drawing, x, y)


class _Reader:
    """Turns regions into frames."""

    def __init__(self, graph: TileGraph) -> None:
        self.texts: dict[Value, str] = {}
        for param in graph.params:
            self.texts[param] = param.name

    def region(self, region: Region, title: str, line: Optional[str]) -> _Frame:
        frame = _Frame(title, line)
        makers: dict[Value, _Item] = {}
        for param in region.params:
            if isinstance(param.type, TileType):
                makers[param] = self._port(frame, f"{self._name(param)} {param.type}", line)
        for node in region.nodes:
            if _is_scalar(node):
                self._note(node)
                continue
            item = self._item(node)
            outer = self._captured(node) if node.regions else []
            reads = [value for value in node.operands if isinstance(value, Value)] + outer
            for value in dict.fromkeys(reads):
                if isinstance(value.type, TileType):
                    if value not in makers:
                        makers[value] = self._port(frame, f"{self._name(value)} {value.type}", None)
                    frame.edges.append(Edge(makers[value], item))
            self._memory_before(node, frame, item)
            frame.items.append(item)
            self._memory_after(node, frame, item)
            for result in node.results:
                if isinstance(result.type, TileType):
                    makers[result] = item
        for leaving in region.yields:
            if isinstance(leaving, Value) and isinstance(leaving.type, TileType) and leaving in makers:
                port = self._port(frame, f"{self._name(leaving)} goes on", line)
                frame.edges.append(Edge(makers[leaving], port))
        return frame

    def _port(self, frame: _Frame, text: str, line: Optional[str]) -> _Item:
        port = _Item(0, 0, style="port", lines=[text], line=line, title=text)
        frame.items.append(port)
        return port

    def _memory_before(self, node: Node, frame: _Frame, item: _Item) -> None:
        if any(isinstance(result.type, TileType) for result in node.results):
            for text in self._globals(node):
                frame.edges.append(Edge(self._global(frame, text), item))

    def _memory_after(self, node: Node, frame: _Frame, item: _Item) -> None:
        if not any(isinstance(result.type, TileType) for result in node.results):
            for text in self._globals(node):
                frame.edges.append(Edge(item, self._global(frame, text)))

    def _global(self, frame: _Frame, text: str) -> _Item:
        port = self._port(frame, text, None)
        port.style = "port memory"
        return port

    def _globals(self, node: Node) -> list[str]:
        found = [v for v in node.operands if isinstance(v, Value) and isinstance(v.type, (GlobalType, AddressType))]
        return [self._text(value) for value in dict.fromkeys(found)] if not node.regions else []

    def _item(self, node: Node) -> _Item:
        line = str(node.span.line) if node.span else None
        source = node.span.text.strip() if node.span else ""
        if node.regions:
            return _Item(0, 0, line=line, title=source, frames=self._frames(node, source, line))
        named = [self._name(result) for result in node.results if result.name]
        head = f"{', '.join(named)} = {node.op}" if named else node.op
        lines = [head]
        types = ", ".join(str(result.type) for result in node.results)
        if types:
            lines.append(types)
        arguments = self._arguments(node)
        if arguments:
            lines.append(arguments)
        for result in node.results:
            self.texts[result] = result.name or f"({node.op})"
        touches = any(isinstance(v, Value) and isinstance(v.type, (GlobalType, AddressType)) for v in node.operands)
        return _Item(0, 0, style="node transfer" if touches else "node", lines=lines, line=line, title=source)

    def _frames(self, node: Node, source: str, line: Optional[str]) -> list[_Frame]:
        _, skipped = LOOPS.get(node.op, (0, 0))
        titles = ["then: " + source, "else"] if node.op == "if" else [source or node.op, "condition"]
        for region in node.regions:
            for at, param in enumerate(region.params):
                self.texts[param] = param.name or ("index" if at < skipped else "carried")
        frames = [self.region(region, title, line) for region, title in zip(node.regions, titles)]
        for result in node.results:
            self.texts[result] = result.name or "result"
        return [frame for at, frame in enumerate(frames) if at == 0 or frame.items]

    def _captured(self, node: Node) -> list[Value]:
        """Tiles from outside that regions of a node use."""
        inside: set[Value] = set()
        read: list[Value] = []
        for region in node.regions:
            inside.update(region.params)
            for inner in walk(region):
                inside.update(inner.results)
                for nested in inner.regions:
                    inside.update(nested.params)
                    read += [value for value in nested.yields if isinstance(value, Value)]
                read += [value for value in inner.operands if isinstance(value, Value)]
            read += [value for value in region.yields if isinstance(value, Value)]
        return [value for value in dict.fromkeys(read) if value not in inside]

    # --- text of numbers ----------------------------------------------------------------------------------------------

    def _note(self, node: Node) -> None:
        """Remember how a number is written where it is used."""
        for result in node.results:
            self.texts[result] = result.name or self._expression(node)

    def _expression(self, node: Node) -> str:
        name = node.op.rpartition(".")[2]
        operands = [self._text(operand) for operand in node.operands]
        sign = _SIGNS.get(name)
        if sign and len(operands) == 2:
            return f"({operands[0]} {sign} {operands[1]})"
        return f"{name}({', '.join(operands)})"

    def _arguments(self, node: Node) -> str:
        """Numbers and attributes of a node that say something."""
        numbers = [
            _bare(self._text(operand))
            for operand in node.operands
            if not isinstance(operand, Value) or isinstance(operand.type, ScalarType)
        ]
        attributes = [
            f"{key}={getattr(value, 'name', None) or unnamed(value)}"
            for key, value in node.attrs.items()
            if value not in (None, False, (), "", True) and not isinstance(value, Value)
        ]
        return ", ".join([*numbers, *attributes])

    def _text(self, operand: Operand) -> str:
        if not isinstance(operand, Value):
            return str(getattr(operand, "name", unnamed(operand)))
        return self.texts.get(operand) or operand.name or "?"

    def _name(self, value: Value) -> str:
        return value.name or self.texts.get(value) or "tile"


def _bare(text: str) -> str:
    """Without the parentheses around the whole."""
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:-1]:
        return text[1:-1]
    return text
