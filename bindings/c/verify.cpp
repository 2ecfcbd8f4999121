// Is it right, and what did it lose. All collective, and so are the checks of what the caller passed.
#include "handles.hpp"
#include "shardfft/collective.hpp"

using namespace shardfft::c;
using shardfft::Plan;

namespace {

/// Runs `work` on the plan if `check` throws on no rank.
template <class Check, class Work>
int on_all_ranks(shardfft_plan p, const Check& check, const Work& work) noexcept {
  return attempt([&] {
    Plan& plan = there(p);
    shardfft::collectively(plan.comm(), [&] { check(); });
    work(plan);
  });
}

}  // namespace

int shardfft_verify(shardfft_plan p, const void* in, size_t in_bytes, const void* out, size_t out_bytes, int direction,
                    shardfft_verdict* v) {
  return shardfft_verify_scaled(p, in, in_bytes, out, out_bytes, direction, 1, v);
}

int shardfft_verify_scaled(shardfft_plan p, const void* in, size_t in_bytes, const void* out, size_t out_bytes,
                           int direction, double factor, shardfft_verdict* v) {
  return on_all_ranks(
      p, [&] { check_result(v, "`v`"), direction_of(direction); },
      [&](const Plan& plan) {
        const auto verdict =
            plan.verify(memory_at(in, in_bytes), memory_at(out, out_bytes), direction_of(direction), factor);
        write_result({0, verdict.error_rel_l2, verdict.bound, verdict.ok()}, v);
      });
}

int shardfft_error_bound(shardfft_plan p, double* bound) {
  return on_all_ranks(p, [&] { there(bound, "`bound`"); }, [&](const Plan& plan) { *bound = plan.error_bound(); });
}

int shardfft_last_loss(shardfft_plan p, shardfft_loss* l) {
  return on_all_ranks(
      p, [&] { check_result(l, "`l`"); },
      [&](const Plan& plan) {
        const shardfft::Loss loss = plan.loss();
        write_result({0, loss.bound, loss.encoded, loss.bits, loss.bytes_before, loss.bytes_after, loss.floor}, l);
      });
}

int shardfft_exact_samples(shardfft_plan p, const void* in, size_t in_bytes, int direction, int count,
                           const int64_t* positions, double* re_im) {
  std::vector<shardfft::Coord> at;
  return on_all_ranks(
      p,
      [&] {
        direction_of(direction);
        const int dims = p->plan.input().global().dims();
        if (!list_of(re_im, count, "`re_im`").empty()) there(positions, "`positions`");
        for (int i = 0; i < count; ++i)
          at.push_back(coord_of(positions + std::ptrdiff_t{i} * dims, dims, "`positions`"));
      },
      [&](const Plan& plan) {
        const auto samples = plan.exact_samples(memory_at(in, in_bytes), at, direction_of(direction));
        std::copy(samples.begin(), samples.end(), re_im);
      });
}

int shardfft_hash_input(shardfft_plan p, const void* in, size_t bytes, uint64_t* hash) {
  return on_all_ranks(
      p, [&] { there(hash, "`hash`"); }, [&](const Plan& plan) { *hash = plan.hash_input(memory_at(in, bytes)); });
}
int shardfft_hash_output(shardfft_plan p, const void* out, size_t bytes, uint64_t* hash) {
  return on_all_ranks(
      p, [&] { there(hash, "`hash`"); }, [&](const Plan& plan) { *hash = plan.hash_output(memory_at(out, bytes)); });
}
