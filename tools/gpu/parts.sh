# shellcheck shell=bash disable=SC2034,SC2154
# The parts of tools/gpu_check, in the order in which all of them run: what is wrong and what is slow are known first.
# Sourced.
parts=(tests peers ranks codecs out_of_core sanitizers cubes flow large streams)

# What is here; ends the whole where there is no device.
show_device() {
  local about
  : >"$said"
  limited 60 "${loader[@]}" "$bin/shardfft" info
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

# Only what runs on the device: the rest of these programs is the host's.
run_tests() {
  say "== tests on $device"
  test_step "any_device_tests" 75 any_device_tests "*/${device}_*"
  test_step "device_transport_test" 60 device_transport_test "Peer*:ViaHost.*:DeviceTransport.*:NcclLibrary.*"
  test_step "device_codec_tests" 60 device_codec_tests "*/${device}_*"
  test_step "plan_random_test" 60 plan_random_test "*/any_*_device_*"
  test_step "plan_random_test of kinds and fewer modes" 60 plan_random_test "*/kinds_*_device_*:*/fewer*_device_*"
  test_step "plan_approximate_test" 60 plan_approximate_test "*/*_device*"
  local group groups=('DevicePlan.*' 'Fused*' 'DeviceCyclic*' 'DeviceSplit*' 'DeviceApproximate*' 'DeviceNarrow*')
  # A hang costs one group. The last one is all that has no group.
  for group in "${groups[@]}" "*-DLPack.*$(printf ':%s' "${groups[@]}")"; do
    test_step "device_plan_test $([[ $group == *-DL* ]] && echo "others" || echo "$group")" 60 device_plan_test "$group"
  done
}

# In processes of their own, in turn, every result checked.
run_peers() {
  say "== beside cuFFT's own plan of all axes, which does not scale: median"
  local kind precision peer
  for kind in c2c r2c; do
    for precision in f64 f32; do
      for peer in "${peers[@]}" "${peers[@]}"; do
        if [ "$device" != cuda ] && [ "$peer" = cufft ]; then
          not_run "$small^3 $kind $precision, cufft" "not for $device"
        elif [ "$(left)" -lt 15 ]; then not_run "$small^3 $kind $precision, $peer" "no time left"; wrong=1
        else
          beside "$small^3 $kind $precision, $peer" "$peer" --shape "${small}x${small}x${small}" --kind $kind \
            --precision $precision
        fi
      done
    done
  done
  [ -x "$bin/two_pass_experiment" ] || return 0
  if [ "$device" = cuda ]; then shown "two passes by cuFFT's plans, $small^3" 60 "${loader[@]}" \
    "$bin/two_pass_experiment" "$small"; else not_run "two_pass_experiment" "not for $device"; fi
}

# What the planner's model will know of the device, in one line.
measure() {
  step "measured" 60 10 env "SHARDFFT_WISDOM=$known" "${loader[@]}" "$bin/shardfft" info --measure || return
  say "$(grep -E "^measured +$device: " <<<"$log")"
}

# The ways to do one cube: sweeps of three axes, of two, of one, with cuFFT between two moves or in one kernel; launches
# one by one or as graphs, in one queue or two.
run_cubes() {
  say "== cubes on $device: median, how many times two passes at the measured copy bandwidth, and what the planner's" \
    "model expected"
  measure
  local n=$small precision tile
  for precision in f64 f32; do
    bench "$n^3 c2c $precision" --shape "${n}x${n}x${n}" --precision $precision --iterations 5
    bench "$n^3 c2c $precision, engine fused" --shape "${n}x${n}x${n}" --precision $precision --engine fused \
      --iterations 5
    bench "$n^3 c2c $precision, two passes: --fuse 2" --shape "${n}x${n}x${n}" --precision $precision --fuse 2 \
      --iterations 5
  done
  bench "$n^3 c2c f32, a pass for each axis: --fuse 1" --shape "${n}x${n}x${n}" --precision f32 --fuse 1 --iterations 5
  for tile in $tiles; do
    bench "$n^3 c2c f32, --fuse 2 --tile $tile" --shape "${n}x${n}x${n}" --precision f32 --fuse 2 --tile "$tile" \
      --iterations 5
  done
  local graphs streams
  for graphs in on off; do
    for streams in 1 2; do
      SHARDFFT_TEST_GRAPHS=$graphs bench "$n^3 c2c f64, --fuse 2 --streams $streams, graphs $graphs" \
        --shape "${n}x${n}x${n}" --fuse 2 --streams $streams --iterations 5
    done
  done
  bench "$n^3 r2c f32" --shape "${n}x${n}x${n}" --kind r2c --precision f32 --iterations 5
}

# The parts of a step, with three components in one transform and one by one.
run_flow() {
  say "== a flow on $device"
  local n batched
  for n in $medium $small; do
    for batched in yes no; do
      shown "flow, $n^3 f64, batched $batched" 60 "${loader[@]}" "$bin/shardfft" navier-stokes \
        --shape "${n}x${n}x${n}" --reynolds 1600 --dt 0.001 --bench --device "$device" --batched "$batched"
    done
  done
}

# In f32 alone: it has much to fill and to verify.
run_large() {
  say "== the large cube on $device"
  local way
  for way in "" "--engine fused" "--fuse 2"; do
    # shellcheck disable=SC2086
    bench_s=100 bench "$large^3 c2c f32 $way" --shape "${large}x${large}x${large}" --precision f32 --iterations 3 \
      --warmup 1 $way
  done
}

# Ranks that share the device, in the four ways, with messages in 1 to 8 parts.
run_ranks() {
  say "== ranks as threads on one device"
  local n=$small transport ranks chunks queues
  for transport in peer_kernel peer_copy staged via_host; do
    for ranks in 2 4; do
      bench "$n^3 c2c f64, $ranks ranks, $transport" --shape "${n}x${n}x${n}" --ranks $ranks --transport $transport \
        --iterations 5
    done
  done
  # Messages in parts, and copies in several streams: on a smaller cube, which takes less time to fill and to verify.
  n=$medium
  for transport in peer_kernel peer_copy staged via_host; do
    for chunks in 1 2 4 8; do
      bench "$n^3 c2c f64, 2 ranks, $transport, --chunks $chunks" --shape "${n}x${n}x${n}" --ranks 2 \
        --transport $transport --chunks $chunks --iterations 5
    done
  done
  for transport in peer_copy staged; do
    for queues in 1 2 4; do
      SHARDFFT_COPY_QUEUES=$queues bench "$n^3 c2c f64, 2 ranks, $transport, $queues streams" \
        --shape "${n}x${n}x${n}" --ranks 2 --transport $transport --iterations 5
    done
  done
}

run_codecs() {
  say "== exchanges of 2 ranks through the host, encoded: the exchanges' times hold encoding, copies and decoding"
  local n=$small codec
  for codec in none f32 f16 block_float lossless; do
    bench "$n^3 c2c f64, 2 ranks, codec $codec" --shape "${n}x${n}x${n}" --ranks 2 --transport via_host --codec $codec \
      --encode-near --iterations 3
  done
}

# More than the device has room for: occupy leaves so little of its memory that the array must go through in tiles.
run_out_of_core() {
  say "== arrays of the host, pinned, through the device"
  local n=$small holder=''
  bench "$n^3 c2c f32, arrays on the host" --shape "${n}x${n}x${n}" --precision f32 --arrays host --iterations 3
  if [ "$device" = cuda ]; then
    # Not by launch(): a function in the background is a shell of its own, and ending that leaves the program.
    env "LD_LIBRARY_PATH=$libraries" "${loader[@]}" "$bin/occupy" "$spare_gib" >"$results/now.txt" 2>&1 &
    holder=$!
    for _ in $(seq 100); do grep -q holds "$results/now.txt" || sleep 0.1; done
    say "$(cat "$results/now.txt")"
  fi
  bench_s=100 bench "$out_of_core c2c f32, larger than the memory left" --shape "$out_of_core" --precision f32 \
    --arrays host --iterations 2 --warmup 1
  if [ -n "$holder" ]; then
    kill "$holder"
    wait "$holder" 2>/dev/null
  fi
}

# S0's Table II: how much one copy brings, and how many tiles are under way. Planes of the two fast axes, by batches.
run_streams() {
  say "== arrays of the host, pinned, by planes of a tile and tiles under way (streams)"
  local n=$medium planes streams
  for planes in $batches; do
    for streams in 1 2 3; do
      bench "$n^3 c2c f32, $planes planes a tile, $streams streams" --shape "${n}x${n}x${n}" --precision f32 \
        --arrays host --fuse 2 --tile $((planes * n)) --streams $streams --iterations 5
    done
  done
}

# Tests ask for what must fail (memory that there is not, the time since an event that is not timed), so calls that fail
# are no finding. Of races only those of our own kernels are looked for: the library's are many and slow to look at.
run_sanitizers() {
  say "== compute-sanitizer on $device"
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  if [ "$device" != cuda ] || ! command -v compute-sanitizer >/dev/null; then
    not_run "compute-sanitizer" "not found, or not for $device"; return; fi
  local tool options one chosen=("any_device_tests:*/${device}_*" "device_plan_test:DevicePlan.*"
    "plan_random_test:*/any_*_device_0")
  [ -z "$only_tests" ] || mapfile -t chosen <<<"$only_tests"
  for one in "${chosen[@]}"; do
    for tool in memcheck racecheck; do
      options=(--tool "$tool" --report-api-errors no --error-exitcode 9)
      [ $tool = memcheck ] || options+=(--kernel-name kernel_substring=run_)
      test_step "$one, $tool" 120 "${one%%:*}" "${one#*:}" compute-sanitizer "${options[@]}"
    done
  done
}
