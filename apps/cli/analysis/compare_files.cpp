// shardfft compare-files A B
#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/arrays.hpp"
#include "commands.hpp"
#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/answers/difference.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/team.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

struct CompareWords {
  std::string a, b, json;
  std::optional<double> tolerance{};
  bool quiet = false;
};

struct Compared {
  Difference difference{};
  std::uint64_t hash_a = 0, hash_b = 0;
  [[nodiscard]] bool equal() const { return hash_a == hash_b; }
};

/// A part of a file in memory.
class FilePiece {
 public:
  FilePiece(const files::File& input, const Box& box, const Numbers& type, Progress& progress) : type_(type) {
    const int element = type.bytes();
    memory_.resize(static_cast<std::size_t>(box.count() * element));
    files::FilePart part(input.info().shape, input.info().order, {box}, type.precision, type.complex, 1);
    input.read(part, memory_.data(), &progress);
    local_ = {.box = box, .data = memory_.data(), .strides = Coord::filled(box.dims(), 0)};
    Index stride = element;
    const std::vector<int> order = input.info().order;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      local_.strides[*axis] = stride;
      stride *= box.extent(*axis);
    }
  }
  [[nodiscard]] const LocalBox& local() const { return local_; }
  [[nodiscard]] std::uint64_t hash(const Shape& global) const {
    return shardfft::hash(
        shardfft::local(),
        {.boxes = {local_}, .global = global, .complex = type_.complex, .precision = type_.precision, .threads = 1});
  }

 private:
  Numbers type_;
  std::vector<std::byte> memory_{};
  LocalBox local_{};
};

void add_piece(Differences& sums, const LocalBox& a, const LocalBox& b, const Numbers& type) {
  if (type.complex)
    type.precision == f32 ? sums.add<std::complex<float>>(a, b) : sums.add<std::complex<double>>(a, b);
  else
    type.precision == f32 ? sums.add<float>(a, b) : sums.add<double>(a, b);
}

/// Parts of a box of at most so many elements, cut along the axis that is slowest in the file.
std::vector<Box> pieces_of(const Box& box, const std::vector<int>& order, Index most) {
  std::vector<Box> pieces{box};
  for (const int axis : order) {
    std::vector<Box> finer;
    for (const Box& piece : pieces) {
      const Index extent = piece.extent(axis),
                  planes = std::max<Index>(most / std::max<Index>(piece.count() / extent, 1), 1);
      for (Index lo = piece.lo[axis]; lo < piece.hi[axis]; lo += planes) {
        Box& part = finer.emplace_back(piece);
        part.lo[axis] = lo, part.hi[axis] = std::min(lo + planes, piece.hi[axis]);
      }
    }
    pieces = std::move(finer);
  }
  return pieces;
}

/// Collective.
Compared compared(const Comm& comm, const files::File& a, const files::File& b, int threads, Progress& progress) {
  const Shape shape = a.info().shape;
  const Numbers type = common_numbers({&a, &b});
  Compared found;
  Differences all(shape);
  collectively(comm, [&] {
    if (is_empty(shape)) return;
    constexpr Index most = 1 << 20;
    std::vector<Box> pieces;
    for (const Box& box : Layout(usual_file_layout(shape, a.info().order), shape, comm.size()).boxes(comm.rank()))
      for (const Box& piece : pieces_of(box, a.info().order, most)) pieces.push_back(piece);
    std::vector<Differences> sums(static_cast<std::size_t>(threads), Differences(shape));
    std::vector<std::uint64_t> hashes_a(sums.size(), 0), hashes_b(sums.size(), 0);
    progress.stage("comparing");
    on_team(threads, [&](TeamMember me) {
      const auto t = static_cast<std::size_t>(me.thread);
      for (Index i = me.begin(std::ssize(pieces)), end = me.end(std::ssize(pieces)); i < end; ++i) {
        const FilePiece one(a, pieces[static_cast<std::size_t>(i)], type, progress),
            other(b, pieces[static_cast<std::size_t>(i)], type, progress);
        add_piece(sums[t], one.local(), other.local(), type);
        hashes_a[t] += one.hash(shape), hashes_b[t] += other.hash(shape);
      }
    });
    for (std::size_t t = 0; t < sums.size(); ++t)
      all.add(sums[t]), found.hash_a += hashes_a[t], found.hash_b += hashes_b[t];
    a.check_unchanged();
    b.check_unchanged();
  });
  found.difference = all.over_ranks(comm);
  const auto sum_of = [&](std::uint64_t mine) {
    std::uint64_t sum = 0;
    for (const std::int64_t one : all_values(comm, static_cast<std::int64_t>(mine)))
      sum += static_cast<std::uint64_t>(one);
    return sum;
  };
  found.hash_a = sum_of(found.hash_a), found.hash_b = sum_of(found.hash_b);
  return found;
}

