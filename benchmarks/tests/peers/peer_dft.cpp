// A library for the tests of the common part: the definition of the transform, in long double, in one process.
// SHARDFFT_TEST_SPOIL makes it err: forward or backward (one element is off), last element or last element backward
// (the last one is off), nan, boxes (a part is not told of), fails (plan throws).
// SHARDFFT_TEST_WAYS=right,forward,unsupported gives it so many ways of being called, each with an error of its own or
// none; one that is right is by far the slowest, and one that is huge is as slow where huge pages are allowed.
#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <sstream>
#include <thread>

#include <sys/prctl.h>

#include "peers/common/dense.hpp"
#include "peers/common/peer.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

std::string said(const char* variable) {
  const char* words = std::getenv(variable);
  return words == nullptr ? "" : words;
}

using Number = std::complex<long double>;

/// exp(sign 2 pi i x / n) for all x from 0 to n - 1.
std::vector<Number> roots_of(Index n, int sign) {
  std::vector<Number> roots;
  for (Index i = 0; i < n; ++i)
    roots.push_back(std::polar(
        1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(i) / static_cast<long double>(n)));
  return roots;
}

/// All n sums over x of row x times root k x, along one axis of `stride`.
void transform_row(Number* row, Index stride, const std::vector<Number>& roots) {
  const auto n = static_cast<Index>(roots.size());
  std::vector<Number> sums(roots.size());
  for (Index k = 0; k < n; ++k)
    for (Index x = 0; x < n; ++x)
      sums[static_cast<std::size_t>(k)] += row[x * stride] * roots[static_cast<std::size_t>(k * x % n)];
  for (Index k = 0; k < n; ++k) row[k * stride] = sums[static_cast<std::size_t>(k)];
}

class Dft final : public Transform {
 public:
  Dft(const Task& task, std::string spoil, std::string name)
      : task_(task),
        spoil_(std::move(spoil)),
        name_(std::move(name)),
        in_(static_cast<std::size_t>(product(task.input_array()))),
        out_(in_.size()) {}

  std::vector<LocalPart> input() override {
    return {dense(whole(task_.input_array()), reinterpret_cast<std::byte*>(in_.data()), sizeof in_[0])};
  }
  std::vector<LocalPart> spectrum() override {
    Box box = whole(task_.spectrum_array());
    if (spoil_ == "boxes") box.hi[0] -= 1;
    return {dense(box, reinterpret_cast<std::byte*>(out_.data()), sizeof out_[0])};
  }
  void forward() override {
    const bool huge_pages = ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 0;
    if (name_ == "right" || (name_ == "huge" && huge_pages)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::vector<Number> work(in_.begin(), in_.end());
    transform_all(work, -1);
    std::copy(work.begin(), work.end(), out_.begin());
    if (spoil_ == "last element") out_.back() += 1e-10;
    if (spoil_ == "forward") out_[out_.size() / 2] += 1e-10;
    if (spoil_ == "nan") out_.back() = std::numeric_limits<double>::quiet_NaN();
  }
  void backward() override {
    std::vector<Number> work(out_.begin(), out_.end());
    transform_all(work, 1);
    std::copy(work.begin(), work.end(), in_.begin());
    if (spoil_ == "last element backward") in_.back() += 1e-10 * gain();
    if (spoil_ == "backward") in_[1] += 1e-10 * gain();
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {name_.empty() ? "the definition" : name_, in_one_process, in_one_process};
  }
  RunFacts last_forward() const override {
    return {.phases = {{"sums", 1.0}, {"sums", 2.0}}, .bytes_sent_network = 0, .messages_sent = 0};
  }

 private:
  void transform_all(std::vector<Number>& work, int sign) const {
    Index stride = 1;
    for (int a = task_.shape.dims() - 1; a >= 0; --a) {
      const Index n = task_.shape[a];
      const std::vector<Number> roots = roots_of(n, sign);
      for (Index first = 0; first < static_cast<Index>(work.size()); ++first)
        if (first / stride % n == 0) transform_row(work.data() + first, stride, roots);
      stride *= n;
    }
  }

  Task task_;
  std::string spoil_, name_;
  std::vector<std::complex<double>> in_, out_;
};

class DftLibrary final : public Library {
 public:
  About about() const override {
    return {.library = "dft",
            .version = "1",
            .batch = true,
            .kinds = {"c2c"},
            .precisions = {"f64"},
            .layouts = every_layout,
            .dims = {1, 2, 3}};
  }
  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    const std::string spoil = said("SHARDFFT_TEST_SPOIL");
    if (spoil == "fails") throw std::runtime_error("the test wants a failure");
    if (task.kind != c2c || task.precision != f64) throw Unsupported("c2c f64 only");
    std::vector<Way> ways;
    std::istringstream words(said("SHARDFFT_TEST_WAYS"));
    for (std::string word; std::getline(words, word, ',');)
      ways.push_back({word, [=] {
                        if (word == "unsupported") throw Unsupported("the test wants a refusal");
                        return std::make_unique<Dft>(task, word, word);
                      }});
    if (!ways.empty()) return fastest(comm, "dft", task, ways);
    return std::make_unique<Dft>(task, spoil, "");
  }
};

}  // namespace

std::unique_ptr<Library> this_library() { return std::make_unique<DftLibrary>(); }

}  // namespace shardfft::peers
