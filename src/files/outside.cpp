// Arrays that objects of the caller read and write.
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "files/convert.hpp"
#include "files/file_impl.hpp"
#include "files/file_runs.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

class Outside final : public File::Impl {
 public:
  explicit Outside(std::shared_ptr<ArrayOutside> array) : Impl(array->name(), array->info()), array_(std::move(array)) {
    if (info.order.empty()) info.order = c_order(info.shape.dims());
  }

  void read(const FilePart& part, std::byte* memory, Watcher& watcher) const override {
    require_order(part, *this);
    read_converted(info.type, part, memory, watcher,
                   [&](const Box& box, std::byte* to) { told([&] { array_->read(box, to); }); });
  }
  void write(const FilePart& part, const std::byte* memory, Watcher& watcher) const override {
    require_order(part, *this);
    watcher.expect(part.count());
    for (const Box& box : part.boxes) {
      if (box.count() == 0) continue;
      told([&] { array_->write(box, memory); });
      memory += box.count() * info.type.size;
      watcher.advance(box.count());
    }
  }
  [[nodiscard]] Index library_bytes() const override { return array_->memory_bytes(); }

 private:
  template <class Work>
  void told(Work&& work) const {
    try {
      work();
    } catch (const Error&) { throw; } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      throw Error(Status::io_failed, fmt::format("{} cannot be read or written: {}", name, e.what()));
    }
  }

  std::shared_ptr<ArrayOutside> array_;
};

}  // namespace

File::File(const Comm& comm, std::shared_ptr<ArrayOutside> array) {
  collectively(comm, [&] {
    if (!array) throw Error(Status::invalid_argument, "a File is of an object that reads and writes; got none");
    impl_ = std::make_shared<Outside>(std::move(array));
  });
}

}  // namespace shardfft::files
