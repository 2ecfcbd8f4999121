// What the peers share that transform whole arrays on one GPU.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "peers/common/dense.hpp"

namespace shardfft::peers {

inline About about_one_gpu(const std::string& library, const std::string& version, const std::string& why_not) {
  return {.library = library,
          .version = version,
          .batch = true,
          .layouts = every_layout,
          .dims = {1, 2, 3},
          .available = why_not.empty(),
          .reason = why_not};
}

/// Plan: a Transform that is made of a Task. `why_not`: why no device can be used here; empty where one can.
template <class Plan>
class OneGpuLibrary : public Library {
 public:
  OneGpuLibrary(std::string name, std::string (*version)(), std::string (*why_not)())
      : name_(std::move(name)), version_(version), why_not_(why_not) {}

  About about() const override { return about_one_gpu(name_, version_(), why_not_()); }
  std::unique_ptr<Transform> plan(const Comm&, const Task& task) override {
    if (task.shape.dims() > 3) throw Unsupported("transforms at most 3 axes");
    return std::make_unique<Plan>(task);
  }

 private:
  std::string name_;
  std::string (*version_)();
  std::string (*why_not_)();
};

}  // namespace shardfft::peers
