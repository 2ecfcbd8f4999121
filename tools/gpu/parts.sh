# shellcheck shell=bash disable=SC2034,SC2154
# The parts of tools/gpu_first_run, in order of worth. Sourced.
parts=(smoke tests beside choices experiment traffic large out_of_core streams shared flow more)

# Arrays of the parts, and tests. Other devices than cuda rehearse on little.
choose_sizes() {
  small=512 medium=256 large=1024 out_of_core=2048x1024x1024 spare_gib=8 tests_s=40 tile_mb='16 24' counts='1 2'
  first_tests=("any_device_tests:*/cuda_*" "device_plan_test:DevicePlan*:DeviceGraphs*"
    "plan_random_test:*/any_*_device_*" "device_codec_tests:*/cuda_*"
    "device_transport_test:Peer*:ViaHost.*:DeviceTransport.*:NcclLibrary.*")
  more_tests=("device_plan_test:*-DevicePlan*:DeviceGraphs*:DLPack.*" "plan_approximate_test:*/*_device*"
    "plan_random_test:*/kinds_*_device_*:*/fewer*_device_*")
  [ "$device" != cuda ] || return 0
  small=16 medium=8 large=24 out_of_core=24x24x16 tile_mb=0.02 counts=2
  first_tests=("any_device_tests:*.CopiesRows*/${device}_0" "device_plan_test:DevicePlan.InPlaceGives*")
  more_tests=()
}

# What is here; ends the whole if there is no device.
show_device() {
  : >"$said"
  limited 60 "${loader[@]}" "$bin/shardfft" info
  local about
  about=$(<"$said")
  printf '=== info\n%s\n' "$about" >>"$results/log.txt"
  grep -qE "^device +$device:[0-9]" <<<"$about" || {
    say "$(grep -E "^ +device|no usable|$device:" <<<"$about")"
    fail "no device of kind $device here; docs/gpu_first_run.md says what to try"
  }
  say "$(grep -E "^(device +$device:[0-9]|shardfft|processor|memory|library)" <<<"$about")"
  [ "$device" != cuda ] || say "$(timeout 20 nvidia-smi --format=csv,noheader --query-gpu=name,driver_version,$(
    )memory.total,clocks.max.sm,clocks.max.mem,pcie.link.gen.max,pcie.link.width.max 2>&1 | sed 's/^/nvidia-smi  /')"
}

# Keeps the GPU busy for half a second, so that its clocks are those of work.
warm() { [ "$device" != cuda ] || limited 10 "${loader[@]}" "$bin/two_pass_experiment" warm; }
# cube N PRECISION OPTIONS...
cube() {
  local n=$1 precision=$2
  shift 2
  bench "$n^3 c2c $precision${*:+ $*}" "${cube_s:-60}" --shape "${n}x${n}x${n}" --precision "$precision" \
    --iterations 5 "$@"
}

run_smoke() {
  say "== smoke test on $device"
  smoke=("${loader[@]}" "$bin/shardfft" bench --device "$device" --shape 16x16x16 --iterations 1 --quiet)
  if step "smoke test, 16^3" 15 5 "${smoke[@]}"; then row "smoke test, 16^3" ok; else red=yes smoke_failed=yes; fi
}

# some_tests PROGRAM:FILTER...
some_tests() {
  local one
  say "== tests on $device, $(left) s at most"
  for one in "$@"; do test_step "$one" 60 "${one%%:*}" "${one#*:}"; done
}
run_tests() {
  until=$((SECONDS + tests_s))
  [ $until -lt $end ] || until=$end
  some_tests "${first_tests[@]}"
  until=$end
  [ $wrong -eq 0 ] || red=yes
}
run_more() { some_tests "${more_tests[@]}"; }

