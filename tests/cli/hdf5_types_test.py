"""Numbers of every type that HDF5 has: read as their bits say and as h5py reads them, or refused with the rule."""
import sys
import unittest

import numpy as np

from program import InFolder, own_lines, run

try:
    import h5py
    from h5py import h5d, h5p, h5s, h5t
except ImportError:
    print("h5py is not installed")
    sys.exit(77)


class Types(InFolder):
    """Datasets of n x 1 elements, transformed along the axis of 1: what comes out is what was read."""

    def setUp(self):
        super().setUp()
        self.file = h5py.File(self.path("a.h5"), "w")
        self.addCleanup(self.file.close)

    def put(self, name, stored, raw, chunked=False):
        count = len(raw) // stored.get_size()
        space, made = h5s.create_simple((count, 1)), h5p.create(h5p.DATASET_CREATE)
        if chunked:
            made.set_chunk((min(count, 5), 1))
            made.set_shuffle()
        dataset = h5d.create(self.file.id, name.encode(), stored, space, made)
        dataset.write(space, space, np.frombuffer(raw, f"V{stored.get_size()}").reshape(count, 1).copy(), stored)
        self.file.flush()

    def read(self, name):
        self.file.close()
        self.ok("transform", f"a.h5:/{name}", "o.npy", "--axes=1", "-q")
        self.file = h5py.File(self.path("a.h5"), "r+")
        return self.load("o.npy")[:, 0]

    def check(self, name, stored, raw, want):
        """`want`: its values."""
        chunked = bool(self.random.integers(2))
        self.put(name, stored, raw, chunked)
        got = self.read(name)
        self.assertEqual(got.dtype, np.fft.fft(np.zeros(1, want.dtype)).dtype, name)
        with np.errstate(invalid="ignore"):
            same = np.array_equal(got.astype("c16"), want.astype(got.dtype).astype("c16"), equal_nan=True)
        self.assertTrue(same, f"{name}, chunked {chunked} (seed {self.seed}): {got[:5]}, not {want[:5]}")

    def as_h5py(self, name, stored, raw):
        self.put("h5py" + name, stored, raw)
        self.check(name, stored, raw, self.file["h5py" + name][...].ravel())

    def refused(self, name, got):
        self.file.close()
        done = run("transform", f"a.h5:/{name}", "o.npy", cwd=self.folder)
        self.file = h5py.File(self.path("a.h5"), "r+")
        self.assertEqual((done.returncode, len(own_lines(done.stderr))), (2, 1), done.stderr)
        self.assertIn(f"elements must be integers, floats up to float64, enumerations, or compounds {{r, i}} of two "
                      f"such floats; got {got}", done.stderr)


class Integers(Types):
    def test_have_as_many_bits_as_they_say_at_the_place_that_they_say(self):
        for size in [1, 2, 3, 4, 8]:
            for signed in [0, 1]:
                for order, big in [(h5t.ORDER_LE, 0), (h5t.ORDER_BE, 1)]:
                    for bits, offset in self.random.permutation([(8 * size - 4, 0), (8 * size - 5, 3)])[:1].tolist():
                        stored = h5t.STD_I64LE.copy()
                        stored.set_precision(bits)
                        stored.set_size(size)
                        stored.set_offset(offset)
                        stored.set_order(order)
                        stored.set_sign(signed)
                        raw = self.random.bytes(size * 12)
                        words = [int.from_bytes(raw[i:i + size], "big" if big else "little")
                                 for i in range(0, len(raw), size)]
                        values = [word >> offset & (1 << bits) - 1 for word in words]
                        values = [v - (v >> bits - 1 << bits if signed else 0) for v in values]
                        self.check(f"i{size}{signed}{big}{bits}", stored, raw, np.array(values, "f8"))

    def test_of_filters_that_drop_bits(self):
        a = self.random.integers(-100, 100, (40, 1)).astype("i4")
        self.file.create_dataset("scaled", data=a, chunks=(8, 1), scaleoffset=0)
        self.assertTrue(np.array_equal(self.read("scaled"), a[:, 0]))

    def test_fields_of_bits_are_unsigned(self):
        for stored, dtype in [(h5t.STD_B8LE, "u1"), (h5t.STD_B16BE, ">u2"), (h5t.STD_B32LE, "<u4"),
                              (h5t.STD_B64BE, ">u8")]:
            raw = self.random.bytes(stored.get_size() * 12)
            self.check(f"b{dtype}", stored, raw, np.frombuffer(raw, dtype))


class Enumerations(Types):
    def check_enumeration(self, name, base, members, values):
        stored = h5t.enum_create(base)
        for member, value in members.items():
            stored.enum_insert(member.encode(), value)
        self.as_h5py(name, stored, values.tobytes())

    def test_are_the_integers_that_they_name(self):
        for number, (base, dtype) in enumerate([(h5t.STD_I8LE, "i1"), (h5t.STD_U8LE, "u1"), (h5t.STD_I16BE, ">i2"),
                                                (h5t.STD_U16LE, "<u2"), (h5t.STD_I32LE, "<i4"),
                                                (h5t.STD_I64BE, ">i8")]):
            low = 0 if "u" in dtype else -5
            for members in [{"a": 0, "b": 3}, {"FALSE": 1, "TRUE": 0}, {"a": low, "b": 120}][number % 2:]:
                values = np.array([*members.values(), 7], dtype)
                self.check_enumeration(f"e{number}{list(members.values())}{list(members)[0]}", base, members, values)

    def test_of_false_and_true_are_booleans_of_any_size(self):
        for number, (base, dtype) in enumerate([(h5t.STD_I8LE, "i1"), (h5t.STD_U8LE, "u1"), (h5t.STD_I32BE, ">i4")]):
            for members in [{"FALSE": 0, "TRUE": 1}, {"TRUE": 1, "FALSE": 0}]:
                values = np.array([0, 1, 1, 0, 100], dtype)
                self.check_enumeration(f"b{number}{list(members)[0]}", base, members, values)


