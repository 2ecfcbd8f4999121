"""tools/gpu/check_kernels.py: what it reads from ptxas, how many blocks it makes of that, and what it refuses."""
import dataclasses
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/gpu"))
import check_kernels

REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Zone' for 'sm_90'
ptxas info    : Function properties for _Zone
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 80 registers, used 1 barriers, 16 bytes cumulative stack size, 20480 bytes smem
ptxas info    : Compile time = 1.0 ms
ptxas info    : Compiling entry function '_Ztwo' for 'sm_90'
ptxas info    : Function properties for _Ztwo
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 19 registers, used 0 barriers
"""
PTX = """.visible .entry _Zone(
    .param .align 8 .b8 _Zone_param_0[352]
)
.maxntid 256
{
}
.visible .entry _Ztwo(
    .param .align 8 .b8 _Ztwo_param_0[8]
)
.maxntid 128, 1, 1
{
"""


def kernel(**numbers):
    return dataclasses.replace(check_kernels.Kernel("K", 256, 32, 0, 0, 0, 0), **numbers)


def table(*kernels):
    return {k.name: dict(zip(check_kernels.COLUMNS, check_kernels.row(k))) for k in kernels}


class Kernels(unittest.TestCase):
    def test_reads_registers_shared_memory_spills_and_threads(self):
        one, two = check_kernels.parse(REPORT, check_kernels.threads_of(PTX))
        self.assertEqual(one, check_kernels.Kernel("_Zone", 256, 80, 20480, 16, 8, 12))
        self.assertEqual(two, check_kernels.Kernel("_Ztwo", 128, 19, 0, 0, 0, 0))

    def test_blocks_are_those_of_the_scarcest_resource(self):
        for numbers, blocks in ((dict(registers=32), 8), (dict(registers=33), 6), (dict(registers=80), 3),
                                (dict(registers=128), 2), (dict(registers=129), 1), (dict(threads=1024), 2),
                                (dict(threads=32, registers=16), 32), (dict(shared=100 * 1024), 2),
                                (dict(shared=114 * 1024), 1)):
            self.assertEqual(kernel(**numbers).blocks, blocks, numbers)

    def test_names_are_those_of_functors(self):
        self.assertEqual(check_kernels.short("void shardfft::cuda::run_blocks<shardfft::Move<double, 1, "
                                             "shardfft::kernels::Plain> >(shardfft::Move<double>)"),
                         "Move<double, 1, kernels::Plain>")

    def test_dynamic_shared_memory_is_what_a_kernels_name_says_last(self):
        name = "void shardfft::cuda::run_fused<float, 512, 16, 32896>(shardfft::cuda::FusedKernel<float, 512>::Pencils)"
        self.assertEqual((check_kernels.short(name), check_kernels.dynamic_shared(name)),
                         ("run_fused<float, 512, 16>", 32896))
        self.assertEqual(check_kernels.dynamic_shared("void shardfft::cuda::run_blocks<shardfft::Move<float> >()"), 0)

    def test_what_equals_the_table_or_takes_other_registers_passes(self):
        spills = kernel(spill_stores=8, spill_loads=8)
        self.assertEqual(list(check_kernels.findings([spills], table(spills))), [])
        self.assertEqual(list(check_kernels.findings([kernel(registers=40)], table(kernel()))), [])

    def test_new_spills_too_few_blocks_and_other_kernels_do_not_pass(self):
        for now, words in ((kernel(spill_stores=4), "4 bytes of spill stores, the table says 0"),
                           (kernel(spill_loads=4), "4 bytes of spill loads, the table says 0"),
                           (kernel(registers=255), "1 block a multiprocessor"),
                           (kernel(shared=200 * 1024), "1 block a multiprocessor")):
            (line,) = check_kernels.findings([now], table(kernel()))
            self.assertIn(words, line)
        new, old = check_kernels.findings([kernel(name="new")], table(kernel(name="old")))
        self.assertIn("new: is not in the table", new)
        self.assertIn("old: is in the table and not compiled", old)


if __name__ == "__main__":
    unittest.main()