std::vector<Index> numbers_of(const Coord& at) { return {at.begin(), at.end()}; }

std::string compared_text(const CompareWords& words, const files::File& a, const files::File& b,
                          const Compared& found) {
  std::string text;
  for (const auto& [name, input, hash] : {std::tuple{&words.a, &a, found.hash_a}, {&words.b, &b, found.hash_b}})
    text += fmt::format("{}: {} {}, hash {}\n", printable(*name), to_string(input->info().shape),
                        to_string(input->info().type), hash_text(hash));
  if (found.equal()) return text + "every bit is equal\n";
  text += fmt::format("largest difference {:.6g}", found.difference.max);
  if (found.difference.max > 0) text += fmt::format(" at [{}]", fmt::join(numbers_of(found.difference.where), ", "));
  return text +
         fmt::format(", root mean square {:.6g}, relative {:.3g}\n", found.difference.rms, found.difference.relative);
}

int compare_files(const Comm& comm, const CompareWords& words) {
  check_side_files(comm, {{"--json", words.json}}, {{"A", files::file_of(words.a)}, {"B", files::file_of(words.b)}});
  if (words.tolerance && !(*words.tolerance >= 0))
    throw Error(Status::invalid_argument,
                fmt::format("--tolerance is a relative error, 0 or more; got {}", *words.tolerance));
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const files::File a = files::File::open(comm, words.a), b = files::File::open(comm, words.b);
  if (a.info().shape != b.info().shape)
    throw Error(Status::invalid_argument, fmt::format("arrays that are compared have one shape; got {} and {}; cut one",
                                                      to_string(a.info().shape), to_string(b.info().shape)));
  if (a.info().shape.dims() == 0)
    throw Error(Status::invalid_argument,
                "arrays that are compared have one axis or more; got single numbers; store them with reshape(1)");
  const bool by_hdf5 = files::names_hdf5(words.a) || files::names_hdf5(words.b);  // which one thread at a time may call
  const Compared found = compared(comm, a, b, by_hdf5 ? 1 : helper_threads(comm, 0), *progress);
  progress.reset();
  if (comm.rank() == 0 && !words.quiet && words.json != "-") fmt::print("{}", compared_text(words, a, b, found));
  write_json(comm, words.json,
             {{"command", "compare-files"},
              {"version", SHARDFFT_VERSION},
              {"a", words.a},
              {"b", words.b},
              {"shape", numbers_of(a.info().shape)},
              {"dtypes", {to_string(a.info().type), to_string(b.info().type)}},
              {"equal", found.equal()},
              {"hashes", {hash_text(found.hash_a), hash_text(found.hash_b)}},
              {"max", found.difference.max},
              {"where", numbers_of(found.difference.where)},
              {"rms", found.difference.rms},
              {"relative", found.difference.relative}});
  const bool fails = words.tolerance ? !(found.difference.relative <= *words.tolerance) : false;
  if (fails && comm.rank() == 0)
    fmt::print(stderr, "shardfft: --tolerance allows a relative difference of at most {:.3g}; got {:.3g}\n",
               *words.tolerance, found.difference.relative);
  return fails ? 1 : 0;
}

constexpr const char* compare_examples =
    R"(Types may differ: both are read as numbers that hold either. The hashes are those that transform prints.

Examples:
  shardfft compare-files a.npy b.npy
  shardfft compare-files a.npy b.h5:/data --tolerance 1e-12)";

}  // namespace

void add_compare_files(const Command& program, Action& chosen) {
  const auto words = std::make_shared<CompareWords>();
  const Command command = program.add_command("compare-files", "how far the arrays of two files are apart");
  command.footer(compare_examples);
  command.add_option("A", words->a, ".npy file, any number type; or file.h5[:/dataset]").required();
  command.add_option("B", words->b, "the other one, of the same shape").required();
  command.add_option("--tolerance", words->tolerance,
                     "ends with status 1 if the L2 norm of B - A is more than this times that of A");
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(command, words->json);
  command.callback([words, &chosen] { chosen = [words](const Comm& comm) { return compare_files(comm, *words); }; });
}

}  // namespace shardfft::cli
