// Layouts as they are asked for.
#include "handles.hpp"

using namespace shardfft::c;
using shardfft::Box;

shardfft::LayoutSpec shardfft_spec_s::on(int ranks) const {
  if (spec.kind != shardfft::LayoutSpec::Kind::boxes) return spec;
  shardfft::LayoutSpec all = spec;
  all.boxes.resize(static_cast<std::size_t>(ranks));
  for (const auto& [rank, box] : boxes) {
    if (rank >= ranks)
      throw shardfft::Error(shardfft::Status::invalid_layout, "the boxes belong to ranks from 0 to " +
                                                                  std::to_string(ranks - 1) + "; got one of rank " +
                                                                  std::to_string(rank) + ", " + to_string(box));
    all.boxes[static_cast<std::size_t>(rank)].push_back(box);
  }
  return all;
}

int shardfft_spec_words(const char* words, int dims, shardfft_spec* out) {
  return make_handle(out,
                     [&] { return shardfft_spec_s{.spec = shardfft::parse_layout(&there(words, "`words`"), dims)}; });
}

int shardfft_spec_grid(int dims, const int64_t* processes, shardfft_spec* out) {
  return make_handle(
      out, [&] { return shardfft_spec_s{.spec = shardfft::process_grid(coord_of(processes, dims, "`processes`"))}; });
}

int shardfft_spec_boxes(int dims, int boxes, const int* rank, const int64_t* lo, const int64_t* hi,
                        shardfft_spec* out) {
  return make_handle(out, [&] {
    shardfft_spec_s made{.spec = shardfft::custom({})};
    axes_at_most(dims, "axes of a box");
    const auto owners = list_of(rank, boxes, "`rank`");
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] < 0) refuse("ranks count from 0; got a box of rank " + std::to_string(owners[i]));
      const std::size_t at = i * static_cast<std::size_t>(dims);
      made.boxes.emplace_back(owners[i], Box{coord_of(&there(lo, "`lo`") + at, dims, "`lo`"),
                                             coord_of(&there(hi, "`hi`") + at, dims, "`hi`")});
    }
    return made;
  });
}

int shardfft_spec_order(shardfft_spec s, int dims, const int* slowest_first) {
  return attempt([&] {
    const auto order = list_of(slowest_first, axes_at_most(dims, "`slowest_first`"), "`slowest_first`");
    there(s).spec.order.assign(order.begin(), order.end());
  });
}

void shardfft_spec_destroy(shardfft_spec s) { delete s; }
