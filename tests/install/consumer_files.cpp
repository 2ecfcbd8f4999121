// A program of another project that stores an array and reads it back: as HDF5 where the library was built with it.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <shardfft/files.hpp>
#include <shardfft/programs/whole_files.hpp>

namespace files = shardfft::files;

int main() {
  const shardfft::Comm comm = shardfft::local();
  const shardfft::Layout whole(shardfft::slabs(0), {3, 4}, 1);
  const files::FilePart part(whole, 0, shardfft::f64, false, 1);
  const std::string path = files::has_hdf5() ? "stored.h5:/group/u" : "stored.npy";
  std::vector<double> u(12), again(12);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i) / 7;

  files::File out = files::File::create(comm, path, {.shape = {3, 4}, .type = files::plan_dtype(shardfft::f64, false)});
  out.write(part, std::as_bytes(std::span(u)).data());
  out.commit();
  files::File::open(comm, path).read(part, std::as_writable_bytes(std::span(again)).data());
  std::printf("stored as %s\n", path.c_str());
  return u == again ? 0 : 1;
}
