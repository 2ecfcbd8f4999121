// The parts of the program that need no plan: headers, conversion, stretches of a file, tasks.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disk/direct_file.hpp"
#include "disk/partial_file.hpp"
#include "files/convert.hpp"
#include "files/file_runs.hpp"
#include "files/npy.hpp"
#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/beyond_limit.hpp"
#include "output/costs.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/shardfft.hpp"
#include "support/refusal.hpp"
#include "tune/running_time.hpp"

namespace {
/// What fsync() was called for.
std::vector<std::string> synced;
}  // namespace

extern "C" int fsync(int fd) {
  struct stat found{};
  const bool folder = ::fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
  const std::string path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd)).string();
  synced.emplace_back(folder ? "folder" : path.find(".partial-") != path.npos ? "file in part" : "file");
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace shardfft::cli {
namespace {

using testing::refusal;

TEST(NpyHeader, IsReadBackAsItWasWritten) {
  for (const Shape& shape : {Shape{7}, Shape{3, 4}, Shape{1, 2, 3, 4, 5, 6, 7, 8}, Shape{40000, 40000, 40000}}) {
    const std::string text = npy_header(plan_dtype(f32, true), shape);
    EXPECT_EQ(text.size() % 64, 0U);
    EXPECT_EQ(text.back(), '\n');
    ASSERT_EQ(npy_header_bytes(std::string_view(text).substr(0, npy_prologue_bytes), "f"), text.size());
    const NpyHeader header = parse_npy_header(text, "f");
    EXPECT_EQ(header.shape, shape);
    EXPECT_EQ(header.dtype, (Dtype{'c', 8, false}));
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.data_offset, static_cast<Index>(text.size()));
  }
}

TEST(NpyHeader, IsTheTextThatNumPyWrites) {
  const std::string text = npy_header(plan_dtype(f64, true), Shape{3});
  EXPECT_EQ(text.substr(10, 61), "{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }   ");
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00v\x00", 10));
}

TEST(NpyHeader, AllowsTheWaysInWhichOtherProgramsSpellIt) {
  const auto parse = [](const std::string& dict) {
    return parse_npy_header("\x93NUMPY\x01" + std::string(3, '\0') + dict, "f");
  };
  const NpyHeader header = parse("{\"shape\":(3L ,4),'fortran_order':True , 'descr':\"|i1\"}");
  EXPECT_EQ(header.shape, (Shape{3, 4}));
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.dtype, (Dtype{'i', 1, false}));
}

TEST(NpyHeader, RefusesEveryTruncationWithoutReadingBeyondTheEnd) {
  const std::string whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string text = "\x93NUMPY\x01" + std::string(3, '\0') + whole.substr(0, n);
    EXPECT_THROW((void)parse_npy_header(text, "f"), Error) << n;
  }
}

TEST(NpyHeader, SurvivesRandomDamage) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string whole = npy_header(plan_dtype(f64, false), Shape{20, 30});
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random());
    try {
      if (npy_header_bytes(std::string_view(text).substr(0, npy_prologue_bytes), "f") == text.size())
        (void)parse_npy_header(text, "f");
    } catch (const Error& e) { EXPECT_NE(std::string(e.what()), ""); }
  }
}

TEST(Dtype, RefusesWhatIsNoNumberAndSaysWhatToDo) {
  for (const char* descr :
       {"", "f", "<f", "<f3", "<i3", "<U4", "|O", "<M8[ns]", "<f16", "<c32", "|V8", "x", "<f99999999999"}) {
    EXPECT_NE(refusal([&] { (void)parse_dtype(descr); }).find("astype"), std::string::npos) << descr;
  }
}

TEST(Convert, GivesHalfPrecisionNumbersTheirValue) {
  const Converter convert = find_converter(Dtype{'f', 2, false}, f64, false);
  for (int bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    double got = 0;
    convert(reinterpret_cast<const std::byte*>(&half), reinterpret_cast<std::byte*>(&got), 1);
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 0    ? std::ldexp(fraction, -24)
                        : exponent == 31 ? INFINITY
                                         : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31 && fraction != 0) {
      EXPECT_TRUE(std::isnan(got)) << bits;
    } else {
      EXPECT_EQ(got, bits >> 15 ? -size : size) << bits;
      EXPECT_EQ(std::signbit(got), bits >> 15 == 1) << bits;
    }
  }
}

