"""TileGraph to Program: every node becomes instructions on logical buffers, every region a block."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional, Sequence, Union, cast

from ..errors import LoweringError
from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import LOOPS, Node, Operand, Region, TileGraph, walk
from ..graph.types import TileType
from ..graph.values import GlobalAddress, GlobalTensor, LocalTensor, Value
from ..ops import OPERATIONS
from ..ops.elementwise import emit_fill
from ..targets import PlatformInfo
from . import expr
from .expr import Block, Expr, Variable, const
from .instructions import INSTRUCTIONS, InstructionRow, Pipe, Role, supports
from .program import (
    Argument,
    Assign,
    Buffer,
    For,
    GlobalBuffer,
    GlobalRef,
    If,
    Instruction,
    Loop,
    Program,
    TileRef,
    While,
)
from .scalar import is_never_negative, scalar_expression

Lowered = Union[TileRef, Expr]

_GLOBAL_WRITERS = ("copy_out", "store_scalar", "scatter", "atomic_add", "atomic_max", "atomic_min")


def lower(
    graph: TileGraph, platform: PlatformInfo, *, static_alloc: Optional[bool] = None, reuse_alloc: int = 0
) -> Program:
    """Translate a graph into a program for ``platform``, without addresses and without synchronisation.

    Raises:
        LoweringError: the architecture has no way to do what a node says.
    """
    architecture = platform.architecture
    program = Program(
        name=graph.name,
        python_name=graph.name,
        parameters=[],
        pointers=[],
        body=Block(),
        buffers=[],
        globals=[],
        platform=platform,
        static_alloc=architecture.static_alloc_default if static_alloc is None else static_alloc,
        reuse_alloc=reuse_alloc,
        span=graph.span,
    )
    _Lowering(program, graph).run(graph)
    return program


class _Lowering:
    """The state of one translation, and what operations ask of it (:class:`pyasc_transpile.ops.registry.Lowering`)."""

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
        self._whole_sizes: dict[Buffer, int] = {}
        self._never_negative: dict[object, bool] = {}
        self._granule = self._row_granule(graph)
        self._makers = {node.result: node for node in walk(graph.body) if node.op == "global_tensor"}
        self._written = {
            cast(GlobalTensor, node.operands[1]) for node in walk(graph.body) if node.op in _GLOBAL_WRITERS
        }

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
        return 32 // min(sizes, default=4)

    # --- the walk -----------------------------------------------------------------------------------------------------

    def run(self, graph: TileGraph) -> None:
        for param in graph.params:
            is_pointer = isinstance(param, GlobalAddress)
            ctype: Any = f"__gm__ {param.dtype.cpp}*" if is_pointer else param.dtype
            variable = Variable(param.name, ctype, self.block)
            self.program.parameters.append(variable)
            self.program.pointers.append(is_pointer)
            if is_pointer:
                self._addresses[param] = (expr.var(variable), param)
            else:
                self._values[param] = expr.var(variable)
        self._region(graph.body)
        order = {tensor: position for position, tensor in enumerate(self._makers)}
        self.program.globals = [self._globals[tensor] for tensor in sorted(self._globals, key=lambda t: order[t])]

    def _region(self, region: Region) -> None:
        for node in region.nodes:
            previous, self.node = self.node, node
            if node.op == "for":
                self._for(node)
            elif node.op == "while":
                self._while(node)
            elif node.op == "if":
                self._if(node)
            elif node.op.startswith("scalar."):
                self._scalar(node)
            elif node.op == "address_offset":
                address, root = self._addresses[cast(Value, node.operands[0])]
                elements = cast(Expr, self.operand(node.operands[1], dtypes.int32))
                moved = Expr("+", (address, self.wide(elements)), address.ctype)
                self._addresses[node.result] = (moved, root)
            else:
                OPERATIONS[node.op].lower(self, node)
            self.node = previous

    def _scalar(self, node: Node) -> None:
        name = node.op.split(".", 1)[1]
        result = node.result
        if name == "constant":
            self.define(result, const(node.operands[0], result.dtype))
            return
        if name == "cast":
            self.define(result, expr.cast(self._expr(node.operands[0]), result.dtype))
            return
        scalar_types = [operand.dtype for operand in node.operands if isinstance(operand, Value)]
        args = tuple(self.operand(operand, scalar_types[0]) for operand in node.operands)
        value = scalar_expression(name, tuple(cast(Expr, arg) for arg in args), result.dtype, self._never_negative)
        if value is None:
            value = self._vector_function(name, cast(Expr, args[0]))
        self.define(result, value)

    def _vector_function(self, name: str, argument: Expr) -> Expr:
        """A function of a scalar that only the vector unit has: computed on one block of UB and read back."""
        instruction = {"exp": "Exp", "sqrt": "Sqrt"}.get(name)
        if instruction is None:
            raise self.fail(f"{name} of a run-time scalar is not supported", "compute it on a tile, or at compile time")
        type_ = TileType(dtypes.float32, (8,))
        tile = self.scratch(type_, name)
        self.emit("Duplicate", tile, argument, self.count(type_))
        self.emit(instruction, tile, tile, self.count(type_))
        return self.read(tile, self.number(0))

    def _for(self, node: Node) -> None:
        start, stop, step = (cast(Expr, self.operand(operand, dtypes.int32)) for operand in node.operands[:3])
        region = node.regions[0]
        body = Block(self.block)
        index = Variable(region.params[0].name or "i", region.params[0].dtype, body)
        positive = step.constant is None or step.constant > 0
        self._never_negative[index] = positive and is_never_negative(start, self._never_negative)
        stop, step = stop.named(f"{index.hint}_end"), step.named(f"{index.hint}_step")
        unroll, gm_barrier = node.attrs["unroll_factor"], node.attrs["gm_barrier"]
        loop = For(index, start, stop, step, body, node.span, unroll, gm_barrier)
        self._values[region.params[0]] = expr.var(index)
        self._loops.append(loop)
        self._loop(node, loop)
        self._loops.pop()

    def _while(self, node: Node) -> None:
        self._loop(node, While(const(True, dtypes.int1), Block(self.block), node.span))

    def _loop(self, node: Node, loop: Loop) -> None:
        operands, skipped = LOOPS[node.op]
        region, body = node.regions[0], loop.body
        params = region.params[skipped:]
        carried = [self._carry(param, first, body) for param, first in zip(params, node.operands[operands:])]
        if len(node.regions) > 1:
            loop.condition = self._loop_condition(node.regions[1], body)
        self.block.statements.append(loop)
        with self._inside(body):
            self._region(region)
            self._rebind(carried, params, region.yields)
        for result, storage in zip(node.results, carried):
            self._values[result] = storage if isinstance(storage, TileRef) else expr.var(storage)

    def _loop_condition(self, region: Region, body: Block) -> Expr:
        """Whether the next iteration runs: an expression of carried variables and of what was known before the loop."""
        nothing = Block(body)
        with self._inside(nothing):
            self._region(region)
            condition = cast(Expr, self.operand(region.yields[0], dtypes.int1))
        assert not nothing.statements, "the condition of a loop is an expression"
        return condition

    def _carry(self, param: Value, initial: Operand, body: Block) -> Union[TileRef, Variable]:
        """Storage that survives the iterations, holding the initial value."""
        if isinstance(param, LocalTensor):
            storage = self._tile(param.type, param.name, self.block)
            self._copy_tile(storage, cast(TileRef, self.operand(initial)), param.type)
            self._values[param] = storage
            return storage
        variable = Variable(param.name or "carried", param.dtype, self.block)
        value = cast(Expr, self.operand(initial, param.dtype))
        self.block.statements.append(Assign(variable, value, True, self._span()))
        self._values[param] = expr.var(Variable(variable.hint, variable.ctype, body, variable))
        return variable

    def _rebind(self, storages: Sequence[Any], params: Sequence[Value], yields: Sequence[Operand]) -> None:
        """Set carried storage to the values of the next iteration, all at once."""
        moves: list[tuple[Any, Any, Value]] = []
        for storage, param, value in zip(storages, params, yields):
            new = self.operand(value, param.dtype)
            if new != self._values[param]:
                moves.append((storage, new, param))
        staged = []
        for storage, new, param in moves:
            others = {self._values[other] for _, _, other in moves if other is not param}
            overlaps = isinstance(new, TileRef) and new.buffer is storage.buffer
            if overlaps or self._uses_any(new, others):
                new = self._staged(new, param)
            elif isinstance(new, Expr) and new.keep and new.hint == param.name:
                new = Expr(new.op, new.args, new.ctype, new.value, new.hint)  # the variable itself has that name
            staged.append((storage, new, param))
        for storage, new, param in staged:
            if isinstance(storage, TileRef):
                self._copy_tile(storage, cast(TileRef, new), cast(LocalTensor, param).type)
            else:
                self.block.statements.append(Assign(storage, new, False, self._span()))

    @staticmethod
    def _uses_any(value: Lowered, overwritten: set[Lowered]) -> bool:
        """Whether a value reads one of those that are about to change; a view reads the tile that it is a view of."""
        parts = value.offset if isinstance(value, TileRef) else value
        if isinstance(value, TileRef):
            buffers = {old.buffer for old in overwritten if isinstance(old, TileRef)}
            if value.buffer in buffers:
                return True
        return parts is not None and any(part in overwritten for part in expr.subexpressions(parts))

    def _staged(self, value: Any, param: Value) -> Any:
        if isinstance(value, TileRef):
            copy = self.scratch(cast(LocalTensor, param).type, f"next_{param.name}")
            self._copy_tile(copy, value, cast(LocalTensor, param).type)
            return copy
        variable = Variable(f"next_{param.name}", value.ctype, self.block)
        self.block.statements.append(Assign(variable, value, True, self._span()))
        return expr.var(variable)

    def _if(self, node: Node) -> None:
        condition = cast(Expr, self.operand(node.operands[0], dtypes.int1))
        then, otherwise = Block(self.block), Block(self.block)
        storages: list[Any] = []
        for result in node.results:
            if isinstance(result, LocalTensor):
                storages.append(self._tile(result.type, result.name, self.block))
            else:
                variable = Variable(result.name or "chosen", result.dtype, self.block)
                self.block.statements.append(Assign(variable, None, True, self._span()))
                storages.append(variable)
        self.block.statements.append(If(condition, then, otherwise, node.span))
        for block, region in ((then, node.regions[0]), (otherwise, node.regions[1])):
            with self._inside(block):
                self._region(region)
                for storage, result, value in zip(storages, node.results, region.yields):
                    new = self.operand(value, result.dtype)
                    if isinstance(storage, TileRef):
                        self._copy_tile(storage, cast(TileRef, new), cast(LocalTensor, result).type)
                    else:
                        self.block.statements.append(Assign(storage, cast(Expr, new), False, self._span()))
        for storage, result in zip(storages, node.results):
            self._values[result] = storage if isinstance(storage, TileRef) else expr.var(storage)

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

    def view(self, node: Node, tile: TileRef) -> None:
        """Let the result of ``node`` be (a part of) a tile that exists; it shares the buffer."""
        type = cast(LocalTensor, node.result).type
        if not type.dtype.is_bool() and (tile.offset is None or expr.known(tile.offset) is not None):
            self.reserve(tile, self._elements(type))
        self._values[node.result] = tile

    # --- what operations ask for --------------------------------------------------------------------------------------

    def supports(self, instruction: str, dtype: DataType) -> bool:
        return supports(instruction, dtype, self.architecture.name)

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

    def emit(self, instruction: str, *arguments: Argument) -> None:
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
        loop = For(index, const(0), stop, const(1), body, self._span(), gm_barrier=ordered)
        self.block.statements.append(loop)
        with self._inside(body):
            yield expr.var(index)

    @contextlib.contextmanager
    def branch(self, condition: Expr) -> Iterator[None]:
        """A branch without alternative."""
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

    # --- transfers ----------------------------------------------------------------------------------------------------

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

    def global_ref(self, box: Any, offset: Expr) -> GlobalRef:
        """An operand for the part of a global tensor that starts at ``offset``."""
        region = tuple(zip(box.starts, (int(unnamed(extent)) for extent in box.shape)))
        return GlobalRef(box.target, offset, region)

    def clamp(self, narrow: Expr, start: Expr, extent: Expr, limit: Expr) -> tuple[Expr, bool]:
        """Elements from ``start`` on that exist, at most ``limit``; and whether there certainly is one."""
        first, total, most = start.constant, extent.constant, expr.known(limit)
        if first is not None and total is not None and most is not None:
            inside = max(min(total - first, most), 0)
            return (limit if inside == most else const(inside)), inside > 0
        certain = self._is_inside(narrow, extent)
        left = expr.sub(extent, start).named("left")
        moved = expr.minimum(left, limit)
        if not certain or most is None:
            moved = expr.maximum(moved, const(0, moved.ctype))
        return expr.cast(moved, dtypes.int32), certain and most is not None

    def _is_inside(self, start: Expr, extent: Expr) -> bool:
        """Whether a start below the stop of an enclosing loop is certainly inside of the tensor."""
        for loop in self._loops:
            if loop.step.constant is not None and loop.step.constant <= 0:
                continue
            index = expr.var(loop.index)
            if start == index and loop.stop == extent:
                return True
            if start.op == "*" and start.args[0] == index:
                width = start.args[1]
                rounded = expr.truncated_quotient(expr.sub(expr.add(extent, width), const(1)), width)
                if loop.stop == rounded:
                    return True
            if start.op == "*" and start.args[1] == index:
                width = start.args[0]
                if loop.stop == expr.truncated_quotient(expr.sub(expr.add(extent, width), const(1)), width):
                    return True
        return False

    def _bytes(self, box: Any) -> Expr:
        size = expr.scaled(box.moved[-1], box.dtype)
        return size if expr.known(size) is not None else expr.cast(size, "uint32_t").named("bytes")

    def copy_shape(self, box: Any, rows: Expr, *, to_tile: bool) -> Expr:
        """DataCopyExtParams for ``rows`` rows of the innermost matrix of a box."""
        moved, dtype = box.moved[-1], box.dtype
        if box.is_run:
            return self._run_shape(box, rows, to_tile)
        size = self._bytes(box)
        gap_type = "int64_t" if self.architecture.npu_arch == 3510 else "uint32_t"
        if not box.certain[-1]:
            present = self.compare(">", moved, const(0))
            rows = expr.cast(present, "uint16_t") if rows == const(1) else expr.select(present, rows, const(0))
        global_gap: Expr = const(0)
        tile_gap: Expr = const(0)
        if len(box.shape) > 1 and rows != const(1):
            global_gap = expr.scaled(expr.sub(box.extents[-1], moved), dtype)
            pitch_blocks = self.pitch_of(box.shape, dtype).constant * dtype.sizeof() // 32
            blocks = expr.known(size)
            used = (
                const((blocks + 31) // 32)
                if blocks is not None
                else expr.truncated_quotient(expr.add(size, const(31)), const(32))
            )
            tile_gap = expr.sub(const(int(pitch_blocks)), used)
        source, target = (global_gap, tile_gap) if to_tile else (tile_gap, global_gap)
        return expr.struct(
            "DataCopyExtParams",
            self._narrowed(rows, "uint16_t"),
            self._narrowed(size, "uint32_t"),
            self._narrowed(source.named("gm_gap" if to_tile else "ub_gap"), gap_type),
            self._narrowed(target.named("ub_gap" if to_tile else "gm_gap"), gap_type),
            const(0),
            hint="row" if len(box.shape) == 1 else "block_in" if to_tile else "block_out",
        )

    def _run_shape(self, box: Any, rows: Expr, to_tile: bool) -> Expr:
        """DataCopyExtParams for whole rows that follow each other: one run."""
        width = box.shape[-1]
        known = rows.constant
        if known is not None:
            count, size = const(1 if known else 0), expr.scaled(expr.spelled_product((known, width)), box.dtype)
        else:
            size = expr.cast(expr.scaled(expr.mul(rows, const(width)), box.dtype), "uint32_t").named("bytes")
            present = expr.cast(self.compare(">", rows, const(0)), "uint16_t")
            count = const(1) if box.certain[-2] else present
        hint = "block_in" if to_tile else "block_out"
        return expr.struct("DataCopyExtParams", count, size, const(0), const(0), const(0), hint=hint)

    def whole_ref(self, tensor: GlobalTensor, offset: Expr) -> GlobalRef:
        """An operand that starts at ``offset`` and may touch any part of a global tensor."""
        return GlobalRef(self.global_buffer(tensor), offset)

    def row_shape(self, dtype: DataType, rows: int, moved: int, width: int, pitch: int, *, to_tile: bool) -> Expr:
        """DataCopyExtParams for ``rows`` rows, ``width`` elements apart in global memory and ``pitch`` in the tile."""
        size = expr.scaled(const(moved), dtype)
        outside: Expr = const(0) if rows == 1 else expr.scaled(const(width - moved), dtype)
        inside: Expr = const(0) if rows == 1 else const(pitch * dtype.sizeof() // 32 - -(-moved * dtype.sizeof() // 32))
        gaps = (outside, inside) if to_tile else (inside, outside)
        return expr.struct("DataCopyExtParams", const(rows), size, *gaps, const(0), hint="row")

    def fixed_padding(self, dtype: DataType, right: int, pad: Expr) -> Expr:
        """DataCopyPadExtParams: ``right`` elements of ``pad`` behind every row."""
        type_name = f"DataCopyPadExtParams<{dtype.cpp}>"
        if not right:
            return expr.struct(type_name, const(False, dtypes.int1), const(0), const(0), const(0, dtype), hint="no_pad")
        return expr.struct(type_name, const(True, dtypes.int1), const(0), const(right), pad, hint="padding")

    @staticmethod
    def _narrowed(value: Expr, ctype: str) -> Expr:
        """A field of a brace initialiser: run-time values need a cast, compile-time ones do not."""
        return value if expr.known(value) is not None else expr.cast(value, ctype)

    def bytes_of(self, elements: Expr, size: int) -> Expr:
        """A number of elements of ``size`` bytes in bytes, as the functions that take uint32_t want it."""
        total = expr.mul(elements, const(size))
        return total if total.op == "const" else expr.cast(total, "uint32_t")

    def padding(self, box: Any, pad: Optional[Expr]) -> Expr:
        """DataCopyPadExtParams: nothing, or ``pad`` up to the end of the last 32-byte block of a row."""
        dtype = box.dtype
        type_name = f"DataCopyPadExtParams<{dtype.cpp}>"
        if pad is None:
            return expr.struct(type_name, const(False, dtypes.int1), const(0), const(0), const(0, dtype), hint="no_pad")
        right = self.padded_elements(box)
        right = right if right.op == "const" else expr.cast(right, "uint8_t")
        return expr.struct(type_name, const(True, dtypes.int1), const(0), right, pad, hint="padding")

    def padded_elements(self, box: Any) -> Expr:
        """Elements from the end of what is moved of a row up to the end of its last 32-byte block."""
        per_block = 32 // box.dtype.sizeof()
        moved = box.moved[-1]
        known = expr.known(moved)
        if known is not None:
            return const(-known % per_block)
        # The block length is a power of two.
        return Expr("&", (Expr("neg", (moved,), dtypes.int32), const(per_block - 1)), dtypes.int32)
