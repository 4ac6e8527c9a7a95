"""What the pipes of one block do, as a drawing."""

from __future__ import annotations

import math
from typing import Protocol, Sequence

from markupsafe import Markup

from .svg import Drawing, shortened

LEFT, RIGHT, LANE, TOP = 62.0, 10.0, 30.0, 18.0
MOST_EVENTS = 1500
WIDEST = 9000.0
GOOD_EVENT_WIDTH = 90.0


class Event(Protocol):
    """One instruction of the timeline."""

    @property
    def pipe(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...


def pipes_of(events: Sequence[Event], order: Sequence[str]) -> list[str]:
    """The pipes that did something."""
    busy = {event.pipe for event in events}
    return [pipe for pipe in order if pipe in busy]


def draw_overview(events: Sequence[Event], pipes: Sequence[str], cycles: float, width: float) -> Markup:
    """The whole block in the width of the page, without names."""
    return _draw("overview", events, pipes, cycles, width, 14.0)


def draw_detail(events: Sequence[Event], pipes: Sequence[str], width: float) -> tuple[Markup, int]:
    """The first instructions wide enough to read, and how many they are; the page scrolls."""
    shown = list(events[:MOST_EVENTS])
    lengths = sorted(event.end - event.start for event in shown if event.end > event.start) or [1.0]
    start = min((event.start for event in shown), default=0.0)
    scale = GOOD_EVENT_WIDTH / lengths[len(lengths) * 3 // 4]  # the long ones can be read
    shown = [event for event in shown if (event.end - start) * scale < WIDEST] or shown[:1]
    end = max((event.end for event in shown), default=1.0)
    wide = max(width, LEFT + RIGHT + (end - start) * scale)
    return _draw("detail", shown, pipes, end, wide, LANE, start), len(shown)


def _draw(
    name: str, events: Sequence[Event], pipes: Sequence[str], end: float, width: float, lane: float, start: float = 0.0
) -> Markup:
    drawing = Drawing(name)
    scale = (width - LEFT - RIGHT) / max(end - start, 1.0)
    bottom = TOP + lane * len(pipes)
    _axis(drawing, start, end, scale, bottom)
    for row, pipe in enumerate(pipes):
        drawing.text(LEFT - 8, TOP + lane * (row + 0.5) + 4, pipe, "pipe-name", anchor="end")
    follows = _next_starts(events)
    for event, following in zip(events, follows):
        x, y = LEFT + (event.start - start) * scale, TOP + lane * pipes.index(event.pipe)
        length = (event.end - event.start) * scale
        line = str(event.line) if event.line else None
        place = f", line {event.line}" if event.line else ""
        title = f"{event.name}{place}: cycle {event.start:.0f} to {event.end:.0f} ({event.end - event.start:.0f})"
        # Instructions of one pipe overlap where the next starts before the last is done: the edge shows both.
        drawing.rectangle(x, y + 2, length, lane - 4, f"event {event.pipe.lower()}", title=title, line=line, round=2)
        if lane >= LANE:
            text = shortened(event.name, min(length, (following - event.start) * scale) - 8)
            if text:
                drawing.text(x + 5, y + lane / 2 + 4, text, "label", line=line)
    return drawing.finish(width, bottom + 6, "Timeline of the pipes of one block")


def _next_starts(events: Sequence[Event]) -> list[float]:
    """For each event, when the next one of its pipe starts."""
    starts: list[float] = []
    following: dict[str, float] = {}
    for event in reversed(events):
        starts.append(following.get(event.pipe, math.inf))
        following[event.pipe] = event.start
    return starts[::-1]


def _axis(drawing: Drawing, start: float, end: float, scale: float, bottom: float) -> None:
    step = _round_step(110 / scale)
    cycle = -(-start // step) * step
    while cycle <= end:
        x = LEFT + (cycle - start) * scale
        drawing.straight(x, TOP - 2, x, bottom, "grid")
        drawing.text(x + 3, TOP - 6, f"{cycle:,.0f}".replace(",", "\u202f"), "dim")
        cycle += step


def _round_step(about: float) -> float:
    """1, 2 or 5 times a power of ten, at least ``about`` and at least 1."""
    power = 1.0
    while power * 10 < about:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= about or factor == 10)
