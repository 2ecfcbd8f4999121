// What a device does, as far as the model needs it. Decided by rank 0, the same on all ranks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "planner/model/machine.hpp"

namespace shardfft {

/// There are no defaults: a device that was not measured has no model. Rates within the device count bytes read plus
/// bytes written, those between two memories the bytes that arrive. Plain bytes: it is broadcast.
struct DeviceMachine {
  bool measured = false;
  int devices = 1;               ///< that the ranks of the first node share out
  Index cache_bytes = 0;         ///< of its last-level cache
  double rows_bytes_per_s = 0;   ///< boxes moved row by row
  double tiles_bytes_per_s = 0;  ///< boxes moved transposed, through shared memory
  Rates f64{}, f32{};            ///< of the library along one axis, batched: bytes, where engines count operations
  double to_device_bytes_per_s = 0, from_device_bytes_per_s = 0;  ///< pinned memory of the host, one direction alone
  double both_bytes_per_s = 0;                                    ///< what comes and what leaves together, at once
  double peer_copy_bytes_per_s =
      0;  ///< to another device by copies, while as many bytes come back; 0: none is in reach
  double peer_kernel_bytes_per_s = 0;  ///< likewise, stored by the kernel that moves boxes
  double launch_s = 0;                 ///< of one kernel among others that do little

  [[nodiscard]] const Rates& rates(Scalar scalar) const { return scalar == Scalar::f32 ? f32 : f64; }
  [[nodiscard]] bool has_peers() const { return peer_copy_bytes_per_s > 0 && peer_kernel_bytes_per_s > 0; }
};

/// Collective. What was measured of this kind of device before (machine_file()), as rank 0 knows it. `name`:
/// Options::device.
[[nodiscard]] DeviceMachine known_device(const Comm& comm, const Device& device, const std::string& name);

/// The one list of what is kept: visit(name, number), for writing and for reading.
template <class M, class Visit>
void for_each_device_number(M& m, Visit visit) {
  visit("rows_bytes_per_s", m.rows_bytes_per_s);
  visit("tiles_bytes_per_s", m.tiles_bytes_per_s);
  const auto rates = [&](const std::string& scalar, auto& r) {
    for (std::size_t i = 0; i < Rates::lengths.size(); ++i)
      visit(scalar + "_length_" + std::to_string(Rates::lengths[i]) + "_bytes_per_s", r.of_power[i]);
    visit(scalar + "_share_of_mixed_lengths", r.of_mixed);
    visit(scalar + "_share_of_prime_lengths", r.of_prime);
  };
  rates("f64", m.f64);
  rates("f32", m.f32);
  visit("to_device_bytes_per_s", m.to_device_bytes_per_s);
  visit("from_device_bytes_per_s", m.from_device_bytes_per_s);
  visit("both_bytes_per_s", m.both_bytes_per_s);
  visit("peer_copy_bytes_per_s", m.peer_copy_bytes_per_s);
  visit("peer_kernel_bytes_per_s", m.peer_kernel_bytes_per_s);
  visit("launch_s", m.launch_s);
}

/// Which two numbers contradict each other, with both, as contradiction_in() of the host has it. Empty where none do.
[[nodiscard]] std::string contradiction_in(const DeviceMachine& machine);

/// "3100 GB/s in rows, 2700 transposed, ...": one line, for people.
[[nodiscard]] std::string to_string(const DeviceMachine& machine);

}  // namespace shardfft
