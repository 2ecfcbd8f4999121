# What reads cases and results, files that others may have written: a library for the program, and built by itself with
# the fuzzer in tests/fuzz.
set(shardfft_readers
  compare/cases/case.cpp compare/cases/case_file.cpp compare/cases/case_request.cpp compare/cases/case_words.cpp
  compare/cases/settings.cpp compare/statistics/statistics.cpp
  report/data/node.cpp report/data/reference.cpp report/data/results.cpp report/page/text.cpp)
list(TRANSFORM shardfft_readers PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