class Floats(Types):
    def test_of_any_bits_that_float64_holds(self):
        """Sign, exponent, fraction, bias; all values where there are 65536 or fewer."""
        for name, size, sign, exponent, exponent_bits, fraction_bits, bias, bits in [
            ("float16", 2, 15, 10, 5, 10, 15, 16), ("bfloat16", 2, 15, 7, 8, 7, 127, 16), ("e4m3", 1, 7, 3, 4, 3, 7, 8),
            ("other bias", 2, 15, 10, 5, 10, 16, 16), ("3 bytes", 3, 23, 16, 7, 16, 63, 24),
            ("5 bytes", 5, 39, 28, 11, 28, 1023, 40), ("19 bits", 4, 18, 10, 8, 10, 127, 19),
            ("float32 in 8", 8, 31, 23, 8, 23, 127, 32), ("float64", 8, 63, 52, 11, 52, 1023, 64)
        ]:
            for order in [h5t.ORDER_LE, h5t.ORDER_BE]:
                stored = h5t.IEEE_F64LE.copy()
                stored.set_fields(sign, exponent, exponent_bits, 0, fraction_bits)
                stored.set_size(size)
                stored.set_precision(bits)
                stored.set_ebias(bias)
                stored.set_order(order)
                all_16 = np.arange(65536, dtype="<u2").tobytes()
                raw = {1: bytes(range(256)), 2: all_16}.get(size) or self.random.bytes(1000 * size)
                with self.subTest(name=name, order=order, seed=self.seed):
                    self.as_h5py(f"{name}{order}", stored, raw)

    def test_beyond_float64_are_refused(self):
        self.file["long"] = np.arange(3, dtype="g")
        self.file["complex"] = np.arange(3, dtype="G")
        self.refused("long", "floats that float64 does not hold")
        self.refused("complex", "other compounds")


class Compounds(Types):
    def compound(self, names, types, offsets, size):
        stored = h5t.create(h5t.COMPOUND, size)
        for name, of_member, offset in zip(names, types, offsets):
            stored.insert(name.encode(), offset, of_member)
        return stored

    def test_of_two_floats_are_complex_in_any_order_and_places(self):
        f8, f4, big = h5t.IEEE_F64LE, h5t.IEEE_F32LE, h5t.IEEE_F64BE
        for number, (names, types, offsets, size) in enumerate([
            ("ri", (f8, f8), (0, 8), 16), ("ri", (big, big), (0, 8), 16), ("ri", (f4, f4), (0, 4), 8),
            ("ri", (f8, f8), (0, 8), 24), ("ri", (f8, f8), (8, 16), 24), ("ri", (f8, f8), (8, 0), 16),
            ("ir", (f8, f8), (0, 8), 16), ("ri", (f8, f4), (0, 8), 16), ("ri", (big, f8), (0, 8), 16),
            (("re", "im"), (f8, f8), (0, 8), 16), (("imag", "real"), (f4, f4), (0, 4), 8),
            (("real", "imaginary"), (f8, f8), (0, 8), 16), ("ri", (h5t.IEEE_F16LE, h5t.IEEE_F16LE), (0, 2), 4)
        ]):
            dtypes = [t.dtype for t in types]
            fields = np.zeros(6, {"names": list(names), "formats": dtypes, "offsets": offsets, "itemsize": size})
            for name in names:
                fields[name] = self.random.standard_normal(6)
            re = next(n for n in names if n.startswith("r"))
            im = next(n for n in names if n.startswith("i"))
            want = fields[re].astype("f8") + 1j * fields[im].astype("f8")
            want = want.astype("c8") if max(t.itemsize for t in dtypes) <= 4 else want
            self.check(f"c{number}", self.compound(names, types, offsets, size), fields.tobytes(), want)

    def test_of_others_are_refused(self):
        i4, f8 = h5t.STD_I32LE, h5t.IEEE_F64LE
        for number, (names, types) in enumerate([("ri", (i4, i4)), ("xy", (f8, f8)), ("rij", (f8, f8, f8)),
                                                 ("r", (f8,))]):
            sizes = np.cumsum([0, *(t.get_size() for t in types)])
            self.put(f"c{number}", self.compound(names, types, sizes[:-1], int(sizes[-1])), bytes(4 * int(sizes[-1])))
            self.refused(f"c{number}", "other compounds")


class WhatHasNoNumbers(Types):
    def test_is_refused_by_its_name(self):
        self.file["text"], self.file["texts"] = "hello", np.array([b"1", b"22"])
        self.file["opaque"] = np.zeros(4, "V5")
        self.file.create_dataset("list", (2,), h5py.vlen_dtype("f8"))
        self.file.create_dataset("reference", (2,), h5py.ref_dtype)
        self.file.create_dataset("region", (2,), h5py.regionref_dtype)
        self.file.create_dataset("array", (4,), np.dtype(("f8", (3,))))
        self.file.create_dataset("day", data=np.array(["2020-01-01"], "M8[D]").astype(h5py.opaque_dtype("M8[D]")))
        self.put("time", h5t.UNIX_D32LE, bytes(16))
        for name, got in [("text", "texts"), ("texts", "texts"), ("opaque", "opaque bytes"),
                          ("list", "lists of any length"),
                          ("reference", "references"), ("region", "references"), ("array", "an array in each element"),
                          ("day", "opaque bytes"), ("time", "times")]:
            with self.subTest(name):
                self.refused(name, got)


if __name__ == "__main__":
    unittest.main()
