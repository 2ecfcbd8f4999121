#include "device/sycl/errors.hpp"

#include <fmt/format.h>

#include <sycl/sycl.hpp>

namespace shardfft::on_sycl {
namespace {

Status status_of(const std::exception& exception) {
  const auto* of_sycl = dynamic_cast<const sycl::exception*>(&exception);
  if (!of_sycl) return Status::device_failed;
  if (of_sycl->code() == sycl::errc::memory_allocation) return Status::out_of_memory;
  return of_sycl->code() == sycl::errc::feature_not_supported ? Status::unsupported : Status::device_failed;
}

}  // namespace

void rethrow(const char* what, const std::exception& exception) {
  throw Error(status_of(exception), fmt::format("{} on device sycl failed: {}", what, exception.what()));
}

void throw_other_driver() {
  throw Error(Status::invalid_argument,
              "queues, events and tables of sycl work with each other; got one of another kind of device");
}

}  // namespace shardfft::on_sycl
