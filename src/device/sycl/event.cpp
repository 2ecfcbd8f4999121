#include "device/sycl/event.hpp"

#include "device/sycl/errors.hpp"

namespace shardfft::on_sycl {

bool SyclEvent::done() const {
  if (!last_) return true;
  return checked("asking for an event", [&] {
    return last_->get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete;
  });
}

void SyclEvent::synchronize() const {
  if (!last_) return;
  checked("waiting for an event", [&] {
    sycl::event event = *last_;
    event.wait_and_throw();
  });
}

std::uint64_t SyclEvent::nanoseconds() const {
  if (!timed_ || !last_)
    throw Error(Status::device_failed,
                "times are those of recorded events that make_timed_event() made; got another event");
  return checked("time of an event",
                 [&] { return last_->get_profiling_info<sycl::info::event_profiling::command_end>(); });
}

double SyclEvent::seconds_since(const Event& earlier) const {
  return 1e-9 *
         (static_cast<double>(nanoseconds()) - static_cast<double>(of_this_driver<SyclEvent>(earlier).nanoseconds()));
}

SharedName SyclEvent::share() const {
  throw Error(Status::unsupported,
              "events of sycl have no names for other processes; use a transport through the host");
}

}  // namespace shardfft::on_sycl
