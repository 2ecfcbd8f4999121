#include "common/modes_run.hpp"

#include <algorithm>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::solvers {
namespace {

std::optional<Plan> plan_that_applies(const Comm& comm, const Problem& problem, Options options) {
  options.apply = Apply::to_outputs;
  options.output = {};
  try {
    return Plan(comm, problem, options);
  } catch (const Error& e) {  // the same on every rank
    const bool on_device = !options.device.empty() && options.arrays != "host";
    if (e.status() != Status::unsupported || on_device) throw;
    return std::nullopt;
  }
}

/// Calls `f` as Plan::apply does, on all rows of a box whose axes lie in this order.
void apply_to_box(const Box& box, const std::vector<int>& order, const Modes& like, int threads, const Operator& f) {
  const Index element = (like.precision == f32 ? 4 : 8) * (like.complex ? 2 : 1);
  const Index length = box.extent(like.axis), rows = box.count() / length;
  for_each_shared(threads, rows, [&](Index row) {
    Modes m = like;
    m.first = box.lo;
    m.count = length;
    Index left = row;
    for (std::size_t place = order.size() - 1; place > 0; --place) {
      const int a = order[place - 1];
      m.first[a] += left % box.extent(a);
      left /= box.extent(a);
    }
    m.data += row * length * element;
    f.run(f.self.get(), m);
  });
}

}  // namespace

ModesRun::ModesRun(const Comm& comm, const Problem& problem, const Options& options, bool store) : options_(options) {
  if (!store) plan_ = plan_that_applies(comm, problem, options);
  stores_ = !plan_;
  if (stores_) {
    Options apart = options;
    apart.in_place = false;  // modes have memory of their own
    plan_.emplace(comm, problem, apart);
    if (plan_->space() != Space::host)
      throw Error(Status::unsupported,
                  "a solver works on modes where they are stored on the host; got arrays on a device; leave the option "
                  "device out, SHARDFFT_DEVICE, too");
    collectively(comm, [&] { modes_ = plan_->make_output(); });
  }
  threads_ = options.threads > 0 ? options.threads : usual_threads(comm);
}

ModesRun::Cost ModesRun::run(View f, View u, const Operator& on_modes) {
  if (stores_)
    return run(f, u, [&](std::byte* modes) {
      const Problem& problem = plan_->problem();
      const Layout& all = plan_->output();
      Modes like{.axis = all.order().back(), .precision = problem.precision, .complex = is_complex(), .data = modes};
      for (const Box& box : all.boxes(plan_->comm().rank())) {
        apply_to_box(box, all.order(), like, threads_, on_modes);
        like.data += box.count() * (problem.precision == f32 ? 4 : 8) * (like.complex ? 2 : 1);
      }
    });
  if (options_.in_place && f.data != u.data && plan_->input_bytes() > 0) {
    plan_->copy({f.data, plan_->input_bytes()}, u);
    f = u;
  }
  plan_->apply(f, u, on_modes);
  Cost cost;
  cost.add(plan_->loss());
  return cost;
}

ModesRun::Cost ModesRun::run(View f, View u, const std::function<void(std::byte*)>& on_modes) {
  Cost cost = forward(f, modes_);
  on_modes(modes_.data());
  plan_->backward(modes_, u);
  cost.add(plan_->loss());
  return cost;
}

ModesRun::Cost ModesRun::forward(View f, View modes) {
  plan_->forward(f, modes);
  Cost cost;
  cost.add(plan_->loss());
  return cost;
}

}  // namespace shardfft::solvers
