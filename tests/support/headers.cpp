// Compiled for its headers: shardfft_precompile in tests/CMakeLists.txt.
int main() { return 0; }
