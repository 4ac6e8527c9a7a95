"""C++ identifiers for Python names, and which expressions become named constants, where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Iterator, Optional

from ..lower import expr
from ..lower.expr import Block, Expr
from ..lower.program import (
    Assign,
    For,
    GlobalBuffer,
    GlobalRef,
    If,
    Instruction,
    Program,
    Statement,
    TileRef,
    While,
    nested_blocks,
)

_RESERVED = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
    constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while xor xor_eq co_await co_return co_yield concept requires char8_t half bfloat16_t block_idx block_num main
    pipe_t event_t assert printf std int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t errno
    NULL NAN INFINITY EOF linux unix i386 stdin stdout stderr get_buf rls_buf half2 GM_ADDR pipe slot abs exp log sqrt
    sin cos tan floor ceil pow erf signal time clock exit abort malloc free y0 y1 yn j0 j1 jn gamma index
    """.split()
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def identifier(name: str, fallback: str = "value") -> str:
    """A C++ identifier for a Python name: itself if that is safe, else a changed one.

    Names that begin with an underscore or contain two in a row are reserved in C++; names in capitals may be macros,
    and Ascend C's own functions and types begin with a capital.
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    text = re.sub(r"__+", "_", text).strip("_") or fallback
    if text[0].isdigit():
        text = f"{fallback}_{text}"
    if text.upper() == text:
        text = text.lower()
    elif text[0].isupper():
        text = text[0].lower() + text[1:]
    if text in _RESERVED:
        text = f"{text}_"
    assert _WORD.match(text)
    return text


class Scope:
    """Names in use in a block and around it."""

    def __init__(self, parent: Optional[Scope] = None) -> None:
        self.parent = parent
        self.names: set[str] = set()

    def unique(self, hint: str) -> str:
        """A name that is free here, derived from ``hint``; it is taken from now on."""
        base = identifier(hint)
        name, count = base, 0
        while self._has(name):
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return name

    def unique_reserved(self, name: str) -> str:
        """A name of our own that identifiers from Python never get, numbered if need be."""
        free, count = name, 0
        while self._has(free):
            count += 1
            free = f"{name}_{count}"
        self.names.add(free)
        return free

    def _has(self, name: str) -> bool:
        return name in self.names or (self.parent is not None and self.parent._has(name))


def statement_expressions(statement: Statement) -> Iterator[Expr]:
    """The expressions that a statement evaluates itself (not those of nested statements)."""
    if isinstance(statement, Instruction):
        for argument in statement.args:
            if isinstance(argument, Expr):
                yield argument
            elif isinstance(argument, (TileRef, GlobalRef)) and argument.offset is not None:
                yield argument.offset
    elif isinstance(statement, Assign):
        if statement.value is not None:
            yield statement.value
    elif isinstance(statement, For):
        yield from (statement.start, statement.stop, statement.step)
        if statement.condition is not None:
            yield statement.condition
    elif isinstance(statement, (If, While)):
        yield statement.condition


@dataclass
class _Use:
    count: int = 0
    blocks: list[Block] = field(default_factory=list)
    certain: list[Block] = field(default_factory=list)  # blocks that evaluate it whatever the operands beside it are
    repeated: bool = False  # evaluated more often than it is written


class NamedExpressions:
    """Which expressions are worth a named constant, and in front of which statement it stands.

    Worth a name: what is used twice, what a loop would evaluate again in its condition, structures, and what the
    kernel's author gave a name to.
    """

    def __init__(self, program: Program) -> None:
        self._root = program.body
        self._loop_bodies: set[Block] = set()
        self._uses: dict[Expr, _Use] = {}
        self._count(program.body)
        self.homes: dict[Expr, Block] = {
            value: self._home(value, use) for value, use in self._uses.items() if self._is_worth(value, use)
        }

    def _count(self, block: Block) -> None:
        for statement in block.statements:
            condition = statement.condition if isinstance(statement, (For, While)) else None
            for value in statement_expressions(statement):
                # The condition of a loop is evaluated in every iteration.
                inside = value is condition and isinstance(statement, (For, While))
                self._visit(value, statement.body if inside else block)
            if isinstance(statement, For):
                for bound in (statement.stop, statement.step):
                    if bound.op not in ("const", "var", "call"):
                        self._uses[bound].repeated = True
            if isinstance(statement, (For, While)):
                self._loop_bodies.add(statement.body)
            for inner in nested_blocks(statement):
                self._count(inner)

    def _visit(self, value: Expr, block: Block, is_certain: bool = True) -> None:
        use = self._uses.setdefault(value, _Use())
        use.count += 1
        self._note(value, block, is_certain)
        if value.op in ("min", "max"):
            for arg in value.args:
                self._uses.setdefault(arg, _Use()).repeated = True
        # Parts of an expression that is going to be a constant are used once, whoever uses the constant.
        if use.count == 1:
            for arg, always in _evaluated(value):
                self._visit(arg, block, is_certain and always)
        elif use.count > 1:
            self._note_parts(value, block, is_certain)

    def _note(self, value: Expr, block: Block, is_certain: bool) -> None:
        use = self._uses[value]
        use.blocks.append(block)
        if is_certain:
            use.certain.append(block)

    def _note_parts(self, value: Expr, block: Block, is_certain: bool) -> None:
        for arg, always in _evaluated(value):
            self._note(arg, block, is_certain and always)
            self._note_parts(arg, block, is_certain and always)

    @staticmethod
    def _is_worth(value: Expr, use: _Use) -> bool:
        if expr.is_speculative(value) and _common(use.blocks) not in use.certain:
            return False  # a name would be evaluated where the source perhaps does not
        if value.op in ("const", "var", "sizeof") or expr.known(value) is not None:
            return False
        if value.op == "call" or (value.op == "cast" and value.args[0].op in ("const", "var")):
            return value.keep and use.count > 1
        return value.op == "struct" or use.count > 1 or use.repeated or value.keep

    def _home(self, value: Expr, use: _Use) -> Block:
        """The innermost block around all uses, moved out of the loops that do not change the value."""
        place = _common(use.blocks)
        if expr.is_speculative(value):
            return place
        outermost = expr.home(value, self._root)
        chosen = place
        block: Optional[Block] = place
        while block is not None and block is not outermost:
            if block in self._loop_bodies and block.parent is not None:
                chosen = block.parent
            block = block.parent
        return chosen


def _evaluated(value: Expr) -> Iterator[tuple[Expr, bool]]:
    """The operands of an expression, and whether they are evaluated in any case."""
    for position, arg in enumerate(value.args):
        yield arg, position == 0 or value.op not in ("&&", "||", "select")


def _common(blocks: list[Block]) -> Block:
    result = blocks[0]
    for block in blocks[1:]:
        while not _contains(result, block):
            assert result.parent is not None
            result = result.parent
    return result


def _contains(outer: Block, block: Optional[Block]) -> bool:
    while block is not None:
        if block is outer:
            return True
        block = block.parent
    return False


def global_home(buffer: GlobalBuffer, root: Block) -> Block:
    """The block in which a GlobalTensor object can be set up."""
    places = [expr.home(buffer.address, root)]
    if buffer.length is not None:
        places.append(expr.home(buffer.length, root))
    return max(places, key=lambda block: block.depth)
