"""Shapes of a drawing as SVG text. Every text is escaped here; colours are classes that the style sheet knows."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from markupsafe import Markup, escape

Number = Union[int, float]

#: Width of one character of the small monospaced text of drawings, in pixels.
CHARACTER = 6.7


def number(value: Number) -> str:
    """A coordinate with at most one decimal, always written the same way."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def shortened(text: str, width: float) -> str:
    """``text`` cut to what fits into ``width`` pixels, on one line; empty if not even a part of it does."""
    text = " ".join(text.split())
    room = int(width / CHARACTER)
    if len(text) <= room:
        return text
    return text[: room - 1] + "…" if room > 2 else ""


class Drawing:
    """Collects shapes; later ones are in front."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._parts: list[str] = []

    def rectangle(
        self,
        x: Number,
        y: Number,
        width: Number,
        height: Number,
        style: str,
        *,
        title: str = "",
        line: Optional[str] = None,
        round: Number = 3,
    ) -> None:
        """A rectangle; ``line`` links it to a line of the Python source, ``title`` is shown when the mouse rests."""
        attributes = f' x="{number(x)}" y="{number(y)}" width="{number(max(width, 0.5))}" height="{number(height)}"'
        self._add("rect", f'{attributes} rx="{number(round)}"', style, title, line)

    def text(
        self, x: Number, y: Number, text: str, style: str = "", *, anchor: str = "start", line: Optional[str] = None
    ) -> None:
        """A line of text whose baseline starts (or is centred, or ends) at a point."""
        link = f' data-line="{escape(line)}"' if line else ""
        where = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
        self._parts.append(f'<text {where} class="{style}"{link}>{escape(text)}</text>')

    def straight(self, x1: Number, y1: Number, x2: Number, y2: Number, style: str) -> None:
        """A straight line."""
        ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self._parts.append(f'<line {ends} class="{style}"/>')

    def curve(self, points: Sequence[tuple[Number, Number]], style: str, title: str = "") -> None:
        """A smooth line from the first point down to the last, with an arrow head."""
        x, y = points[0]
        path = [f"M{number(x)} {number(y)}"]
        for to_x, to_y in points[1:]:
            bend = (to_y - y) / 2
            path.append(
                f"C{number(x)} {number(y + bend)} {number(to_x)} {number(to_y - bend)} {number(to_x)} {number(to_y)}"
            )
            x, y = to_x, to_y
        self._add("path", f' d="{" ".join(path)}" marker-end="url(#arrow-{self.name})"', style, title, None)

    def _add(self, tag: str, attributes: str, style: str, title: str, line: Optional[str]) -> None:
        link = f' data-line="{escape(line)}"' if line else ""
        inner = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(f'<{tag}{attributes} class="{style}"{link}>{inner}</{tag}>')

    def finish(self, width: Number, height: Number, label: str) -> Markup:
        """The drawing as an element of a page; ``label`` says what it shows."""
        marker = (
            f'<defs><marker id="arrow-{self.name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" class="head"/></marker></defs>'
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
            f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}">'
        )
        return Markup(head + marker + "\n".join(self._parts) + "</svg>")
