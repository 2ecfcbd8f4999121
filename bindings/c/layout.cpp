// Who owns what.
#include "handles.hpp"
#include "shardfft/text.hpp"

using namespace shardfft::c;
using shardfft::Box;
using shardfft::Layout;

namespace {

constexpr const char* name = "a shardfft_layout";

const std::vector<Box>& boxes_of(shardfft_layout_s& l, int rank) {
  if (l.listed != rank) {
    l.boxes = l.layout.boxes(rank);
    l.listed = rank;
  }
  return l.boxes;
}

/// Nothing of NULL.
template <class List, class T>
void copy_list(shardfft_layout l, T* values, const List& list) {
  look(l, name, 0, [&](const shardfft_layout_s& h) {
    const auto& all = list(h.layout);
    there(values, "the list that is asked for");
    std::copy(all.begin(), all.end(), values);
    return 0;
  });
}

}  // namespace

int shardfft_layout_create(shardfft_spec s, int dims, const int64_t* shape, int ranks, shardfft_layout* out) {
  return make_handle(out, [&] {
    if (ranks < 1) refuse("a layout is of 1 rank or more; got " + std::to_string(ranks));
    if (ranks > 1 << 24) refuse("a layout is of at most 2^24 ranks; got " + std::to_string(ranks));
    return shardfft_layout_s{.layout = Layout(there(s).on(ranks), coord_of(shape, dims, "`shape`"), ranks)};
  });
}

int shardfft_layout_dims(shardfft_layout l) {
  return look(l, name, 0, [](const shardfft_layout_s& h) { return h.layout.global().dims(); });
}
int shardfft_layout_ranks(shardfft_layout l) {
  return look(l, name, 0, [](const shardfft_layout_s& h) { return h.layout.ranks(); });
}
void shardfft_layout_shape(shardfft_layout l, int64_t* shape) {
  copy_list(l, shape, [](const Layout& layout) -> const auto& { return layout.global(); });
}
void shardfft_layout_order(shardfft_layout l, int* slowest_first) {
  copy_list(l, slowest_first, [](const Layout& layout) -> const auto& { return layout.order(); });
}
void shardfft_layout_grid(shardfft_layout l, int64_t* processes) {
  copy_list(l, processes, [](const Layout& layout) -> const auto& { return layout.grid(); });
}

int shardfft_layout_boxes(shardfft_layout l, int rank, int* count) {
  return attempt([&] { there(count, "`count`") = static_cast<int>(boxes_of(there(l), rank).size()); });
}

int shardfft_layout_box(shardfft_layout l, int rank, int i, int64_t* lo, int64_t* hi) {
  return attempt([&] {
    const std::vector<Box>& boxes = boxes_of(there(l), rank);
    if (i < 0 || i >= static_cast<int>(boxes.size()))
      refuse("rank " + std::to_string(rank) + " owns " +
             shardfft::counted(static_cast<shardfft::Index>(boxes.size()), "box") + ", counted from 0; got box " +
             std::to_string(i));
    there(lo, "`lo`"), there(hi, "`hi`");
    write_coord(boxes[static_cast<std::size_t>(i)].lo, lo);
    write_coord(boxes[static_cast<std::size_t>(i)].hi, hi);
  });
}

int shardfft_layout_count(shardfft_layout l, int rank, int64_t* elements) {
  return attempt([&] {
    const shardfft::Index count = there(l).layout.count(rank);
    there(elements, "`elements`") = count;
  });
}

int shardfft_layout_owners(shardfft_layout l, const int64_t* lo, const int64_t* hi, int room, int* rank,
                           int64_t* part_lo, int64_t* part_hi, int* count) {
  return attempt([&] {
    const Layout& layout = there(l).layout;
    const int dims = layout.global().dims();
    const auto parts = layout.owners({coord_of(lo, dims, "`lo`"), coord_of(hi, dims, "`hi`")});
    there(count, "`count`");
    const auto ranks = list_of(rank, room, "`rank`");
    if (room > 0) there(part_lo, "`part_lo`"), there(part_hi, "`part_hi`");
    for (std::size_t i = 0; i < std::min(ranks.size(), parts.size()); ++i) {
      ranks[i] = parts[i].first;
      write_coord(parts[i].second.lo, part_lo + i * static_cast<std::size_t>(dims));
      write_coord(parts[i].second.hi, part_hi + i * static_cast<std::size_t>(dims));
    }
    *count = static_cast<int>(parts.size());
  });
}

int shardfft_layout_describe(shardfft_layout l, char** text) {
  return give_text(text, [&] { return there(l).layout.describe(); });
}

void shardfft_layout_destroy(shardfft_layout l) {
  if (l && !l->lent) delete l;
}
