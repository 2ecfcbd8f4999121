// Files that many write at once, and files that are not ours.
#include "planner/wisdom/json_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "shardfft/error.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

using nlohmann::json;

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::io_failed);
    return e.what();
  }
  return "accepted";
}

TEST(JsonFile, BringsBackWhatWasPutInAndIsEmptyBefore) {
  const Folder folder;
  const JsonFile file{folder / "deep/er/a.json", "test 1"};
  EXPECT_EQ(file.read(), json::object());
  file.update([](json& entries) { entries["a"] = {{"x", 1.5}}; });
  file.update([](json& entries) { entries["b"] = "text"; });
  EXPECT_EQ(file.read(), (json{{"a", {{"x", 1.5}}}, {"b", "text"}}));
}

TEST(JsonFile, LosesNothingWhenManyProcessesWriteAtOnce) {
  const Folder folder;
  const JsonFile file{folder / "a.json", "test 1"};
  constexpr int writers = 5, each = 12;
  for (int w = 0; w < writers; ++w)
    if (fork() == 0) {
      int failed = 0;
      for (int i = 0; i < each; ++i) try {
          file.update([&](json& entries) { entries[std::to_string(w) + "-" + std::to_string(i)] = i; });
        } catch (const std::exception&) { failed = 1; }
      _exit(failed);
    }
  for (int w = 0; w < writers; ++w) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(file.read().size(), std::size_t{writers * each});
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 2) << "the file and its lock; no partial files";
}

TEST(JsonFile, IsNotKeptLockedByAChildThatWasForkedMeanwhile) {
  const Folder folder;
  const JsonFile file{folder / "a.json", "test 1"};
  pid_t child = -1;
  file.update([&](json& entries) {
    entries["a"] = 1;
    child = fork();
    if (child == 0) {
      sleep(60);
      _exit(0);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  file.update([](json& entries) { entries["a"] = 2; });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(JsonFile, StaysAsItWasWhenTheChangeFails) {
  const Folder folder;
  const JsonFile file{folder / "a.json", "test 1"};
  file.update([](json& entries) { entries["a"] = 1; });
  const std::string before = text_of(file.path);
  EXPECT_THROW(file.update([](json&) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(text_of(file.path), before);
  file.update([](json& entries) { entries["a"] = 2; });  // the lock is free again
  EXPECT_EQ(file.read()["a"], 2);
}

TEST(JsonFile, ThatIsDamagedOrForeignIsNeitherReadNorOverwritten) {
  const Folder folder;
  const JsonFile file{folder / "a.json", "test 1"};
  file.update([](json& entries) { entries["a"] = 1; });
  const std::string whole = text_of(file.path);
  for (const std::string& text :
       {whole.substr(0, whole.size() / 2), std::string("hello"), std::string("[1, 2]"), std::string(),
        std::string("{\"entries\": {}}"), std::string("{\"format\": \"test 2\", \"entries\": {}}"),
        std::string("{\"format\": \"test 1\"}"), std::string("{\"format\": \"test 1\", \"entries\": 3}"),
        std::string("\x00\xff\x80", 3)}) {
    write(file.path, text);
    EXPECT_NE(refusal([&] { (void)file.read(); }).find("a.json"), std::string::npos) << text;
    EXPECT_NE(refusal([&] { file.update([](json& entries) { entries["b"] = 1; }); }), "accepted") << text;
    EXPECT_EQ(text_of(file.path), text);
  }
}

TEST(JsonFile, InAPlaceThatCannotBeWrittenIsSaid) {
  const Folder folder;
  write(folder / "plain", "");
  const JsonFile inside_a_file{folder / "plain/a.json", "test 1"};
  EXPECT_NE(refusal([&] { inside_a_file.update([](json&) {}); }).find("cannot"), std::string::npos);
  std::filesystem::create_directory(folder / "b.json");
  const JsonFile is_a_folder{folder / "b.json", "test 1"};
  EXPECT_NE(refusal([&] { (void)is_a_folder.read(); }), "accepted");
}

TEST(JsonFile, KeepsASymbolicLinkAndReplacesWhatItPointsTo) {
  const Folder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink(folder / "real/a.json", folder / "a.json");
  const JsonFile file{folder / "a.json", "test 1"};
  file.update([](json& entries) { entries["a"] = 1; });
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "a.json"));
  EXPECT_TRUE(std::filesystem::exists(folder / "real/a.json"));
}

TEST(JsonFile, KeepsEveryLinkOfAChain) {
  const Folder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink("real/b.json", folder / "a.json");
  std::filesystem::create_symlink("c.json", folder / "real/b.json");
  const JsonFile file{folder / "a.json", "test 1"};
  for (int i = 0; i < 2; ++i) {  // the end of the chain is not there yet, and is
    file.update([&](json& entries) { entries["a"] = i; });
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "a.json") && std::filesystem::is_symlink(folder / "real/b.json"));
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder / "real/c.json")));
    EXPECT_EQ(file.read()["a"], i);
  }
}

