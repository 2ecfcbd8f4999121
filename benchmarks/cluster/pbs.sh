#!/usr/bin/env bash
# qsub -l select=4:ncpus=64 -v FOLDER=/shared/results benchmarks/cluster/pbs.sh: the studies, then what a maintainer
# needs. From the root of a clone. The same command again goes on with what is missing. FILES: case files, joined by
# blanks (default: all).
#PBS -N shardfft
#PBS -l walltime=02:00:00
#PBS -l place=scatter:excl
#PBS -j oe
set -uo pipefail
cd "$PBS_O_WORKDIR" || exit 2
nodes=$(sort -u "$PBS_NODEFILE" | wc -l)
# A case of fewer nodes takes the first ones.
export SHARDFFT_MPIRUN=${SHARDFFT_MPIRUN:-"benchmarks/cluster/pbs_mpiexec {nodes} {ranks}"}
export CLUSTER_OPTIONS="--max-nodes $nodes ${CLUSTER_OPTIONS-}"
read -ra files <<<"${FILES-}"
benchmarks/cluster/studies "$FOLDER" ${files[@]+"${files[@]}"}
status=$?
benchmarks/cluster/collect "$FOLDER"
exit $status
