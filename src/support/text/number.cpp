#include "support/text/number.hpp"

#include <locale>
#include <sstream>
#include <string>

namespace shardfft {

bool read_number(std::string_view text, double& value) {
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
#else  // clang's library has from_chars() of double since version 20
  if (text.find_first_not_of("0123456789+-.eE") != text.npos || text.starts_with('+')) return false;
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  return stream >> value && stream.peek() == std::istringstream::traits_type::eof();
#endif
}

}  // namespace shardfft
