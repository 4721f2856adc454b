"""The two inner loops of a net in 16-bit integers, written as vector instructions.

numba widens integer arithmetic to 64 bits, which leaves the vectoriser nothing; so these are LLVM code of
fixed-width vectors, which every CPU carries out to the same bits. On AVX2 the product below becomes one
`vpmaddwd`: 16 multiply-adds an instruction, 70 thousand million a second measured on a core.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

CEILING = 4095  # largest activation; the smallest is 0
SHIFT = 12  # bits dropped from a sum of products before it becomes an activation

SUM_BLOCK = 128  # a first layer's width is a multiple of this
DENSE_BLOCK = 32  # a further layer's width is a multiple of this
OUTPUTS = 8  # a last layer's width
ROWS_AT_ONCE = 4  # candidates that a layer is worked out for at once

_LANES16, _LANES32 = 16, 8
_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_V16, _V32, _WIDE = ir.VectorType(_I16, 16), ir.VectorType(_I32, 8), ir.VectorType(_I32, 16)
_HALF16 = ir.VectorType(_I16, 8)


def _data(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Address of an array's first element."""
    return context.make_array(array_type)(context, builder, value=array).data


def _at(builder: Any, pointer: Any, offset: Any, element: Any) -> Any:
    """Address of the element that many of the pointer's own elements on, as an address of `element`."""
    return builder.bitcast(builder.gep(pointer, [offset]), element.as_pointer())


def _load(builder: Any, pointer: Any, offset: Any, element: Any, align: int) -> Any:
    loaded = builder.load(_at(builder, pointer, offset, element))
    loaded.align = align
    return loaded


def _store(builder: Any, value: Any, pointer: Any, offset: Any, align: int) -> None:
    builder.store(value, _at(builder, pointer, offset, value.type)).align = align


def _splat(vector: Any, number: int) -> Any:
    return ir.Constant(vector, [number] * vector.count)


def _clipped(builder: Any, value: Any) -> Any:
    zero, top = _splat(value.type, 0), _splat(value.type, CEILING)
    value = builder.select(builder.icmp_signed(">", value, zero), value, zero)
    return builder.select(builder.icmp_signed("<", value, top), value, top)


def _sums(clipped: bool) -> Any:
    """A first layer: out = base + rows added - rows removed, then clipped to 0..CEILING if asked for."""

    @intrinsic
    def sums(
        typing_context: Any,
        base: Any,
        base_at: Any,
        rows: Any,
        rows_at: Any,
        width: Any,
        added: Any,
        n_added: Any,
        removed: Any,
        n_removed: Any,
        out: Any,
        out_at: Any,
    ) -> Any:
        arguments = (base, base_at, rows, rows_at, width, added, n_added, removed, n_removed, out, out_at)

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            named = dict(zip(("base", "rows", "added", "removed", "out"), (0, 2, 5, 7, 9), strict=True))
            data = {name: _data(context, builder, signature.args[i], values[i]) for name, i in named.items()}
            base_at, rows_at, width, n_added, n_removed, out_at = (values[i] for i in (1, 3, 4, 6, 8, 10))
            vectors = SUM_BLOCK // _LANES16
            with cgutils.for_range(builder, builder.udiv(width, _I64(SUM_BLOCK))) as block:
                column = builder.mul(block.index, _I64(SUM_BLOCK))
                columns = [builder.add(column, _I64(_LANES16 * k)) for k in range(vectors)]
                totals = [cgutils.alloca_once(builder, _V16) for _ in range(vectors)]
                for start, total in zip(columns, totals, strict=True):
                    builder.store(_load(builder, data["base"], builder.add(base_at, start), _V16, 2), total)
                for count, name, operation in (
                    (n_added, "added", builder.add),
                    (n_removed, "removed", builder.sub),
                ):
                    with cgutils.for_range(builder, count) as entry:
                        row = builder.load(builder.gep(data[name], [entry.index]))
                        first = builder.add(rows_at, builder.mul(row, width))
                        for start, total in zip(columns, totals, strict=True):
                            weights = _load(builder, data["rows"], builder.add(first, start), _V16, 2)
                            builder.store(operation(builder.load(total), weights), total)
                for start, total in zip(columns, totals, strict=True):
                    value = builder.load(total)
                    if clipped:
                        value = _clipped(builder, value)
                    _store(builder, value, data["out"], builder.add(out_at, start), 2)
            return context.get_dummy_value()

        return types.void(*arguments), codegen

    return sums


