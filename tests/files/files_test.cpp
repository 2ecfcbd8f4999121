// Arrays in files: headers, conversion, stretches of a file, the disk.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/convert.hpp"
#include "files/disk/direct_file.hpp"
#include "files/disk/partial_file.hpp"
#include "files/file_runs.hpp"
#include "files/npy.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "support/refusal.hpp"

namespace {
/// What fsync() was called for, by any rank's thread.
std::vector<std::string> synced;
std::mutex guards_synced;
}  // namespace

extern "C" int fsync(int fd) {
  struct stat found{};
  const bool folder = ::fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
  const std::string path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd)).string();
  {
    const std::lock_guard held(guards_synced);
    synced.emplace_back(folder ? "folder" : path.find(".partial-") != path.npos ? "file in part" : "file");
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace shardfft::files {
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

/// Notes what it is told.
struct Told final : UnfinishedFiles {
  bool begin(const std::string& path) override {
    begun.push_back(path);
    return path.find("refused") == path.npos;
  }
  void end(const std::string& path) override { ended.push_back(path); }
  std::vector<std::string> begun{}, ended{};
};

TEST(UnfinishedFiles, AreToldOfFilesUntilTheseAreWholeOrGone) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "shardfft-files-told";
  std::filesystem::create_directories(folder);
  Told told;
  tell_unfinished(&told);
  { const PartialFile left(local(), (folder / "a.npy").string(), "text", 4); }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "what is not committed goes";
  PartialFile whole(local(), (folder / "b.npy").string(), "text", 4);
  EXPECT_TRUE(std::filesystem::exists(told.begun.back())) << "it is told the name of the file that is there";
  whole.commit();
  EXPECT_THROW((void)File::create(local(), (folder / "refused").string(), {{3}, {'f', 8}, {}}), Error);
  tell_unfinished(nullptr);
  EXPECT_EQ(told.begun.size(), 3U);
  EXPECT_EQ(told.ended, (std::vector<std::string>{told.begun[0], told.begun[1]}));
  std::filesystem::remove_all(folder);
}

TEST(File, GivesBackWhatWasWrittenToAnotherTypeAndOnlyWhatWasCommitted) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "shardfft-files-file";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "a.npy").string();
  std::vector<float> values(3 * 4 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 3;
  const Shape shape{3, 4, 5};
  on_ranks(2, [&](const Comm& comm) {
    const Layout layout(slabs(1), shape, 2);
    std::vector<float> mine;
    for (const Box& box : layout.boxes(comm.rank()))
      for_each_position(box, {}, [&](const Coord& at) {
        mine.push_back(values[static_cast<std::size_t>((at[0] * 4 + at[1]) * 5 + at[2])]);
      });
    File file = File::create(comm, path, {shape, plan_dtype(f32, false), {}});
    file.write({layout, comm.rank(), f32, false, 1}, reinterpret_cast<const std::byte*>(mine.data()));
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(path));
    comm.barrier();
    file.commit();
    EXPECT_NE(refusal([&] { file.read({layout, comm.rank(), f32, false, 1}, nullptr); }).find("commit()"),
              std::string::npos);
  });
  const File file = File::open(local(), path);
  EXPECT_EQ(file.info().type, (Dtype{'f', 4, false}));
  EXPECT_EQ(file.info().order, (std::vector<int>{0, 1, 2}));
  std::vector<std::complex<double>> read(values.size());
  file.read({Layout(slabs(0), shape, 1), 0, f64, true, 1}, reinterpret_cast<std::byte*>(read.data()));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(read[i], std::complex<double>(values[i], 0));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shardfft::files
