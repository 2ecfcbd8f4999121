// What is asked.
#include "handles.hpp"

using namespace shardfft::c;
using shardfft::Scaling;
using shardfft::Status;

static_assert(SHARDFFT_C2C == int(shardfft::c2c) && SHARDFFT_R2C == int(shardfft::r2c) &&
              SHARDFFT_C2R == int(shardfft::c2r) && SHARDFFT_MOVE == int(shardfft::Kind::move) &&
              SHARDFFT_R2R == int(shardfft::r2r));
static_assert(SHARDFFT_FOURIER == int(shardfft::AxisKind::fourier) &&
              SHARDFFT_COSINE4 == int(shardfft::AxisKind::cosine4) &&
              SHARDFFT_SINE1 == int(shardfft::AxisKind::sine1) && SHARDFFT_HARTLEY == int(shardfft::AxisKind::hartley));
static_assert(SHARDFFT_F32 == int(shardfft::f32) && SHARDFFT_F64 == int(shardfft::f64));
static_assert(SHARDFFT_BACKWARD == int(shardfft::Direction::backward));
static_assert(SHARDFFT_BY_SQRT_N == int(Scaling::by_sqrt_n) && SHARDFFT_BY_N == int(Scaling::by_n) &&
              SHARDFFT_ORTHONORMAL == int(Scaling::orthonormal));
static_assert(SHARDFFT_DEVICE_FAILED == int(Status::device_failed));

int shardfft_problem_create(int dims, const int64_t* shape, int kind, int precision, shardfft_problem* out) {
  return make_handle(out, [&] {
    return shardfft_problem_s{
        {.shape = coord_of(shape, dims, "`shape`"),
         .kind = choice(kind, shardfft::r2r, "the kind", Status::invalid_problem),
         .precision = choice(precision, shardfft::f64, "the precision", Status::invalid_problem)}};
  });
}

int shardfft_problem_axes(shardfft_problem p, int count, const int* axes) {
  return attempt([&] {
    const auto list = list_of(axes, axes_at_most(count, "`axes`"), "`axes`");
    there(p).axes.assign(list.begin(), list.end());
  });
}

int shardfft_problem_kinds(shardfft_problem p, int count, const int* kinds) {
  return attempt([&] {
    std::vector<shardfft::AxisKind> all;
    for (const int kind : list_of(kinds, axes_at_most(count, "`kinds`"), "`kinds`"))
      all.push_back(choice(kind, shardfft::AxisKind::hartley, "the kind of an axis", Status::invalid_problem));
    there(p).kinds = std::move(all);
  });
}

int shardfft_problem_scaling(shardfft_problem p, int forward, int backward) {
  return attempt([&] {
    shardfft::Problem& problem = there(p);
    const Scaling first = choice(forward, Scaling::orthonormal, "the forward scaling", Status::invalid_problem);
    problem.backward = choice(backward, Scaling::orthonormal, "the backward scaling", Status::invalid_problem);
    problem.forward = first;
  });
}

int shardfft_problem_element(shardfft_problem p, size_t bytes) {
  return attempt([&] {
    if (bytes > 16)  // the plan knows the rest of the rule
      throw shardfft::Error(Status::invalid_problem,
                            "an element has 1, 2, 4, 8 or 16 bytes; got " + std::to_string(bytes));
    there(p).element_bytes = static_cast<int>(bytes);
  });
}

int shardfft_problem_modes(shardfft_problem p, const int64_t* modes) {
  return attempt([&] { there(p).modes = coord_of(modes, there(p).shape.dims(), "`modes`"); });
}

int shardfft_problem_support(shardfft_problem p, const int64_t* support) {
  return attempt([&] { there(p).support = coord_of(support, there(p).shape.dims(), "`support`"); });
}

void shardfft_problem_destroy(shardfft_problem p) { delete p; }
