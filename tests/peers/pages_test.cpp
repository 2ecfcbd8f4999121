#include "pages.hpp"

#include <gtest/gtest.h>

namespace shardfft::peers {
namespace {

TEST(HugePages, AreAskedForBesideWhatIsTunedAlready) {
  EXPECT_EQ(tunables_with_huge_pages(nullptr), "glibc.malloc.hugetlb=1");
  EXPECT_EQ(tunables_with_huge_pages(""), "glibc.malloc.hugetlb=1");
  EXPECT_EQ(tunables_with_huge_pages("glibc.malloc.check=1"), "glibc.malloc.check=1:glibc.malloc.hugetlb=1");
}

TEST(HugePages, AreLeftToWhoeverDecidedAboutThem) {
  for (const char* set : {"glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=1", "glibc.malloc.check=1:glibc.malloc.hugetlb=2"}) EXPECT_FALSE(tunables_with_huge_pages(set));
}

}  // namespace
}  // namespace shardfft::peers
