"""Numbers in files that are mapped into memory, by their addresses."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _reader(kind: Any, element: Any) -> Any:
    """A function (address int64, number) -> that element of an array which begins there."""

    @intrinsic
    def read(typing_context: Any, address: Any, number: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            array = builder.inttoptr(values[0], element.as_pointer())
            loaded = builder.load(builder.gep(array, [values[1]]))
            loaded.align = element.width // 8 if isinstance(element, ir.IntType) else 4
            return loaded

        return kind(types.int64, types.int64), codegen

    return read


int16_at: Any = _reader(types.int16, ir.IntType(16))
float32_at: Any = _reader(types.float32, ir.FloatType())
