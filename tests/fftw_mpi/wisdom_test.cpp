// Wisdom and threads of FFTW, beside FFTW and without it: programs that call them link and run.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fftw_mpi/calls.hpp"

namespace shardfft::testing {
namespace {

/// Not every program links FFTW's threads: a function of this name, from whichever library.
template <class Function>
Function* by_name(const std::string& name) {
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name.c_str()));
  EXPECT_NE(found, nullptr) << name;
  return found;
}

void append(char letter, void* text) { static_cast<std::string*>(text)->push_back(letter); }
void append_of_fortran(char* letter, void* text) { append(*letter, text); }

struct Precision {
  std::string c, fortran;
  decltype(&fftw_export_wisdom_to_string) to_string;
  decltype(&fftw_export_wisdom) to_function;
  decltype(&fftw_export_wisdom_to_filename) to_filename;
  decltype(&fftw_import_wisdom_from_filename) from_filename;
  decltype(&fftw_import_wisdom_from_string) from_string;
  decltype(&fftw_forget_wisdom) forget;
};

const std::vector<Precision>& precisions() {
#define SHARDFFT_PRECISION(X, f77) \
  {#X,                             \
   f77,                            \
   X##export_wisdom_to_string,     \
   X##export_wisdom,               \
   X##export_wisdom_to_filename,   \
   X##import_wisdom_from_filename, \
   X##import_wisdom_from_string,   \
   X##forget_wisdom}
  static const std::vector<Precision> all = {SHARDFFT_PRECISION(fftw_, "dfftw_"), SHARDFFT_PRECISION(fftwf_, "sfftw_"),
                                             SHARDFFT_PRECISION(fftwl_, "lfftw_")};
#undef SHARDFFT_PRECISION
  return all;
}

/// The library itself may have loaded FFTW of two precisions, as an engine.
TEST(Wisdom, GoesToTextsFilesAndFunctionsAndComesBackIfFftwIsThere) {
  for (const Precision& p : precisions()) {
    const bool is_there = dlsym(RTLD_DEFAULT, (p.c + "plan_guru_dft").c_str()) != nullptr;
    p.forget();
    char* exported = p.to_string();
    ASSERT_NE(exported, nullptr);
    const std::string text = exported;
    std::free(exported);
    EXPECT_NE(text.find("wisdom"), std::string::npos) << text;
    EXPECT_EQ(p.from_string(text.c_str()) == 1, is_there);

    std::string letters, letters_of_fortran;
    p.to_function(append, &letters);
    EXPECT_EQ(letters, text);
    if (auto* write = by_name<void(void (*)(char*, void*), void*)>(p.fortran + "export_wisdom_"))
      write(append_of_fortran, &letters_of_fortran);
    EXPECT_EQ(letters_of_fortran, text);

    const std::string name = "fftw_wisdom_" + std::to_string(getpid());
    EXPECT_EQ(p.to_filename(name.c_str()), 1);
    EXPECT_EQ(p.from_filename(name.c_str()) == 1, is_there);
    std::remove(name.c_str());
    EXPECT_EQ(p.from_filename(name.c_str()), 0);
    EXPECT_EQ(p.to_filename("/no such folder/wisdom"), 0);
  }
}

TEST(Wisdom, ThreadsOfThePlannerAreThoseThatWereAsked) {
  if (dlsym(RTLD_DEFAULT, "fftw_plan_with_nthreads") == nullptr) GTEST_SKIP() << "FFTW's threads are not linked";
  for (const Precision& p : precisions()) {
    auto* init = by_name<int()>(p.c + "init_threads");
    auto* ask = by_name<void(int)>(p.c + "plan_with_nthreads");
    auto* asked = by_name<int()>(p.c + "planner_nthreads");
    auto* ask_of_fortran = by_name<void(const int*)>(p.fortran + "plan_with_nthreads_");
    ASSERT_TRUE(init && ask && asked && ask_of_fortran);
    EXPECT_NE(init(), 0);
    ask(3);
    EXPECT_EQ(asked(), 3);
    const int two = 2;
    ask_of_fortran(&two);
    EXPECT_EQ(asked(), 2);
    ask(1);
  }
}

}  // namespace
}  // namespace shardfft::testing
