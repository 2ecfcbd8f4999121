#include "support/vendor_library.hpp"

#include <gtest/gtest.h>

namespace shardfft {
namespace {

using Cosine = double(double);

TEST(VendorLibrary, GivesTheFunctionsOfALibraryThatIsThere) {
  VendorLibrary library("libm.so.6", "");
  Cosine* cosine = nullptr;
  library.find("cos", cosine);
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(library.why_not(), "");
  EXPECT_EQ(cosine(0.0), 1.0);
}

TEST(VendorLibrary, IsLookedForWhereTheBuildFoundItWhenTheLoaderKnowsItNot) {
  VendorLibrary library("libthere_is_none.so.1", "libm.so.6");
  Cosine* cosine = nullptr;
  library.find("cos", cosine);
  EXPECT_NE(cosine, nullptr);
  EXPECT_EQ(library.why_not(), "");
}

TEST(VendorLibrary, ThatIsNotThereSaysWhatTheLoaderSaysAndWhatToDo) {
  for (const char* built_with : {"", "/nowhere/libthere_is_none.so"}) {
    VendorLibrary library("libthere_is_none.so.1", built_with);
    Cosine* cosine = nullptr;
    library.find("cos", cosine);
    EXPECT_EQ(cosine, nullptr);
    for (const char* part :
         {"libthere_is_none.so.1 cannot be loaded", "cannot open shared object file", "LD_LIBRARY_PATH"})
      EXPECT_NE(library.why_not().find(part), std::string::npos) << library.why_not();
  }
}

TEST(VendorLibrary, OfAnotherVersionNamesTheFirstFunctionThatItLacks) {
  VendorLibrary library("libm.so.6", "");
  Cosine *none = nullptr, *neither = nullptr, *cosine = nullptr;
  library.find("shardfft_no_such_function", none);
  library.find("shardfft_nor_this_one", neither);
  library.find("cos", cosine);
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(cosine, nullptr);
  EXPECT_NE(library.why_not().find("libm.so.6 has no shardfft_no_such_function"), std::string::npos)
      << library.why_not();
}

}  // namespace
}  // namespace shardfft
