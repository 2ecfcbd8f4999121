"""The common part of all peers, with a library that is right by definition or wrong on demand."""
import pathlib
import unittest

from peer import DFT, InFolder, about, needs_launcher, run

SHAPE = ("--shape", "6x5x4")


class TheAnswerIsChecked(InFolder):
    def test_a_right_answer_is_ok_in_any_number_of_dimensions(self):
        for shape in ("7", "6x5", "6x5x4", "1x1x1"):
            record = self.result(DFT, "--shape", shape)
            self.assertEqual((record["status"], record["reason"]), ("ok", ""), record)
            self.assertLess(record["error_rel_l2"], record["bound"])

    def test_an_answer_with_one_element_off_is_wrong(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_SPOIL="forward")
        self.assertEqual(record["status"], "wrong")
        self.assertGreater(record["error_rel_l2"], record["bound"])
        self.assertIn("must be at most", record["reason"])

    def test_a_backward_answer_with_one_element_off_is_wrong(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_SPOIL="backward")
        self.assertEqual(record["status"], "wrong")
        self.assertLess(record["error_rel_l2"], record["bound"])
        self.assertGreater(record["error_backward_rel_l2"], 2 * record["bound"])

    def test_every_field_of_a_batch_is_checked(self):
        record = self.result(DFT, *SHAPE, "--batch", 3)
        self.assertEqual((record["status"], record["reason"]), ("ok", ""), record)
        for spoiled, error, factor in (("last element", "error_rel_l2", 1), ("last element backward",
                                                                             "error_backward_rel_l2", 2)):
            record = self.result(DFT, *SHAPE, "--batch", 3, SHARDFFT_TEST_SPOIL=spoiled)
            self.assertEqual(record["status"], "wrong")
            self.assertGreater(record[error], factor * record["bound"])

    def test_fields_that_are_not_told_of_are_a_failure(self):
        record = self.result(DFT, *SHAPE, "--batch", 3, SHARDFFT_TEST_SPOIL="boxes")
        self.assertEqual(record["status"], "failed")
        self.assertIn("360 elements", record["reason"])

    def test_an_answer_with_nan_is_wrong(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_SPOIL="nan")
        self.assertEqual((record["status"], record["error_rel_l2"]), ("wrong", None))

    def test_boxes_that_leave_a_gap_are_a_failure(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_SPOIL="boxes")
        self.assertEqual(record["status"], "failed")
        self.assertIn("120 elements", record["reason"])


