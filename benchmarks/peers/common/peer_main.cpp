#include "run.hpp"

int main(int argc, char** argv) {
  const auto library = shardfft::peers::this_library();
  return shardfft::peers::run(*library, "peer_" + library->about().library, {argv + 1, argv + argc});
}