# (base int16 flat, base_at, rows int16 flat, rows_at, width, added int64[], n_added, removed int64[],
#  n_removed, out int16 flat, out_at): row r of the layer starts at rows_at + r * width
add_rows = _sums(clipped=False)
first_layer = _sums(clipped=True)


def _pairs_products(builder: Any, weights: Any, inputs: Any) -> Any:
    """Sums of neighbouring products of two int16[16] as int32[8]; LLVM knows this shape as `pmaddwd`."""
    undefined = ir.Constant(_WIDE, ir.Undefined)
    even = ir.Constant(_V32, list(range(0, 16, 2)))
    odd = ir.Constant(_V32, list(range(1, 16, 2)))
    product = builder.mul(builder.sext(weights, _WIDE), builder.sext(inputs, _WIDE))
    return builder.add(
        builder.shuffle_vector(product, undefined, even), builder.shuffle_vector(product, undefined, odd)
    )


# For each set of 8 lanes, as bits, their numbers in front; the rest does not count.
_LANES = [[k for k in range(8) if lanes >> k & 1] for lanes in range(256)]
LANES = np.array([some + [0] * (8 - len(some)) for some in _LANES], np.int32).ravel()


def _active_pairs(typing_context: Any, inputs: Any, n_inputs: Any, rows: Any, lanes: Any, pairs: Any) -> Any:
    """Write the numbers of the pairs of inputs that are not 0 in all rows; returns how many.

    inputs: int16 flat, `rows` rows of n_inputs (a multiple of 16). lanes: LANES. pairs: int32, with room for
    n_inputs / 2 and 8 more. Most activations are 0, and those of plays of one roll are much alike.
    """

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data_in, data_lanes, data_pairs = (
            _data(context, builder, signature.args[i], values[i]) for i in (0, 3, 4)
        )
        n_inputs, rows = values[1], values[2]
        found = cgutils.alloca_once_value(builder, _I64(0))
        with cgutils.for_range(builder, builder.udiv(n_inputs, _I64(_LANES16))) as block:
            start = builder.mul(block.index, _I64(_LANES16))
            union = cgutils.alloca_once_value(builder, _splat(_V32, 0))
            with cgutils.for_range(builder, rows) as row:
                offset = builder.add(start, builder.mul(row.index, n_inputs))
                here = _load(builder, data_in, offset, _V32, 2)
                builder.store(builder.or_(builder.load(union), here), union)
            active = builder.icmp_signed("!=", builder.load(union), _splat(_V32, 0))
            mask = builder.zext(builder.bitcast(active, ir.IntType(8)), _I64)
            numbers = _load(builder, data_lanes, builder.mul(mask, _I64(_LANES32)), _V32, 4)
            first = builder.trunc(builder.mul(block.index, _I64(_LANES32)), _I32)
            undefined = ir.Constant(_V32, ir.Undefined)
            spread = builder.shuffle_vector(
                builder.insert_element(undefined, first, _I32(0)), undefined, _splat(_V32, 0)
            )
            _store(builder, builder.add(numbers, spread), data_pairs, builder.load(found), 4)
            builder.store(builder.add(builder.load(found), builder.ctpop(mask)), found)
        return builder.load(found)

    return types.int64(inputs, n_inputs, rows, lanes, pairs), codegen


active_pairs: Any = intrinsic(_active_pairs)


