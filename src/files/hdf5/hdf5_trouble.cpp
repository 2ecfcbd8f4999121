#include "files/hdf5/hdf5_trouble.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "files/disk/partial_file.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

std::string version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}", major, minor, release);
}

bool has(const std::string& text, const char* word) { return text.find(word) != text.npos; }

/// What to do about an object that is there, and which HDF5 cannot read.
std::string remedy_of(const std::string& reason) {
  if (has(reason, "filter")) return "store it with gzip, or uncompressed";
  if (has(reason, "version") || has(reason, "class") || has(reason, "unknown"))
    return "it is of a newer format: store it with h5py.File(name, 'w', libver='earliest'), or build with a newer HDF5";
  return "copy or write the file again";
}

/// Why a file cannot be read, as the system says it; empty where it can.
std::string trouble_with(const std::string& file) {
  return ::access(file.c_str(), R_OK) == 0 ? std::string() : std::strerror(errno);
}

/// "a link to 'other.h5:/x' that cannot be followed (...)", or nothing for what is no link.
std::string link_text(hid_t file, const std::string& path, const Hdf5Name& name, std::string reason) {
  H5L_info_t info{};
  if (H5Lget_info(file, path.c_str(), &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_HARD) return {};
  std::vector<char> value(info.u.val_size + 1);
  if (H5Lget_val(file, path.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0) return {};
  const auto text = [&](const std::string& target) {
    return fmt::format("a link to '{}' that cannot be followed ({})", target, reason);
  };
  if (info.type == H5L_TYPE_SOFT) return text(value.data());
  unsigned flags = 0;
  const char *to_file = nullptr, *to_path = nullptr;
  if (info.type != H5L_TYPE_EXTERNAL ||
      H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &to_file, &to_path) < 0)
    return fmt::format("a link of an unknown kind ({})", reason);
  if (const std::string trouble = trouble_with(beside(name.file, to_file)); !trouble.empty()) reason = trouble;
  return text(fmt::format("{}:{}", to_file, to_path));
}

/// What an object is that is no dataset, or does not open; empty where it may hold what follows in the path.
std::string fault_of(hid_t file, const std::string& path, bool last, const Hdf5Name& name) {
  const auto called = [&] { return last ? std::string("it") : fmt::format("'{}'", path); };
  if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0)
    return fmt::format("there is none of this name; h5ls -r {} lists them", name.file);
  const H5 object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object.is()) {
    const std::string reason = hdf5_reason(), link = link_text(file, path, name, reason);
    if (!link.empty()) return fmt::format("{} is {}; store its target there, or name a dataset itself", called(), link);
    return fmt::format("{} is there, and {} cannot open it ({}); {}", called(), version(), reason, remedy_of(reason));
  }
  const H5I_type_t type = H5Iget_type(object);
  if (type == (last ? H5I_DATASET : H5I_GROUP)) return {};
  return fmt::format("{} is a {}; h5ls -r {} lists the datasets", called(),
                     type == H5I_GROUP     ? "group"
                     : type == H5I_DATASET ? "dataset, and no group"
                                           : "type",
                     name.file);
}

herr_t keep_line(unsigned, const H5E_error2_t* line, void* lines) {
  if (line->desc) static_cast<std::vector<std::string>*>(lines)->emplace_back(line->desc);
  return 0;
}

}  // namespace

void settle_hdf5() {
  static const bool first = [] {
    H5dont_atexit();
    return true;
  }();
  (void)first;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_reason(const std::string& word) {
  std::vector<std::string> lines;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_line, &lines);
  for (const std::string& line : lines)
    if (!word.empty() && has(line, word.c_str())) return line;
  return lines.empty() ? "it says no reason" : lines.front();
}

std::string beside(const std::string& file, const std::string& path) {
  return path.starts_with('/') ? path : file.substr(0, file.rfind('/') + 1) + path;
}

std::string quoted(const Hdf5Name& name) { return fmt::format("'{}:{}'", name.file, name.dataset); }

void refuse_file(const Hdf5Name& name) {
  const std::string reason = hdf5_reason();
  const char* remedy = has(reason, "signature")          ? "name an HDF5 file; netCDF classic and MATLAB below 7.3 "
                                                           "are none, convert them with nccopy -k nc4 or save -v7.3"
                       : has(reason, "to lock")          ? "set HDF5_USE_FILE_LOCKING=FALSE where its file system "
                                                           "has no locks, or close it where it is written"
                       : has(reason, "already open for") ? "close it where it is written, or run h5clear -s"
                       : has(reason, "version")          ? "it is of a newer format: store it with h5py.File(name, "
                                                           "'w', libver='earliest'), or build with a newer HDF5"
                                                         : "copy or write it again";
  throw Error(Status::io_failed,
              fmt::format("the input '{}' cannot be read as HDF5: {}; {}", name.file, reason, remedy));
}

void refuse_dataset(hid_t file, const Hdf5Name& name) {
  std::string fault = fmt::format("HDF5 cannot open it ({}); copy or write the file again", hdf5_reason());
  for (std::size_t end = 0; end != name.dataset.npos;) {
    const std::size_t start = name.dataset.find_first_not_of('/', end);
    if (start == name.dataset.npos) {
      if (end == 0) fault = fmt::format("it is a group; h5ls -r {} lists the datasets", name.file);
      break;
    }
    end = name.dataset.find('/', start);
    const bool last = name.dataset.find_first_not_of('/', end) == name.dataset.npos;
    const std::string found = fault_of(file, name.dataset.substr(0, end), last, name);
    if (found.empty() && !last) continue;
    if (!found.empty()) fault = found;
    break;
  }
  throw Error(Status::io_failed, fmt::format("{} must be a dataset; {}", quoted(name), fault));
}

void refuse_elements(const Hdf5Name& name, const std::string& reason, const std::vector<std::string>& others) {
  std::string what = fmt::format("HDF5 finds damage ({}); copy or write it again", reason);
  if (has(reason, "filter '"))
    what = fmt::format("HDF5 lacks the filter ({}); store it with gzip, or uncompressed", reason);
  if (has(reason, "no data can be read")) what = "nothing was ever written to it; write its elements first";
  for (const std::string& other : others)
    if (const std::string trouble = trouble_with(other); !trouble.empty())
      what = fmt::format("its elements are in '{}' ({}); store that file there", other, trouble);
  throw Error(Status::io_failed, fmt::format("{} cannot be read: {}", quoted(name), what));
}

void refuse_new_file(const Hdf5Name& name, const std::string& path) {
  std::string reason = hdf5_reason();
  if (const std::size_t at = reason.find(path); at != reason.npos) reason.replace(at, path.size(), name.file);
  std::string remedy = "name a dataset as /spectrum";
  for (const int why : {EFBIG, ENOSPC, EDQUOT})
    if (has(reason, std::strerror(why))) remedy = remedy_of_room(why);
  throw Error(Status::io_failed,
              fmt::format("the output {} cannot be made as HDF5: {}; {}", quoted(name), reason, remedy));
}

}  // namespace shardfft::files