TEST(JsonFile, LeavesAloneWhatPlantedLinksPointTo) {
  const Folder folder;
  write(folder / "victim", "precious");
  const JsonFile file{folder / "a.json", "test 1"};
  std::filesystem::create_symlink(folder / "victim", folder / ("a.json." + std::to_string(getpid())).c_str());
  file.update([](json& entries) { entries["a"] = 1; });
  EXPECT_EQ(file.read()["a"], 1);
  std::filesystem::remove(folder / "a.json.lock");
  for (const char* target : {"victim", "nobody"}) {
    std::filesystem::create_symlink(folder / target, folder / "a.json.lock");
    EXPECT_NE(refusal([&] { file.update([](json& entries) { entries["a"] = 2; }); }).find("cannot be locked"),
              std::string::npos);
    std::filesystem::remove(folder / "a.json.lock");
  }
  EXPECT_EQ(text_of(folder / "victim"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "nobody"));
  EXPECT_EQ(file.read()["a"], 1);
}

TEST(JsonFile, WaitsForNoPipe) {
  const Folder folder;
  for (const char* name : {"a.json.lock", "a.json"}) {
    ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
    const JsonFile file{folder / "a.json", "test 1"};
    EXPECT_NE(refusal([&] { file.update([](json&) {}); }), "accepted") << name;
    EXPECT_TRUE(std::filesystem::is_fifo(folder / name));
    std::filesystem::remove(folder / name);
  }
}

TEST(JsonFile, ThatIsNestedTooDeepOrTooLongIsSaid) {
  const Folder folder;
  const JsonFile file{folder / "a.json", "test 1"};
  const auto nested = [](std::size_t levels, const std::string& open, const std::string& close) {
    std::string text = "{\"format\":\"test 1\",\"entries\":{\"a\":";
    for (std::size_t i = 0; i < levels; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < levels; ++i) text += close;
    return text + "}}";
  };
  for (const auto& [open, close] : {std::pair("[", "]"), {"{\"a\":", "}"}}) {
    write(file.path, nested(200000, open, close));
    EXPECT_NE(refusal([&] { (void)file.read(); }).find("nested"), std::string::npos);
    EXPECT_NE(refusal([&] { file.update([](json&) {}); }).find("nested"), std::string::npos);
    write(file.path, nested(20, open, close));
    EXPECT_EQ(refusal([&] { file.update([](json&) {}); }), "accepted");
  }
  write(file.path, "");
  std::filesystem::resize_file(file.path, std::uintmax_t{1} << 30);  // of which the disk holds nothing
  EXPECT_NE(refusal([&] { (void)file.read(); }).find("larger"), std::string::npos);
}

TEST(JsonFile, ThatIsACircleOfLinksIsSaid) {
  const Folder folder;
  std::filesystem::create_symlink("b.json", folder / "a.json");
  std::filesystem::create_symlink("a.json", folder / "b.json");
  EXPECT_NE(refusal([&] { JsonFile{folder / "a.json", "test 1"}.update([](json&) {}); }).find("a.json"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "a.json") && std::filesystem::is_symlink(folder / "b.json"));
}

}  // namespace
}  // namespace shardfft::testing