TEST(Convert, TakesAnyAlignmentAndTheOtherByteOrder) {
  const double values[] = {1.5, -2.25, 3e300};
  std::vector<std::byte> raw(1 + sizeof values);
  for (std::size_t i = 0; i < sizeof values; ++i)
    raw[1 + i] = reinterpret_cast<const std::byte*>(values)[i / 8 * 8 + 7 - i % 8];
  std::complex<double> got[3];
  find_converter(Dtype{'f', 8, true}, f64, true)(raw.data() + 1, reinterpret_cast<std::byte*>(got), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(got[i], std::complex<double>(values[i], 0));
}

TEST(Convert, NeverDropsAnImaginaryPart) {
  EXPECT_NE(refusal([] { (void)find_converter(Dtype{'c', 16, false}, f64, false); }).find("c2c"), std::string::npos);
}

/// Number of an element in a file whose axes have this order, by counting.
Index place(const Coord& at, const Shape& global, const std::vector<int>& order) {
  Index n = 0;
  for (const int axis : order) n = n * global[axis] + at[axis];
  return n;
}

TEST(FileRuns, VisitTheElementsOfABoxInTheOrderOfMemory) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const int dims = 1 + static_cast<int>(random() % 4);
    std::vector<int> order(static_cast<std::size_t>(dims));
    for (int a = 0; a < dims; ++a) order[static_cast<std::size_t>(a)] = a;
    std::shuffle(order.begin(), order.end(), random);
    Shape global = Coord::filled(dims, 1);
    Box box{Coord::filled(dims, 0), Coord::filled(dims, 0)};
    for (int a = 0; a < dims; ++a) {
      global[a] = 1 + static_cast<Index>(random() % 5);
      box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(global[a] + 1));
      box.hi[a] = box.lo[a] + static_cast<Index>(random() % static_cast<unsigned>(global[a] - box.lo[a] + 1));
    }
    const FileRuns runs(box, global, order);
    ASSERT_EQ(runs.count() * runs.length(), box.count());
    for (Index i = 0; i < box.count(); ++i) {
      Coord at = box.lo;
      Index rest = i;
      for (int k = dims - 1; k >= 0; --k) {
        const int axis = order[static_cast<std::size_t>(k)];
        at[axis] += rest % box.extent(axis);
        rest /= box.extent(axis);
      }
      ASSERT_EQ(runs.file_start(i / runs.length()) + i % runs.length(), place(at, global, order));
    }
  }
}

TEST(FileRuns, ReadASlabAlongTheSlowestAxisInOneStretch) {
  const FileRuns c({{2, 0, 0}, {4, 5, 6}}, {8, 5, 6}, {0, 1, 2});
  EXPECT_EQ(c.count(), 1);
  const FileRuns fortran({{0, 0, 2}, {8, 5, 4}}, {8, 5, 6}, {2, 1, 0});
  EXPECT_EQ(fortran.count(), 1);
}

NpyHeader header_of(Dtype dtype, Shape shape) { return {dtype, false, shape, 128}; }

TEST(Task, TakesNumPysDefaults) {
  const Task task = make_task({}, header_of({'i', 2, false}, {4, 5}));
  EXPECT_EQ(task.problem.precision, f64);
  EXPECT_EQ(task.problem.axes, (std::vector<int>{0, 1}));
  EXPECT_EQ(task.problem.forward, Scaling::none);
  EXPECT_EQ(make_task({}, header_of({'f', 2, false}, {4, 5})).problem.precision, f32);
}

TEST(Task, HalvesTheLastNamedAxisOfRealTransforms) {
  TransformWords words;
  words.kind = "r2c";
  words.axes = "1,0";
  const Task task = make_task(words, header_of({'f', 8, false}, {9, 6, 5}));
  EXPECT_EQ(task.out, (Shape{5, 6, 5}));
  EXPECT_EQ(task.problem.shape, (Shape{9, 6, 5}));
  words.kind = "c2r";
  const Task back = make_task(words, header_of({'c', 16, false}, {5, 6, 5}));
  EXPECT_EQ(back.out, (Shape{8, 6, 5}));
  EXPECT_EQ(back.direction, Direction::backward);
}

TEST(Task, CutsFilesAlongTheSlowestAxisThatIsLongEnough) {
  const auto cut = [](const Shape& shape, const std::vector<int>& order) {
    return file_layouts({}, {.in = shape, .out = shape}, order).in.axis;
  };
  EXPECT_EQ(cut({512, 512, 512}, {0, 1, 2}), 0);
  EXPECT_EQ(cut({3, 512, 512}, {0, 1, 2}), 1);
  EXPECT_EQ(cut({1, 1, 100}, {0, 1, 2}), 2);
  EXPECT_EQ(cut({512, 512, 512}, {2, 1, 0}), 2);
}

