"""Python functions within XLA's programs, on memory as it lies: a custom call of XLA's FFI.

jax.pure_callback() copies arrays, and custom_partitioning() forgets its functions. The structures below are those of
jaxlib's xla/ffi/api/c_api.h, version 0.1 and later."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import mmap
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any, Callable

import jax
import numpy as np
from jax import numpy as jnp

_VERSION = 0, 1
_METADATA = 1  # kind of an extension
_INTERNAL = 13  # kind of an error
_DTYPES = {4: "i4", 11: "f4", 12: "f8", 15: "c8", 18: "c16"}

_LARGE = 1 << 22  # bytes: an array that has huge pages
_libc = ctypes.CDLL(None)

_HEAD: list[tuple[str, Any]] = [("struct_size", c_size_t), ("extension", c_void_p)]


class _Version(Structure):
    _fields_ = [*_HEAD, ("major", c_int), ("minor", c_int)]


class _ErrorArguments(Structure):
    _fields_ = [*_HEAD, ("message", c_char_p), ("code", c_int)]


_MakeError = CFUNCTYPE(c_void_p, POINTER(_ErrorArguments))


class _Api(Structure):
    _fields_ = [*_HEAD, ("version", _Version), ("internal", c_void_p), ("make_error", _MakeError)]


class _Buffer(Structure):
    _fields_ = [*_HEAD, ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64))]


class _Buffers(Structure):
    _fields_ = [*_HEAD, ("size", c_int64), ("types", c_void_p), ("values", POINTER(POINTER(_Buffer)))]


class _Text(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class _Attributes(Structure):
    _fields_ = [*_HEAD, ("size", c_int64), ("types", c_void_p), ("names", c_void_p),
                ("values", POINTER(POINTER(_Text)))]


class _Frame(Structure):
    _fields_ = [*_HEAD, ("api", POINTER(_Api)), ("context", c_void_p), ("stage", c_int), ("inputs", _Buffers),
                ("outputs", _Buffers), ("attributes", _Attributes)]


class _Metadata(Structure):
    _fields_ = [("struct_size", c_size_t), ("version", _Version), ("traits", c_uint32), ("state", c_int64)]


class _Extension(Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(_Metadata))]


_Handler = CFUNCTYPE(c_void_p, POINTER(_Frame))


_kept: list[Any] = []  # handlers, which programs call


class _Memory:
    """An array of XLA for NumPy."""

    def __init__(self, buffer: _Buffer, read_only: bool) -> None:
        self.__array_interface__ = {"version": 3, "typestr": np.dtype(_DTYPES[buffer.dtype]).str,
                                    "shape": tuple(buffer.dims[:buffer.rank]), "data": (buffer.data or 0, read_only)}


def _arrays(buffers: _Buffers, read_only: bool) -> list[Any]:
    return [np.asarray(_Memory(buffers.values[i].contents, read_only)) for i in range(buffers.size)]


def _ask_for_huge_pages(array: Any) -> None:
    """XLA's memory is new in each call, and its small pages take longer than the transform. NumPy asks for huge ones,
    too."""
    if array.nbytes >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        begin = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
        _libc.madvise(c_void_p(begin), c_size_t(array.ctypes.data + array.nbytes - begin), mmap.MADV_HUGEPAGE)


def _about_itself(address: int) -> None:
    extension = _Extension.from_address(address)
    if extension.type == _METADATA:
        version = extension.metadata.contents.version
        version.major, version.minor = _VERSION
        extension.metadata.contents.traits = 0


def _wait_for_all() -> None:
    """Calls that are still to come would never end without the interpreter. Results may be dropped meanwhile, but
    programs of a thread run one after the other: those of each device, and those of several devices."""
    devices = jax.local_devices(backend="cpu")
    for group in {(device,) for device in devices} | {tuple(devices)}:
        mesh = jax.sharding.Mesh(np.array(group), "x")
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
        jax.jit(lambda: jnp.zeros(len(group)), out_shardings=sharding)().block_until_ready()
    for array in jax.live_arrays("cpu"):
        with contextlib.suppress(RuntimeError):  # of arrays that are deleted, or could not be computed
            array.block_until_ready()


def register(name: str, function: Callable[[str, Any, Any], None]) -> Callable[..., Any]:
    """Makes `name` a custom call with one attribute, a text: function(text, inputs, outputs). The arrays are lent for
    the call. Its exceptions become errors of XLA. Returns a rule of JAX that lowers an operation to the call."""
    is_used = False
    lowered = jax.ffi.ffi_lowering(name)

    def handle(pointer: Any) -> Any:
        frame = pointer.contents
        try:
            if frame.extension:
                _about_itself(frame.extension)
                return None
            text = frame.attributes.values[0].contents
            wanted = _arrays(frame.outputs, False)
            for array in wanted:
                _ask_for_huge_pages(array)
            function(ctypes.string_at(text.data, text.size).decode(), _arrays(frame.inputs, True), wanted)
            return None
        except BaseException as error:
            message = f"{type(error).__name__}: {error}".encode()
            size = ctypes.sizeof(_ErrorArguments)
            return frame.api.contents.make_error(_ErrorArguments(size, None, message, _INTERNAL))

    def lower(context: Any, *operands: Any, text: str) -> Any:
        nonlocal is_used
        is_used = True
        return lowered(context, *operands, text=text)

    def wait() -> None:
        if is_used:
            _wait_for_all()

    handler = _Handler(handle)
    _kept.append(handler)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.cast(handler, c_void_p).value), platform="cpu")
    atexit.register(wait)
    return lower
