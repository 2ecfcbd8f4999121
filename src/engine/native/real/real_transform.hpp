// A real-to-real transform of a tile: what surrounds the complex or real one that does the work.
#pragma once

#include <algorithm>
#include <memory>

#include "engine/engine.hpp"
#include "engine/native/real/real_plan.hpp"

namespace shardfft::native {

/// Immutable and thread-safe, as kernels are.
template <class T>
class RealTransform {
 public:
  RealTransform(const KernelRequest& request, std::shared_ptr<const Kernel> inner)
      : inner_(std::move(inner)), rows_(inner_->in().pencils == 1 ? &number_routines<T>() : &row_routines<T>()) {
    if (!request.looks_only || inner_->in().pencils > 1) plan_ = real_plan<T>(request, inner_->in());
  }

  [[nodiscard]] const Kernel& inner() const { return *inner_; }
  [[nodiscard]] const RowRoutines<T>& rows() const { return *rows_; }
  void add_tables(TableBytes& found) const {
    inner_->add_tables(found);
    for (const auto* rows : {&plan_.in, &plan_.out, &plan_.zeros, &plan_.mirror_from, &plan_.mirror_to})
      found.add(*rows);
    for (const auto* factors : {&plan_.before, &plan_.after}) {
      found.add(factors->rows);
      found.add(factors->factors);
    }
    for (const auto* mix : {&plan_.mix_before, &plan_.mix_after}) {
      for (const auto* rows : {&mix->alone, &mix->pairs, &mix->alone_elements, &mix->pair_elements}) found.add(*rows);
      for (const auto* factors : {&mix->alone_by, &mix->pairs_by}) found.add(*factors);
    }
  }
  [[nodiscard]] const std::vector<Index>& in() const { return plan_.in; }    ///< rows of reals of the elements
  [[nodiscard]] const std::vector<Index>& out() const { return plan_.out; }  ///< likewise of the result
  /// Transforms the tile in `a`; returns `a` or `b`, whichever holds the result.
  T* run(T* a, T* b) const {
    before(a);
    T* x = inside(a, b);
    after(x);
    return x;
  }
  /// Whether the first step, the last one, can read memory, write there, as Kernel says.
  [[nodiscard]] bool reads_rows() const {
    return rows_->mix_from != nullptr && plan_.zeros.empty() && plan_.mirror_to.empty() && plan_.before.rows.empty() &&
           mixes_all(plan_.mix_before);
  }
  [[nodiscard]] bool writes_rows() const {
    return rows_->mix_to != nullptr && plan_.after.rows.empty() && mixes_all(plan_.mix_after);
  }
  /// run() with these steps, where not null.
  T* run_rows(const RowSource* from, const RowTarget* to, T* a, T* b) const {
    from != nullptr ? rows_->mix_from(plan_.mix_before, *from, a) : before(a);
    T* x = inside(a, b);
    to != nullptr ? rows_->mix_to(plan_.mix_after, x, *to) : after(x);
    return x;
  }

 private:
  [[nodiscard]] bool mixes_all(const RowMixes<T>& m) const {
    const auto named = [](const std::vector<Index>& e) {
      return std::count_if(e.begin(), e.end(), [](Index k) { return k >= 0; });
    };
    return named(m.alone_elements) + named(m.pair_elements) == static_cast<std::ptrdiff_t>(plan_.in.size());
  }
  T* inside(T* a, T* b) const {
    return reinterpret_cast<T*>(inner_->run(reinterpret_cast<std::byte*>(a), reinterpret_cast<std::byte*>(b)));
  }
  void before(T* a) const {
    for (const Index row : plan_.zeros) std::fill_n(a + row * rows_->pencils, rows_->pencils, T(0));
    rows_->copy({.from = plan_.mirror_from.data(),
                 .to = plan_.mirror_to.data(),
                 .count = static_cast<Index>(plan_.mirror_from.size())},
                a, a);
    rows_->scale(plan_.before, a);
    rows_->mix(plan_.mix_before, a);
  }
  void after(T* x) const {
    rows_->mix(plan_.mix_after, x);
    rows_->scale(plan_.after, x);
  }

  std::shared_ptr<const Kernel> inner_;
  const RowRoutines<T>* rows_;
  RealPlan<T> plan_{};
};

/// For a request of one of them; `inner` is made for inner_request().
template <class T>
[[nodiscard]] std::shared_ptr<const Kernel> make_real_kernel(const KernelRequest& request,
                                                             std::shared_ptr<const Kernel> inner);

}  // namespace shardfft::native