# The tests that failed, each alone. If the smoke test failed, first cuFFT alone, tests of parts, and a sanitizer.
run_failures() {
  local failures
  if [ "${smoke_failed:-no}" = yes ]; then
    say "$log"
    [ "$device" != cuda ] || beside "16^3 c2c f64, cufft" cufft --shape 16x16x16
    some_tests "${first_tests[0]}"
    sanitizers
    step "smoke test, ${tools[0]}" 60 5 "${before[@]}" "${smoke[@]}" || say "$(gist)"
  fi
  mapfile -t failures < <(head -n 6 "$results/failed.txt")
  [ ${#failures[@]} -eq 0 ] || run_alone "${failures[@]}"
}
# sanitizers [TOOL]: sets `tools` to those of compute-sanitizer, and `before` to the words that run under TOOL. Tests
# cause errors of CUDA's calls on purpose, so these are no finding. Races are looked for in our own kernels alone: the
# library's are many, and slow to look at.
sanitizers() {
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  tools=(memcheck racecheck)
  before=(compute-sanitizer --tool "${1:-memcheck}" --report-api-errors no --error-exitcode 9)
  [ "${1:-}" != racecheck ] || before+=(--kernel-name kernel_substring=run_)
  if [ "$device" != cuda ] || ! command -v compute-sanitizer >/dev/null; then
    tools=("no sanitizer") before=(env CUDA_LAUNCH_BLOCKING=1)
  fi
}
run_alone() {
  local one tool tools before
  say "== these tests alone"
  for one in "$@"; do
    sanitizers
    for tool in "${tools[@]}"; do
      sanitizers "$tool"
      test_step "$one, $tool" 120 "${one%%:*}" "${one#*:}" "${before[@]}"
    done
  done
  sort -u -o "$results/failed.txt" "$results/failed.txt"
}

# In processes of their own, in turn, every result checked.
run_beside() {
  local kind precision peer turns=("${peers[@]}" "${peers[@]}")
  say "== beside cuFFT's own plan of all axes, which does not scale: median"
  warm
  [ "$device" = cuda ] || turns=("${peers[0]}")
  for kind in c2c r2c; do
    for precision in f64 f32; do
      for peer in "${turns[@]}"; do
        if [ ! -x "$SHARDFFT_PEERS/peer_$peer" ]; then not_run "$small^3 $kind $precision, $peer" "not built"
        else
          beside "$small^3 $kind $precision, $peer" "$peer" --shape "${small}x${small}x${small}" --kind $kind \
            --precision $precision
        fi
      done
      [ "$device" = cuda ] || return 0
    done
  done
}

# The ways to do one cube: a library's three passes or two, streams, tiles, graphs, one kernel for each axis.
run_choices() {
  local n=$small precision bytes mb streams
  say "== choices on $device: median, as a multiple of two passes at the measured copy bandwidth, and the model's"
  if step "measured" 60 10 env "SHARDFFT_WISDOM=$own/known" "${loader[@]}" "$bin/shardfft" info --measure; then
    say "$(grep -E "^measured +$device: " <<<"$log")"
  fi
  warm
  for precision in f64 f32; do
    bytes=$([ $precision = f64 ] && echo 16 || echo 8)
    cube "$n" $precision
    cube "$n" $precision --fuse 3
    for streams in $counts; do
      cube "$n" $precision --fuse 2 --streams $streams
      for mb in $tile_mb; do
        cube "$n" $precision --fuse 2 --streams $streams --tile "$(awk "BEGIN {print int($mb * 1e6 / $n / $bytes)}")"
      done
    done
    [ "$device" = cuda ] || return 0
    if launch "$bin/shardfft" explain --shape 64x64x64 --device "$device" --engine fused >/dev/null 2>&1; then
      cube "$n" $precision --engine fused
    else not_run "$n^3 c2c $precision --engine fused" "not built"; fi
  done
  for streams in 1 2; do
    say "without graphs:"
    SHARDFFT_TEST_GRAPHS=off cube "$n" f64 --fuse 2 --streams $streams
  done
}

run_experiment() {
  say "== two passes by cuFFT's plans alone"
  [ "$device" = cuda ] || { not_run "two_pass_experiment" "not for $device"; return; }
  shown "$small^3" "${loader[@]}" "$bin/two_pass_experiment" "$small"
}

# Bytes over the device's memory, counted by the hardware: of one forward and one backward run, and as many to verify.
run_traffic() {
  local n=$small way
  say "== bytes over the device's memory"
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  [ "$device" = cuda ] && command -v ncu >/dev/null || { not_run "ncu" "not found, or not for $device"; return; }
  for way in "--fuse 3" "--fuse 2" "--fuse 2 --tile 4096"; do
    # shellcheck disable=SC2086
    step "$n^3 c2c f32 $way" 60 20 env SHARDFFT_TEST_GRAPHS=off ncu --csv --print-units base --cache-control none \
      --clock-control none --metrics dram__bytes_read.sum,dram__bytes_write.sum "${loader[@]}" "$bin/shardfft" bench \
      --device "$device" --shape "${n}x${n}x${n}" --precision f32 --iterations 1 --warmup 0 --quiet $way || continue
    row "$n^3 c2c f32 $way" "$(awk -F'","' -v array="$((8 * n * n * n))" '
      $(NF - 2) ~ /^dram__bytes_/ {gsub(/[",]/, "", $NF); bytes += $NF; kernels += /_read/}
      END {printf "%.2f times the array a run, %d kernels", bytes / array / 4, kernels / 4}' <<<"$log")"
  done
}

# In f32 alone: there is much to fill and to verify.
run_large() {
  say "== the large cube on $device"
  warm
  cube_s=100 cube $large f32 --warmup 1
  cube_s=100 cube $large f32 --warmup 1 --fuse 3
}

# More than the device has room for: occupy leaves so little of its memory that the array must go through in tiles.
run_out_of_core() {
  local holder=''
  say "== arrays of the host, pinned, through the device"
  cube $small f32 --arrays host
  if [ "$device" = cuda ]; then
    # Not by launch(): a function in the background is a shell of its own, and ending that leaves the program.
    env "LD_LIBRARY_PATH=$libraries" "${loader[@]}" "$bin/occupy" "$spare_gib" >"$said" 2>&1 &
    holder=$!
    for _ in $(seq 100); do grep -q holds "$said" || sleep 0.1; done
    say "$(cat "$said")"
  fi
  bench "$out_of_core c2c f32, larger than the memory left" 100 --shape "$out_of_core" --precision f32 --arrays host \
    --iterations 2 --warmup 1
  [ -n "$holder" ] || return 0
  kill "$holder"
  wait "$holder" 2>/dev/null
}

# How much one copy brings, and how many tiles are under way. Planes of the two fast axes.
run_streams() {
  local planes streams
  say "== arrays of the host, pinned, by planes of a tile and tiles under way (streams)"
  for planes in 4 16; do
    for streams in 1 2 3; do
      cube $medium f32 --arrays host --fuse 2 --tile $((planes * medium)) --streams $streams
      [ "$device" = cuda ] || return 0
    done
  done
}

# Ranks that share a device say nothing of links. Times of encoded exchanges hold encoding, copies and decoding.
run_shared() {
  local way
  say "== two ranks as threads on one device"
  for way in peer_kernel via_host "via_host --encode-near --codec "{f32,block_float,lossless}; do
    # shellcheck disable=SC2086
    cube "$small" f64 --ranks 2 --transport $way
    [ "$device" = cuda ] || [ "$way" = peer_kernel ] || return 0
  done
}

# The parts of a step.
run_flow() {
  local n=$medium
  say "== a flow on $device"
  shown "flow, $n^3 f64" "${loader[@]}" "$bin/shardfft" navier-stokes --shape "${n}x${n}x${n}" --reynolds 1600 \
    --dt 0.001 --bench --device "$device"
}
