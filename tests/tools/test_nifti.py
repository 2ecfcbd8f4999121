"""The NIfTI reader against images that are built here byte by byte from the definition of the format."""
import gzip
import pathlib
import struct
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "pictures"))
import nifti


def image(values, code, order="<", slope=0.0, intercept=0.0, offset=352):
    """A NIfTI-1 file with these values."""
    header = bytearray(offset)
    struct.pack_into(order + "i", header, 0, 348)
    struct.pack_into(order + "8h", header, 40, values.ndim, *values.shape, *[1] * (7 - values.ndim))
    struct.pack_into(order + "h", header, 70, code)
    struct.pack_into(order + "fff", header, 108, offset, slope, intercept)
    header[344:348] = b"n+1\0"
    return bytes(header) + values.astype(values.dtype.newbyteorder(order)).tobytes(order="F")


NUMBERS = np.arange(24).reshape(2, 3, 4)


class Nifti(unittest.TestCase):
    def test_keeps_every_value_in_its_place_in_both_byte_orders(self):
        for order in "<>":
            for code, kind in nifti.DATATYPES.items():
                values = NUMBERS.astype(kind)
                np.testing.assert_array_equal(nifti.decode(image(values, code, order)), values)

    def test_scales_with_slope_and_intercept(self):
        np.testing.assert_array_equal(nifti.decode(image(NUMBERS.astype("i2"), 4, slope=0.5, intercept=-3)),
                                      NUMBERS * 0.5 - 3)

    def test_slope_zero_means_not_scaled(self):
        self.assertEqual(nifti.decode(image(NUMBERS.astype("i2"), 4, slope=0.0, intercept=7)).dtype.kind, "i")

    def test_begins_where_vox_offset_says(self):
        np.testing.assert_array_equal(nifti.decode(image(NUMBERS.astype("u1"), 2, offset=512)), NUMBERS)

    def test_reads_compressed_and_plain_files(self):
        plain = image(NUMBERS.astype("f4"), 16)
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("a.nii", plain), ("a.nii.gz", gzip.compress(plain))):
                path = pathlib.Path(folder) / name
                path.write_bytes(data)
                np.testing.assert_array_equal(nifti.read(path), NUMBERS)

    def test_drops_trailing_axes_of_extent_one(self):
        self.assertEqual(nifti.decode(image(NUMBERS.astype("u1").reshape(2, 3, 4, 1), 2)).shape, (2, 3, 4))

    def test_refuses_what_is_cut_short_or_something_else(self):
        whole = image(NUMBERS.astype("f8"), 64)
        for data in (whole[:-1], whole[:100], b"\0" * 400, image(NUMBERS.astype("u1"), 3)):
            with self.assertRaises(nifti.NiftiError):
                nifti.decode(data)


if __name__ == "__main__":
    unittest.main()
