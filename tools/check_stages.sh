# shellcheck shell=bash disable=SC2154
# Stages of ./check, which sources this file. Each adds to `passed`, `failed` and `skipped`, writes a log into $logs and
# prints a line with its time.

note() { echo "-- $*"; }

# result NAME PASSED FAILED SECONDS [LOG]
result() {
  passed=$((passed + $2)) failed=$((failed + $3))
  printf '%-8s %-70s %4d passed %3d failed %5ds\n' "$([ "$3" -eq 0 ] && echo ok || echo FAILED)" "$1" "$2" "$3" "$4"
  if [ "$3" -gt 0 ] && [ -n "${5:-}" ]; then echo "         see $5"; fi
  echo "$4 $1" >>$logs/stage_times
}

# slowest FILE WHAT: the ten that took longest, of lines "seconds name"
slowest() {
  if [ -s "$1" ]; then
    echo "-- the slowest $2, in seconds:"
    sort -rn "$1" | head -n 10 | sed 's/^/   /'
  fi
}

# name_skips LOG: prints a line for each test that the log says was skipped; `left_out` is how many
name_skips() {
  local said
  said=$($python tools/ctest_counts.py --log "$1")
  sed 1d <<<"$said"
  left_out=${said%%$'\n'*}
  skipped=$((skipped + left_out))
}

# step NAME LOGNAME COMMAND...: one command that counts as one test
step() {
  local name=$1 log=$logs/$2.log begin=$SECONDS left_out
  shift 2
  if "$@" >"$log" 2>&1; then
    name_skips "$log"
    result "$name" 1 0 $((SECONDS - begin))
  else
    tail -n 15 "$log"
    result "$name" 0 1 $((SECONDS - begin)) "$log"
  fi
}

# unittests NAME LOGNAME FOLDER: Python's unittest; counts each test, and names those that it skips
unittests() {
  local name=$1 log=$logs/$2.log begin=$SECONDS ran wrong left_out
  $python -m unittest discover -v -s "$3" >"$log" 2>&1 || tail -n 30 "$log"
  ran=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  wrong=$(sed -n '/^FAILED (/p' "$log" | grep -oE '(failures|errors)=[0-9]+' | cut -d= -f2 | paste -sd+ |
    sed 's/^$/0/' | { read -r sum; echo $((${sum:-0})); })
  [ "${ran:-0}" -gt 0 ] || { ran=1 wrong=1; }
  name_skips "$log"
  [ $((ran - wrong)) -ge "$left_out" ] || left_out=$((ran - wrong))
  result "$name" $((ran - wrong - left_out)) "$wrong" $((SECONDS - begin)) "$log"
}

# The thread sanitizer of gcc 12 cannot live with the address randomisation of newer kernels.
without_randomisation() {
  if setarch "$(uname -m)" -R true 2>/dev/null; then setarch "$(uname -m)" -R "$@"; else "$@"; fi
}

# build PRESET [mpi_only]: configures and builds; counts as a test only when it fails, because then its tests cannot run
build() {
  local preset=$1 only=${2:-} log=$logs/build_$1.log begin=$SECONDS targets=()
  # The tests of the program compare with NumPy.
  if cmake --preset "$preset" -D Python3_EXECUTABLE="$(realpath -s "$(command -v $python)")" >"$log" 2>&1; then
    if [ "$only" = mpi_only ]; then mapfile -t targets < <($python tools/mpi_test_targets.py "build/$preset"); fi
    if without_randomisation cmake --build --preset "$preset" ${targets[@]:+--target "${targets[@]}"} \
      >>"$log" 2>&1; then
      note "built $preset in $((SECONDS - begin))s"
      echo "$((SECONDS - begin)) build $preset" >>$logs/stage_times
      if grep -q Winvalid-pch "$log"; then
        note "precompiled headers were not taken everywhere, which costs time; grep Winvalid-pch $log says why"
      fi
      return 0
    fi
  fi
  grep -E 'error|Error|FAILED' "$log" | head -n 20
  result "build $preset" 0 1 $((SECONDS - begin)) "$log"
  return 1
}

# tests PRESET NAME INCLUDE EXCLUDE [JOBS]: the CTest tests whose names match INCLUDE and not EXCLUDE ("": no
# condition), without those that are labelled `long`. As many tests as cores at a time: with more, those that measure
# find no core. The test presets say the options of the sanitizers.
tests() {
  local preset=$1 name=$2 include=$3 exclude=$4 jobs=${5:-$cores} begin=$SECONDS log counts left_out around=()
  if [ "$preset" = tsan ]; then around=(without_randomisation); fi
  log=$logs/tests_$preset${include:+_ranks}
  ${around[@]:+"${around[@]}"} ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$log.xml" \
    --test-output-size-passed 1000000 -LE long ${include:+-R "$include"} ${exclude:+-E "$exclude"} >"$log.log" 2>&1
  counts=$($python tools/ctest_counts.py "$log.xml")
  sed 1d <<<"$counts"
  read -r good bad left_out <<<"${counts%%$'\n'*}"
  skipped=$((skipped + left_out))
  $python tools/ctest_counts.py --times "$log.xml" | sed "s/$/ ($preset)/" >>$logs/test_times
  result "$name" "$good" "$bad" $((SECONDS - begin)) "$log.log"
}

# long_tests PRESET NAME: those that are labelled `long`, one at a time; having none counts as a failure
long_tests() {
  local preset=$1 name=$2 begin=$SECONDS log=$logs/tests_$1_long counts
  ctest --preset "$preset" --no-tests=error --output-junit "$PWD/$log.xml" -L long >"$log.log" 2>&1
  counts=$($python tools/ctest_counts.py "$log.xml" || echo 0 1)
  sed 1d <<<"$counts"
  read -r good bad <<<"${counts%%$'\n'*}"
  result "$name" "$good" "$bad" $((SECONDS - begin)) "$log.log"
}

# mpi_name PRESET: "Open MPI" or "MPICH", as configured
mpi_name() {
  case "$("$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "build/$1/CMakeCache.txt")" --version 2>&1)" in
    *[Oo]pen*MPI* | *[Oo]pen[Rr][Tt][Ee]*) echo "Open MPI" ;;
    *) echo MPICH ;;
  esac
}
