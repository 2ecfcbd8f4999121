/* The hash of the transform that checks.f90 makes, from C. */
#include <inttypes.h>
#include <shardfft.h>
#include <stdio.h>

int hashes_by_c(const int64_t* shape, int count, const int* axes, int kind, const char* input, const char* output,
                uint64_t* of_input, uint64_t* of_output);

int main(void) {
  const int64_t shape[] = {7, 5, 3};
  uint64_t of_input, of_output;
  if (hashes_by_c(shape, 0, 0, SHARDFFT_R2C, "slabs:0", "pencils:0", &of_input, &of_output)) return 1;
  printf("hash %016" PRIX64 "\n", of_output);
  return 0;
}
