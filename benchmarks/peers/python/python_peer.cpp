// The common part as a shared library for peers in Python: they answer questions, everything else happens here. See
// python/peer_common.py.
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "peers/common/run.hpp"
#include "peers/common/ways.hpp"

namespace shardfft::peers {
namespace {

using Json = nlohmann::ordered_json;

/// Asks the peer. It leaves its answer, or the text of its error, with shardfft_peer_answer and returns one of these.
enum Reply : int { done = 0, failed = 1, unsupported = 2 };
using Ask = int (*)(const char* question, const char* argument);

std::string last_answer;

std::string answer_to(Ask ask, const char* question, const std::string& argument = "") {
  last_answer.clear();
  const int reply = ask(question, argument.c_str());
  if (reply == unsupported) throw Unsupported(last_answer);
  if (reply != done) throw std::runtime_error(last_answer);
  return last_answer;
}

Coord as_coord(const Json& numbers) {
  const auto values = numbers.get<std::vector<Index>>();
  return Coord(std::span<const Index>(values));
}

class PythonTransform final : public Transform {
 public:
  PythonTransform(Ask ask, const std::string& task) : ask_(ask), said_(Json::parse(answer_to(ask, "plan", task))) {}
  ~PythonTransform() override { (void)ask_("drop", ""); }

  std::vector<LocalPart> input() override { return parts("input"); }
  std::vector<LocalPart> spectrum() override { return parts("spectrum"); }
  void forward() override { answer_to(ask_, "forward"); }
  void backward() override { answer_to(ask_, "backward"); }
  double gain() const override { return said_.at("gain"); }
  Description describe() const override {
    return {said_.at("configuration"), said_.at("layout_in"), said_.at("layout_out")};
  }

 private:
  std::vector<LocalPart> parts(const char* question) const {
    std::vector<LocalPart> found;
    for (const Json& p : Json::parse(answer_to(ask_, question)))
      found.push_back({{as_coord(p.at("lo")), as_coord(p.at("hi"))},
                       reinterpret_cast<std::byte*>(p.at("data").get<std::uintptr_t>()),
                       as_coord(p.at("strides"))});
    return found;
  }

  Ask ask_;
  Json said_;
};

Json as_json(const Comm& comm, const Task& task, const std::string& way) {
  return {{"shape", std::vector<Index>(task.shape.begin(), task.shape.end())},
          {"kind", to_string(task.kind)},
          {"precision", to_string(task.precision)},
          {"layout", task.layout},
          {"threads", task.threads},
          {"batch", task.batch},
          {"axes", task.transformed_of_array()},
          {"best", task.call == Call::best},
          {"plan_seconds", task.plan_seconds},
          {"scratch", task.scratch},
          {"name", name_of(task, comm.size())},
          {"ranks", comm.size()},
          {"way", way}};
}

class PythonLibrary final : public Library {
 public:
  explicit PythonLibrary(Ask ask) : ask_(ask) {
    const Json said = Json::parse(answer_to(ask, "about"));
    about_ = {.library = said.at("library"),
              .version = said.at("version"),
              .mpi = said.at("mpi"),
              .threads = said.at("threads"),
              .batch = said.at("batch"),
              .axes = said.at("axes"),
              .kinds = said.at("kinds"),
              .precisions = said.at("precisions"),
              .layouts = said.at("layouts"),
              .dims = said.at("dims"),
              .available = said.at("available"),
              .reason = said.at("reason")};
  }
  About about() const override { return about_; }
  void load(const Task& task) override { answer_to(ask_, "load", std::to_string(task.threads)); }

  std::unique_ptr<Transform> plan(const Comm& comm, const Task& task) override {
    if (task.call == Call::standard) return std::make_unique<PythonTransform>(ask_, as_json(comm, task, "").dump());
    std::vector<Way> ways;
    for (const std::string way : Json::parse(answer_to(ask_, "ways", as_json(comm, task, "").dump())))
      ways.push_back(
          {way, [=, this, &comm] { return std::make_unique<PythonTransform>(ask_, as_json(comm, task, way).dump()); }});
    return fastest(comm, about_.library, task, ways);
  }

 private:
  Ask ask_;
  About about_{};
};

}  // namespace
}  // namespace shardfft::peers

extern "C" {

/// The answer to the question that is being asked, as JSON, or an error's text.
void shardfft_peer_answer(const char* text) { shardfft::peers::last_answer = text; }

/// Runs the peer whose answers `ask` gives with the command line `words`; returns the exit status.
int shardfft_peer_run(const char* program, int count, const char* const* words, shardfft::peers::Ask ask) {
  try {
    shardfft::peers::PythonLibrary library(ask);
    return shardfft::peers::run(library, program, {words, words + count});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", program, e.what());
    return 1;
  }
}
}
