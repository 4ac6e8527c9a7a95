"""The Python source beside the Ascend C: which lines to show, and which belong together."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Iterator, Mapping, Optional, Sequence

from markupsafe import Markup, escape

from ..frontend.source import FunctionSource, display_name, function_source, stable_name
from ..lower.program import For, If, Instruction, Program, While, walk

if TYPE_CHECKING:
    from ..pipeline import Transpilation

HUES = 6


@dataclass(frozen=True)
class Line:
    """One line of a listing.

    Attributes:
        number: as shown.
        text: with its colours.
        link: Python line that it belongs to, or None; the same on both sides.
        hue: number of the colour of the link.
        gap: whether lines were left out before it.
    """

    number: int
    text: Markup
    link: Optional[str]
    hue: int
    gap: bool = False


@dataclass(frozen=True)
class Listings:
    """Both sides.

    Attributes:
        file: Python file as the report calls it.
    """

    file: str
    python: Sequence[Line]
    ascend_c: Sequence[Line]


def make_listings(transpilation: Transpilation) -> Listings:
    """Both listings of a kernel, linked."""
    source = function_source(transpilation.kernel.function)
    links = _links(transpilation, source)
    used = sorted(set(links.values()))
    hues = {line: position % HUES for position, line in enumerate(used)}
    ascend_c = [
        _line(number, text, links.get(number), hues, _CPP_WORDS, "//")
        for number, text in enumerate(transpilation.source.rstrip("\n").split("\n"), 1)
    ]
    python = []
    previous = 0
    for number in _shown_lines(source, used):
        link = number if number in hues else None
        gap = previous != 0 and number != previous + 1
        python.append(_line(number, source.file.line(number), link, hues, _PYTHON_WORDS, "#", gap))
        previous = number
    return Listings(stable_name(source.file.filename), python, ascend_c)


# --- links ------------------------------------------------------------------------------------------------------------


def _links(transpilation: Transpilation, source: FunctionSource) -> dict[int, int]:
    """For lines of the Ascend C, the line of the kernel's Python file that they come from."""
    shown = display_name(source.file.filename)
    foreign = _foreign_lines(transpilation.program, shown)
    links: dict[int, int] = {}
    for text, place in dict(transpilation.report.get("source_map") or {}).items():
        if isinstance(place, int):
            if place not in foreign:
                links[int(text)] = place
        elif str(place[0]) in (shown, stable_name(source.file.filename)):
            links[int(text)] = int(place[1])
    lines = transpilation.source.split("\n")
    _link_paragraphs(lines, links, foreign)
    _link_structures(lines, transpilation.program, links)
    return links


def _foreign_lines(program: Program, filename: str) -> set[int]:
    """Line numbers that occur in files of helpers only."""
    files: dict[int, set[str]] = {}
    for statement in walk(program.body):
        span = statement.span if isinstance(statement, Instruction) else None
        if span is not None:
            files.setdefault(span.line, set()).add(span.filename)
    own = program.span.filename if program.span is not None else filename
    return {line for line, names in files.items() if not names & {filename, own}}


_LOOP = re.compile(r"\s*(for|while) \(")
_COMMENT = re.compile(r"(\s*)// :(\d+)(?:  |$)")


def _link_paragraphs(lines: Sequence[str], links: dict[int, int], foreign: set[int]) -> None:
    """Lines from the comment that quotes a Python line to the end of its paragraph belong to it."""
    current: Optional[int] = None
    indent = 0
    waiting: list[int] = []  # declarations, which may be for the next paragraph
    for number, text in enumerate(lines, 1):
        comment = _COMMENT.match(text)
        if comment:
            indent, line = len(comment.group(1)), int(comment.group(2))
            current, waiting = None if line in foreign else line, []
        elif not text.strip() or len(text) - len(text.lstrip()) < indent or _LOOP.match(text):
            current, waiting = None, []
        if current is None:
            continue
        if text.lstrip().startswith("const ") and number not in links:
            waiting.append(number)
            continue
        for each in (*waiting, number):
            links.setdefault(each, current)
        waiting = []


_STRUCTURE = re.compile(r"\s*(for|while|if) \(")
_SLOTS = re.compile(r"\s*for \(int32_t slot = 0; slot < \d+; \+\+slot\)")


def _link_structures(lines: Sequence[str], program: Program, links: dict[int, int]) -> None:
    """Loops and branches stand in the text in the order of the program."""
    found = [at for at, text in enumerate(lines, 1) if _STRUCTURE.match(text) and not _SLOTS.match(text)]
    statements = [statement for statement in walk(program.body) if isinstance(statement, (For, While, If))]
    if len(found) != len(statements):
        return
    own = program.span.filename if program.span is not None else ""
    for number, statement in zip(found, statements):
        if statement.span is not None and statement.span.filename == own:
            links.setdefault(number, statement.span.line)


def _shown_lines(source: FunctionSource, linked: Sequence[int]) -> list[int]:
    """The kernel, and those functions of its file that other linked lines stand in."""
    wanted = set(range(source.first_line, (source.node.end_lineno or source.first_line) + 1))
    for line in linked:
        if line in wanted:
            continue
        for node in source.file.tree.body:
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            last = node.end_lineno or first
            if first <= line <= last:
                whole = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or last - first < 40
                wanted.update(range(first, last + 1) if whole else (line,))
    return sorted(wanted)


# --- colours ----------------------------------------------------------------------------------------------------------

_PYTHON_WORDS = frozenset(keyword.kwlist)
_CPP_WORDS = frozenset(
    "bool break const constexpr continue double else extern false float for half if int int8_t int16_t int32_t int64_t "
    "return static_cast true uint8_t uint16_t uint32_t uint64_t using namespace void while bfloat16_t".split()
)
_TOKEN = re.compile(r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<comment>//.*|\#.*)|(?P<word>[^\W\d]\w*)""")


def _line(
    number: int, text: str, link: Optional[int], hues: Mapping[int, int], words: frozenset[str], comment: str,
    gap: bool = False,
) -> Line:  # fmt: skip
    hue = hues[link] if link is not None else 0
    return Line(number, Markup("").join(_coloured(text, words, comment)), str(link) if link else None, hue, gap)


def _coloured(text: str, words: frozenset[str], comment: str) -> Iterator[Markup]:
    position = 0
    while position < len(text):
        found = _TOKEN.search(text, position)
        if found is None:
            break
        yield escape(text[position : found.start()])
        token, kind = found.group(), found.lastgroup
        if kind == "comment" and not token.startswith(comment):
            end = found.start() + 1  # another language's comment sign: one plain character
            yield escape(text[found.start() : end])
            position = end
            continue
        style = {"string": "s", "comment": "c"}.get(kind or "", "k" if token in words else "")
        yield Markup('<span class="{}">{}</span>').format(style, token) if style else escape(token)
        position = found.end()
    yield escape(text[position:])
