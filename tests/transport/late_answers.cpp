// MPI_Testsome as MPI allows it to be and seldom is: in each call it asks about some of the requests, in no order, so
// that what came later may be told of first. Takes the place of MPI's own in the program that it is linked to, by MPI's
// profiling interface (MPI 4.0, 15.2).
#include <mpi.h>

#include <cstddef>
#include <random>
#include <vector>

extern "C" int MPI_Testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
  static std::minstd_rand random(20261123);
  static std::vector<int> asked;
  static std::vector<MPI_Request> some;
  asked.clear();
  some.clear();
  for (int i = 0; i < count; ++i)
    if (random() % 2 == 0) {
      asked.push_back(i);
      some.push_back(requests[i]);
    }
  const int result = PMPI_Testsome(static_cast<int>(some.size()), some.data(), completed, indices, statuses);
  for (std::size_t k = 0; k < asked.size(); ++k) requests[asked[k]] = some[k];
  if (*completed == MPI_UNDEFINED) *completed = 0;  // of these none is active; of the others, who knows
  for (int k = 0; k < *completed; ++k) indices[k] = asked[static_cast<std::size_t>(indices[k])];
  return result;
}
