"""What operations ask for while they are lowered: memory, instructions, scalar expressions and control."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional, Sequence, Union, cast

from ..errors import LoweringError
from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, TileGraph, walk
from ..graph.types import TileType
from ..graph.values import GlobalAddress, GlobalTensor, LocalTensor, Value
from ..ops import wide_integers
from ..ops.elementwise import emit_fill
from . import expr
from .blocks import repeat_element
from .expr import Block, Expr, Variable, const
from .instructions import INSTRUCTIONS, InstructionRow, Pipe, Role, supports
from .program import (
    Argument,
    Buffer,
    For,
    GlobalBuffer,
    GlobalRef,
    If,
    Instruction,
    Program,
    Statement,
    TileRef,
)

Lowered = Union[TileRef, Expr]

_GLOBAL_WRITERS = ("copy_out", "store_scalar", "scatter", "atomic_add", "atomic_max", "atomic_min")


class OperationContext:
    """The state of one translation (:class:`pyasc_transpile.ops.registry.Lowering`)."""

    def __init__(self, program: Program, graph: TileGraph) -> None:
        self.program = program
        self.platform = program.platform
        self.architecture = program.platform.architecture
        self.block = program.body
        self.node: Optional[Node] = None
        self._values: dict[Value, Lowered] = {}
        self._globals: dict[Value, GlobalBuffer] = {}
        self._addresses: dict[Value, tuple[Expr, object]] = {}
        self._loops: list[For] = []
        self.head: list[Statement] = []  # what makes the constant tiles
        self._constant_tiles: dict[str, TileRef] = {}
        self._whole_sizes: dict[Buffer, int] = {}
        self._never_negative: dict[object, bool] = {}
        self._granule = self._row_granule(graph)
        self._makers = {node.result: node for node in walk(graph.body) if node.op == "global_tensor"}
        self._written = {
            cast(GlobalTensor, node.operands[1]) for node in walk(graph.body) if node.op in _GLOBAL_WRITERS
        }
        for node in walk(graph.body):
            if node.op == "low_level" and node.operands and isinstance(node.operands[0], GlobalTensor):
                self._written.add(node.operands[0])
        self._changed_by_hand = any(node.op in ("low_level", "inline") for node in walk(graph.body))

    @staticmethod
    def _row_granule(graph: TileGraph) -> int:
        """Elements to which rows of tiles with two or more dimensions are padded.

        One number for the whole kernel, so that tiles of one shape are laid out alike whatever their type.
        """
        sizes = [
            result.dtype.sizeof()
            for node in walk(graph.body)
            for result in node.results
            if isinstance(result, LocalTensor) and result.rank > 1 and not result.dtype.is_bool()
        ]
        if any(node.op == "column_mask" for node in walk(graph.body)):
            sizes.append(4)  # it numbers the columns in float32
        return 32 // min(sizes, default=4)

    @contextlib.contextmanager
    def _inside(self, block: Block) -> Iterator[None]:
        previous, self.block = self.block, block
        try:
            yield
        finally:
            self.block = previous

    def _span(self) -> Any:
        return self.node.span if self.node else None

    # --- memory -------------------------------------------------------------------------------------------------------

    def pitch_of(self, shape: tuple[int, ...], dtype: DataType) -> Expr:
        """Elements from one row of a tile to the next."""
        if len(shape) == 1 or shape[-1] % self._granule == 0:
            return const(shape[-1])
        return const((shape[-1] + self._granule - 1) // self._granule * self._granule)

    def pitch(self, type: TileType) -> int:
        """Elements from one row of a tile to the next, as a number."""
        return int(unnamed(self.pitch_of(type.shape, type.dtype).constant))

    def rows(self, type: TileType) -> int:
        """Rows of a tile: the product of all extents but the last."""
        return type.size // type.shape[-1]

    def _elements(self, type: TileType) -> int:
        return self.rows(type) * self.pitch(type)

    def count(self, type: TileType) -> Expr:
        """Elements that an instruction on a whole tile processes, row padding included."""
        return expr.spelled_product((*type.shape[:-1], self.pitch_of(type.shape, type.dtype).constant))

    def _tile(self, type: TileType, hint: str, block: Block) -> TileRef:
        elements = self._elements(type)
        if type.dtype.is_bool():
            # One bit per element, whole repeats of the narrowest compared type, in 32-byte blocks.
            dtype, elements, label = dtypes.uint8, (elements + 255) // 256 * 32, None
        else:
            dtype, label = type.dtype, self.count(type)
            elements += elements * dtype.sizeof() % 2  # bit operations process bytes as 16-bit words
        buffer = Buffer(hint, dtype, elements, block, self._span(), label=label)
        self.program.buffers.append(buffer)
        return TileRef(buffer, dtype)

    def _copy_tile(self, target: TileRef, source: TileRef, type: TileType) -> None:
        if target == source:
            return
        count = target.buffer.bytes // target.dtype.sizeof()
        if source.offset is not None and not type.dtype.is_bool():
            count = (self._elements(type) * type.dtype.sizeof() + 31) // 32 * 32 // type.dtype.sizeof()
        exact = count == self._elements(type) and not type.dtype.is_bool()
        self.emit("Copy", target, source, self.count(type) if exact else const(count))
        self.reserve(target, count)
        self.reserve(source, count)

    def reserve(self, tile: TileRef, elements: int) -> TileRef:
        """Let the buffer of ``tile`` hold at least ``elements`` from where the tile starts."""
        start = 0 if tile.offset is None else expr.known(tile.offset)
        if start is None:  # known only at run time: at worst at the end of what the buffer holds
            start = self._whole_sizes.setdefault(tile.buffer, tile.buffer.elements)
        total = (start + elements) * tile.dtype.sizeof()
        size = tile.buffer.dtype.sizeof()
        tile.buffer.elements = max(tile.buffer.elements, (total + size - 1) // size)
        return tile

    def repeats_in_block(self, tile: TileRef) -> bool:
        """Let the first element of ``tile``, if it is made here, fill a block; whether it does.

        It takes longer than to spread it in the end, but not with the barrier that goes with that.
        """
        times = self.architecture.block_bytes // tile.dtype.sizeof()
        stays = self._changed_by_hand or self.architecture.vector_in_order
        parts = None if stays else repeat_element(self.program, tile, times)
        for part in parts or ():
            self.reserve(part, times)
        return parts is not None

    def from_start(self, tile: TileRef) -> TileRef:
        """The tile itself, if it is a part of it that starts at its start."""
        whole = tile.offset is not None and expr.known(tile.offset) == 0
        return TileRef(tile.buffer, tile.dtype) if whole else tile

    def view(self, node: Node, tile: TileRef) -> None:
        """Let the result of ``node`` be (a part of) a tile that exists; it shares the buffer."""
        type = cast(LocalTensor, node.result).type
        if not type.dtype.is_bool() and (tile.offset is None or expr.known(tile.offset) is not None):
            self.reserve(tile, self._elements(type))
        self._values[node.result] = tile

    # --- what operations ask for --------------------------------------------------------------------------------------

    def supports(self, instruction: str, dtype: DataType) -> bool:
        return supports(instruction, dtype, self.architecture.name) or wide_integers.expands(instruction, dtype)

    def fail(self, message: str, remedy: str = "") -> LoweringError:
        return LoweringError(message, span=self._span(), remedy=remedy)

    def define(self, value: Value, lowered: Lowered) -> None:
        """Bind a graph value to its place or expression."""
        self._values[value] = (
            lowered.named(value.name, keep=True) if isinstance(lowered, Expr) and value.name else lowered
        )

    def _expr(self, operand: Operand) -> Expr:
        if isinstance(operand, Value):
            return cast(Expr, self._values[operand])
        return const(operand, dtypes.float32 if isinstance(operand, float) else dtypes.int32)

    def operand(self, operand: Operand, dtype: Optional[DataType] = None) -> Lowered:
        if isinstance(operand, LocalTensor):
            return self._values[operand]
        if isinstance(operand, Value):
            value = cast(Expr, self._values[operand])
            return expr.cast(value, dtype) if dtype is not None and not self._is_index(value, dtype) else value
        return const(operand, dtype or dtypes.int32)

    @staticmethod
    def _is_index(value: Expr, dtype: DataType) -> bool:
        """Offsets and extents keep their own integer type; they are widened where they are used."""
        return (
            dtype == dtypes.int32
            and isinstance(value.ctype, DataType)
            and value.ctype.is_int()
            and not value.ctype.is_bool()
        )

    def result(self, node: Node) -> TileRef:
        value = cast(LocalTensor, node.result)
        tile = self._tile(value.type, value.name, self.block)
        self._values[value] = tile
        return tile

    def scratch(self, type: TileType, name: str = "") -> TileRef:
        hint = name or (
            f"{self.node.results[0].name}_tmp"
            if self.node and self.node.results and self.node.results[0].name
            else "tmp"
        )
        tile = self._tile(type, hint, self.block)
        tile.buffer.scratch = True
        return tile

    def constant_tile(self, name: str, type: TileType, make: Callable[[TileRef], None]) -> TileRef:
        """A tile that is made once, at the start of the kernel, and never changes; ``name`` identifies it."""
        if name not in self._constant_tiles:
            self._constant_tiles[name] = self.initial_tile(name, type, make)
        return self._constant_tiles[name]

    def initial_tile(self, name: str, type: TileType, make: Callable[[TileRef], None]) -> TileRef:
        """A tile that ``make`` fills at the start of the kernel."""
        body, node = self.program.body, self.node
        body.statements, later = [], body.statements
        self.node = None
        with self._inside(body):
            tile = self.scratch(type, name)
            make(tile)
        self.node = node
        self.head += body.statements
        body.statements = later
        return tile

    def is_in_loop(self) -> bool:
        """Whether what is lowered now belongs to a loop of the kernel."""
        return bool(self._loops)

    def emit(self, instruction: str, *arguments: Argument) -> None:
        """Append an instruction, or those that it is made of where the architecture lacks it."""
        dtype = next((each.dtype for each in arguments if isinstance(each, TileRef)), None)
        expands = dtype is not None and wide_integers.expands(instruction, dtype)
        if dtype is not None and expands and not supports(instruction, dtype, self.architecture.name):
            wide_integers.EXPANSIONS[instruction](self, *arguments)
            return
        self.block.statements.append(Instruction(INSTRUCTIONS[instruction], arguments, self._span()))

    def prelude(self, code: str) -> None:
        """Put ``code`` at the top of the file, once."""
        if code not in self.program.prelude:
            self.program.prelude.append(code)

    def emit_code(self, code: str, arguments: Sequence[Argument]) -> None:
        """Append code written by hand, which may touch what it is given."""
        roles = tuple(Role.WRITE if isinstance(each, (TileRef, GlobalRef)) else Role.PLAIN for each in arguments)
        row = InstructionRow("Inline", Pipe.S, (Role.PLAIN, *roles), in_place=False, verbatim=True)
        self.block.statements.append(Instruction(row, (code, *arguments), self._span()))

    def emit_vector_code(self, code: str, target: TileRef, sources: Sequence[TileRef]) -> None:
        """Append the body of a vector function written by hand."""
        roles = (Role.PLAIN, Role.WRITE, *(Role.READ for _ in sources))
        row = InstructionRow("InlineVf", Pipe.V, roles, in_place=False, verbatim=True, function="__VEC_SCOPE__")
        self.block.statements.append(Instruction(row, (code, target, *sources), self._span()))

    def scalar_or_address(self, value: Value) -> Expr:
        return self._addresses[value][0] if isinstance(value, GlobalAddress) else cast(Expr, self._values[value])

    def literal(self, number: Operand) -> Expr:
        return self._expr(number)

    def index(self, operand: Operand) -> Expr:
        """An offset or extent inside of a tile: 32 bits are enough."""
        return expr.cast(cast(Expr, self.operand(operand, dtypes.int32)), dtypes.int32)

    def is_tile(self, operand: Any) -> bool:
        return isinstance(operand, TileRef)

    def number(self, value: Any, dtype: DataType = dtypes.int32) -> Expr:
        return const(value, dtype)

    def constant(self, value: Any) -> Optional[Any]:
        if not isinstance(value, Expr):
            return None
        found = expr.known(value)
        return value.constant if found is None else found

    def is_zero(self, value: Expr) -> bool:
        return value.op == "const" and value.value == 0

    def negated(self, value: Expr) -> Expr:
        return const(-value.value, value.ctype) if value.op == "const" else Expr("neg", (value,), value.ctype)

    def converted(self, value: Expr, dtype: DataType) -> Expr:
        """A number or scalar as ``dtype``."""
        return expr.cast(value, dtype)

    def words_of(self, value: Expr) -> tuple[Expr, Expr]:
        """The low and the high 32 bits of an int64, as int32."""
        if value.constant is not None:
            low = (int(unnamed(value.constant)) + 2**31) % 2**32 - 2**31
            return const(low), const(int(unnamed(value.constant)) >> 32)
        high = Expr(">>", (value, const(32)), value.ctype)
        return expr.cast(value, dtypes.int32), expr.cast(high, dtypes.int32)

    def quotient(self, value: Expr, divisor: int) -> Expr:
        """A non-negative number divided by another one."""
        return expr.truncated_quotient(value, const(divisor))

    def byte_twice(self, value: Expr) -> Expr:
        """An int16 whose two bytes are both the int8 ``value``."""
        if value.op == "const":
            pair = (int(value.value) & 255) * 257
            return const(pair - 2**16 if pair >= 2**15 else pair, dtypes.int16)
        byte = Expr("&", (expr.cast(value, dtypes.int32), const(255)), dtypes.int32)
        return expr.cast(Expr("*", (byte, const(257)), dtypes.int32), dtypes.int16)

    def divides(self, count: Expr, divisor: int) -> bool:
        total = expr.known(count)
        return total is not None and total % divisor == 0

    def rescale(self, count: Expr, source: DataType, target: DataType) -> Expr:
        """``count`` elements of ``source`` counted in elements of ``target``, rounded up."""
        total = expr.known(count)
        assert total is not None
        return const(-(-total * source.sizeof() // target.sizeof()))

    def compare_count(self, type: TileType, tile: TileRef) -> Expr:
        """Elements that a comparison of ``tile`` processes: whole repeats; the buffer grows to hold them."""
        per_repeat = self.architecture.repeat_bytes // tile.dtype.sizeof()
        elements = self._elements(type)
        whole = (elements + per_repeat - 1) // per_repeat * per_repeat
        self.reserve(tile, whole)
        return self.count(type) if whole == elements else const(whole)

    def mask_words(self, type: TileType) -> Expr:
        """Length of a comparison result in 16-bit words."""
        return const((self._elements(type) + 255) // 256 * 16)

    def parameters(self, type_name: str, *fields: int, hint: str = "") -> Expr:
        """A brace-initialised parameter structure of known numbers."""
        return expr.struct(type_name, *(const(field) for field in fields), hint=hint)

    def structure(self, type_name: str, fields: Sequence[tuple[Expr, str]]) -> Expr:
        """A brace-initialised parameter structure; fields known only at run time are converted to their C++ types."""
        exact = (value if expr.known(value) is not None else expr.cast(value, ctype) for value, ctype in fields)
        return expr.struct(type_name, *exact, hint="params")

    def fill(self, tile: TileRef, number: Expr, count: Expr) -> None:
        emit_fill(self, tile, number, count)

    # --- control ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def loop(self, trips: int, hint: str) -> Iterator[Expr]:
        """A loop over a known number of trips."""
        with self.loop_to(const(trips), hint) as index:
            yield index

    @contextlib.contextmanager
    def loop_to(self, stop: Expr, hint: str, ordered: bool = False) -> Iterator[Expr]:
        """A loop from 0 to ``stop``; ``ordered`` if iterations may meet in global memory."""
        body = Block(self.block)
        index = Variable(hint, dtypes.int32, body)
        self._never_negative[index] = True
        loop = For(index, const(0), stop, const(1), body, self._span(), gm_barrier=ordered, slices=True)
        self.block.statements.append(loop)
        with self._inside(body):
            yield expr.var(index)

    @contextlib.contextmanager
    def branch(self, condition: Expr) -> Iterator[None]:
        """A branch without alternative; none at all if it is certainly taken."""
        if condition.constant is True:
            yield
            return
        then = Block(self.block)
        self.block.statements.append(If(condition, then, Block(self.block), self._span()))
        with self._inside(then):
            yield

    # --- scalar expressions -------------------------------------------------------------------------------------------

    def cast(self, value: Expr, ctype: Any) -> Expr:
        return expr.cast(value, ctype)

    def byte_of(self, word: Expr, position: int) -> Expr:
        """Byte ``position`` of a word, as uint8."""
        if word.constant is not None:
            return const(int(unnamed(word.constant)) >> 8 * position & 255, dtypes.uint8)
        moved = Expr(">>", (word, const(8 * position)), word.ctype) if position else word
        return expr.cast(Expr("&", (moved, const(255, word.ctype)), word.ctype), dtypes.uint8)

    def wide(self, value: Expr) -> Expr:
        return expr.widen(value)

    def minimum(self, a: Expr, b: Expr) -> Expr:
        return expr.minimum(a, b)

    def maximum(self, a: Expr, b: Expr) -> Expr:
        return expr.maximum(a, b)

    def compare(self, op: str, a: Expr, b: Expr) -> Expr:
        return expr.compare(op, a, b, dtypes.int1)

    def any(self, tests: Sequence[Expr]) -> Expr:
        result = tests[0]
        for test in tests[1:]:
            result = Expr("||", (result, test), dtypes.int1)
        return result

    def all(self, tests: Sequence[Expr]) -> Expr:
        result = tests[0]
        for test in tests[1:]:
            result = Expr("&&", (result, test), dtypes.int1)
        return result

    def system_call(self, function: str) -> Expr:
        return expr.call(function, (), dtypes.int32)

    # --- reads and writes by the scalar unit --------------------------------------------------------------------------

    def _receive(self, row: str, *arguments: Argument, ctype: DataType, hint: str) -> Expr:
        variable = Variable(hint, ctype, self.block)
        self.block.statements.append(Instruction(INSTRUCTIONS[row], arguments, self._span(), variable))
        return expr.var(variable)

    def read(self, tile: TileRef, element: Expr) -> Expr:
        """One element of a tile."""
        return self._receive("GetValue", tile, element, ctype=tile.dtype, hint=f"{tile.buffer.hint or 'tile'}_value")

    def global_buffer(self, tensor: GlobalTensor) -> GlobalBuffer:
        """The GlobalTensor object of a global tensor."""
        buffer = self._globals.get(tensor)
        if buffer is None:
            maker = self._makers[tensor]
            address, root = self._addresses[cast(Value, maker.operands[0])]
            length: Optional[Expr] = None
            for extent in tensor.shape:
                term = cast(Expr, self.operand(extent, dtypes.int32))
                length = term if length is None else expr.widen(length) * expr.widen(term)
            hint = tensor.name or (cast(Value, maker.operands[0]).name or "global").replace("_ptr", "") + "_gm"
            buffer = GlobalBuffer(hint, tensor.dtype, address, length, root, not maker.attrs["l2_cache"])
            self._globals[tensor] = buffer
            self.program.globals.append(buffer)
        return buffer

    def element_ref(self, tensor: GlobalTensor, offset: Expr) -> GlobalRef:
        return GlobalRef(self.global_buffer(tensor), offset, ((offset, 1),))

    def read_global(self, element: GlobalRef, value: Value) -> Expr:
        return self._receive("GetValue", element, ctype=value.dtype, hint=value.name or "element")

    def write_global(self, element: GlobalRef, value: Expr) -> None:
        self.emit("SetValue", element, value)

    def _root(self, tensor: GlobalTensor) -> object:
        """The kernel argument that a global tensor is a view of."""
        address = self._makers[tensor].operands[0]
        assert isinstance(address, Value)
        return self._addresses[address][1] if address in self._addresses else None

    def address_of(self, value: Value) -> Expr:
        """The pointer behind an address or a global tensor."""
        if isinstance(value, GlobalTensor):
            return self.global_buffer(value).address
        return self._addresses[value][0]

    def is_written(self, tensor: GlobalTensor) -> bool:
        root = self.global_buffer(tensor).root
        return any(self._root(other) is root for other in self._written)
