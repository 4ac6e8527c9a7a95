"""TileGraph to Program: every node becomes instructions on logical buffers, every region a block."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union, cast

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import LOOPS, Node, Operand, Region, TileGraph, walk
from ..graph.types import TileType
from ..graph.values import GlobalAddress, LocalTensor, Value
from ..ops import OPERATIONS
from ..ops.maths import emit_function, emit_power
from ..targets import PlatformInfo
from . import expr
from .context import Lowered
from .expr import Block, Expr, Variable, const
from .program import (
    Assign,
    For,
    If,
    Loop,
    Program,
    TileRef,
    While,
    instructions,
)
from .scalar import is_never_negative, scalar_expression
from .transfers import TransferContext


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


class _Lowering(TransferContext):
    """Walks a graph and appends to a program."""

    def __init__(self, program: Program, graph: TileGraph) -> None:
        super().__init__(program, graph)
        self._here: tuple[Region, int] = (graph.body, 0)  # the region and the node being lowered
        self._uses: dict[int, dict[Value, int]] = {}
        self._made: dict[int, set[Value]] = {}

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
        self.program.body.statements[:0] = self.head
        order = {tensor: position for position, tensor in enumerate(self._makers)}
        self.program.globals = [self._globals[tensor] for tensor in sorted(self._globals, key=lambda t: order[t])]

    def _region(self, region: Region) -> None:
        outer = self._here
        for index, node in enumerate(region.nodes):
            self._here = region, index
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
        self._here = outer

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
            value = self._vector_function(name, [cast(Expr, arg) for arg in args], result.dtype)
        self.define(result, value)

    def _vector_function(self, name: str, arguments: Sequence[Expr], dtype: DataType) -> Expr:
        """A function of scalars that only the vector unit has: computed on one block of UB and read back."""
        if dtype not in (dtypes.int32, dtypes.float32):
            raise self.fail(f"{name} of a run-time scalar of {dtype} is not supported", "cast it to int32 or float32")
        type_ = TileType(dtype, (8,))
        tile = self.scratch(type_, name)
        self.emit("Duplicate", tile, arguments[0], self.count(type_))
        if name in ("exp", "sqrt"):
            self.emit(name.title(), tile, tile, self.count(type_))
            return self.read(tile, self.number(0))
        target = self.scratch(type_, f"{name}_result")
        if name == "power":
            emit_power(self, target, tile, arguments[1], type_)
        else:
            emit_function(self, name, target, tile, type_)
        return self.read(target, self.number(0))

    def _for(self, node: Node) -> None:
        start, stop, step = (cast(Expr, self.operand(operand, dtypes.int32)) for operand in node.operands[:3])
        region = node.regions[0]
        body = Block(self.block)
        index = Variable(region.params[0].name or "i", region.params[0].dtype, body)
        positive = step.constant is None or step.constant > 0
        self._never_negative[index] = positive and is_never_negative(start, self._never_negative)
        stop, step = stop.named(f"{index.hint}_end"), step.named(f"{index.hint}_step")
        unroll, gm_barrier = node.attrs["unroll_factor"], node.attrs["gm_barrier"]
        loop = For(index, start, stop, step, body, node.span, unroll or 1, gm_barrier, overlaps=unroll is None)
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
        chosen: list[list[Lowered]] = []
        for block, region in ((then, node.regions[0]), (otherwise, node.regions[1])):
            with self._inside(block):
                self._region(region)
                chosen.append([self.operand(value, result.dtype) for value, result in zip(region.yields, node.results)])
        for position, storage in enumerate(storages):
            if isinstance(storage, TileRef):
                kept = self._kept_in_place(node, position, chosen)
                if kept is not None:
                    self.program.buffers.remove(storage.buffer)
                    storages[position] = kept
        for block, values in ((then, chosen[0]), (otherwise, chosen[1])):
            with self._inside(block):
                for storage, result, new in zip(storages, node.results, values):
                    if isinstance(storage, TileRef):
                        self._copy_tile(storage, cast(TileRef, new), cast(LocalTensor, result).type)
                    else:
                        self.block.statements.append(Assign(storage, cast(Expr, new), False, self._span()))
        for storage, result in zip(storages, node.results):
            self._values[result] = storage if isinstance(storage, TileRef) else expr.var(storage)

    def _kept_in_place(self, node: Node, position: int, chosen: Sequence[Sequence[Lowered]]) -> Optional[TileRef]:
        """The tile that one way of an ``if`` leaves as it is, if nobody needs its old contents afterwards: the other
        way may then put the new ones there."""
        region, index = self._here
        last_uses = self._last_uses(region)
        for side in (0, 1):
            tile, value = chosen[side][position], node.regions[side].yields[position]
            if not isinstance(tile, TileRef) or tile.offset is not None or not isinstance(value, LocalTensor):
                continue
            shared = [other for others in chosen for place, other in enumerate(others) if place != position]
            if any(isinstance(other, TileRef) and other.buffer is tile.buffer for other in shared):
                continue
            aliases = self._aliases(tile)
            if all(last_uses.get(alias, -1) <= index and self._is_made_in(alias, region) for alias in aliases):
                return tile
        return None

    def place_inside(self, value: LocalTensor, whole: TileRef, start: int) -> bool:
        """Let ``value``, which the node being lowered copies to element ``start`` of ``whole``, be made there.

        Returns whether it is: the value is made in the same region, nobody needs it afterwards, the place is aligned,
        and no instruction writes more than the value there.
        """
        region, index = self._here
        part = cast(TileRef, self._values[value])
        size = part.dtype.sizeof()
        used = self.count(value.type).constant if value.rank == 1 else self._elements(value.type)
        fits = part.buffer.bytes <= -(-int(unnamed(used)) * size // 32) * 32
        if part.offset is not None or part.buffer.block is not self.block or start * size % 32 or not fits:
            return False
        aliases = self._aliases(part)
        last_uses = self._last_uses(region)
        changing = set(region.params)  # carried values: their memory gets the next ones
        if any(last_uses.get(each, -1) > index or each in changing for each in aliases):
            return False
        times = sum(operand is value for operand in self.node.operands) if self.node else 0
        if times > 1 or not self._is_made_in(value, region):
            return False

        def moved(operand: Any) -> Any:
            if not isinstance(operand, TileRef) or operand.buffer is not part.buffer:
                return operand
            offset = const(start * size // operand.dtype.sizeof())
            total = offset if operand.offset is None else expr.add(operand.offset, offset)
            return TileRef(whole.buffer, operand.dtype, None if total.constant == 0 else total)

        for instruction in instructions(self.program.body):
            instruction.args = tuple(moved(argument) for argument in instruction.args)
        for each in aliases:
            self._values[each] = moved(self._values[each])
        self.program.buffers.remove(part.buffer)
        return True

    def _aliases(self, tile: TileRef) -> list[Value]:
        """The values that are held in the buffer of a tile."""
        return [value for value, at in self._values.items() if isinstance(at, TileRef) and at.buffer is tile.buffer]

    def _last_uses(self, region: Region) -> dict[Value, int]:
        """For each value, the last node of the region that uses it, itself or inside; behind all if it is yielded."""
        known = self._uses.get(id(region))
        if known is None:
            known = self._uses[id(region)] = {}
            for index, node in enumerate(region.nodes):
                for each in (node, *(inner for nested in node.regions for inner in walk(nested))):
                    for used in (*each.operands, *(value for nested in each.regions for value in nested.yields)):
                        if isinstance(used, Value):
                            known[used] = index
            known.update({value: len(region.nodes) for value in region.yields if isinstance(value, Value)})
        return known

    def _is_made_in(self, value: Value, region: Region) -> bool:
        """Whether a value comes into being with every run of a region; what outlives it must not change."""
        made = self._made.get(id(region))
        if made is None:
            made = self._made[id(region)] = {*region.params, *(each for node in region.nodes for each in node.results)}
        return value in made