def _dense(vectors: int, rows: int, last: bool) -> Any:
    """Outputs 8 * vectors wide of one layer for some rows of activations at once.

    Only the listed pairs of inputs are looked at, the others being 0. Weights lie as
    int16[pairs of inputs, outputs, 2]. A last layer stores its int32 sums; another one drops SHIFT bits,
    clips to 0..CEILING and stores int16.
    """

    @intrinsic
    def dense(
        typing_context: Any,
        inputs: Any,
        inputs_at: Any,
        n_inputs: Any,
        pairs: Any,
        n_pairs: Any,
        weights: Any,
        weights_at: Any,
        biases: Any,
        biases_at: Any,
        out: Any,
        out_at: Any,
        out_stride: Any,
    ) -> Any:
        arguments = (
            inputs,
            inputs_at,
            n_inputs,
            pairs,
            n_pairs,
            weights,
            weights_at,
            biases,
            biases_at,
            out,
            out_at,
            out_stride,
        )

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            data_in, data_pairs, data_weights, data_biases, data_out = (
                _data(context, builder, signature.args[i], values[i]) for i in (0, 3, 5, 7, 9)
            )
            inputs_at, n_inputs, n_pairs, weights_at, biases_at, out_at, out_stride = (
                values[i] for i in (1, 2, 4, 6, 8, 10, 11)
            )
            totals = [[cgutils.alloca_once(builder, _V32) for _ in range(vectors)] for _ in range(rows)]
            for k in range(vectors):
                start = builder.add(biases_at, _I64(_LANES32 * k))
                bias = _load(builder, data_biases, start, _V32, 4)
                for row in totals:
                    builder.store(bias, row[k])
            starts = [builder.add(inputs_at, builder.mul(n_inputs, _I64(r))) for r in range(rows)]
            with cgutils.for_range(builder, n_pairs) as entry:
                pair = builder.zext(builder.load(builder.gep(data_pairs, [entry.index])), _I64)
                inputs2 = []
                for start in starts:
                    offset = builder.add(start, builder.mul(pair, _I64(2)))
                    two = _load(builder, data_in, offset, _I32, 2)
                    undefined = ir.Constant(_V32, ir.Undefined)
                    alone = builder.insert_element(undefined, two, _I32(0))
                    spread = builder.shuffle_vector(alone, undefined, _splat(_V32, 0))
                    inputs2.append(builder.bitcast(spread, _V16))
                first = builder.add(weights_at, builder.mul(pair, _I64(_LANES16 * vectors)))
                for k in range(vectors):
                    here = _load(builder, data_weights, builder.add(first, _I64(_LANES16 * k)), _V16, 2)
                    for row, both in zip(totals, inputs2, strict=True):
                        product = _pairs_products(builder, here, both)
                        builder.store(builder.add(builder.load(row[k]), product), row[k])
            for r, row in enumerate(totals):
                base = builder.add(out_at, builder.mul(out_stride, _I64(r)))
                for k, total in enumerate(row):
                    value, offset = builder.load(total), builder.add(base, _I64(_LANES32 * k))
                    if last:
                        _store(builder, value, data_out, offset, 4)
                    else:
                        value = _clipped(builder, builder.ashr(value, _splat(_V32, SHIFT)))
                        _store(builder, builder.trunc(value, _HALF16), data_out, offset, 2)
            return context.get_dummy_value()

        return types.void(*arguments), codegen

    return dense


