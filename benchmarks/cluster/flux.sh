#!/usr/bin/env bash
# flux batch --nodes=4 benchmarks/cluster/flux.sh FOLDER [FILE...]: the studies, then what a maintainer needs. From the
# root of a clone. The same command again goes on with what is missing.
# flux: --job-name=shardfft
# flux: --time-limit=2h
# flux: --exclusive
# flux: --output=shardfft-{{id}}.log
set -uo pipefail
nodes=$(flux getattr size)
export SHARDFFT_MPIRUN=${SHARDFFT_MPIRUN:-"flux run -N {nodes} -n {ranks} -c {threads}"}
export CLUSTER_OPTIONS="--max-nodes $nodes ${CLUSTER_OPTIONS-}"
benchmarks/cluster/studies "$@"
status=$?
benchmarks/cluster/collect "$1"
exit $status
