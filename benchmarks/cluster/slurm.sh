#!/usr/bin/env bash
# sbatch --nodes=4 benchmarks/cluster/slurm.sh FOLDER [FILE...]: the studies, then what a maintainer needs.
# Run it in the root of a clone. The same command again goes on with what is missing.
#SBATCH --job-name=shardfft
#SBATCH --time=02:00:00
#SBATCH --exclusive
#SBATCH --output=shardfft-%j.log
set -uo pipefail
export SHARDFFT_MPIRUN=${SHARDFFT_MPIRUN:-"srun -N {nodes} -n {ranks} -c {threads} --cpu-bind=cores"}
benchmarks/cluster/studies "$@"
status=$?
benchmarks/cluster/collect "$1"
exit $status