# (inputs int16 flat, inputs_at, n_inputs = their stride, pairs int32[], n_pairs, weights int16 flat,
#  weights_at, biases int32 flat, biases_at, out flat, out_at, out_stride)
dense_two_rows = _dense(vectors=DENSE_BLOCK // _LANES32, rows=2, last=False)
outputs_four_rows = _dense(vectors=1, rows=4, last=True)


LEAST_BYTES = 256  # of a row that `add_least` works on at once: 8 registers of 32 bytes


def _reals(array: Any) -> tuple[Any, int]:
    """Vector of a real array's kind that fills a register, and its lanes."""
    real, lanes = {types.float32: (ir.FloatType(), 8), types.float64: (ir.DoubleType(), 4)}[array.dtype]
    return ir.VectorType(real, lanes), lanes


def _add_weighted(builder: Any, vector: Any, weight: Any, more: Any, total: Any, at: Any) -> None:
    """total[at:] += weight * more, a register each."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
    weights = builder.shuffle_vector(builder.insert_element(undefined, weight, _I32(0)), undefined, first)
    for k, value in enumerate(more):
        place = builder.add(at, _I64(k * vector.count))
        before = _load(builder, total, place, vector, 4)
        product = builder.fmul(weights, builder.load(value))
        _store(builder, builder.fadd(before, product), total, place, 4)


def _add_least(
    typing_context: Any,
    rows: Any,
    stride: Any,
    chosen: Any,
    start: Any,
    end: Any,
    weight: Any,
    total: Any,
    total_at: Any,
) -> Any:
    """total += weight * the least of the chosen rows, element by element, over LEAST_BYTES of them.

    rows: real flat, row r from r * stride on. chosen: int32[], entries start up to end, at least one.
    total: real flat, from total_at on; of the same kind as rows, as weight is.
    """
    vector, lanes = _reals(rows)
    registers = LEAST_BYTES // 32

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data_rows, data_chosen, data_total = (
            _data(context, builder, signature.args[i], values[i]) for i in (0, 2, 6)
        )
        stride, start, end, weight, total_at = (values[i] for i in (1, 3, 4, 5, 7))

        def row_of(entry: Any) -> Any:
            number = builder.zext(builder.load(builder.gep(data_chosen, [entry])), _I64)
            return builder.mul(number, stride)

        least = [cgutils.alloca_once(builder, vector) for _ in range(registers)]
        first = row_of(start)
        for k, best in enumerate(least):
            builder.store(_load(builder, data_rows, builder.add(first, _I64(k * lanes)), vector, 4), best)
        with cgutils.for_range(builder, builder.sub(builder.sub(end, start), _I64(1))) as step:
            row = row_of(builder.add(builder.add(start, _I64(1)), step.index))
            for k, best in enumerate(least):
                here = _load(builder, data_rows, builder.add(row, _I64(k * lanes)), vector, 4)
                so_far = builder.load(best)
                smaller = builder.fcmp_ordered("<", here, so_far)
                builder.store(builder.select(smaller, here, so_far), best)
        _add_weighted(builder, vector, weight, least, data_total, total_at)
        return context.get_dummy_value()

    return types.void(rows, stride, chosen, start, end, weight, total, total_at), codegen


add_least: Any = intrinsic(_add_least)


def _add_least_and_other(
    typing_context: Any,
    rows: Any,
    others: Any,
    stride: Any,
    chosen: Any,
    start: Any,
    end: Any,
    weight: Any,
    total: Any,
    other_total: Any,
    total_at: Any,
) -> Any:
    """As `add_least`, and other_total += weight * what `others` has in the (first) row of the least."""
    vector, lanes = _reals(rows)
    registers = LEAST_BYTES // 64  # half at a time: the least and the others fill the registers

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data_rows, data_others, data_chosen, data_total, data_other_total = (
            _data(context, builder, signature.args[i], values[i]) for i in (0, 1, 3, 7, 8)
        )
        stride, start, end, weight, total_at = (values[i] for i in (2, 4, 5, 6, 9))

        def row_of(entry: Any, half: int) -> Any:
            number = builder.zext(builder.load(builder.gep(data_chosen, [entry])), _I64)
            return builder.add(builder.mul(number, stride), _I64(half * registers * lanes))

        for half in range(2):
            least = [cgutils.alloca_once(builder, vector) for _ in range(registers)]
            beside = [cgutils.alloca_once(builder, vector) for _ in range(registers)]
            first = row_of(start, half)
            for k in range(registers):
                at = builder.add(first, _I64(k * lanes))
                builder.store(_load(builder, data_rows, at, vector, 4), least[k])
                builder.store(_load(builder, data_others, at, vector, 4), beside[k])
            with cgutils.for_range(builder, builder.sub(builder.sub(end, start), _I64(1))) as step:
                row = row_of(builder.add(builder.add(start, _I64(1)), step.index), half)
                for k in range(registers):
                    at = builder.add(row, _I64(k * lanes))
                    here, so_far = _load(builder, data_rows, at, vector, 4), builder.load(least[k])
                    other, beside_it = _load(builder, data_others, at, vector, 4), builder.load(beside[k])
                    smaller = builder.fcmp_ordered("<", here, so_far)
                    builder.store(builder.select(smaller, here, so_far), least[k])
                    builder.store(builder.select(smaller, other, beside_it), beside[k])
            place = builder.add(total_at, _I64(half * registers * lanes))
            _add_weighted(builder, vector, weight, least, data_total, place)
            _add_weighted(builder, vector, weight, beside, data_other_total, place)
        return context.get_dummy_value()

    arguments = (rows, others, stride, chosen, start, end, weight, total, other_total, total_at)
    return types.void(*arguments), codegen


add_least_and_other: Any = intrinsic(_add_least_and_other)