TEST(Noise, IsTheSameForEveryLayoutAndPrecision) {
  const Shape shape{5, 6, 7};
  const auto global = [&](const LayoutSpec& spec, int ranks) {
    const Layout layout(spec, shape, ranks);
    std::vector<double> all(210, -9);
    for (int r = 0; r < ranks; ++r) {
      Array memory(static_cast<std::size_t>(layout.count(r)) * 8);
      fill_with_noise(layout, r, f64, false, memory, 2);
      const std::vector<Box> boxes = layout.boxes(r);
      Index start = 0;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        const Box& box = boxes[b];
        const bool round_robin =
            spec.kind ==
            LayoutSpec::Kind::cyclic;  // along the last axis, in natural order: its boxes lie in each other
        const Index first = round_robin ? static_cast<Index>(b) : std::exchange(start, start + box.count()),
                    step = round_robin ? static_cast<Index>(boxes.size()) : 1;
        for (Index k = 0; k < box.count(); ++k) {
          Coord at = box.lo;
          Index rest = k;
          for (auto it = layout.order().rbegin(); it != layout.order().rend(); ++it)
            at[*it] += rest % box.extent(*it), rest /= box.extent(*it);
          all[static_cast<std::size_t>(place(at, shape, {0, 1, 2}))] =
              memory.as<double>()[static_cast<std::size_t>(first + k * step)];
        }
      }
    }
    return all;
  };
  const std::vector<double> reference = global(slabs(0), 1);
  for (const LayoutSpec& spec : {slabs(1).ordered({1, 0, 2}), bricks(), cyclic(2), pencils(0).ordered({2, 1, 0})})
    EXPECT_EQ(global(spec, 3), reference);
  for (const double x : reference) EXPECT_TRUE(x >= -1 && x < 1);
  EXPECT_NE(reference[0], reference[1]);
}

TEST(DirectFile, WritesAndReadsAnyStretchWhateverItsEnds) {
  std::mt19937 random(20261129);
  const auto below = [&](Index n) { return static_cast<Index>(random()) % n; };
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "shardfft-parts-direct";
  for (const char* way : {"direct", "through the cache"}) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const bool direct = way == std::string("direct");
    const DirectFile file(fd, direct ? O_RDWR : O_RDWR | O_CREAT | O_EXCL);  // the second is refused
    std::vector<std::byte> want(1 << 20), data(want.size() + 8);
    ASSERT_EQ(::ftruncate(fd, std::ssize(want)), 0);
    for (int repeat = 0; repeat < 40; ++repeat) {
      const Index start = below(std::ssize(want) - 1), shift = below(8);
      const Index count = 1 + below(std::min<Index>(std::ssize(want) - start, 4 * least_direct));
      for (std::byte& b : data) b = static_cast<std::byte>(random());
      ASSERT_EQ(file.write({data.data() + shift, static_cast<std::size_t>(count)}, start), 0);
      std::copy_n(data.begin() + shift, count, want.begin() + start);
      DirectBuffer buffer;
      const Index first = down_to_direct(start), bytes = up_to_direct(start + count) - first;
      ASSERT_EQ(file.read(buffer.room(bytes), bytes, first, start + count - first), 0);
      ASSERT_TRUE(std::equal(buffer.room(bytes), buffer.room(bytes) + (start + count - first), want.begin() + first))
          << way << " " << start << " " << count;
    }
    std::vector<std::byte> got(want.size());
    ASSERT_EQ(::pread(fd, got.data(), got.size(), 0), std::ssize(got));
    EXPECT_EQ(got, want) << way;
    DirectBuffer buffer;
    EXPECT_EQ(file.read(buffer.room(8192), 8192, std::ssize(want) - 4096, 4097), DirectFile::end_of_file);
    ::close(fd);
  }
  std::filesystem::remove(path);
}

TEST(PartialFile, IsOnTheDiskBeforeItTakesItsNameAndItsNameThen) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "shardfft-parts-synced";
  std::filesystem::create_directories(folder);
  PartialFile file(local(), (folder / "a.npy").string(), "text", 4);
  synced.clear();
  file.commit();
  EXPECT_EQ(synced, (std::vector<std::string>{"file in part", "folder"}));
  std::filesystem::remove_all(folder);
}

TEST(Table, AlignsItsColumnsAndRoundsForPeople) {
  Table table({"step", "time"});
  table.add({"sweep", "1 s"});
  EXPECT_EQ(table.text(), "step   time\nsweep   1 s\n");
}

// Standard error of a test may be a terminal: a pipe stands for the log.
TEST(Progress, IsALineNowAndThenWhereThereIsNoTerminal) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress(true, std::chrono::milliseconds(1));
    progress.stage("reading");
    progress.expect(4);
    progress.advance(1);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20)) std::this_thread::yield();
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("shardfft: reading 25 %, 0 s left after 0 s\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << "nothing is drawn over";
}

