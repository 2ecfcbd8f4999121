// Transforms of reals to half their spectrum, and back.
#pragma once

#include "heffte_fft3d.h"

namespace heffte {

/// The outboxes fill world.r2c(r2c_direction): the axis of that number has n/2 + 1 elements there.
template <typename backend_tag, typename index = int>
class fft3d_r2c : public detail::any_transform<backend_tag, index, true> {
  using base = detail::any_transform<backend_tag, index, true>;
  static_assert(backend::uses_fft_types<backend_tag>::value,
                "cosines and sines have no half spectrum; take rtransform");

 public:
  using typename base::stream_type;

  /// Collective over `comm`. Throws std::invalid_argument on every rank for boxes that do not fill a world.
  fft3d_r2c(const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction, MPI_Comm comm,
            const plan_options& options = default_options<backend_tag>())
      : fft3d_r2c(stream_type{}, inbox, outbox, r2c_direction, comm, options) {}
  fft3d_r2c(stream_type stream, const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction, MPI_Comm comm,
            const plan_options& = default_options<backend_tag>())
      : base(stream, mpi::gather_boxes(inbox, outbox, comm), r2c_direction, comm) {}
};

template <typename backend_tag, typename index = int>
using fft2d_r2c = fft3d_r2c<backend_tag, index>;

template <typename backend_tag, typename index>
fft3d_r2c<backend_tag, index> make_fft3d_r2c(const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction,
                                             MPI_Comm comm,
                                             const plan_options& options = default_options<backend_tag>()) {
  return fft3d_r2c<backend_tag, index>(inbox, outbox, r2c_direction, comm, options);
}

}  // namespace heffte
