// Points in the work of a SYCL queue.
#pragma once

#include <optional>

#include <sycl/sycl.hpp>

#include "device/device.hpp"

namespace shardfft::on_sycl {

class SyclEvent final : public Event {
 public:
  explicit SyclEvent(bool timed) : timed_(timed) {}

  [[nodiscard]] bool done() const override;
  void synchronize() const override;
  [[nodiscard]] double seconds_since(const Event& earlier) const override;
  [[nodiscard]] SharedName share() const override;

  [[nodiscard]] bool timed() const { return timed_; }
  [[nodiscard]] const std::optional<sycl::event>& last() const { return last_; }
  void recorded(sycl::event event) { last_ = std::move(event); }

 private:
  [[nodiscard]] std::uint64_t nanoseconds() const;
  bool timed_;
  std::optional<sycl::event> last_{};  ///< nothing before the first record
};

}  // namespace shardfft::on_sycl