TEST(Progress, SaysNothingOfShortRunsAndWhereNothingIsToBeShown) {
  ::testing::internal::CaptureStderr();
  {
    Progress usual(true), silent(false, std::chrono::milliseconds(1));
    usual.stage("reading");
    silent.stage("writing");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Words, OfEqualExtentsMayBeAPower) {
  EXPECT_EQ(parse_extents("--shape", "64^3"), (Shape{64, 64, 64}));
  for (const char* text : {"64^", "^3", "64^0", "64^9", "0^3", "8^2^2", "8^2x8"})
    EXPECT_NE(refusal([&] { (void)parse_extents("--shape", text); }).find("joined by x"), std::string::npos) << text;
}

TEST(Words, AreUnderstoodInEitherCase) {
  EXPECT_EQ(parse_extents("--shape", "64X32x8"), (Shape{64, 32, 8}));
  EXPECT_EQ(parse_kind("R2C"), r2c);
  EXPECT_EQ(parse_precision("F32"), f32);
  EXPECT_EQ(parse_direction("Backward"), Direction::backward);
  EXPECT_EQ(parse_norm("ORTHO").forward, Scaling::orthonormal);
  EXPECT_EQ(parse_kinds("Cosine2,FOURIER", 2), (std::vector{AxisKind::cosine2, AxisKind::fourier}));
  EXPECT_EQ(to_string(parse_layout_pair("Pencils", 3).input), "pencils:2");
  EXPECT_EQ(to_string(parse_layout("SLABS:1", 3)), "slabs:1");
  EXPECT_EQ(to_string(parse_layout("Grid:2X3x1", 3)), "grid:2x3x1");
  EXPECT_NE(refusal([] { (void)parse_kind("R2X"); }).find("got 'R2X'"), std::string::npos)
      << "what was written is told back";
}

TEST(RunningTime, LeavesOutTheTimeInWhichTheJobWasStopped) {
  using namespace std::chrono_literals;
  const RunningTime::Moment start{};
  RunningTime time;
  time.start(start);
  EXPECT_NEAR(time.at(start + 300ms).count(), 0.3, 1e-9);
  EXPECT_NEAR(time.at(start + 800ms).count(), 0.8, 1e-9);
  EXPECT_LE(time.at(start + 2h).count(), 0.8 + RunningTime::longest_gap.count()) << "two hours in which nobody looked";
  const double before = time.at(start + 2h).count();
  EXPECT_NEAR(time.at(start + 2h + 500ms).count(), before + 0.5, 1e-9);
  time.start(start + 3h);
  EXPECT_NEAR(time.at(start + 3h + 50ms).count(), 0.05, 1e-9);
}

TEST(Descriptions, TellTheThreadsOfAllRanks) {
  on_ranks(3, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}}, {.threads = comm.rank() == 1 ? 2 : 1});
    const Json said = description_over_ranks(plan);
    EXPECT_EQ(said["threads"], 2);
    EXPECT_EQ(said["threads_least"], 1);
    EXPECT_EQ(threads_text(said), "1 to 2 threads each");
  });
  EXPECT_EQ(threads_text(description_over_ranks(Plan(local(), {.shape = {8, 6}}, {.threads = 2}))), "2 threads each");
}

TEST(BeyondLimit, IsSaidOfMoreThanAFifthAboveIt) {
  for (const double times :
       {0.84, 1.0, 3.0, 0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(beyond_limit("forward", times), "") << times;
  EXPECT_EQ(
      beyond_limit("forward", 0.8),
      "forward: faster than 120 % of the measured limit: other programs used the machine while that was measured\n");
}

TEST(Choices, HaveAFlagInHelpAndItsTextBecomesTheOption) {
  CommandLine line("help", "program");
  ChoiceWords words;
  for (const OptionGroup group :
       {OptionGroup::planner, OptionGroup::devices, OptionGroup::exactness, OptionGroup::effort})
    add_choices(line.top(), words, group);
  const std::string help = line.parse({"--help"}).value_or("");
  for (const OptionRow& row : option_table())
    if (!row.flag.empty()) {
      EXPECT_NE(help.find(fmt::format("{} ", row.flag)), std::string::npos) << row.flag << help;
    }
  EXPECT_FALSE(line.parse({"--chunks", "3", "--effort=Measure", "--encode-near", "--fuse", "-1"}));
  const Options options = to_options(words);
  EXPECT_EQ(options.expert.chunks, 3);
  EXPECT_EQ(options.effort, "measure");
  EXPECT_TRUE(options.expert.encode_near);
  EXPECT_THROW((void)line.parse({"--chunks", "x"}), BadWords);
}

}  // namespace
}  // namespace shardfft::cli
