"""Reads a single-file NIfTI-1 image (.nii or .nii.gz) as a NumPy array. No dependency but NumPy.

Source: the NIfTI-1 header nifti1.h of the NIfTI Data Format Working Group, 2007: 348 bytes, magic "n+1\\0" at byte 344.
"""
import gzip
import struct

import numpy as np

HEADER_BYTES = 348
# Code of the header's field datatype -> NumPy type, without byte order.
DATATYPES = {
    2: "u1", 4: "i2", 8: "i4", 16: "f4", 32: "c8", 64: "f8", 256: "i1", 512: "u2", 768: "u4", 1024: "i8", 1280: "u8",
    1792: "c16"
}


class NiftiError(ValueError):
    """Says the rule and what it got."""


def read(path):
    """The image's values, axes in the order of the header (x, y, z, ...), scaled to f64 where the header scales, else
    in their own type."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return decode(data)


def decode(data):
    """`data`: the whole uncompressed file."""
    order = byte_order(data)
    shape = extents(data, order)
    kind = values_type(data, order)
    offset = int(struct.unpack_from(order + "f", data, 108)[0])  # field vox_offset
    count = int(np.prod(shape))
    if len(data) < offset + count * kind.itemsize:
        raise NiftiError(
            f"the header promises {count} values of {kind.itemsize} bytes from byte {offset} on, but the file has "
            f"{len(data)} bytes"
        )
    # The first axis varies fastest in the file.
    values = np.frombuffer(data, kind, count, offset).reshape(shape, order="F")
    return scaled(values, *struct.unpack_from(order + "ff", data, 112))  # fields scl_slope, scl_inter


def byte_order(data):
    """'<' or '>': the one in which the header's length reads as 348."""
    if len(data) < HEADER_BYTES or data[344:348] != b"n+1\0":
        raise NiftiError('a single-file NIfTI-1 image has "n+1" at byte 344; this file has not')
    for order in "<>":
        if struct.unpack_from(order + "i", data, 0)[0] == HEADER_BYTES:
            return order
    raise NiftiError(f"a NIfTI-1 header begins with its length, 348; got bytes {data[:4].hex()}")


def extents(data, order):
    """Field dim: the number of axes, then the extent of each. Trailing axes of extent 1 are dropped."""
    dims, *lengths = struct.unpack_from(order + "8h", data, 40)
    if not 1 <= dims <= 7 or min(lengths[:dims]) < 1:
        raise NiftiError(f"1 to 7 axes of extent 1 or more are allowed; got {dims} axes {lengths}")
    shape = lengths[:dims]
    while len(shape) > 1 and shape[-1] == 1:
        shape.pop()
    return tuple(shape)


def values_type(data, order):
    code = struct.unpack_from(order + "h", data, 70)[0]
    if code not in DATATYPES:
        raise NiftiError(f"datatype {code} is not one of {sorted(DATATYPES)}")
    return np.dtype(DATATYPES[code]).newbyteorder(order)


def scaled(values, slope, intercept):
    """slope 0 means: not scaled. Otherwise value = slope * stored + intercept, in f64."""
    if slope == 0 or (slope == 1 and intercept == 0):
        return values
    return values * np.float64(slope) + np.float64(intercept)
