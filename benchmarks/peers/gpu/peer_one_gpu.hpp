// What the peers share that transform whole arrays on one GPU.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "peer_cuda.hpp"
#include "peers/common/dense.hpp"

namespace shardfft::peers {

inline About about_one_gpu(const std::string& library, const std::string& version) {
  const std::string reason = why_not_on_gpus(1);
  return {.library = library,
          .version = version,
          .batch = true,
          .layouts = every_layout,
          .dims = {1, 2, 3},
          .available = reason.empty(),
          .reason = reason};
}

/// Plan: a Transform that is made of a Task.
template <class Plan>
class OneGpuLibrary final : public Library {
 public:
  OneGpuLibrary(std::string name, std::string (*version)()) : name_(std::move(name)), version_(version) {}

  About about() const override { return about_one_gpu(name_, version_()); }
  std::unique_ptr<Transform> plan(const Comm&, const Task& task) override {
    if (task.shape.dims() > 3) throw Unsupported("transforms at most 3 axes");
    return std::make_unique<Plan>(task);
  }

 private:
  std::string name_;
  std::string (*version_)();
};

}  // namespace shardfft::peers
