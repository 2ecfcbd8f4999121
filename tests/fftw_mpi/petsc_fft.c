/* A PETSc program that knows nothing of shardfft: a 3-D field to its spectrum and back through MatCreateFFT. Prints
 * numbers that do not depend on who computed them. With -other_arrays it does so with vectors that were not planned:
 * PETSc runs them by FFTW's serial functions, in which FFTW's own MPI plans crash. */
#include <petscmat.h>

enum { N0 = 12, N1 = 10, N2 = 14, ROW = 2 * (N2 / 2 + 1) };

static PetscReal field(PetscInt i, PetscInt j, PetscInt k) {
  const PetscReal at = (PetscReal)((i * N1 + j) * N2 + k);
  return PetscSinReal(0.7 * at) + 0.25 * PetscCosReal(1.3 * at * at);
}

/* Sum of squares of this rank's rows, `used` of the ROW numbers of each. */
static PetscErrorCode squares(Vec x, PetscInt rows, PetscInt used, PetscReal* all) {
  const PetscScalar* a;
  PetscReal mine = 0;
  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &a));
  for (PetscInt row = 0; row < rows * N1; ++row)
    for (PetscInt k = 0; k < used; ++k) mine += a[row * ROW + k] * a[row * ROW + k];
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(&mine, all, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

static PetscErrorCode there_and_back(Mat transform, Vec x, Vec y, Vec z, PetscInt first, PetscInt rows) {
  PetscScalar* a;
  PetscReal spectrum, back, worst = 0, seconds;
  PetscFunctionBeginUser;
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt j = 0; j < N1; ++j)
      for (PetscInt k = 0; k < N2; ++k) a[(i * N1 + j) * ROW + k] = field(first + i, j, k);
  PetscCall(VecRestoreArray(x, &a));
  seconds = MPI_Wtime();
  PetscCall(MatMult(transform, x, y));
  PetscCall(squares(y, rows, ROW, &spectrum)); /* the way back may destroy it */
  PetscCall(MatMultTranspose(transform, y, z));
  seconds = MPI_Wtime() - seconds;
  PetscCall(squares(z, rows, N2, &back));
  PetscCall(VecGetArray(z, &a));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt j = 0; j < N1; ++j)
      for (PetscInt k = 0; k < N2; ++k)
        worst = PetscMax(worst, PetscAbsReal(a[(i * N1 + j) * ROW + k] / (N0 * N1 * N2) - field(first + i, j, k)));
  PetscCall(VecRestoreArray(z, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "spectrum %.12e back %.12e %s\n", (double)PetscSqrtReal(spectrum),
                        (double)PetscSqrtReal(back), worst < 1e-13 ? "exact" : "WRONG"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "seconds %g\n", (double)seconds));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  const PetscInt n[3] = {N0, N1, N2};
  Mat transform;
  Vec vectors[6];
  PetscMPIInt rank, ranks;
  PetscInt block, first, rows;
  PetscBool others = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-other_arrays", &others));
  block = (N0 + ranks - 1) / ranks;
  first = PetscMin(rank * block, N0);
  rows = PetscMin(block, N0 - first);
  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, 3, n, MATFFTW, &transform));
  PetscCall(MatCreateVecsFFTW(transform, &vectors[0], &vectors[1], &vectors[2]));
  PetscCall(MatCreateVecsFFTW(transform, &vectors[3], &vectors[4], &vectors[5]));
  PetscCall(there_and_back(transform, vectors[0], vectors[1], vectors[2], first, rows));
  if (others) PetscCall(there_and_back(transform, vectors[3], vectors[4], vectors[5], first, rows));
  for (int i = 0; i < 6; ++i) PetscCall(VecDestroy(&vectors[i]));
  PetscCall(MatDestroy(&transform));
  PetscCall(PetscFinalize());
  return 0;
}
