"""Lines of text that know the Python line they come from, and the forms of the text made of them."""

from __future__ import annotations

from typing import Sequence

MARK = "\x00"  # separates a line of text from the Python line that it comes from, until the file is put together
CHECKED_ONLY = "\x01"  # in front of lines that only the checked build gets


def comment_text(text: str) -> str:
    """A Python line as a C++ comment: a backslash at its end would swallow the next line."""
    shown = "".join(character if character.isprintable() else " " for character in text.strip())
    return shown[:-1].rstrip() if shown.endswith("\\") else shown


def joined_declarations(lines: Sequence[str]) -> list[str]:
    """``T a; T b;`` as ``T a, b;``, in order of first appearance."""
    joined: dict[str, list[str]] = {}
    for line in lines:
        type_name, _, name = line.rstrip(";").rpartition(" ")
        joined.setdefault(type_name, []).append(name)
    return [f"{type_name} {', '.join(names)};" for type_name, names in joined.items()]


def without_blank_edges(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line == "" and (not kept or kept[-1] == "" or kept[-1].rstrip().endswith("{")):
            continue
        kept.append(line)
    while kept and kept[-1] == "":
        kept.pop()
    return kept


def split_marks(text: str) -> tuple[str, dict[int, int]]:
    """The text without marks, and the Python line of each marked line."""
    lines, source_map = [], {}
    for line in text.split("\n"):
        shown, mark, python_line = line.partition(MARK)
        if CHECKED_ONLY in shown:
            continue
        lines.append(shown)
        if mark:
            source_map[len(lines)] = int(python_line)
    return "\n".join(lines), source_map


def with_markers(text: str, filename: str) -> str:
    """The text with calls that tell the checked build which Python line runs."""
    lines = []
    quoted = filename.replace("\\", "\\\\").replace('"', '\\"')
    for line in text.split("\n"):
        shown, mark, python_line = line.partition(MARK)
        indent = shown[: len(shown) - len(shown.lstrip())]
        if mark:
            lines.append(f"{indent}AscendC::cpu::At({python_line});")
        lines.append(shown.replace(CHECKED_ONLY, ""))
        if shown == "    using namespace AscendC;":
            lines.append(f'    AscendC::cpu::SourceFile("{quoted}");')
    return "\n".join(lines)
