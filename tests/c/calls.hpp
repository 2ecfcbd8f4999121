// What tests of the C interface share. They see shardfft.h and link libshardfft.so alone.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "shardfft.h"

namespace shardfft_c_tests {

using Complex = std::complex<double>;

/// A handle that ends with the scope; `&` gives the place where a call puts it.
template <class Handle, auto destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  ~Owned() { destroy(handle_); }
  operator Handle() const { return handle_; }
  Handle* operator&() { return &handle_; }

 private:
  Handle handle_{};
};
using Comm = Owned<shardfft_comm, shardfft_comm_destroy>;
using Spec = Owned<shardfft_spec, shardfft_spec_destroy>;
using Layout = Owned<shardfft_layout, shardfft_layout_destroy>;
using Problem = Owned<shardfft_problem, shardfft_problem_destroy>;
using Options = Owned<shardfft_options, shardfft_options_destroy>;
using Plan = Owned<shardfft_plan, shardfft_plan_destroy>;
using Halo = Owned<shardfft_halo, shardfft_halo_destroy>;
using Array = Owned<shardfft_array, shardfft_array_destroy>;
using Text = Owned<char*, shardfft_free>;

inline void expect_good(int status) { EXPECT_EQ(status, SHARDFFT_OK) << shardfft_error(); }

/// The call failed so, and `part` stands in the text.
inline void expect_refused(int got, int status, const std::string& part) {
  EXPECT_EQ(got, status) << shardfft_error();
  EXPECT_NE(std::string(shardfft_error()).find(part), std::string::npos)
      << "no '" << part << "' in: " << shardfft_error();
}
inline void expect_null_handle(int got) { expect_refused(got, SHARDFFT_INVALID_ARGUMENT, "got NULL"); }

/// L2 norm of the difference.
inline double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::norm(a[i] - b[i]);
  return std::sqrt(sum);
}

inline constexpr int64_t shape[] = {3, 5, 7};

/// A plan of this shape, for this process alone.
struct SmallPlan {
  explicit SmallPlan(int kind = SHARDFFT_C2C, const char* option = nullptr, const char* value = nullptr) {
    expect_good(shardfft_comm_local(&comm));
    expect_good(shardfft_problem_create(3, shape, kind, SHARDFFT_F64, &problem));
    expect_good(shardfft_options_create(&options));
    if (option) expect_good(shardfft_options_set(options, option, value));
    expect_good(shardfft_plan_create(comm, problem, options, &plan));
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = {0.25 * static_cast<double>(i % 13), -0.5 * static_cast<double>(i % 7)};
  }
  [[nodiscard]] int forward() { return shardfft_forward(plan, in.data(), bytes(in), out.data(), bytes(out)); }
  static std::size_t bytes(const std::vector<Complex>& list) { return list.size() * sizeof(Complex); }

  Comm comm{};
  Problem problem{};
  Options options{};
  Plan plan{};
  std::vector<Complex> in = std::vector<Complex>(105), out = std::vector<Complex>(105);
};

}  // namespace shardfft_c_tests
