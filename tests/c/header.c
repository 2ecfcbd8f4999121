/* What a program includes: compiled as C99 and as C++17 with all warnings as errors. */
#include "shardfft.h"

#include "shardfft.h"

int main(void) {
  shardfft_verdict verdict = {sizeof verdict, 0, 0, 0};
  return shardfft_version() + verdict.ok + SHARDFFT_OK;
}
