// Reading and writing the header of a .npy file: a Python dict literal with three known keys, read without evaluating
// anything.
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "files/npy.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::files {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

std::string_view what_it_looks_like(std::string_view first) {
  if (first.empty()) return "it is empty";
  if (first.starts_with("PK")) return "it looks like a .npz archive; unpack it and pass one of its .npy members";
  if (first.starts_with("\x89HDF") || first.starts_with("MATLAB 7.3"))
    return "it is HDF5 (as .nc of netCDF-4 and .mat of MATLAB 7.3 are); name a dataset of it, as FILE:/name, which "
           "h5ls "
           "-r FILE lists";
  if (first.starts_with("MATLAB 5.0") || first.starts_with("MATLAB 4"))
    return "it is a file of MATLAB 4 to 7; store it with save -v7.3 and name a dataset as FILE:/name, or with "
           "numpy.save";
  if (first.starts_with("CDF"))
    return "it is netCDF of a classic format; convert it with nccopy -k nc4, and name a dataset of it as FILE:/name";
  if (first.starts_with("\x1f\x8b")) return "it looks like gzip; unpack it first";
  return "it starts with other bytes; write it with numpy.save";
}

unsigned byte_at(std::string_view s, std::size_t i) { return static_cast<unsigned char>(s[i]); }

/// A reader of the subset of Python literals that NumPy writes.
class Literal {
 public:
  Literal(std::string_view text, bool of_python_2, const std::string& path)
      : text_(text), of_python_2_(of_python_2), path_(path) {}
  [[nodiscard]] const std::string& path() const { return path_; }

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(
        Status::io_failed,
        fmt::format("'{}': malformed .npy header: expected {} at byte {} of {:?}; write the file again with numpy.save",
                    path_, expected, at_, shown()));
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(fmt::format("'{}'", c));
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  std::string_view quoted() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("a quoted word");
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("a closing quote");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    if (word("True")) return true;
    if (word("False")) return false;
    fail("True or False");
  }
  Index number() {
    skip();
    Index value = 0;
    const bool leads = text_.substr(at_).starts_with('0') && at_ + 1 < text_.size();
    if (leads && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9') fail("an extent without leading zeros");
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (status != std::errc() || value < 0) fail("an extent of 0 or more, below 2^63");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (of_python_2_ && at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }
  std::vector<Index> tuple() {
    std::vector<Index> values;
    need('(');
    while (!take(')')) {
      values.push_back(number());
      if (take(',')) continue;
      if (values.size() == 1) fail("',', as in (4,)");  // without it, Python sees a number
      need(')');
      break;
    }
    return values;
  }
  [[nodiscard]] bool next_is(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool word(std::string_view w) {
    skip();
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }
  [[nodiscard]] std::string shown() const {
    std::string s;
    for (const char c : text_.substr(0, 100)) s += c >= ' ' && c < 127 ? c : '.';
    return s;
  }

  std::string_view text_;
  bool of_python_2_;  ///< may be: numbers end with L
  const std::string& path_;
  std::size_t at_ = 0;
};

struct Fields {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<Index>> shape;
};

void read_field(Literal& in, Fields& fields) {
  const std::string_view key = in.quoted();
  in.need(':');
  if (key == "descr") {
    if (in.next_is('['))
      throw Error(Status::unsupported, fmt::format("'{}': elements must be plain numbers; got a record dtype; pass one "
                                                   "field, for example numpy.save(file, a['re'])",
                                                   in.path()));
    fields.descr = in.quoted();
  } else if (key == "fortran_order") {
    fields.fortran_order = in.boolean();
  } else if (key == "shape") {
    fields.shape = in.tuple();
  } else {
    in.fail("one of the keys 'descr', 'fortran_order', 'shape'");
  }
}

Fields read_fields(Literal in) {
  Fields fields;
  in.need('{');
  while (!in.take('}')) {
    read_field(in, fields);
    if (!in.take(',')) {
      in.need('}');
      break;
    }
  }
  if (!in.at_end()) in.fail("the end of the header");
  if (!fields.descr || !fields.fortran_order || !fields.shape)
    in.fail("all of the keys 'descr', 'fortran_order', 'shape'");
  return fields;
}

std::size_t prologue_of(std::string_view text) { return byte_at(text, 6) == 1 ? 10 : 12; }

}  // namespace

std::size_t npy_header_bytes(std::string_view first, const std::string& path) {
  if (!first.starts_with(magic)) {
    throw Error(Status::io_failed, fmt::format("'{}' must be a NumPy .npy file, which starts with \\x93NUMPY; {}", path,
                                               what_it_looks_like(first)));
  }
  if (first.size() < npy_prologue_bytes)
    throw Error(Status::io_failed, fmt::format("'{}' is cut off inside its .npy header; copy or write it again", path));
  const unsigned major = byte_at(first, 6), minor = byte_at(first, 7);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(Status::unsupported,
                fmt::format("'{}': .npy versions 1.0, 2.0 and 3.0 are known; got {}.{}; write it with numpy.save", path,
                            major, minor));
  }
  std::size_t length = byte_at(first, 8) | byte_at(first, 9) << 8;
  if (major > 1) length |= std::size_t{byte_at(first, 10)} << 16 | std::size_t{byte_at(first, 11)} << 24;
  if (length > npy_header_limit) {
    throw Error(Status::io_failed,
                fmt::format("'{}': a .npy header has at most {} bytes here; got {}; the file is damaged", path,
                            npy_header_limit, length));
  }
  return prologue_of(first) + length;
}

NpyHeader parse_npy_header(std::string_view text, const std::string& path) {
  const Fields fields = read_fields(Literal(text.substr(prologue_of(text)), byte_at(text, 6) < 3, path));
  const std::vector<Index>& extents = *fields.shape;
  if (extents.size() > std::size_t{max_dims}) {
    throw Error(Status::unsupported,
                fmt::format("'{}': arrays have at most {} dimensions; got {}; merge some with numpy.reshape", path,
                            max_dims, extents.size()));
  }
  NpyHeader header{about_file(path, [&] { return parse_dtype(*fields.descr); }), *fields.fortran_order,
                   Shape(std::span<const Index>(extents)), static_cast<Index>(text.size())};
  if (product(header.shape) > INT64_MAX / header.dtype.size - header.data_offset) {
    throw Error(Status::io_failed,
                fmt::format("'{}': the array must have fewer than 2^63 bytes; got shape {}; the header is damaged",
                            path, to_string(header.shape)));
  }
  return header;
}

std::string npy_header(const Dtype& dtype, const Shape& shape, std::size_t alignment) {
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string extents;
  for (const Index n : shape) extents += fmt::format("{}, ", n);
  if (shape.dims() > 1) extents.resize(extents.size() - 2);
  if (shape.dims() == 1) extents.resize(extents.size() - 1);
  std::string dict = fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}", order, dtype.kind,
                                 dtype.size, extents);
  dict.append(alignment - 1 - (10 + dict.size()) % alignment, ' ');
  dict += '\n';
  const std::size_t n = dict.size();
  return fmt::format("{}{}{}{}{}", magic, '\x01', '\0', static_cast<char>(n & 255), static_cast<char>(n >> 8)) + dict;
}

}  // namespace shardfft::files
