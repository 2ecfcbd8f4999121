// An error that all ranks get.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {

using Body = std::function<void(const Comm&)>;

/// Every rank must throw the same text with this status, and the text must hold all of `words`.
inline void expect_error(int ranks, Status status, const std::vector<std::string>& words, const Body& body) {
  std::mutex mutex;
  std::multiset<std::string> texts;
  on_ranks(ranks, [&](Comm comm) {
    try {
      body(comm);
      ADD_FAILURE() << "no error on rank " << comm.rank();
    } catch (const Error& e) {
      const std::lock_guard lock(mutex);
      texts.insert(e.what());
      EXPECT_EQ(name(e.status()), name(status)) << e.what();
      for (const std::string& word : words)
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "'" << word << "' is not in: " << e.what();
    }
  });
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(ranks));
  ASSERT_FALSE(texts.empty());
  EXPECT_EQ(*texts.begin(), *texts.rbegin()) << "the ranks got different texts";
}

}  // namespace shardfft::testing
