// Files in folders that others may write, too.
#include "support/kept_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>

#include "support/text/json_text.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most = 1 << 20;
constexpr uid_t stranger = 12345;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}
std::string trouble(const std::function<void()>& work) {
  try {
    work();
  } catch (const FileTrouble& e) { return e.what(); }
  return "none";
}
mode_t mode_of(const fs::path& path) {
  struct stat found{};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & 0777;
}

TEST(KeptFile, BringsBackWhatWasWrittenAndLeavesNothingElse) {
  const Folder folder;
  EXPECT_FALSE(read_kept(folder / "a", most));
  for (const std::string& text : {std::string("one"), std::string(300000, 'x'), std::string()}) {
    replace_kept(place_of(folder / "a"), text);
    EXPECT_EQ(read_kept(folder / "a", most), text);
  }
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"a"});
}

TEST(KeptFile, WritesOverNoLinkThatLiesInItsWay) {
  const Folder folder;
  write(folder / "victim", "precious");
  for (const std::string& name :
       {"a." + std::to_string(getpid()), std::string("a.partial"), "a.partial-" + std::to_string(getpid())})
    fs::create_symlink(folder / "victim", folder / name.c_str());
  replace_kept(place_of(folder / "a"), "mine");
  EXPECT_EQ(text_of(folder / "victim"), "precious");
  EXPECT_EQ(text_of(folder / "a"), "mine");
  EXPECT_FALSE(fs::is_symlink(folder / "a"));
}

TEST(KeptFile, FollowsTheUsersOwnLinksAndNoStrangers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  const Folder folder;
  fs::create_directories(folder / "real/deep");
  write(folder / "real/deep/a", "text");
  fs::create_symlink("real", folder / "folder");
  fs::create_symlink("deep/a", folder / "real/a");
  for (const char* way : {"folder/deep/a", "folder/a", "real/a"})
    EXPECT_EQ(read_kept(folder / way, most), "text") << way;
  replace_kept(place_of(folder / "folder/a"), "new");
  EXPECT_EQ(text_of(folder / "real/deep/a"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "real/a"));
  for (const char* link : {"folder", "real/a"}) {
    ASSERT_EQ(::lchown((folder / link).c_str(), stranger, stranger), 0);
    EXPECT_NE(trouble([&] { (void)read_kept(folder / "folder/a", most); }).find("another user"), std::string::npos)
        << link;
    EXPECT_NE(trouble([&] { replace_kept(place_of(folder / "folder/a"), "mine"); }).find("another user"),
              std::string::npos)
        << link;
    ASSERT_EQ(::lchown((folder / link).c_str(), 0, 0), 0);
  }
  EXPECT_EQ(text_of(folder / "real/deep/a"), "new");
}

TEST(KeptFile, IsARegularFileOfLimitedLength) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  write(folder / "long", std::string(most + 1, 'x'));
  for (const auto& read : {std::function([](const fs::path& p) { return read_kept(p, most).value(); }),
                           std::function([](const fs::path& p) { return read_named(p, most); })}) {
    EXPECT_NE(trouble([&] { (void)read(folder / "pipe"); }).find("pipe"), std::string::npos);
    EXPECT_NE(trouble([&] { (void)read(folder / "folder"); }).find("folder"), std::string::npos);
    EXPECT_NE(trouble([&] { (void)read(folder / "long"); }).find("larger"), std::string::npos);
    EXPECT_NE(trouble([&] { (void)read("/dev/zero"); }).find("device"), std::string::npos);
  }
  for (const char* name : {"pipe", "folder"})
    EXPECT_NE(trouble([&] { replace_kept(place_of(folder / name), "x"); }), "none");
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_NE(trouble([&] { (void)read_named(folder / "none", most); }).find("No such file"), std::string::npos);
}

TEST(KeptFile, KeepsPermissionsAndNamesOfEveryLength) {
  const Folder folder;
  const mode_t before = ::umask(027);
  replace_kept(place_of(folder / "a"), "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "a"), 0640u);
  fs::permissions(folder / "a", fs::perms(0604));
  replace_kept(place_of(folder / "a"), "y");
  EXPECT_EQ(mode_of(folder / "a"), 0604u);
  const std::string longest(255, 'n');
  replace_kept(place_of(folder / longest.c_str()), "z");
  EXPECT_EQ(read_kept(folder / longest.c_str(), most), "z");
}

TEST(KeptFile, MayBeNamedFromHere) {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  replace_kept(place_of("a"), "x");
  EXPECT_EQ(read_kept("./a", most), "x");
  EXPECT_EQ(read_kept(folder.path().filename().string().insert(0, "../") + "/a", most), "x");
  fs::current_path(before);
}

TEST(JsonText, KnowsHowDeepItIsNested) {
  for (const auto& [text, depth] : {std::pair("1", 0),
                                    {"[]", 1},
                                    {"{\"a\":[1,[2]],\"b\":{}}", 3},
                                    {"\"[[[\"", 0},
                                    {"[\"\\\"[[[\"]", 1},
                                    {"[\"\\\\\",[]]", 2},
                                    {"[\"never closed [[", 1}})
    EXPECT_EQ(depth_of_json(text), depth) << text;
  EXPECT_EQ(depth_of_json(std::string(200000, '[')), 200000);
}

}  // namespace
}  // namespace shardfft::testing
