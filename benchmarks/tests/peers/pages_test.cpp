#include "peers/measure/pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "peers/measure/memory.hpp"

namespace shardfft::peers {
namespace {

TEST(HugePages, AreAskedForBesideWhatIsTunedAlready) {
  EXPECT_EQ(tunables_with_huge_pages(nullptr), "glibc.malloc.hugetlb=1");
  EXPECT_EQ(tunables_with_huge_pages(""), "glibc.malloc.hugetlb=1");
  EXPECT_EQ(tunables_with_huge_pages("glibc.malloc.check=1"), "glibc.malloc.check=1:glibc.malloc.hugetlb=1");
}

TEST(HugePages, AreLeftToWhoeverDecidedAboutThem) {
  for (const char* set :
       {"glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=1", "glibc.malloc.check=1:glibc.malloc.hugetlb=2"})
    EXPECT_FALSE(tunables_with_huge_pages(set));
}

TEST(HugePages, AreCountedInSharedMemoryToo) {
  constexpr std::size_t huge = 2 << 20, bytes = 4 * huge;
  constexpr int collapse = 25;  // MADV_COLLAPSE, which headers older than Linux 6.1 do not name
  const int file = ::memfd_create("pages", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::ftruncate(file, bytes), 0);
  void* const room = ::mmap(nullptr, bytes + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  auto* const aligned = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(room) + huge - 1) / huge * huge);
  ASSERT_EQ(::mmap(aligned, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0), aligned);
  std::memset(aligned, 1, bytes);
  const Index before = huge_page_bytes(local());
  const bool can = ::madvise(aligned, bytes, collapse) == 0;  // not before Linux 6.1, nor where it has none left
  std::memset(aligned, 2, bytes);
  const Index more = huge_page_bytes(local()) - before;
  if (can)
    EXPECT_NEAR(static_cast<double>(more), static_cast<double>(bytes), static_cast<double>(huge));
  else
    EXPECT_LT(more, static_cast<Index>(huge));
  ::munmap(room, bytes + huge);
  ::close(file);
}

}  // namespace
}  // namespace shardfft::peers
