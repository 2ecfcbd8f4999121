#include "device/sycl/kernel_table.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/vendor_library.hpp"

namespace shardfft::on_sycl {
namespace {

namespace experimental = sycl::ext::oneapi::experimental;

constexpr const char* kernel_name = "shardfft_kernel";
constexpr Index groups_per_unit = 32;

/// The type as C++ spells it.
std::string spelled(const std::type_info& type) {
  int status = 0;
  char* text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string spelling = text ? text : type.name();
  std::free(text);
  return spelling;
}

/// The kernels' headers: those that were installed beside the plug-in, else those that it was built from.
std::string sources() {
  const std::filesystem::path installed = own_folder() / "shardfft" / "sycl";
  std::error_code unreadable;
  return std::filesystem::exists(installed / "src", unreadable) ? installed.string() : SHARDFFT_SYCL_SOURCES;
}

std::string text_of(const KernelSource& source) {
  return fmt::format(R"(#include "{0}"
#include "device/sycl/run_blocks.hpp"
using Kernel = {1};
static_assert(sizeof(Kernel) == {2}, "the device's compiler lays the kernel's arguments out as the host's does");
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)){3}
void {4}(Kernel kernel, shardfft::on_sycl::LocalMemory local) {{
  shardfft::on_sycl::run_blocks(kernel, local);
}}
)",
                     source.header, spelled(source.type), source.bytes,
                     source.has_warps
                         ? "\nSYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<32>))"
                         : "",
                     kernel_name);
}

}  // namespace

KernelTable::KernelTable(const sycl::device& device, const sycl::context& context,
                         const std::vector<std::string>& folders)
    : device_(device),
      context_(context),
      most_groups_(groups_per_unit * device.get_info<sycl::info::device::max_compute_units>()),
      options_{"-std=c++20", "-ffp-contract=off", "--auto-pch", "-I" + sources() + "/src",
               "-I" + sources() + "/include"} {
  for (const std::string& folder : folders) options_.push_back("-I" + folder);
}

sycl::kernel KernelTable::find(const KernelSource& source) {
  const std::lock_guard lock(lock_);
  const auto found = compiled_.find(source.type.name());
  if (found != compiled_.end()) return found->second;
  return compiled_.emplace(source.type.name(), compile(source)).first->second;
}

sycl::kernel KernelTable::compile(const KernelSource& source) const {
  std::string log;
  try {
    auto text =
        experimental::create_kernel_bundle_from_source(context_, experimental::source_language::sycl, text_of(source));
    auto built = experimental::build(
        text, std::vector<sycl::device>{device_},
        experimental::properties{experimental::build_options{options_}, experimental::save_log{&log}});
    return built.ext_oneapi_get_kernel(kernel_name);
  } catch (const sycl::exception& exception) {
    throw Error(Status::device_failed,
                fmt::format("SYCL's compiler fails on {}: {} {}", spelled(source.type), exception.what(), log));
  }
}

}  // namespace shardfft::on_sycl
