// Transforms of complex arrays, and of reals by cosines and sines.
#pragma once

#include "detail/any_transform.hpp"
#include "heffte_executor.h"

namespace heffte {

/// forward: inbox to outbox; backward: back. Unscaled unless a call says otherwise. Reals may stand for complex numbers
/// on the side of the inbox, with the whole spectrum as result; fft3d_r2c computes half of it, in half the time.
/// Backends of cosines and sines (rtransform) go from reals to reals.
template <typename backend_tag, typename index = int>
class fft3d : public detail::any_transform<backend_tag, index, false> {
  using base = detail::any_transform<backend_tag, index, false>;

 public:
  using typename base::stream_type;

  /// Collective over `comm`. Throws std::invalid_argument on every rank for boxes that do not fill a world.
  fft3d(const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm,
        const plan_options& options = default_options<backend_tag>())
      : fft3d(stream_type{}, inbox, outbox, comm, options) {}
  fft3d(stream_type stream, const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm,
        const plan_options& = default_options<backend_tag>())
      : base(stream, mpi::gather_boxes(inbox, outbox, comm), -1, comm) {}

  /// The real parts alone.
  template <typename scalar_type>
  auto backward_real(const typename base::template buffer_container<scalar_type>& input,
                     scale scaling = scale::none) const {
    return this->template backward_to<detail::real_of<scalar_type>>(input, scaling);
  }
};

template <typename backend_tag, typename index = int>
using fft2d = fft3d<backend_tag, index>;
template <typename backend_tag, typename index = int>
using rtransform = fft3d<backend_tag, index>;

template <typename backend_tag, typename index>
fft3d<backend_tag, index> make_fft3d(const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm,
                                     const plan_options& options = default_options<backend_tag>()) {
  return fft3d<backend_tag, index>(inbox, outbox, comm, options);
}

}  // namespace heffte