class TheFastestWay(InFolder):
    """Of calling a library. The right one is the slowest here."""

    def chosen(self, ways, *words):
        record = self.result(DFT, *SHAPE, *words, SHARDFFT_TEST_WAYS=ways)
        return record["status"], record["configuration"].removesuffix(", small pages"), [
            line.split(":")[0] for line in record["wrong_ways"]
        ]

    def test_is_one_that_is_right(self):
        self.assertEqual(self.chosen("forward,right"), ("ok", "right", ["forward"]))
        self.assertEqual(self.chosen("right,backward,unsupported,nan"), ("ok", "right", ["backward", "nan"]))

    def test_says_how_wrong_the_others_were(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_WAYS="forward,right")
        self.assertRegex(record["wrong_ways"][0], "^forward: the error is .* forward, .* backward; it must be at most")
        self.assertEqual(self.result(DFT, *SHAPE)["wrong_ways"], [])

    def test_is_remembered_with_those_that_were_wrong(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        first = self.chosen("forward,right,nan", "--scratch", scratch)
        self.assertEqual(first, ("ok", "right", ["forward", "nan"]))
        self.assertEqual(self.chosen("forward,right,nan", "--scratch", scratch), first)

    def test_may_be_one_in_small_pages_and_is_remembered_with_them(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        for _ in range(2):
            record = self.result(DFT, *SHAPE, "--scratch", scratch, SHARDFFT_TEST_WAYS="huge")
            self.assertEqual((record["status"], record["configuration"]), ("ok", "huge, small pages"))

    def test_is_wrong_only_where_none_is_right(self):
        status, configuration, wrong = self.chosen("forward,unsupported,backward")
        self.assertEqual((status, wrong), ("wrong", ["forward", "backward"]))
        self.assertIn(configuration, wrong)


class HugePages(InFolder):
    """Arrays from malloc get them for the best call where Linux gives them to who asks, without a word of the
    user's."""

    def huge_bytes(self, call, **environment):
        return self.result(DFT, "--shape", "8x8x8", "--batch", 640, "--call", call, **environment)["huge_page_bytes"]

    def test_are_asked_for_by_the_best_call_only(self):
        setting = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
        asking_helps = setting.exists() and "[madvise]" in setting.read_text()
        best, default, refused = self.huge_bytes("best"), self.huge_bytes("default"), self.huge_bytes(
            "best", GLIBC_TUNABLES="glibc.malloc.hugetlb=0")
        if asking_helps:
            self.assertGreaterEqual(best, 1 << 22)
            self.assertEqual((default, refused), (0, 0))
        else:  # all get them, or none
            self.assertEqual((best > 0, refused > 0), (default > 0, default > 0))


class TheFile(InFolder):
    def test_it_holds_what_the_driver_reads(self):
        record = self.result(DFT, *SHAPE, "--call", "default")
        self.assertEqual((record["library"], record["version"], record["call"], record["configuration"]),
                         ("dft", "1", "default", "the definition"))
        self.assertEqual((len(record["forward_s"]), len(record["backward_s"])), (2, 2))
        self.assertTrue(
            all(seconds > 0 for seconds in record["forward_s"] + record["backward_s"] + [record["first_call_s"]]))
        self.assertGreaterEqual(record["plan_s"], 0)
        self.assertIsInstance(record["memory_peak_bytes"], int)
        self.assertEqual((record["bytes_sent_network"], record["messages_sent"], record["recipe"]), (0, 0, {}))
        self.assertEqual(record["phases_s"], {"sums": 1.0, "sums (2)": 2.0})
        for key in ("energy_j", "energy_gpus_j"):
            self.assertTrue(record[key] is None or record[key] >= 0)
        self.assertEqual(record["nodes"], 1)

    def test_what_the_library_cannot_do_is_unsupported_with_its_reason(self):
        record = self.result(DFT, *SHAPE, "--precision", "f32")
        self.assertEqual((record["status"], record["reason"]), ("unsupported", "c2c f64 only"))

    def test_a_grid_for_a_library_that_takes_none_is_unsupported(self):
        record = self.result(DFT, *SHAPE, "--grid", "1x1")
        self.assertEqual((record["status"], record["reason"]), ("unsupported", "takes no process grid"))

    def test_a_failure_leaves_its_reason(self):
        record = self.result(DFT, *SHAPE, SHARDFFT_TEST_SPOIL="fails")
        self.assertEqual((record["status"], record["reason"]), ("failed", "the test wants a failure"))

    def test_it_replaces_an_older_one(self):
        self.file.write_text("old")
        done = run(DFT, *SHAPE, "--result", self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.file.read_text().startswith("{"))

    @needs_launcher
    def test_a_library_for_one_process_says_so_on_several_ranks(self):
        record = self.result(DFT, *SHAPE, ranks=2)
        self.assertEqual((record["status"], record["reason"]),
                         ("unsupported", "runs in one process; was started as 2 ranks"))


class Words(InFolder):
    def test_about_says_what_the_library_can(self):
        said = about(DFT)
        self.assertEqual((said["library"], said["mpi"], said["threads"], said["kinds"], said["available"]),
                         ("dft", False, False, ["c2c"], True))
        self.assertEqual(
            set(said), {
                "library", "version", "mpi", "threads", "batch", "grid", "axes", "kinds", "precisions", "layouts",
                "dims", "available", "reason"
            })

    def test_another_seed_is_other_data_that_is_right_too(self):
        errors = [self.result(DFT, *SHAPE, "--seed", seed)["error_rel_l2"] for seed in (1, 1, 2)]
        self.assertEqual(errors[0], errors[1])
        self.assertNotEqual(errors[0], errors[2])

    def test_bad_words_give_one_line_and_status_2_and_no_file(self):
        good = [*SHAPE, "--result", self.file]
        for bad, said in [
            (["--result", self.file], "--shape must be given"),
            (list(SHAPE), "--result must name the file"),
            ([*SHAPE, "--result", self.folder / "no" / "file"], "a folder that exists"),
            (["--shape", "6x0", "--result", self.file], "'6x0'"),
            ([*good, "--kind", "c2r"], "--kind"),
            ([*good, "--kind", "dct"], "'dct'"),
            ([*good, "--precision", "f16"], "'f16'"),
            ([*good, "--layout", "slabs"], "'slabs'"),
            ([*good, "--call", "worst"], "'worst'"),
            ([*good, "--batch", 0], "--batch must be at least 1; got 0"),
            ([*good, "--axes", "7"], "--axes of an array of"),
            ([*good, "--axes", "0,0"], "--axes must name each axis once"),
            ([*good, "--grid", "2"], "--grid must be two numbers; got '2'"),
            ([*good, "--grid", "2x0"], "--grid"),
            ([*good, "--threads", 0], "--threads must be at least 1; got 0"),
            ([*good, "--iterations", 0], "--iterations"),
            ([*good, "--warmup=-1"], "--warmup"),
            ([*good, "--seed=-1"], "--seed"),
            ([*good, "--plan-seconds", "nan"], "--plan-seconds"),
            ([*good, "--scratch", self.folder / "no"], "--scratch must be a folder"),
            ([*good, "--frobnicate"], "--frobnicate"),
        ]:
            with self.subTest(bad=bad):
                done = run(DFT, *bad)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
